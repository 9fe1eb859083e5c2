"""Fit of the Rankine-Hugoniot relations to a shock in the middle of a window: rankine_hugoniot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.operations.arithmetic import shared_frame
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.plasma import DENSITY, TEMPERATURE
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, times_ns, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.operations.shocks import shock_time_ns
from helio_dagster.compute.rankine_hugoniot import fit_shock, side_of
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_NUMBERS = {
    "theta_bn": ("angle of the upstream field to the normal", "deg"),
    "shock_speed": ("speed of the shock along the normal", "km/s"),
    "alfven_mach": ("Alfven Mach number", ""),
    "sonic_mach": ("sonic Mach number", ""),
    "magnetosonic_mach": ("magnetosonic Mach number", ""),
}


class ShockFitOptions(Options):
    """When the shock is, and what counts as either side of it."""

    time: datetime | None = None
    """When the shock passes, as 2003-10-29T05:58:30Z; by default the middle of the window."""
    clear: Duration = timedelta(minutes=1)
    """What is nearer to the shock than this belongs to neither side, an ISO 8601 duration such as PT1M."""
    length: Duration = timedelta(minutes=8)
    """The length of the average on each side, beginning where `clear` ends, an ISO 8601 duration such as PT8M."""
    upstream: Literal["auto", "before", "after"] = "auto"
    """Which side is upstream; auto: the one with the lower density."""
    adiabatic_index: Annotated[float, Field(ge=1, le=3)] = 5 / 3
    """Ratio of specific heats of protons and electrons in the speed of sound, 1 to 3; the fit does not use it."""
    electron_temperature_k: Annotated[float, Field(ge=0, le=1e9)] = 1.28e5
    """Temperature of the electrons in the speed of sound in K, where that input is not given; by default as OMNI assumes at
    1 AU."""
    helium: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Number of alpha particles per proton in the mass density, 0 to 1; by default protons alone."""


