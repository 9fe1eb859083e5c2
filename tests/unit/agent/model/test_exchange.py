"""What is exchanged with models is kept, holds no secret, and can be replayed without a provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.usage import RequestUsage

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.model.exchange import Exchange, answer_document, price_of, read_exchanges, record_messages
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.scripted import ScriptedModel
from helio_dagster.agent.model.settings import Key, ModelName, ModelSettings
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.agent.planners import make_planner
from helio_dagster.domain.errors import HelioError, InputError

from .conftest import NOW, call, plan, scripted

SECRET = 'AIza"secret-0123456789'  # noqa: S105 - made up
REQUEST = "ACE |B| for last week"


def held(
    knowledge: Knowledge, turns: list[dict[str, Any]], request: str = REQUEST, small: ScriptedModel | None = None
) -> tuple[Answer | None, str]:
    """An answer of a scripted model, None if it failed, and the text that was kept."""
    kept: list[str] = []
    settings = ModelSettings(ModelName("google", "gemini-2.5-flash", key=Key("GOOGLE_API_KEY", SECRET)))
    planner = ModelPlanner(knowledge, settings, model=scripted(turns), small=small, keep=kept.append)
    try:
        answer: Answer | None = planner.answer(Situation(request, NOW))
    except HelioError:
        answer = None
    [text] = kept
    return answer, text


def test_a_kept_exchange_is_replayed(knowledge: Knowledge, tmp_path: Path) -> None:
    """The same look-ups, faults and answer, with no provider: a saved exchange is a test."""
    turns = [call("search_catalog", words="ACE magnetic field"), plan(title="x"), plan()]
    answer, text = held(knowledge, turns)
    path = tmp_path / "000001.json"
    path.write_text(text)
    again: list[str] = []
    planner = make_planner({"HELIO_MODEL": f"recorded:{path}"}, knowledge, keep=again.append)
    assert planner.name == "recorded"
    [exchange] = read_exchanges(path)
    replayed = planner.answer(Situation(exchange.request, exchange.at))
    assert replayed == answer
    assert answer_document(replayed) == exchange.answer
    first, second = (each.asked[0].messages for each in (exchange, Exchange.model_validate_json(again[0])))
    assert [each["kind"] for each in first] == [each["kind"] for each in second]
    assert [heard(each) for each in first] == [heard(each) for each in second]


def heard(message: Any) -> list[str]:
    """What stands in the parts of a message."""
    return [str(part.get("content", part.get("args"))) for part in message["parts"]]


def test_it_holds_messages_tools_answer_and_tokens(knowledge: Knowledge) -> None:
    """The rules once, each tool with its schema, what was looked up, what came of it."""
    _, text = held(knowledge, [call("search_catalog", words="ACE magnetic field"), plan()])
    exchange = Exchange.model_validate_json(text)
    [asked] = exchange.asked
    assert (exchange.request, exchange.answer_kind, exchange.answer["pipeline"]["title"]) == (
        REQUEST,
        "Plan",
        "ACE magnetic field magnitude",
    )
    assert {"search_catalog", "submit_plan"} <= {tool.name for tool in asked.tools}
    assert (asked.role, asked.requests, asked.error) == ("planning", 2, "")
    assert asked.input_tokens > 0
    assert text.count("You plan data pipelines") == 1
    assert "AC_H0_MFI" in json.dumps(asked.messages)


def test_an_answer_that_failed_is_kept_too(knowledge: Knowledge) -> None:
    """With what was exchanged up to then, and why it failed."""
    answer, text = held(knowledge, [call("search_catalog", words="ACE"), {"trouble": "outage"}])
    assert answer is None
    exchange = Exchange.model_validate_json(text)
    assert "not available" in exchange.error
    assert len(exchange.asked[0].messages) >= 2


def test_both_models_are_kept_and_replayed(knowledge: Knowledge, tmp_path: Path) -> None:
    """The small model that hands over, and the one that plans; a folder holds a whole conversation."""
    small = scripted([call("hand_over", reason="data are wanted")])
    answer, text = held(knowledge, [plan()], "what was ACE |B| like for last week?", small)
    (tmp_path / "000001.json").write_text(text)
    [exchange] = read_exchanges(tmp_path)
    assert [each.role for each in exchange.asked] == ["small", "planning"]
    planner = make_planner({"HELIO_MODEL": f"recorded:{tmp_path}"}, knowledge)
    assert planner.answer(Situation(exchange.request, exchange.at)) == answer


def test_no_key_is_kept(knowledge: Knowledge) -> None:
    """Even if a model or a person repeats it."""
    _, text = held(knowledge, [call("refuse", reasons=[f"your key is {SECRET}"])], f"my key is {SECRET}")
    assert SECRET not in text
    assert SECRET not in str(json.loads(text))


def test_the_address_of_a_server_is_not_kept() -> None:
    """It may hold a password."""
    reply = ModelResponse(parts=[TextPart("hello")], provider_url="https://me:password@example.org/v1")
    assert "password" not in str(record_messages([ModelRequest(parts=[UserPromptPart("hi")]), reply]))


def test_a_known_price_is_told_and_an_unknown_is_not_made_up() -> None:
    """A tenth for what was cached; nothing for a model or a server that nobody lists."""
    usage = RequestUsage(input_tokens=1_000_000, cache_read_tokens=0, output_tokens=0)
    cached = RequestUsage(input_tokens=1_000_000, cache_read_tokens=1_000_000, output_tokens=0)
    own_name = ModelName("google", "gemini-2.5-flash")
    priced = [
        price_of([ModelResponse(parts=[], usage=each, model_name="gemini-2.5-flash", provider_name="google")], own_name)
        for each in (usage, cached)
    ]
    assert priced == [pytest.approx(0.3), pytest.approx(0.03)]
    own = ModelResponse(parts=[], usage=usage, model_name="llama", provider_name="openai-compatible")
    assert price_of([own], ModelName("openai", "llama")) is None
    assert price_of([own], ModelName("openai", "llama", "http://127.0.0.1:1/v1")) is None


@pytest.mark.parametrize("text", ["not json", "{}", '{"version": 2}'])
def test_a_file_that_is_no_recording_is_said(knowledge: Knowledge, tmp_path: Path, text: str) -> None:
    """One clear error, with the setting that names it."""
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match="is not a recording") as caught:
        make_planner({"HELIO_MODEL": f"recorded:{path}"}, knowledge)
    assert "HELIO_MODEL=recorded:PATH" in (caught.value.hint or "")


@pytest.mark.parametrize("name", ["missing.json", "empty"])
def test_a_recording_that_is_not_there_is_said(knowledge: Knowledge, tmp_path: Path, name: str) -> None:
    """A file or a folder."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="recording"):
        make_planner({"HELIO_MODEL": f"recorded:{tmp_path / name}"}, knowledge)
