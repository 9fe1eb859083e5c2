"""A made-up spacecraft on an ellipse around Earth, for the pictures of operations."""

from __future__ import annotations

import numpy as np

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

ORBIT_WORDS = "A made-up spacecraft from 1.2 to 6 R_E, 30 deg from the equator of the dipole."
_NEAR_KM, _FAR_KM, _PERIOD_S, _TILT = 1.2 * 6371.2, 6.0 * 6371.2, 9 * 3600.0, np.radians(30)


def orbit_table(span: TimeRange) -> Table:
    """Positions in SM in km, one a minute, by Kepler's equation from a perigee in the dusk."""
    start, _ = (edge.astype("datetime64[ns]") for edge in span.bounds_ns())
    seconds = np.arange(0.0, span.duration.total_seconds(), 60.0)
    half, eccentricity = (_NEAR_KM + _FAR_KM) / 2, (_FAR_KM - _NEAR_KM) / (_FAR_KM + _NEAR_KM)
    mean = 2 * np.pi * seconds / _PERIOD_S
    anomaly = mean.copy()
    for _ in range(50):
        anomaly = anomaly - (anomaly - eccentricity * np.sin(anomaly) - mean) / (1 - eccentricity * np.cos(anomaly))
    along, across = half * (np.cos(anomaly) - eccentricity), half * np.sqrt(1 - eccentricity**2) * np.sin(anomaly)
    rows = (-across * np.cos(_TILT), along, across * np.sin(_TILT))
    columns = tuple(ColumnMeta(name=axis, label=axis, unit="km") for axis in "xyz")
    meta = TableMeta(kind="vector", columns=columns, label="Position", unit="km", frame="SM", synthetic=True)
    time = start + np.round(seconds * 1e9).astype("timedelta64[ns]")
    return Table(time, {c.name: np.ascontiguousarray(v) for c, v in zip(columns, rows, strict=True)}, meta)
