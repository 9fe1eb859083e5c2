"""Whether code gives the same result again: two runs in surroundings that differ in everything that must not matter."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from helio_dagster.domain.errors import CodeRefused
from helio_dagster.sandbox.limits import SandboxLimits
from helio_dagster.sandbox.sandbox import CodeCheck, Sandbox

MOST_ROWS = 2000
_HINT = (
    "Give random numbers a seed (np.random.default_rng(0)), sort what comes from a set, use no clock "
    "and no addresses (hash, repr or id of an object), and fill what np.empty makes."
)


def differing_sandboxes(
    limits: SandboxLimits | None = None, *, allow_weak: bool = False, check_code: CodeCheck | None = None
) -> tuple[Sandbox, Sandbox]:
    """Two sandboxes that differ in random seed, order of sets, local time zone, what fresh memory holds, and addresses."""
    limits = limits or SandboxLimits()
    one = Sandbox(limits, allow_weak=allow_weak, check_code=check_code, fill=0x55, is_reversed=False)
    other = Sandbox(
        limits,
        allow_weak=allow_weak,
        check_code=check_code,
        seed=1,
        hash_seed=1,
        zone="<+13>-13",  # a zone that needs no file
        fill=0xAA,
        is_reversed=True,
    )
    return one, other


def check_determinism(
    body: str,
    inputs: Mapping[str, pd.DataFrame],
    *,
    name: str = "code",
    options: Mapping[str, Any] | None = None,
    sandboxes: tuple[Sandbox, Sandbox] | None = None,
) -> None:
    """Run code twice on a sample and compare every bit.

    Parameters
    ----------
    body, inputs, name, options
        As `Sandbox.call`; of the first input its first 2,000 records are used, of the others those of the same span.
    sandboxes
        What `differing_sandboxes` gave, to be used again; by default two that end with the check.

    Raises
    ------
    CodeRefused
        The results differ.
    ComputeError
        As `Sandbox.call`.
    """
    sample = _sample(inputs)
    with ExitStack() as stack:
        if sandboxes is None:
            sandboxes = differing_sandboxes()
            for each in sandboxes:
                stack.enter_context(each)
        one, other = (each.call(body, sample, name=name, options=options).result for each in sandboxes)
    require_same(one, other, where=f"step {name}")


def require_same(one: pd.DataFrame, other: pd.DataFrame, *, where: str) -> None:
    """Refuse the code that gave two results which differ in any bit, column or time; `where` is what the refusal names."""
    difference = _difference(one, other)
    if difference:
        raise refusal_of(difference, where=where)


def refusal_of(difference: str, *, where: str) -> CodeRefused:
    """The refusal of code of which two runs differ, in words, with what to do."""
    return CodeRefused(f"two runs on the same data differ: {difference}", where=where, hint=_HINT)


def _sample(inputs: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    first = next(iter(inputs.values()), None)
    if first is None or not len(first):
        return dict(inputs)
    stop = first.index[min(len(first), MOST_ROWS) - 1]
    return {key: frame[frame.index <= stop].iloc[:MOST_ROWS] for key, frame in inputs.items()}


def _difference(one: pd.DataFrame, other: pd.DataFrame) -> str:
    """In what two results differ, in words; empty where in nothing."""
    if _axes(one) != _axes(other):
        return "axes"
    if list(one.columns) != list(other.columns):
        return f"columns {', '.join(map(str, one.columns))} and {', '.join(map(str, other.columns))}"
    if not one.index.equals(other.index):
        return f"times ({len(one)} and {len(other)} records)"
    if one.attrs.get("axes") and np.array_equal(_bits(one.to_numpy()), _bits(other.to_numpy())):
        return ""
    for place, column in enumerate(one.columns):
        left, right = (_numbers(frame.iloc[:, place]) for frame in (one, other))
        differs = _bits(left) != _bits(right)
        if differs.any():
            first, size = int(np.argmax(differs)), max(1, len(left) // len(one))
            distance = np.abs(left - right)[differs]
            far = f", by up to {np.nanmax(distance):.3g}" if not np.isnan(distance).all() else ""
            what = repr(column) if isinstance(column, str) else f"place {column} of a record"
            where = f"{differs.sum()} of {len(left)} values of {what}{far}"
            return f"{where}; first at {one.index[first // size]}: {float(left[first])!r} and {float(right[first])!r}"
    return ""


def _axes(frame: pd.DataFrame) -> str:
    """What a result, or the DataFrame of a table, says of its axes; text, as NaN is not equal to itself."""
    known = frame.attrs.get("helio")
    return repr(known.get("axes") if isinstance(known, dict) else frame.attrs.get("axes"))


def _numbers(column: pd.Series[Any]) -> NDArray[Any]:
    """The values of a column, one after the other where a record has several."""
    if not isinstance(column.dtype, pd.ArrowDtype):
        return column.to_numpy()
    chunks = pa.chunked_array(column.array.__arrow_array__()).chunks
    return np.concatenate([chunk.flatten().to_numpy(zero_copy_only=False) for chunk in chunks] or [np.empty(0)])


def _bits(values: NDArray[Any]) -> NDArray[np.int64]:
    if values.dtype.kind == "M":
        return values.astype("datetime64[ns]").view("int64")
    return np.where(np.isnan(values), np.nan, values).view("int64")
