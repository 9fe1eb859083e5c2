"""A model that loops, answers rubbish, never answers or is cut off ends with one clear error; what it used is told."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from pydantic_ai import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.settings import ModelLimits, ModelName, ModelSettings
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.domain.errors import ModelError, ModelLimit, ModelMisbehaved, ModelRefused, ModelUnavailable
from helio_dagster.domain.inquiry import Sample
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange

from .conftest import FETCH, FIGURE, MAGNITUDE, NOW, Side, Talk, call, plan

Ask = Callable[..., Talk]
REQUEST = "ACE |B| for last week"
PATIENCE_S = 120
INVENTED = plan(FETCH | {"candidates": [{"archive": "cdaweb", "dataset": "AC_H9_MFI", "parameter": "B"}]}, MAGNITUDE, FIGURE)


@pytest.mark.parametrize(
    ("turns", "kind", "said"),
    [
        ([{"text": "Sure! Here is your plot."}] * 20, ModelMisbehaved, "no usable answer"),
        ([{"text": ""}] * 20, ModelMisbehaved, "no usable answer"),
        ([call("no_such_tool", x=1)] * 20, ModelMisbehaved, "no_such_tool"),
        ([{"calls": [{"tool": "submit_plan", "args": '{"title": '}]}] * 20, ModelMisbehaved, "no usable answer"),
        ([INVENTED] * 20, ModelMisbehaved, "AC_H9_MFI"),
        ([call("search_catalog", words="x")] * 20, ModelLimit, "the model is stuck"),
        ([call("search_catalog", words=f"x {place}") for place in range(40)], ModelLimit, "16 requests"),
        ([{"trouble": "rate_limit"}], ModelUnavailable, "429"),
        ([{"trouble": "outage"}], ModelUnavailable, "503"),
        ([{"trouble": "connection"}], ModelUnavailable, "no connection"),
        ([{"trouble": "key"}], ModelRefused, "refuses the key"),
        ([], ModelMisbehaved, "model's script ended"),
    ],
)
def test_trouble_is_one_clear_error(ask: Ask, turns: list[dict[str, Any]], kind: type[ModelError], said: str) -> None:
    """Each with what to do; and the usage is told even so."""
    events: list[Event] = []
    with pytest.raises(kind, match=said) as caught:
        ask(turns, REQUEST, events=events)
    assert caught.value.hint
    assert "\n" not in caught.value.problem
    assert [event.stage for event in events].count("usage") == 1


def test_a_call_made_twice_is_refused_and_told(ask: Ask) -> None:
    """The second finds nothing new: the model is told to go on."""
    search = call("search_catalog", words="ACE magnetic field")
    talk = ask([search, search, plan()], REQUEST)
    assert isinstance(talk.answer, Plan)
    assert len(talk.told("discover")) == 1
    assert "already made this call" in str(talk.model.requests[2][-1])


def test_failed_calls_count(ask: Ask) -> None:
    """Look-ups that find nothing, or are not even well formed, use up the limit too."""
    many = {"calls": [{"tool": "dataset_parameters", "args": {"dataset": f"NO_{place}"}} for place in range(4)]}
    wrong = {"calls": [{"tool": "search_catalog", "args": {"wrong": place}} for place in range(2)]}
    with pytest.raises(ModelLimit, match="more than 5 look-ups"):
        ask([many, wrong, plan()], REQUEST, limits=ModelLimits(tool_calls=5))


def test_a_look_up_that_fails_is_told_with_the_nearest(ask: Ask) -> None:
    """The model may go on with a better name."""
    talk = ask([call("dataset_parameters", dataset="AC_H0_MF"), plan()], REQUEST)
    assert isinstance(talk.answer, Plan)
    assert "AC_H0_MFI" in str(talk.model.requests[1][-1])


def test_tokens_are_limited(ask: Ask) -> None:
    """The limit names its variable."""
    turns = [call("search_catalog", words=f"ACE {place}") for place in range(10)]
    with pytest.raises(ModelLimit, match="tokens") as caught:
        ask(turns, REQUEST, limits=ModelLimits(tokens=2000))
    assert "HELIO_MODEL_TOKENS" in caught.value.hint


def slow_planner(knowledge: Knowledge, begin: Callable[[], None], limits: ModelLimits, *, is_streaming: bool) -> ModelPlanner:
    """A planner whose model never answers, or begins to and then stops; `begin` is called when it waits for ever."""

    async def never(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        begin()
        await asyncio.Event().wait()
        raise AssertionError("woken")

    async def half(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        yield "The plan for this is"
        await never(messages, info)

    settings = ModelSettings(ModelName("scripted", "slow"), limits=limits, is_streaming=is_streaming)
    return ModelPlanner(knowledge, settings, model=FunctionModel(never, stream_function=half))


@pytest.mark.slow
@pytest.mark.parametrize("is_streaming", [True, False])
def test_time_is_limited(knowledge: Knowledge, is_streaming: bool) -> None:
    """A model that does not answer, or not to the end, is given up."""
    planner = slow_planner(knowledge, lambda: None, ModelLimits(seconds=1), is_streaming=is_streaming)
    with pytest.raises(ModelLimit, match="after 1 s") as caught:
        planner.answer(Situation(REQUEST, NOW))
    assert "HELIO_MODEL_SECONDS" in caught.value.hint


@pytest.fixture(autouse=True)
def heeded() -> Iterator[None]:
    """Ctrl-C as at a terminal: what a shell starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("is_streaming", [True, False])
