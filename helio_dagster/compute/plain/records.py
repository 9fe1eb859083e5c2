"""Distributions over several axes, record by record.

A record is a list of numbers in one cell; `attrs["axes"]` says along which axes they lie, the last running fastest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from helio_dagster.compute.plain.tables import at_times_of, matched

Axis = dict[str, Any]


def slice(  # noqa: A001
    distribution: pd.DataFrame,
    *,
    axis: int,
    value: float | None = None,
    unit: str | None = None,
    index: int | None = None,
    first: int | None = None,
    stop: int | None = None,
) -> pd.DataFrame:
    """The values at one bin of an axis, or at a range of its bins; `value` is in the unit of the axis, which `unit` names."""
    del unit
    axes = distribution.attrs["axes"]
    found: list[tuple[Any, ...]] = []
    bins = np.arange(first or 0, stop) if stop is not None else None
    for record in records_of(distribution):
        moved = np.moveaxis(record["values"], axis, 0)
        if bins is not None:
            centers, widths = (
                [each[bins] if place == axis else each for place, each in enumerate(record[name])]
                for name in ("centers", "widths")
            )
            found.append((np.moveaxis(moved[bins], 0, axis), centers, widths))
            continue
        others = [record[name][:axis] + record[name][axis + 1 :] for name in ("centers", "widths")]
        at, inside = index or 0, True
        if value is not None:
            centers, half = record["centers"][axis], np.nan_to_num(record["widths"][axis]) / 2
            with np.errstate(all="ignore"):
                is_log = axes[axis]["scale"] == "log" and value > 0
                away = np.abs(np.log(centers / value)) if is_log else np.abs(centers - value)
            at = int(np.where(np.isfinite(away), away, np.inf).argmin())
            inside = np.nanmin(centers - half) <= value <= np.nanmax(centers + half)
        found.append((moved[at] if inside else np.full(moved.shape[1:], np.nan), *others))
    return rows_of(distribution, found, [each for place, each in enumerate(axes) if place != axis or bins is not None])


def reduce(
    distribution: pd.DataFrame,
    *,
    axis: int,
    how: str = "mean",
    weights: str = "equal",
    skip_missing: bool = False,
    factor: float = 1.0,
) -> pd.DataFrame:
    """A mean, sum, integral or extreme along an axis; an integral in a unit of which the axis's own has so many."""
    axes = distribution.attrs["axes"]
    found: list[tuple[Any, ...]] = []
    for record in records_of(distribution):
        centers, widths = record["centers"][axis], record["widths"][axis]
        weight = np.ones(len(centers))
        if weights == "solid_angle":
            weight = sky(centers, widths, axes[axis])
        elif how == "integral":
            weight = np.radians(widths) if axes[axis]["unit"] == "deg" else widths
        weight = weight * factor
        is_placed = np.isfinite(centers) & np.isfinite(weight)
        values = np.moveaxis(record["values"], axis, -1)[..., is_placed]
        weight = weight[is_placed]
        valid = ~np.isnan(values)
        with np.errstate(all="ignore"):
            total = np.where(valid, values * weight, 0).sum(axis=-1)
            result = {
                "mean": total / (valid * weight).sum(axis=-1),
                "max": np.where(valid, values, -np.inf).max(axis=-1, initial=-np.inf),
                "min": np.where(valid, values, np.inf).min(axis=-1, initial=np.inf),
            }.get(how, total)
        is_known = valid.any(axis=-1) if how in ("mean", "max", "min") or skip_missing else valid.all(axis=-1)
        others = [record[name][:axis] + record[name][axis + 1 :] for name in ("centers", "widths")]
        found.append((np.where(is_known, result, np.nan), *others))
    return rows_of(distribution, found, axes[:axis] + axes[axis + 1 :])


