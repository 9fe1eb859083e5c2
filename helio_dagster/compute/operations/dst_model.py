"""Dst from the solar wind alone, by models of the ring current: dst_model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator

from helio_dagster.compute.operations.averages import Length, mean_of_bins
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import strength
from helio_dagster.compute.operations.plasma import SPEED
from helio_dagster.compute.operations.results import HOUR_NS
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.ring_current import PRESSURE_TERMS, Model, bridged, hourly_step, run_for
from helio_dagster.compute.time_bins import bin_records
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_HOUR = timedelta(hours=1)


def _some_hours(length: timedelta) -> timedelta:
    if not _HOUR <= length <= timedelta(days=31):
        raise ValueError("it must be from PT1H to P31D")
    return length


class DstOptions(Options):
    """Which model, and over how long each of its values is built up."""

    model: Model = "obrien_mcpherron"
    """obrien_mcpherron: Q = -4.4 (VBs - 0.49) nT/h above 0.49 mV/m, tau = 2.40 exp(9.74 / (4.69 + VBs)) h; burton: Q = -5.4
    (VBs - 0.5) nT/h above 0.5 mV/m, tau = 7.7 h."""
    result: Literal["dst", "dst_star"] = "dst"
    """dst: with the currents at the magnetopause, as the index has them. dst_star: that of the ring current alone."""
    memory: Annotated[Length, AfterValidator(_some_hours)] = timedelta(days=5)
    """How long before each hour its run begins, whole hours, an ISO 8601 duration such as P5D. What it begins with fades by
    exp(-memory / tau): in 5 d of northward field to 1 / 620 (obrien_mcpherron) or 1 / 5,700,000 (burton)."""
    max_gap: Length = timedelta(hours=3)
    """Longest gap in the driving that is bridged along a straight line, whole hours, an ISO 8601 duration such as PT3H."""


_WIND: dict[str, Any] = {
    "speed": ExampleTable(unit="km/s", columns={"v": (500,) * 4}, seconds=(0, 3600, 7200, 10800)),
    "bz": ExampleTable(unit="nT", frame="GSM", columns={"bz": (-10,) * 4}, seconds=(0, 3600, 7200, 10800)),
    "pressure": ExampleTable(unit="nPa", columns={"p": (4,) * 4}, seconds=(0, 3600, 7200, 10800)),
}
_STEADY = -4.4 * 4.51 * 2.4 * np.exp(9.74 / 9.69)


class DstModel(ShippedOperation[DstOptions]):
    """Dst by Burton's equation."""

    id = "dst_model"
    version = 1
    summary = "Hourly Dst after Burton et al. (1975), or O'Brien and McPherron (2000), from speed, Bz and pressure."
    when = (
        "Use it to see how much of a storm the solar wind explains, or where Dst is missing. The solar wind must be that at "
        "Earth, as OMNI's. The measured index without the magnetopause's part is pressure_corrected_dst."
    )
    reference = (
        "d Dst* / dt = Q(VBs) - Dst* / tau, Dst = Dst* + b sqrt(P) - c, VBs = V max(-Bz, 0) of hourly means, constants as in "
        "the option model, b and c as pressure_corrected_dst (Burton et al. 1975, doi:10.1029/JA080i031p04204: exact over each "
        "hour; O'Brien and McPherron 2000, doi:10.1029/1998JA000437: Dst*(t + 1 h) = Dst*(t) + Q(t) - Dst*(t) / tau(t), as "
        "they fitted it to 30 years of OMNI, in which Dst below -150 nT is rare). Each hour is the end of a run of its own "
        "over `memory`, so that it does not depend on where the range begins. A run begins with the measured Dst* where the "
        "input dst has it, else with Q tau, the state in which the first hour's driving would keep it."
    )
    inputs = {
        "speed": SPEED,
        "bz": Input(("series",), "the z component of the field", ("magnetic field",), "nT", columns=1, frames=("GSM",)),
        "pressure": Input(
            ("series",), "the dynamic pressure of the solar wind", ("pressure", "dynamic pressure"), "nPa", columns=1
        ),
        "dst": Input(
            ("series",),
            "the measured Dst index, or SYM-H, with which runs begin, and continue after long gaps",
            ("Dst", "SYM-H"),
            "nT",
            columns=1,
            is_optional=True,
        ),
    }
    output = (
        "A series in nT, one record per hour that holds a record of the speed, labelled by its start. NaN where the pressure "
        "is not known (dst_star: it does not count), and where speed or bz have a gap longer than max_gap within `memory` "
        "before the hour; with the input dst, only in the gap and until an hour after dst has a value again."
    )
    options = DstOptions
    keeps_times = False
    examples = (
        Example(
            inputs=_WIND,
            options={"memory": "PT2H"},
            expected={"result": (None, None, _STEADY + 3.52, _STEADY + 3.52)},
            unit="nT",
            relative=1e-12,
            source="by hand: 5 mV/m keep Dst* at -4.4 * 4.51 * 2.4 exp(9.74 / 9.69) = -130.15 nT; 7.26 * 2 - 11 = 3.52; two "
            "hours before the others nothing is known",
        ),
        Example(
            inputs={**_WIND, "dst": ExampleTable(unit="nT", columns={"dst": (3.52,)})},
            options={"memory": "PT3H"},
            expected={"result": (None, 3.52 - 19.844, 3.52 - 2 * 19.844 + 19.844 / 2.4 / np.exp(9.74 / 9.69))},
            seconds=(0, 3600, 7200),
            window=(0, 10800),
            unit="nT",
            relative=1e-12,
            source="by hand: from the measured Dst* of 0, -4.4 * 4.51 = -19.844 nT in the first hour",
        ),
        Example(
            inputs=_WIND,
            options={"memory": "PT1H", "model": "burton", "result": "dst_star"},
            expected={"result": (None,) + (-5.4 * 4.5 / 0.1296,) * 3},
            unit="nT",
            relative=1e-12,
            source="by hand: -5.4 * 4.5 nT/h over 3.6e-5 s^-1 * 3600 s/h",
        ),
    )

    def halo(self, options: DstOptions) -> tuple[timedelta, timedelta]:
        """The memory, the longest gap and an hour before; the longest gap and an hour after."""
        around = options.max_gap + _HOUR
        return options.memory + around, around

    def _meta(self, inputs: Mapping[str, TableMeta], options: DstOptions, name: str) -> TableMeta:
        del inputs
        authors = {"obrien_mcpherron": "O'Brien and McPherron", "burton": "Burton"}[options.model]
        label = f"Dst{'*' if options.result == 'dst_star' else ''} after {authors}"
        column = ColumnMeta(name=name, label=label, unit="nT")
        return TableMeta(kind="series", columns=(column,), label=label, unit="nT", extent=Extent.of_bin(_HOUR))

    def _compute(self, inputs: Mapping[str, Table], options: DstOptions, meta: TableMeta) -> Table:
        with np.errstate(all="ignore"):
            hourly = {name: self._hourly(inputs, name) for name, table in inputs.items() if len(table)}
            memory = options.memory // _HOUR
            first = min(int(hours[0]) for hours, _ in hourly.values()) - memory
            length = max(int(hours[-1]) for hours, _ in hourly.values()) - first + 2
            grid = {name: np.full(length, np.nan) for name in self.inputs}
            for name, (hours, means) in hourly.items():
                grid[name][hours - first] = np.where(np.isfinite(means), means, np.nan)
            wanted = hourly["speed"][0] - first
            values = _dst(grid, wanted, memory, options)
        at = (wanted + first) * HOUR_NS
        return Table(at.astype("datetime64[ns]"), {meta.columns[0].name: np.where(np.isfinite(values), values, np.nan)}, meta)

    def _hourly(self, inputs: Mapping[str, Table], name: str) -> tuple[NDArray[np.int64], Floats]:
        """Hours since 1970 that hold records, and the means of the valid ones."""
        bins = bin_records(inputs[name], _HOUR)
        columns = self._values(inputs, name)
        values = strength(columns) if name == "speed" else columns[0]
        return bins.starts.astype("datetime64[ns]").astype(np.int64) // HOUR_NS, mean_of_bins(values, bins.first)


def _dst(grid: Mapping[str, Floats], wanted: NDArray[np.int64], memory: int, options: DstOptions) -> Floats:
    """The result at some hours of a grid, of which `memory` are before the first."""
    driver = grid["speed"] * np.maximum(-grid["bz"], 0.0) * 1e-3
    driver = bridged(np.where(np.isfinite(driver), driver, np.nan), options.max_gap // _HOUR)
    per_root, offset = PRESSURE_TERMS[options.model]
    magnetopause = per_root * np.sqrt(grid["pressure"]) - offset
    measured = grid["dst"] - magnetopause
    factor, growth, steady = hourly_step(options.model, driver)
    begun = np.where(np.isnan(measured), steady, measured)
    ring = run_for((factor, growth), begun, measured, wanted, memory)
    return ring if options.result == "dst_star" else ring + magnetopause[wanted]
