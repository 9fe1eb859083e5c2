"""A distribution against time and the angle to the magnetic field: pitch_angle_spectrogram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired
from helio_dagster.compute.operations.record_axes import DISTRIBUTION, energy_axis, left_meta, left_table, parts_of
from helio_dagster.compute.operations.sky_axes import place_of_angle, sky_axes
from helio_dagster.compute.operations.slicing import FLUX
from helio_dagster.compute.record_angles import angle_kind, radians, unit_vectors
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.records import axis_centers, record_values
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.unit_conversion import conversion_factor

_LOOKS = RecordAxis(name="phi", label="Azimuth", unit="deg", size=2, values=(0.0, 180.0))


class PitchAngleOptions(MatchOptions):
    """Bins of the result, which energies count, and what the directions of the distribution are."""

    bin: float | None = Field(default=None, gt=0, le=90)
    """Width of a bin in degrees, by default 15; 180 must be a multiple. Data with an axis of pitch angles keep its bins."""
    energies: tuple[float, float] | None = None
    """The least and the greatest energy that count, both included; by default all."""
    energy_unit: str | None = None
    """Unit of these, if not the axis's."""
    directions: Literal["look", "motion"] | None = None
    """Whether the angles of a distribution say where the instrument looks, from where particles come, or where these move. The
    archive's description says which."""

    @model_validator(mode="after")
    def _fits(self) -> PitchAngleOptions:
        if self.bin is not None and abs(180 / self.bin - round(180 / self.bin)) > 1e-9:
            raise ValueError(f"bins of {self.bin:g} deg do not fill 180 deg. Choose a width such as 10, 15 or 20")
        if self.energies is not None and not self.energies[0] <= self.energies[1]:
            raise ValueError("the least of the energies is above the greatest. Swap them")
        return self

    @property
    def count(self) -> int:
        """How many bins fill 180 degrees."""
        return round(180 / (self.bin or 15.0))


