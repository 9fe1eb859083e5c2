"""What a scripted model submits beyond series over time: results over the range, events as partitions, their panels."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from helio_dagster.agent.answers import Edits, Plan
from helio_dagster.agent.model.submissions import CodeStep
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Result
from helio_dagster.domain.pipeline_edit import AddStep
from helio_dagster.domain.time_range import TimeRange

from .conftest import FETCH, MAGNITUDE, Talk, call, plan

Ask = Callable[..., Talk]
TABLE = {
    "kind": "table",
    "id": "storms",
    "intent": "The storms",
    "csv": "time,name\n2004-11-07T18:00Z,third\n2003-10-29T06:11Z,first\n2003-11-20T08:00Z,second",
    "source": "The person",
}
EPOCHS = {
    "kind": "operation",
    "id": "epochs",
    "intent": "Around each storm",
    "operation": "superposed_epoch",
    "inputs": [{"name": "series", "step": "b_mag"}, {"name": "events", "step": "storms"}],
    "options": [{"name": "before", "value": "P1D"}, {"name": "after", "value": "P2D"}, {"name": "bin", "value": "PT1H"}],
}
TOGETHER = {
    "kind": "operation",
    "id": "storm_mean",
    "intent": "Median and quartiles",
    "operation": "epoch_statistics",
    "inputs": [{"name": "events", "step": "epochs"}],
}
WINDOWS = {"events": "storms", "before": "P1D", "after": "P2D"}


def step(name: str, kind: str, source: str, *, into: str = "series", **more: Any) -> dict[str, Any]:
    """A step of an operation with one input."""
    return {
        "kind": "operation",
        "id": name,
        "intent": name,
        "operation": kind,
        "inputs": [{"name": into, "step": source}],
    } | more


def figure(*traces: str, **panel: Any) -> dict[str, Any]:
    """A figure of one panel."""
    given = {"traces": [{"data": each} for each in traces], **panel}
    return {"kind": "figure", "id": "overview", "intent": "Draw it", "panels": [given]}


def planned(talk: Talk) -> Pipeline:
    """The pipeline of an answer that is a plan."""
    assert isinstance(talk.answer, Plan), talk.answer
    return talk.answer.pipeline


def over(pipeline: Pipeline) -> dict[str, str | None]:
    """Step to what it is evaluated over."""
    return {each.id: each.over for each in pipeline.steps if each.compute}


def test_operations_of_a_whole_window_are_over_the_range_by_themselves(ask: Ask) -> None:
    """Where the model left it out, and also with `auto`; what reads them is over the range too."""
    spectrum = step("spectrum", "power_spectrum", "b_mag", over="auto")
    slope = step("slope", "spectral_slope", "spectrum", into="curve")
    drawn = figure("spectrum", "slope", x={"title": "Frequency", "scale": "log"})
    pipeline = planned(ask([plan(FETCH, MAGNITUDE, spectrum, slope, drawn)], "spectrum of ACE |B| for last week"))
    assert over(pipeline) == {"b_mag": None, "spectrum": "range", "slope": "range"}
    shown = pipeline.step("overview").figure
    assert shown is not None
    assert (shown.panels[0].x.title, shown.panels[0].x.scale) == ("Frequency", "log")


def test_facts_of_each_partition_may_be_wanted(ask: Ask) -> None:
    """A model that says so is not corrected."""
    facts = step("facts", "facts_of", "b_mag", over="partition")
    pipeline = planned(ask([plan(FETCH, MAGNITUDE, facts, figure("b_mag"))], "daily numbers of ACE |B| for last week"))
    assert over(pipeline)["facts"] == "partition"


def test_numbers_of_events_that_a_limit_makes_are_columns_of_their_list(ask: Ask) -> None:
    """Found and described in one pipeline whose partitions are days, as without a model."""
    found = {**step("strong", "intervals_where", "b_mag"), "options": [{"name": "above", "value": "20"}]}
    inputs = [{"name": "events", "step": "strong"}, {"name": "series", "step": "b_mag"}]
    numbers = {**step("numbers", "facts_of_events", "b_mag"), "inputs": inputs}
    asked = "mean ACE |B| of each interval above 20 nT last week"
    pipeline = planned(ask([plan(FETCH, MAGNITUDE, found, numbers, figure("b_mag", "numbers"))], asked))
    assert over(pipeline) == {"b_mag": None, "strong": None, "numbers": None}
    assert pipeline.grain.value == "daily"


def test_code_may_give_facts_over_the_range(ask: Ask) -> None:
    """With units of single columns, as pairs; code that reads a step over the range is over it too."""
    share = {
        "kind": "code",
        "id": "share",
        "intent": "How strong, how long",
        "inputs": [{"name": "b", "step": "b_mag"}],
        "code": "return {'strongest': float(b['b_mag'].max()), 'records': float(len(b))}",
        "over": "range",
        "result": "facts",
        "units": [{"column": "strongest", "unit": "nT"}],
    }
    half = {
        "kind": "code",
        "id": "half",
        "intent": "Half",
        "inputs": [{"name": "f", "step": "share"}],
        "code": "return f / 2",
        "result": "facts",
    }
    pipeline = planned(ask([plan(FETCH, MAGNITUDE, share, half)], "how strong was ACE |B| last week"))
    assert over(pipeline) == {"b_mag": None, "share": "range", "half": "range"}
    made = pipeline.step("share").compute
    assert made is not None
    assert (made.kind, made.units) == ("facts", {"strongest": "nT"})


def test_separate_dates_are_partitions_around_events(ask: Ask) -> None:
    """The range is that of the listed times; only what brings the events together is over all of them."""
    low = step("strongest", "facts_of", "b_mag")
    steps: list[Any] = [TABLE, FETCH, MAGNITUDE, low, EPOCHS, TOGETHER, figure("storm_mean")]
    talk = ask([plan(*steps, time_words="", windows=WINDOWS)], "superpose ACE |B| over the storms of October 2003 and later")
    pipeline = planned(talk)
    assert pipeline.partitions == EventWindows(events="storms", before=timedelta(days=1), after=timedelta(days=2))
    assert over(pipeline) == {"b_mag": None, "strongest": None, "epochs": None, "storm_mean": "range"}
    assert isinstance(talk.answer, Plan)
    assert talk.answer.span == TimeRange(datetime(2003, 10, 29, tzinfo=UTC), datetime(2004, 11, 8, tzinfo=UTC))


FOUND = step(
    "storms", "intervals_where", "b_mag", options=[{"name": "above", "value": 20}, {"name": "merge", "value": "PT12H"}]
)


def test_events_that_a_limit_makes_are_superposed(ask: Ask) -> None:
    """The partitions are days; a plan with windows around them goes back, and so does nothing else."""
    steps: list[Any] = [FETCH, MAGNITUDE, FOUND, EPOCHS, TOGETHER, figure("storm_mean")]
    turns = [plan(*steps, time_words="", windows=WINDOWS), plan(*steps)]
    talk = ask(turns, "superpose ACE |B| around each time it exceeds 20 nT, last week")
    pipeline = planned(talk)
    assert not isinstance(pipeline.partitions, EventWindows)
    assert over(pipeline) == {"b_mag": None, "storms": None, "epochs": None, "storm_mean": "range"}
    assert "Leave out windows" in str(talk.model.requests[1][-1])


def test_each_event_has_a_panel(ask: Ask) -> None:
    """As a pipeline file says it."""
    turns = [plan(FETCH, MAGNITUDE, FOUND, figure("b_mag", each=each)) for each in ("storms P1D", "storms P1D P2D")]
    talk = ask(turns, "ACE |B| for each time it exceeds 20 nT, last week")
    shown = planned(talk).step("overview").figure
    assert shown is not None
    assert shown.panels[0].each is not None
    assert shown.panels[0].each.model_dump(mode="json", exclude_none=True) == WINDOWS
    assert "as storms P1D P3D" in str(talk.model.requests[1][-1])


def test_windows_need_a_table_that_can_be_read(ask: Ask) -> None:
    """A missing table, a row that is no time, and an empty window go back to the model, each with what is wrong."""
    steps: list[Any] = [FETCH, MAGNITUDE, EPOCHS, figure("epochs")]
    wrong = TABLE | {"csv": "time,name\nlast Tuesday,first"}
    turns = [
        plan(*steps, time_words="", windows=WINDOWS),
        plan(wrong, *steps, time_words="", windows=WINDOWS),
        plan(TABLE, *steps, time_words="", windows={"events": "storms"}),
        plan(TABLE, *steps, time_words="", windows=WINDOWS),
    ]
    talk = ask(turns, "ACE |B| around three storms")
    assert isinstance(talk.answer, Plan)
    sent = [str(request[-1]) for request in talk.model.requests[1:]]
    assert "not a table step" in sent[0]
    assert "is not a time" in sent[1]
    assert "is empty" in sent[2]


def test_a_step_that_is_added_to_a_pipeline_is_over_the_range(ask: Ask, current: Current) -> None:
    """As in a new plan."""
    edit = {"kind": "add_step", "step": step("facts", "facts_of", "b_mag"), "before": "overview"}
    answer = ask([call("submit_edits", edits=[edit])], "and its mean", current=current).answer
    assert isinstance(answer, Edits)
    [added] = answer.edits
    assert isinstance(added, AddStep)
    assert added.step.over == "range"


def test_operations_that_accept_a_curve_can_be_looked_for(ask: Ask) -> None:
    """And facts, points and events."""
    turns = [call("search_operations", words="slope", kind="curve"), call("refuse", reasons=["enough"])]
    talk = ask(turns, "ACE")
    [part] = talk.model.requests[1][-1].parts
    assert "spectral_slope" in [each["operation"] for each in json.loads(str(part.content))["operations"]]


LAGGED = {
    "kind": "code",
    "id": "lagged",
    "intent": "Lag and what it comes from",
    "inputs": [{"name": "b", "step": "b_mag"}],
    "code": "return {'lag': {'lag': 34.0}, 'r': pd.DataFrame({'lag': [1.0, 2.0], 'r': [0.1, 0.2]}), 'smooth': b}",
    "over": "range",
    "unit": "nT",
    "result": "lag: facts, r: curve, smooth: series",
    "units": [{"column": "lag.lag", "unit": "min"}, {"column": "r", "unit": "1"}],
}


def test_code_may_give_several_results_that_are_read_by_name(ask: Ask) -> None:
    """Each with its kind and units; the step's unit is that of values over time, and what reads a result is over the range."""
    half = {"kind": "code", "id": "half", "intent": "Half", "inputs": [{"name": "f", "step": "lag"}], "code": "return f / 2"}
    pipeline = planned(
        ask([plan(FETCH, MAGNITUDE, LAGGED, half | {"result": "facts"}, figure("r"))], "lag of ACE |B| last week")
    )
    made = pipeline.step("lagged").compute
    assert made is not None
    assert made.results == {
        "lag": Result(kind="facts", units={"lag": "min"}),
        "r": Result(kind="curve", unit="1"),
        "smooth": Result(unit="nT"),
    }
    assert (made.unit, made.kind, pipeline.step("half").over) == (None, None, "range")


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"result": "lag: facts, lag: curve"}, "each name once"),
        ({"result": "lag: fact"}, "'curve', 'map', 'points', 'facts' or 'events'"),
        ({"result": "lag: facts", "units": []}, "unit and frame are those of results over time"),
        ({"units": [{"column": "x", "unit": "min"}]}, "'x' is neither"),
    ],
)
def test_results_that_are_stated_wrongly_go_back_to_the_model(changed: dict[str, Any], problem: str) -> None:
    """With what to write."""
    with pytest.raises(ValidationError, match=re.escape(problem)):
        CodeStep.model_validate({**LAGGED, **changed})
