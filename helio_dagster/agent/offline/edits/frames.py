"""What is drawn, rotated into another frame: `convert to GSM`, `rotate the fields into GSE`. All of it, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from helio_dagster.agent.answers import NotUnderstood
from helio_dagster.agent.drafting.assumptions import Assumption, Topic
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.drafting.naming import free_id
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.removing import remove_unused
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.catalog.choice.parameter_reading import find_axis
from helio_dagster.domain.pipeline import Compute, Step

FRAMES = ("GSE", "GSM", "SM", "GEO", "GEI", "MAG")
"""Frames about the Earth, between which a field or a position is rotated by the time alone."""
_ROTATED = frozenset(("magnetic_field", "position"))
_PASSED = frozenset(("component", "scale", "convert_unit", "resample", "rolling_mean", "transform_frame"))
"""Operations on a vector that keep its frame, or take a part of it."""


def rotate_all(text: str, table: Table) -> bool:
    """Rotate what is meant into a frame; False where the sentence says no such thing, or not all of it can be rotated.

    Raises
    ------
    NotUnderstood
        It names what is not drawn.
    """
    match = matched("frames.order", text)
    if match is None:
        return False
    frame, what = match["frame"].upper(), match["what"].strip()
    is_all = matched("frames.all", what) is not None
    lines = table.plotted.lines if is_all else table.plotted.named(form("frames.each").sub("", what))
    if not lines:
        raise NotUnderstood(f"I do not see {what!r} in the figure. What do you want in {frame}?")
    directed = [line for line in lines if has_direction(line)]
    if not directed or not all(_can_rotate(line, frame, table) for line in directed):
        return False
    turned = [line for line in directed if frame_of(line, table) != frame]
    source = (match["source"] or "").upper()
    if not turned or (source and any(frame_of(line, table) != source for line in turned)):
        return False
    _rotate(turned, frame, table)
    return True


def rotate_lines(lines: Sequence[Line], frame: str, table: Table) -> bool:
    """Rotate those of some lines that have a direction into a frame; False where not all of them can be, or none is turned."""
    directed = [line for line in lines if has_direction(line)]
    turned = [line for line in directed if frame_of(line, table) != frame]
    if not turned or not all(_can_rotate(line, frame, table) for line in directed):
        return False
    _rotate(turned, frame, table)
    return True


def has_direction(line: Line) -> bool:
    """Whether a line depends on the frame."""
    return line.is_whole_vector or "component" in line.operations or "direction" in line.operations


def _can_rotate(line: Line, frame: str, table: Table) -> bool:
    """Whether a line is a field or a position, or a component of one, in a frame about the Earth."""
    is_plain = set(line.operations) <= _PASSED and set(line.quantities) <= _ROTATED and line.trace.component is None
    return frame in FRAMES and is_plain and frame_of(line, table) in FRAMES


def axis_of(line: Line, table: Table) -> str:
    """Which component of its vector a line is, computed or as the archive has it by itself; empty for others."""
    steps = table.plotted.upstream(line.trace.data)
    for compute in (step.compute for step in reversed(steps) if step.compute is not None):
        if compute.operation == "component":
            return str(compute.options["component"])
    for fetch in (step.fetch for step in steps if step.fetch is not None and line.is_of_part and line.quantities):
        facts = table.offers.catalog.facts(fetch.archive, fetch.dataset)
        parameter = facts.parameter(fetch.parameter) if facts is not None else None
        if parameter is not None and (axis := find_axis(parameter, line.quantities[0])):
            return axis
    return ""


def frame_of(line: Line, table: Table) -> str:
    """The frame of a line; empty where it is not known."""
    for step in reversed(table.plotted.upstream(line.trace.data)):
        if step.compute is not None and step.compute.operation == "transform_frame":
            return str(step.compute.options.get("to", ""))
        if step.fetch is not None:
            return table.plotted.frame(step.fetch) or ""
    return ""


def _rotate(lines: list[Line], frame: str, table: Table) -> None:
    """A rotation behind each vector that is fetched, with all that is made of it behind that."""
    changes: dict[str, Any] = {}
    made: dict[str, str] = {}
    words: list[Assumption] = []
    before = {line.trace.data for line in lines}
    sources = {line.trace.data: frame_of(line, table) for line in lines}
    for line in lines:
        data, source = line.trace.data, sources[line.trace.data]
        if data not in made:
            made[data] = _again(data, source, frame, made, table)
            who = " and ".join(line.missions)
            own = next((table.plotted.frame(each.fetch) for each in table.plotted.upstream(data) if each.fetch), source)
            text = f"What is drawn of {who} is catalogued in {own} and is rotated into {frame}."
            whose = [Topic("mission", each) for each in line.missions]
            about = (Topic("operation", "transform_frame"), Topic("frame", frame), *whose)
            words += [Assumption(text, about)] if own != frame else []
        changes[f"{line.path}.data"] = made[data]
        title = table.plotted.panels[line.panel].y.title or ""
        if re.search(rf"\b{source}\b", title):
            changes[f"figure.panels[{line.panel}].y.title"] = re.sub(rf"\b{source}\b", frame, title)
        if line.trace.label and re.search(rf"\b{source}\b", line.trace.label):
            changes[f"{line.path}.label"] = re.sub(rf"\b{source}\b", frame, line.trace.label)
    beneath = [step.id for data in before for step in table.plotted.upstream(data)]
    table.draw(changes)
    remove_unused(beneath, table)
    table.assume(words)


def _again(data: str, source: str, frame: str, made: dict[str, str], table: Table) -> str:
    """The id of a step that is in the frame what one is in its own; an old rotation is replaced."""
    if data in made:
        return made[data]
    steps = {step.id: step for step in table.plotted.pipeline.steps}
    step = steps[data]
    stem = re.sub(rf"(?<=_){source.lower()}(?=_|$)", frame.lower(), data)
    new_id = free_id(stem if stem != data else f"{data}_{frame.lower()}", {*steps})
    if step.compute is None:
        return made.setdefault(
            data, _turned(new_id, data, f"{step.intent.removeprefix('Fetch the ')}, rotated into", frame, table)
        )
    if step.compute.operation == "transform_frame":  # from what it was, not twice
        vector = next(iter(step.compute.step_inputs.values()))
        fetch = steps[vector].fetch if vector in steps else None
        is_own = fetch is not None and table.plotted.frame(fetch) == frame
        return made.setdefault(data, vector if is_own else _turned(new_id, vector, "In", frame, table))
    inputs = {
        name: _again(other, source, frame, made, table) if isinstance(other, str) and other in steps else other
        for name, other in step.compute.inputs.items()
    }
    worded = re.sub(rf"\b{source}\b", frame, step.intent)
    compute = step.compute.model_copy(update={"inputs": inputs})
    made[data] = table.add(step.model_copy(update={"id": new_id, "intent": worded, "compute": compute}))
    return made[data]


def _turned(step_id: str, vector: str, words: str, frame: str, table: Table) -> str:
    compute = Compute(operation="transform_frame", inputs={"vector": vector}, options={"to": frame})
    return table.add(Step(id=step_id, intent=f"{words} {frame}", compute=compute))
