"""The field of Earth's interior by the IGRF, at places and times."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.igrf_coefficients import (
    IGRF_DEGREE,
    IGRF_EPOCHS,
    IGRF_FIRST_YEAR,
    IGRF_NT,
    IGRF_STEP_YEARS,
)
from helio_dagster.domain.lengths import EARTH_RADIUS_KM

Floats = NDArray[np.float64]
Vector = tuple[Floats, Floats, Floats]


def igrf_geo_nt(place_km: Vector, at_ns: NDArray[np.int64], degree: int = IGRF_DEGREE) -> Vector:
    """The field along the axes of GEO.

    Parameters
    ----------
    place_km
        x, y, z in GEO, float64, shape (record,) each.
    at_ns
        ns since 1970, naive UTC, shape (record,).
    degree
        The highest that counts, 1 (the dipole) to 13.

    Returns
    -------
    tuple
        x, y, z in nT; NaN before 1955 and after 2030, and at the centre of the Earth.

    Notes
    -----
    B = -grad V, V = a sum_n (a / r)^(n + 1) sum_m (g cos m phi + h sin m phi) P_n^m(cos theta), a = 6371.2 km, coefficients
    linear between their epochs.
    """
    x, y, z = place_km
    across = np.sqrt(x * x + y * y)
    distance = np.sqrt(across * across + z * z)
    cosine, sine = z / distance, across / distance
    is_polar = across == 0
    horizontal = np.where(is_polar, 1.0, across)
    east = np.where(is_polar, 1.0, x / horizontal), y / horizontal
    radial, south, eastward = _spherical(distance, (cosine, sine), east, at_ns, degree)
    outward = radial * sine + south * cosine
    return (
        outward * east[0] - eastward * east[1],
        outward * east[1] + eastward * east[0],
        radial * cosine - south * sine,
    )


def _spherical(
    distance: Floats, polar: tuple[Floats, Floats], east: tuple[Floats, Floats], at_ns: NDArray[np.int64], degree: int
) -> Vector:
    """Components away from the centre, southward and eastward."""
    (cosine, sine), (year, share) = polar, _epoch(at_ns)
    ratio = EARTH_RADIUS_KM / distance
    falling = [ratio * ratio]
    for _ in range(degree):
        falling.append(falling[-1] * ratio)
    radial, south, eastward = (np.zeros(len(distance)) for _ in range(3))
    # Legendre functions of Schmidt by order: P, dP / d theta and P / sin theta, each of the last two degrees
    one, none = np.ones(len(distance)), np.zeros(len(distance))
    turned = one, none
    sectoral, slope, bare = one, none, none
    for order in range(degree + 1):
        if order:
            turned = turned[0] * east[0] - turned[1] * east[1], turned[1] * east[0] + turned[0] * east[1]
            factor = 1.0 if order == 1 else np.sqrt((2 * order - 1) / (2 * order))
            slope = factor * (sine * slope + cosine * sectoral)
            bare = factor * sectoral if order == 1 else factor * sine * bare
            sectoral = factor * sine * sectoral
        below, here = (none, none, none), (sectoral, slope, bare)
        for n in range(max(order, 1), degree + 1):
            if n > order:
                below, here = here, _next_degree(n, order, below, here, (cosine, sine))
            g, h = _coefficients(n, order, year, share)
            along, around = g * turned[0] + h * turned[1], h * turned[0] - g * turned[1]
            radial = radial + (n + 1) * falling[n] * along * here[0]
            south = south - falling[n] * along * here[1]
            eastward = eastward - order * falling[n] * around * here[2]
    return radial, south, eastward


def _next_degree(n: int, m: int, below: Vector, here: Vector, polar: tuple[Floats, Floats]) -> Vector:
    cosine, sine = polar
    first, second, norm = 2 * n - 1, np.sqrt((n - 1) ** 2 - m**2), np.sqrt(n**2 - m**2)
    return (
        (first * cosine * here[0] - second * below[0]) / norm,
        (first * (cosine * here[1] - sine * here[0]) - second * below[1]) / norm,
        (first * cosine * here[2] - second * below[2]) / norm,
    )


def _epoch(at_ns: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """The epoch before each time, a single one where all have the same, and how far each is to the next, NaN without one."""
    time = at_ns.astype("datetime64[ns]")
    new_year = time.astype("datetime64[Y]")
    length = (new_year + 1).astype("datetime64[s]") - new_year.astype("datetime64[s]")
    epochs = (1970.0 + new_year.astype(np.int64) + (time - new_year) / length - IGRF_FIRST_YEAR) / IGRF_STEP_YEARS
    before = np.clip(np.floor(epochs).astype(np.int64), 0, IGRF_EPOCHS - 2)
    if len(before) and (before == before[0]).all():
        before = before[:1]
    return before, np.where((epochs >= 0) & (epochs <= IGRF_EPOCHS - 1), epochs - before, np.nan)


def _coefficients(n: int, m: int, before: NDArray[np.int64], share: Floats) -> tuple[Floats, Floats]:
    """G and h of a degree and order at each time."""
    row = n * n - 1 + max(2 * m - 1, 0)
    g = _table()[row]
    h = _table()[row + 1] if m else np.zeros(IGRF_EPOCHS)
    return g[before] + (g[before + 1] - g[before]) * share, h[before] + (h[before + 1] - h[before]) * share


@cache
def _table() -> Floats:
    """Coefficients, shape (coefficient, epoch)."""
    return np.array(IGRF_NT.split(), dtype=np.float64).reshape(-1, IGRF_EPOCHS)
