"""UTC to ephemeris time, by the leap seconds of the loaded kernel. Imported in the worker only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spiceypy import cyice, spiceypy

_J2000_NS = 946_728_000_000_000_000
"""2000-01-01T12:00 as ns since 1970."""
_KNOWN_LEAP_SECONDS = tuple(
    (day, 37 - place)
    for place, day in enumerate(
        (
            *("2017-01-01", "2015-07-01", "2012-07-01", "2009-01-01", "2006-01-01", "1999-01-01", "1997-07-01", "1996-01-01"),
            *("1994-07-01", "1993-07-01", "1992-07-01", "1991-01-01", "1990-01-01", "1988-01-01", "1985-07-01", "1983-07-01"),
            *("1982-07-01", "1981-07-01", "1980-01-01", "1979-01-01", "1978-01-01", "1977-01-01", "1976-01-01", "1975-01-01"),
            *("1974-01-01", "1973-01-01", "1972-07-01", "1972-01-01"),
        )
    )
)
"""All announced ones, the newest first, with TAI-UTC after them, s: IERS Bulletin C 52 and before."""


class OldLeapSeconds(Exception):
    """The loaded kernel lacks a leap second that lies before the data."""

    def __init__(self, day: str) -> None:
        super().__init__(day)
        self.day = day


def et_of_utc(at_ns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Ephemeris time (TDB) in s since J2000, shape (time,), of UTC in ns since 1970, shape (time,).

    Raises
    ------
    OldLeapSeconds
        The kernel lacks a leap second before the last time.
    """
    since_s, leap_s = _leap_seconds()
    if len(at_ns):
        _check_age(int(at_ns.max()), since_s, leap_s)
    utc_s = (at_ns - _J2000_NS) / 1e9
    place = np.maximum(np.searchsorted(since_s, utc_s, side="right") - 1, 0)
    return _tdb_of_tai(utc_s + leap_s[place])


def utc_of_et(et: NDArray[np.float64]) -> NDArray[np.int64]:
    """UTC in ns since 1970, shape (time,), to the microsecond; the inverse of `et_of_utc` outside a leap second itself."""
    since_s, leap_s = _leap_seconds()
    tai_s = np.asarray(cyice.unitim_v(np.ascontiguousarray(et), "TDB", "TAI"))
    place = np.maximum(np.searchsorted(since_s + leap_s, tai_s, side="right") - 1, 0)
    return np.round((tai_s - leap_s[place]) * 1e6).astype(np.int64) * 1000 + _J2000_NS


def _tdb_of_tai(tai_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """TDB of TAI, both in s since J2000, shape (time,), by the formula of CSPICE's unitim (Time Required Reading).

    In numpy, as `cyice.unitim_v` takes half as long as the positions do.
    """
    ahead_s, size_s, eccentricity = (float(spiceypy.gdpool(f"DELTET/{name}", 0, 1)[0]) for name in ("DELTA_T_A", "K", "EB"))
    start, rate = spiceypy.gdpool("DELTET/M", 0, 2)
    tt_s = tai_s + ahead_s
    anomaly = start + rate * tt_s
    return np.asarray(tt_s + size_s * np.sin(anomaly + eccentricity * np.sin(anomaly)))


def _leap_seconds() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """When each value of TAI-UTC begins, UTC s since J2000, and the value in s."""
    pairs = np.asarray(spiceypy.gdpool("DELTET/DELTA_AT", 0, 400)).reshape(-1, 2)
    return pairs[:, 1], pairs[:, 0]


def _check_age(last_ns: int, since_s: NDArray[np.float64], leap_s: NDArray[np.float64]) -> None:
    for day, value in _KNOWN_LEAP_SECONDS:
        begins_ns = int(np.datetime64(day, "ns").astype(np.int64))
        if last_ns >= begins_ns:
            place = np.searchsorted(since_s, (begins_ns - _J2000_NS) / 1e9, side="right") - 1
            if place < 0 or leap_s[place] < value:
                raise OldLeapSeconds(day)
            return
