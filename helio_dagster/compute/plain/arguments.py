"""What stands around calls of plain operations: a table's columns, and what a result is called and means."""

from __future__ import annotations

from typing import Any

import pandas as pd


def taken(table: pd.DataFrame, columns: list[str] | None = None, factor: float = 1.0) -> pd.DataFrame:
    """Some columns of a table, in another unit."""
    found = (table if columns is None else table[columns]).astype("float64") * factor
    found.attrs = dict(table.attrs)
    return found


def named(table: pd.DataFrame, columns: list[str], **attributes: Any) -> pd.DataFrame:
    """A result under the names of its columns, with what is known of it: unit, extent of its records in s, axis."""
    if not len(table.columns):  # no window had records
        table = table.reindex(columns=columns, fill_value=float("nan"))
    is_named = bool(set(columns) & set(table.columns))  # what a row of numbers leaves out is not known
    table = table.reindex(columns=columns) if is_named else table.set_axis(columns, axis=1)
    table.index.name = "time"
    table.attrs = attributes
    return table
