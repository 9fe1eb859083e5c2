"""Numbers of a shock from averages of both its sides: the normal, theta_Bn, speed and Mach numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.mach_numbers import mach_numbers
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.plasma import DENSITY, TEMPERATURE
from helio_dagster.compute.operations.results import Nanoseconds, count_column, fact, uncertain_fact
from helio_dagster.compute.shock_normals import METHODS, Method, shock_normal
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import ColumnMeta, TableMeta

LEAST_COMPRESSION = 1.05
"""Densities of both sides that are nearer than 5 % to each other give no speed: noise alone would decide on it."""
_NUMBERS = ("theta_bn", "shock_speed", "alfven_mach", "sonic_mach", "magnetosonic_mach", "density_ratio", "field_ratio")
_UNITS = {"theta_bn": "deg", "shock_speed": "km/s"}
_LABELS = {
    "theta_bn": "angle of the upstream field to the normal",
    "shock_speed": "speed of the shock along the normal",
    "alfven_mach": "Alfven Mach number",
    "sonic_mach": "sonic Mach number",
    "magnetosonic_mach": "magnetosonic Mach number",
    "density_ratio": "density ratio",
    "field_ratio": "ratio of the field's strength",
}


class SideOptions(Options):
    """What counts as either side of a shock, and by which normal."""

    clear: Duration = timedelta(minutes=1)
    """What is nearer to the shock than this belongs to neither side, an ISO 8601 duration such as PT1M."""
    longest: Duration = timedelta(minutes=10)
    """The longest average on each side, beginning where `clear` ends, an ISO 8601 duration such as PT10M."""
    windows: Annotated[int, Field(ge=1, le=20)] = 5
    """Averages of so many lengths on each side, 1 to 20; all pairs of them give the values and their scatter."""
    upstream: Literal["auto", "before", "after"] = "auto"
    """Which side is upstream; auto: the one with the lower density."""
    method: Method = "mixed_3"
    """Which normal the other numbers are for: magnetic or velocity coplanarity, or mixed with both (Abraham-Shrauner)."""
    adiabatic_index: Annotated[float, Field(ge=1, le=3)] = 5 / 3
    """Ratio of specific heats of protons and electrons, 1 to 3."""
    electron_temperature_k: Annotated[float, Field(ge=0, le=1e9)] = 1.28e5
    """Temperature of the electrons upstream in K; by default that which OMNI assumes at 1 AU."""
    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton in the Alfven speed, 0 to 1; by default protons alone."""


INPUTS = {
    "field": Input(("vector",), "the magnetic field", ("magnetic field",), "nT", columns=3),
    "velocity": Input(("vector",), "the bulk velocity, in the same frame", ("velocity",), "km/s", columns=3),
    "density": DENSITY,
    "temperature": Input(
        TEMPERATURE.kinds, TEMPERATURE.meaning, TEMPERATURE.quantity, TEMPERATURE.unit, columns=1, is_optional=True
    ),
}


LEAST_SAMPLES = 2
"""Of field, velocity and density in an average, or it counts as none."""


def demands_of_sides(length: timedelta) -> tuple[SampleDemand, ...]:
    """What the longest average of a side must hold."""
    return tuple(SampleDemand(name, LEAST_SAMPLES, length) for name, each in INPUTS.items() if not each.is_optional)


def why_unknown(found: Mapping[str, float], options: SideOptions) -> str:
    """Why a shock has no normal, or no speed, by its numbers; empty where it has both, or no averages at all."""
    if not math.isfinite(found.get("density_ratio", math.nan)):
        return ""
    if not math.isfinite(found.get("normal_x", math.nan)):
        known = [each for each in METHODS if math.isfinite(found.get(f"theta_bn_{each}", math.nan))]
        other = f"; another gives one: method: {known[0]}" if known else ", nor by any other method"
        what = "field and velocity hardly change their direction, or lie along the normal"
        return f"there is no normal by {options.method.replace('_', ' ')}, because {what}{other}"
    if not math.isfinite(found.get("shock_speed", math.nan)):
        share = f"{LEAST_COMPRESSION - 1:.0%}".replace("%", " %")
        return f"there is no speed of the shock, because the densities of both sides are within {share} of each other"
    return ""


