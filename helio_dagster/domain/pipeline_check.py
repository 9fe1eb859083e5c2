"""Rules over whole pipelines, checked before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.code_check import CodeFault, find_code_faults
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import Problem
from helio_dagster.domain.event_check import event_faults, event_notes, exclusion_faults
from helio_dagster.domain.event_table import EventTableError, read_events
from helio_dagster.domain.expectation_check import expectation_faults
from helio_dagster.domain.figure import RANGE_HINT, Figure
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.meta_check import FindFigureFaults, GetOperation, MetaCheck, StepFault, no_figure_faults
from helio_dagster.domain.named_results import single_result_fault
from helio_dagster.domain.pipeline import NamedResult, Pipeline, Step
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.range_check import range_faults
from helio_dagster.domain.schedule import schedule_fault
from helio_dagster.domain.sparse_check import sparse_notes
from helio_dagster.domain.whose_check import whose_faults
from helio_dagster.domain.yaml.document import Path, parse_path

Node = tuple[str, str]
FindCodeFaults = Callable[[str, Sequence[str]], Iterable[CodeFault]]
"""Pipeline and step."""


@dataclass
class Findings:
    """What a check found: problems forbid running, notes do not."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


def examine_pipelines(
    pipelines: Mapping[str, PipelineFile],
    get_operation: GetOperation,
    catalog: Catalog,
    *,
    is_thorough: bool = True,
    find_code_faults: FindCodeFaults = find_code_faults,
    find_figure_faults: FindFigureFaults = no_figure_faults,
    read_list: Callable[[str, str], str] | None = None,
) -> Findings:
    """Check pipelines, each by itself and all together.

    Parameters
    ----------
    pipelines
        Name to pipeline: all that references may lead to.
    get_operation
        Gives the registered operation of an id; InputError where there is none.
    catalog
        Knows datasets.
    is_thorough
        Look for near names of what is not catalogued, too, which costs and only makes notes.
    find_code_faults
        What is wrong with a step's code, given its names; by default what can be known without any library.
    find_figure_faults
        What drawing would refuse of a figure; by default nothing.
    read_list
        Reads a list of events beside a pipeline, given the pipeline's name and the file's; by default none can be read.

    Returns
    -------
    Findings
        Problems and notes in order of file and line.
    """
    findings = Findings()
    parsed = {name: file.pipeline for name, file in pipelines.items()}
    for file in pipelines.values():
        findings.problems += _shape_problems(file, find_code_faults)
        findings.problems += [file.problem(*fault) for fault in event_faults(file.pipeline, read_list, parsed)]
        findings.problems += [file.problem(*fault) for fault in exclusion_faults(file.pipeline, parsed, read_list)]
        findings.notes += [file.problem(*fault) for fault in event_notes(file.pipeline, read_list)] if is_thorough else []
        findings.problems += _reference_problems(file, pipelines)
        findings.notes += [*_schedule_notes(file), *_start_notes(file, catalog), *_approval_notes(file)]
    rings = list(_rings(pipelines))
    findings.problems += [problem for ring in rings for problem in _ring_problems(ring, pipelines)]
    checked = MetaCheck(parsed, catalog, get_operation, is_thorough=is_thorough, find_figure_faults=find_figure_faults)
    blocked = {node for ring in rings for node in ring}
    for name, file in pipelines.items():
        if (listed := file.pipeline.foreign_list) is not None:
            owner, _, step_id = listed.partition("/")
            made, _ = checked.meta((owner, step_id), blocked=blocked)
            if made.columns and made.kind != "events":
                hint = "Name a step that computes events, such as intervals_where."
                findings.problems.append(
                    file.problem(("partitions", "events"), f"{listed!r} is a {made.kind}, not events", hint)
                )
        for index, step in enumerate(file.pipeline.steps):
            own = [step, *step.named_results]
            for fault in [
                *dict.fromkeys(fault for each in own for fault in checked.faults((name, each.id), blocked=blocked)),
                *range_faults(file.pipeline, step, parsed, get_operation),
                *whose_faults(file.pipeline, step, parsed, catalog, get_operation),
                *sparse_notes(file.pipeline, step, parsed, catalog, get_operation),
                *_expectation_faults(name, step, checked, blocked),
            ]:
                found = file.problem(("steps", index, *fault.path), fault.problem, fault.hint)
                (findings.notes if fault.is_note else findings.problems).append(found)
    for faults in (findings.problems, findings.notes):
        faults.sort(key=lambda problem: (problem.file, problem.line))
    return findings


