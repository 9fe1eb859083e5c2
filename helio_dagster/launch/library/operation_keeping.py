"""Save a step's code as an operation, with part of a trial's records as its example."""

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
from helio_dagster.domain.pipeline import Compute, Pipeline, Step
from helio_dagster.domain.pipeline_fields import is_name
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange, format_duration
from helio_dagster.launch.library.operation_saving import Saved, does_the_same, save_operation
from helio_dagster.launch.running.trial import Trial
from helio_dagster.resources.operation_library import OperationLibrary
from helio_dagster.resources.workbench import Workbench

_RECORDS, _MOST_RECORDS = 24, 240
"""Number of records of an example, and the maximum if the code reads a wide halo."""
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

    Its inputs must have the kind, unit and frame of the trial's inputs. Its example is a short run of their records with the
    code's result. The example shows whether the code does the same later, not whether it is right, and says so.

    Parameters
    ----------
    pipeline, step
        The source of the code.
    trial
        A trial of the step in which the code ran without fault and gave the same result twice.
    operation, summary
        The id, and one sentence on what it does; by default the step's intent.
    library
        Gets the operation, as its next version.
    workbench
        Runs the code.
    progress
        Called with what is being tried.

    Raises
    ------
    InputError
        The step has no code, the id is invalid or a shipped operation's, or an input is not allowed in an example.
    CodeRefused
        The same code is saved already, its example fails, or the code is not deterministic.
    """
    compute = step.compute
    if compute is None or compute.code is None:
        raise InputError(f"the step {step.id} has no code", hint="Only a step with `code:` can be saved as an operation.")
    if step.named_results:
        problem = f"the code of {step.id} gives {len(step.named_results)} results, and an operation gives one"
        raise InputError(problem, hint="Save code that returns one of them alone.")
    if not is_name(operation):
        hint = "Use lower-case letters, digits and underscores, starting with a letter."
        raise InputError(f"{operation!r:.80} is not a valid operation id", hint=hint)
    tables = _stretch(trial, compute)
    progress(f"running {step.id} on the records of its example")
    draft = _draft(pipeline, trial, step, compute, called=(operation, summary.strip()), tables=tables)
    kept = _completed(draft, workbench)
    general = _by_place(draft, tables)
    if general is not None and (other := _same_result(general, kept, workbench)) is not None:
        kept = other
    progress(f"running {operation} on its example, and twice more in different environments")
    kept = kept.model_copy(update={"version": _next_version(kept, library)})
    return save_operation(kept, library, workbench)


def _stretch(trial: Trial, compute: Compute) -> dict[str, ExampleTable]:
    """A run of records of each input over the same time, starting where all have valid values."""
    first = next(iter(trial.inputs.values()))
    known = [times[0] for table in trial.inputs.values() if len(times := valid_times(table))]
    if len(known) < len(trial.inputs):
        raise InputError(f"{trial.asset} has nothing to compute in {trial.partition}", hint="Give a range with data.")
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
    if meta.axes or meta.bin_names or any(table.columns[each].dtype.kind not in "fiu" for each in meta.data_names):
        raise InputError(
            f"the input {name} is not allowed in an example", hint="Its columns must be numbers and its bins fixed."
        )
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
    """The operation, its example still without a result."""
    intent = step.intent.strip()
    names = trial.table.meta.data_names
    taken = f"step {step.id} of the pipeline {pipeline.name}"
    source = f"the code's own result for data of {trial.partition} when it was saved, not an independent one"
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
        raise InputError(
            f"the step {step.id} cannot be saved as an operation: {first['msg']}", hint="Change it first."
        ) from None


def _input(name: str, table: ExampleTable, pipeline: Pipeline, compute: Compute) -> InputSpec:
    """The requirements on an input: like the trial's."""
    reference = str(compute.inputs[name])
    intents = {step.id: step.intent.strip() for step in pipeline.steps}
    return InputSpec(
        meaning=intents.get(reference.removeprefix(f"{pipeline.name}/")) or reference,
        kinds=[table.kind],
        unit=table.unit or None,
        columns=len(table.columns) if table.kind == "vector" else None,
        frames=[table.frame] if table.frame else [],
    )


def _next_version(kept: OperationFile, library: OperationLibrary) -> int:
    """The next version of an id; CodeRefused if an existing version does the same."""
    for other in library.files():
        if other.id == kept.id and does_the_same(other, kept):
            hint = f"Name it in the pipeline: operation: {other.reference_name}."
            raise CodeRefused(f"this code is saved already, as {other.reference_name}", where=kept.id, hint=hint)
    return max(library.versions(kept.id), default=0) + 1


def _completed(draft: OperationFile, workbench: Workbench) -> OperationFile:
    """The operation with its code's result for the example; raises the code's error if it fails."""
    example = draft.examples[0]
    operation = CodeOperation(draft).confined_by(lambda: workbench.workers.sandbox)
    given = {name: table.table() for name, table in example.inputs.items()}
    result = operation.apply(given, operation.read_options(example.options), _ANY_TIME, "result")
    first = next(iter(example.inputs.values()))
    seconds = tuple(float(each) for each in (result.time - np.datetime64(first.start, "ns")) / np.timedelta64(1, "s"))
    expected = {name: _numbers(values) for name, values in result.columns.items()}
    if not any(number is not None for numbers in expected.values() for number in numbers):
        raise InputError(f"the code gives no value for {len(first.seconds or ())} records", hint="Give a range with more data.")
    done = example.model_copy(update={"expected": expected, "seconds": seconds, "unit": result.meta.unit})
    return draft.model_copy(update={"examples": [done]})


def _same_result(general: OperationFile, kept: OperationFile, workbench: Workbench) -> OperationFile | None:
    """The general form, if it gives the same result."""
    try:
        found = _completed(general, workbench)
    except HelioError:
        return None
    return found if found.examples == kept.examples else None


def _by_place(draft: OperationFile, tables: Mapping[str, ExampleTable]) -> OperationFile | None:
    """The operation with input columns selected by position, so that other names work; None if it selects none by name."""
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
    """The position of a named column, or the positions of a list of them; None for anything else."""
    match columns:
        case ast.Constant(value=str(name)) if name in names:
            return names.index(name)
        case ast.List(elts=elements):
            places = [_places(each, names) for each in elements]
            return [each for each in places if isinstance(each, int)] if all(isinstance(each, int) for each in places) else None
    return None


def _extent(node: ast.expr, starts: list[int]) -> tuple[int, int]:
    """The byte range of an expression in the code."""
    stop_line, stop_column = node.end_lineno or node.lineno, node.end_col_offset or 0
    return starts[node.lineno - 1] + node.col_offset, starts[stop_line - 1] + stop_column


def _numbers(values: np.ndarray[Any, Any]) -> Numbers:
    return tuple(None if math.isnan(value) else float(value) for value in values.astype(np.float64).tolist())