def check_frames(inputs: Mapping[str, TableMeta]) -> None:
    """Demand field and velocity in one frame; raises ComputeError."""
    field, velocity = inputs["field"], inputs["velocity"]
    if field.frame and velocity.frame and field.frame != velocity.frame:
        raise ComputeError(
            f"the field is in {field.frame}, the velocity in {velocity.frame}",
            hint="Bring one to the other's frame with the operation transform_frame.",
        )


def number_columns() -> Iterator[ColumnMeta]:
    """The columns of the numbers."""
    for component in "xyz":
        yield from fact(f"normal_{component}", f"normal, {component}")
    yield from fact("normal_uncertainty", "uncertainty of the normal", "deg")
    for each in _NUMBERS:
        yield from uncertain_fact(each, _LABELS[each], _UNITS.get(each, ""))
    for method in METHODS:
        label = f"angle of the upstream field to the normal, {method.replace('_', ' ')}"
        yield from fact(f"theta_bn_{method}", label, "deg")
    yield from count_column("pairs", "pairs of averages with a normal")


Averages = Sequence[Mapping[str, Floats]]
"""Input to its means, float64, shape (component,), from the shortest average to the longest."""
Measured = Mapping[str, tuple[Nanoseconds, list[Floats]]]
"""Input to the times of its records in ns since 1970 and its columns, float64, shape (record,) each."""


