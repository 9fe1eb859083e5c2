"""Replies of a scripted model in short form, on the embedded archive. The model itself is `agent.model.scripted`."""

from __future__ import annotations

from typing import Any

Reply = dict[str, Any]
Given = dict[str, Any]


def call(tool: str, **args: Any) -> Reply:
    """A reply that is one call of a tool."""
    return {"calls": [{"tool": tool, "args": args}]}


def fetch(step: str, *candidates: str, intent: str = "Fetch", archive: str = "demo") -> Given:
    """A step that fetches: candidates as dataset/parameter."""
    split = [candidate.split("/") for candidate in candidates]
    given = [{"archive": archive, "dataset": dataset, "parameter": parameter} for dataset, parameter in split]
    return {"kind": "fetch", "id": step, "intent": intent, "candidates": given}


def operation(step: str, name: str, options: Given | None = None, **inputs: str) -> Given:
    """A step that is an operation."""
    return {"kind": "operation", "id": step, "intent": name, "operation": name, "inputs": inputs, "options": options or {}}


def code(step: str, body: str, *, unit: str = "nT", **inputs: str) -> Given:
    """A step of code."""
    return {"kind": "code", "id": step, "intent": step, "inputs": inputs, "code": body, "unit": unit}


def figure(*panels: list[str]) -> Given:
    """A figure: the steps that each panel shows."""
    return {
        "kind": "figure",
        "id": "overview",
        "intent": "Draw",
        "panels": [{"traces": [{"data": step} for step in panel]} for panel in panels],
    }


def plan(title: str, time_words: str | None, *steps: Given, **more: Any) -> Reply:
    """A reply that hands in a plan."""
    return call("submit_plan", title=title, time_words=time_words, steps=list(steps), **more)


def edit(step: str, **changes: Any) -> Reply:
    """A reply that changes one step; dots in places are written as two underscores."""
    return edits(
        {"kind": "edit_step", "step": step, "changes": {key.replace("__", "."): value for key, value in changes.items()}}
    )


def edits(*given: Given) -> Reply:
    """A reply that changes the pipeline on the table."""
    return call("submit_edits", edits=list(given))


B = fetch("b_gse", "AC_H0_MFI/BGSEc")
MAG = operation("b_mag", "magnitude", vector="b_gse")
SHOWN = figure(["b_mag"])


def ace_plan(time_words: str | None = "2003-10-29") -> Reply:
    """|B| of ACE."""
    return plan("ACE magnetic field magnitude", time_words, B, MAG, SHOWN)


def code_plan(body: str, time_words: str = "2003-10-29") -> Reply:
    """The field's largest component by code."""
    return plan("ACE largest component", time_words, B, code("b_max", body, b="b_gse"), figure(["b_max"]))


RED = edits(
    {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[0].color": "red"}},
)
