"""Numbers that count time, as nanoseconds since 1970 UTC."""

from __future__ import annotations

from typing import Any

import numpy as np
from erfa import leap_seconds
from numpy.typing import NDArray

from helio_dagster.domain.time_units import TimeUnits

BEYOND = np.iinfo(np.int64).max
"""Stands for a time too far away for 64 bits."""
_TT_MINUS_TAI_NS = 32_184_000_000


def counted_times(values: NDArray[Any], units: TimeUnits) -> NDArray[np.int64]:
    """The times that numbers count.

    Parameters
    ----------
    values
        Whole or real finite numbers, shape (record,). Whole numbers are exact, others exact to the microsecond.
    units
        What they count.

    Returns
    -------
    NDArray[np.int64]
        ns since 1970 UTC, shape (record,); `BEYOND` where 64 bits do not hold it. A leap second is the second after it.
    """
    is_whole = values.dtype.kind in "iu" and units.shift == int(units.shift)
    if is_whole:
        whole, rest = values.astype(np.int64) - int(units.shift), np.zeros(len(values))
    else:
        numbers = np.asarray(values, dtype=np.float64) - units.shift
        numbers = np.where(np.abs(numbers) < 9e18, numbers, 9e18)
        whole = np.floor(numbers).astype(np.int64)
        rest = numbers - np.floor(numbers)
    is_far = np.abs(whole.astype(np.float64)) * units.scale_ns + abs(units.origin_ns) > 9.2e18
    parts = np.rint(rest * (units.scale_ns / 1000)).astype(np.int64) * 1000
    found = np.where(is_far, 0, whole) * units.scale_ns + parts + units.origin_ns
    if units.clock != "UTC":
        found = _tai_to_utc(found - _TT_MINUS_TAI_NS if units.clock == "TT" else found)
    return np.where(is_far, BEYOND, found)


def _tai_to_utc(tai_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Less the leap seconds until then, by IERS's table that erfa brings; before 1972, when seconds of UTC varied, `BEYOND`."""
    table = leap_seconds.get()
    table = table[table["year"] >= 1972]
    months = (table["year"].astype(np.int64) - 1970) * 12 + table["month"] - 1
    starts = months.astype("datetime64[M]").astype("datetime64[ns]").astype(np.int64)
    offsets = np.rint(table["tai_utc"] * 1e9).astype(np.int64)
    line = np.searchsorted(starts + offsets, tai_ns, side="right") - 1
    return np.where(line < 0, BEYOND, tai_ns - offsets[np.maximum(line, 0)])
