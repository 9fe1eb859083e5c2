"""Where Earth is seen from the Sun, and how its equator and ecliptic lie, from IAU formulas: no ephemeris file, no network.

Earth: `epv00` of the IAU's SOFA (a fit to DE405, 13 km at most between 1900 and 2100); equator and ecliptic: precession and
nutation of IAU 2006/2000A. All axes are those of the ICRF. UT1 is taken to be UTC, and the Earth's pole is not moved.
"""

from __future__ import annotations

from dataclasses import dataclass

import erfa
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DAY_NS = 86_400 * 10**9
_J2000_NS = 946_728_000 * 10**9
"""2000-01-01T12:00 in ns after 1970-01-01."""
_J2000_JD, _UNIX_JD = 2451545.0, 2440587.5
_GRID_NS = 6 * 3_600 * 10**9
_LEAP_SECONDS_FROM, _LEAP_SECONDS_TO = np.datetime64("1960-01-01", "D"), np.datetime64("2027-12-31", "D")
"""Where the table of leap seconds is sure of itself; outside, its first and last value hold."""


@dataclass(frozen=True)
class SunAndEarth:
    """At given times; every matrix turns from the axes of the ICRF, its rows being the new axes.

    Parameters
    ----------
    earth_au
        Earth's centre from the Sun's, shape (axis, time).
    ecliptic
        Mean ecliptic and equinox of date, shape (axis, axis, time).
    mean_equator
        Mean equator and equinox of date.
    true_equator
        True equator and equinox of date.
    sidereal
        Greenwich apparent sidereal time as an angle, rad, shape (time,).
    """

    earth_au: Floats
    ecliptic: Floats
    mean_equator: Floats
    true_equator: Floats
    sidereal: Floats


def sun_and_earth(at_ns: NDArray[np.int64]) -> SunAndEarth:
    """Interpolated from a grid of 6 h that is the same for all times, by cubics: to 1e-10 rad of the formulas themselves.

    Parameters
    ----------
    at_ns
        ns since 1970, naive UTC, shape (time,).
    """
    first = at_ns // _GRID_NS
    nodes, place = np.unique(np.concatenate([first + each for each in (-1, 0, 1, 2)]), return_inverse=True)
    known = _at_nodes(nodes * _GRID_NS)
    share = (at_ns - first * _GRID_NS) / _GRID_NS
    before, here, after, last = (known[:, each] for each in place.reshape(4, -1))
    slow = (
        before * (-share * (share - 1) * (share - 2) / 6)
        + here * ((share + 1) * (share - 1) * (share - 2) / 2)
        + after * (-(share + 1) * share * (share - 2) / 2)
        + last * ((share + 1) * share * (share - 1) / 6)
    )
    day = at_ns // _DAY_NS
    era = erfa.era00(_UNIX_JD + day, (at_ns - day * _DAY_NS) / _DAY_NS)
    matrices = slow[3:30].reshape(3, 3, 3, -1)
    return SunAndEarth(slow[:3], matrices[0], matrices[1], matrices[2], era - slow[30])


def days_since_j2000(at_ns: NDArray[np.int64]) -> Floats:
    """Days of terrestrial time since 2000-01-01T12:00 TT, shape as `at_ns`, which is ns since 1970 in UTC."""
    return np.asarray((at_ns - _J2000_NS) / _DAY_NS + _tt_minus_utc_s(at_ns) / 86_400)


def _tt_minus_utc_s(at_ns: NDArray[np.int64]) -> Floats:
    day = (at_ns // _DAY_NS).astype("datetime64[D]").clip(_LEAP_SECONDS_FROM, _LEAP_SECONDS_TO)
    month = day.astype("datetime64[M]")
    numbers = month.astype(np.int64)
    leap = erfa.dat(1970 + numbers // 12, numbers % 12 + 1, (day - month).astype(np.int64) + 1, np.zeros(len(at_ns)))
    return np.asarray(leap + 32.184)


def _at_nodes(at_ns: NDArray[np.int64]) -> Floats:
    """Earth, three matrices and the equation of the origins, shape (number, time)."""
    days = days_since_j2000(at_ns)
    heliocentric, _ = erfa.epv00(_J2000_JD, days)
    ecliptic, mean, true = (turned(_J2000_JD, days) for turned in (erfa.ecm06, erfa.pmat06, erfa.pnm06a))
    x, y = erfa.bpn2xy(true)
    origins = erfa.eors(true, erfa.s06(_J2000_JD, days, x, y))
    rows = [np.asarray(heliocentric["p"]), *(each.reshape(-1, 9) for each in (ecliptic, mean, true)), origins[:, None]]
    return np.ascontiguousarray(np.concatenate(rows, axis=1).T)