def energy_spectrogram(distribution: pd.DataFrame, *, axis: int, weights: str = "solid_angle") -> pd.DataFrame:
    """The mean over all axes but that of energies."""
    axes = distribution.attrs["axes"]
    found: list[tuple[Any, ...]] = []
    for record in records_of(distribution):
        weight = np.ones([1] * len(axes))
        for place, each in enumerate(axes):
            if place == axis:
                continue
            centers = record["centers"][place]
            own = np.where(np.isfinite(centers), 1.0, 0.0)
            if weights == "solid_angle" and each["angle"] in ("colatitude", "elevation", "pitch angle"):
                own = np.nan_to_num(sky(centers, record["widths"][place], each))
            weight = weight * own.reshape([-1 if other == place else 1 for other in range(len(axes))])
        values = record["values"]
        over = tuple(place for place in range(len(axes)) if place != axis)
        valid = np.where(np.isnan(values), 0.0, 1.0) * weight
        with np.errstate(all="ignore"):
            mean = (np.nan_to_num(values) * weight).sum(axis=over) / valid.sum(axis=over)
        found.append((mean, [record["centers"][axis]], [record["widths"][axis]]))
    return rows_of(distribution, found, [axes[axis]])


def pitch_angle_spectrogram(
    distribution: pd.DataFrame,
    field: pd.DataFrame | None = None,
    *,
    tolerance: str,
    bin: float | None = None,
    energies: list[float] | None = None,
    energy_unit: str | None = None,
    directions: str | None = None,
    energy: int | None = None,
) -> pd.DataFrame:
    """The mean of all samples within bins of pitch angle; `energy` is the place of the axis of energies, in `energy_unit`."""
    del energy_unit
    axes = distribution.attrs["axes"]
    kinds = [axis["angle"] for axis in axes]
    width = bin or 15.0
    pitch = {"unit": "deg", "values": list(np.arange(width / 2, 180, width)), "column": None}
    b = np.stack(matched(distribution, field, tolerance), axis=1) if field is not None else np.empty((len(distribution), 3))
    found: list[tuple[Any, ...]] = []
    for record, along in zip(records_of(distribution), b, strict=True):
        values = record["values"]
        counts = np.ones(values.shape)
        if energies is not None and energy is not None:
            inside = (record["centers"][energy] >= energies[0]) & (record["centers"][energy] <= energies[1])
            counts = counts * inside.reshape([-1 if place == energy else 1 for place in range(len(axes))])
        counts = np.where(np.isnan(values), 0.0, counts)
        if "pitch angle" in kinds:
            at = kinds.index("pitch angle")
            over = tuple(place for place in range(len(axes)) if place != at)
            with np.errstate(all="ignore"):
                mean = (np.nan_to_num(values) * counts).sum(axis=over) / counts.sum(axis=over)
            found.append((mean, [record["centers"][at]], []))
            continue
        at, up = kinds.index("azimuth"), next(kinds.index(each) for each in ("colatitude", "elevation") if each in kinds)
        to_rad = [np.pi / 180 if axes[each]["unit"] == "deg" else 1.0 for each in (at, up)]
        phi, theta = (record["centers"][each] * factor for each, factor in zip((at, up), to_rad, strict=True))
        theta = np.pi / 2 - theta if kinds[up] == "elevation" else theta
        sky_shape = (
            [-1 if place == at else 1 for place in range(len(axes))],
            [-1 if place == up else 1 for place in range(len(axes))],
        )
        phi, theta = phi.reshape(sky_shape[0]), theta.reshape(sky_shape[1])
        flow = np.cos(phi) * np.sin(theta) * along[0] + np.sin(phi) * np.sin(theta) * along[1] + np.cos(theta) * along[2]
        flow = flow * (-1 if directions == "look" else 1)
        with np.errstate(all="ignore"):
            angle = np.degrees(np.arccos(np.clip(flow / np.linalg.norm(along), -1, 1))) + 0 * counts
        means: list[float] = []
        for place in range(round(180 / width)):
            last = place == round(180 / width) - 1
            here = (angle >= place * width) & ((angle < (place + 1) * width) | last)
            count = counts[here].sum()
            means.append((np.nan_to_num(values)[here] * counts[here]).sum() / count if count else np.nan)
        found.append((np.array(means), [np.array(pitch["values"])], []))
    return rows_of(distribution, found, [axes[kinds.index("pitch angle")] if "pitch angle" in kinds else pitch])