def test_an_interruption_ends_the_request(knowledge: Knowledge, is_streaming: bool) -> None:
    """Ctrl-C while the model thinks or writes is a KeyboardInterrupt; the planner can be asked again."""
    interrupt = partial(signal.raise_signal, signal.SIGINT)
    planner = slow_planner(knowledge, interrupt, ModelLimits(), is_streaming=is_streaming)
    events: list[Event] = []
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            planner.answer(Situation(REQUEST, NOW, tell=events.append))
    told = [event.facts for event in events if event.stage == "usage"]
    assert sum(not facts.get("is_least") for facts in told) == 2
    broken = [(facts["requests"], facts["output_tokens"] > 0) for facts in told if facts.get("is_least")]
    assert broken == [(1, True)] * (2 * is_streaming)


class InterruptedSide(Side):
    """A home in which Ctrl-C is pressed while a sample is taken."""

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Interrupted in its midst; it is remembered where it goes on."""
        signal.raise_signal(signal.SIGINT)
        self.tried.append(fetch.dataset)
        return super().sample(fetch, span)


def test_an_interruption_ends_a_sample_at_once(ask: Ask, knowledge: Knowledge) -> None:
    """The first Ctrl-C ends what the home does for the model, and the next one works as ever."""
    before, side = signal.getsignal(signal.SIGINT), InterruptedSide(knowledge=knowledge)
    with pytest.raises(KeyboardInterrupt):
        ask([plan()], REQUEST, side=side)
    assert side.tried == []
    assert signal.getsignal(signal.SIGINT) is before


class SlowSide(Side):
    """A home in which a sample takes for ever."""

    def sample(self, fetch: Fetch, span: TimeRange) -> Sample:
        """Waits; it is remembered where it goes on."""
        threading.Event().wait(PATIENCE_S)
        self.tried.append(fetch.dataset)
        return super().sample(fetch, span)


@pytest.mark.slow
def test_the_limit_of_time_ends_a_sample_at_once(ask: Ask, knowledge: Knowledge) -> None:
    """What the home does for the model counts, too; no alarm is left behind."""
    before, side = signal.getsignal(signal.SIGALRM), SlowSide(knowledge=knowledge)
    with pytest.raises(ModelLimit, match="after 1 s"):
        ask([plan()], REQUEST, side=side, limits=ModelLimits(seconds=1))
    assert side.tried == []
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_running_loop_is_no_hindrance(ask: Ask) -> None:
    """In a notebook a loop runs already."""

    async def in_a_notebook() -> Talk:
        return ask([plan()], REQUEST)

    assert isinstance(asyncio.run(in_a_notebook()).answer, Plan)


def test_usage_names_who_answered(ask: Ask) -> None:
    """Tokens in and out, requests, and the model."""
    usage = ask([call("search_catalog", words="ACE"), plan()], REQUEST).told("usage")[0].facts
    assert (usage["requests"], usage["answered_by"]) == (2, ["scripted"])
    assert usage["input_tokens"] > 0
    assert usage["output_tokens"] > 0


def test_the_clock_is_the_situations(ask: Ask) -> None:
    """The model is told the person's now, not the machine's."""
    assert f"{datetime(2026, 3, 10):%Y-%m-%d}T15:30Z" in str(ask([plan()], REQUEST).model.requests[0])
