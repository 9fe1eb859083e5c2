"""How the providers of language models write a reply, whole and as a stream; and replies that several tests give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Calls:
    """A reply of tool calls, as (tool, arguments); a text in their place is sent as it is, where the provider sends texts."""

    calls: Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Says:
    """A reply of text."""

    text: str


@dataclass(frozen=True)
class Fault:
    """An error of the server, or a reply that is none: `cut` closes the connection within the body."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False


@dataclass(frozen=True)
class Body:
    """A whole reply in the form of its provider; streamed it is the only piece."""

    body: Mapping[str, Any]


@dataclass(frozen=True)
class Broken:
    """A reply that is streamed up to a piece, from behind where `pieces` is negative; then something else comes, and it ends.

    `is_cut` closes the connection within the body, `is_held` keeps it open without a word until the server is closed.
    """

    reply: Calls | Says
    pieces: int
    then: str = ""
    is_cut: bool = False
    is_held: bool = False


Reply = Calls | Says | Body | Fault | Broken


def as_gemini(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of generateContent."""
    if isinstance(reply, Says):
        parts: list[dict[str, Any]] = [{"text": reply.text}]
    else:
        parts = [
            {"functionCall": {"id": f"c{number}_{index}", "name": tool, "args": dict(args)}, "thoughtSignature": "c2ln"}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 1000,
            "cachedContentTokenCount": 400,
            "candidatesTokenCount": 50,
            "totalTokenCount": 1050,
        },
        "modelVersion": model,
        "responseId": f"r{number}",
    }


def as_openai(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of chat/completions."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text if isinstance(reply, Says) else None}
    if isinstance(reply, Calls):
        message["tool_calls"] = [
            {"id": f"c{number}_{index}", "type": "function", "function": {"name": tool, "arguments": _text(args)}}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    finish = "tool_calls" if isinstance(reply, Calls) else "stop"
    return {
        "id": f"r{number}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": 1000,
            "prompt_tokens_details": {"cached_tokens": 400},
            "completion_tokens": 50,
            "total_tokens": 1050,
        },
    }


def as_anthropic(reply: Calls | Says, model: str, number: int) -> dict[str, Any]:
    """A reply of messages."""
    if isinstance(reply, Says):
        content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    else:
        content = [
            {"type": "tool_use", "id": f"c{number}_{index}", "name": tool, "input": dict(args)}
            for index, (tool, args) in enumerate(reply.calls)
        ]
    return {
        "id": f"r{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if isinstance(reply, Calls) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }


def stream_gemini(reply: Calls | Says, model: str, number: int) -> list[str]:
    """The pieces of streamGenerateContent: texts in two, calls one by one; each tells the tokens, the last why it ended."""
    whole = as_gemini(reply, model, number)
    parts = whole["candidates"][0]["content"]["parts"]
    if isinstance(reply, Says):
        half = len(reply.text) // 2
        parts = [{"text": reply.text[:half]}, {"text": reply.text[half:]}]
    told = whole["usageMetadata"]
    pieces = []
    for place, part in enumerate(parts, start=1):
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
        usage = {**told, "candidatesTokenCount": told["candidatesTokenCount"] * place // len(parts)}
        pieces.append({**whole, "candidates": [candidate], "usageMetadata": usage})
    last = {"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}
    pieces.append({**whole, "candidates": [last]})
    return [f"data: {json.dumps(piece)}\r\n\r\n" for piece in pieces]


def stream_openai(reply: Calls | Says, model: str, number: int) -> list[str]:
    """The pieces of chat/completions: arguments in pieces, then why it ended, then the tokens."""
    whole = as_openai(reply, model, number)
    message = whole["choices"][0]["message"]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None}]
    deltas += [{"content": piece} for piece in _pieces(message["content"] or "")]
    for index, made in enumerate(message.get("tool_calls", ())):
        function = made["function"]
        deltas.append({"tool_calls": [{**made, "index": index, "function": {"name": function["name"], "arguments": ""}}]})
        for piece in _pieces(function["arguments"]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    told = {**{key: whole[key] for key in ("id", "created", "model")}, "object": "chat.completion.chunk"}
    chunks = [{**told, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**told, "choices": [{"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}]})
    chunks.append({**told, "choices": [], "usage": whole["usage"]})
    return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def stream_anthropic(reply: Calls | Says, model: str, number: int) -> list[str]:
    """The events of messages: each block begins, grows in pieces, and stops; the tokens stand at the begin and at the end."""
    whole = as_anthropic(reply, model, number)
    begun = {**whole, "content": [], "stop_reason": None, "usage": {"input_tokens": 1000, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for index, block in enumerate(whole["content"]):
        is_text = block["type"] == "text"
        start = {**block, "text": ""} if is_text else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        for piece in _pieces(block["text"] if is_text else json.dumps(block["input"])):
            delta = {"type": "text_delta", "text": piece} if is_text else {"type": "input_json_delta", "partial_json": piece}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": 50}})
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


@dataclass(frozen=True)
class Wire:
    """How one provider writes."""

    write: Callable[[Calls | Says, str, int], dict[str, Any]]
    stream: Callable[[Calls | Says, str, int], list[str]]


GEMINI = Wire(as_gemini, stream_gemini)
OPENAI = Wire(as_openai, stream_openai)
ANTHROPIC = Wire(as_anthropic, stream_anthropic)


def _text(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def _pieces(text: str) -> Iterator[str]:
    yield from (text[begin : begin + 25] for begin in range(0, len(text), 25))


SEARCH = Calls([("search_catalog", {"words": "ACE magnetic field"})])
PLAN = Calls(
    [
        (
            "submit_plan",
            {
                "title": "ACE magnetic field magnitude",
                "time_words": "last week",
                "assumptions": [],
                "steps": [
                    {
                        "kind": "fetch",
                        "id": "b_gse",
                        "intent": "ACE field",
                        "candidates": [{"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}],
                    },
                    {
                        "kind": "operation",
                        "id": "b_mag",
                        "intent": "|B|",
                        "operation": "magnitude",
                        "inputs": {"vector": "b_gse"},
                        "options": {},
                    },
                    {"kind": "figure", "id": "overview", "intent": "draw", "panels": [{"traces": [{"data": "b_mag"}]}]},
                ],
            },
        )
    ]
)
