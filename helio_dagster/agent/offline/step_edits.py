"""Changes of what is computed, in words: smoothing, averages, other lengths and frames, and what is taken out of the figure."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from datetime import datetime, timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.assumption_words import still_true
from helio_dagster.agent.drafting.lengths import length_name, spoken, spoken_method
from helio_dagster.agent.drafting.naming import capital
from helio_dagster.agent.intent import Averaging, Measured, Smoothing
from helio_dagster.agent.offline.bin_statistics import with_statistics
from helio_dagster.agent.offline.meanings import Filler, Length, Mission, Unit
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.offline.unit_edits import read_unit_edit
from helio_dagster.catalog.times.lengths import find_length
from helio_dagster.domain.pipeline import Compute, Panel, Step
from helio_dagster.domain.pipeline_edit import AddStep, Edit, EditPipeline, EditStep, RemoveStep
from helio_dagster.domain.time_range import format_duration, parse_duration

_LEAD = re.compile(r"^(?:make (?:it|them)|use|with|to|take|change (?:it|that|the \w+) to|let's use|try)\s+", re.IGNORECASE)
_OUT = re.compile(
    r"(?:remove|drop|delete|hide|leave out|take (?:out|away)|without|no|get rid of) (?:the )?(?P<target>.+)", re.IGNORECASE
)
_LENGTH_OPTIONS = {
    "rolling_mean": "window",
    "rolling_statistic": "window",
    "detrend": "window",
    "resample": "cadence",
    "spectrogram": "window",
    "welch": "bin",
    "minimum_variance": "bin",
}


def read_step_edit(text: str, plotted: PlottedFigure, now: datetime) -> list[Edit] | None:
    """The edits that a sentence means; None where it is no such change.

    Raises
    ------
    OpenQuestion
        It leaves open what is meant, or cannot be done.
    """
    out = _OUT.fullmatch(text)
    if out is not None:
        lines = plotted.find(out["target"])
        if lines is not None and not _is_all(out["target"]):
            return _without(lines, plotted)
    length = find_length(re.sub(r"(?:[- ]window|[- ]long)?(?:\s+instead)?$", "", _LEAD.sub("", text), flags=re.IGNORECASE))
    if length is not None:
        return _other_length(length, plotted)
    reading = read_request(re.sub(r"\b(?:instead|it|them|everything)\b", "", text, flags=re.IGNORECASE), now)
    if reading.unknown or reading.time is not None:
        return None
    reading = with_statistics(reading)
    meant = [mention.meaning for mention in reading.mentions if not isinstance(mention.meaning, Filler)]
    if any(isinstance(each, Unit) for each in meant):
        return read_unit_edit(reading, plotted)
    windows = [each.length for each in meant if isinstance(each, Length) and each.role == "window"]
    meant = [each for each in meant if not isinstance(each, Length)]
    if len(windows) == 1:
        meant = [Smoothing(windows[0]) if each == Smoothing(None) else each for each in meant]
    changes = [each for each in meant if isinstance(each, Smoothing | Averaging)]
    others = [each for each in meant if not isinstance(each, Smoothing | Averaging)]
    if len(changes) != 1 or any(not isinstance(each, Mission | Measured) for each in others):
        return None
    names = " ".join(mention.words for mention in reading.mentions if isinstance(mention.meaning, Mission | Measured))
    found = plotted.find(names)
    if found is None:
        return None
    change = changes[0]
    if isinstance(change, Averaging):
        return _processed(found, plotted, "resample", change.length, {"method": change.method})
    if change.length is None:
        choices = [f"{text} over {length}" for length in ("10 minutes", "1 hour")]
        raise OpenQuestion("How long is the running mean to be?", choices)
    return _processed(found, plotted, "rolling_mean", change.length, {})


def _is_all(words: str) -> bool:
    return (
        re.fullmatch(r"(?:it|them|this|that|all|everything|(?:the )?figure|(?:the )?plots?)", words.strip(), re.IGNORECASE)
        is not None
    )


def _other_length(length: timedelta, plotted: PlottedFigure) -> list[Edit]:
    """Another length for the one step that has one."""
    steps = _with_length(plotted.pipeline.steps)
    if not steps:
        raise OpenQuestion(
            f"Nothing on the table has a length. What shall take {_in_words(length)}?",
            [f"smooth over {_in_words(length)}", f"{spoken(length)} averages"],
        )
    kinds = {step.compute.operation for step in steps if step.compute}
    if len(kinds) > 1:
        names = [f"{step.id} ({step.intent})" for step in steps]
        raise OpenQuestion(f"Which step shall take {_in_words(length)}: {', '.join(names)}?")
    return [edit for step in steps for edit in _with_new_length(step, length, plotted)]


def _with_length(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.compute and step.compute.operation in _LENGTH_OPTIONS]


def _with_new_length(step: Step, length: timedelta, plotted: PlottedFigure) -> list[Edit]:
    """A step's window or bin changed, and the words that told the old one."""
    assert step.compute is not None  # noqa: S101 - chosen by its operation
    option = _LENGTH_OPTIONS[step.compute.operation or ""]
    old = spoken(parse_duration(str(step.compute.options[option])))
    changes: dict[str, Any] = {f"compute.options.{option}": format_duration(length)}
    if old in step.intent.lower():
        changes["intent"] = capital(
            step.intent.lower().replace(old, spoken(length)) if step.intent[:1].isdigit() else step.intent
        )
    edits: list[Edit] = [EditStep(kind="edit_step", step=step.id, changes=changes)]
    labels = {
        f"{line.path}.label": line.trace.label.replace(old, spoken(length))
        for line in plotted.lines
        if line.trace.data == step.id and line.trace.label and old in line.trace.label
    }
    if labels:
        edits.append(EditStep(kind="edit_step", step=plotted.figure.id, changes=labels))
    if old in plotted.pipeline.title:
        edits.append(EditPipeline(kind="edit_pipeline", changes={"title": plotted.pipeline.title.replace(old, spoken(length))}))
    return edits


