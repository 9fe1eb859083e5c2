"""What an operation demands of an input, and how a given one is checked against it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from helio_dagster.compute.operations.columns import Floats, cartesian, floats
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import EARTH_RADIUS_KM
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.unit_conversion import conversion_factor, convert_values
from helio_dagster.domain.units import normalize_unit

_HINTS = {
    "vector": "Take one component, or the magnitude, first.",
    "nd": "Take some of its axes first, with slice, reduce, energy_spectrogram or pitch_angle_spectrogram.",
}
"""Kind of a table to what makes it fit for an operation that does not take it."""


@dataclass(frozen=True)
class Input:
    """An input of an operation.

    Parameters
    ----------
    kinds
        Kinds of tables that it accepts.
    meaning
        What it is, in a few words.
    quantity
        Words for the physical quantity that it must be; empty where any will do.
    unit
        What its values must convert to; None where any unit will do. To km also R_E do, of 6371.2 km.
    columns
        How many columns it must have, three of a vector being its Cartesian components; None where any number will do.
    frames
        The coordinate frames it may be in; empty where any will do. One of unknown frame is taken to be right.
    is_optional
        Whether the operation can do without it.
    """

    kinds: tuple[Kind, ...]
    meaning: str
    quantity: tuple[str, ...] = ()
    unit: str | None = None
    columns: int | None = None
    frames: tuple[str, ...] = ()
    is_optional: bool = False

    def check(self, meta: TableMeta, *, name: str, operation_id: str) -> None:
        """Hold metadata with columns against the demands.

        Raises
        ------
        ComputeError
            Kind, number of columns, unit or frame do not allow the operation; the hint says what to do.
        """
        if meta.kind not in self.kinds:
            hint = _HINTS.get(meta.kind, f"Give it a {self.kinds[0]}.")
            raise ComputeError(f"{operation_id} takes {' or '.join(self.kinds)} as {name!r}, not {meta.kind}", hint=hint)
        if self.frames and meta.frame is not None and meta.frame not in self.frames:
            hint = f"Bring it to {self.frames[0]} with the operation transform_frame, or fetch it in that frame."
            raise ComputeError(f"{operation_id} takes {name!r} in {' or '.join(self.frames)}, not in {meta.frame}", hint=hint)
        for column in self.used_columns(meta, operation_id=operation_id):
            self.factor(column, meta, what=f"{name!r} of {operation_id}")

    def used_columns(self, meta: TableMeta, *, operation_id: str) -> tuple[ColumnMeta, ...]:
        """The columns that the operation takes: all that hold data, or the Cartesian components of a vector.

        Raises
        ------
        ComputeError
            There are fewer or more than it can take.
        """
        if self.columns == 3 or (self.columns == 1 and meta.kind == "vector"):
            return cartesian(meta, operation_id)
        columns = tuple(column for column in meta.columns if column.role == "data")
        if self.columns is not None and len(columns) != self.columns and columns:
            named = ", ".join(column.name for column in columns[:8])
            demanded = "one column" if self.columns == 1 else f"{self.columns} columns"
            is_one = self.columns == 1
            hint = "Take one of them with the operation component." if is_one else f"Give a table of {self.columns} columns."
            raise ComputeError(f"{operation_id} needs {demanded}, not {len(columns)} ({named})", hint=hint)
        return columns

    def values(self, table: Table, *, operation_id: str) -> list[Floats]:
        """The columns of `used_columns` in the needed unit: float64, shape (record,) each, NaN where nothing is valid."""
        return [
            convert_values(floats(table, column.name), self.factor(column, table.meta, what=operation_id))
            for column in self.used_columns(table.meta, operation_id=operation_id)
        ]

    def factor(self, column: ColumnMeta, meta: TableMeta, *, what: str) -> Fraction:
        """What the values of a column are multiplied by to be in the needed unit; `what` begins the message of a refusal.

        Raises
        ------
        ComputeError
            The units do not convert.
        """
        unit = column.unit or meta.unit
        if self.unit is None:
            return Fraction(1)
        if self.unit == "km" and normalize_unit(unit) == "R_E":
            return Fraction(str(EARTH_RADIUS_KM))
        try:
            return conversion_factor(unit, self.unit)
        except ComputeError as error:
            raise ComputeError(f"{what}: {error.problem}", hint=error.hint) from None