class RankineHugoniot(WindowOperation[ShockFitOptions]):
    """Normal and speed of a shock by the jump conditions."""

    id = "rankine_hugoniot"
    version = 2
    of_one_spacecraft = ("field", "velocity", "density", "temperature", "electron_temperature")
    summary = "Rankine-Hugoniot fit of a shock in the middle of a window: normal, speed, theta_Bn, Mach numbers, uncertainties."
    when = (
        "Use it over an event list of shocks, with as much time before as after, of fast shocks in the solar wind. Unlike the "
        "normals of shock_parameters it uses all relations at once and says how well they hold. Choose "
        "`length` so that both sides are steady. A reduced chi squared far above 10 says that they are not, or that it is no "
        "fast shock."
    )
    reference = (
        "Least chi squared of the jumps, downstream minus upstream in the frame of the shock, of rho U_n; B_n; rho U_n U_t - "
        "B_n B_t / mu_0; U_n B_t - B_n U_t; and, only where both temperatures are given, rho U_n^2 + n k (T_p + T_e) + "
        "B_t^2 / (2 mu_0), over the normal and the speed (Vinas and Scudder 1986, doi:10.1029/JA091iA01p00039; Szabo 1994, "
        "doi:10.1029/94JA00782). Weights: covariance of the jumps, from that of the averages: of n samples, with r the "
        "correlation of neighbours, that of n (1 - r) / (1 + r) independent ones (Bayley and Hammersley 1946, "
        "doi:10.2307/2983560), and at least 0.1 % of the size. Uncertainties: one standard deviation, to first order, times "
        "the root of reduced chi squared where that is above 1. Mach numbers as in shock_parameters."
    )
    inputs = {
        "field": Input(("vector",), "the magnetic field", ("magnetic field",), "nT", columns=3),
        "velocity": Input(("vector",), "the bulk velocity, in the same frame", ("velocity",), "km/s", columns=3),
        "density": DENSITY,
        "temperature": Input(
            TEMPERATURE.kinds, TEMPERATURE.meaning, TEMPERATURE.quantity, TEMPERATURE.unit, columns=1, is_optional=True
        ),
        "electron_temperature": Input(
            TEMPERATURE.kinds,
            "the temperature of the electrons, or as an energy in eV",
            TEMPERATURE.quantity,
            TEMPERATURE.unit,
            columns=1,
            is_optional=True,
        ),
    }
    output = (
        "Facts: the normal towards upstream in the frame of the field, with its uncertainty in deg, theta_Bn, speed in the "
        "spacecraft's frame in km/s, Mach numbers, reduced chi squared (near 1 where the relations hold within the errors), "
        "samples of the field on each side. NaN where a side has fewer than 3 samples of field, velocity or density, where the "
        "density of the sides differs by less than 5 % or is lower downstream, where the velocity along the normal changes by "
        "less than 5 km/s, and where the relations leave the normal open by more than 20 deg."
    )
    options = ShockFitOptions
    examples = (
        Example(
            inputs={
                "field": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    columns={"bx": (0,) * 6, "by": (4, 4, 4, 8, 8, 8), "bz": (0,) * 6},
                    seconds=(0, 60, 120, 480, 540, 600),
                ),
                "velocity": ExampleTable(
                    kind="vector",
                    unit="km/s",
                    frame="GSE",
                    columns={"vx": (-400, -400, -400, -500, -500, -500), "vy": (0,) * 6, "vz": (30,) * 6},
                    seconds=(0, 60, 120, 480, 540, 600),
                ),
                "density": ExampleTable(
                    unit="cm^-3", columns={"n": (5, 5, 5, 10, 10, 10)}, seconds=(0, 60, 120, 480, 540, 600)
                ),
            },
            options={},
            expected={
                "normal_x": (-1,),
                "normal_y": (0,),
                "normal_z": (0,),
                "theta_bn": (90,),
                "shock_speed": (600,),
                "alfven_mach": (200 / 39.01857,),
                "sonic_mach": (None,),
                "upstream_samples": (3,),
                "downstream_samples": (3,),
            },
            window=(0, 601),
            seconds=(0,),
            units={"shock_speed": "km/s", "theta_bn": "deg"},
            relative=1e-6,
            source="by hand: perpendicular, N and B doubled, so U is halved: -400 - s = 2 (-500 - s); v_A as alfven_speed",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: ShockFitOptions, name: str) -> TableMeta:
        del options, name
        frame = shared_frame(inputs["field"], inputs["velocity"], names=("field", "velocity"))
        columns: list[ColumnMeta] = []
        for component in "xyz":
            columns += fact(f"normal_{component}", f"normal, {component}")
        columns += fact("normal_uncertainty", "uncertainty of the normal", "deg")
        for each, (label, unit) in _NUMBERS.items():
            columns += uncertain_fact(each, label, unit)
        columns += fact("reduced_chi_squared", "reduced chi squared")
        for side in ("upstream", "downstream"):
            columns += count_column(f"{side}_samples", f"samples of the field {side}")
        return facts_meta("Rankine-Hugoniot fit", columns, frame=frame)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: ShockFitOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        at_ns = shock_time_ns(options.time, window)
        clear, reach = duration_ns(options.clear), duration_ns(options.clear) + duration_ns(options.length)
        samples = {name: np.array(self._values(inputs, name)) for name, table in inputs.items() if len(table)}
        times = {name: times_ns(inputs[name]) for name in samples}

        def within(start: int, stop: int) -> dict[str, Floats]:
            return {name: rows[:, (times[name] >= start) & (times[name] <= stop)] for name, rows in samples.items()}

        before, after = within(at_ns - reach, at_ns - clear), within(at_ns + clear, at_ns + reach)
        is_after = options.upstream == "after"
        if options.upstream == "auto":
            is_after = _density(before) > _density(after)
        upstream, downstream = (after, before) if is_after else (before, after)
        sides = [side_of(each, options.electron_temperature_k) for each in (upstream, downstream)]
        numbers: dict[str, float] = {}
        if sides[0] is not None and sides[1] is not None:
            numbers = fit_shock(sides[0], sides[1], adiabatic_index=options.adiabatic_index, helium=options.helium)
        counts = {"upstream_samples": upstream, "downstream_samples": downstream}
        valid = {name: float(np.isfinite(side["field"]).all(axis=0).sum()) for name, side in counts.items() if "field" in side}
        return facts_table(window, {**valid, **numbers}, meta)


def _density(side: Mapping[str, Floats]) -> float:
    """Mean density of a side, NaN without a valid sample."""
    found = side["density"][0] if "density" in side else np.empty(0)
    found = found[np.isfinite(found)]
    return float(np.mean(found)) if len(found) else math.nan
