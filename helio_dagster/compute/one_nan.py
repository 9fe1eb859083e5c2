"""One kind of NaN: its sign and the bits behind it depend on where in a block of records a processor found it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.large_arrays import new_array, record_blocks
from helio_dagster.domain.table import Table

T = TypeVar("T", bound=np.generic)


def with_one_nan(table: Table, *, is_copied: bool = False) -> Table:
    """The same values, of whose NaN all have the same bits, so that equal results are equal bytes; see `one_nan`."""
    return replace(table, columns={name: one_nan(values, is_copied=is_copied) for name, values in table.columns.items()})


def one_nan(values: NDArray[T], *, is_copied: bool = False) -> NDArray[T]:
    """An array of any shape with one kind of NaN: itself where it has no other, unless it is to be copied in any case."""
    own = _copy(values) if is_copied else None
    if values.dtype.kind == "f":
        bits = np.dtype(f"u{values.itemsize}")
        usual = np.array(np.nan, dtype=values.dtype).view(bits)
        for block in record_blocks(values):
            odd = np.isnan(values[block])
            odd &= values[block].view(bits) != usual
            if odd.any():
                own = _copy(values) if own is None else own
                own[block][odd] = np.nan
    return values if own is None else own


def _copy(values: NDArray[T]) -> NDArray[T]:
    found: NDArray[T] = new_array(values.shape, values.dtype)
    for block in record_blocks(values):
        found[block] = values[block]
    return found
