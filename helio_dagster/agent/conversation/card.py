"""The plan as a person is shown it before anything runs or is written. Who decides on it is `conversation`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from helio_dagster.domain.amounts import readable_duration, readable_size
from helio_dagster.domain.errors import Problem
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_comparison import Change, Comparison, compare_pipelines
from helio_dagster.domain.pipeline_text import PipelineFile, pipeline_to_document
from helio_dagster.domain.report import Estimate
from helio_dagster.domain.time_range import TimeRange, format_time

BYTES_PER_S = 5e6
"""What a network is taken to carry, for a rough idea of how long a run lasts."""
START_S, PARTITION_S = 3.0, 0.015
_LONGEST_VALUE = 120


@dataclass(frozen=True)
class Card:
    """A plan to decide on.

    `base` is the saved pipeline that it changes, None for a new one; `earlier` is what was shown before it; `notes` are the
    check's, `remarks` the planner's; `problem` says why there is no estimate.
    """

    file: PipelineFile
    span: TimeRange | None
    base: PipelineFile | None = None
    earlier: PipelineFile | None = None
    estimate: Estimate | None = None
    problem: str = ""
    notes: tuple[Problem, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline that is planned."""
        return self.file.pipeline

    @property
    def comparison(self) -> Comparison | None:
        """What it says differently from the saved one, or from the plan that was shown before."""
        other = self.base or self.earlier
        return compare_pipelines(other.pipeline, self.pipeline) if other else None

    @property
    def partitions(self) -> int:
        """Partitions of the range; 0 where there is no range."""
        return len(self.pipeline.partitions.keys(self.span)) if self.span else 0

    @property
    def seconds(self) -> float | None:
        """A rough idea of how long the run lasts."""
        if self.estimate is None or self.estimate.download_bytes is None:
            return None
        return START_S + PARTITION_S * self.estimate.partitions + self.estimate.download_bytes / BYTES_PER_S

    @property
    def text_difference(self) -> str:
        """The lines of the file that differ from the saved one."""
        if self.base is None:
            return ""
        old, new = (file.text.splitlines(keepends=True) for file in (self.base, self.file))
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in unified_diff(old, new, "saved", "planned", n=1))

    def text(self) -> str:
        """The card as a person reads it."""
        return "\n".join(self._lines())

    def facts(self) -> dict[str, Any]:
        """The card as programs read it."""
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
            "notes": [*self.remarks, *(_told(note) for note in self.notes)],
        }

    def _lines(self) -> Iterator[str]:
        pipeline = self.pipeline
        yield f"{pipeline.title or pipeline.name}   [{pipeline.name}.yaml, {'changed' if self.base else 'new'}]"
        if self.span is not None:
            count = f"{self.partitions:,} {pipeline.partitions} partition{'s' if self.partitions != 1 else ''}"
            yield f"  time     {self.span} (the stop is excluded), {count}"
        width = max(len(step.id) for step in pipeline.steps)
        yield from (f"  {step.kind:8} {step.id:{width}}  {describe_step(step)}" for step in pipeline.steps)
        comparison, known = self.comparison, set((self.base or self.earlier or self.file).pipeline.assumptions)
        told = [each for each in pipeline.assumptions if comparison is None or each not in known]
        yield from (f"  assumed  {assumption}" for assumption in told)
        if comparison is not None:
            yield from (f"  change   {line}" for line in _differences(comparison))
        yield from self._code(comparison)
        yield from (f"  note     {remark}" for remark in self.remarks)
        yield from (f"  note     {_told(note)}" for note in self.notes)
        yield f"  ahead    {self._ahead()}"

    def _code(self, comparison: Comparison | None) -> Iterator[str]:
        """The code that a person shall read: all of it in a new plan, what is new or changed in an edit."""
        touched = None if comparison is None else {step.step for step in comparison.steps}
        for step in self.pipeline.steps:
            if step.compute and step.compute.code and (touched is None or step.id in touched):
                yield f"  code     of {step.id}, to be read:"
                yield from (f"           | {line}" for line in step.compute.code.rstrip().splitlines())

    def _ahead(self) -> str:
        if self.span is None:
            return "no time range is named: it can be saved, and run later"
        ahead = self.estimate
        if ahead is None:
            return f"not known: {self.problem}" if self.problem else "not known"
        if not ahead.partitions:
            return "nothing is to be made: all of it is there and fresh"
        made = f"{ahead.partitions:,} partition{'s' if ahead.partitions != 1 else ''} to make (halos included)"
        if ahead.problem:
            return f"{made}; the download is not known: {ahead.problem}"
        if not ahead.files:
            return f"{made} from what is stored; nothing to download"
        size = "of unknown size" if ahead.download_bytes is None else readable_size(ahead.download_bytes)
        time = "" if self.seconds is None else f"; roughly {readable_duration(self.seconds)}"
        files = f"{ahead.files:,} file{'s' if ahead.files != 1 else ''}"
        return f"{made} from {files} ({ahead.at_hand:,} at hand); download {size}{time}"


def describe_step(step: Step) -> str:
    """What a step does, in its own words and with what it is made of."""
    made = ""
    if step.fetch is not None:
        made = f"{step.fetch.archive}: {step.fetch.dataset} {step.fetch.parameter}"
    elif step.compute is not None:
        given = [*step.compute.inputs.values(), *(f"{name}={value}" for name, value in step.compute.options.items())]
        made = f"{step.compute.operation or 'code'}({', '.join(given)})"
    return f"{step.intent} ({made})" if step.intent and made else step.intent or made


def _differences(comparison: Comparison) -> Iterator[str]:
    if comparison.is_same:
        yield "none: it means the same as what is saved"
    yield from (_changed(change) for change in comparison.head)
    for step in comparison.steps:
        if step.changes:
            yield from (f"{step.step}: {_changed(change)}" for change in step.changes)
        else:
            yield f"{step.what} {step.kind} {step.step}"


def _changed(change: Change) -> str:
    return f"{change.path}: {_value(change.old)} -> {_value(change.new)}"


def _value(value: object) -> str:
    text = "not given" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _told(note: Problem) -> str:
    return f"{note.path}: {note.problem}. {note.hint}".strip()
