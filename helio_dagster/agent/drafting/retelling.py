"""What a pipeline says of itself, made true again after a change: title, description, the figure's intent and assumptions.

Words that are not as a draft has them are a person's own, and stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from helio_dagster.agent.answers import Edits
from helio_dagster.agent.drafting.assembly import made_from
from helio_dagster.agent.drafting.assumptions import WHOLE_VECTOR, Assumption, Topic, lines_of, quantity_topic
from helio_dagster.agent.drafting.curves import RADII, in_radii
from helio_dagster.agent.drafting.draft_titles import listed
from helio_dagster.agent.drafting.drawn_figure import SPECTRAL, DrawnFigure, Line
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.drafting.titling import retitled
from helio_dagster.catalog.choice.quantities import QUANTITIES, QUANTITY_WORDS
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import Edit, EditPipeline, EditStep, apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import parse_duration

_IN_ORDER = "From top to bottom: "


@dataclass(frozen=True)
class Retold:
    """The edits that make what is said of a pipeline true, and what its assumptions are about after them."""

    edits: tuple[Edit, ...]
    assumed: tuple[Assumption, ...]

    def true_of(self, change: Edits) -> tuple[str, ...]:
        """The notes of a change but those of assumptions that it has made and replaced itself."""
        gone = {each.text for each in change.assumed or ()} - {each.text for each in self.assumed}
        return tuple(each for each in change.notes if each not in gone)


def retold(
    file: PipelineFile,
    edits: Sequence[Edit],
    catalog: KnownCatalog,
    assumed: Sequence[Assumption],
    added: Sequence[Assumption] | None = None,
) -> Retold:
    """What makes true after edits what is said of a pipeline: no edits where it is true, or where no figure is drawn.

    Parameters
    ----------
    file
        The pipeline before.
    edits
        What is changed of it.
    catalog
        Tells what a fetch measures.
    assumed
        What assumptions of the pipeline before are about, where that is known.
    added
        What those are about that the edits add.
    """
    added = added or ()
    files = file, apply_edits(file, edits)
    if not all(any(step.figure for step in each.pipeline.steps) for each in files):
        return Retold((), (*assumed, *added))
    before, after = (DrawnFigure(each, catalog) for each in files)
    old, new = before.pipeline, after.pipeline
    there = _topics(after)
    gone = _topics(before) - there
    holding = [each for each in assumed if gone.isdisjoint(each.about)]
    holding += [each for each in added if there >= {topic for topic in each.about if topic.kind == "dataset"}]
    drawn, titled = (_since(file, edits, catalog, name) for name in ("intent", "title"))
    renewed: dict[str, Any] = {
        "title": retitled(titled, after) if titled.pipeline.title == new.title else new.title,
        "description": _described(old, new) if new.description == old.description else new.description,
        "assumptions": _with_averages(_holding(new.assumptions, (*assumed, *added), holding, gone), old, new),
    }
    changes = {key: value for key, value in renewed.items() if value != getattr(new, key)}
    intent = _drawn(drawn, after) if drawn.figure.intent == after.figure.intent else after.figure.intent
    made: list[Edit] = []
    if changes:
        given = {key: value or None for key, value in changes.items()}
        made.append(EditPipeline.model_validate({"kind": "edit_pipeline", "changes": given}))
    if intent != after.figure.intent:
        made.append(EditStep(kind="edit_step", step=after.figure.id, changes={"intent": intent}))
    said = renewed["assumptions"]
    return Retold(tuple(made), tuple(each for each in dict.fromkeys(holding) if each.text in said))


def _since(file: PipelineFile, edits: Sequence[Edit], catalog: KnownCatalog, name: str) -> DrawnFigure:
    """The pipeline as it was when its `title`, or the `intent` of its figure, was last told; before the edits if never."""
    figure = DrawnFigure(file, catalog).figure.id
    told = [
        place
        for place, edit in enumerate(edits, start=1)
        if (isinstance(edit, EditPipeline) or (isinstance(edit, EditStep) and edit.step == figure)) and name in edit.changes
    ]
    return DrawnFigure(apply_edits(file, edits[: told[-1]]) if told else file, catalog)


def _described(before: Pipeline, after: Pipeline) -> str:
    """From which datasets a pipeline is made; what is not as a draft has it is a person's own, and stays."""
    old, new = ([step.fetch for step in of.steps if step.fetch] for of in (before, after))
    is_same = {each.dataset for each in old} == {each.dataset for each in new}
    return before.description if is_same or before.description != made_from(old) else made_from(new)


def _drawn(before: DrawnFigure, after: DrawnFigure) -> str:
    """What the figure draws, from top to bottom."""
    old, data = (
        before.figure.intent,
        [[[trace.data for trace in panel.traces] for panel in of.panels] for of in (before, after)],
    )
    if data[0] == data[1]:
        return old
    parts = old.removeprefix(_IN_ORDER).split(", ")
    if sorted(data[0]) == sorted(data[1]) and old.startswith(_IN_ORDER) and len(parts) == len(data[0]):
        return _intent([parts[data[0].index(panel)] for panel in data[1]])
    for is_of_whom in (True, False):
        if old in (_intent(_shown(before, is_of_whom=is_of_whom, is_each=is_each)) for is_each in (False, True)):
            return _intent(_shown(after, is_of_whom=is_of_whom))
    known = {step.id for step in before.pipeline.nodes}
    is_more = all(panel in data[1] for panel in data[0])
    more = [row for row, panel in enumerate(data[1]) if not known & {*panel}] if is_more else []
    return f"{old}, and {', '.join(_shown(after, is_of_whom=False, rows=more))}" if more else old