def _processed(
    lines: Sequence[Line], plotted: PlottedFigure, operation: str, length: timedelta, options: dict[str, str]
) -> list[Edit]:
    """The lines smoothed or averaged: steps that do so take the new length, others get one."""
    steps = {step.id: step for step in plotted.pipeline.steps}
    having = [
        step for line in lines if (step := steps.get(line.trace.data)) and step.compute and step.compute.operation == operation
    ]
    if having:
        unique = {step.id: step for step in having}
        edits = [edit for step in unique.values() for edit in _with_new_length(step, length, plotted)]
        for step in unique.values():
            old = step.compute.options.get("method") if step.compute else None
            if old and options.get("method") and old != options["method"]:
                edits.append(EditStep(kind="edit_step", step=step.id, changes={"compute.options.method": options["method"]}))
        return edits
    drawable = [line for line in lines if not {"spectrogram", "welch", "wavelet_power"} & set(line.operations)]
    if not drawable:
        raise OpenQuestion("I do not average spectrograms. What shall be smoothed?")
    return _added(drawable, plotted, operation, length, options)


def _added(
    lines: Sequence[Line], plotted: PlottedFigure, operation: str, length: timedelta, options: dict[str, str]
) -> list[Edit]:
    what = "running mean" if operation == "rolling_mean" else spoken_method(options["method"])
    option = (
        {"window": format_duration(length)} if operation == "rolling_mean" else {"cadence": format_duration(length), **options}
    )
    taken = {step.id for step in plotted.pipeline.steps}
    edits: list[Edit] = []
    changes: dict[str, Any] = {}
    for line in lines:
        suffix = "mean" if operation == "rolling_mean" else length_name(length)
        step_id = _free(f"{line.trace.data.rpartition('/')[2]}_{suffix}", taken)
        taken.add(step_id)
        compute = Compute(operation=operation, inputs={"series": line.trace.data}, options=option)
        intent = f"{capital(spoken(length))} {what} of {line.words}"
        edits.append(AddStep(kind="add_step", step=Step(id=step_id, intent=intent, compute=compute), before=plotted.figure.id))
        if len(plotted.lines) == 1 and operation == "rolling_mean":
            trace = {"data": step_id, "label": f"{spoken(length)} mean", "color": "firebrick"}
            changes[f"figure.panels[{line.panel}].traces[+]"] = trace
        else:
            changes[f"{line.path}.data"] = step_id
    return [*edits, EditStep(kind="edit_step", step=plotted.figure.id, changes=changes)]


