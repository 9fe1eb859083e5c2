"""A step's code as an operation of its own, its example a stretch of a trial's records. Saving is `operation_saving`'s."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from pydantic import ValidationError

from helio_dagster.compute.code_operation import CodeOperation
from helio_dagster.compute.operation_file import InputSpec, OperationFile, OutputSpec
from helio_dagster.compute.operations.examples import Example, ExampleTable, Numbers
from helio_dagster.domain.code_check import parse_body
from helio_dagster.domain.coverage import cadence_s, valid_times
from helio_dagster.domain.errors import CodeRefused, HelioError, InputError
from helio_dagster.domain.inquiry import Progress, keep_silent
from helio_dagster.domain.pipeline import Compute, Pipeline, Step, is_name
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, format_duration
from helio_dagster.launch.library.operation_saving import Saved, does_the_same, save_operation
from helio_dagster.launch.running.trial import Trial
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.resources.workbench import Workbench

_RECORDS, _MOST_RECORDS = 24, 240
"""Records of an example, and the most where the code reads far around."""
_ANY_TIME = TimeRange(datetime(1950, 1, 1, tzinfo=UTC), datetime(2150, 1, 1, tzinfo=UTC))


def keep_operation(
    pipeline: Pipeline,
    trial: Trial,
    step: Step,
    operation: str,
    summary: str,
    *,
    library: OperationLibrary,
    workbench: Workbench,
    progress: Progress = keep_silent,
) -> Saved:
    """Save a step's code as an operation.

    Its inputs are what those of the trial are: kind, unit, frame. Its example is a short run of their records, and what the
    code made of it; that tells whether it does the same later, not whether it is right, and the example says so.

    Parameters
    ----------
    pipeline, step
        What the code is taken from.
    trial
        Of the step: the code has run without fault, and twice the same.
    operation, summary
        The id and what it does in a sentence; the step's intent where not given.
    library
        Takes it, in the version after the last.
    workbench
        Where the code runs.
    progress
        Called with what is tried.

    Raises
    ------
    InputError
        The step has no code, the id is none or a shipped operation's, or its inputs is not allowed in an example.
    CodeRefused
        The same code is saved already; its example, or the check of determinism, speaks against it.
    """
    compute = step.compute
    if compute is None or compute.code is None:
        raise InputError(f"the step {step.id} has no code", hint="Only a step with `code:` can be kept as an operation.")
    if not is_name(operation):
        hint = "Ids begin with a small letter and hold small letters, digits and underscores."
        raise InputError(f"{operation!r:.80} cannot name an operation", hint=hint)
    tables = _stretch(trial, compute)
    progress(f"{step.id} is run on the records of its example")
    draft = _draft(pipeline, trial, step, compute, called=(operation, summary.strip()), tables=tables)
    kept = _completed(draft, workbench)
    general = _by_place(draft, tables)
    if general is not None and (other := _same_result(general, kept, workbench)) is not None:
        kept = other
    progress(f"{operation} is run on its example, and twice more in other surroundings")
    kept = kept.model_copy(update={"version": _next_version(kept, library)})
    return save_operation(kept, library, workbench)


def _stretch(trial: Trial, compute: Compute) -> dict[str, ExampleTable]:
    """A run of records of each input, over the same time, from where all begin to have valid values."""
    first = next(iter(trial.inputs.values()))
    known = [times[0] for table in trial.inputs.values() if len(times := valid_times(table))]
    if len(known) < len(trial.inputs):
        raise InputError(f"{trial.asset} has nothing to compute in {trial.partition}", hint="Give a range that has data.")
    begin = max(known)
    reach = (compute.lookback or timedelta(0)) + (compute.lookahead or timedelta(0))
    wanted = max(_RECORDS, math.ceil(2 * reach.total_seconds() / (cadence_s(first) or 60.0)))
    following = first.time[first.time >= begin][: min(wanted, _MOST_RECORDS)]
    start = np.datetime_as_string(following[0].astype("datetime64[s]"), unit="s")
    return {
        name: _example_table(name, table, following[0], following[-1], datetime.fromisoformat(str(start)))
        for name, table in trial.inputs.items()
    }


def _example_table(name: str, table: Table, first: np.datetime64, last: np.datetime64, start: datetime) -> ExampleTable:
    inside = (table.time >= first) & (table.time <= last)
    meta = table.meta
    if meta.bin_names or any(table.columns[each].dtype.kind not in "fiu" for each in meta.data_names):
        raise InputError(f"the input {name} is not allowed in an example", hint="Its columns must be numbers, its bins fixed.")
    seconds = (table.time[inside] - np.datetime64(start, "ns")) / np.timedelta64(1, "s")
    return ExampleTable(
        columns={each: _numbers(table.columns[each][inside]) for each in meta.data_names},
        kind=meta.kind,
        unit=meta.unit,
        frame=meta.frame,
        seconds=tuple(float(each) for each in seconds),
        start=start,
        bins=meta.bins,
    )


def _draft(
    pipeline: Pipeline,
    trial: Trial,
    step: Step,
    compute: Compute,
    *,
    called: tuple[str, str],
    tables: Mapping[str, ExampleTable],
) -> OperationFile:
    """The operation, its example without what comes of it."""
    intent = step.intent.strip()
    names = trial.table.meta.data_names
    taken = f"step {step.id} of the pipeline {pipeline.name}"
    source = f"what the code gave for data of {trial.partition} when it was saved; nothing independent"
    try:
        return OperationFile(
            id=called[0],
            summary=called[1] or intent or f"What {taken} does.",
            when=f"As in {taken}, on inputs like those.",
            inputs={name: _input(name, table, pipeline, compute) for name, table in tables.items()},
            output=OutputSpec(
                meaning=intent or f"The result of {taken}.",
                unit=compute.unit or "",
                frame=compute.frame,
                columns=[] if len(names) == 1 else list(names),
            ),
            lookback=format_duration(compute.lookback or timedelta(0)),
            lookahead=format_duration(compute.lookahead or timedelta(0)),
            reference=f"The code itself, written for {taken}.",
            origin="generated",
            examples=[Example(inputs=dict(tables), expected={}, unit=trial.table.meta.unit, source=source)],
            code=compute.code or "",
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"the step {step.id} cannot be kept: {first['msg']}", hint="Change it first.") from None


def _input(name: str, table: ExampleTable, pipeline: Pipeline, compute: Compute) -> InputSpec:
    """What an input must be: like that of the trial."""
    reference = compute.inputs[name]
    intents = {step.id: step.intent.strip() for step in pipeline.steps}
    return InputSpec(
        meaning=intents.get(reference.removeprefix(f"{pipeline.name}/")) or reference,
        kinds=[table.kind],
        unit=table.unit or None,
        columns=len(table.columns) if table.kind == "vector" else None,
        frames=[table.frame] if table.frame else [],
    )


def _next_version(kept: OperationFile, library: OperationLibrary) -> int:
    """The version after the last of the same id; CodeRefused where one of them does the same."""
    for other in library.files():
        if other.id == kept.id and does_the_same(other, kept):
            hint = f"Name it in the pipeline: operation: {other.reference_name}."
            raise CodeRefused(f"this code is saved already, as {other.reference_name}", where=kept.id, hint=hint)
    return max(library.versions(kept.id), default=0) + 1


def _completed(draft: OperationFile, workbench: Workbench) -> OperationFile:
    """The operation with what its code gives for its example; raises what the code fails of."""
    example = draft.examples[0]
    operation = CodeOperation(draft).confined_by(lambda: workbench.workers.sandbox)
    given = {name: table.table() for name, table in example.inputs.items()}
    result = operation.apply(given, operation.read_options(example.options), _ANY_TIME, "result")
    first = next(iter(example.inputs.values()))
    seconds = tuple(float(each) for each in (result.time - np.datetime64(first.start, "ns")) / np.timedelta64(1, "s"))
    expected = {name: _numbers(values) for name, values in result.columns.items()}
    if not any(number is not None for numbers in expected.values() for number in numbers):
        raise InputError(
            f"the code gives no value for {len(first.seconds or ())} records", hint="Give a range that has more data."
        )
    done = example.model_copy(update={"expected": expected, "seconds": seconds, "unit": result.meta.unit})
    return draft.model_copy(update={"examples": [done]})


def _same_result(general: OperationFile, kept: OperationFile, workbench: Workbench) -> OperationFile | None:
    """The general form, where it gives the same."""
    try:
        found = _completed(general, workbench)
    except HelioError:
        return None
    return found if found.examples == kept.examples else None


def _by_place(draft: OperationFile, tables: Mapping[str, ExampleTable]) -> OperationFile | None:
    """The operation with columns of its inputs read by place, so that inputs with other names serve; None where it has none."""
    code = draft.code
    spots: list[tuple[int, int, str]] = []
    starts = [0]
    for line in code.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for node in ast.walk(parse_body(code)):
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=columns, ctx=ast.Load()) if name in tables:
                if (places := _places(columns, list(tables[name].columns))) is not None:
                    spots.append((*_extent(node, starts), f"{name}.iloc[:, {places}]"))
    text = code.encode()
    for begin, stop, instead in sorted(spots, reverse=True):
        text = text[:begin] + instead.encode() + text[stop:]
    return draft.model_copy(update={"code": text.decode()}) if spots else None


def _places(columns: ast.expr, names: list[str]) -> int | list[int] | None:
    """The place of a column that is named, or the places of a list of them; None of all else."""
    match columns:
        case ast.Constant(value=str(name)) if name in names:
            return names.index(name)
        case ast.List(elts=elements):
            places = [_places(each, names) for each in elements]
            return [each for each in places if isinstance(each, int)] if all(isinstance(each, int) for each in places) else None
    return None


def _extent(node: ast.expr, starts: list[int]) -> tuple[int, int]:
    """Bytes of the code that an expression takes."""
    stop_line, stop_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[stop_line - 1] + stop_column


def _numbers(values: np.ndarray[Any, Any]) -> Numbers:
    return tuple(None if math.isnan(value) else float(value) for value in values.astype(np.float64).tolist())
