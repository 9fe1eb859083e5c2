"""Call tools in plain JSON text, for servers whose own tool calls do not work.

The tools are described in the rules, and each reply is one JSON object that names a tool. The loop, its checks and its limits
see ordinary tool calls.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings as RequestSettings

_PROTOCOL = """\
Call a tool by replying with one JSON object and nothing else: {"tool": its name, "args": an object that fits its schema}.
Results come in the next message. The tools that answer the person end the turn.

Tools for looking things up:
"""
_ANSWERING = "\nTools that answer the person:\n"
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


class PlainJsonModel(WrapperModel):
    """A model that is sent no tools, and whose text is read as calls of tools."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: RequestSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The model's reply; text that is not a call stays text, and the model is asked again by the loop."""
        rules = _rules(messages, model_request_parameters)
        asked = ModelRequestParameters(output_mode="text", allow_text_output=True)
        reply = await super().request(list(_as_text(messages, rules)), model_settings, asked)
        text = "".join(part.content for part in reply.parts if isinstance(part, TextPart))
        number = sum(isinstance(message, ModelResponse) for message in messages)
        calls = [
            ToolCallPart(tool, args, tool_call_id=f"json_{number}_{place}")
            for place, (tool, args) in enumerate(_calls(text, model_request_parameters.tool_defs))
        ]
        return replace(reply, parts=calls) if calls else reply


def _rules(messages: Iterable[ModelMessage], asked: ModelRequestParameters) -> str:
    """The rules, how to call a tool, and the tools."""
    parts = asked.instruction_parts
    if parts is None:
        parts_text = next((each.instructions for each in messages if isinstance(each, ModelRequest) and each.instructions), "")
    else:
        parts_text = "\n\n".join(part.content for part in parts)
    look_ups = "\n".join(map(_described, asked.function_tools))
    return f"{parts_text}\n\n{_PROTOCOL}{look_ups}\n{_ANSWERING}" + "\n".join(map(_described, asked.output_tools))


def _described(tool: ToolDefinition) -> str:
    schema = json.dumps(tool.parameters_json_schema, ensure_ascii=False, separators=(",", ":"))
    return f"- {tool.name}: {tool.description or ''} {schema}"


def _as_text(messages: Iterable[ModelMessage], rules: str) -> Iterator[ModelMessage]:
    """The conversation without tools: calls as the JSON that was replied, results as the next message."""
    is_first = True
    for message in messages:
        if isinstance(message, ModelResponse):
            calls = [{"tool": each.tool_name, "args": each.args_as_dict()} for each in message.tool_calls]
            words = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            text = json.dumps(calls[0] if len(calls) == 1 else calls, ensure_ascii=False) if calls else words
            yield ModelResponse(parts=[TextPart(text or "(nothing)")], timestamp=message.timestamp)
            continue
        heard = UserPromptPart("\n\n".join(_heard(part) for part in message.parts))
        yield ModelRequest(parts=[SystemPromptPart(rules), heard] if is_first else [heard])
        is_first = False


def _heard(part: Any) -> str:
    if isinstance(part, ToolReturnPart):
        return f"Result of {part.tool_name}: {part.model_response_str()}"
    if isinstance(part, UserPromptPart):
        return part.content if isinstance(part.content, str) else str(part.content)
    answer = part.model_response() if hasattr(part, "model_response") else getattr(part, "content", "")
    return str(answer)


def _calls(text: str, tools: Mapping[str, ToolDefinition]) -> list[tuple[str, dict[str, Any]]]:
    """The calls in a reply: one object or a list of them, in a code fence or not; none if any of it is not a call."""
    fenced = _FENCE.search(text)
    found = _first_json(fenced[1] if fenced else text)
    listed = found if isinstance(found, list) else [found]
    calls = []
    for each in listed:
        if not isinstance(each, dict) or each.get("tool") not in tools or not isinstance(each.get("args", {}), dict):
            return []
        calls.append((str(each["tool"]), each.get("args", {})))
    return calls


def _first_json(text: str) -> Any:
    """The first JSON object or list in a text; None if there is none."""
    start = re.search(r"[\[{]", text)
    if start is None:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, start.start())[0]
    except ValueError:
        return None
