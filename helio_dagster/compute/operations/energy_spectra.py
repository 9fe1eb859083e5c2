"""A distribution over angles and energies against time and energy: energy_spectrogram."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Literal

import numpy as np
from pydantic import StrictInt

from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.record_axes import OfRecords, energy_axis, left_meta, left_table, parts_of
from helio_dagster.compute.operations.reducing import reduce_last
from helio_dagster.compute.record_angles import angle_kind, sky_shares
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.records import axis_centers, axis_widths, record_values
from helio_dagster.domain.table import Table, TableMeta


class EnergySpectrogramOptions(Options):
    """The axis of energies, and how other bins count."""

    axis: str | StrictInt | None = None
    """The axis of energies by name, label or position from 0; by default the one in a unit of energy."""
    weights: Literal["solid_angle", "equal"] = "solid_angle"
    """`solid_angle` counts directions by the sky that they take, where an axis is known to be a colatitude, an elevation or a
    pitch angle; `equal` counts each bin once."""


class EnergySpectrogram(OfRecords[EnergySpectrogramOptions]):
    """The mean over all axes but that of energies."""

    id = "energy_spectrogram"
    version = 1
    summary = "A distribution's mean over all directions, against time and energy."
    when = "Use it to draw a distribution: omnidirectional flux, count rate or phase-space density as a spectrogram."
    reference = (
        "mean = sum(w f) / sum(w) over all other axes. With solid angles w is the product over colatitudes, elevations and "
        "pitch angles a of cos(a - da / 2) - cos(a + da / 2), the integral of sin(a) over the bin; azimuths and other axes "
        "count equally."
    )
    output = (
        "A spectrogram in the data's unit over the axis of energies, at the same times; bins that vary by record stay so. "
        "Fills do not count; NaN where there are fills alone."
    )
    options = EnergySpectrogramOptions
    examples = (
        Example(
            inputs={
                "distribution": ExampleTable(
                    kind="nd",
                    unit="s^3 m^-6",
                    columns={"f": (1, 10, 2, 20, 3, 30, 4, None, None, None, None, None)},
                    axes=(
                        RecordAxis(name="theta", label="Colatitude", unit="deg", size=3, values=(30.0, 90.0, 150.0)),
                        RecordAxis(name="energy", label="Energy", unit="eV", scale="log", size=2, values=(10.0, 100.0)),
                    ),
                )
            },
            expected={"energy_1": ((1 + 2 * 2 + 3) / 4, 4), "energy_2": (20, None)},
            unit="s^3 m^-6",
            source="by hand: from 60 to 120 deg there is twice the sky of either end",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: EnergySpectrogramOptions) -> dict[str, Any]:
        """The axis by its position."""
        return {**super().plain_options(inputs, options), "axis": energy_axis(inputs["distribution"], options.axis)}

    def _meta(self, inputs: Mapping[str, TableMeta], options: EnergySpectrogramOptions, name: str) -> TableMeta:
        meta = inputs["distribution"]
        axis = meta.axes[energy_axis(meta, options.axis)]
        return left_meta(meta, [axis], name, label=meta.label or name, unit=data_unit(meta))

    def _compute(self, inputs: Mapping[str, Table], options: EnergySpectrogramOptions, meta: TableMeta) -> Table:
        table = inputs["distribution"]
        place = energy_axis(table.meta, options.axis)
        values = np.concatenate([_spectra(part, place, is_by_sky=options.weights == "solid_angle") for part in parts_of(table)])
        return left_table(table, [table.meta.axes[place]], values, meta)


def _spectra(part: Table, place: int, *, is_by_sky: bool) -> Floats:
    """The weighted mean over all axes but one, shape (record, bin)."""
    others = [axis for each, axis in enumerate(part.meta.axes) if each != place]
    values = np.ascontiguousarray(np.moveaxis(record_values(part), place + 1, 1), dtype=np.float64)
    weights = np.ones((1, *(1 for _ in others)))
    for number, axis in enumerate(others):
        shape = (-1, *(axis.size if each == number else 1 for each in range(len(others))))
        weights = weights * _weights(part, axis, is_by_sky=is_by_sky).reshape(shape)
    sizes = prod(axis.size for axis in others)
    flat = np.broadcast_to(weights, (len(weights), *(axis.size for axis in others))).reshape(len(weights), 1, sizes)
    with np.errstate(all="ignore"):
        return reduce_last(values.reshape(len(part), values.shape[1], sizes), flat, "mean")


def _weights(part: Table, axis: RecordAxis, *, is_by_sky: bool) -> Floats:
    centers = axis_centers(part, axis)
    if is_by_sky and angle_kind(axis) not in (None, "azimuth"):
        return sky_shares(centers, axis_widths(part, axis), axis)
    return np.where(np.isfinite(centers), 1.0, np.nan)
