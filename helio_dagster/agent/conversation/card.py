"""The plan as shown to a person before anything is run or written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import Any

from helio_dagster.agent.answers import ignored_line
from helio_dagster.agent.claims.holding import unverified_line
from helio_dagster.agent.conversation.ahead import seconds_of, tell_ahead
from helio_dagster.agent.conversation.changes import describe_step, tell_changes
from helio_dagster.agent.conversation.event_words import tell_window
from helio_dagster.agent.conversation.expectation_words import tell_expectation
from helio_dagster.agent.looks_in_words import tell_looks
from helio_dagster.agent.suggested_checks import suggested_document, tell_suggested
from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import Problem
from helio_dagster.domain.event_partitions import EventPartitions
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.pipeline import EventWindows, Pipeline
from helio_dagster.domain.pipeline_comparison import Comparison, compare_pipelines
from helio_dagster.domain.pipeline_text import PipelineFile, pipeline_to_document
from helio_dagster.domain.report import Estimate
from helio_dagster.domain.time_range import TimeRange, format_time

_STEP = re.compile(r"steps\[(\d+)\]")


@dataclass(frozen=True)
class Card:
    """A plan to decide on.

    `base` is the saved pipeline that it changes, None for a new one; `earlier` is what was shown before; `notes` come from the
    check and `remarks` from the planner; `problem` says why there is no estimate. If `is_whole` is false, the person has seen
    the pipeline and only changes are shown; `was` is the range that it was shown for. `is_saved` means that there is nothing to
    decide. `ignored` are words of the `request` that the plan does not use. `failing` is the error of each step whose code
    failed when it was tried. `unverified` are numbers that a model stated and that stand nowhere. `suggested` are checks for a
    plan that has none, by step.
    """

    file: PipelineFile
    span: TimeRange | None
    base: PipelineFile | None = None
    earlier: PipelineFile | None = None
    estimate: Estimate | None = None
    problem: str = ""
    notes: tuple[Problem, ...] = ()
    remarks: tuple[str, ...] = ()
    is_whole: bool = True
    was: TimeRange | None = None
    is_saved: bool = False
    request: str = ""
    ignored: tuple[str, ...] = ()
    failing: Mapping[str, str] = field(default_factory=dict)
    unverified: tuple[str, ...] = ()
    suggested: Mapping[str, Expectation] = field(default_factory=dict)
    events: EventPartitions | None = None

    @property
    def pipeline(self) -> Pipeline:
        """The planned pipeline."""
        return self.file.pipeline

    @property
    def comparison(self) -> Comparison | None:
        """The differences from the saved pipeline, or from the plan that was shown before."""
        other = self.base or self.earlier
        return compare_pipelines(other.pipeline, self.pipeline) if other else None

    @property
    def partitions(self) -> int:
        """Number of partitions in the range; 0 without a range."""
        if isinstance(self.pipeline.partitions, EventWindows):
            return len(self.events.keys(self.span)) if self.events is not None and self.span else 0
        return len(self.pipeline.grain.keys(self.span)) if self.span else 0

    @property
    def seconds(self) -> float | None:
        """A rough estimate of the run's duration."""
        return seconds_of(self.estimate) if self.estimate else None

    @property
    def text_difference(self) -> str:
        """The lines of the file that differ from the saved one."""
        if self.base is None:
            return ""
        old, new = (file.text.splitlines(keepends=True) for file in (self.base, self.file))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in unified_diff(old, new, "saved", "planned", n=1))

    def text(self) -> str:
        """The card for people. No text of a plan begins a line of its own, where it could pass for one of ours."""
        return "\n".join(" ".join(line.splitlines()) for line in self._lines())

    def facts(self) -> dict[str, Any]:
        """The card for programs."""
        return {
            "pipeline": pipeline_to_document(self.pipeline),
            "yaml": self.file.text,
            "start": format_time(self.span.start) if self.span else None,
            "stop": format_time(self.span.stop) if self.span else None,
            "partitions": self.partitions,
            "estimate": self.estimate.model_dump() if self.estimate else None,
            "seconds": None if self.seconds is None else round(self.seconds),
            "assumptions": list(self.pipeline.assumptions),
            "difference": self.text_difference,
            "request": self.request,
            "ignored": list(self.ignored),
            "failing": dict(self.failing),
            "unverified": list(self.unverified),
            "suggested_checks": suggested_document(self.suggested),
            "notes": [*self.remarks, *(_note_text(note, self.pipeline) for note in self.notes)],
        }

    def _lines(self) -> Iterator[str]:
        pipeline, comparison = self.pipeline, self.comparison
        state = "saved" if self.is_saved else "changed" if self.base else "new"
        yield f"{pipeline.title or pipeline.name}   [{pipeline.name}.yaml, {state}]"
        if self.ignored and self.is_whole:
            yield f"  {ignored_line(self.ignored)}"
        if self.span is not None:
            was = f"; it was {self.was}" if self._is_retimed else ""
            count = counted(self.partitions, f"{pipeline.grain} partition")
            if isinstance(pipeline.partitions, EventWindows):
                count = f"{counted(self.partitions, 'event')}, each {tell_window(pipeline.partitions)}"
            yield f"  time     {self.span} (end exclusive), {count}{was}"
        if self.is_whole:
            width = max(len(step.id) for step in pipeline.steps)
            yield from (f"  {step.kind:8} {step.id:{width}}  {describe_step(step)}".rstrip() for step in pipeline.steps)
            yield from (f"  expected {tell_expectation(step)}" for step in pipeline.steps if step.expect is not None)
            yield from (f"  looks    {line}" for line in tell_looks(pipeline))
        if self._was_called:
            yield f"  name     {pipeline.name}; it was {self._was_called}"
        if comparison is not None and not (comparison.is_same and (self._is_retimed or self._was_called)):
            yield from (f"  change   {line}" for line in tell_changes(comparison, pipeline))
        known = () if comparison is None or self.is_whole else (self.base or self.earlier or self.file).pipeline.assumptions
        assumed = [assumption for assumption in pipeline.assumptions if assumption not in known]
        yield from (f"  assumed  {assumption}" for assumption in assumed)
        yield from self._code(comparison)
        for step, error in self.failing.items():
            first, *others = f"{step}: {error}".splitlines()
            yield from (f"  failed   {first}", *(f"           {line}" for line in others))
        yield from (f"  note     {remark}" for remark in self.remarks if remark not in assumed)
        yield from (f"  note     {_note_text(note, self.pipeline)}" for note in self.notes)
        if self.unverified:
            yield f"  note     {unverified_line(self.unverified)}"
        yield f"  ahead    {self._ahead()}"
        if not self.is_whole:
            yield f"  rest     {self._rest(comparison)}"
        elif self.suggested:
            yield f"  {tell_suggested(self.suggested)}"

    @property
    def _is_retimed(self) -> bool:
        return self.was is not None and self.was != self.span

    @property
    def _was_called(self) -> str:
        """The name that it was shown under before, if it is another one."""
        before = self.earlier.pipeline.name if self.earlier is not None and not self.is_whole else self.pipeline.name
        return "" if before == self.pipeline.name else before

    def _rest(self, comparison: Comparison | None) -> str:
        """A line about the part that is not shown again."""
        touched = {step.step for step in comparison.steps} if comparison else set()
        others = sum(step.id not in touched for step in self.pipeline.steps)
        if not others:
            return "say `show` for the whole plan"
        same = _others(others) if touched else "everything is"
        return f"{same} as before; say `show` for the whole plan"

    def _code(self, comparison: Comparison | None) -> Iterator[str]:
        """The code to be read by the person: all of it in a new plan, only new or changed code in an edit."""
        touched = None if comparison is None or self.is_whole else {step.step for step in comparison.steps}
        for step in self.pipeline.steps:
            if step.compute and step.compute.code and (touched is None or step.id in touched):
                yield f"  code     of {step.id}, please read it:"
                yield from (f"           | {line}" for line in step.compute.code.rstrip().splitlines())

    def _ahead(self) -> str:
        if self.span is None:
            return "no time range given: the plan can be saved and run later"
        if self.estimate is None:
            return f"unknown: {self.problem}" if self.problem else "unknown"
        return tell_ahead(self.estimate, is_listed=not self.is_whole and self.base is not None)


def _others(count: int) -> str:
    return "the other step is" if count == 1 else f"the other {count} steps are"


def _note_text(note: Problem, pipeline: Pipeline) -> str:
    place = _STEP.match(note.path)
    where = pipeline.steps[int(place[1])].id if place else note.path
    return f"{where}: {note.problem}. {note.hint}".strip()
