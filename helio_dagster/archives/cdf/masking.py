"""Fill values and valid ranges: archive numbers to columns in which NaN means no valid value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import Attribute, RawVariable

ISTP_FILL = -1.0e31
"""The ISTP fill value of real numbers (https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html#FILLVAL)."""

_BLOCK_RECORDS = 64


@dataclass(frozen=True)
class ValidRule:
    """What of a variable's values is not a measurement.

    `fills` are in the variable's dtype; `lower` and `upper` hold one limit per value of a record, ±inf where there is none.
    """

    fills: NDArray[Any]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    @property
    def can_mask(self) -> bool:
        """Whether the rule could ever call a value invalid."""
        return bool(len(self.fills) or np.isfinite(self.lower).any() or np.isfinite(self.upper).any())


def valid_rule(variable: RawVariable, dtype: np.dtype[Any]) -> ValidRule:
    """The rule of a number variable, from `FILLVAL`, `VALIDMIN` and `VALIDMAX`.

    Limits may be one number or one per value of a record. Texts, other lengths, NaN, and limits that leave no range
    (`VALIDMIN >= VALIDMAX`) are ignored, component by component.
    """
    width = variable.width
    lower = _limits(variable.attributes.get("VALIDMIN"), width, absent=-np.inf)
    upper = _limits(variable.attributes.get("VALIDMAX"), width, absent=np.inf)
    is_range = lower < upper
    return ValidRule(
        _fills(variable.attributes.get("FILLVAL"), dtype), np.where(is_range, lower, -np.inf), np.where(is_range, upper, np.inf)
    )


def column_dtype(rule: ValidRule, dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a variable's columns: its own, but float64 for integers that may lack a value.

    A function of the definition alone, so that all partitions agree whether or not one of them has a fill value. 64-bit
    integers beyond 2^53 lose their last digits.
    """
    return np.dtype("float64") if dtype.kind in "iub" and rule.can_mask else dtype.newbyteorder("=")


def masked_columns(values: NDArray[Any], rule: ValidRule) -> list[NDArray[Any]]:
    """Columns of an array (record, value), each contiguous, invalid values NaN.

    Parameters
    ----------
    values
        Number array, shape (record, value); not changed.
    rule
        Its variable's rule.

    Returns
    -------
    list of ndarray
        One per value of a record, shape (record,), dtype as `column_dtype` says.
    """
    columns = np.array(values.T, dtype=column_dtype(rule, values.dtype), order="C", copy=True)
    if not rule.can_mask:
        return list(columns)
    for index, column in enumerate(columns):
        source = column if columns.dtype == values.dtype else values[:, index]
        is_invalid = np.zeros(len(column), dtype=bool)
        for fill in rule.fills:
            is_invalid |= source == fill
        if np.isfinite(rule.lower[index]):
            is_invalid |= source < _as_limit(rule.lower[index], values.dtype)
        if np.isfinite(rule.upper[index]):
            is_invalid |= source > _as_limit(rule.upper[index], values.dtype)
        column[is_invalid] = np.nan
    return list(columns)


def masked_records(values: NDArray[Any], rule: ValidRule) -> NDArray[Any]:
    """Records of several values with invalid ones NaN, always of reals.

    Parameters
    ----------
    values
        Number array, shape (record, value); not changed.
    rule
        Its variable's rule.

    Returns
    -------
    ndarray
        The same shape, contiguous: float32 for reals of that type and integers of up to 16 bits, else float64.
    """
    is_narrow = (
        values.dtype.itemsize <= 2 or values.dtype.kind == "b" or (values.dtype.kind == "f" and values.dtype.itemsize == 4)
    )
    found = np.array(values, dtype="float32" if is_narrow else "float64", order="C", copy=True)
    if not rule.can_mask:
        return found
    lower, upper = (_row_limits(limits, values.dtype) for limits in (rule.lower, rule.upper))
    for first in range(0, len(values), _BLOCK_RECORDS):
        part = values[first : first + _BLOCK_RECORDS]
        is_invalid = np.isin(part, rule.fills)
        if lower is not None:
            is_invalid |= part < lower
        if upper is not None:
            is_invalid |= part > upper
        found[first : first + _BLOCK_RECORDS][is_invalid] = np.nan
    return found


def _row_limits(limits: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any] | None:
    """The limits of a record's values at the data's precision, one number where all have the same; None where none has one."""
    if not np.isfinite(limits).any():
        return None
    alike = limits[:1] if (limits == limits[0]).all() else limits
    with np.errstate(over="ignore"):
        return alike.astype(dtype) if dtype.kind == "f" else alike


def _as_limit(limit: float, dtype: np.dtype[Any]) -> Any:
    """The limit at the data's precision, so that 0.01 as a double does not shut out 0.01 as a single."""
    return dtype.type(limit) if dtype.kind == "f" else limit


def _limits(value: Attribute | None, width: int, *, absent: float) -> NDArray[np.float64]:
    nothing = np.full(width, absent)
    if value is None or isinstance(value, str) or len(value) not in (1, width):
        return nothing
    limits = np.broadcast_to(np.asarray(value, dtype="float64"), (width,))
    return np.where(np.isfinite(limits), limits, nothing)


def _fills(value: Attribute | None, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Fill values in the data's dtype; NaN needs no masking, and what the dtype cannot hold never occurs.

    For reals the ISTP fill always counts; for unsigned integers a negative number means the same bits (-1 in a UINT1 is 255).
    """
    given: list[int | float] = []
    if isinstance(value, str):
        try:
            given = [float(value)]
        except ValueError:
            given = []
    elif value is not None:
        given = list(value)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.unique(np.asarray([ISTP_FILL, *(entry for entry in given if not np.isnan(entry))], dtype=dtype))
    whole = [int(entry) for entry in given if np.isfinite(entry) and entry == int(entry)]
    limits, bits = np.iinfo(dtype), 2 ** (8 * dtype.itemsize)
    if limits.min == 0 and not isinstance(value, str):
        whole = [entry + bits if entry < 0 else entry for entry in whole]
    return np.unique(np.asarray([entry for entry in whole if limits.min <= entry <= limits.max], dtype=dtype))
