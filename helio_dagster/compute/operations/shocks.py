"""Parameters of a shock in the middle of a window: shock_parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.mach_numbers import mach_numbers
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.plasma import DENSITY, TEMPERATURE
from helio_dagster.compute.operations.results import (
    Nanoseconds,
    count_column,
    fact,
    facts_meta,
    facts_table,
    times_ns,
    uncertain_fact,
)
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.shock_normals import METHODS, Method, shock_normal
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

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


class ShockOptions(Options):
    """When the shock is, what counts as either side of it, and by which normal."""

    time: datetime | None = None
    """When the shock passes, as 2003-10-29T05:58:30Z; by default the middle of the window."""
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


class ShockParameters(WindowOperation[ShockOptions]):
    """Normal, speed, angle and Mach numbers of a shock."""

    id = "shock_parameters"
    version = 1
    summary = (
        "Parameters of a shock in the middle of a window: normal, theta_Bn, speed, Mach numbers, with their uncertainties."
    )
    when = (
        "Use it over an event list of shocks, with as much time before as after. Compare the five theta_bn: they differ where "
        "the normal is uncertain; rankine_hugoniot fits one to all relations. jumps finds candidates; "
        "minimum_variance_frame is for discontinuities without flow."
    )
    reference = (
        "Normals: magnetic (B_d x B_u) x dB, velocity dV, mixed_1 (B_u x dV) x dB, mixed_2 (B_d x dV) x dB, mixed_3 (dB x "
        "dV) x dB; speed along n d(N V) n / dN; theta_Bn the acute angle of B_u and n (Schwartz 1998, ISSI SR-001, "
        "chapter 10; Colburn and Sonett 1966, doi:10.1007/BF00240575; Abraham-Shrauner 1972, "
        "doi:10.1029/JA077i004p00736). Mach numbers: |V_u n - speed| over v_A as alfven_speed, c_s as sonic_mach, "
        "sqrt(v_A^2 + c_s^2). n points upstream. Values are means, uncertainties standard deviations, over all pairs of "
        "averages of both sides; their lengths are longest k / windows, k = 1 to windows."
    )
    inputs = {
        "field": Input(("vector",), "the magnetic field", ("magnetic field",), "nT", columns=3),
        "velocity": Input(("vector",), "the bulk velocity, in the same frame", ("velocity",), "km/s", columns=3),
        "density": DENSITY,
        "temperature": Input(
            TEMPERATURE.kinds, TEMPERATURE.meaning, TEMPERATURE.quantity, TEMPERATURE.unit, columns=1, is_optional=True
        ),
    }
    output = (
        "Facts: the normal in the frame of the field with its uncertainty in deg, theta_Bn, speed in the spacecraft's frame in "
        "km/s, Mach numbers, ratios downstream / upstream, theta_Bn by each method, number of pairs that gave a normal. NaN "
        "where a side has fewer than 2 samples, where the vectors of a normal are within 2 deg of parallel (magnetic: theta_Bn "
        "near 0 or 90), where the velocity changes by less than 5 km/s or the field by less than 5 %, and for speed and Mach "
        "numbers where the density does."
    )
    options = ShockOptions
    examples = (
        Example(
            inputs={
                "field": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    columns={"bx": (4, 4, 4, 4), "by": (3, 3, 9, 9), "bz": (0, 0, 0, 0)},
                    seconds=(0, 100, 500, 600),
                ),
                "velocity": ExampleTable(
                    kind="vector",
                    unit="km/s",
                    frame="GSE",
                    columns={"vx": (-400, -400, -500, -500), "vy": (0, 0, 20, 20), "vz": (0, 0, 0, 0)},
                    seconds=(0, 100, 500, 600),
                ),
                "density": ExampleTable(unit="cm^-3", columns={"n": (5, 5, 10, 10)}, seconds=(0, 100, 500, 600)),
                "temperature": ExampleTable(unit="K", columns={"t": (7.2e4,) * 4}, seconds=(0, 100, 500, 600)),
            },
            options={"windows": 1, "clear": "PT1M"},
            expected={
                "normal_x": (-1,),
                "normal_y": (0,),
                "normal_z": (0,),
                "theta_bn": (math.degrees(math.atan2(3, 4)),),
                "shock_speed": (600,),
                "density_ratio": (2,),
                "field_ratio": (math.sqrt(97) / 5,),
                "alfven_mach": (200 / 48.7732,),
                "sonic_mach": (200 / 52.4544,),
                "theta_bn_magnetic": (math.degrees(math.atan2(3, 4)),),
                "pairs": (1,),
            },
            window=(0, 601),
            seconds=(0,),
            units={"shock_speed": "km/s", "theta_bn": "deg"},
            relative=1e-5,
            source="by hand: B_x is constant, so n is -X; (10 * 500 - 5 * 400) / 5 = 600 km/s along it; v_A and c_s as in "
            "alfven_speed and sonic_mach",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: ShockOptions, name: str) -> TableMeta:
        del options, name
        field, velocity = inputs["field"], inputs["velocity"]
        if field.frame and velocity.frame and field.frame != velocity.frame:
            raise ComputeError(
                f"the field is in {field.frame}, the velocity in {velocity.frame}",
                hint="Bring one to the other's frame with the operation transform_frame.",
            )
        columns: list[ColumnMeta] = []
        for component in "xyz":
            columns += fact(f"normal_{component}", f"normal, {component}")
        columns += fact("normal_uncertainty", "uncertainty of the normal", "deg")
        for each in _NUMBERS:
            columns += uncertain_fact(each, _LABELS[each], _UNITS.get(each, ""))
        for method in METHODS:
            columns += fact(
                f"theta_bn_{method}", f"angle of the upstream field to the normal, {method.replace('_', ' ')}", "deg"
            )
        columns += count_column("pairs", "pairs of averages with a normal")
        return facts_meta("Shock parameters", columns, frame=field.frame)

    def _compute_window(self, inputs: Mapping[str, Table], options: ShockOptions, meta: TableMeta, window: TimeRange) -> Table:
        at_ns = shock_time_ns(options.time, window)
        before, after = (self._averages(inputs, options, at_ns, side) for side in (-1, 1))
        if not before or not after:
            return facts_table(window, {}, meta)
        is_after = options.upstream == "after"
        if options.upstream == "auto":
            is_after = before[-1]["density"][0] > after[-1]["density"][0]
        upstream, downstream = (after, before) if is_after else (before, after)
        found: dict[str, list[float]] = {}
        normals: list[Floats] = []
        for one in upstream:
            for other in downstream:
                _add_pair(found, normals, one, other, options)
        if not normals:
            return facts_table(window, {name: float(np.mean(values)) for name, values in found.items()}, meta)
        return facts_table(window, _summary(found, normals), meta)

    def _averages(
        self, inputs: Mapping[str, Table], options: ShockOptions, at_ns: int, side: Literal[-1, 1]
    ) -> list[dict[str, Floats]]:
        """Means of each input over the lengths of a side, from the shortest: input to float64, shape (component,)."""
        clear, longest = duration_ns(options.clear), duration_ns(options.longest)
        values = {name: self._values(inputs, name) for name, table in inputs.items() if len(table)}
        if not {"field", "velocity", "density"} <= values.keys():
            return []
        found = []
        for count in range(1, options.windows + 1):
            reach = clear + longest * count // options.windows
            ends = (at_ns + clear, at_ns + reach) if side > 0 else (at_ns - reach, at_ns - clear)
            means = {name: _mean(given, times_ns(inputs[name]), ends) for name, given in values.items()}
            if all(np.isfinite(means[name]).all() for name in ("field", "velocity", "density")):
                found.append(means)
        return found


def shock_time_ns(given: datetime | None, window: TimeRange) -> int:
    """The time of the shock in ns since 1970: as given, else the middle of the window."""
    start, stop = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in window.bounds_ns())
    if given is None:
        return start + (stop - start) // 2
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    return int(np.datetime64(aware.astimezone(UTC).replace(tzinfo=None), "ns").astype(np.int64))


def _mean(values: list[Floats], at: Nanoseconds, ends: tuple[int, int]) -> Floats:
    """Mean of the records with all components valid from one time up to, and with, another; NaN of fewer than two."""
    rows = np.array(values)
    is_used = (at >= ends[0]) & (at <= ends[1]) & np.isfinite(rows).all(axis=0)
    if is_used.sum() < 2:
        return np.full(len(values), np.nan)
    return np.array([np.mean(each[is_used]) for each in rows])


def _add_pair(
    found: dict[str, list[float]],
    normals: list[Floats],
    one: Mapping[str, Floats],
    other: Mapping[str, Floats],
    options: ShockOptions,
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
