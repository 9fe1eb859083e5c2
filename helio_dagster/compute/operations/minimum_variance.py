"""Minimum variance analysis over time bins."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, readable_duration
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_bins import bin_records, bins_halo
from helio_dagster.domain.extent import Extent
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.units import raise_unit


class MinimumVarianceOptions(Options):
    """Bins, and what to compute of each."""

    bin: Length
    """Length of a bin, an ISO 8601 duration such as PT10M. Bins begin at its multiples since 1970-01-01T00:00Z."""
    result: Literal["minimum", "intermediate", "maximum", "eigenvalues"] = "minimum"
    """A direction: of minimum (the normal N), intermediate (M) or maximum variance (L); or the three variances."""
    min_samples: Annotated[int, Field(ge=4)] = 8
    """Fewer samples than this in a bin give NaN, at least 4."""


class MinimumVariance(ShippedOperation[MinimumVarianceOptions]):
    """Axes of a field's variance."""

    id = "minimum_variance"
    version = 2
    summary = "Minimum variance analysis of a vector per time bin: the normal, the other axes, or the eigenvalues."
    when = (
        "Use it to find the normal of a current sheet, magnetopause or shock. The ratio of the smaller eigenvalues "
        "says how reliable it is."
    )
    reference = (
        "Eigenvectors of M_ij = <B_i B_j> - <B_i><B_j> over the bin (Sonnerup and Cahill 1967, doi:10.1029/JZ072i001p00171; "
        "Sonnerup and Scheible 1998, ISSI SR-001, chapter 8). Signs: N has x >= 0, L has z >= 0, M = N x L."
    )
    inputs = {"vector": Input(("vector",), "the field; a record counts where all three components are valid", columns=3)}
    output = (
        "One record per bin that holds records, labelled by its start: a unit vector in the input's frame, or a vector of the "
        "eigenvalues (maximum, intermediate, minimum) in the square of its unit; NaN where too few samples are valid."
    )
    options = MinimumVarianceOptions
    examples = (
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    columns={"bx": (5, 5, 5, 5), "by": (2, -2, 2, -2), "bz": (4, 4, -4, -4)},
                )
            },
            options={"bin": "PT4M", "result": "eigenvalues", "min_samples": 4},
            expected={"maximum": (16,), "intermediate": (4,), "minimum": (0,)},
            unit="nT^2",
            seconds=(0,),
            source="three components without correlation: their variances",
        ),
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    columns={"bx": (5, 5, 5, 5), "by": (2, -2, 2, -2), "bz": (4, 4, -4, -4)},
                )
            },
            options={"bin": "PT4M", "min_samples": 4},
            expected={"x": (1,), "y": (0,), "z": (0,)},
            seconds=(0,),
            source="only x does not vary",
        ),
    )

    def halo(self, options: MinimumVarianceOptions) -> tuple[timedelta, timedelta]:
        """A bin that begins in the partition may reach one bin past its stop."""
        return bins_halo(options.bin)

    def _meta(self, inputs: Mapping[str, TableMeta], options: MinimumVarianceOptions, name: str) -> TableMeta:
        del name
        meta = inputs["vector"]
        over = f"{readable_duration(options.bin)} of {meta.label}".strip()
        if options.result == "eigenvalues":
            unit = raise_unit(self.inputs["vector"].used_columns(meta, operation_id=self.id)[0].unit or meta.unit, 2)
            names, label, frame = ("maximum", "intermediate", "minimum"), f"Variance, {over}", None
        else:
            unit, names, label, frame = "", ("x", "y", "z"), f"Direction of {options.result} variance, {over}", meta.frame
        columns = tuple(ColumnMeta(name=each, label=each, unit=unit) for each in names)
        extent = Extent.of_bin(options.bin)
        return TableMeta(kind="vector", columns=columns, label=label, unit=unit, frame=frame, extent=extent)

    def _compute(self, inputs: Mapping[str, Table], options: MinimumVarianceOptions, meta: TableMeta) -> Table:
        table = inputs["vector"]
        bins = bin_records(table, options.bin)
        with np.errstate(all="ignore"):
            covariance, count = covariances(self._values(inputs, "vector"), bins.first)
        is_known = (count >= options.min_samples) & np.isfinite(covariance).all(axis=(1, 2))
        found = np.full((len(bins.first), 3), np.nan)
        for place in np.flatnonzero(is_known):
            found[place] = _axis(covariance[place], options.result)
        columns = {name: np.ascontiguousarray(found[:, place]) for place, name in enumerate(meta.data_names)}
        return Table(bins.starts, columns, meta)


def covariances(components: list[Floats], starts: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """Matrix of each bin, shape (bin, 3, 3), about its mean, and how many records count, shape (bin,)."""
    is_valid = np.isfinite(components[0]) & np.isfinite(components[1]) & np.isfinite(components[2])
    count = np.add.reduceat(is_valid, starts, dtype=np.int64)
    lengths = np.diff(np.append(starts, len(is_valid)))
    divisor = np.maximum(count, 1)
    apart = []
    for values in components:
        kept = np.where(is_valid, values, 0.0)
        means = np.add.reduceat(kept, starts) / divisor
        apart.append(np.where(is_valid, kept - np.repeat(means, lengths), 0.0))
    covariance = np.empty((len(starts), 3, 3))
    for row in range(3):
        for column in range(row, 3):
            covariance[:, row, column] = np.add.reduceat(apart[row] * apart[column], starts) / divisor
            covariance[:, column, row] = covariance[:, row, column]
    return covariance, count


def _axis(covariance: Floats, result: str) -> Floats:
    """The requested direction or variances of one bin's matrix, shape (3,)."""
    values, vectors = np.linalg.eigh(covariance)
    if result == "eigenvalues":
        return np.asarray(np.maximum(values[::-1], 0.0))
    normal, largest = signed_axis(vectors[:, 0], 0), signed_axis(vectors[:, 2], 2)
    if result == "intermediate":
        return np.cross(normal, largest)
    return normal if result == "minimum" else largest


def signed_axis(axis: Floats, leading: int) -> Floats:
    """An axis, shape (3,), turned so that its leading component is positive; where that is zero, the first that is not."""
    order = [leading, *(place for place in range(3) if place != leading)]
    deciding = next((axis[place] for place in order if axis[place] != 0), 1.0)
    return np.asarray((axis if deciding > 0 else -axis) + 0.0)
