"""Changes that a whole sentence says: a time marked, values times a number, a histogram in the place of a line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned, refine

FIELD = "ACE |B| on 2003-10-29"
TWO = "ACE |B| and density from 2003-10-29 to 2003-10-31"
SPACECRAFT = "Compare ACE and Wind density on 2003-10-29 in two panels"


def figure(pipeline: Pipeline) -> Figure:
    """What is drawn."""
    drawn = pipeline.steps[-1].figure
    assert drawn is not None
    return drawn


def marks(pipeline: Pipeline) -> list[list[tuple[Any, ...]]]:
    """Time, dash and colour of each mark, panel by panel."""
    return [[(each.x, each.dash, each.color) for each in panel.marks or ()] for panel in figure(pipeline).panels]


AT = datetime(2003, 10, 29, 6, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "look"),
    [
        ("mark 29 Oct 6:11 with a dashed line", ("dash", None)),
        ("mark 6:11", (None, None)),
        ("please mark 06:11 UT", (None, None)),
        ("draw a red vertical line at 6:11", (None, "red")),
        ("add a dotted line at 2003-10-29 06:11", ("dot", None)),
        ("mark 06:11:00 on 29 October 2003 by a solid dark blue line", ("solid", "darkblue")),
    ],
)
def test_a_time_is_marked(words: str, look: tuple[str | None, str | None]) -> None:
    """In the day that is drawn, or the one that is named; as a line that looks as said."""
    assert marks(edited(FIELD, words)) == [[(AT, *look)]]


def test_a_mark_is_in_all_panels_or_in_the_one_named() -> None:
    """Where several days are drawn and none is named, each of them is offered with all that was said."""
    assert marks(edited(TWO, "mark 2003-10-29 6:11")) == [[(AT, None, None)]] * 2
    assert marks(edited(TWO, "mark 2003-10-29 6:11 in the density panel")) == [[], [(AT, None, None)]]
    asked = refine(TWO, "mark 6:11 with a dotted line in the density panel")
    assert isinstance(asked, Asked)
    assert [marks(edited(TWO, choice))[1][0] for choice in asked.question.choices] == [
        (AT.replace(day=day), "dot", None) for day in (29, 30)
    ]


@pytest.mark.parametrize(
    ("words", "about"),
    [
        ("mark 30 Oct 6:11", "2003-10-30T06:11"),
        ("mark 6:11 in the Kp panel", "Kp"),
    ],
)
def test_a_mark_that_cannot_be_seen_is_asked_about(words: str, about: str) -> None:
    """Outside the range, or in a panel that there is not."""
    asked = refine(FIELD, words)
    assert isinstance(asked, Asked)
    assert about in asked.question.text


@pytest.mark.parametrize(
    ("words", "factor", "title"),
    [
        ("multiply by 1000", 1000, "|B| × 1000"),
        ("multiply |B| by 1e3", 1000, "|B| × 1e3"),
        ("divide it by 4", 0.25, "|B| / 4"),
        ("scale it by a factor of -1", -1, "|B| × -1"),
        ("multiply it by 10^-3", 0.001, "|B| × 10^-3"),
    ],
)
def test_values_are_multiplied(words: str, factor: float, title: str) -> None:
    """By a step of their own; the axis says so, for the unit stays."""
    pipeline = edited(FIELD, words)
    assert chain(pipeline)[-1] == f"b_mag_scaled=scale(b_mag,{factor:g})"
    assert panels(pipeline) == ["b_mag_scaled"]
    assert figure(pipeline).panels[0].y.title == title


def test_which_of_two_is_multiplied_is_asked() -> None:
    """Each choice carries the number."""
    asked = refine(TWO, "multiply by 1000")
    assert isinstance(asked, Asked)
    assert asked.question.choices == ["multiply |B| by 1000", "multiply N by 1000"]
    assert panels(edited(TWO, asked.question.choices[1])) == ["b_mag", "density_scaled"]
    assert isinstance(refine(FIELD, "multiply by 0"), Asked)


def test_a_limit_of_the_axis_goes_with_the_old_values() -> None:
    """Else the line would be outside the panel."""
    limited = f"{FIELD}, y axis range 0 to 50"
    assert figure(planned(limited)).panels[0].y.range == (0, 50)
    assert figure(edited(limited, "multiply by 1000")).panels[0].y.range is None


@pytest.mark.parametrize(
    "words", ["histogram of it instead", "show a histogram of |B| instead", "a histogram instead", "turn it into a histogram"]
)
def test_a_histogram_takes_the_place_of_a_line(words: str) -> None:
    """As a request for it would draw it."""
    pipeline, asked_for = edited(FIELD, words), planned(f"histogram of {FIELD}")
    assert chain(pipeline) == chain(asked_for)
    assert panels(pipeline) == panels(asked_for) == ["b_mag_histogram"]
    assert pipeline.step("b_mag_histogram").over == "range"
    assert any("50 bins" in each for each in pipeline.assumptions)


def test_other_lines_stay_beside_a_histogram() -> None:
    """Only the line that is named gives way, with as many bins as are said; of a vector there is none."""
    pipeline = edited(TWO, "histogram of the density with 20 bins instead")
    assert panels(pipeline) == ["b_mag", "density_histogram"]
    assert chain(pipeline)[-1] == "density_histogram=histogram(density,20)"
    assert isinstance(refine("ACE magnetic field on 2003-10-29", "histogram of it instead"), Asked)


def logarithmic(words: str) -> list[str | None]:
    """The scale of each panel of a request."""
    return [panel.y.scale for panel in figure(planned(words)).panels]


def test_no_choice_drops_how_the_figure_is_to_look() -> None:
    """Each panel and all of them are offered, with the words for the axis."""
    asked = ask(f"{SPACECRAFT}, log y axis")
    assert isinstance(asked, Asked)
    assert [logarithmic(choice) for choice in asked.question.choices] == [["log", None], [None, "log"], ["log", "log"]]


def test_a_look_is_of_what_stands_behind_it() -> None:
    """`log y axis for the density` is not of the speed; without such words it is of all that the request names."""
    assert logarithmic("Wind speed and density 2003-10-29, log y axis for the density") == [None, "log"]
    assert logarithmic("Wind speed and density 2003-10-29, log y axis") == ["log", "log"]


def test_data_of_one_source_are_of_one_release_where_it_holds_them() -> None:
    """The index that exists by the hour alone stands beside them, and the card says which cadence each has."""
    for words in ("OMNI Bz, speed, AE and Dst for 2015-03-17", "OMNI Bz, speed, AE and Dst at 1 minute for 2015-03-17"):
        plan = ask(words)
        assert isinstance(plan, Plan)
        datasets = [step.fetch.dataset for step in plan.pipeline.steps if step.fetch]
        assert datasets == ["OMNI_HRO_1MIN"] * 3 + ["OMNI2_H0_MRG1HR"]
        assert "Of OMNI, Bz, speed and AE have 1-minute values, Dst has 1-hour values." in plan.pipeline.assumptions


def test_an_index_alone_at_another_cadence_is_asked_about() -> None:
    """Nothing else of the request would be as asked."""
    assert isinstance(ask("Dst at 1 minute for 2015-03-17"), Asked)
    assert isinstance(ask("Dst and Kp at 1 minute for 2015-03-17"), Asked)


@pytest.mark.parametrize("words", ["add a vertical line at 04:53, label it onset", "mark 04:53 and call it onset"])
def test_a_mark_has_a_label_without_quotes(words: str) -> None:
    """On the day of the range, in all panels."""
    ions = "THEMIS E ion density and velocity GSM 26 feb 2008 04:00-06:00"
    at = datetime(2008, 2, 26, 4, 53, tzinfo=UTC)
    assert [[(each.x, each.text) for each in panel.marks] for panel in figure(edited(ions, words)).panels] == [
        [(at, "onset")]
    ] * 2


def test_a_time_is_marked_on_the_day_on_which_the_range_has_it() -> None:
    """Over midnight there is one such day."""
    night = "ACE |B| from 2003-10-29T22:00 to 2003-10-30T02:00"
    assert marks(edited(night, "mark 23:10")) == [[(datetime(2003, 10, 29, 23, 10, tzinfo=UTC), None, None)]]
    assert marks(edited(night, "mark 01:10")) == [[(datetime(2003, 10, 30, 1, 10, tzinfo=UTC), None, None)]]


@pytest.mark.parametrize(
    "words",
    [
        "drop the density, i want the std of |B| in 1 hr bins there",
        "drop the density and put the hourly standard deviation of |B| in its place",
        "replace the density with the hourly standard deviation of |B|",
    ],
)
def test_what_takes_the_place_of_a_panel_leaves_the_others(words: str) -> None:
    """The axis says that it is a standard deviation."""
    done = edited(TWO, words)
    assert panels(done) == ["b_mag", "b_mag_1hour_std"]
    assert [panel.y.title for panel in figure(done).panels] == ["|B|", "|B| std"]


def test_an_axis_says_what_the_bins_hold() -> None:
    """A standard deviation and a count are other quantities than the values, a mean is not."""
    titles = {words: figure(edited(FIELD, f"hourly {words}")).panels[0].y.title for words in ("means", "standard deviations")}
    assert titles == {"means": "|B|", "standard deviations": "|B| std"}


@pytest.mark.parametrize("words", ["fit the slope", "add its spectral slope"])
def test_the_slope_is_fitted_to_the_spectrum_that_is_drawn(words: str) -> None:
    """Not to one in another frame."""
    done = edited("power spectrum of Wind Bz GSE 2 Feb 2002", words)
    assert panels(done) == ["b_z_spectrum+b_z_slope"]
