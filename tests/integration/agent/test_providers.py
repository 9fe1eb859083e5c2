"""The true clients of three providers against a scripted server on loopback: what they send, and what becomes of replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer, Information, Plan
from helio_dagster.agent.events import Event
from helio_dagster.domain.errors import HelioError, ModelError, ModelLimit, ModelMisbehaved, ModelRefused, ModelUnavailable
from tests.tiers import by_day

from .conftest import KEY, REQUEST, ModelServer
from .wire import PLAN, SEARCH, Body, Broken, Calls, Fault, Says

Ask = Callable[..., tuple[Answer, list[Event]]]
Serve = Callable[..., ModelServer]
PROVIDERS = ("google", "openai", "anthropic")
KEY_HEADERS = {"google": "x-goog-api-key", "openai": "authorization", "anthropic": "authorization"}
PATHS = {"google": "/v1beta/models/main:generateContent", "openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
STREAM_PATHS = PATHS | {"google": "/v1beta/models/main:streamGenerateContent?alt=sse"}
ERRORS = {
    "google": '{"error": {"code": %d, "message": "no", "status": "%s"}}',
    "openai": '{"error": {"message": "no", "type": "x", "code": "%d %s"}}',
    "anthropic": '{"type": "error", "error": {"type": "%d %s", "message": "no"}}',
}
INVALID_KEY = {
    "error": {
        "code": 400,
        "message": f"API key not valid: {KEY}",
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
    }
}


def environment(server: ModelServer, provider: str = "google", **more: str) -> dict[str, str]:
    """Settings that ask the server, with a key."""
    name = {"google": "GOOGLE_API_KEY", "openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}[provider]
    url = f"{server.url}/v1" if provider == "openai" else server.url
    return {"HELIO_MODEL": f"{provider}:main", "HELIO_MODEL_URL": url, name: KEY, **more}


def tools_of(provider: str, body: Any) -> dict[str, Any]:
    """Tool to the schema of its arguments, as a provider is sent them."""
    match provider:
        case "google":
            declared = [each for tool in body["tools"] for each in tool["functionDeclarations"]]
            return {each["name"]: each["parameters_json_schema"] for each in declared}
        case "openai":
            return {tool["function"]["name"]: tool["function"]["parameters"] for tool in body["tools"]}
        case _:
            return {tool["name"]: tool["input_schema"] for tool in body["tools"]}


def words_of(schema: Any) -> Iterator[str]:
    """Every key of a schema, however deep."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from words_of(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from words_of(each)


