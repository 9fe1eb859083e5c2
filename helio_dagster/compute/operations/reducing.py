"""One number of all bins along an axis: reduce."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from pydantic import StrictInt, model_validator

from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example
from helio_dagster.compute.operations.record_axes import OfRecords, find_axis, left_meta, left_table, parts_of
from helio_dagster.compute.operations.slicing import FLUX
from helio_dagster.compute.record_angles import radians, sky_shares
from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.records import axis_centers, axis_widths, record_values
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.unit_conversion import convert_values, integral_unit

How = Literal["mean", "sum", "integral", "max", "min"]


class ReduceOptions(Options):
    """Which axis, and what is made of its bins."""

    axis: str | StrictInt
    """The axis by name or label, or its position counted from 0."""
    how: How = "mean"
    """`integral` multiplies each value by the width of its bin, of an angle in rad, and adds them up."""
    weights: Literal["equal", "solid_angle"] = "equal"
    """`solid_angle` counts the bins of a colatitude, elevation or pitch angle by the sky that they take; for mean and
    integral."""
    skip_missing: bool = False
    """Let a sum or integral leave out bins that have no valid value; without it one of them makes the result NaN."""

    @model_validator(mode="after")
    def _has_weights(self) -> ReduceOptions:
        if self.weights != "equal" and self.how not in ("mean", "integral"):
            raise ValueError(f"weights do not count for {self.how}. Leave them out")
        return self


class Reduce(OfRecords[ReduceOptions]):
    """A mean, sum, integral or extreme along an axis."""

    id = "reduce"
    version = 3
    summary = "The mean, sum, integral, least or greatest value along one axis, which then goes."
    when = "Use it to average over directions or to integrate over energies; `energy_spectrogram` takes all other axes at once."
    reference = (
        "mean = sum(w_i f_i) / sum(w_i); integral = sum(f_i dx_i). With solid angles w_i or dx_i = cos(a_i - da_i / 2) - "
        "cos(a_i + da_i / 2) for an angle a from the pole, the integral of sin(a) over the bin. Widths are the archive's; else "
        "edges lie midway between centers, geometrically on an axis of scale log."
    )
    output = (
        "What is left: a series over no axis, a spectrogram over one (a vector over labels), else data over several, at the "
        "same times. The unit is that of the data, of an integral times the axis's (rad of an angle): over eV, values per keV "
        "are integrated over keV, and the two cancel. Fills do not count in a mean or an extreme, which is NaN where "
        "there are fills alone; a sum or integral is NaN where one value is missing. Bins without a center never count."
    )
    options = ReduceOptions
    examples = (
        Example(
            inputs={"distribution": FLUX},
            options={"axis": "energy", "how": "mean"},
            expected={"pitch_1": (2, 8), "pitch_2": (5, 11)},
            unit="cm^-2 s^-1 sr^-1 keV^-1",
            source="by hand: (1 + 2 + 3) / 3, and (7 + 9) / 2 where one is missing",
        ),
        Example(
            inputs={"distribution": FLUX},
            options={"axis": "pitch", "how": "integral"},
            expected={"energy_1": (5 * np.pi / 2, 17 * np.pi / 2), "energy_2": (7 * np.pi / 2, None)},
            unit="rad cm^-2 keV^-1 s^-1 sr^-1",
            source="by hand: two bins of pi / 2",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: ReduceOptions) -> dict[str, Any]:
        """The axis by its position."""
        meta = inputs["distribution"]
        place = find_axis(meta, options.axis)
        factor = float(_integral_unit(meta, place)[1]) if options.how == "integral" else 1.0
        return {**super().plain_options(inputs, options), "axis": place} | ({} if factor == 1 else {"factor": factor})

    def _meta(self, inputs: Mapping[str, TableMeta], options: ReduceOptions, name: str) -> TableMeta:
        meta = inputs["distribution"]
        place = find_axis(meta, options.axis)
        axis, unit = meta.axes[place], data_unit(meta)
        if options.weights == "solid_angle":
            sky_shares(np.zeros(1), np.ones(1), axis)  # refuses other axes
        if options.how == "integral":
            unit, _ = _integral_unit(meta, place)
        label = f"{options.how} of {meta.label or name} over {axis.label or axis.name}"
        return left_meta(meta, [*meta.axes[:place], *meta.axes[place + 1 :]], name, label=label, unit=unit)

    def _compute(self, inputs: Mapping[str, Table], options: ReduceOptions, meta: TableMeta) -> Table:
        table = inputs["distribution"]
        place = find_axis(table.meta, options.axis)
        values = np.concatenate([_reduced(part, place, options) for part in parts_of(table)])
        return left_table(table, [*table.meta.axes[:place], *table.meta.axes[place + 1 :]], values, meta)


def _reduced(part: Table, place: int, options: ReduceOptions) -> Floats:
    """The values of some records without an axis."""
    axis = part.meta.axes[place]
    last = np.moveaxis(record_values(part), place + 1, -1)
    shape = last.shape[:-1]
    values = np.ascontiguousarray(last, dtype=np.float64).reshape(len(part), -1, axis.size)
    factors = _factors(part, axis, options)[:, None, :]
    if options.how == "integral":
        factors = convert_values(factors, _integral_unit(part.meta, place)[1])
    with np.errstate(all="ignore"):
        return reduce_last(values, factors, options.how, skip_missing=options.skip_missing).reshape(shape)


def reduce_last(values: Floats, factors: Floats, how: How, *, skip_missing: bool = False) -> Floats:
    """Values without their last axis: its greatest, least, weighted mean or weighted sum.

    Parameters
    ----------
    values
        float64, shape (..., bin); NaN where missing.
    factors
        Weights of the bins, of a shape that fits `values`; NaN for one that does not count.
    how
        How the bins are put together; the weights matter to means and sums alone.
    skip_missing
        Whether a sum leaves out missing bins; else it is NaN where one that counts is missing.

    Returns
    -------
    float64, shape (...), in the unit of `values`, times that of `factors` for sums; NaN where no bin is valid
    """
    has_place = np.broadcast_to(np.isfinite(factors), values.shape)
    is_valid = ~np.isnan(values) & has_place
    some = is_valid.any(axis=-1)
    if how in ("max", "min"):
        reduce = np.fmax.reduce if how == "max" else np.fmin.reduce
        return np.asarray(reduce(np.where(has_place, values, np.nan), axis=-1))
    total = np.where(is_valid, values * factors, 0.0).sum(axis=-1)
    if how == "mean":
        weight = np.where(is_valid, np.broadcast_to(factors, values.shape), 0.0).sum(axis=-1)
        return np.where(weight > 0, total / weight, np.nan)
    is_whole = some if skip_missing else some & (is_valid | ~has_place).all(axis=-1)
    return np.where(is_whole, total, np.nan)


def _integral_unit(meta: TableMeta, place: int) -> tuple[str, Fraction]:
    """The unit of an integral over an axis, and what widths in the axis's unit (rad of an angle) are multiplied by for it."""
    axis = meta.axes[place]
    return integral_unit(data_unit(meta), "rad" if axis.unit == "deg" else axis.unit)


def _factors(part: Table, axis: RecordAxis, options: ReduceOptions) -> Floats:
    """What each bin is multiplied by, shape (record or 1, bin); NaN for a bin without a center."""
    centers = axis_centers(part, axis)
    if options.weights == "equal" and options.how != "integral":
        return np.where(np.isfinite(centers), 1.0, np.nan)
    widths = np.where(np.isfinite(centers), axis_widths(part, axis), np.nan)
    if options.weights == "solid_angle":
        return sky_shares(centers, widths, axis)
    return radians(widths, axis)
