"""Options of results that are said in several ways: limits of lags and of two quantities, ranges without bins, log counts."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.cli.plan import print_plan
from tests.unit.agent.offline.asking import ask, panels, planned


@pytest.mark.parametrize("said", ["maximum lag 2 hours", "max lag of 2 hours", "up to 2 hours", "lags up to 2 hours"])
def test_the_longest_lag(said: str) -> None:
    """However it is said, it limits the lags and is no cadence."""
    answer = ask(f"lag between ACE and Wind magnetic field magnitude on 17 March 2015, {said}")
    assert isinstance(answer, Plan), answer
    compute = answer.pipeline.step("correlation").compute
    assert compute is not None
    assert compute.options["longest_lag"] == "PT2H"


@pytest.mark.parametrize(
    "request_text",
    [
        "minimum variance normal of the MMS1 field on 2015-10-16 13:05:30 to 13:06:10",
        "minimum variance normal over the whole interval, MMS1 2015-10-16 13:00 to 15:00",
    ],
)
def test_minimum_variance_of_a_crossing_has_no_bins(request_text: str) -> None:
    """It is one analysis over the range."""
    pipeline = planned(request_text)
    (frame,) = [step for step in pipeline.steps if step.compute and step.compute.operation == "minimum_variance_frame"]
    assert frame.over == "range"


def test_minimum_variance_of_a_long_range_asks_for_bins() -> None:
    """A whole day has many directions."""
    answer = ask("minimum variance normal of ACE on 2005-05-05")
    assert isinstance(answer, Asked), answer
    assert "bins" in answer.question.text


def test_log_counts_are_the_axis_of_the_histogram() -> None:
    """The counts of samples in bins of time are another thing."""
    pipeline = planned("histogram of OMNI solar wind speed for 2008, log counts")
    (panel,) = pipeline.steps[-1].figure.panels
    assert panel.y.scale == "log"
    assert [step.compute.operation for step in pipeline.steps if step.compute] == ["histogram"]


@pytest.mark.parametrize(
    "request_text",
    [
        "hours of 2012 when OMNI speed was above 700 km/s and OMNI density was below 3 per cc",
        "OMNI which hours of 2012 had a solar wind speed above 700 km/s and density less than 3 per cc?",
    ],
)
def test_two_limits_of_two_quantities_hold_together(request_text: str) -> None:
    """Each limit is of the quantity before it, and what both intervals have in common is shaded."""
    pipeline = planned(request_text)
    made = {step.id: step.compute for step in pipeline.steps if step.compute}
    both = made["intervals"]
    assert both.operation == "intersection_of"
    first, second = (made[both.step_inputs[name]] for name in ("a", "b"))
    assert (first.inputs["series"], first.options["above"]) == ("speed", 700)
    assert (second.inputs["series"], second.options["below"]) == ("density", 3)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert all("intervals" in [trace.data for trace in panel.traces] for panel in figure.panels)


def test_two_limits_that_are_no_intersection_are_asked_about() -> None:
    """`or` is another set of times."""
    answer = ask("intervals where OMNI Bz is below -10 nT or OMNI speed is above 500 km/s in May 2005")
    assert isinstance(answer, Asked), answer


@pytest.mark.parametrize(
    "said", ["mark where it exceeds 10", "shade when it is above 10", "highlight where this exceeds 10 nPa"]
)
def test_where_a_limit_is_passed_is_shaded(said: str) -> None:
    """As intervals are that are asked for by their name."""
    compute = planned(f"OMNI flow pressure, 20 Nov 2003, {said}").step("intervals").compute
    assert compute is not None
    assert compute.options["above"] == 10


def test_one_page_has_a_panel_each() -> None:
    """As every figure has."""
    assert len(panels(planned("Wind |B| and proton density on one page for DOY 303 2003, 5-minute averages"))) == 2


class _Lines:
    """A console that keeps what is printed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, line: object, **_: object) -> None:
        """Keep it."""
        self.lines.append(str(line))


def test_the_card_shows_the_options_of_each_operation() -> None:
    """As the card of a conversation does."""
    console = _Lines()
    print_plan(ask("lag between ACE and Wind magnetic field magnitude on 2015-03-17, maximum lag 2 hours"), console)  # type: ignore[arg-type]
    assert any("cross_correlation(ace_b_mag, wind_b_mag, longest_lag=PT2H)" in line for line in console.lines)
