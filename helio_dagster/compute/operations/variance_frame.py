"""Minimum variance analysis of a whole window: minimum_variance_frame, hodogram."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.minimum_variance import covariances, signed_axis
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.operations.vectors import symbol_of
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import raise_unit

_AXES = ("maximum", "intermediate", "minimum")
_VECTOR = Input(("vector",), "the field; a record counts where all three components are valid", columns=3)
_EXAMPLE = ExampleTable(
    kind="vector",
    unit="nT",
    frame="GSE",
    columns={"bx": (4, 6, 4, 6, 5, 5), "by": (2, -2, -2, 2, 0, 0), "bz": (4, 4, -4, -4, 0, 0)},
)


class VarianceOptions(Options):
    """How many samples there must be."""

    min_samples: Annotated[int, Field(ge=4)] = 8
    """With fewer valid samples in the window than this nothing is known, at least 4."""


@dataclass(frozen=True)
class _Frame:
    """Axes in rows (maximum, intermediate, minimum), their variances, the mean vector and the number of samples."""

    axes: Floats
    variances: Floats
    mean: Floats
    count: int


def _frame(components: list[Floats], min_samples: int) -> _Frame | None:
    """The frame of a window; None with too few valid samples, and where they vary along one direction at most."""
    with np.errstate(all="ignore"):
        covariance, count = covariances(components, np.zeros(1, dtype=np.int64))
    if count[0] < min_samples or not np.isfinite(covariance).all():
        return None
    variances, vectors = np.linalg.eigh(covariance[0])
    if variances[1] - variances[0] <= _ALIKE * variances[2] or _is_constant(variances[2], components):
        return None
    normal, largest = signed_axis(vectors[:, 0], 0), signed_axis(vectors[:, 2], 2)
    is_valid = np.isfinite(np.array(components)).all(axis=0)
    mean = np.array([np.mean(values[is_valid]) for values in components])
    axes = np.array([largest, np.cross(normal, largest), normal])
    return _Frame(axes, np.maximum(variances[::-1], 0.0), mean, int(count[0]))


_ALIKE = 1e-12
"""Two variances that differ by a smaller share of the largest are alike: rounding would choose between their axes."""


def _is_constant(largest: float, components: list[Floats]) -> bool:
    """Whether the largest variance is that of rounding."""
    strongest = max(float(np.nanmax(np.abs(values))) for values in components)
    return largest <= (_ALIKE * strongest) ** 2


def _why_open(components: list[Floats], min_samples: int) -> str:
    """Why enough samples have no axes; empty where they have some, or are too few."""
    is_valid = np.isfinite(np.array(components)).all(axis=0)
    if is_valid.sum() < min_samples or _frame(components, min_samples) is not None:
        return ""
    return "the normal is open, because the vector does not vary, or varies along one direction only"


class MinimumVarianceFrame(WindowOperation[VarianceOptions]):
    """Axes, variances and their errors."""

    id = "minimum_variance_frame"
    version = 3
    gives_reasons = True
    summary = (
        "Minimum variance analysis of a whole window: axes, eigenvalues, their ratio and the error of the normal, as facts."
    )
    when = (
        "Use it over the crossing of a current sheet, magnetopause or shock for its normal; hodogram draws the field in the "
        "same axes. For normals in time bins use minimum_variance."
    )
    reference = (
        "Eigenvectors of M_ij = <B_i B_j> - <B_i><B_j>; |delta phi_ij| = sqrt(l_3 / (n - 1) (l_i + l_j - l_3) / (l_i - "
        "l_j)^2), |delta <B> x_3| = sqrt(l_3 / (n - 1) + (delta phi_32 <B> x_2)^2 + (delta phi_31 <B> x_1)^2), l_1 >= l_2 >= "
        "l_3 (Sonnerup and Scheible 1998, ISSI SR-001, chapter 8, equations 8.23 and 8.24; Sonnerup and Cahill 1967, "
        "doi:10.1029/JZ072i001p00171). Signs: the normal N has x >= 0, the maximum L has z >= 0, M = N x L."
    )
    inputs = {"vector": _VECTOR}
    output = (
        "Facts: the three axes as unit vectors in the input's frame, the variances along them, intermediate / minimum (the "
        "normal is usually trusted above 10), the angles in deg by which the normal may be turned towards the other axes, the "
        "mean field along the normal, number of samples; NaN with too few, and where it varies along one direction only."
    )
    options = VarianceOptions
    examples = (
        Example(
            inputs={"vector": _EXAMPLE},
            options={"min_samples": 4},
            expected={
                "normal_x": (1,),
                "normal_y": (0,),
                "normal_z": (0,),
                "maximum_z": (1,),
                "maximum_variance": (32 / 3,),
                "intermediate_variance": (8 / 3,),
                "minimum_variance": (2 / 3,),
                "ratio": (4,),
                "normal_error_intermediate": (math.degrees((2 / 3 / 5 * (8 / 3) / 2**2) ** 0.5),),
                "normal_error_maximum": (math.degrees((2 / 3 / 5 * (32 / 3) / 10**2) ** 0.5),),
                "normal_mean": (5,),
                "normal_mean_uncertainty": ((2 / 3 / 5) ** 0.5,),
                "samples": (6,),
            },
            window=(0, 600),
            seconds=(0,),
            units={"maximum_variance": "nT^2", "normal_error_maximum": "deg", "normal_mean": "nT"},
            source="three components without correlation: their variances; errors by hand from them",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: VarianceOptions, name: str) -> TableMeta:
        del options
        meta = inputs["vector"]
        unit = self.inputs["vector"].used_columns(meta, operation_id=self.id)[0].unit or meta.unit
        columns: list[ColumnMeta] = []
        for axis in ("normal", "intermediate", "maximum"):
            for component in "xyz":
                columns += fact(f"{axis}_{component}", f"{axis}, {component}")
        for axis in _AXES:
            columns += fact(f"{axis}_variance", f"{axis} variance", raise_unit(unit, 2))
        columns += fact("ratio", "intermediate / minimum variance")
        for axis in ("intermediate", "maximum"):
            columns += fact(f"normal_error_{axis}", f"error of the normal towards the {axis} axis", "deg")
        columns += uncertain_fact("normal_mean", "mean along the normal", unit)
        columns += count_column("samples", "number of samples")
        return facts_meta(f"Minimum variance of {meta.label or name}", columns, frame=meta.frame)

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: VarianceOptions) -> Iterator[str]:
        """That the samples leave the normal open."""
        del result
        if why := _why_open(self._values(inputs, "vector"), options.min_samples):
            yield why

    def _compute_window(
        self, inputs: Mapping[str, Table], options: VarianceOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        components = self._values(inputs, "vector")
        frame = _frame(components, options.min_samples)
        if frame is None:
            samples = int(np.isfinite(np.array(components)).all(axis=0).sum())
            return facts_table(window, {"samples": samples}, meta)
        found: dict[str, float] = {"samples": frame.count}
        for axis, name in zip(frame.axes, ("maximum", "intermediate", "normal"), strict=True):
            found |= {f"{name}_{component}": float(value) for component, value in zip("xyz", axis, strict=True)}
        found |= {f"{name}_variance": float(each) for name, each in zip(_AXES, frame.variances, strict=True)}
        largest, middle, least = (float(each) for each in frame.variances)
        error_middle, error_largest = (_error(each, least, frame.count) for each in (middle, largest))
        along = [float(np.sum(axis * frame.mean)) for axis in frame.axes]
        spread = math.sqrt(least / (frame.count - 1) + (error_middle * along[1]) ** 2 + (error_largest * along[0]) ** 2)
        found |= {
            "ratio": middle / least if least > 0 else math.nan,
            "normal_error_intermediate": math.degrees(error_middle),
            "normal_error_maximum": math.degrees(error_largest),
            "normal_mean": along[2],
            "normal_mean_uncertainty": spread,
        }
        return facts_table(window, found, meta)


def _error(other: float, least: float, count: int) -> float:
    """Angle in rad by which the axis of least variance may be turned towards another; NaN where they are alike."""
    return math.sqrt(least / (count - 1) * other) / (other - least) if other > least else math.nan


class HodogramOptions(VarianceOptions):
    """Which plane is shown."""

    plane: Literal["LM", "LN", "MN", "LMN"] = "LM"
    """The axes, in this order: L of maximum, M of intermediate, N of minimum variance. Across the normal: LM."""


class Hodogram(WindowOperation[HodogramOptions]):
    """A vector in the axes of its own variance."""

    id = "hodogram"
    version = 2
    summary = "The course of a vector in the minimum variance axes of the window, as points."
    when = (
        "Use it to see how a field turns through a current sheet, or how a wave is polarized. For the axes themselves use "
        "minimum_variance_frame."
    )
    reference = (
        "B_l = B L, B_m = B M, B_n = B N with the axes of minimum_variance_frame (Sonnerup and Cahill 1967, "
        "doi:10.1029/JZ072i001p00171)."
    )
    inputs = {"vector": _VECTOR}
    output = (
        "Points at the vector's times, in its unit; NaN where a component is not valid, or with too few samples in the window."
    )
    options = HodogramOptions
    examples = (
        Example(
            inputs={"vector": _EXAMPLE},
            options={"min_samples": 4, "plane": "LMN"},
            expected={"l": (4, 4, -4, -4, 0, 0), "m": (-2, 2, 2, -2, 0, 0), "n": (4, 6, 4, 6, 5, 5)},
            unit="nT",
            source="L is z, N is x, M = N x L is -y",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: HodogramOptions, name: str) -> TableMeta:
        meta = inputs["vector"]
        used = self.inputs["vector"].used_columns(meta, operation_id=self.id)
        unit, symbol = used[0].unit or meta.unit, symbol_of(used)
        before = f"{symbol}_" if symbol else f"{meta.label or name} "
        columns = tuple(ColumnMeta(name=axis.lower(), label=f"{before}{axis}", unit=unit) for axis in options.plane)
        return TableMeta(kind="points", columns=columns, label=f"Hodogram of {meta.label or name}", unit=unit, frame="LMN")

    def _compute_window(
        self, inputs: Mapping[str, Table], options: HodogramOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        del window
        components = self._values(inputs, "vector")
        frame = _frame(components, options.min_samples)
        columns = {}
        for name, axis in zip(meta.data_names, options.plane, strict=True):
            unit_vector = np.full(3, np.nan) if frame is None else frame.axes["LMN".index(axis)]
            columns[name] = unit_vector[0] * components[0] + unit_vector[1] * components[1] + unit_vector[2] * components[2]
        return Table(inputs["vector"].time, columns, meta)