def _intent(shown: Sequence[str]) -> str:
    return f"Draw {shown[0]}" if len(shown) == 1 else f"{_IN_ORDER}{', '.join(shown)}"


def _shown(plotted: DrawnFigure, *, is_of_whom: bool, rows: Sequence[int] | None = None, is_each: bool = False) -> list[str]:
    """What panels show, each once; several quantities of one panel together, or by themselves where `is_each`."""
    names: list[str] = []
    for row in range(len(plotted.panels)) if rows is None else rows:
        panel, lines = plotted.panels[row], [line for line in plotted.curves if line.panel == row]
        who = next((each for each in plotted.missions if (panel.y.title or "").startswith(f"{each} ")), "")
        title = (panel.y.title or "").removeprefix(f"{who} ").removesuffix(" x 10")
        of = f" of {who}" if who and is_of_whom else ""
        if title and len({line.quantities for line in lines}) < 2:
            has_vector = any(line.is_whole_vector for line in lines)
            more = [line.trace.label or _symbol(line) for line in lines if has_vector and not line.is_whole_vector]
            names += [f"{name}{of}" for name in (title, *more)]
        else:
            named = [line.trace.label or "" if _is_named(line, plotted) else _symbol(line) for line in lines]
            each = [f"{name}{of}" for name in dict.fromkeys([_symbol(line) for line in lines] if is_each else named)]
            names += each if is_each else [listed(each)]
    return list(dict.fromkeys(names))


def _is_named(line: Line, plotted: DrawnFigure) -> bool:
    """Whether a line's label says what it is, and not only whose."""
    return bool(line.trace.label) and not any(mission in str(line.trace.label) for mission in plotted.missions)


def _symbol(line: Line) -> str:
    if not line.quantities:
        return line.words
    symbol = QUANTITIES[line.quantities[0]].symbol
    if {*line.operations} & SPECTRAL:
        return f"power of {'|B|' if symbol == 'B' and 'magnitude' in line.operations else symbol}"
    return QUANTITY_WORDS[line.quantities[0]] if line.is_spectrogram else symbol


def _holding(
    lines: Sequence[str], known: Sequence[Assumption], holding: Sequence[Assumption], gone: Set[Topic]
) -> Sequence[str]:
    """The assumptions without those about what is gone; of which it is not known what they are about, without its missions."""
    missions = [re.compile(rf"\b{re.escape(each.name)}\b") for each in gone if each.kind == "mission"]
    told, untrue = {*lines_of(known), *lines_of(holding)}, {*lines_of(known)} - {*lines_of(holding)}
    kept = [each for each in lines if each not in untrue]
    return [each for each in kept if each in told or not any(name.search(each) for name in missions)]


def _with_averages(lines: Sequence[str], before: Pipeline, after: Pipeline) -> list[str]:
    """The assumptions with what a draft would state of averages and units that are new, without that of those that are gone."""
    was, now = _stated(before), _stated(after)
    kept = [each for each in lines if each not in was or each in now]
    return [*kept, *(each for each in now if each not in (*kept, *was))]


def _topics(drawn: DrawnFigure) -> set[Topic]:
    """All that assumptions about a pipeline may be about."""
    fetches = [step.fetch for step in drawn.pipeline.steps if step.fetch]
    computed = [step.compute for step in drawn.pipeline.steps if step.compute]
    found = {Topic("mission", each) for each in drawn.missions}
    found |= {Topic("dataset", each.dataset) for each in fetches}
    found |= {quantity_topic(drawn.mission(each), quantity) for each in fetches if (quantity := drawn.quantity(each))}
    found |= {Topic("operation", each.operation) for each in computed if each.operation}
    found |= {Topic("unit", str(each.options["unit"])) for each in computed if "unit" in each.options}
    found |= {Topic("frame", _frame(drawn, line)) for line in drawn.lines}
    return found | ({WHOLE_VECTOR} if any(line.is_whole_vector for line in drawn.lines) else set())


def _frame(plotted: DrawnFigure, line: Line) -> str:
    """The frame of what a line is made of; empty where that is not known."""
    for step in reversed(plotted.upstream(line.trace.data)):
        if step.compute is not None and step.compute.operation == "transform_frame":
            return str(step.compute.options.get("to", ""))
        if step.fetch is not None and (frame := plotted.frame(step.fetch)):
            return frame
    return ""


def _stated(pipeline: Pipeline) -> Sequence[str]:
    """What a draft states of the averages and the units of a pipeline."""
    made = [step.compute for step in pipeline.steps if step.compute]
    found = []
    for each in made:
        if each.operation == "resample":
            length, method = parse_duration(str(each.options["cadence"])), str(each.options.get("method", "mean"))
            found.append(f"{capital(spoken(length))} {spoken_method(method)} are over fixed bins.")
        if each.operation == "resample" and each.options.get("method") == "std":
            found.append("The standard deviation is that about the mean of each bin.")
        if each.operation == "rolling_mean":
            found.append("The running mean is centred.")
        if each.operation == "scale" and each.options.get("unit") in RADII:
            found.append(in_radii("km", str(each.options["unit"]))[1])
    return list(dict.fromkeys(found))
