"""Replies that are streamed by the true clients, and break in every way a stream can: whole or not at all."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from itertools import count

import pytest

from helio_dagster.agent.answers import Answer, Plan
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.settings import ModelSettings
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.domain.errors import ModelLimit, ModelUnavailable
from tests.tiers import by_day

from .conftest import NOW, REQUEST, ModelServer
from .test_providers import ERRORS, PROVIDERS, environment
from .wire import PLAN, SEARCH, Broken, Calls, Fault, Says, as_openai

Ask = Callable[..., tuple[Answer, list[Event]]]
Serve = Callable[..., ModelServer]
ALL_BUT_ITS_END = {"google": -1, "openai": -3, "anthropic": -2}
"""Up to which piece a reply lacks nothing but the word why it ended."""
NO_JSON = 'event: content_block_delta\ndata: {"choices": [{"delta"\n\n'
IN_STREAM = {
    "google": 'data: {"error": {"code": %d, "message": "no", "status": "UNAVAILABLE"}}\r\n\r\n',
    "openai": 'data: {"error": {"message": "no", "type": "server_error", "code": %d}}\n\n',
    "anthropic": 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "no"}}\n\n',
}
DETAILS = ("dataset_parameters", {"dataset": "AC_H0_MFI", "words": "magnetic field"})

pytestmark = pytest.mark.parametrize("provider", PROVIDERS)


@pytest.fixture
def is_streaming() -> bool:
    """Here all replies are streamed."""
    return True


def with_spare(server: ModelServer, provider: str) -> dict[str, str]:
    """Settings with a fallback of the same provider."""
    return environment(server, provider, HELIO_MODEL_FALLBACK=f"{provider}:spare")


def broken(provider: str, how: str) -> Broken:
    """A plan that breaks off in one of the ways there are."""
    match how:
        case "cut in the midst":
            return Broken(PLAN, 1 if provider == "google" else 6, is_cut=True)
        case "cut before its end":
            return Broken(PLAN, ALL_BUT_ITS_END[provider], is_cut=True)
        case "closed in the midst":
            return Broken(PLAN, 1 if provider == "google" else 6)
        case "closed before its end":
            return Broken(PLAN, ALL_BUT_ITS_END[provider])
        case "no JSON":
            return Broken(PLAN, 1 if provider == "google" else 6, then=NO_JSON)
        case "half a piece":
            return Broken(PLAN, 1 if provider == "google" else 6, then=NO_JSON.rstrip())
        case "an error":
            return Broken(PLAN, 1 if provider == "google" else 6, then=IN_STREAM[provider].replace("%d", "503"))
        case _:
            return Broken(PLAN, 0)


WAYS = (
    "cut in the midst",
    "cut before its end",
    "closed in the midst",
    "closed before its end",
    "no JSON",
    "half a piece",
    "an error",
    "empty",
)


def test_two_calls_in_one_stream_are_both_made(ask: Ask, serve: Serve, provider: str) -> None:
    """Arguments that come in pieces are put together again, each with its own call; the tokens are counted once."""
    server = serve(Calls([*SEARCH.calls, DETAILS]), PLAN)
    answer, events = ask(environment(server, provider))
    assert isinstance(answer, Plan)
    assert "AC_H0_MFI" in server.received[1].text
    assert "BGSEc" in server.received[1].text
    usage = events[-1].facts
    assert (usage["input_tokens"], usage["output_tokens"], usage["requests"]) == (2000, 100, 2)


@pytest.mark.alike(9)
@pytest.mark.parametrize("how", WAYS)
def test_half_a_reply_is_no_reply(ask: Ask, serve: Serve, provider: str, how: str) -> None:
    """Wherever a stream breaks off, also where all but its end is there, nothing of it counts; it may be tried again."""
    server = serve(broken(provider, how))
    with pytest.raises(ModelUnavailable) as caught:
        ask(environment(server, provider))
    assert len(server.received) == 1
    assert caught.value.hint.startswith("Try again")
    assert "\n" not in caught.value.problem


@pytest.mark.parametrize("how", by_day(WAYS, "cut in the midst", "an error"))
def test_a_fallback_begins_anew_where_a_stream_broke_off(ask: Ask, serve: Serve, provider: str, how: str) -> None:
    """It is sent what the other was sent, and nothing of what that one had written."""
    server = serve(main=[broken(provider, how)], spare=[PLAN])
    answer, events = ask(with_spare(server, provider))
    assert isinstance(answer, Plan)
    assert events[-1].facts["answered_by"] == ["spare"]
    first, second = (dict(received.body) for received in server.received)
    for body in (first, second):
        body.pop("model", None)
    assert first == second


def test_calls_of_a_broken_stream_are_not_made(ask: Ask, serve: Serve, provider: str) -> None:
    """A look-up that was whole in a reply that was not is not made."""
    server = serve(Broken(SEARCH, ALL_BUT_ITS_END[provider]))
    events: list[Event] = []
    with pytest.raises(ModelUnavailable):
        ask(environment(server, provider), REQUEST, events)
    assert "discover" not in {event.stage for event in events}
    assert "answered" not in {event.facts.get("state") for event in events}


def test_a_fallback_takes_over_at_the_begin(ask: Ask, serve: Serve, provider: str) -> None:
    """Too many requests, before the stream."""
    server = serve(main=[Fault(429, ERRORS[provider] % (429, "RESOURCE_EXHAUSTED"))], spare=[SEARCH, PLAN])
    answer, events = ask(with_spare(server, provider))
    assert isinstance(answer, Plan)
    assert events[-1].facts["answered_by"] == ["spare"]
    assert [event.facts["model"] for event in events if event.facts.get("state") == "answered"] == ["spare", "spare"]


def test_a_server_that_does_not_stream_is_told_of_the_setting(ask: Ask, serve: Serve, provider: str) -> None:
    """One that answers with JSON of one piece, or with a page: never taken for an answer."""
    server = serve(Fault(200, json.dumps({"said": as_openai(Says("yes"), "main", 1)})))
    with pytest.raises(ModelUnavailable) as caught:
        ask(environment(server, provider))
    assert "HELIO_MODEL_STREAM=0" in caught.value.hint


def test_progress_tells_how_much_and_never_what(ask: Ask, serve: Serve, provider: str) -> None:
    """That the model is asked, and how many characters its answer had."""
    _, events = ask(environment(serve(SEARCH, PLAN), provider))
    told = [event for event in events if event.stage == "progress" and event.facts["state"] != "writing"]
    assert [event.facts["state"] for event in told] == ["asked", "answered", "asked", "answered"]
    assert [told[place].facts["characters"] for place in (1, 3)] == [
        len(json.dumps(made.calls[0][1])) for made in (SEARCH, PLAN)
    ]
    assert not [event for event in told if "magnetic" in str(event.to_document())]


class Listener:
    """Hears events, and presses Ctrl-C at the first that tells of writing."""

    def __init__(self) -> None:
        self.heard: list[Event] = []

    def __call__(self, event: Event) -> None:
        """Hear one event."""
        self.heard.append(event)
        if event.facts.get("state") == "writing":
            signal.raise_signal(signal.SIGINT)


def test_an_interruption_ends_a_stream(knowledge: Knowledge, serve: Serve, provider: str) -> None:
    """Ctrl-C while a reply arrives ends it, though the server says no more and keeps the connection."""
    server = serve(Broken(Calls([*SEARCH.calls, DETAILS]), ALL_BUT_ITS_END[provider] - 1, is_held=True))
    settings = ModelSettings.from_environment(environment(server, provider, HELIO_MODEL_SECONDS="30"))
    listener, ticks = Listener(), count()
    planner = ModelPlanner(knowledge, settings, clock=lambda: float(next(ticks)))
    with pytest.raises(KeyboardInterrupt):
        planner.answer(Situation(REQUEST, NOW, tell=listener))
    assert listener.heard[-1].stage == "usage"


def test_time_is_limited_within_a_stream(ask: Ask, serve: Serve, provider: str) -> None:
    """A reply that stops and never ends is given up."""
    server = serve(Broken(PLAN, 1, is_held=True))
    with pytest.raises(ModelLimit, match="after 1 s"):
        ask(environment(server, provider, HELIO_MODEL_SECONDS="1"))
