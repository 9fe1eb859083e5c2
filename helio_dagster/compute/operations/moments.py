"""Density, velocity, pressure, temperature and heat flux of a distribution over energies and directions: moments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from helio_dagster.compute import velocity_moments
from helio_dagster.compute.constants import ELEMENTARY_CHARGE_C
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired
from helio_dagster.compute.operations.particle_options import ParticleOptions
from helio_dagster.compute.operations.record_axes import DISTRIBUTION, energy_axis, parts_of
from helio_dagster.compute.operations.sky_axes import place_of_angle, sky_axes
from helio_dagster.compute.phase_space import (
    PARTICLES,
    POWERS,
    check_speeds,
    per_density,
    quantity_of,
    to_joules,
    to_si,
)
from helio_dagster.compute.record_angles import angle_kind, radians, sky_shares, unit_vectors
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.records import axis_centers, axis_widths, record_values
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

Moment = Literal["density", "velocity", "pressure", "temperature", "heat flux"]
_UNITS: dict[Moment, tuple[str, float]] = {
    "density": ("cm^-3", 1e-6),
    "velocity": ("km/s", 1e-3),
    "pressure": ("nPa", 1e9),
    "temperature": ("eV", 1 / ELEMENTARY_CHARGE_C),
    "heat flux": ("mW m^-2", 1e3),
}
"""Unit of each, and what its value in SI units is multiplied by."""
_COMPONENTS: dict[Moment, tuple[str, ...]] = {
    "velocity": ("x", "y", "z"),
    "pressure": ("xx", "yy", "zz", "xy", "xz", "yz"),
    "heat flux": ("x", "y", "z"),
}
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Of components, in the order of a pressure tensor's columns."""
_SYMBOLS: dict[Moment, str] = {"velocity": "V", "pressure": "P", "heat flux": "q"}
_WITH_DIRECTIONS: tuple[Moment, ...] = ("velocity", "heat flux")
_SKY = (
    RecordAxis(name="phi", label="Azimuth", unit="deg", size=2, values=(0.0, 180.0), widths=(180.0, 180.0)),
    RecordAxis(name="theta", label="Elevation", unit="deg", size=2, values=(-45.0, 45.0), widths=(90.0, 90.0)),
    RecordAxis(name="energy", label="Energy", unit="eV", size=1, values=(1000.0,), widths=(100.0,)),
)


_GYROPHASES = RecordAxis(
    name="gyrophase", label="azimuth", unit="deg", size=4, values=(0.0, 90.0, 180.0, 270.0), widths=(90.0,) * 4
)
"""Over four azimuths, sines, cosines and their squares have their means over the circle."""
_VANISHING: dict[Moment, list[int]] = {"velocity": [0, 1], "heat flux": [0, 1], "pressure": [3, 4, 5]}
"""Components that are 0 where gyrophases count alike, but for the rounding of sines."""


def _example(values: tuple[float, ...]) -> ExampleTable:
    return ExampleTable(kind="nd", unit="s^3 m^-6", columns={"f": values}, axes=_SKY)


class MomentsOptions(ParticleOptions, MatchOptions):
    """Which moment, of which particles, from which bins."""

    moment: Moment = "density"
    """Number density, bulk velocity, pressure tensor, temperature (a third of the trace), or heat flux."""
    directions: Literal["look", "motion"] | None = None
    """Whether the angles say where the instrument looks, from where particles come, or where these move; needed for velocity
    and heat flux. The archive's description says which."""
    energies: tuple[float, float] | None = None
    """The least and the greatest energy that count as measured, both included, in the unit of the data's axis: to leave out
    photoelectrons, or channels that only count background."""
    skip_missing: bool = False
    """Let bins without a valid value count as empty; without it one of them makes the result NaN."""

    @model_validator(mode="after")
    def _fits(self) -> MomentsOptions:
        if self.energies is not None and not self.energies[0] <= self.energies[1]:
            raise ValueError("the least of the energies is above the greatest. Swap them")
        if self.moment in _WITH_DIRECTIONS and self.directions is None:
            raise ValueError(f"{self.moment} needs the option directions. Set it to look or motion")
        return self


