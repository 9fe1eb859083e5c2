"""Four made-up spacecraft that cross a current sheet: their fields and positions, for the pictures of operations."""

from __future__ import annotations

import numpy as np

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

WORDS = "Four made-up spacecraft, 210 km apart, cross a current sheet 800 km thick."
_CORNERS_KM = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 75.0
_SPEED_KM_S, _HALF_KM, _LOBE_NT = 10.0, 400.0, 20.0
_CADENCE_S = 0.5


def sheet_table(name: str, span: TimeRange) -> Table:
    """`field1` to `field4` in nT, `position1` to `position4` in km, both in GSE: a Harris sheet in the middle of the span.

    The field along x is `20 nT tanh(z / 400 km)`, with noise of 0.05 nT; the spacecraft move along z at 10 km/s.
    """
    quantity, point = name[:-1], int(name[-1])
    start, stop = (edge.astype("datetime64[ns]") for edge in span.bounds_ns())
    seconds = np.arange(0.0, span.duration.total_seconds(), _CADENCE_S)
    place = np.tile(_CORNERS_KM[point - 1], (len(seconds), 1))
    place[:, 2] += (seconds - span.duration.total_seconds() / 2) * _SPEED_KM_S
    values = place + np.array([6.0e4, 2.0e4, 0.0])
    if quantity == "field":
        field = np.stack([_LOBE_NT * np.tanh(place[:, 2] / _HALF_KM), 2 + 0 * seconds, 1 + 0 * seconds], axis=1)
        values = field + np.random.default_rng(point).normal(scale=0.05, size=field.shape)
    unit = "nT" if quantity == "field" else "km"
    letter = "B" if quantity == "field" else ""
    columns = tuple(ColumnMeta(name=f"{letter}{axis}", label=f"{letter}{axis}", unit=unit) for axis in "xyz")
    meta = TableMeta(kind="vector", columns=columns, label=f"{letter or 'r'} {point}", unit=unit, frame="GSE", synthetic=True)
    time = start + np.round(seconds * 1e9).astype("timedelta64[ns]")
    inside = time < stop
    return Table(time[inside], {c.name: np.ascontiguousarray(v[inside]) for c, v in zip(columns, values.T, strict=True)}, meta)