def numbers_of_shock(
    measured: Measured, at_ns: int, options: SideOptions, upstream: Literal["auto", "before", "after"]
) -> dict[str, float]:
    """The numbers of a shock that passes at a time; what is not known is missing.

    Parameters
    ----------
    measured
        Of the inputs that have records.
    at_ns
        When it passes, in ns since 1970.
    options
        What counts as either side of it, and by which normal.
    upstream
        Which side is upstream.
    """
    clear, longest = duration_ns(options.clear), duration_ns(options.longest)
    reaches = [clear + longest * count // options.windows for count in range(1, options.windows + 1)]
    before = _averages(measured, [(at_ns - reach, at_ns - clear) for reach in reaches])
    after = _averages(measured, [(at_ns + clear, at_ns + reach) for reach in reaches])
    if not before or not after:
        return {}
    is_after = upstream == "after"
    if upstream == "auto":
        is_after = before[-1]["density"][0] > after[-1]["density"][0]
    return _numbers(after, before, options) if is_after else _numbers(before, after, options)


def numbers_of_sides(
    measured: Measured, upstream: tuple[int, int], downstream: tuple[int, int], options: SideOptions
) -> dict[str, float]:
    """The numbers of a shock whose sides start and stop at given times, in ns since 1970; what is not known is missing."""
    return _numbers(_averages(measured, [upstream]), _averages(measured, [downstream]), options)


def _numbers(upstream: Averages, downstream: Averages, options: SideOptions) -> dict[str, float]:
    """What all pairs of averages say."""
    found: dict[str, list[float]] = {}
    normals: list[Floats] = []
    for one in upstream:
        for other in downstream:
            _add_pair(found, normals, one, other, options)
    return _summary(found, normals) if normals else {name: float(np.mean(values)) for name, values in found.items()}


def _averages(measured: Measured, spans: Iterable[tuple[int, int]]) -> Averages:
    """Means of each input from one time up to, and with, another: input to float64, shape (component,)."""
    if not {"field", "velocity", "density"} <= measured.keys():
        return []
    found = []
    for ends in spans:
        means = {name: _mean(values, times, ends) for name, (times, values) in measured.items()}
        if all(np.isfinite(means[name]).all() for name in ("field", "velocity", "density")):
            found.append(means)
    return found


def _mean(values: list[Floats], at: Nanoseconds, ends: tuple[int, int]) -> Floats:
    """Mean of the records with all components valid from one time up to, and with, another; NaN of fewer than two."""
    first, last = np.searchsorted(at, ends[0]), np.searchsorted(at, ends[1], side="right")
    rows = np.array([each[first:last] for each in values])
    is_used = np.isfinite(rows).all(axis=0)
    if is_used.sum() < LEAST_SAMPLES:
        return np.full(len(values), np.nan)
    return np.array([np.mean(each[is_used]) for each in rows])


def _add_pair(
    found: dict[str, list[float]],
    normals: list[Floats],
    one: Mapping[str, Floats],
    other: Mapping[str, Floats],
    options: SideOptions,
) -> None:
    """What one pair of averages, upstream and downstream, says."""
    field, flow, density = one["field"], one["velocity"], float(one["density"][0])
    strength_nt, behind_nt = (math.sqrt(float(np.sum(each * each))) for each in (field, other["field"]))
    _note(found, "density_ratio", float(other["density"][0]) / density if density > 0 else math.nan)
    _note(found, "field_ratio", behind_nt / strength_nt if strength_nt > 0 else math.nan)
    for method in METHODS:
        normal = shock_normal(method, (field, flow), (other["field"], other["velocity"]))
        if normal is None or not strength_nt > 0:
            continue
        cosine = min(abs(float(np.sum(field * normal))) / strength_nt, 1.0)
        _note(found, f"theta_bn_{method}", math.degrees(math.acos(cosine)))
        if method != options.method:
            continue
        normals.append(normal)
        _note(found, "theta_bn", math.degrees(math.acos(cosine)))
        speed = _speed_km_s(one, other, normal)
        _note(found, "shock_speed", speed)
        warm_k = float(one["temperature"][0]) + options.electron_temperature_k if "temperature" in one else math.nan
        inflow_km_s = abs(float(np.sum(flow * normal)) - speed)
        numbers = mach_numbers(
            inflow_km_s, strength_nt, density, warm_k, adiabatic_index=options.adiabatic_index, helium=options.helium
        )
        for name, value in numbers.items():
            _note(found, name, value)


def _note(found: dict[str, list[float]], name: str, value: float) -> None:
    if math.isfinite(value):
        found.setdefault(name, []).append(value)


def _speed_km_s(one: Mapping[str, Floats], other: Mapping[str, Floats], normal: Floats) -> float:
    """Speed of the shock along the normal from the mass flux; NaN where the densities are alike."""
    low, high = sorted((float(one["density"][0]), float(other["density"][0])))
    if not low > 0 or high < LEAST_COMPRESSION * low:
        return math.nan
    flux = other["density"] * other["velocity"] - one["density"] * one["velocity"]
    return float(np.sum(flux * normal)) / float(other["density"][0] - one["density"][0])


def _summary(found: Mapping[str, list[float]], normals: list[Floats]) -> dict[str, float]:
    """Means and standard deviations of what the pairs say; of a single pair no uncertainty."""
    numbers = {"pairs": float(len(normals))}
    for name, values in found.items():
        numbers[name] = float(np.mean(values))
        if name in _NUMBERS and len(values) > 1:
            numbers[f"{name}_uncertainty"] = float(np.std(values, ddof=1))
    mean = np.mean(np.array(normals), axis=0)
    mean = mean / math.sqrt(float(np.sum(mean * mean)))
    numbers |= {f"normal_{component}": float(value) for component, value in zip("xyz", mean, strict=True)}
    if len(normals) > 1:
        cosines = np.clip([float(np.sum(each * mean)) for each in normals], -1.0, 1.0)
        turned = np.degrees(np.arccos(cosines))
        numbers["normal_uncertainty"] = math.sqrt(float(np.sum(turned * turned)) / (len(normals) - 1))
    return numbers