def records_of(distribution: pd.DataFrame) -> list[dict[str, Any]]:
    """Values of each record along its axes, and centers and widths of the bins of each axis."""
    axes = distribution.attrs["axes"]
    sizes = [axis["size"] for axis in axes]
    found: list[dict[str, Any]] = []
    for place in range(len(distribution)):
        record: dict[str, Any] = {"centers": [], "widths": []}
        record["values"] = np.asarray(distribution[distribution.attrs["data"]].iloc[place], dtype="float64").reshape(sizes)
        for axis in axes:
            centers = cell(distribution, axis["column"], place, axis["values"])
            record["centers"].append(centers)
            given = axis["width_column"] is not None or axis["widths"]
            record["widths"].append(
                cell(distribution, axis["width_column"], place, axis["widths"]) if given else between(centers, axis["scale"])
            )
        found.append(record)
    return found


def cell(distribution: pd.DataFrame, column: str | None, place: int, fixed: list[float]) -> np.ndarray:
    """The numbers along an axis: of a record's own cell, or the same for all."""
    return np.asarray(fixed if column is None else distribution[column].iloc[place], dtype="float64")


def between(centers: np.ndarray, scale: str) -> np.ndarray:
    """Widths of bins whose edges are midway between their centers."""
    found = np.full(len(centers), np.nan)
    known = np.flatnonzero(np.isfinite(centers))
    known = known[np.argsort(centers[known], kind="stable")]
    if len(known) < 2:
        return found
    is_log = scale == "log" and centers[known[0]] > 0
    at = np.log(centers[known]) if is_log else centers[known]
    steps = np.diff(at)
    edges = np.concatenate([[at[0] - steps[0] / 2], at[:-1] + steps / 2, [at[-1] + steps[-1] / 2]])
    found[known] = np.diff(np.exp(edges) if is_log else edges)
    return found


def sky(centers: np.ndarray, widths: np.ndarray, axis: Axis) -> np.ndarray:
    """The integral of the sine of the colatitude over each bin of an angle from a pole."""
    to_rad = np.pi / 180 if axis["unit"] == "deg" else 1.0
    middle, half = centers * to_rad, widths * to_rad / 2
    middle = np.pi / 2 - middle if axis["angle"] == "elevation" else middle
    return np.cos(np.clip(middle - half, 0, np.pi)) - np.cos(np.clip(middle + half, 0, np.pi))


def rows_of(distribution: pd.DataFrame, found: list[tuple[Any, ...]], axes: list[Axis]) -> pd.DataFrame:
    """What is left of each record, with those bins of the axes left that vary: columns of one axis, else cells."""
    if not axes:
        return at_times_of(distribution, np.array([values for values, *_ in found], dtype="float64"))
    if len(axes) > 1:
        cells: list[list[np.ndarray]] = []
        for values, centers, widths in found:
            row = [values.reshape(-1)]
            for place, axis in enumerate(axes):
                row += [centers[place]] if axis["column"] is not None else []
                row += [widths[place]] if axis["width_column"] is not None else []
            cells.append(row)
        columns = {
            place: pd.Series(list(each), index=distribution.index) for place, each in enumerate(zip(*cells, strict=True))
        }
        return pd.DataFrame(columns)
    rows = np.array([values for values, *_ in found], dtype="float64")
    if axes[0]["column"] is not None:
        return at_times_of(distribution, np.concatenate([rows, np.array([centers[0] for _, centers, *_ in found])], axis=1))
    return at_times_of(distribution, rows[:, np.isfinite(np.asarray(axes[0]["values"], dtype="float64"))])