class Moments(Paired[MomentsOptions]):
    """One velocity moment of each record."""

    id = "moments"
    version = 1
    of_one_spacecraft = ("distribution", "potential")
    is_record_wise = True
    summary = "Density, bulk velocity, pressure tensor, temperature or heat flux of a distribution, integrated over its bins."
    when = (
        "Use it where the archive has no moments, or for moments of some energies alone. An instrument that sees only part of "
        "the sky or of the energies gives partial moments: nothing is extrapolated."
    )
    reference = (
        "n = sum(f d3v), V = sum(f v d3v) / n, P = m sum(f v v d3v) - m n V V, T = tr(P) / (3 n), q = m/2 sum(f |v-V|^2 (v-V) "
        "d3v), with d3v = sqrt(2 E / m^3) dE dOmega (Paschmann, Fazakerley and Schwartz 1998, ISSI SR-001, chapter 6). With a "
        "potential U, E = E_measured + q U, and f does not change on the way (Lavraud and Larson 2016, J. Geophys. Res. 121, "
        "8462, doi:10.1002/2016JA022591). dE as the archive says or between midpoints, dOmega = (cos a1 - cos a2) dphi."
    )
    inputs: Mapping[str, Input] = {
        "distribution": DISTRIBUTION,
        "potential": Input(
            ("series",),
            "the spacecraft's potential, without which energies count as measured",
            quantity=("spacecraft potential",),
            unit="V",
            columns=1,
            is_optional=True,
        ),
    }
    output = (
        "At the distribution's times, in the frame of its angles (over pitch angles z is along the magnetic field, and all "
        "gyrophases count alike): density in cm^-3 and temperature in eV as series; velocity in km/s, heat flux in mW m^-2 and "
        "the pressure tensor (xx, yy, zz, xy, xz, yz) in nPa as vectors. NaN where a value is missing, where no potential is "
        "near enough, and of all but the density where there are no particles. Energies beyond a tenth of the rest energy are "
        "refused. Low energies that are not measured are missing in the density."
    )
    options = MomentsOptions
    examples = (
        Example(
            inputs={"distribution": _example((1e-12,) * 4 + (2e-12,) * 4)},
            options={"species": "proton"},
            expected={"result": (0.052685823685, 0.10537164737)},
            unit="cm^-3",
            source="by hand: 4 pi f sqrt(2 E / m^3) dE for 1000 eV and 100 eV",
            relative=1e-9,
        ),
        Example(
            inputs={"distribution": _example((1e-12, 0.0, 0.0, 0.0))},
            options={"species": "proton", "moment": "velocity", "directions": "look"},
            expected={"result_x": (-309.49690052,), "result_y": (0.0,), "result_z": (309.49690052,)},
            unit="km/s",
            source="by hand: seen towards +x and 45 deg down, so it moves at 437.6947 km/s towards -x and 45 deg up",
            relative=1e-9,
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: MomentsOptions) -> dict[str, Any]:
        """Positions of axes, mass, charge and factors in place of names."""
        meta = inputs["distribution"]
        azimuth, polar = (None, place_of_angle(meta, "pitch angle")) if _has_pitch(meta) else sky_axes(meta)
        unit, energy = _unit(meta, options), energy_axis(meta, options.axis)
        own = {"axis": energy, "azimuth": azimuth, "polar": polar, "factor": to_si(unit), "quantity": quantity_of(unit)}
        return {**super().plain_options(inputs, options), **own}

    def _meta(self, inputs: Mapping[str, TableMeta], options: MomentsOptions, name: str) -> TableMeta:
        has_pitch, meta = _has_pitch(inputs["distribution"]), _over_the_sky(inputs["distribution"])
        places = (*sky_axes(meta), energy_axis(meta, options.axis))
        if len(meta.axes) != len(set(places)):
            extra = ", ".join(axis.label or axis.name for place, axis in enumerate(meta.axes) if place not in places)
            hint = "Take a bin of it or sum over it first, with slice or reduce."
            raise ComputeError(f"moments are of azimuth, polar angle and energy alone, and there is also {extra}", hint=hint)
        sky_shares(np.zeros(1), np.ones(1), meta.axes[places[1]])
        for axis in (meta.axes[place] for place in places):
            if axis.size == 1 and not axis.widths and axis.width_column is None:
                raise ComputeError(f"nothing says how wide the only bin of {axis.name} is", hint="Take another parameter.")
        check_speeds(meta.axes[places[2]].values, meta.axes[places[2]].unit, PARTICLES[options.species])
        _to_density(meta, options)
        unit, label = _UNITS[options.moment][0], f"{options.species} {options.moment}"
        if options.moment not in _COMPONENTS:
            return TableMeta(kind="series", columns=(ColumnMeta(name=name, label=label, unit=unit),), label=label, unit=unit)
        columns = tuple(
            ColumnMeta(name=f"{name}_{each}", label=f"{_SYMBOLS[options.moment]}{each}", unit=unit)
            for each in _COMPONENTS[options.moment]
        )
        return TableMeta(kind="vector", columns=columns, label=label, unit=unit, frame=None if has_pitch else meta.frame)

    def _compute(self, inputs: Mapping[str, Table], options: MomentsOptions, meta: TableMeta) -> Table:
        table = _with_gyrophases(inputs["distribution"])
        potential = self._matched(inputs, "potential", options)[0] if "potential" in inputs else np.zeros(len(table))
        parts, first = [], 0
        for part in parts_of(table):
            parts.append(_moment(part, potential[first : first + len(part), None], options))
            first += len(part)
        values = np.concatenate(parts) * _UNITS[options.moment][1]
        if _has_pitch(inputs["distribution"].meta):
            values[:, _VANISHING.get(options.moment, [])] *= 0.0
        return Table(table.time, {each.name: values[:, place] for place, each in enumerate(meta.columns)}, meta)


def _has_pitch(meta: TableMeta) -> bool:
    """Whether directions are given by pitch angles alone."""
    return place_of_angle(meta, "pitch angle") is not None and place_of_angle(meta, "azimuth") is None


def _over_the_sky(meta: TableMeta) -> TableMeta:
    """The metadata with an azimuth around the magnetic field before the other axes, where there are only pitch angles."""
    if not _has_pitch(meta):
        return meta
    as_colatitude = {"label": "colatitude"}
    axes = [axis.model_copy(update=as_colatitude) if angle_kind(axis) == "pitch angle" else axis for axis in meta.axes]
    return meta.model_copy(update={"axes": (_GYROPHASES, *axes)})


def _with_gyrophases(table: Table) -> Table:
    """The table with the metadata of `_over_the_sky`: gyrophases count alike, so that the values are there once for each."""
    meta, name = _over_the_sky(table.meta), table.meta.data_names[0]
    if meta is table.meta:
        return table
    values = table.columns[name][:, None]
    spread = np.broadcast_to(values, (len(values), _GYROPHASES.size, *values.shape[2:]))
    return replace(table, columns={**table.columns, name: spread}, meta=meta)


def _unit(meta: TableMeta, options: MomentsOptions) -> str:
    return options.given_unit or data_unit(meta)


def _to_density(meta: TableMeta, options: MomentsOptions) -> float:
    """What values are multiplied by, beside a power of their energy in J, to be phase-space densities in s^3 m^-6."""
    unit = _unit(meta, options)
    return to_si(unit) / per_density(quantity_of(unit), PARTICLES[options.species].mass_kg, gain=options.gain)


def _moment(part: Table, potential_v: Floats, options: MomentsOptions) -> Floats:
    """The moment of some records in SI units, shape (record, component)."""
    mass_kg = PARTICLES[options.species].mass_kg
    with np.errstate(all="ignore"):
        found = _sums(part, potential_v, options)
        match options.moment:
            case "density":
                return found.zeroth[:, None]
            case "velocity":
                return velocity_moments.velocity(found)
            case "temperature":
                return velocity_moments.temperature(found, mass_kg)[:, None]
            case "heat flux":
                return velocity_moments.heat_flux(found, mass_kg)
            case "pressure":
                tensor = velocity_moments.pressure(found, mass_kg)
                return np.stack([tensor[:, row, column] for row, column in _PAIRS], axis=1)


def _sums(part: Table, potential_v: Floats, options: MomentsOptions) -> velocity_moments.Sums:
    azimuth, polar = sky_axes(part.meta)
    energy = energy_axis(part.meta, options.axis)
    axes = part.meta.axes
    centers, joules = axis_centers(part, axes[energy]), to_joules(axes[energy].unit)
    bins = velocity_moments.shells(
        centers * joules, axis_widths(part, axes[energy]) * joules, PARTICLES[options.species], potential_v
    )
    counts = np.isfinite(centers)
    if options.energies is not None:
        counts &= (centers >= options.energies[0]) & (centers <= options.energies[1])
    to_density = _to_density(part.meta, options) / (centers * joules) ** float(POWERS[quantity_of(_unit(part.meta, options))])
    values = np.moveaxis(record_values(part), [azimuth + 1, polar + 1, energy + 1], [1, 2, 3])
    sky, sky_counts = _sky(part, axes[azimuth], axes[polar])
    bins = velocity_moments.Shells(np.where(counts, bins.speed, 0.0), np.where(counts, bins.volume, 0.0))
    is_counted = sky_counts[..., None] & (bins.volume != 0)[:, None, None, :]
    density = np.ascontiguousarray(values, dtype=np.float64) * to_density[:, None, None, :]
    if options.skip_missing:
        is_valid = is_counted & ~np.isnan(values)
        is_counted = is_valid | (is_counted & ~is_valid.any(axis=(1, 2, 3), keepdims=True))  # fills alone are not emptiness
    return velocity_moments.sums(np.where(is_counted, density, 0.0), bins, _directions(part, options), sky)


def _sky(part: Table, azimuth: RecordAxis, polar: RecordAxis) -> tuple[Floats, np.ndarray[Any, np.dtype[np.bool_]]]:
    """The solid angle of each bin in sr, and which bins have a place, shape (record or 1, azimuth, polar)."""
    phi = np.where(np.isfinite(axis_centers(part, azimuth)), radians(axis_widths(part, azimuth), azimuth), np.nan)
    theta = sky_shares(axis_centers(part, polar), axis_widths(part, polar), polar)
    found = np.abs(phi)[:, :, None] * theta[:, None, :]
    return np.where(np.isfinite(found), found, 0.0), np.isfinite(found)


def _directions(part: Table, options: MomentsOptions) -> tuple[Floats, Floats, Floats]:
    """Components of the unit vectors along which particles move, 0 where a bin has no place."""
    azimuth, polar = (part.meta.axes[place] for place in sky_axes(part.meta))
    phi, theta = (radians(axis_centers(part, axis), axis) for axis in (azimuth, polar))
    sign = -1.0 if options.directions == "look" else 1.0
    x, y, z = unit_vectors(phi[:, :, None], theta[:, None, :], is_elevation=angle_kind(polar) == "elevation")
    return np.nan_to_num(sign * x), np.nan_to_num(sign * y), np.nan_to_num(sign * z)
