"""Results of a whole range in words: what they are made of, in which order, and what is asked."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, chain, edited, planned


def drawn(pipeline: Pipeline) -> list[list[str]]:
    """What each panel draws."""
    figure = next(step.figure for step in pipeline.steps if step.figure)
    return [[trace.data for trace in panel.traces] for panel in figure.panels]


@pytest.mark.parametrize(
    ("request_text", "a", "b"),
    [
        ("lag of Wind behind ACE |B| on 2003-11-20", "ace", "wind"),
        ("lag between Wind and ACE |B| on 2003-11-20", "wind", "ace"),
        ("cross-correlation of ACE |B| with Wind |B| on 2003-11-20", "ace", "wind"),
    ],
)
def test_what_is_behind_comes_later(request_text: str, a: str, b: str) -> None:
    """`a` is the one that comes first where the lag is positive; the plan says so."""
    pipeline = planned(request_text)
    compute = pipeline.step("correlation").compute
    assert compute is not None
    assert [compute.inputs[name].partition("_")[0] for name in ("a", "b")] == [a, b]
    assert any("comes later than" in each for each in pipeline.assumptions)


def test_a_quantity_may_lag_behind_another() -> None:
    """The index comes later although it is told first; either sign may be the best."""
    pipeline = planned("how much does Dst lag behind OMNI speed in November 2003?")
    compute = pipeline.step("correlation").compute
    assert compute is not None
    assert [pipeline.step(compute.step_inputs[name]).intent for name in ("a", "b")] == [
        "Fetch the OMNI speed",
        "Fetch the OMNI Dst",
    ]
    assert chain(pipeline)[-1].endswith("peak_of(correlation,absolute)")


def test_the_first_of_a_scatter_plot_is_upright() -> None:
    """`A against B` has B along the axis."""
    compute = planned("scatter plot of ACE density against ACE speed in January 2005").step("points").compute
    assert compute is not None
    assert compute.inputs == {"x": "speed", "y": "density"}


@pytest.mark.parametrize("words", ["and for the density?", "and the density?", "the same for the density"])
def test_what_relates_two_spacecraft_is_made_of_another_quantity(words: str) -> None:
    """Its points take the place of those that are drawn; no panel over time is added beside them."""
    pipeline = edited("correlation of ACE and Wind speed in May 2010", words)
    assert sorted(chain(pipeline)) == [
        "ace_density=AC_H0_SWE/Np",
        "fit=fit_line(points)",
        "points=scatter(wind_density,ace_density)",
        "wind_density=WI_H1_SWE/Proton_Np_nonlin",
    ]
    assert drawn(pipeline) == [["points", "fit"]]
    assert pipeline.title == planned("correlation of ACE and Wind density in May 2010").title


def test_a_difference_is_made_of_another_quantity() -> None:
    """As a correlation is."""
    pipeline = edited("difference of Wind and ACE density on 2010-05-10", "and for the speed?")
    assert drawn(pipeline) == [["wind_minus_ace"]]
    assert "wind_minus_ace=difference(wind_speed,ace_speed)" in chain(pipeline)


def test_facts_stand_below_what_they_are_of() -> None:
    """Both statistics that are named are of the whole range."""
    pipeline = planned("mean and maximum ACE speed in March 2010")
    assert drawn(pipeline) == [["speed"], ["speed_facts"]]
    assert {step.id: step.over for step in pipeline.steps if step.compute} == {"speed_facts": "range"}


def test_intervals_are_shaded_where_they_are() -> None:
    """In the panel of what meets the condition; the limit is in its unit."""
    pipeline = planned("intervals where Dst is below -100 for at least 6 hours in 2015")
    [panel] = drawn(pipeline)
    assert panel[1] == "intervals"
    assert "The limit is taken to be in nT." in pipeline.assumptions


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("scatter plot of ACE density in January 2005", "of two quantities"),
        ("lag of ACE |B| on 2003-10-29", "of two quantities"),
        ("hodogram of the ACE speed on 2003-10-29", "of a vector"),
        ("histogram of the ACE magnetic field vector on 2003-10-29", "of one number"),
        ("histogram and power spectrum of the ACE speed on 2003-10-29", "one of these at a time"),
        ("2-D histogram of ACE density, January 2005", "of two quantities"),
        ("2-D histogram of ACE density against speed in 2 km/s bins, January 2005", "by their number"),
        ("histogram of the ACE speed normalised by column in January 2005", "What is"),
        ("ACE speed with a fit on 2003-10-29", "What is"),
        ("intervals where ACE speed is above 5 nT in October 2003", "the limit is in nT"),
        ("Kp for the largest storm of 2017", "do not rank storms"),
    ],
)
def test_what_is_not_clear_is_asked(request_text: str, words: str) -> None:
    """Nothing is guessed."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_a_limit_alone_is_that_of_intervals() -> None:
    """All values would drop the limit: the one thing left that keeps it is planned, and the card says so."""
    answer = ask("ACE speed above 500 km/s in 2003")
    assert isinstance(answer, Plan)
    assert answer.notes[0] == "It is taken as 'intervals where ACE speed above 500 km/s in 2003'."
    assert chain(answer.pipeline)[-1] == "intervals=intervals_where(speed,500,P3D)"