def _expectation_faults(name: str, step: Step, checked: MetaCheck, blocked: set[Node]) -> Iterator[StepFault]:
    """What a step expects that its result, or its result of facts, cannot be."""
    for each in step.named_results or [step]:
        meta, is_sure = checked.meta((name, each.id), blocked=blocked)
        yield from expectation_faults(each, meta, is_sure=is_sure)


def _shape_problems(file: PipelineFile, find_code_faults: FindCodeFaults) -> Iterator[Problem]:
    """Faults inside one pipeline that need no other step's meaning."""
    seen: dict[str, int] = {}
    for index, step in enumerate(file.pipeline.steps):
        named: list[tuple[str, Path]] = [(each.id, ("compute", "results", each.id)) for each in step.named_results]
        for name, inside in [(step.id, Path(("id",))), *named]:
            if name in seen:
                what = "the id" if inside == ("id",) else "the name of a result"
                hint = f"steps[{seen[name]}] has it already; give each step and each result its own."
                problem = f"{what} {name!r} appears twice" if what == "the id" else f"{what}, {name!r}, is taken"
                yield file.problem(("steps", index, *inside), problem, hint)
            seen.setdefault(name, index)
        yield from _step_problems(file, step, ("steps", index), find_code_faults)
    if file.pipeline.schedule is not None and (fault := schedule_fault(file.pipeline.schedule)):
        yield file.problem(("schedule",), fault, "Write daily, weekly, monthly, on_change, or five fields such as 0 6 * * 1.")


def _start_notes(file: PipelineFile, catalog: Catalog) -> Iterator[Problem]:
    """A `start:` before there are any data: its first partitions will be empty."""
    pipeline = file.pipeline
    fetches = [step.fetch for step in pipeline.steps if step.fetch is not None]
    starts = [catalog.start(fetch.archive, fetch.dataset) for fetch in fetches]
    known = [start for start in starts if start is not None]
    if pipeline.start is not None and known and len(known) == len(starts):
        first = min(known)
        if pipeline.start < min(pipeline.grain.floor(first), Grain.DAILY.floor(first)):
            problem = f"the data begin only in {first:%Y-%m-%d}: partitions before that will be empty"
            yield file.problem(("start",), problem, f"Write start: {first:%Y-%m-%d}, or leave it out.")


def _step_problems(file: PipelineFile, step: Step, path: Path, find_code_faults: FindCodeFaults) -> Iterator[Problem]:
    if step.table:
        try:
            read_events(step.table)
        except EventTableError as error:
            at = (*path, "table", "csv")
            yield file.problem(at, error.problem, error.hint, line=_line_inside(file, at, error.line))
    if step.compute and step.compute.code is not None:
        at = (*path, "compute", "code")
        for fault in find_code_faults(step.compute.code, list(step.compute.inputs)):
            yield file.problem(at, fault.problem, fault.hint, line=_line_inside(file, at, fault.line))
    if step.figure:
        yield from _axis_problems(file, step.figure, (*path, "figure"))


def _axis_problems(file: PipelineFile, figure: Figure, path: Path) -> Iterator[Problem]:
    for row, panel in enumerate(figure.panels):
        for name, axis in (("x", panel.x), ("y", panel.y), ("z", panel.z)):
            if axis.fault:
                yield file.problem((*path, "panels", row, name, "range"), axis.fault, RANGE_HINT)


def _line_inside(file: PipelineFile, path: Path, line: int) -> int:
    """Line of the file where the given line of a text value is; 0 where the value is not a literal block."""
    place = file.document.places.get(path)
    return place.line + line if place is not None and place.style == "|" and line else 0


