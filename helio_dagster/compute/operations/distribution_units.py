"""A distribution as another quantity: phase-space density, differential flux, energy flux or counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
from pydantic import field_validator, model_validator

from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.examples import Example
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.particle_options import ParticleOptions
from helio_dagster.compute.operations.record_axes import DISTRIBUTION, energy_axis, parts_of
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.operations.slicing import FLUX
from helio_dagster.compute.phase_space import (
    PARTICLES,
    POWERS,
    UNITS,
    Quantity,
    check_speeds,
    per_density,
    quantity_of,
    to_joules,
    to_si,
)
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.large_arrays import new_array, record_blocks
from helio_dagster.domain.records import axis_centers, record_values
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor
from helio_dagster.domain.units import normalize_unit


class ConvertDistributionOptions(ParticleOptions):
    """The quantity of the result, and what is needed to get there."""

    to: Quantity
    """Phase-space density, differential (number) flux, differential energy flux, or counts."""
    unit: str | None = None
    """Unit of the result; by default s^3 cm^-6, cm^-2 keV^-1 s^-1 sr^-1, eV cm^-2 eV^-1 s^-1 sr^-1 or counts."""

    @field_validator("unit")
    @classmethod
    def _is_printed_one_way(cls, unit: str | None) -> str | None:
        return None if unit is None else normalize_unit(unit)

    @model_validator(mode="after")
    def _measures_it(self) -> ConvertDistributionOptions:
        if self.unit is not None and not can_convert(self.unit, UNITS[self.to]):
            raise ValueError(f"{self.unit} is not a unit of {self.to}. Choose one like {UNITS[self.to]}")
        return self

    @property
    def result_unit(self) -> str:
        """Unit of the result."""
        return self.unit or UNITS[self.to]


class ConvertDistribution(ShippedOperation[ConvertDistributionOptions]):
    """Each value times what its energy and the particles' mass ask for."""

    id = "convert_distribution"
    version = 1
    summary = "A distribution as phase-space density, differential flux, differential energy flux or counts."
    when = "Use it before distributions of two instruments are compared; `convert_unit` changes units of one quantity alone."
    reference = (
        "j = 2 E f / m^2; energy flux = E j; counts = G t E j. E and j are as measured at the spacecraft. Not relativistic: "
        "energies beyond a tenth of the rest energy are refused. Source: Paschmann, Fazakerley and Schwartz 1998, ISSI SR-001, "
        "chapter 6."
    )
    inputs: Mapping[str, Input] = {
        "distribution": Input((*DISTRIBUTION.kinds, "spectrogram"), "values over energies, alone or beside other axes")
    }
    is_record_wise = True
    output = (
        "The input's kind, axes and times, in the unit asked for, or s^3 cm^-6, cm^-2 keV^-1 s^-1 sr^-1, "
        "eV cm^-2 eV^-1 s^-1 sr^-1, counts; NaN stays NaN, as does what has no finite value (a density at no energy)."
    )
    options = ConvertDistributionOptions
    examples = (
        Example(
            inputs={"distribution": FLUX},
            options={"to": "energy flux", "species": "proton", "unit": "keV cm^-2 keV^-1 s^-1 sr^-1"},
            expected={"f": (0.01, 0.2, 3, 0.04, 0.5, 6, 0.07, None, 9, 0.1, 1.1, 12)},
            unit="keV cm^-2 keV^-1 s^-1 sr^-1",
            source="by hand: the flux times 0.01, 0.1 and 1 keV",
        ),
        Example(
            inputs={"distribution": FLUX},
            options={"to": "counts", "species": "proton", "geometric_factor": 2e-3, "accumulation_s": 0.5},
            expected={"f": tuple(each and each * 1e-3 for each in (0.01, 0.2, 3, 0.04, 0.5, 6, 0.07, None, 9, 0.1, 1.1, 12))},
            unit="counts",
            source="by hand: the energy flux times 0.002 cm^2 sr eV/eV and 0.5 s",
        ),
    )

    def halo(self, options: ConvertDistributionOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def plain_options(self, inputs: Mapping[str, TableMeta], options: ConvertDistributionOptions) -> dict[str, Any]:
        """The position of the axis, and what the unit means; ComputeError for a spectrogram."""
        meta = inputs["distribution"]
        if meta.kind == "spectrogram":
            raise ComputeError("a spectrogram has no plain form here", hint="")
        unit = _unit(meta, options)
        factor = to_si(unit) / to_si(options.result_unit)
        own = {"axis": energy_axis(meta, options.axis), "quantity": quantity_of(unit), "factor": factor}
        return {**super().plain_options(inputs, options), **own}

    def _meta(self, inputs: Mapping[str, TableMeta], options: ConvertDistributionOptions, name: str) -> TableMeta:
        meta, unit = inputs["distribution"], options.result_unit
        source, particle = quantity_of(_unit(meta, options)), PARTICLES[options.species]
        if source != options.to:
            _factor(meta, options)  # refuses counts without what they need
        if meta.kind == "nd":
            place = energy_axis(meta, options.axis)
            check_speeds(meta.axes[place].values, meta.axes[place].unit, particle)
        elif meta.bins is None or not can_convert(meta.bins.unit, "eV") or meta.bins.unit == "K":
            unit_given = meta.bins.unit if meta.bins is not None else ""
            raise ComputeError(f"the bins are not energies but in {unit_given or 'no unit'}", hint="Take another parameter.")
        else:
            check_speeds(meta.bins.centers, meta.bins.unit, particle)
        label = f"{options.to} of {meta.label or name}"
        columns = tuple(
            column.model_copy(update={"unit": unit}) if column.role == "data" else column for column in meta.columns
        )
        return meta.model_copy(update={"columns": columns, "label": label, "unit": unit, "attributes": {}})

    def _compute(self, inputs: Mapping[str, Table], options: ConvertDistributionOptions, meta: TableMeta) -> Table:
        table = inputs["distribution"].with_extents(None)
        if meta.kind == "spectrogram":
            return Table(table.time, dict(_converted_columns(table, options)), meta)
        name = table.meta.data_names[0]
        place = energy_axis(table.meta, options.axis)
        made = new_array(table.columns[name].shape, np.float64)
        first = 0
        for part in parts_of(table):
            axis = part.meta.axes[place]
            times = _times(axis_centers(part, axis) * to_joules(axis.unit), table.meta, options)
            shape = (len(times), *(axis.size if each == place else 1 for each in range(len(part.meta.axes))))
            made[first : first + len(part)] = _finite(record_values(part).astype(np.float64) * times.reshape(shape))
            first += len(part)
        for _ in record_blocks(made):  # give back what is in a file
            pass
        return Table(table.time, {**table.columns, name: made}, meta)


def _converted_columns(table: Table, options: ConvertDistributionOptions) -> Iterator[tuple[str, Floats]]:
    """The columns of a spectrogram over energies, those of its bins as they are."""
    bins = table.meta.bins
    if bins is None:
        raise TypeError("a spectrogram has bins")
    joules = to_joules(bins.unit)
    for place, name in enumerate(table.meta.data_names):
        energy = np.array([bins.centers[place]]) if bins.is_fixed else table.columns[table.meta.bin_names[place]]
        yield (
            name,
            _finite(table.columns[name].astype(np.float64) * _times(energy.astype(np.float64) * joules, table.meta, options)),
        )
    yield from ((name, table.columns[name]) for name in table.meta.bin_names)


def _times(energy_j: Floats, meta: TableMeta, options: ConvertDistributionOptions) -> Floats:
    """What values at some energies in J are multiplied by."""
    with np.errstate(all="ignore"):
        return np.asarray(_factor(meta, options) * energy_j ** float(_power(meta, options)))


def _unit(meta: TableMeta, options: ConvertDistributionOptions) -> str:
    return options.given_unit or data_unit(meta)


def _factor(meta: TableMeta, options: ConvertDistributionOptions) -> float:
    """What values are multiplied by beside a power of their energy in J."""
    unit = _unit(meta, options)
    source, mass = quantity_of(unit), PARTICLES[options.species].mass_kg
    if source == options.to:
        return float(conversion_factor(unit, options.result_unit))
    given, asked = (per_density(each, mass, gain=options.gain) for each in (source, options.to))
    return to_si(unit) / to_si(options.result_unit) * (asked / given)


def _power(meta: TableMeta, options: ConvertDistributionOptions) -> int:
    return POWERS[options.to] - POWERS[quantity_of(_unit(meta, options))]


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
