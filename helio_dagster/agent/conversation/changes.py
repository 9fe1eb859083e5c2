"""Describe for people what an edit of a pipeline changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from helio_dagster.agent.looks_in_words import looks_of
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_comparison import Change, Comparison

_LONGEST_VALUE = 120
_MOST_ROWS = 6
_TRACE = re.compile(r"figure\.panels\[(\d+)\]\.traces\[(\d+)\]\.?")
_PANEL = re.compile(r"figure\.panels\[(\d+)\]\.?")
_INSIDE = ("compute.options.", "compute.", "fetch.", "table.", "figure.")
"""Parts of a path that a person need not read."""


def describe_step(step: Step) -> str:
    """What a step does: its intent, and what it is made from."""
    made = ""
    if step.fetch is not None:
        made = f"{step.fetch.archive}: {step.fetch.dataset} {step.fetch.parameter}"
    elif step.compute is not None:
        given = [*map(str, step.compute.inputs.values()), *(f"{name}={value}" for name, value in step.compute.options.items())]
        made = f"{step.compute.operation or 'code'}({', '.join(given)})"
        made += f" -> {', '.join(step.compute.results)}" if step.compute.results else ""
    elif step.table is not None:
        made = _rows(step.table.csv)
    elif step.events is not None:
        made = step.events.file
    whole = ", over the whole range" if step.over == "range" else ""
    return (f"{step.intent} ({made})" if step.intent and made else step.intent or made) + whole


def _rows(csv: str) -> str:
    """The rows of a table as they are written."""
    rows = [" ".join(line.split()) for line in csv.splitlines()[1:] if line.strip()]
    more = [f"and {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else []
    return "; ".join([*rows[:_MOST_ROWS], *more])


def tell_changes(comparison: Comparison, new: Pipeline) -> Iterator[str]:
    """One line for each change.

    Parameters
    ----------
    comparison
        The comparison with the earlier pipeline.
    new
        The pipeline now.
    """
    if comparison.is_same:
        yield "none: the meaning is the same as before"
    yield from (_changed(change.path, change) for change in comparison.head if not change.path.startswith("assumptions"))
    for step in comparison.steps:
        if step.what == "changed":
            yield from (f"{step.step}: {_changed(_place(new.step(step.step), change.path), change)}" for change in step.changes)
        elif step.what == "added":
            yield f"new {step.kind} {step.step}: {describe_step(new.step(step.step))}".rstrip(": ")
        else:
            yield f"{step.kind} {step.step} is removed"


def _changed(place: str, change: Change) -> str:
    if (found := _TRACE.match(change.path)) is not None and change.path[found.end() :] == "data" and change.old and change.new:
        return f"draws {_value(change.new)} instead of {_value(change.old)}"
    if change.path == "compute.code":
        return "its code has changed"
    if change.old is None:
        return f"{place}: {_value(change.new)}"
    if change.new is None:
        return f"{place}: no longer {_value(change.old)}"
    return f"{place}: {_value(change.old)} -> {_value(change.new)}"


def _place(step: Step, path: str) -> str:
    """A place in a step as a person would name it: color of b_mag, window."""
    if (found := _TRACE.match(path)) is not None:
        panel, number = int(found[1]), int(found[2])
        rest, trace = path[found.end() :], f"trace {number + 1} of panel {panel + 1}"
        panels = step.figure.panels if step.figure else []
        if rest not in ("", "data") and panel < len(panels) and number < len(panels[panel].traces):
            trace = panels[panel].traces[number].data
        return f"{rest} of {trace}" if rest else trace
    if (found := _PANEL.match(path)) is not None:
        rest, panel = path[found.end() :], int(found[1]) + 1
        return f"{rest} of panel {panel}" if rest else f"panel {panel}"
    return next((path.removeprefix(each) for each in _INSIDE if path.startswith(each)), path)


def _value(value: object) -> str:
    if isinstance(value, dict) and isinstance(value.get("traces"), list):
        shown = [str(each.get("data")) for each in value["traces"] if isinstance(each, dict)]
        text = "; ".join(filter(None, (f"shows {', '.join(shown)}", looks_of(Panel.model_validate(value)))))
    elif isinstance(value, dict) and "data" in value:
        text = str(value["data"])
    else:
        text = value if isinstance(value, str) and value.isprintable() else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
