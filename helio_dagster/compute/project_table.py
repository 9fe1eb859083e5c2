"""The value of an asset of a Dagster project as a table, held to what files of one's own are held to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pydantic import ValidationError

from helio_dagster.compute.dataframes import META_KEY, dataframe_to_table
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.pipeline import ProjectAsset
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_TIME = "time"


def table_of_value(value: Any, given: ProjectAsset, where: str) -> Table:
    """A DataFrame, Series, or what says `to_pandas` itself (polars, Arrow), as a table in order of time.

    Parameters
    ----------
    value
        What an IO manager loaded. Times without a zone are UTC.
    given
        What the step says of it: the column of times, units, frame.
    where
        How messages call it.

    Returns
    -------
    Table
        With the metadata that helio's own IO manager keeps in `attrs`, where there are any; what the step says counts more.

    Raises
    ------
    InputError
        It is none of these, has no times, the same time twice, or columns that are not numbers.
    """
    frame = _dataframe(value, where)
    frame = _with_time_index(frame, given, where)
    known = _known_meta(frame)
    if known is None:
        frame = _numbers(frame, where)
    meta = _meta(frame, known, given, where)
    try:
        return dataframe_to_table(frame, meta)
    except ComputeError as error:
        raise InputError(f"{where}: {error.problem.replace('the result', 'it')}", hint=_DUPLICATES) from error


_DUPLICATES = "Let the asset return one record for each time, and none without."


def _dataframe(value: Any, where: str) -> pd.DataFrame:
    if isinstance(value, pd.Series):
        value = value.to_frame(str(value.name) if value.name is not None else "value")
    elif not isinstance(value, pd.DataFrame) and callable(getattr(value, "to_pandas", None)):
        value = value.to_pandas()
    if not isinstance(value, pd.DataFrame):
        hint = "Let the asset return a pandas DataFrame with a time index, or give its IO manager a way to load one."
        raise InputError(f"{where} is of type {type(value).__name__}, not a DataFrame", hint=hint)
    return value


def _with_time_index(frame: pd.DataFrame, given: ProjectAsset, where: str) -> pd.DataFrame:
    columns = ", ".join(map(str, frame.columns))
    named = given.time or (_TIME if not isinstance(frame.index, pd.DatetimeIndex) and _TIME in frame.columns else None)
    if named is None:
        if isinstance(frame.index, pd.DatetimeIndex):
            return frame
        hint = "Give it a DatetimeIndex, or name the column in the step: {asset: ..., time: column}."
        raise InputError(f"{where} has no times: its index is {frame.index.dtype}, its columns are {columns}", hint=hint)
    if named not in frame.columns:
        raise InputError(f"{where} has no column {named!r} for the time", hint=f"Its columns are {columns}.")
    if pd.api.types.is_numeric_dtype(frame[named].dtype):
        hint = "Convert them in the asset, for example with pandas.to_datetime(..., unit='s')."
        raise InputError(f"the times of {where} are numbers", hint=hint)
    try:
        index = pd.DatetimeIndex(pd.to_datetime(frame[named], utc=True))
    except (ValueError, TypeError) as error:
        raise InputError(f"the times of {where} cannot be read: {error}", hint="Write them in ISO 8601.") from error
    return frame.drop(columns=named).set_axis(index, axis=0)


def _known_meta(frame: pd.DataFrame) -> TableMeta | None:
    """The metadata of a table of helio's, if it still fits."""
    known = frame.attrs.get(META_KEY)
    try:
        meta = TableMeta.model_validate(known) if isinstance(known, dict) else None
    except ValidationError:
        return None
    names = [str(name) for name in frame.columns]
    return meta if meta is not None and [column.name for column in meta.columns] == names else None


def _numbers(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """All columns as floats; InputError where one holds something else."""
    if not len(frame.columns):
        raise InputError(f"{where} has times and no other columns", hint="Let the asset return the values, too.")
    wrong = [str(name) for name, kind in frame.dtypes.items() if not pd.api.types.is_numeric_dtype(kind)]
    if wrong:
        hint = "Let the asset return numbers alone, besides the times."
        raise InputError(f"{where}: {', '.join(wrong)} holds no numbers", hint=hint)
    if any(np.issubdtype(kind, np.complexfloating) for kind in frame.dtypes if isinstance(kind, np.dtype)):
        raise InputError(f"{where} holds complex numbers", hint="Return their real and imaginary parts as two columns.")
    return frame.astype("float64")


def _meta(frame: pd.DataFrame, known: TableMeta | None, given: ProjectAsset, where: str) -> TableMeta:
    names = [str(name) for name in frame.columns]
    unknown = sorted(set(given.units) - set(names))
    if unknown:
        hint = f"Its columns are {', '.join(names)}."
        raise InputError(f"{where} has no column {unknown[0]!r}, for which the step gives a unit", hint=hint)
    stated = known or TableMeta(
        kind="series" if len(names) == 1 else "vector", columns=tuple(ColumnMeta(name=name, label=name) for name in names)
    )
    columns = tuple(
        each.model_copy(update={"unit": given.units.get(each.name, each.unit if given.unit is None else given.unit)})
        for each in stated.columns
    )
    shared = {column.unit for column in columns if column.role == "data"}
    changed: dict[str, object] = {"columns": columns, "unit": shared.pop() if len(shared) == 1 else ""}
    if given.frame is not None:
        changed["frame"] = given.frame
    return (
        stated.model_copy(update=changed) if given.unit is not None or given.units or given.frame or known is None else stated
    )