class PitchAngleSpectrogram(Paired[PitchAngleOptions]):
    """The mean over all samples within bins of pitch angle."""

    id = "pitch_angle_spectrogram"
    version = 1
    of_one_spacecraft = ("distribution", "field")
    is_record_wise = True
    summary = "A distribution's mean over energies and gyrophases, against time and pitch angle."
    when = "Use it to tell beams, loss cones and trapped particles; choose `energies`: the lowest dominate a mean over all."
    reference = (
        "a = arccos(v . B / (|v| |B|)), v the velocity of the particles: against the look direction, or along the direction of "
        "motion. Each sample counts once, in the bin that holds its direction's center."
    )
    inputs: Mapping[str, Input] = {
        "distribution": DISTRIBUTION,
        "field": Input(
            ("vector",),
            "the field in the frame of the angles, where the data have no pitch angles",
            quantity=("magnetic field",),
            columns=3,
            is_optional=True,
        ),
    }
    output = (
        "A spectrogram in the data's unit over pitch angle, at the distribution's times. Fills do not count; NaN where a bin "
        "holds no valid sample, and where no valid field is near enough."
    )
    options = PitchAngleOptions
    examples = (
        Example(
            inputs={"distribution": FLUX},
            options={"energies": (10.0, 100.0), "tolerance": "PT1S"},
            expected={"pitch_1": (1.5, 7), "pitch_2": (4.5, 10.5)},
            unit="cm^-2 s^-1 sr^-1 keV^-1",
            source="by hand: means of the first two energies",
        ),
        Example(
            inputs={
                "distribution": ExampleTable(
                    kind="nd",
                    unit="s^3 m^-6",
                    columns={"f": (1, 2, 4, 8, 1, 2, None, 8, 1, 2, 4, 8)},
                    axes=(
                        _LOOKS,
                        RecordAxis(name="theta", label="Elevation", unit="deg", size=2, values=(-45.0, 45.0)),
                    ),
                ),
                "field": ExampleTable(kind="vector", unit="nT", columns={"x": (5, 0, None), "y": (0, 0, 0), "z": (0, -2, 1)}),
            },
            options={"bin": 90.0, "directions": "look", "tolerance": "PT1S"},
            expected={"pitch_1": (6, 5, None), "pitch_2": (1.5, 1, None)},
            unit="s^3 m^-6",
            source="by hand: what is seen towards -x moves along +x; in the second record what is seen at +z moves along B",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: PitchAngleOptions) -> dict[str, Any]:
        """The position of the axis of energies, where it counts."""
        meta = inputs["distribution"]
        energy = energy_axis(meta, None) if options.energies is not None else None
        own: dict[str, Any] = {"energy": energy}
        if energy is not None and options.energy_unit is not None:
            own |= {"energies": _limits(meta.axes[energy], options), "energy_unit": meta.axes[energy].unit}
        return {**super().plain_options(inputs, options), **own}

    def _meta(self, inputs: Mapping[str, TableMeta], options: PitchAngleOptions, name: str) -> TableMeta:
        meta = inputs["distribution"]
        if options.energies is not None:
            _limits(meta.axes[energy_axis(meta, None)], options)
        label = meta.label or name
        own = place_of_angle(meta, "pitch angle")
        if own is not None:
            return left_meta(meta, [meta.axes[own]], name, label=label, unit=data_unit(meta))
        sky_axes(meta)
        if "field" not in inputs:
            raise ComputeError(
                "the distribution has no axis of pitch angles", hint="Give the magnetic field as the input `field`."
            )
        if options.directions is None:
            hint = "Set the option `directions` to look or motion, as the archive's description of the angles says."
            raise ComputeError("it is not known whether the angles say where particles come from or go to", hint=hint)
        if inputs["field"].columns and meta.frame is not None:
            shared_frame(meta, inputs["field"])
        return left_meta(meta, [_bins(options)], name, label=label, unit=data_unit(meta))

    def _compute(self, inputs: Mapping[str, Table], options: PitchAngleOptions, meta: TableMeta) -> Table:
        table = inputs["distribution"]
        own = place_of_angle(table.meta, "pitch angle")
        if own is not None:
            values = np.concatenate([_means(part, [own], options) for part in parts_of(table)])
            return left_table(table, [table.meta.axes[own]], values, meta)
        field = np.stack(self._matched(inputs, "field", options), axis=1)
        parts, place = [], 0
        for part in parts_of(table):
            parts.append(_binned(part, field[place : place + len(part)], options))
            place += len(part)
        return left_table(table, [_bins(options)], np.concatenate(parts), meta)


def _limits(axis: RecordAxis, options: PitchAngleOptions) -> tuple[float, float]:
    """The energies that count, in the unit of the axis."""
    low, high = options.energies or (-np.inf, np.inf)
    times = float(conversion_factor(options.energy_unit, axis.unit)) if options.energy_unit is not None else 1.0
    return low * times, high * times


def _bins(options: PitchAngleOptions) -> RecordAxis:
    width = 180 / options.count
    centers = tuple((place + 0.5) * width for place in range(options.count))
    return RecordAxis(name="pitch", label="Pitch angle", unit="deg", size=options.count, values=centers)


def _sums(part: Table, kept: list[int], options: PitchAngleOptions) -> tuple[Floats, Floats]:
    """Sum and number of the valid samples over all axes but some, shape (record, *kept) each."""
    values = record_values(part)
    is_valid = ~np.isnan(values)
    if options.energies is not None:
        place = energy_axis(part.meta, None)
        energies = axis_centers(part, part.meta.axes[place])
        low, high = _limits(part.meta.axes[place], options)
        counts = (energies >= low) & (energies <= high)
        shape = (len(counts), *(part.meta.shape[each] if each == place else 1 for each in range(len(part.meta.axes))))
        is_valid = is_valid & counts.reshape(shape)
    sizes = tuple(part.meta.shape[each] for each in kept)
    moved = [np.moveaxis(each, [place + 1 for place in kept], range(1, 1 + len(kept))) for each in (values, is_valid)]
    flat, counted = (np.ascontiguousarray(each).reshape(len(part), *sizes, -1) for each in moved)
    return np.where(counted, flat, 0.0).astype(np.float64).sum(axis=-1), counted.sum(axis=-1, dtype=np.float64)


def _means(part: Table, kept: list[int], options: PitchAngleOptions) -> Floats:
    total, count = _sums(part, kept, options)
    with np.errstate(all="ignore"):
        return np.where(count > 0, total / count, np.nan)


def _binned(part: Table, field: Floats, options: PitchAngleOptions) -> Floats:
    """The mean of the samples in each bin of pitch angle, shape (record, bin)."""
    azimuth, polar = sky_axes(part.meta)
    total, count = _sums(part, [azimuth, polar], options)
    axes = part.meta.axes
    phi, theta = (radians(axis_centers(part, axis), axis) for axis in (axes[azimuth], axes[polar]))
    looks = unit_vectors(phi[:, :, None], theta[:, None, :], is_elevation=angle_kind(axes[polar]) == "elevation")
    sign = -1.0 if options.directions == "look" else 1.0
    with np.errstate(all="ignore"):
        along = field / np.sqrt((field * field).sum(axis=1))[:, None]
        cosine = sum(sign * each * along[:, place, None, None] for place, each in enumerate(looks))
        angle = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    is_known = np.isfinite(angle)
    bins = np.minimum(np.where(is_known, angle, 0.0) // (180 / options.count), options.count - 1).astype(np.int64)
    rows = (np.arange(len(part)) * options.count)[:, None, None] + bins
    sums = [np.bincount(rows[is_known], weights=each[is_known], minlength=len(part) * options.count) for each in (total, count)]
    with np.errstate(all="ignore"):
        return np.where(sums[1] > 0, sums[0] / sums[1], np.nan).reshape(len(part), options.count)
