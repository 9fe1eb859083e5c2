"""Turn what code returned into times and float64 columns, or say why it is not a result. The caller checks again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from inspect import isasyncgen, iscoroutine, isgenerator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.sandbox.distributions import Axis, Distribution
from helio_dagster.sandbox.wire import Rows, whole_bytes

_NAMES_SHOWN = 5
_MOST_NAME = 200
_MOST_AXIS_NAME = 64
_MOST_AXES = 8


class UnfitResult(Exception):
    """What the code returned is not a result; `cause` is `unfit`, or the limit that it exceeds."""

    def __init__(self, problem: str, hint: str, cause: str = "unfit") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint
        self.cause = cause


@dataclass(frozen=True)
class Result:
    """Times, `int64` ns since 1970 UTC, shape (record,); names; values, float64, shape (record,) each.

    Where `axes` describe any, values are those of all places of a record, shape (record, value), then what varies of the axes.
    """

    time: NDArray[np.int64]
    names: list[str]
    values: list[NDArray[np.float64]]
    axes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """How many numbers a record has beside its time."""
        return sum(math.prod(each.shape[1:]) for each in self.values)


def check_size(results: Sequence[Result], most_bytes: int) -> None:
    """Hold all results of a call together to a size; they are stored side by side, so each counts as long as the longest.

    Raises
    ------
    UnfitResult
        They are larger.
    """
    size = whole_bytes([(len(each.time), each.width) for each in results])
    if size > most_bytes:
        shape = " and ".join(
            f"{len(each.time)} records x {each.width} {'values' if each.axes else 'columns'}" for each in results
        )
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
        A series or DataFrame over time, or a `Distribution`; anything else is refused. Numbered rows need no time, and a
        mapping of names to numbers is one of them.
    name
        Column of a series without a name.
    most_columns
        More are refused before any is looked at.

    Raises
    ------
    UnfitResult
        It is not a table of numbers over time.
    """
    if isinstance(returned, Distribution) and rows == "samples":
        return read_distribution(returned, name=name)
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


def read_distribution(returned: Distribution, *, name: str) -> Result:
    """Data over axes that the code returned, read.

    Raises
    ------
    UnfitResult
        Its values are not real numbers, they no longer have the shape that its times and axes have, or an axis is described by
        what is no text or number.
    """
    values, hint = np.asarray(returned.values), "Return over_axes(values, f.time, f.axes)."
    time = _read_time(returned.time)
    if len(returned.axes) > _MOST_AXES:
        raise UnfitResult(f"the result has {len(returned.axes)} axes", f"Return at most {_MOST_AXES}.")
    sizes = tuple(axis.centers.shape[-1] for axis in returned.axes.values())
    if values.shape != (len(time), *sizes):
        shape = f"{len(time)} records over axes of {' x '.join(map(str, sizes))}"
        raise UnfitResult(f"the values have the shape {values.shape}, and there are {shape}", hint)
    if values.dtype.kind not in "fiub":
        raise UnfitResult(f"the values are {values.dtype}, not real numbers", "Return np.abs() of complex numbers.")
    found = Result(time, [name], [values.reshape(len(time), math.prod(sizes)).astype(np.float64)])
    for own, axis in returned.axes.items():
        _check_axis(own, axis)
        about: dict[str, Any] = {"name": own, "label": axis.label, "unit": axis.unit, "scale": axis.scale}
        about |= {"size": axis.centers.shape[-1], "labels": list(axis.labels)}
        for what, numbers in (("centers", axis.centers), ("widths", axis.widths)):
            given = np.asarray(numbers, dtype=np.float64)
            is_varying = len(given) == len(time) != 1
            if is_varying:
                found.names.append(f"{own} {what}")
                found.values.append(given)
            plain = [] if is_varying or (what == "widths" and np.isnan(given).all()) else given[0].tolist()
            about |= {what: [None if math.isnan(each) else each for each in plain], f"{what}_vary": is_varying}
        found.axes.append(about)
    return found


def _check_axis(name: Any, axis: Axis) -> None:
    """Refuse an axis that the caller would not take for one."""
    if not isinstance(name, str) or not 0 < len(name) <= _MOST_AXIS_NAME or not name.isprintable():
        raise UnfitResult(f"an axis of the result is named {str(name)[:_MOST_NAME]!r}", "Name axes by a word or two.")
    texts = (axis.label, axis.unit, *axis.labels)
    if not all(isinstance(text, str) and len(text) <= _MOST_NAME and text.isprintable() for text in texts):
        problem = f"label, unit and labels of the axis {name!r} are not all texts of at most {_MOST_NAME} characters"
        raise UnfitResult(problem, "Give text on one line.")
    if axis.scale not in ("linear", "log"):
        raise UnfitResult(f"the scale of the axis {name!r} is {axis.scale!r}", "Give linear or log.")
    if np.isinf(axis.centers).any() or np.isinf(axis.widths).any():
        raise UnfitResult(f"the axis {name!r} has bins at infinity", "Give NaN to a bin without a place or width.")


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
        problem = "the code returns data over axes, and the step declares another kind of result"
        return problem, "Leave out its kind, or return what that has."
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
