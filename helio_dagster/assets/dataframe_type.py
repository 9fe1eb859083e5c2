"""Dagster-pandas types of tables: the columns that a data frame must have over its time index."""

from __future__ import annotations

from collections.abc import Sequence

import dagster as dg
import pandas as pd
from dagster_pandas import create_dagster_pandas_dataframe_type
from dagster_pandas.constraints import (
    ConstraintViolationException,
    DataFrameConstraint,
    DataFrameConstraintViolationException,
    StrictColumnsConstraint,
)


class TimeInOrder(DataFrameConstraint):
    """The index is UTC time, unique and increasing."""

    def __init__(self) -> None:
        text = "the index is UTC time, unique and increasing"
        super().__init__(error_description=text, markdown_description=text)

    def validate(self, dataframe: pd.DataFrame) -> None:
        """Check a data frame.

        Raises
        ------
        DataFrameConstraintViolationException
            The index is not UTC time, unique and increasing.
        """
        index = dataframe.index
        is_utc = isinstance(index, pd.DatetimeIndex) and str(index.tz) == "UTC"
        if not (is_utc and index.is_monotonic_increasing and index.is_unique):
            raise DataFrameConstraintViolationException(self.name, self.error_description)


def dataframe_type(name: str, columns: Sequence[str], *, description: str = "") -> dg.DagsterType:
    """The type of data frames with exactly these columns, in this order, over a UTC time index.

    For your own asset that takes or yields a table through `HelioIOManager`: Dagster then refuses any other table.

    Parameters
    ----------
    name
        Name of the type, as the web UI shows it.
    columns
        Names of the data columns.
    description
        What the tables contain, with units.
    """
    constraints = [StrictColumnsConstraint(list(columns), enforce_ordering=True), TimeInOrder()]
    found: dg.DagsterType = create_dagster_pandas_dataframe_type(
        name, description=description or ", ".join(columns), dataframe_constraints=constraints
    )
    return found


def column_fault(columns: Sequence[str], wanted: Sequence[str]) -> str:
    """Why the columns do not match the wanted ones; empty if they do."""
    try:
        StrictColumnsConstraint(list(wanted), enforce_ordering=True).validate(pd.DataFrame(columns=list(columns)))
    except ConstraintViolationException as violation:
        return str(violation).splitlines()[0]
    return ""
