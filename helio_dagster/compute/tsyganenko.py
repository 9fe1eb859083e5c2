"""The field of currents outside the Earth by the models of Tsyganenko, which the package geopack computes.

T89c: Tsyganenko 1989, doi:10.1016/0032-0633(89)90066-4. T96: Tsyganenko 1995, doi:10.1029/94JA03193. The module of
geopack that bears its name is not loaded, as it asks a server for coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from threading import Lock
from types import FunctionType, SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import ComputeError

Floats = NDArray[np.float64]
Vector = tuple[Floats, Floats, Floats]

T89_REACH_RE = 70.0
"""T89 holds up to this distance."""
T96_DRIVERS = ((0.5, 10.0), (-100.0, 20.0), (-10.0, 10.0), (-10.0, 10.0))
"""Ranges of pressure in nPa, Dst, By and Bz in nT to which T96 was fitted."""
_BOUNDARY, _HALF_LENGTH_RE, _FRONT_RE = 1.08, 70.0, 5.48
_STANDARD_NPA, _SHRINKING = 2.0, 0.14
_ONE_AT_A_TIME = Lock()


def require_geopack(operation_id: str) -> None:
    """Refuse where geopack is not installed; raises ComputeError."""
    if find_spec("geopack") is None:
        hint = "It has Tsyganenko's models. Install it: pip install 'helio-dagster[geopack]'"
        raise ComputeError(f"{operation_id} needs the package geopack, which is not installed", hint=hint)


def t89_field_nt(place_re: Vector, tilt: Floats, drivers: tuple[Floats, ...]) -> Vector:
    """The field of T89c outside the Earth's, in GSM.

    Parameters
    ----------
    place_re
        x, y, z in GSM, R_E, float64, shape (record,) each.
    tilt
        Of the dipole in rad, shape (record,).
    drivers
        Kp, 0 to 9, shape (record,).

    Returns
    -------
    tuple
        x, y, z in nT; NaN where something is, where Kp is not from 0 to 9, and beyond 70 R_E.
    """
    x, y, z = place_re
    (kp,) = drivers
    is_known = (kp >= 0) & (kp <= 9) & (x * x + y * y + z * z <= T89_REACH_RE**2) & np.isfinite(tilt)
    found = np.full((3, len(x)), np.nan)
    level = np.minimum(np.floor(np.where(is_known, kp, 0.0) + 0.5), 6.0).astype(np.int64) + 1
    for each in np.unique(level[is_known]).tolist():
        some = np.flatnonzero(is_known & (level == each))
        found[:, some] = _t89_over_arrays()(each, tilt[some], x[some], y[some], z[some])
    return found[0], found[1], found[2]


@cache
def _t89_over_arrays() -> Callable[..., tuple[Floats, Floats, Floats]]:
    """Geopack's t89 for many places at once, 30 times as fast as one by one.

    Its formulas work on arrays as they stand; only its table of terms has room for numbers alone. Here they run with a table
    that has room for arrays. Where a later geopack is written in another way, places are gone through one by one.
    """
    from geopack import t89 as module

    def zeros_for(count: int) -> Callable[[tuple[int, ...]], Floats]:
        return lambda shape: np.zeros((*shape, count))

    def at_once(level: int, tilt: Floats, x: Floats, y: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        functions = {name: getattr(np, name) for name in ("sqrt", "sin", "cos", "exp", "abs")}
        terms = FunctionType(module.extern.__code__, {"np": SimpleNamespace(**functions, zeros=zeros_for(len(x)))})
        fx, fy, fz = FunctionType(module.t89.__code__, {"np": np, "extern": terms})(level, tilt, x, y, z)
        return fx, fy, fz

    def one_by_one(level: int, tilt: Floats, x: Floats, y: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        rows = [module.t89(level, *map(float, each)) for each in zip(tilt, x, y, z, strict=True)]
        fx, fy, fz = np.array(rows, dtype=float).reshape(-1, 3).T
        return fx, fy, fz

    tried = tuple(np.array(each) for each in ((0.3, -0.2), (-6.0, 4.0), (3.0, -2.0), (1.0, 0.5)))
    try:
        is_same = np.allclose(at_once(3, *tried), one_by_one(3, *tried), rtol=1e-10, atol=1e-10)
    except (AttributeError, NameError, TypeError, ValueError):
        is_same = False
    return at_once if is_same else one_by_one


def t96_field_nt(place_re: Vector, tilt: Floats, drivers: tuple[Floats, ...]) -> Vector:
    """The field of T96 outside the Earth's, in GSM.

    Parameters
    ----------
    place_re, tilt
        As `t89_field_nt`.
    drivers
        Dynamic pressure in nPa, Dst, and By and Bz of the solar wind in GSM in nT, shape (record,) each.

    Returns
    -------
    tuple
        x, y, z in nT; NaN where something is, outside the model's magnetopause, and where a driver is outside `T96_DRIVERS`.
    """
    from geopack.t96 import t96

    x, y, z = place_re
    is_known = is_inside_t96(place_re, drivers[0]) & np.isfinite(tilt)
    for values, (low, high) in zip(drivers, T96_DRIVERS, strict=True):
        is_known &= (values >= low) & (values <= high)
    found = np.full((3, len(x)), np.nan)
    with _ONE_AT_A_TIME:  # geopack keeps parts of it in its module
        for at in np.flatnonzero(is_known).tolist():
            driven = [*(float(each[at]) for each in drivers), *[0.0] * 6]
            found[:, at] = t96(driven, float(tilt[at]), float(x[at]), float(y[at]), float(z[at]))
    return found[0], found[1], found[2]


def is_inside_t96(place_re: Vector, pressure_npa: Floats) -> NDArray[np.bool_]:
    """Whether places are inside the magnetopause of T96: half a spheroid before a cylinder, smaller under pressure.

    Parameters
    ----------
    place_re
        x, y, z in GSM, R_E, float64, shape (record,) each.
    pressure_npa
        Dynamic pressure of the solar wind, shape (record,).

    Returns
    -------
    NDArray
        bool, shape (record,).
    """
    x, y, z = place_re
    size = (np.where(pressure_npa > 0, pressure_npa, np.nan) / _STANDARD_NPA) ** -_SHRINKING
    half, front = _HALF_LENGTH_RE * size, _FRONT_RE * size
    along, across = np.maximum(half + x - front, 0.0), y * y + z * z
    near, far = np.sqrt(across + (along - half) ** 2), np.sqrt(across + (along + half) ** 2)
    return np.asarray((near + far) / (2 * half) < _BOUNDARY)
