"""Turn what code returned into times and float64 columns, or say why it is not a result. The caller checks again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import isasyncgen, iscoroutine, isgenerator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.sandbox.distributions import Distribution
from helio_dagster.sandbox.wire import Rows, whole_bytes

_NAMES_SHOWN = 5
_MOST_NAME = 200


class UnfitResult(Exception):
    """What the code returned is not a result; `cause` is `unfit`, or the limit that it exceeds."""

    def __init__(self, problem: str, hint: str, cause: str = "unfit") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.cause = cause


@dataclass(frozen=True)
class Result:
    """Times, `int64` ns since 1970 UTC, shape (record,); names; values, float64, shape (record,) each."""

    time: NDArray[np.int64]
    names: list[str]
    values: list[NDArray[np.float64]]


def check_size(results: Sequence[Result], most_bytes: int) -> None:
    """Hold all results of a call together to a size; they are stored side by side, so each counts as long as the longest.

    Raises
    ------
    UnfitResult
        They are larger.
    """
    size = whole_bytes([(len(each.time), len(each.names)) for each in results])
    if size > most_bytes:
        shape = " and ".join(f"{len(each.time)} records x {len(each.names)} columns" for each in results)
        hint = "Return fewer." if len(results) == 1 else "Return fewer, or put a long result into a separate step."
        raise UnfitResult(f"the result is too large: {shape}, {size} bytes", hint, "result_bytes")


def read_named(returned: Any, results: Mapping[str, Rows], *, most_columns: int) -> list[Result]:
    """The named results that the code returned, in the order of the names.

    Parameters
    ----------
    returned
        A mapping of just these names to what `read_result` reads; anything else is refused.
    results
        Name to what the rows of that result are.
    most_columns
        Of all of them together; more are refused.

    Raises
    ------
    UnfitResult
        It is not such a mapping, or a result in it is not a table of numbers; the problem names the result.
    """
    wanted = ", ".join(results)
    hint = f"Return a mapping with just these names: {{{', '.join(f'{name!r}: …' for name in results)}}}."
    if not isinstance(returned, dict):
        raise UnfitResult(f"the code returns {type(returned).__name__}, and the step has the results {wanted}", hint)
    if set(returned) != set(results):
        given = [str(name)[:_MOST_NAME] for name in returned]
        shown = ", ".join(given[:_NAMES_SHOWN]) + (" …" if len(given) > _NAMES_SHOWN else "")
        raise UnfitResult(f"the code returns {shown or 'an empty mapping'}, and the step has the results {wanted}", hint)
    found: list[Result] = []
    for name, rows in results.items():
        try:
            left = most_columns - sum(len(each.names) for each in found)
            found.append(read_result(returned[name], name=name, most_columns=left, rows=rows))
        except UnfitResult as unfit:
            raise UnfitResult(f"{name}: {unfit.problem}", unfit.hint, unfit.cause) from None
    return found


def read_result(returned: Any, *, name: str, most_columns: int, rows: Rows = "samples") -> Result:
    """What the code returned, read.

    Parameters
    ----------
    returned
        A series or DataFrame over time; anything else is refused. Numbered rows need no time, and a mapping of names to numbers
        is one of them.
    name
        Column of a series without a name.
    most_columns
        More are refused before any is looked at.

    Raises
    ------
    UnfitResult
        It is not a table of numbers over time.
    """
    if isinstance(returned, dict) and rows == "numbered":
        table = _read_mapping(returned)
    elif isinstance(returned, pd.Series):
        own = returned.name if isinstance(returned.name, str) else name
        table = returned.to_frame(own)
    elif isinstance(returned, pd.DataFrame):
        table = returned
    else:
        raise UnfitResult(*_why_no_table(returned))
    if len(table.columns) > most_columns:
        problem = f"the result has {len(table.columns)} columns; {most_columns} are allowed"
        raise UnfitResult(problem, "Return fewer.", "result_columns")
    if not len(table.columns):
        raise UnfitResult("the result has no columns", "Return a series, or a DataFrame with at least one column.")
    time = np.arange(len(table), dtype=np.int64) if rows == "numbered" else _read_time(table.index)
    names = [_read_name(label) for label in table.columns]
    repeated = sorted({each for each in names if names.count(each) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise UnfitResult(f"the result has two columns of one name: {_listed(repeated)}", "Rename one of them.")
    return Result(time, names, [_read_column(table.iloc[:, place], label, rows) for place, label in enumerate(names)])


def _read_mapping(returned: dict[Any, Any]) -> pd.DataFrame:
    """One row of named numbers."""
    try:
        return pd.DataFrame({name: [value] for name, value in returned.items()})
    except (TypeError, ValueError) as error:
        raise UnfitResult(f"the mapping is not a row of numbers: {error}", "Return names and numbers: {'lag': 34.0}.") from None


def _why_no_table(returned: Any) -> tuple[str, str]:
    back = "Return a series or DataFrame over the time index of the inputs."
    if returned is None:
        return "the code returns nothing", f"End it with return. {back}"
    if isgenerator(returned) or isasyncgen(returned) or iscoroutine(returned):
        return "the code is a generator: it yields instead of returning", back
    kind = type(returned).__name__
    if isinstance(returned, Distribution):
        problem = "the code returns a distribution, and a result has columns over time"
        return problem, "Take its axes away: pd.Series(f.values.mean(axis=(1, 2)), index=f.time)."
    if isinstance(returned, np.ndarray):
        return f"the code returns an array of shape {returned.shape}, without times", f"{back} pd.Series(values, index=b.index)"
    return f"the code returns {kind}, which is not a table", back


def _read_time(index: pd.Index[Any]) -> NDArray[np.int64]:
    if not isinstance(index, pd.DatetimeIndex):
        kind = "several levels" if isinstance(index, pd.MultiIndex) else str(index.dtype)
        raise UnfitResult(f"the result is indexed by {kind}, not by time", "Keep the time index of the inputs in the result.")
    if index.hasnans:
        raise UnfitResult("the result has records without a time", "Drop them: result[result.index.notna()].")
    naive = index.tz_convert("UTC").tz_localize(None) if index.tz is not None else index
    return np.ascontiguousarray(naive.as_unit("ns").to_numpy().view("int64"))


def _read_name(label: Any) -> str:
    if not isinstance(label, str):
        shown = str(label)[:_MOST_NAME]
        raise UnfitResult(
            f"a column of the result is named {shown!r}, which is not text", "Name columns by text: columns=['x']."
        )
    if not label.isprintable():
        raise UnfitResult("a column's name holds characters that are not text", "Name columns by plain words.")
    if len(label) > _MOST_NAME:
        raise UnfitResult(f"a column of the result has a name of {len(label)} characters", "Name columns by a word or two.")
    return label


def _read_column(column: pd.Series[Any], name: str, rows: Rows) -> NDArray[np.float64]:
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise UnfitResult(
                f"the column {name!r} holds complex numbers", "Return np.abs() of it, or real and imaginary parts."
            )
        if pd.api.types.is_extension_array_dtype(dtype):
            return column.to_numpy(dtype="float64", na_value=np.nan)
        return np.ascontiguousarray(column.to_numpy(), dtype="float64")
    if rows == "events" and isinstance(dtype, np.dtype | pd.DatetimeTZDtype) and dtype.kind == "M":
        return _read_times(column)
    hint = "Return numbers: pd.to_numeric(column), or category codes."
    raise UnfitResult(f"the column {name!r} holds {dtype}, not numbers", hint)


def _read_times(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Times as seconds since 1970 UTC, NaN where there is none."""
    naive = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column
    ns = naive.to_numpy().astype("datetime64[ns]")
    return np.where(np.isnat(ns), np.nan, ns.view("int64") / 1e9)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(repr(name[:_MOST_NAME]) for name in names[:_NAMES_SHOWN]) + more
