"""Solar wind data at the times when they arrive somewhere else. Velocities come in km/s, positions in km."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_ns, matched, nanoseconds, stamps
from helio_dagster.domain.lengths import EARTH_RADIUS_KM


def propagate(
    series: pd.DataFrame,
    velocity: pd.DataFrame,
    position: pd.DataFrame,
    *,
    cadence: str,
    to_re: float,
    longest: str,
    tolerance: str,
    normal: tuple[float, float, float] | None = None,
) -> pd.DataFrame:
    """Means, in bins of arrival, of samples that planes with a normal carry from the spacecraft to a point on the X axis."""
    flow = np.stack(matched(series, velocity, tolerance), axis=1)
    if flow.shape[1] == 1:
        flow = np.hstack([-np.abs(flow), np.zeros((len(flow), 2))])
    place = np.stack(matched(series, position, tolerance), axis=1)
    n = np.array(normal or (1.0, 0.0, 0.0)) / np.linalg.norm(normal or (1.0, 0.0, 0.0))
    with np.errstate(all="ignore"):
        delay = (np.array([to_re * EARTH_RADIUS_KM, 0, 0]) - place) @ n / (flow @ n)
        slanted = np.abs(flow @ n) < 0.1 * np.linalg.norm(flow, axis=1)
    delay = np.where(np.isfinite(delay) & ~slanted, delay, -1)
    kept = (delay >= 0) & (delay <= nanoseconds(longest) / 1e9)
    arrival = stamps(series)[kept] + np.rint(delay[kept] * 1e9).astype("int64")
    means = series[kept].astype("float64").reset_index(drop=True).groupby(arrival // nanoseconds(cadence)).mean()
    return at_ns(
        means.index.to_numpy("int64") * nanoseconds(cadence),
        **{str(place): means.iloc[:, place].to_numpy() for place in range(means.shape[1])},
    )


def shift_time(series: pd.DataFrame, *, later: str | None = None, earlier: str | None = None) -> pd.DataFrame:
    """The same values at times that are so much later, or so much earlier."""
    shift = nanoseconds(later) if later is not None else -nanoseconds(earlier or "PT0S")
    return series.set_axis(series.index + pd.Timedelta(shift, unit="ns"))
