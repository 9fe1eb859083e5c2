"""Results of a whole range in words: what they are made of, in which order, and what is asked."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.offline.asking import ask, chain, planned


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
    assert [pipeline.step(compute.inputs[name]).intent for name in ("a", "b")] == ["Fetch the OMNI speed", "Fetch the OMNI Dst"]
    assert chain(pipeline)[-1].endswith("peak_of(correlation,absolute)")


def test_the_first_of_a_scatter_plot_is_upright() -> None:
    """`A against B` has B along the axis."""
    compute = planned("scatter plot of ACE density against ACE speed in January 2005").step("points").compute
    assert compute is not None
    assert compute.inputs == {"x": "speed", "y": "density"}


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
        ("ACE speed above 500 km/s in 2003", "no threshold lines"),
        ("Kp for the largest storm of 2017", "Of which bins"),
    ],
)
def test_what_is_not_clear_is_asked(request_text: str, words: str) -> None:
    """Nothing is guessed."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_a_limit_alone_offers_the_intervals() -> None:
    """And all values."""
    answer = ask("ACE speed above 500 km/s in 2003")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["intervals where ACE speed above 500 km/s in 2003", "ACE speed in 2003"]


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
