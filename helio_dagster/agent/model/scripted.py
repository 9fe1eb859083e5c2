"""A model that answers from a script, so that the real loop can be tested and shown without a provider."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_ai import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelMessage,
    ModelRateLimitError,
    ModelResponse,
    ModelUnavailableError,
    RunContext,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.settings import ModelSettings as RequestSettings

from helio_dagster.domain.errors import InputError, ModelMisbehaved
from helio_dagster.storage.small_files import read_small_file

Trouble = Literal["rate_limit", "outage", "connection", "key", "cut"]
"""`connection` breaks before the reply, `cut` in the middle of it."""
_PIECE = 40
"""Number of characters in one piece of a streamed reply, so that arguments arrive in several."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptedCall(_Strict):
    """A call of a tool, including those that submit an answer."""

    tool: str
    args: dict[str, Any] | str = {}


class ScriptedTurn(_Strict):
    """One reply of the model: calls, text, both, or a failure of its server."""

    calls: list[ScriptedCall] = []
    text: str | None = None
    trouble: Trouble | None = None

    @model_validator(mode="after")
    def _says_something(self) -> ScriptedTurn:
        if self.trouble is not None and (self.calls or self.text is not None):
            raise ValueError("a turn is either trouble, or calls and text")
        return self


class Script(_Strict):
    """The replies of the planning model in order, and those of the small model if there is one."""

    planning: Annotated[list[ScriptedTurn], Field(min_length=1)]
    small: list[ScriptedTurn] = []


class ScriptedModel(FunctionModel):
    """A model with given replies; `requests` records what it was asked.

    Parameters
    ----------
    turns
        The replies in order.
    name
        The name in records.
    """

    def __init__(self, turns: Sequence[ScriptedTurn], name: str = "scripted") -> None:
        super().__init__(self.reply, stream_function=self.pieces, model_name=name)
        self._turns = list(turns)
        self.requests: list[list[ModelMessage]] = []
        self.tools: list[list[str]] = []
        """Names of the tools offered by each request, including those that answer."""

    async def reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """The next reply of the script.

        Raises
        ------
        ModelMisbehaved
            The script has ended.
        """
        place = len(self.requests)
        self.requests.append(messages)
        self.tools.append([tool.name for tool in (*info.function_tools, *info.output_tools)])
        if place >= len(self._turns):
            hint = "Add turns to the script, or ask less of it."
            raise ModelMisbehaved(f"the model's script ended after {len(self._turns)} turns", hint=hint)
        turn = self._turns[place]
        if turn.trouble is not None:
            raise _trouble(turn.trouble, self.model_name)
        return self._response(turn, place)

    async def pieces(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        """The next reply of the script, piece by piece.

        Raises
        ------
        ModelMisbehaved
            The script has ended.
        """
        place = len(self.requests)
        if place < len(self._turns) and self._turns[place].trouble == "cut":
            yield "The plan for this is"
        reply = await self.reply(messages, info)
        for index, part in enumerate(reply.parts):
            if isinstance(part, TextPart):
                yield part.content
            elif isinstance(part, ToolCallPart):
                yield {index: DeltaToolCall(part.tool_name, tool_call_id=part.tool_call_id)}
                text = part.args if isinstance(part.args, str) else json.dumps(part.args)
                for begin in range(0, len(text), _PIECE):
                    yield {index: DeltaToolCall(json_args=text[begin : begin + _PIECE])}

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: RequestSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Stream the next reply; tokens sent are counted as without streaming, by a rough estimate."""
        sent = sum(len(str(getattr(part, "content", ""))) for message in messages for part in message.parts)
        async with super().request_stream(messages, model_settings, model_request_parameters, run_context) as stream:
            stream.usage.input_tokens += sent // 4
            yield stream

    def _response(self, turn: ScriptedTurn, place: int) -> ModelResponse:
        calls = [
            ToolCallPart(call.tool, call.args, tool_call_id=f"call_{place}_{index}") for index, call in enumerate(turn.calls)
        ]
        text = [TextPart(turn.text or "")] if turn.text is not None or not calls else []
        return ModelResponse(parts=[*text, *calls])


def read_script(path: Path) -> Script:
    """The script in a YAML or JSON file: a list of turns, or one list each for `planning:` and `small:`.

    Raises
    ------
    InputError
        The file cannot be read, or is not a script.
    """
    try:
        read = yaml.safe_load(read_small_file(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"the script {path} cannot be read: {reason}", hint="Check HELIO_MODEL=scripted:PATH.") from None
    try:
        return Script.model_validate({"planning": read} if isinstance(read, list) else read)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "the file"
        hint = "A script is a list of turns: calls of tools with args, a text, or a trouble."
        raise InputError(f"{path} is not a script: {place}: {fault['msg']}", hint=hint) from None


def _trouble(kind: Trouble, model: str) -> Exception:
    match kind:
        case "rate_limit":
            return ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name=model)
        case "outage":
            return ModelHTTPError.for_category(ModelUnavailableError, status_code=503, model_name=model)
        case "key":
            return ModelHTTPError.for_category(ModelAuthenticationError, status_code=401, model_name=model)
        case "connection" | "cut":
            return ModelConnectionError(model, "the connection was cut")