def _reference_problems(file: PipelineFile, everything: Mapping[str, PipelineFile]) -> Iterator[Problem]:
    for index, step in enumerate(file.pipeline.steps):
        for inside, reference in step.references:
            path = ("steps", index, *parse_path(inside))
            target, fault, hint = _resolve(file.pipeline, reference, everything)
            if target is None:
                yield file.problem(path, fault, hint)
            elif several := single_result_fault(target, reference.rpartition("/")[0]):
                yield file.problem(path, *several)
            elif fault := _misuse(target, inside):
                yield file.problem(path, f"{reference!r} is a {target.kind}: {fault}", _hint_for(target, inside))


def _resolve(pipeline: Pipeline, reference: str, everything: Mapping[str, PipelineFile]) -> tuple[Step | None, str, str]:
    """The step a reference leads to, or what is wrong with it and what to do."""
    name, _, step_id = reference.rpartition("/")
    if name and name != pipeline.name:
        if name not in everything:
            return None, f"there is no pipeline {name!r}", remedy(name, everything, what="pipelines")
        pipeline = everything[name].pipeline
    ids = [step.id for step in pipeline.nodes]
    if step_id not in ids:
        where = f" in the pipeline {name!r}" if name else ""
        return None, f"there is no step {step_id!r}{where}", remedy(step_id, ids, what="steps")
    return pipeline.step(step_id), "", ""


def _misuse(target: Step, inside: str) -> str:
    if inside == "figure.events" or inside.endswith(".each.events"):
        return "" if target.kind in ("table", "compute") else "events are rows of a table"
    if inside.startswith("exclude"):
        return "" if target.kind in ("table", "compute") else "it lists no intervals"
    if target.kind == "figure":
        return "nothing can be computed or drawn from it"
    return "its rows are not data to draw" if target.kind == "table" and inside.startswith("figure") else ""


def _hint_for(target: Step, inside: str) -> str:
    if inside.startswith("exclude"):
        return "Refer to a step with `table:` or `events:`, or one that computes events."
    if inside == "figure.events" or inside.endswith(".each.events"):
        return "Refer to a step with `table:`, or one that computes events."
    return "Mark its rows with `events:`." if target.kind == "table" else "Refer to what the figure draws."


def _schedule_notes(file: PipelineFile) -> Iterator[Problem]:
    if file.pipeline.schedule is None:
        for key in ("lag", "recheck"):
            if getattr(file.pipeline, key) is not None:
                yield file.problem((key,), f"{key} does nothing without a schedule", "Add schedule: daily, or leave it out.")


def _approval_notes(file: PipelineFile) -> Iterator[Problem]:
    """An approval of something else than what is there now."""
    approved = file.pipeline.approved
    if approved is not None and not file.is_as_approved:
        problem = f"changed since {approved.by} approved it on {approved.at:%Y-%m-%d}"
        yield file.problem(("approved",), problem, "Approve it again, or remove `approved:`.")


def _rings(pipelines: Mapping[str, PipelineFile]) -> Iterator[list[Node]]:
    """Steps that wait for each other, one ring at a time; each begins and closes with the same step."""
    graph: dict[Node, set[Node]] = {}
    for name, file in pipelines.items():
        for step in file.pipeline.nodes:
            needed = graph.setdefault((name, step.id), set())
            for _, reference in step.references:
                other, _, step_id = reference.rpartition("/")
                needed.add((other or name, step_id))
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            ring: list[Node] = error.args[1]
            yield ring
            for node in ring:
                graph[node] = set()
        else:
            return


def _ring_problems(ring: list[Node], pipelines: Mapping[str, PipelineFile]) -> Iterator[Problem]:
    """The fault at the first of its steps in every pipeline that takes part."""
    for name, step_id in dict(reversed(ring)).items():
        file = pipelines[name]
        found = file.pipeline.step(step_id)
        written = found.made_by if isinstance(found, NamedResult) else step_id
        index = next(index for index, step in enumerate(file.pipeline.steps) if step.id == written)
        shown = " -> ".join(step if owner == name else f"{owner}/{step}" for owner, step in ring)
        yield file.problem(("steps", index), f"steps wait for each other: {shown}", "Let one of them read something else.")
