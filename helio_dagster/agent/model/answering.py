"""The ways in which a model may answer, each a tool with its schema, and which are available when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai import RunContext

from helio_dagster.agent.answers import Answer, Refusal, Undo
from helio_dagster.agent.model.acceptance import (
    accept_edits,
    accept_fork,
    accept_information,
    accept_keep,
    accept_plan,
    accept_question,
    accept_replay,
    answered,
    own_words,
)
from helio_dagster.agent.model.submissions import (
    DraftEdits,
    DraftFork,
    DraftInformation,
    DraftKeep,
    DraftPlan,
    DraftQuestion,
    DraftRefusal,
    DraftReplay,
    DraftUndo,
    HandOver,
    PlanAnew,
)
from helio_dagster.agent.model.turn import Turn

Way = Callable[..., Any]
"""A way to answer: a function of the turn and of what the model submits."""


async def submit_plan(ctx: RunContext[Turn], plan: DraftPlan) -> Answer:
    """Submit a new pipeline."""
    return answered(ctx.deps, accept_plan, plan)


async def submit_edits(ctx: RunContext[Turn], edits: DraftEdits) -> Answer:
    """Change the current pipeline."""
    return answered(ctx.deps, accept_edits, edits)


async def ask_question(ctx: RunContext[Turn], question: DraftQuestion) -> Answer:
    """Ask the person one question if you cannot plan without the answer."""
    return answered(ctx.deps, accept_question, question)


async def replay(ctx: RunContext[Turn], replay: DraftReplay) -> Answer:
    """Run a pipeline for another time range, unchanged."""
    return answered(ctx.deps, accept_replay, replay)


async def fork(ctx: RunContext[Turn], fork: DraftFork) -> Answer:
    """Make the same pipeline for another mission."""
    return answered(ctx.deps, accept_fork, fork)


async def give_information(ctx: RunContext[Turn], information: DraftInformation) -> Answer:
    """Answer a question in words."""
    return answered(ctx.deps, accept_information, information)


async def undo(_ctx: RunContext[Turn], undo: DraftUndo) -> Answer:
    """Take back the last changes."""
    return Undo(undo.count)


async def keep_operation(ctx: RunContext[Turn], keep: DraftKeep) -> Answer:
    """Save a step's code as an operation, if the person asks for that."""
    return answered(ctx.deps, accept_keep, keep)


async def refuse(ctx: RunContext[Turn], refusal: DraftRefusal) -> Answer:
    """Say why the request cannot be planned, and what can."""
    return Refusal(tuple(refusal.reasons), words=own_words(ctx.deps, *refusal.reasons))


async def plan_anew(_ctx: RunContext[Turn], anew: PlanAnew) -> PlanAnew:
    """Set the current pipeline aside because the person wants a new one; you are asked again without it."""
    return anew


async def hand_over(_ctx: RunContext[Turn], hand: HandOver) -> HandOver:
    """Leave it to the planner: the person wants data, a plot or a change, or the look-ups have no answer."""
    return hand


def answers_for(turn: Turn) -> tuple[Way, ...]:
    """The answers available to the planning model in a turn."""
    has_current, has_saved = turn.situation.current is not None, turn.side is not None
    ways: list[Way] = [submit_edits, undo, keep_operation, plan_anew] if has_current else [submit_plan]
    ways += [give_information, refuse]
    if has_current or has_saved:
        ways += [replay, fork]
    if turn.may_ask:
        ways.append(ask_question)
    return tuple(ways)


def answers_to_questions() -> tuple[Way, ...]:
    """The answers available to the small model."""
    return give_information, hand_over
