"""Origins of time scales that FITS files and VOTables give as Julian day numbers."""

from __future__ import annotations

from datetime import datetime, timedelta

_MJD_EPOCH = datetime(1858, 11, 17)


def since_mjd(unit: str, days: float, clock: str) -> str:
    """`seconds since 1998-01-01 00:00:00.000000 TT`, for a count from a modified Julian day number on a clock."""
    origin = _MJD_EPOCH + timedelta(microseconds=round(days * 86_400e6))
    return f"{unit} since {origin:%Y-%m-%d %H:%M:%S.%f} {clock}"
