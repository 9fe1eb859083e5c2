"""How far records reach before and after their times: what ISTP's DELTA_MINUS_VAR and DELTA_PLUS_VAR of an epoch say.

Source: https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html#DELTA_PLUS_VAR. Only what a file says of both sides counts.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.masking import masked_columns, valid_rule
from helio_dagster.archives.cdf.raw import RawFile, RawVariable
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.extent import Extents
from helio_dagster.domain.unit_conversion import conversion_factor
from helio_dagster.domain.units import normalize_unit

_CONVERSION = re.compile(r"\s*([0-9.eE+-]+)\s*>\s*s(ec(onds?)?)?\s*")


def read_extents(file: RawFile, epoch: RawVariable, count: int) -> Extents | None:
    """The extents of the first `count` records of an epoch variable, in file order.

    None where the file does not say both sides as numbers in a unit of time, or where every record has the length 0. A record
    of which one side is a fill value is unknown.
    """
    sides = [_seconds(file, epoch.text(attribute), count) for attribute in ("DELTA_MINUS_VAR", "DELTA_PLUS_VAR")]
    before_s, after_s = sides
    if before_s is None or after_s is None:
        return None
    extents = Extents.from_seconds(before_s, after_s)
    return extents if (extents.before_ns + extents.after_ns).any() else None


def _seconds(file: RawFile, name: str, count: int) -> NDArray[np.float64] | None:
    """A delta variable in seconds, shape (count,), NaN for fill values; None where it cannot be one of times."""
    if name not in file.names:
        return None
    delta = file.variable(name)
    factor = _to_seconds(delta)
    if factor is None or delta.type != "number" or delta.width != 1 or not delta.records:
        return None
    raw = file.numbers(name).reshape(-1, 1)
    if len(raw) > 1 and len(raw) < count:
        return None
    values = _scaled(masked_columns(raw, valid_rule(delta, raw.dtype))[0].astype(np.float64), factor)
    return np.full(count, values[0]) if len(values) == 1 else values[:count]


def _scaled(values: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
    """Values times a factor, which is divided by where it is one over a whole number: whole seconds in ns stay whole."""
    inverse = round(1 / factor) if 0 < factor < 1 else 0
    return values / inverse if inverse and abs(inverse * factor - 1) < 1e-12 else values * factor


def _to_seconds(delta: RawVariable) -> float | None:
    """What the variable's numbers are multiplied by, from UNITS, else from SI_CONVERSION; None where neither is of time."""
    unit = delta.text("UNITS")
    if unit:
        try:
            return float(conversion_factor(normalize_unit(unit), "s"))
        except ComputeError:
            pass
    found = _CONVERSION.fullmatch(delta.text("SI_CONVERSION"))
    try:
        return float(found.group(1)) if found else None
    except ValueError:
        return None
