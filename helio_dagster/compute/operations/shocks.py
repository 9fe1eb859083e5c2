"""Parameters of a shock in the middle of a window: shock_parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import numpy as np

from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.results import facts_meta, facts_table, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.operations.shock_sides import (
    INPUTS,
    SideOptions,
    check_frames,
    demands_of_sides,
    number_columns,
    numbers_of_shock,
    why_unknown,
)
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


class ShockOptions(SideOptions):
    """When the shock is, what counts as either side of it, and by which normal."""

    time: datetime | None = None
    """When the shock passes, as 2003-10-29T05:58:30Z; by default the middle of the window."""


class ShockParameters(WindowOperation[ShockOptions]):
    """Normal, speed, angle and Mach numbers of a shock."""

    id = "shock_parameters"
    version = 1
    of_one_spacecraft = ("field", "velocity", "density", "temperature")
    gives_reasons = True
    summary = (
        "Parameters of a shock in the middle of a window: normal, theta_Bn, speed, Mach numbers, with their uncertainties."
    )
    when = (
        "Use it over an event list of shocks, with as much time before as after. Compare the five theta_bn: they differ where "
        "the normal is uncertain; rankine_hugoniot fits one to all relations. find_shocks finds candidates; "
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
    inputs = INPUTS
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

    def sample_demands(self, options: ShockOptions) -> tuple[SampleDemand, ...]:
        """Those of the longest average on each side."""
        return demands_of_sides(options.longest)

    def _meta(self, inputs: Mapping[str, TableMeta], options: ShockOptions, name: str) -> TableMeta:
        del options, name
        check_frames(inputs)
        return facts_meta("Shock parameters", number_columns(), frame=inputs["field"].frame)

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: ShockOptions) -> Iterator[str]:
        """Why the normal or the speed is not known."""
        del inputs
        if why := why_unknown({name: float(values[0]) for name, values in result.columns.items() if name != "stop"}, options):
            yield why

    def _compute_window(self, inputs: Mapping[str, Table], options: ShockOptions, meta: TableMeta, window: TimeRange) -> Table:
        measured = {name: (times_ns(table), self._values(inputs, name)) for name, table in inputs.items() if len(table)}
        found = numbers_of_shock(measured, shock_time_ns(options.time, window), options, options.upstream)
        return facts_table(window, found, meta)


def shock_time_ns(given: datetime | None, window: TimeRange) -> int:
    """The time of the shock in ns since 1970: as given, else the middle of the window."""
    start, stop = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in window.bounds_ns())
    if given is None:
        return start + (stop - start) // 2
    aware = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    return int(np.datetime64(aware.astimezone(UTC).replace(tzinfo=None), "ns").astype(np.int64))
