"""Ask one model until it has an answer or reaches a limit."""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pydantic_ai
from pydantic_ai import (
    Agent,
    AgentRunError,
    ModelMessage,
    ModelResponse,
    RunContext,
    RunUsage,
    ToolCallPart,
    ToolFailed,
    ToolOutput,
    UsageLimits,
    UsageLimitUnavailableWarning,
    capture_run_messages,
)
from pydantic_ai.capabilities import Hooks
from pydantic_ai.exceptions import FallbackExceptionGroup
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.settings import ModelSettings as RequestSettings

from helio_dagster.agent.events import Event
from helio_dagster.agent.model.answering import Way
from helio_dagster.agent.model.earlier_attempts import without_earlier_attempts
from helio_dagster.agent.model.exchange import Asked, Role, price_of, record_messages, record_tools, usage_of
from helio_dagster.agent.model.failures import out_of_time, translated
from helio_dagster.agent.model.instructions import situation_text
from helio_dagster.agent.model.interruption import TimeIsUp
from helio_dagster.agent.model.schemas import reduce_schemas
from helio_dagster.agent.model.settings import AnswerSettings, ModelName, ModelSettings
from helio_dagster.agent.model.tools import TOOL_NAMES, lookups
from helio_dagster.agent.model.turn import Turn
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import HelioError

_OUTPUT_RETRIES = 6
"""How often an answer is returned with its faults; trials of code have their own, lower limit."""


@dataclass(frozen=True)
class Task:
    """A model's task: its part, its rules, and the answers available to it."""

    role: Role
    instructions: str
    answers: tuple[Way, ...]


async def ask(model: Model, name: ModelName, task: Task, turn: Turn, settings: ModelSettings) -> Any:
    """The answer of a model; its token usage is reported in any case.

    Raises
    ------
    ModelError
        It cannot be asked, gives no usable answer, or reaches a limit.
    """
    agent = _agent(task, has_saved=turn.side is not None)
    pydantic_ai.BANNER_ENABLED = False  # keep the terminal for our conversation
    limits = UsageLimits(request_limit=turn.limits.requests, total_tokens_limit=turn.limits.tokens)
    usage, began, failed = RunUsage(), time.monotonic(), ""
    turn.offered.clear()
    turn.interruption.limit(turn.limits.seconds)
    messages: list[ModelMessage] = []
    try:
        with warnings.catch_warnings(), capture_run_messages() as messages:
            warnings.simplefilter("ignore", UsageLimitUnavailableWarning)  # included in the usage reported below
            async with asyncio.timeout(turn.limits.seconds):
                result = await agent.run(
                    situation_text(turn),
                    model=model,
                    deps=turn,
                    usage=usage,
                    usage_limits=limits,
                    model_settings=_request_settings(settings.answers),
                )
        return result.output
    except (TimeoutError, TimeIsUp):
        failed = "the time limit was reached"
        raise out_of_time(turn.limits) from None
    except (AgentRunError, FallbackExceptionGroup) as error:
        ours = translated(error, name, settings, last_fault=turn.last_fault)
        failed = ours.problem
        raise ours from error
    except HelioError as error:
        failed = error.problem
        raise
    finally:
        asked = Asked(
            role=task.role,
            model=str(name),
            answered_by=list(dict.fromkeys(each for each in turn.answered_by if each)),
            tools=record_tools(turn.offered.values()),
            messages=record_messages(messages),
            price_usd=price_of(messages, name),
            seconds=round(time.monotonic() - began, 3),
            error=failed,
            **usage_of(usage),
        )
        turn.kept.append(asked)
        _tell_of_usage(turn, asked, usage.unmeasured_requests)


@lru_cache(maxsize=8)
def _agent(task: Task, *, has_saved: bool) -> Agent[Turn, Any]:
    """The agent of a task; kept, because making the schemas of its tools takes a tenth of a second and it holds no state."""
    return Agent(
        deps_type=Turn,
        output_type=[ToolOutput(way, name=way.__name__) for way in task.answers],
        instructions=task.instructions,
        tools=lookups(has_saved=has_saved),
        retries={"tools": 3, "output": _OUTPUT_RETRIES},
        capabilities=[
            Hooks(
                prepare_tools=reduce_schemas,
                prepare_output_tools=reduce_schemas,
                model_request=_send_newest_attempt,
                after_model_request=_count_calls,
                before_tool_execute=_refuse_repeated,
                tool_execute=_tell_of_look_up,
            )
        ],
    )


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


async def _send_newest_attempt(
    _ctx: RunContext[Turn],
    /,
    *,
    request_context: ModelRequestContext,
    handler: Callable[[ModelRequestContext], Awaitable[ModelResponse]],
) -> ModelResponse:
    """Send a request without the earlier attempts at an answer; the history of the run keeps them."""
    answers = frozenset(tool.name for tool in request_context.model_request_parameters.output_tools)
    sent = without_earlier_attempts(request_context.messages, answers)
    return await handler(replace(request_context, messages=sent))


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
            ctx.deps.looked_up += [] if result is None else [str(result)]
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


def _tell_of_usage(turn: Turn, asked: Asked, unmeasured: int) -> None:
    answered_by = asked.answered_by
    own = asked.model.partition(":")[2]
    named = asked.model if answered_by in ([], [own]) else f"{asked.model} ({', '.join(answered_by)} answered)"
    untold = f" (at least: {counted(unmeasured, 'request')} did not report it)" if unmeasured else ""
    cached = f" ({asked.cached_tokens:,} cached)" if asked.cached_tokens else ""
    price = f", {asked.price_usd:.4f} US dollars" if asked.price_usd else ""
    tokens = f"{counted(asked.input_tokens, 'token')} in{cached}, {asked.output_tokens:,} out"
    text = f"{named}: {tokens}, {counted(asked.requests, 'request')}{price}{untold}."
    facts = {
        "model": asked.model,
        "answered_by": answered_by,
        "input_tokens": asked.input_tokens,
        "cached_tokens": asked.cached_tokens,
        "output_tokens": asked.output_tokens,
        "price_usd": asked.price_usd,
        "requests": asked.requests,
        "tool_calls": turn.tool_calls,
        "seconds": asked.seconds,
        "is_least": unmeasured > 0,
    }
    turn.situation.tell(Event(stage="usage", text=text, facts=facts))
