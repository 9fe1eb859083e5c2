"""What was exchanged with models for one answer: kept beside the session, and replayed without a provider.

Keys are in no message, and are removed here in any case; a server's address, which may hold a password, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_ai import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RunUsage,
    TextPart,
    ToolCallPart,
    ToolDefinition,
)
from pydantic_core import to_jsonable_python

from helio_dagster.agent.model.scripted import Script, ScriptedCall, ScriptedTurn
from helio_dagster.agent.model.settings import ModelName, ModelSettings
from helio_dagster.domain.errors import InputError
from helio_dagster.storage.small_files import read_small_file

Role = Literal["planning", "small"]
Keep = Callable[[str], None]
"""Keeps the text of an exchange."""
_LARGEST = 64_000_000


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Tool(_Part):
    """A tool that was offered."""

    name: str
    description: str
    parameters: dict[str, Any]


class Asked(_Part):
    """One model asked until it answered or failed. `messages` are pydantic-ai's; the rules are in the first one alone."""

    role: Role
    model: str
    answered_by: list[str] = []
    tools: list[Tool] = []
    messages: list[Any] = []
    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    price_usd: float | None = None
    """None if the price of the model is not known."""
    seconds: float = 0.0
    error: str = ""


class Exchange(_Part):
    """One answer of the planner: what the person said and when, which models were asked, what came of it."""

    version: Literal[1] = 1
    at: datetime
    archive: str
    request: str
    asked: list[Asked]
    answer_kind: str = ""
    answer: Any = None
    error: str = ""


def record_messages(messages: Sequence[ModelMessage]) -> list[Any]:
    """Messages in plain JSON values, without what repeats and without addresses."""
    slim: list[ModelMessage] = []
    rules: str | None = None
    for message in messages:
        if isinstance(message, ModelResponse):
            slim.append(replace(message, provider_url=None))
        else:
            slim.append(replace(message, instructions=None) if message.instructions == rules else message)
            rules = message.instructions
    dumped: list[Any] = ModelMessagesTypeAdapter.dump_python(slim, mode="json")
    return dumped


def record_tools(tools: Iterable[ToolDefinition]) -> list[Tool]:
    """The tools as they were offered."""
    return [Tool(name=each.name, description=each.description or "", parameters=each.parameters_json_schema) for each in tools]


def price_of(messages: Iterable[ModelMessage], name: ModelName) -> float | None:
    """The price of the replies in US dollars; None if it is not known, as for a server of one's own."""
    if name.url is not None or name.provider in ("scripted", "recorded"):
        return None
    total = 0.0
    for message in messages:
        if isinstance(message, ModelResponse):
            try:
                total += float(message.cost().total_price)
            except (AssertionError, LookupError, ValueError):
                return None
    return total


def usage_of(usage: RunUsage) -> Mapping[str, int]:
    """Requests and tokens, as they are kept."""
    return {
        "requests": usage.requests,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
    }


def answer_document(answer: object) -> Any:
    """An answer in plain JSON values."""
    return to_jsonable_python(answer, fallback=str, exclude={"words"})


def exchange_text(exchange: Exchange, settings: ModelSettings) -> str:
    """The text of an exchange, without any of our keys."""
    text = exchange.model_dump_json(indent=1)
    for name in (settings.planning, settings.small, settings.fallback):
        if name is not None and name.key is not None:
            text = text.replace(json.dumps(name.key.value)[1:-1], "…")
    return text


def read_exchanges(path: Path) -> list[Exchange]:
    """The exchange in a file, or those of a whole conversation in a folder, in order.

    Raises
    ------
    InputError
        There is none, or a file is not an exchange.
    """
    hint = "HELIO_MODEL=recorded:PATH takes a file that a conversation kept, or the folder of them."
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        found = [Exchange.model_validate_json(read_small_file(each, _LARGEST)) for each in files]
    except OSError as error:
        raise InputError(f"the recording {path} cannot be read: {error.strerror or error}", hint=hint) from None
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "the file"
        raise InputError(f"{path} is not a recording: {place}: {fault['msg']}", hint=hint) from None
    if not found:
        raise InputError(f"there is no recording in {path}", hint=hint)
    return found


def script_of(exchanges: Iterable[Exchange]) -> Script:
    """The replies of recorded models, as a script; a planning model that never replied is out of reach.

    Raises
    ------
    InputError
        The messages cannot be read.
    """
    turns: dict[Role, list[ScriptedTurn]] = {"planning": [], "small": []}
    for exchange in exchanges:
        for asked in exchange.asked:
            try:
                messages = ModelMessagesTypeAdapter.validate_python(asked.messages)
            except ValidationError:
                raise InputError("the messages of the recording cannot be read", hint="It may be of another version.") from None
            turns[asked.role] += [_turn(each) for each in messages if isinstance(each, ModelResponse)]
    if not turns["planning"]:
        turns["planning"] = [ScriptedTurn(trouble="outage")]
    return Script(planning=turns["planning"], small=turns["small"])


def _turn(reply: ModelResponse) -> ScriptedTurn:
    calls = [ScriptedCall(tool=part.tool_name, args=part.args or {}) for part in reply.parts if isinstance(part, ToolCallPart)]
    words = "".join(part.content for part in reply.parts if isinstance(part, TextPart))
    return ScriptedTurn(calls=calls, text=words or (None if calls else ""))
