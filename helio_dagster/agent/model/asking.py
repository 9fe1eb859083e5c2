"""Ask one model until it has an answer or reaches a limit."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic_ai
from pydantic_ai import (
    Agent,
    AgentRunError,
    ModelResponse,
    RunContext,
    RunUsage,
    ToolCallPart,
    ToolFailed,
    ToolOutput,
    UsageLimits,
    UsageLimitUnavailableWarning,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import FallbackExceptionGroup
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings as RequestSettings

from helio_dagster.agent.events import Event
from helio_dagster.agent.model.failures import out_of_time, translated
from helio_dagster.agent.model.instructions import situation_text
from helio_dagster.agent.model.interruption import TimeIsUp
from helio_dagster.agent.model.schemas import reduce_schemas
from helio_dagster.agent.model.settings import AnswerSettings, ModelName, ModelSettings
from helio_dagster.agent.model.tools import TOOL_NAMES, lookups_for
from helio_dagster.agent.model.turn import Turn
from helio_dagster.domain.amounts import counted

_OUTPUT_RETRIES = 6
"""How often an answer is returned with its faults; trials of code have their own, lower limit."""


@dataclass(frozen=True)
class Task:
    """A model's task: its rules, and the answers available to it."""

    instructions: str
    answers: Sequence[ToolOutput[Any]]


async def ask(model: Model, name: ModelName, task: Task, turn: Turn, settings: ModelSettings) -> Any:
    """The answer of a model; its token usage is reported in any case.

    Raises
    ------
    ModelError
        It cannot be asked, gives no usable answer, or reaches a limit.
    """
    agent = Agent(
        model,
        deps_type=Turn,
        output_type=list(task.answers),
        instructions=task.instructions,
        tools=lookups_for(turn),
        retries={"tools": 3, "output": _OUTPUT_RETRIES},
        capabilities=[
            Hooks(
                prepare_tools=reduce_schemas,
                prepare_output_tools=reduce_schemas,
                after_model_request=_count_calls,
                before_tool_execute=_refuse_repeated,
                tool_execute=_tell_of_look_up,
            )
        ],
    )
    pydantic_ai.BANNER_ENABLED = False  # keep the terminal for our conversation
    limits = UsageLimits(request_limit=turn.limits.requests, total_tokens_limit=turn.limits.tokens)
    usage, began = RunUsage(), time.monotonic()
    turn.interruption.limit(turn.limits.seconds)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UsageLimitUnavailableWarning)  # included in the usage reported below
            async with asyncio.timeout(turn.limits.seconds):
                result = await agent.run(
                    situation_text(turn),
                    deps=turn,
                    usage=usage,
                    usage_limits=limits,
                    model_settings=_request_settings(settings.answers),
                )
        return result.output
    except (TimeoutError, TimeIsUp):
        raise out_of_time(turn.limits) from None
    except (AgentRunError, FallbackExceptionGroup) as error:
        raise translated(error, name, settings, last_fault=turn.last_fault) from error
    finally:
        _tell_of_usage(turn, name, usage, seconds=round(time.monotonic() - began, 3))


def _request_settings(answers: AnswerSettings) -> RequestSettings:
    """What a model is asked with; a provider ignores what it does not know."""
    made = RequestSettings()
    if answers.temperature is not None:
        made["temperature"] = answers.temperature
    if answers.thinking is not None:
        made["thinking"] = answers.thinking
    if answers.longest is not None:
        made["max_tokens"] = answers.longest
    return made


async def _count_calls(ctx: RunContext[Turn], /, *, response: ModelResponse, **_: Any) -> ModelResponse:
    """Count the look-ups of a reply, including those that will fail."""
    ctx.deps.answered_by.append(response.model_name or "")
    calls = [part for part in response.parts if isinstance(part, ToolCallPart) and part.tool_name in TOOL_NAMES]
    ctx.deps.count_calls(len(calls))
    return response


async def _refuse_repeated(ctx: RunContext[Turn], /, *, call: ToolCallPart, args: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Refuse a look-up that was already made with the same arguments."""
    if call.tool_name in TOOL_NAMES and ctx.deps.is_repeated(call.tool_name, args):
        raise ToolFailed("You have already made this call: its result is above. Continue with it.")
    return args


async def _tell_of_look_up(
    ctx: RunContext[Turn],
    /,
    *,
    call: ToolCallPart,
    args: dict[str, Any],
    handler: Callable[[dict[str, Any]], Awaitable[Any]],
    **_: Any,
) -> Any:
    """Run a tool, and tell of it where it is a look-up."""
    began, result = time.monotonic(), None
    try:
        result = await handler(args)
    finally:
        if call.tool_name in TOOL_NAMES:
            _tell_of(ctx.deps, call.tool_name, args, result, seconds=round(time.monotonic() - began, 3))
    return result


def _tell_of(turn: Turn, tool: str, args: dict[str, Any], result: object, *, seconds: float) -> None:
    words = ", ".join(f"{name}={value!r:.60}" for name, value in args.items())
    found = "nothing" if result is None else f"{len(str(result)):,} characters"
    facts = {
        "tool": tool,
        "arguments": args,
        "seconds": seconds,
        "failed": result is None,
        "characters": len(str(result or "")),
    }
    turn.situation.tell(Event(stage="look_up", text=f"{tool}({words}): {found} in {seconds:.2f} s", facts=facts))


def _tell_of_usage(turn: Turn, name: ModelName, usage: RunUsage, *, seconds: float) -> None:
    answered_by = list(dict.fromkeys(each for each in turn.answered_by if each))
    named = f"{name}" if answered_by in ([], [name.model]) else f"{name} ({', '.join(answered_by)} answered)"
    untold = (
        f" (at least: {counted(usage.unmeasured_requests, 'request')} did not report it)" if usage.unmeasured_requests else ""
    )
    tokens = f"{counted(usage.input_tokens, 'token')} in, {usage.output_tokens:,} out"
    text = f"{named}: {tokens}, {counted(usage.requests, 'request')}{untold}."
    facts = {
        "model": str(name),
        "answered_by": answered_by,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "requests": usage.requests,
        "tool_calls": turn.tool_calls,
        "seconds": seconds,
    }
    turn.situation.tell(Event(stage="usage", text=text, facts=facts))