def _without(lines: Sequence[Line], plotted: PlottedFigure) -> list[Edit]:
    """The figure without some lines, panels that are left empty gone, and steps that nothing reads any more removed."""
    gone = {(line.panel, line.place) for line in lines}
    kept: list[Panel] = []
    for row, panel in enumerate(plotted.panels):
        traces = [trace for place, trace in enumerate(panel.traces) if (row, place) not in gone]
        if traces:
            kept.append(panel.model_copy(update={"traces": traces}))
    if not kept:
        raise OpenQuestion("Nothing would be left in the figure. What shall be drawn instead?")
    removals: dict[str, None] = {}
    for row, panel in enumerate(plotted.panels):
        places = [place for place in range(len(panel.traces)) if (row, place) in gone]
        if len(places) == len(panel.traces):
            removals[f"figure.panels[{row}]"] = None
        else:
            removals |= {f"figure.panels[{row}].traces[{place}]": None for place in places}
    edits: list[Edit] = [EditStep(kind="edit_step", step=plotted.figure.id, changes=removals)]
    drawn_still = {trace.data for panel in kept for trace in panel.traces}
    orphans = _orphans(lines, plotted, drawn_still)
    return [*edits, *_without_words(lines, plotted, {edit.step for edit in orphans}), *orphans]


def _without_words(lines: Sequence[Line], plotted: PlottedFigure, removed: Set[str]) -> list[Edit]:
    """Title and assumptions without missions and operations of which nothing is left."""
    gone = {(line.panel, line.place) for line in lines}
    left = {mission for line in plotted.lines if (line.panel, line.place) not in gone for mission in line.missions}
    missions, title = [mission for mission in plotted.missions if mission not in left], plotted.pipeline.title
    for mission in missions:
        title = re.sub(rf"(?: and|,) {re.escape(mission)}\b|\b{re.escape(mission)}(?: and|,) ", "", title, count=1)
    done = [(step.id in removed, step.compute.operation or "") for step in plotted.pipeline.steps if step.compute]
    lost = {operation for is_removed, operation in done if is_removed} - {each for is_removed, each in done if not is_removed}
    assumptions = still_true(plotted.pipeline.assumptions, gone=lost, missions=missions)
    changes: dict[Any, Any] = {} if title == plotted.pipeline.title else {"title": title}
    if assumptions != plotted.pipeline.assumptions:
        changes["assumptions"] = assumptions or None
    return [EditPipeline(kind="edit_pipeline", changes=changes)] if changes else []


def _orphans(lines: Sequence[Line], plotted: PlottedFigure, drawn_still: set[str]) -> list[RemoveStep]:
    """Removal of the steps that only the lines gone were made from, the last first."""
    figures = [step for step in plotted.pipeline.steps if step.figure and step.id != plotted.figure.id]
    ends = [*drawn_still, *(reference for step in figures for _, reference in step.references)]
    needed = {step.id for end in ends for step in plotted.upstream(end)}
    if plotted.figure.figure is not None and plotted.figure.figure.events:
        needed.add(plotted.figure.figure.events)
    unused = {step.id for line in lines for step in plotted.upstream(line.trace.data)} - needed
    return [RemoveStep(kind="remove_step", step=step.id) for step in reversed(plotted.pipeline.steps) if step.id in unused]


def _free(wanted: str, taken: set[str]) -> str:
    step_id, number = wanted[:70], 2
    while step_id in taken:
        step_id, number = f"{wanted[:70]}_{number}", number + 1
    return step_id


def _in_words(length: timedelta) -> str:
    count, _, unit = spoken(length).partition("-")
    return f"{count} {unit}{'' if count == '1' else 's'}"