@pytest.mark.parametrize(
    ("request_text", "options", "scale"),
    [
        ("2D histogram of ACE speed against |B| for March 2005", {"x_bins": 50, "y_bins": 50}, "log"),
        ("distribution of ACE speed versus |B| with 30 bins in March 2005", {"x_bins": 30, "y_bins": 30}, "log"),
        (
            "joint distribution of ACE speed and |B| normalised by column, March 2005",
            {"x_bins": 50, "y_bins": 50, "result": "share"},
            None,
        ),
    ],
)
def test_one_quantity_against_another_is_a_2d_histogram(
    request_text: str, options: dict[str, object], scale: str | None
) -> None:
    """The first along y, as in a scatter plot, over the whole range; counts are coloured by powers of ten, shares are not."""
    pipeline = planned(request_text)
    step = pipeline.step("distribution")
    assert step.compute is not None
    assert (step.compute.operation, step.over, step.compute.inputs) == ("histogram_2d", "range", {"x": "b_mag", "y": "speed"})
    assert step.compute.options == options
    figure = pipeline.step("overview").figure
    assert figure is not None
    assert (figure.panels[0].traces[0].data, figure.panels[0].z.scale) == ("distribution", scale)


def test_two_of_the_same_quantity_are_compared() -> None:
    """Each has a histogram of its own."""
    made = chain(planned("histogram of ACE speed vs Wind speed for March 2005"))
    assert sum("=histogram(" in each for each in made) == 2


@pytest.mark.parametrize(
    ("request_text", "made"),
    [
        ("when did the OMNI Bz first turn southward on 17 March 2015?", {"value": 0, "direction": "down"}),
        ("list the moments when SYM-H crosses -50 nT upwards, 17 March 2015", {"value": -50, "direction": "up"}),
        ("zero crossings of OMNI Bz on 17 March 2015", {"value": 0}),
    ],
)
def test_moments_at_which_a_value_is_crossed_are_marked(request_text: str, made: dict[str, object]) -> None:
    """As events in the panel of what crosses."""
    pipeline = planned(request_text)
    compute = pipeline.step("crossings").compute
    assert compute is not None
    assert compute.options == made
    assert drawn(pipeline)[0][-1] == "crossings"


def test_how_often_a_limit_is_passed_is_the_list_of_intervals() -> None:
    """The verb before the limit changes nothing."""
    compute = planned("how often did Dst drop below -100 nT in 2003?").step("intervals").compute
    assert compute is not None
    assert compute.options["below"] == -100


def test_jumps_need_a_size_and_a_time() -> None:
    """Both are options of the operation; without them they are asked for."""
    compute = planned("find jumps of more than 50 km/s over 10 minutes in the ACE speed, November 2001").step("jumps").compute
    assert compute is not None
    assert compute.options == {"change": 50, "window": "PT10M"}
    asked = ask("find shocks in the ACE speed of November 2001")
    assert isinstance(asked, Asked)
    assert "How large is a jump" in asked.question.text


def test_events_of_a_file_are_superposed() -> None:
    """The list is a step of its own; without a superposed epoch it is asked what the file is for."""
    plan = ask("superposed epoch of OMNI speed around the events in cirs.csv, 2 days before to 4 days after")
    assert isinstance(plan, Plan)
    listed = plan.pipeline.step("events").events
    assert listed is not None
    assert listed.file == "cirs.csv"
    asked = ask("OMNI speed of 2005 for the events in cirs.csv")
    assert isinstance(asked, Asked)
    assert "cirs.csv" in asked.question.text


@pytest.mark.parametrize(
    ("request_text", "limit"),
    [
        ("how many hours was Kp above 5 in 2003?", {"above": 50}),
        ("how many hours was Kp at least 5 in 2003?", {"above": 49}),
        ("how many hours was OMNI Bz below -10 nT in March 2001?", {"below": -10}),
        ("how many hours was the IMF southward at OMNI in July 2006", {"below": 0}),
    ],
)
def test_how_many_hours_is_a_number(request_text: str, limit: dict[str, float]) -> None:
    """Beside the intervals themselves, and with the same limit; a Kp that is named counts where it is said to."""
    pipeline = planned(request_text)
    by_operation = {step.compute.operation: step.compute.options for step in pipeline.steps if step.compute}
    for operation in ("intervals_where", "facts_of"):
        options = by_operation[operation]
        assert {name: options[name] for name in ("above", "below") if name in options} == limit


def test_the_turning_field_is_its_z_component() -> None:
    """`IMF` alone has no north: its magnitude crosses nothing."""
    pipeline = planned("when did the IMF turn southward at OMNI on 1 July 2006")
    assert pipeline.steps[0].fetch.parameter == "BZ_GSM"
    assert chain(pipeline)[-1].startswith("crossings=crossings(b_z_gsm,down")


def test_panels_come_in_the_order_that_is_said() -> None:
    """Whichever spacecraft measures what; an order that is not from top to bottom is asked about."""
    pipeline = planned("Dst in the first panel, Kp in the second, ACE speed in the third; 29 March to 3 April 2001")
    assert drawn(pipeline) == [["omni_dst"], ["omni_kp"], ["ace_speed"]]
    answer = ask("bottom: Wind speed, top: ACE Np, 1 - 10 May 1998")
    assert isinstance(answer, Asked)
    assert "From top to bottom" in answer.question.text


def test_a_ratio_that_no_dataset_has_is_computed() -> None:
    """From the two densities, and the plan says so."""
    answer = ask("Ratio of alpha to proton density at Wind, 10-12 Jan 1997")
    assert isinstance(answer, Plan)
    assert any("computed from the two densities" in note for note in answer.notes)


@pytest.mark.parametrize(
    "request_", ["list the fast streams in 2008: OMNI V over 600 km/s", "OMNI V over 600 km/s for more than a day in 2008"]
)
def test_a_limit_with_a_length_or_in_a_list_makes_intervals(request_: str) -> None:
    """No value lasts, and values are not listed."""
    operations = [step.compute.operation for step in planned(request_).steps if step.compute]
    assert operations == ["intervals_where"]
