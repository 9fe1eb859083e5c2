"""Normal and speed of a boundary from when it passes several spacecraft. Positions come in km."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.boundary_timing import columns_on_grid, passing_times, place_at, plane_of_four, speed_between
from helio_dagster.compute.plain.tables import columns, nanoseconds, row, stamps


def four_spacecraft_timing(
    position1: pd.DataFrame,
    position2: pd.DataFrame,
    position3: pd.DataFrame,
    position4: pd.DataFrame,
    crossing1: pd.DataFrame | None = None,
    crossing2: pd.DataFrame | None = None,
    crossing3: pd.DataFrame | None = None,
    crossing4: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    is_event: bool,
    least_correlation: float,
    position_gap: str,
    most_elongation: float,
    most_planarity: float,
    times: list[str] | None = None,
    time_uncertainty: str | None = None,
    longest_lag: str | None = None,
    cadence: str | None = None,
) -> pd.DataFrame:
    """Normal, the way the boundary moves, and speed of the plane through four places at four times (Schwartz 1998)."""
    tables = [crossing1, crossing2, crossing3, crossing4]
    lagging = (longest_lag, cadence, least_correlation)
    at, spread, about = _passages(tables, start, stop, times, is_event, time_uncertainty, lagging)
    names = [f"normal_{axis}" for axis in "xyz"] + ["normal_uncertainty", "speed", "speed_uncertainty"]
    names += ["delay2", "delay3", "delay4", "time_uncertainty", "correlation", "lag_misfit", "elongation", "planarity"]
    found = dict.fromkeys(names, np.nan)
    if at is None:
        return row(start, stop, found)
    places = _places([position1, position2, position3, position4], at, position_gap)
    if not np.isfinite(places).all():
        return row(start, stop, found)
    after = np.array([(each - at[0]) / 1e9 for each in at])
    found |= {f"delay{place}": after[place - 1] for place in (2, 3, 4)} | {"time_uncertainty": spread} | about
    axes = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
    found |= {"elongation": 1 - axes[1] / axes[0], "planarity": 1 - axes[2] / axes[1]}
    if found["elongation"] > most_elongation or found["planarity"] > most_planarity:
        raise ValueError(f"the four spacecraft are nearly in a plane or on a line: {found}")
    return row(start, stop, found | plane_of_four(places, after, spread))


def two_spacecraft_timing(
    position1: pd.DataFrame,
    position2: pd.DataFrame,
    crossing1: pd.DataFrame | None = None,
    crossing2: pd.DataFrame | None = None,
    *,
    start: pd.Timestamp,
    stop: pd.Timestamp,
    is_event: bool,
    least_correlation: float,
    position_gap: str,
    normal: tuple[float, float, float] | None = None,
    times: list[str] | None = None,
    time_uncertainty: str | None = None,
    longest_lag: str | None = None,
    cadence: str | None = None,
) -> pd.DataFrame:
    """Speed along a normal, by default the direction from the Sun to the first spacecraft (Schwartz 1998)."""
    lagging = (longest_lag, cadence, least_correlation)
    at, spread, about = _passages([crossing1, crossing2], start, stop, times, is_event, time_uncertainty, lagging)
    names = ["speed", "speed_uncertainty", "normal_x", "normal_y", "normal_z", "separation", "separation_angle"]
    found = dict.fromkeys([*names, "delay2", "time_uncertainty", "correlation", "lag_misfit"], np.nan)
    if at is None:
        return row(start, stop, found)
    places = _places([position1, position2], at, position_gap)
    if not np.isfinite(places).all():
        return row(start, stop, found)
    along = places[0] if normal is None else np.array(normal, dtype="float64")
    along = along / np.linalg.norm(along)
    after = np.array([0.0, (at[1] - at[0]) / 1e9])
    found |= {"delay2": after[1], "time_uncertainty": spread} | about
    found |= {f"normal_{axis}": each for axis, each in zip("xyz", along, strict=True)}
    return row(start, stop, found | speed_between(places, after, along, spread))


def _passages(
    tables: list[pd.DataFrame | None],
    start: pd.Timestamp,
    stop: pd.Timestamp,
    times: list[str] | None,
    is_event: bool,
    time_uncertainty: str | None,
    lagging: tuple[str | None, str | None, float],
) -> tuple[list[int] | None, float, dict[str, float]]:
    """When each spacecraft is passed, in ns since 1970; None where it is not known."""
    spread = np.nan if time_uncertainty is None else nanoseconds(time_uncertainty) / 1e9
    if times is not None:
        moments = [pd.Timestamp(each) for each in times]
        return [(each.tz_localize("UTC") if each.tz is None else each).value for each in moments], spread, {}
    if is_event:
        return ([int(stamps(each)[0]) for each in tables] if all(len(each) for each in tables) else None), spread, {}
    if min(len(each) for each in tables) < 2:
        return None, spread, {}
    longest_lag, cadence, least_correlation = lagging
    step = max(int(np.median(np.diff(stamps(each)))) for each in tables) if cadence is None else nanoseconds(cadence)
    slots = (stop.value - start.value) // step
    most = slots // 4 if longest_lag is None else nanoseconds(longest_lag) // step
    grids = [columns_on_grid(stamps(each), columns(each), start.value, step, slots) for each in tables]
    after, own, correlation, misfit = passing_times(grids, most)
    if not correlation >= least_correlation:
        return None, spread, {}
    middle = start.value + (stop.value - start.value) // 2
    at = [middle + round(float(each) * step) for each in after - np.mean(after)]
    about = {"correlation": correlation, "lag_misfit": misfit * step / 1e9}
    return at, own * step / 1e9 if time_uncertainty is None else spread, about


def _places(tables: list[pd.DataFrame], at: list[int], gap: str) -> np.ndarray:
    return np.array(
        [place_at(each, stamps(table), columns(table), nanoseconds(gap)) for each, table in zip(at, tables, strict=True)]
    )
