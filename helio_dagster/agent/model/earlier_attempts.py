"""Send a model the newest of its answers that were returned in full, and of earlier ones only what was wrong with them.

The record of the exchange keeps all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pydantic_ai import ModelMessage, ModelResponse, ModelResponsePart, ToolCallPart

_LEFT_OUT = '{"left_out": "an earlier attempt; the newest stands below"}'


def without_earlier_attempts(messages: Sequence[ModelMessage], answers: frozenset[str]) -> list[ModelMessage]:
    """The messages with the arguments of all answers but the newest left out; what was wrong with them stays.

    Parameters
    ----------
    messages
        All messages of the conversation so far, which stay as they are.
    answers
        Names of the tools that answer.
    """
    attempts = [place for place, each in enumerate(messages) if isinstance(each, ModelResponse) and _answers(each, answers)]
    sent = list(messages)
    for place in attempts[:-1]:
        reply = sent[place]
        if isinstance(reply, ModelResponse) and not _is_signed(reply):
            sent[place] = replace(reply, parts=[_emptied(part, answers) for part in reply.parts])
    return sent


def _answers(reply: ModelResponse, answers: frozenset[str]) -> bool:
    return any(part.tool_name in answers for part in reply.parts if isinstance(part, ToolCallPart))


def _is_signed(reply: ModelResponse) -> bool:
    """Whether a provider could refuse the reply if it were changed: it has thoughts or signatures in it."""
    return any(part.part_kind == "thinking" or getattr(part, "provider_details", None) for part in reply.parts)


def _emptied(part: ModelResponsePart, answers: frozenset[str]) -> ModelResponsePart:
    if isinstance(part, ToolCallPart) and part.tool_name in answers:
        return replace(part, args=_LEFT_OUT)
    return part
