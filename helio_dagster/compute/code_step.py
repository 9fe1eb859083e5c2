"""A step's code over tables: what goes in, and what its result must be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.compute.code_axes import table_over_axes
from helio_dagster.compute.code_kinds import rows_of, table_of_kind
from helio_dagster.compute.code_result import CodeResult
from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.compute.one_nan import with_one_nan
from helio_dagster.domain.errors import CodeError, ComputeError
from helio_dagster.domain.extent import EXTENT_NAMES, Extents
from helio_dagster.domain.named_tables import pack_tables
from helio_dagster.domain.pipeline import Result, ResultKind
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta, Times
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.sandbox.endings import describe_inputs
from helio_dagster.sandbox.sandbox import Sandbox

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ +.-][A-Za-z0-9_]+)*")
_MOST_NAME = 64
_NO_TIME = timedelta(0)
_MOST_ND_BYTES = 512 * 2**20
"""Of an input with several axes, which crosses into the sandbox whole."""


def run_code(
    sandbox: Sandbox,
    body: str,
    inputs: Mapping[str, Table],
    *,
    window: TimeRange,
    lookback: timedelta = _NO_TIME,
    lookahead: timedelta = _NO_TIME,
    unit: str | None = None,
    frame: str | None = None,
    name: str,
    options: Mapping[str, Any] | None = None,
    kind: ResultKind | None = None,
    units: Mapping[str, str] | None = None,
) -> CodeResult:
    """Result of a step's code inside a partition.

    Parameters
    ----------
    sandbox
        Where the code runs.
    body
        A function body over the inputs: DataFrames with UTC time index, and what they mean in `attrs`; where records have
        several axes, as `sandbox.distributions` has them.
    inputs
        Input name to its records over `[window.start - lookback, window.stop + lookahead)`; the first decides whether there is
        anything to compute.
    window
        Time range of the partition.
    lookback, lookahead
        How far before and after the partition the inputs, and the times of the result, may reach.
    unit, frame
        What the step declares of its result.
    name
        Step id: the column of a result that has one.
    options
        Further local names of the code.
    kind
        What the step declares its result to be, unless it is over time; see `table_of_kind`.
    units
        Units of single columns of the result.

    Returns
    -------
    CodeResult
        Its table has the records inside `window`; float64 columns, NaN where there is no valid value. One column is a series,
        several are a vector, or a spectrogram where an input of that kind has the same columns. Data over one axis are a
        spectrogram, over several `nd`. Its records have an extent where the code also returns `extent_before` and
        `extent_after`. If the first input is empty, the code is not called and the table has no columns.

    Raises
    ------
    CodeError
        The code raised, or its result is not what a step's must be.
    CodeStopped, CodeRefused, SandboxUnavailable, ComputeError
        As `Sandbox.call`; `where` names the partition too.
    """
    stated = Result.model_construct(kind=kind, unit=unit, units=dict(units or {}), frame=frame)
    place = _Place(inputs, window, window.widened(lookback, lookahead))
    if not place.has_records:
        return CodeResult(_nothing(stated, place), "", is_called=False)
    frames = {key: _shown_to_code(table) for key, table in inputs.items()}
    with _located(name, window, frames):
        answer = sandbox.call(body, frames, name=name, options=options, rows=rows_of(kind))
        return CodeResult(_table_of(answer.result, stated, place, name), answer.printed)


def run_code_for_results(
    sandbox: Sandbox,
    body: str,
    inputs: Mapping[str, Table],
    results: Mapping[str, Result],
    *,
    window: TimeRange,
    lookback: timedelta = _NO_TIME,
    lookahead: timedelta = _NO_TIME,
    name: str,
) -> CodeResult:
    """The named results of a step's code inside a partition, computed in one call and packed into one table.

    Parameters
    ----------
    results
        Name to what the step declares of that result; the code returns a mapping of these names.

    The others are those of `run_code`, which says what each result is and which errors there are.
    """
    place = _Place(inputs, window, window.widened(lookback, lookahead))
    start = window.bounds_ns()[0]
    if not place.has_records:
        empty = {each: _nothing(stated, place) for each, stated in results.items()}
        return CodeResult(pack_tables(empty, start), "", is_called=False)
    frames = {key: _shown_to_code(table) for key, table in inputs.items()}
    with _located(name, window, frames):
        rows = {each: rows_of(stated.kind) for each, stated in results.items()}
        answer = sandbox.call(body, frames, name=name, results=rows)
        tables = {}
        for each, stated in results.items():
            try:
                tables[each] = _table_of(answer.results[each], stated, place, each)
            except CodeError as error:
                error.problem = f"{each}: {error.problem}"
                raise
    return CodeResult(pack_tables(tables, start), answer.printed)


@dataclass(frozen=True)
class _Place:
    """What a result is made from, the window that it is for, and where its times may be before it is clipped to that."""

    inputs: Mapping[str, Table]
    window: TimeRange
    reach: TimeRange

    @property
    def has_records(self) -> bool:
        return len(next(iter(self.inputs.values()))) > 0

    @property
    def is_synthetic(self) -> bool:
        return any(table.meta.synthetic for table in self.inputs.values())


@contextmanager
def _located(name: str, window: TimeRange, frames: Mapping[str, pd.DataFrame]) -> Iterator[None]:
    """Say in an error where the code was run, and on what."""
    try:
        yield
    except ComputeError as error:
        error.where = f"{error.where or f'step {name}'}, {window}"
        if isinstance(error, CodeError) and not error.inputs:
            error.inputs = describe_inputs(frames)
        raise


def _nothing(stated: Result, place: _Place) -> Table:
    """The result where there is nothing to compute."""
    unit, frame = stated.unit or "", stated.frame
    return Table.empty(TableMeta(kind="series", columns=(), unit=unit, frame=frame, synthetic=place.is_synthetic))


def _table_of(result: pd.DataFrame, stated: Result, place: _Place, name: str) -> Table:
    """What the code returned, as the table that the step declares, inside the window."""
    unit = stated.unit or ""
    if stated.kind is not None and "axes" in result.attrs:
        problem = f"the code returns data over axes, and the step declares {stated.kind}"
        raise CodeError(problem, hint="Leave out its kind, or return what that has.")
    if stated.kind is not None:
        return _of_kind(result, stated.kind, place.inputs, place.window, name, unit, stated.units, stated.frame)
    time = _checked_time(result.index, place.reach)
    if "axes" in result.attrs:
        found = table_over_axes(result, time, unit=unit, frame=stated.frame, name=name)
        meta = _with_units(found.meta, stated.units).model_copy(update={"synthetic": place.is_synthetic})
        table = replace(found, meta=meta).clip(place.window)
        _refuse_infinities(table)
        return with_one_nan(table, is_copied=True)
    result, extents = _split_extents(result)
    columns = _named_columns(result, place.inputs, name)
    meta = _meta_of(tuple(columns), place.inputs, unit=unit, frame=stated.frame, name=name, is_synthetic=place.is_synthetic)
    table = Table(time, columns, _with_units(meta, stated.units)).with_extents(extents).clip(place.window)
    _refuse_infinities(table)
    return with_one_nan(table, is_copied=True)


def _of_kind(
    result: pd.DataFrame,
    kind: ResultKind,
    inputs: Mapping[str, Table],
    window: TimeRange,
    name: str,
    unit: str,
    units: Mapping[str, str],
    frame: str | None,
) -> Table:
    """The result as the step declares it; one over times only inside the window."""
    if rows_of(kind) != "numbered":
        _checked_time(result.index, window)
    table = table_of_kind(result, kind, window, name=name, unit=unit, units=units, frame=frame)
    _refuse_infinities(table)
    is_synthetic = any(each.meta.synthetic for each in inputs.values())
    return Table(table.time, table.columns, table.meta.model_copy(update={"synthetic": is_synthetic}))


def _shown_to_code(table: Table) -> pd.DataFrame:
    """A table as the code gets it: the data, and in `attrs` an extent that all records have; without columns of extents."""
    if table.meta.axes and (size := _bytes_of(table)) > _MOST_ND_BYTES:
        hint = "Take axes away first, with slice, reduce, energy_spectrogram or pitch_angle_spectrogram, or shorten partitions."
        problem = f"{table.meta.label or 'data'} with several axes beside time takes {size / 2**20:.0f} MiB"
        raise ComputeError(f"{problem}, and code can take {_MOST_ND_BYTES // 2**20} MiB", hint=hint)
    extents = table.extents
    plain = table.with_extents(None)
    common = extents.common if extents is not None else None
    return table_to_dataframe(replace(plain, meta=plain.meta.model_copy(update={"extent": common})) if common else plain)


def _bytes_of(table: Table) -> int:
    return sum(values.nbytes for values in table.columns.values())


def _split_extents(result: pd.DataFrame) -> tuple[pd.DataFrame, Extents | None]:
    """The result without the two columns that say how far its records reach, in s, and what these say, if they are there."""
    given = [name for name in EXTENT_NAMES if name in result.columns]
    if not given:
        return result, None
    if len(given) == 1 or len(result.columns) == len(given):
        hint = f"Return {' and '.join(EXTENT_NAMES)}, both in seconds, with the data, or neither."
        raise CodeError(f"the result has the column {given[0]!r} alone", hint=hint)
    before_s, after_s = (result[name].to_numpy(dtype="float64") for name in EXTENT_NAMES)
    if (before_s < 0).any() or (after_s < 0).any():
        raise CodeError("a record of the result reaches a negative time", hint="Give lengths before and after, both from 0 on.")
    return result.drop(columns=list(EXTENT_NAMES)), Extents.from_seconds(before_s, after_s)


def _with_units(meta: TableMeta, units: Mapping[str, str]) -> TableMeta:
    """The metadata with the units that the step gives to single columns."""
    names = [column.name for column in meta.columns]
    for each in sorted(set(units) - set(names)):
        problem = f"the step gives the column {each!r} a unit, but the code returns {', '.join(names)}"
        raise CodeError(problem, hint="Rename one of them.")
    columns = tuple(column.model_copy(update={"unit": units.get(column.name, column.unit)}) for column in meta.columns)
    return meta.model_copy(update={"columns": columns}) if units else meta


def _checked_time(index: pd.Index[Any], allowed: TimeRange) -> Times:
    if not isinstance(index, pd.DatetimeIndex):
        raise CodeError("the result is not indexed by time", hint="Keep the time index of the inputs in the result.")
    time = (index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index).to_numpy().astype("datetime64[ns]")
    steps = np.diff(time)
    if (steps < np.timedelta64(0, "ns")).any():
        after = time[1:][steps < np.timedelta64(0, "ns")][0]
        raise CodeError(
            f"the result's times are not in order: {_shown(after)} follows a later one", hint="Return result.sort_index()."
        )
    if (steps == np.timedelta64(0, "ns")).any():
        repeated = time[1:][steps == np.timedelta64(0, "ns")][0]
        hint = "Keep one record per time: result[~result.index.duplicated()]."
        raise CodeError(f"the result has two records at {_shown(repeated)}", hint=hint)
    start, stop = allowed.bounds_ns()
    outside = (time < start) | (time >= stop)
    if outside.any():
        problem = f"{outside.sum()} times of the result are outside {allowed}, the first at {_shown(time[outside][0])}"
        raise CodeError(problem, hint="Return values at times of the inputs; lookback and lookahead say how far those reach.")
    return time


def _shown(moment: np.datetime64) -> str:
    """A time as people read it, to the millisecond."""
    return f"{np.datetime_as_string(moment, unit='ms')}Z".replace(".000Z", "Z")


def _named_columns(result: pd.DataFrame, inputs: Mapping[str, Table], name: str) -> dict[str, NDArray[np.float64]]:
    """The columns under the names that they have in the table: one alone bears the step's."""
    labels = list(result.columns)
    if len(labels) == 1:
        return {name: result.iloc[:, 0].to_numpy(dtype="float64")}
    known = {column for table in inputs.values() for column in table.columns}
    for label in labels:
        if label not in known and (label == "time" or len(label) > _MOST_NAME or not _NAME.fullmatch(label)):
            hint = f"Use letters, digits and _, at most {_MOST_NAME} of them, or the name of an input's column."
            raise CodeError(f"a column of the result is named {label[:_MOST_NAME]!r}", hint=hint)
    return {label: result.iloc[:, place].to_numpy(dtype="float64") for place, label in enumerate(labels)}