def references_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that refers to another."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema
        for value in schema.values():
            yield from references_of(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from references_of(each)


@pytest.mark.parametrize("is_streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_talk_of_look_ups_and_a_plan(ask: Ask, serve: Serve, provider: str, is_streaming: bool) -> None:
    """Look-ups are answered, the plan is taken, the tokens of all requests are told; a stream is asked for, or none."""
    server = serve(SEARCH, PLAN)
    answer, events = ask(environment(server, provider))
    assert isinstance(answer, Plan)
    assert [received.path for received in server.received] == [(STREAM_PATHS if is_streaming else PATHS)[provider]] * 2
    if provider != "google":
        assert [received.body.get("stream") is True for received in server.received] == [is_streaming] * 2
    assert "AC_H0_MFI" in server.received[1].text
    usage = events[-1].facts
    assert (usage["input_tokens"], usage["output_tokens"], usage["requests"]) == (2000, 100, 2)
    assert usage["answered_by"] == ["main"]


@pytest.mark.parametrize("provider", ["google", "openai"])
def test_tokens_from_the_cache_of_a_provider_are_part_of_those_sent(ask: Ask, serve: Serve, provider: str) -> None:
    """Streamed or not, they are counted over all requests."""
    _, events = ask(environment(serve(SEARCH, PLAN), provider))
    usage = events[-1].facts
    assert (usage["input_tokens"], usage["cached_tokens"]) == (2000, 800)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_key_stands_in_a_header_and_nowhere_else(ask: Ask, serve: Serve, provider: str) -> None:
    """No secret in the address or in what the model reads."""
    server = serve(SEARCH, PLAN)
    ask(environment(server, provider) | {"AWS_SECRET_ACCESS_KEY": "hush-hush"})
    for received in server.received:
        assert KEY in received.headers[KEY_HEADERS[provider]]
        assert KEY not in received.path + received.text
        assert "hush-hush" not in received.path + received.text


@pytest.mark.parametrize("provider", PROVIDERS)
def test_schemas_reach_the_provider(ask: Ask, serve: Serve, provider: str) -> None:
    """Each kind of step has its mark, and the mark is required; look-ups and answers are offered, no edits."""
    server = serve(PLAN)
    ask(environment(server, provider))
    tools = tools_of(provider, server.received[0].body)
    assert {"search_catalog", "search_operations", "submit_plan", "ask_question", "refuse"} <= set(tools)
    assert "submit_edits" not in tools
    schema = json.dumps(tools["submit_plan"])
    for kind in ("fetch", "operation", "code", "table", "figure"):
        assert f'"{kind}"' in schema
    steps = [each for each in tools["submit_plan"].get("$defs", {}).values() if "kind" in each.get("properties", {})]
    assert len(steps) == 5
    assert all("kind" in step["required"] for step in steps)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_schemas_hold_only_what_every_provider_reads(ask: Ask, serve: Serve, provider: str) -> None:
    """No pattern, constant or list by position, nothing beside a reference: what a server does not read it may refuse."""
    server = serve(PLAN)
    ask(environment(server, provider))
    tools = tools_of(provider, server.received[0].body)
    unread = {"patternProperties", "propertyNames", "const", "discriminator", "prefixItems", "oneOf", "pattern", "maxLength"}
    assert not unread & set(words_of(tools))
    assert all(len(each) == 1 for each in references_of(tools))


REFUSALS: list[tuple[int, str, type[ModelError], str]] = [
    (401, "UNAUTHENTICATED", ModelRefused, "refuses the key in .*_API_KEY"),
    (403, "PERMISSION_DENIED", ModelRefused, "refuses the key in .*_API_KEY"),
    (404, "NOT_FOUND", ModelRefused, "has no model 'main'"),
    (429, "RESOURCE_EXHAUSTED", ModelUnavailable, "is not available now"),
    (500, "INTERNAL", ModelUnavailable, "is not available now"),
    (503, "UNAVAILABLE", ModelUnavailable, "is not available now"),
    (400, "INVALID_ARGUMENT", ModelMisbehaved, "does not accept the request"),
]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("refusal", by_day(REFUSALS, *(REFUSALS[place] for place in (0, 2, 3, 6))), ids=lambda each: each[1])
def test_errors_of_a_server_are_told_apart(
    ask: Ask, serve: Serve, provider: str, refusal: tuple[int, str, type[ModelError], str]
) -> None:
    """Each asked once, never with the key in its message; what to do stands in the hint. By day one of each message."""
    status, word, kind, said = refusal
    server = serve(Fault(status, ERRORS[provider] % (status, word)))
    with pytest.raises(kind, match=said) as caught:
        ask(environment(server, provider))
    assert len(server.received) == 1
    assert caught.value.hint
    assert KEY not in str(caught.value)


def test_an_invalid_key_of_gemini_is_told_as_such(ask: Ask, serve: Serve) -> None:
    """Gemini answers it with status 400, and repeats the key: we do not."""
    server = serve(Fault(400, json.dumps(INVALID_KEY)))
    with pytest.raises(ModelRefused, match="GOOGLE_API_KEY") as caught:
        ask(environment(server))
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "fault",
    [
        Fault(200, '{"candidates": [{"content": ', is_cut=True),
        Fault(200, "<html>not json</html>"),
        Fault(200, "{}"),
        Fault(200, "[]"),
    ],
    ids=["cut", "html", "empty", "list"],
)
def test_a_reply_that_is_none_is_one_clear_error(ask: Ask, serve: Serve, provider: str, fault: Fault) -> None:
    """A connection that breaks off, a page of a proxy, JSON of another shape."""
    with pytest.raises(ModelError) as caught:
        ask(environment(serve(fault), provider))
    assert caught.value.hint
    assert "\n" not in caught.value.problem


@pytest.mark.parametrize("provider", PROVIDERS)
def test_no_connection_is_said(ask: Ask, serve: Serve, provider: str) -> None:
    """Nobody listens there."""
    server = serve()
    server.close()
    with pytest.raises(ModelUnavailable, match="no connection"):
        ask(environment(server, provider))


@pytest.mark.parametrize(
    "fault", [Fault(429, ERRORS["google"] % (429, "RESOURCE_EXHAUSTED")), Fault(503, "{}"), Fault(is_cut=True)]
)
def test_a_fallback_takes_over_where_the_model_is_out_of_reach(ask: Ask, serve: Serve, fault: Fault) -> None:
    """Rate limits, outages, cut connections; who answered is told."""
    server = serve(main=[fault], spare=[SEARCH, PLAN])
    answer, events = ask(environment(server, HELIO_MODEL_FALLBACK="google:spare"))
    assert isinstance(answer, Plan)
    assert events[-1].facts["answered_by"] == ["spare"]


@pytest.mark.parametrize(("status", "word"), [(401, "UNAUTHENTICATED"), (400, "INVALID_ARGUMENT")])
def test_a_fallback_does_not_hide_a_wrong_setting(ask: Ask, serve: Serve, status: int, word: str) -> None:
    """A wrong key or request is said, not worked around."""
    server = serve(main=[Fault(status, ERRORS["google"] % (status, word))], spare=[PLAN])
    with pytest.raises(ModelError):
        ask(environment(server, HELIO_MODEL_FALLBACK="google:spare"))
    assert len(server.received) == 1


def test_both_out_of_reach_is_said_of_both(ask: Ask, serve: Serve) -> None:
    """One error that names the two."""
    server = serve(main=[Fault(503, "{}")], spare=[Fault(429, "{}")])
    with pytest.raises(ModelUnavailable, match=r"neither google:main and google:spare"):
        ask(environment(server, HELIO_MODEL_FALLBACK="google:spare"))


def test_a_server_of_ones_own_needs_no_key(ask: Ask, serve: Serve) -> None:
    """As Ollama: a base URL is enough."""
    server = serve(SEARCH, PLAN)
    answer, _ = ask({"HELIO_MODEL": "openai:llama3.3", "HELIO_MODEL_URL": f"{server.url}/v1"})
    assert isinstance(answer, Plan)
    assert server.received[0].body["model"] == "llama3.3"


def test_questions_go_to_the_small_model(ask: Ask, serve: Serve) -> None:
    """The small tier is another model of the same server, with fewer answers to choose from."""
    server = serve(little=[Calls([("give_information", {"text": "A ratio of pressures.", "sources": ["plasma_beta"]})])])
    answer, _ = ask(environment(server, HELIO_MODEL_SMALL="google:little"), "what is the plasma beta?")
    assert answer == Information("A ratio of pressures.", ("plasma_beta",))
    assert "submit_plan" not in tools_of("google", server.received[0].body)


def test_rubbish_is_given_up(ask: Ask, serve: Serve) -> None:
    """A model that only talks is told to call a tool, and given up after some tries."""
    server = serve(Says("Certainly! Here is your plot: ![plot](http://example.org/plot.png)"))
    with pytest.raises(ModelMisbehaved):
        ask(environment(server))
    assert 2 <= len(server.received) <= 10


def test_a_server_that_repeats_the_key_does_not_get_it_printed(ask: Ask, serve: Serve) -> None:
    """What a model makes up is quoted in the error, but for our keys."""
    steps = [{**PLAN.calls[0][1]["steps"][0], "candidates": [{"archive": "cdaweb", "dataset": KEY, "parameter": "x"}]}]
    server = serve(Calls([("submit_plan", {**PLAN.calls[0][1], "steps": steps})]))
    with pytest.raises(ModelMisbehaved, match="has no dataset") as caught:
        ask(environment(server))
    assert KEY not in str(caught.value)


def test_loops_are_given_up(ask: Ask, serve: Serve) -> None:
    """A model that makes one call for ever."""
    server = serve(SEARCH)
    with pytest.raises(ModelLimit, match="the model is stuck"):
        ask(environment(server))
    assert len(server.received) <= 5


def test_a_second_answer_opens_new_connections(ask: Ask, serve: Serve) -> None:
    """A planner can be asked again and again; each answer closes what it opened."""
    server = serve(PLAN)
    for _ in range(2):
        assert isinstance(ask(environment(server))[0], Plan)


def test_the_environment_of_the_clients_does_not_count(ask: Ask, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that the clients read by themselves are overruled by the settings."""
    for name in ("GOOGLE_GEMINI_BASE_URL", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    server = serve(PLAN)
    for provider in PROVIDERS:
        assert isinstance(ask(environment(server, provider))[0], Plan)
        assert KEY in server.received[-1].headers[KEY_HEADERS[provider]]


def test_what_failed_costs_and_is_told(ask: Ask, serve: Serve) -> None:
    """The usage of an answer that came to nothing is told as well."""
    events: list[Event] = []
    with pytest.raises(HelioError):
        ask(environment(serve(SEARCH, Fault(503, "{}"))), REQUEST, events)
    assert [event.facts["input_tokens"] for event in events if event.stage == "usage"] == [1000]


def test_when_to_ask_again_is_said(ask: Ask, serve: Serve) -> None:
    """As the server tells it."""
    server = serve(Fault(429, ERRORS["openai"] % (429, "rate_limit_exceeded"), {"Retry-After": "17"}))
    with pytest.raises(ModelUnavailable) as caught:
        ask(environment(server, "openai"))
    assert "in 17 s" in caught.value.hint


@pytest.mark.parametrize(
    "body",
    [
        {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}], "modelVersion": "main"},
        {"candidates": [{"finishReason": "MAX_TOKENS", "index": 0}], "modelVersion": "main"},
        {"candidates": [{"finishReason": "SAFETY", "index": 0}], "modelVersion": "main"},
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "modelVersion": "main"},
    ],
    ids=["malformed", "too long", "safety", "blocked"],
)
def test_what_gemini_says_instead_of_an_answer(ask: Ask, serve: Serve, body: dict[str, Any]) -> None:
    """A malformed call, a reply cut off by its length, a refusal of its own."""
    with pytest.raises(ModelMisbehaved) as caught:
        ask(environment(serve(Body(body))))
    assert caught.value.hint


def test_a_malformed_call_of_gemini_is_made_anew(ask: Ask, serve: Serve) -> None:
    """The model is asked again, and may do better."""
    body = {"candidates": [{"content": {}, "finishReason": "MALFORMED_FUNCTION_CALL", "index": 0}], "modelVersion": "main"}
    answer, _ = ask(environment(serve(Body(body), PLAN)))
    assert isinstance(answer, Plan)


def test_a_stream_that_does_not_tell_its_tokens_is_named(ask: Ask, serve: Serve) -> None:
    """They are asked for; a server that closes without telling them gave a whole reply all the same."""
    server = serve(Broken(PLAN, -2))
    answer, events = ask(environment(server, "openai", HELIO_MODEL_STREAM="1"))
    assert isinstance(answer, Plan)
    assert server.received[0].body["stream_options"] == {"include_usage": True}
    assert "at least: 1 request did not report it" in events[-1].text


def test_arguments_that_are_no_json_go_back(ask: Ask, serve: Serve) -> None:
    """OpenAI's arguments are text, and small models break it."""
    server = serve(Calls([("submit_plan", '{"title": "ACE')]), PLAN)
    answer, _ = ask(environment(server, "openai"))
    assert isinstance(answer, Plan)
    assert len(server.received) == 2


def test_how_to_answer_is_sent(ask: Ask, serve: Serve) -> None:
    """Temperature and the longest answer, to each provider in its own words."""
    given = {"HELIO_MODEL_TEMPERATURE": "0.25", "HELIO_MODEL_LONGEST_ANSWER": "4321"}
    for provider, longest in (("google", "maxOutputTokens"), ("openai", "max_completion_tokens"), ("anthropic", "max_tokens")):
        server = serve(PLAN)
        ask(environment(server, provider, **given))
        body = server.received[0].body
        said = body["generationConfig"] if provider == "google" else body
        assert (said["temperature"], said[longest]) == (0.25, 4321)


def test_the_cache_of_anthropic_is_asked_for(ask: Ask, serve: Serve) -> None:
    """Of the tools and of the rules; another server is not sent words that it may not know."""
    server = serve(PLAN)
    ask(environment(server, "anthropic"))
    body = server.received[0].body
    assert body["tools"][-1]["cache_control"]["type"] == "ephemeral"
    assert body["system"][-1]["cache_control"]["type"] == "ephemeral"
    ask(environment(server, "openai"))
    assert "cache" not in " ".join(server.received[1].body)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_tools_can_be_called_in_plain_json(ask: Ask, serve: Serve, provider: str) -> None:
    """No tools are sent; the look-up's result comes as text, and so does what is wrong with a reply."""
    said = [json.dumps({"tool": tool, "args": args}) for tool, args in (*SEARCH.calls, *PLAN.calls)]
    fenced = f"Here it is:\n```json\n{said[1]}\n```"
    server = serve(Says(said[0]), Says("I would plot it."), Says(fenced))
    answer, events = ask(environment(server, provider, HELIO_MODEL_CALLS="json"))
    assert isinstance(answer, Plan)
    assert not any(received.body.get("tools") for received in server.received)
    assert "submit_plan" in server.received[0].text
    assert "Result of search_catalog" in server.received[1].text
    assert "AC_H0_MFI" in server.received[1].text
    assert len(server.received) == 3
    assert events[-1].facts["tool_calls"] == 1
