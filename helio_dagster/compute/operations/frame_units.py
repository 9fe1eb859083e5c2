"""Units of positions and velocities: whether they are lengths, and how many km or km/s they are."""

from __future__ import annotations

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import EARTH_RADIUS_KM
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.domain.units import normalize_unit

_RADII = ("R_E", "Re", "RE", "R_S", "Rs", "RS")
"""Radii of bodies as units of length; archives mean different ones. Only Earth's is known here: Rs may be that of Saturn."""


def unit_of(meta: TableMeta) -> str:
    """The unit of a table's data, that of a column first; empty without one."""
    return next((column.unit for column in meta.columns if column.role == "data" and column.unit), meta.unit)


def is_length(unit: str) -> bool:
    """Whether a unit is a length, of known size or the radius of a body."""
    return bool(unit) and (can_convert(unit, "km") or unit in _RADII)


def length_km(unit: str, *, needed: bool) -> float:
    """How many km a unit of length is, R_E being 6371.2 km; 1 where it does not matter.

    Raises
    ------
    ComputeError
        It is needed, and not known.
    """
    if unit and can_convert(unit, "km"):
        return float(conversion_factor(unit, "km"))
    if normalize_unit(unit) == "R_E":
        return EARTH_RADIUS_KM
    if not needed and is_length(unit):
        return 1.0
    hint = "Bring it to km with the operation scale, which takes the factor; for what is not a position write quantity: vector."
    raise ComputeError(f"a position in {unit or 'no unit'} cannot be moved to another origin", hint=hint)


def speed_km_s(unit: str) -> float:
    """How many km/s a unit of speed is; ComputeError where it is none."""
    if unit and can_convert(unit, "km/s"):
        return float(conversion_factor(unit, "km/s"))
    hint = "For a vector that is not a velocity write quantity: vector."
    raise ComputeError(f"a velocity needs a unit of speed, not {unit or 'none'}", hint=hint)
