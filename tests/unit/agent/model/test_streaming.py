"""A reply that is read while it is written: what is told of it and how often, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pydantic_ai
import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.settings import ModelSettings
from helio_dagster.agent.model.streaming import Progress
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.domain.errors import ModelUnavailable

from .conftest import DEMO, NOW, Talk, call, plan, scripted

Ask = Callable[..., Talk]
REQUEST = "ACE |B| for last week"
SEARCH = call("search_catalog", words="ACE magnetic field")


def clock_of(*readings: float) -> Callable[[], float]:
    """A clock that shows these, one after the other."""
    left: Iterator[float] = iter(readings)
    return lambda: next(left)


def test_writing_is_told_once_a_second() -> None:
    """However many pieces come; the count is of all of them."""
    heard: list[Event] = []
    progress = Progress(heard.append, clock_of(0.0, 0.0, 0.4, 0.9, 1.0, 1.0, 1.5, 2.1, 2.1))
    progress.asked("m")
    for _ in range(5):
        progress.grew("m", 10)
    assert [(event.facts["state"], event.facts["characters"]) for event in heard] == [
        ("asked", 0),
        ("writing", 30),
        ("writing", 50),
    ]


def test_each_reply_is_counted_from_nothing() -> None:
    """The next request begins with no character."""
    heard: list[Event] = []
    progress = Progress(heard.append, lambda: 0.0)
    for characters in (7, 1200):
        progress.asked("m")
        progress.grew("m", characters)
        progress.answered("m")
    assert [event.text for event in heard if event.facts["state"] == "answered"] == [
        "m has answered: 7 characters",
        "m has answered: 1,200 characters",
    ]


def test_nothing_is_told_of_writing_before_there_is_a_character() -> None:
    """A model that thinks in silence is asked, not writing."""
    heard: list[Event] = []
    progress = Progress(heard.append, clock_of(0.0, 0.0, 5.0))
    progress.asked("m")
    progress.grew("m", 0)
    assert [event.facts["state"] for event in heard] == ["asked"]


def answer_of(knowledge: Knowledge, *, is_streaming: bool) -> tuple[object, list[str], list[Event]]:
    """What a script becomes, what the model was sent, and what was told."""
    model, events = scripted([SEARCH, SEARCH, plan()]), list[Event]()
    settings = ModelSettings(DEMO.planning, is_streaming=is_streaming)
    answer = ModelPlanner(knowledge, settings, model=model).answer(Situation(REQUEST, NOW, tell=events.append))
    sent = [str(getattr(part, "content", "")) for message in model.requests[-1] for part in message.parts]
    return answer, sent, events


def test_a_stream_comes_to_the_same_as_a_whole_reply(knowledge: Knowledge) -> None:
    """The same answer, the same texts for the model, the same events but for the progress."""
    streamed, whole = answer_of(knowledge, is_streaming=True), answer_of(knowledge, is_streaming=False)
    assert isinstance(streamed[0], Plan)
    assert streamed[:2] == whole[:2]
    stages = [[event.stage for event in events if event.stage != "progress"] for events in (streamed[2], whole[2])]
    assert stages[0] == stages[1]


def test_without_streaming_there_is_no_progress(knowledge: Knowledge) -> None:
    """Nothing is known of a reply before it is there."""
    told = {is_streaming: answer_of(knowledge, is_streaming=is_streaming)[2] for is_streaming in (True, False)}
    assert [sum(event.stage == "progress" for event in told[each]) for each in (True, False)] == [6, 0]


def test_no_banner_of_the_client_comes_between(ask: Ask) -> None:
    """The terminal is the conversation's; the library that asks models is told so."""
    ask([plan()], REQUEST)
    assert not pydantic_ai.BANNER_ENABLED


def test_a_reply_that_breaks_off_ends_the_answer(ask: Ask) -> None:
    """What came of it is not taken for a reply; it can be tried again. What it used is told as the least."""
    events: list[Event] = []
    with pytest.raises(ModelUnavailable, match="broke off") as caught:
        ask([SEARCH, {"trouble": "cut"}, plan()], REQUEST, events=events)
    assert "Try again" in caught.value.hint
    told = [event for event in events if event.stage == "usage"]
    assert [(event.facts["requests"], event.facts.get("is_least", False)) for event in told] == [(1, True), (1, False)]
    assert "at least" in told[0].text
