"""The look-up tools of a model; none of them changes anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from pydantic_ai import RunContext, Tool, ToolFailed

from helio_dagster.agent.events import Event
from helio_dagster.agent.model.brief import brief
from helio_dagster.agent.model.lookups import (
    Document,
    compact,
    describe,
    describe_function,
    find_datasets,
    find_operations,
    find_saved,
    list_parameters,
    tell_availability,
)
from helio_dagster.agent.model.turn import Turn
from helio_dagster.domain.errors import HelioError


async def search_catalog(ctx: RunContext[Turn], words: str, mission: str | None = None, count: int = 4) -> str:
    """Find datasets by mission, instrument, quantity, frame, cadence; at most 8. A mission alone lists its datasets."""
    found = _result_of(lambda: find_datasets(ctx.deps, words, mission, count))
    _discovered(ctx.deps, words, [each["dataset"] for each in found["datasets"]])
    return compact(brief(found))


async def dataset_parameters(ctx: RunContext[Turn], dataset: str, words: str = "") -> str:
    """List a dataset's parameters with unit, frame and size, best matches first."""
    return compact(brief(_result_of(lambda: list_parameters(ctx.deps, dataset, words))))


async def availability(ctx: RunContext[Turn], dataset: str) -> str:
    """Get a dataset's first and last date and its cadence."""
    return compact(brief(_result_of(lambda: tell_availability(ctx.deps, dataset))))


async def search_operations(
    ctx: RunContext[Turn],
    words: str,
    kind: Literal["series", "vector", "spectrogram", "events", "curve", "map", "points", "facts"] | None = None,
    unit: str | None = None,
    frame: str | None = None,
) -> str:
    """Find operations by what they do and by the kind, unit and frame of their input."""
    found = _result_of(lambda: find_operations(ctx.deps, words, kind, unit, frame))
    _discovered(ctx.deps, words, [each["operation"] for each in found["operations"]])
    return compact(brief(found))


async def operation_docs(ctx: RunContext[Turn], operation: str) -> str:
    """Get an operation's inputs, options, output and formula."""
    return compact(brief(_result_of(lambda: describe(ctx.deps, operation))))


async def function_docs(name: str) -> str:
    """Get the signature and documentation of a scipy or pywt function."""
    return compact(brief(_result_of(lambda: describe_function(name))))


async def saved_pipelines(ctx: RunContext[Turn], words: str) -> str:
    """Find saved pipelines by words."""
    found = _result_of(lambda: find_saved(ctx.deps, words))
    _discovered(ctx.deps, words, [each["name"] for each in found["pipelines"]])
    return compact(brief(found))


def lookups(*, has_saved: bool) -> list[Tool[Turn]]:
    """The tools of a model; `has_saved` where there may be saved pipelines."""
    tools: list[Callable[..., Any]] = [
        search_catalog,
        dataset_parameters,
        availability,
        search_operations,
        operation_docs,
        function_docs,
        *([saved_pipelines] if has_saved else []),
    ]
    return [Tool(each) for each in tools]


TOOL_NAMES = frozenset(
    each.__name__
    for each in (
        search_catalog,
        dataset_parameters,
        availability,
        search_operations,
        operation_docs,
        function_docs,
        saved_pipelines,
    )
)


def _result_of(look_up: Callable[[], Document]) -> Document:
    """The result of a look-up; if it finds nothing, the model is informed and can continue."""
    try:
        return look_up()
    except HelioError as error:
        raise ToolFailed(str(error)) from None


def _discovered(turn: Turn, words: str, found: list[str]) -> None:
    text = f"Searched for {words[:80]!r}: {', '.join(found[:3]) or 'nothing'}{' …' if len(found) > 3 else ''}"
    turn.situation.tell(Event(stage="discover", text=text, facts={"query": words, "found": found}))
