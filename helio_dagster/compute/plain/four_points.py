"""Derivatives in space from four spacecraft. Positions come in km, magnetic fields in nT."""

from __future__ import annotations

import numpy as np
import pandas as pd

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.plain.arithmetic import values_near
from helio_dagster.compute.plain.tables import at_times_of, columns, nanoseconds


def curlometer(
    field1: pd.DataFrame,
    field2: pd.DataFrame,
    field3: pd.DataFrame,
    field4: pd.DataFrame,
    position1: pd.DataFrame,
    position2: pd.DataFrame,
    position3: pd.DataFrame,
    position4: pd.DataFrame,
    *,
    max_gap: str,
    position_gap: str,
    most_elongation: float,
    most_planarity: float,
    result: str,
    field_error_nt: float,
) -> pd.DataFrame:
    """Curl B / mu_0 in nA m^-2 (Dunlop et al. 1988), or what says how good it is."""
    fields = _at(field1, [field1, field2, field3, field4], max_gap)
    places = _at(field1, [position1, position2, position3, position4], position_gap)
    elongation, planarity = _shape(places)
    if result == "shape":
        return at_times_of(field1, [elongation, planarity])
    is_fit = (elongation <= most_elongation) & (planarity <= most_planarity)
    per_km = 1e-3 / VACUUM_PERMEABILITY_H_PER_M
    if result in ("mean_field", "barycentre"):
        found = (fields if result == "mean_field" else places).mean(axis=1).T
    elif result == "error":
        k = np.stack([_derivatives(places, np.eye(4)[point][None, :, None], is_fit)[:, 0] for point in range(4)])
        found = np.sqrt(2 * np.sum(k**2, axis=(0, 2)))[None] * field_error_nt * per_km
    else:
        slopes = _derivatives(places, fields, is_fit)
        divergence, curl = np.trace(slopes, axis1=1, axis2=2), _curl(slopes)
        with np.errstate(all="ignore"):
            found = {
                "divergence": divergence[None],
                "quality": (np.abs(divergence) / np.linalg.norm(curl, axis=0))[None],
                "current_density": curl * per_km,
            }[result]
    return at_times_of(field1, _whole(np.where(is_fit, found, np.nan)))


def gradient(
    value1: pd.DataFrame,
    value2: pd.DataFrame,
    value3: pd.DataFrame,
    value4: pd.DataFrame,
    position1: pd.DataFrame,
    position2: pd.DataFrame,
    position3: pd.DataFrame,
    position4: pd.DataFrame,
    *,
    max_gap: str,
    position_gap: str,
    most_elongation: float,
    most_planarity: float,
    result: str,
) -> pd.DataFrame:
    """d/dx, d/dy, d/dz of each component per km; or the divergence or curl of a vector."""
    values = _at(value1, [value1, value2, value3, value4], max_gap)
    places = _at(value1, [position1, position2, position3, position4], position_gap)
    elongation, planarity = _shape(places)
    slopes = _derivatives(places, values, (elongation <= most_elongation) & (planarity <= most_planarity))
    if result == "gradient":
        return at_times_of(value1, _whole(slopes.reshape(len(value1), -1).T))
    return at_times_of(value1, _whole(_curl(slopes) if result == "curl" else np.trace(slopes, axis1=1, axis2=2)[None]))


def _at(first: pd.DataFrame, tables: list[pd.DataFrame], gap: str) -> np.ndarray:
    """Columns of four tables at the times of the first, shape (time, table, column)."""
    found = [
        columns(each)
        if each is first
        else [values_near(first, each, values, "linear", gap, nanoseconds(gap)) for values in columns(each)]
        for each in tables
    ]
    return np.array(found).transpose(2, 0, 1)


def _shape(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elongation and planarity from the axes of the volumetric tensor (Robert et al. 1998)."""
    apart = places - places.mean(axis=1, keepdims=True)
    is_known = np.isfinite(apart).all(axis=(1, 2))
    axes = np.linalg.svd(np.where(is_known[:, None, None], apart, 0.0), compute_uv=False)
    with np.errstate(all="ignore"):
        found = 1 - axes[:, 1:] / axes[:, :-1]
    return np.where(is_known, found[:, 0], np.nan), np.where(is_known, found[:, 1], np.nan)


def _derivatives(places: np.ndarray, values: np.ndarray, is_fit: np.ndarray) -> np.ndarray:
    """Derivatives, shape (time, component, axis), from the differences of three points to the first."""
    edges = np.where(is_fit[:, None, None], places[:, 1:] - places[:, :1], np.eye(3))
    rises = np.broadcast_to(values[:, 1:] - values[:, :1], (len(places), 3, values.shape[2]))
    return np.where(is_fit[:, None, None], np.linalg.solve(edges, rises).transpose(0, 2, 1), np.nan)


def _curl(slopes: np.ndarray) -> np.ndarray:
    return np.stack([slopes[:, 2, 1] - slopes[:, 1, 2], slopes[:, 0, 2] - slopes[:, 2, 0], slopes[:, 1, 0] - slopes[:, 0, 1]])


def _whole(found: np.ndarray) -> list[np.ndarray]:
    """Columns with NaN wherever one of them is not finite."""
    return list(np.where(np.isfinite(found).all(axis=0), found, np.nan))