def _meta_of(
    names: tuple[str, ...], inputs: Mapping[str, Table], *, unit: str, frame: str | None, name: str, is_synthetic: bool
) -> TableMeta:
    for table in inputs.values():
        if table.meta.kind == "spectrogram" and tuple(table.columns) == names:
            columns = tuple(
                column if column.role == "bin" else column.model_copy(update={"unit": unit}) for column in table.meta.columns
            )
            return TableMeta(
                kind="spectrogram",
                columns=columns,
                label=name,
                unit=unit,
                frame=frame,
                bins=table.meta.bins,
                synthetic=is_synthetic,
            )
    labels = {column.name: column.label for table in inputs.values() for column in table.meta.columns}
    columns = tuple(ColumnMeta(name=each, label=labels.get(each) or each, unit=unit) for each in names)
    kind = "series" if len(names) == 1 else "vector"
    return TableMeta(kind=kind, columns=columns, label=name, unit=unit, frame=frame, synthetic=is_synthetic)


def _refuse_infinities(table: Table) -> None:
    for column, values in table.columns.items():
        if values.dtype.kind != "f":
            continue
        infinite = np.isinf(values).any(axis=tuple(range(1, values.ndim)))
        if infinite.any():
            counted = "values" if values.ndim == 1 else "records"
            problem = f"{infinite.sum()} {counted} of {column!r} are infinite, the first at {_shown(table.time[infinite][0])}"
            raise CodeError(problem, hint="Say what they mean: result.replace([np.inf, -np.inf], np.nan).")
