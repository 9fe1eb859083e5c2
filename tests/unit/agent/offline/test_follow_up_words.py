"""Follow-ups in everyday words: other times, components, references to what is drawn, and nothing lost of two changes."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Edits, Fork, Information, Plan, Replay
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.offline.asking import chain, drawn_at, edited, panels, refine

ACE = "ACE magnetic field magnitude and solar wind speed on 2003-10-29"
WIND = "Wind magnetic field vector in GSE and proton density, 17 March 2015"
INDICES = "OMNI Kp, Dst and AE in March 2015"
EVENTS = "find the intervals where OMNI Bz in GSM was below -10 nT for at least 2 hours in March 2015"


def span(given: str, words: str) -> TimeRange | None:
    """The range that a follow-up leads to."""
    answer = refine(given, words)
    assert isinstance(answer, Replay | Edits), answer
    return answer.span


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("could you show the two days after that instead?", "2003-10-30 to 2003-11-01"),
        ("give me the same plot a week earlier", "2003-10-22 to 2003-10-23"),
        ("begin at 05:00 rather than midnight", "2003-10-29T05:00Z to 2003-10-30"),
        ("just the part from 06 to 12 UT please", "2003-10-29T06:00Z to 2003-10-29T12:00Z"),
        ("zoom out to the whole month", "2003-10-01 to 2003-11-01"),
        ("can we have the day before as well?", "2003-10-28 to 2003-10-30"),
    ],
)
def test_another_time(words: str, expected: str) -> None:
    """The rest of the plan stays."""
    assert str(span(ACE, words)) == expected


def test_one_more_year_is_more_of_the_range() -> None:
    """`as well` takes nothing away; what is apart is asked about."""
    assert str(span("Dst in 2003", "2004 as well")) == "2003-01-01 to 2005-01-01"
    assert isinstance(refine("Dst in 2003", "2010 as well"), Asked)


def test_both_of_two_changes_are_made() -> None:
    """Neither is lost, whichever is understood first."""
    assert panels(edited(INDICES, "drop AE and use SYM-H in place of Dst")) == ["kp", "sym_h"]
    assert panels(edited(ACE, "smooth the speed over an hour, keep the raw one too")) == ["b_mag", "speed+speed_mean"]
    smoothed = "5 minute running mean of ACE |B| on 2003-10-29"
    pipeline = edited(smoothed, "20 minutes instead of 5, and show the unsmoothed one in grey behind")
    assert "b_mag_mean=rolling_mean(b_mag,PT20M)" in chain(pipeline)
    assert drawn_at(pipeline, (0, 0))["color"] == "grey"


def test_all_lines_but_one() -> None:
    """Each of the others once."""
    given = "OMNI solar wind speed, Bz in GSM and SYM-H from 16 to 19 March 2015"
    drawn = panels(edited(given, "15 minute averages for everything except SYM-H"))
    assert drawn == ["speed_15minute", "b_z_gsm_15minute", "sym_h"]


def test_components_of_a_vector() -> None:
    """They are hidden, and coloured in their order."""
    parts = edited(WIND, "drop By").steps[-1].figure
    assert parts is not None
    assert [trace.component for trace in parts.panels[0].traces] == ["x", "z"]
    colored = edited(WIND, "colour the components red, green and blue").steps[-1].figure
    assert colored is not None
    assert [trace.color for trace in colored.panels[0].traces] == ["red", "green", "blue"]


def test_the_look_of_what_is_added_on_top_is_its_own() -> None:
    """And not that of the line that stood there before."""
    pipeline = edited(
        "Solar Orbiter magnetic field in RTN and proton density, 2021-11-04", "put |B| in black on top of the components"
    )
    colored = [drawn_at(pipeline, (row, 0)) for row in range(3)]
    assert [each["data"] for each in colored if each.get("color") == "black"] == ["b_mag"]


def test_a_quantity_at_the_cadence_of_another() -> None:
    """Averages over its spacing, which the catalog knows."""
    assert "b_gse_92second=resample(b_gse,PT1M32S,mean)" in chain(edited(WIND, "bring the field to the cadence of the density"))


def test_the_shape_in_place_of_a_magnitude() -> None:
    """It is of the same quantity, and the other panels stay."""
    assert panels(edited(ACE, "replace |B| by the three components in RTN")) == ["b_rtn", "speed"]


def test_one_more_orbit_stands_in_the_same_panel() -> None:
    """With the names of both."""
    given = "orbit of Parker Solar Probe in January 2022"
    assert panels(edited(given, "add Solar Orbiter to it")) == ["position_hci+solo_position_hci"]
    turned = edited(given, "in the XZ plane").steps[-1].figure
    assert turned is not None
    assert turned.panels[0].orbit is not None
    assert turned.panels[0].orbit.planes == ("XZ",)


def test_particles_of_another_kind_and_another_probe() -> None:
    """Of the same instrument."""
    given = "THEMIS A ESA electron energy spectrogram on 2008-02-26 04:00 to 06:00"
    assert chain(edited(given, "ions rather than electrons")) == ["ions=THA_L2_ESA/tha_peif_en_eflux"]
    fork = refine(given, "same thing from probe D")
    assert isinstance(fork, Fork), fork
    assert fork.mission == "THEMIS-D"


def test_events_that_are_drawn_are_the_epochs() -> None:
    """`those events` are the intervals of the plan on the table."""
    plan = refine(EVENTS, "plot the average Dst around those events")
    assert isinstance(plan, Plan), plan
    assert any(step.compute and step.compute.operation == "superposed_epoch" for step in plan.pipeline.steps)
    assert str(plan.span) == "2015-03-01 to 2015-04-01"


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("why did you pick that dataset for the speed?", "AC_H0_SWE"),
        ("how many megabytes will that download?", "ahead"),
        ("what does |B| come from?", "magnitude"),
    ],
)
def test_questions_about_the_plan(words: str, part: str) -> None:
    """They are answered, and change nothing."""
    answer = refine(ACE, words)
    assert isinstance(answer, Information), answer
    assert part in answer.text


@pytest.mark.parametrize(
    ("given", "words", "part"),
    [
        ("histogram of the OMNI solar wind speed in 2008", "and the same for 2003, on top of it", "one range"),
        (ACE, "I'd like the speed axis to start at zero", "two ends"),
        (EVENTS, "how long do these intervals last on average?", "approve"),
        ("scatter plot of OMNI solar wind speed against density in 2010", "colour the points by Bz", "a pipeline file may"),
    ],
)
def test_what_cannot_be_done_is_said(given: str, words: str, part: str) -> None:
    """In a sentence that says what can."""
    answer = refine(given, words)
    assert isinstance(answer, Asked), answer
    assert part in answer.question.text
