"""Units of distance in kilometres, with Earth's and the Sun's radius, which are no units of their own elsewhere.

Units do not convert by radii, as archives mean different ones (R_E from 6371 to 6378 km); where positions are drawn, or
operations need them in km, those of `lengths` do for all.
"""

from __future__ import annotations

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import EARTH_RADIUS_KM, SUN_RADIUS_KM
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.domain.units import normalize_unit

_RADII_KM = {
    **dict.fromkeys(("R_E", "Re", "RE"), EARTH_RADIUS_KM),
    **dict.fromkeys(("R_S", "Rs", "RS", "Rsun", "R_sun", "solRad", "solar radii", "R_Sun"), SUN_RADIUS_KM),
}


def kilometres(unit: str) -> float | None:
    """How many kilometres a unit is; None for what is not a length."""
    known = normalize_unit(unit)
    if known in _RADII_KM:
        return _RADII_KM[known]
    return float(conversion_factor(known, "km")) if known and can_convert(known, "km") else None


def degrees(unit: str) -> float | None:
    """How many degrees a unit is; None for what is not an angle."""
    known = normalize_unit(unit)
    try:
        return float(conversion_factor(known, "deg")) if known else None
    except ComputeError:
        return None
