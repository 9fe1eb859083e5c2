"""How something changes in space, from four spacecraft: gradient."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.curlometer import curl_of, divergence_of
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.four_points import (
    POINTS,
    POSITIONS,
    RECIPROCAL,
    SHAPE,
    FourPointOptions,
    OfFourPoints,
    finite,
)
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.tetrahedron import Vector
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.units import divide_units, is_same_unit

_WORDS = {"gradient": "Gradient", "divergence": "Divergence", "curl": "Curl"}


class GradientOptions(FourPointOptions):
    """How the spacecraft meet, how flat they may be, and what comes out."""

    result: Literal["gradient", "divergence", "curl"] = "gradient"
    """gradient: of a series three components, of a vector nine, d of each component by x, y and z. divergence, curl: of
    vectors only."""


def _tables(name: str, values: Any, **more: Any) -> dict[str, ExampleTable]:
    return {f"{name}{point}": ExampleTable(columns=each, **more) for point, each in zip(POINTS, values, strict=True)}


def _named(rows: tuple[tuple[float, float, float], ...]) -> list[dict[str, tuple[float]]]:
    return [{name: (value,) for name, value in zip("xyz", row, strict=True)} for row in rows]


_PLACES = _tables(
    "position", _named(((10, 0, 0), (110, 0, 0), (10, 50, 0), (10, 0, -20))), kind="vector", unit="km", frame="GSE"
)


class Gradient(OfFourPoints[GradientOptions]):
    """Spatial derivatives by four spacecraft."""

    id = "gradient"
    version = 1
    summary = "Gradient in space of a scalar or vector that four spacecraft measure; or the divergence or curl of a vector."
    when = (
        "Use it with Cluster or MMS to get pressure gradients, or the vorticity (curl) of a flow. For the current use "
        "curlometer. To see how something changes in time use derivative."
    )
    reference = f"d f / d x_i = sum k_ai f_a. {RECIPROCAL} {SHAPE}"
    inputs = {
        **{
            f"value{point}": Input(
                ("series", "vector"),
                "a scalar or vector at spacecraft 1; it gives the times"
                if point == 1
                else f"the same at spacecraft {point}, in the same unit and frame",
                columns=1,
            )
            for point in POINTS
        },
        **POSITIONS,
    }
    output = (
        "At the times of value1, in its unit per km: a vector of d/dx, d/dy, d/dz in the frame of the positions; of a vector "
        "nine columns, a series for the divergence, a vector for the curl. NaN where a value or position has no valid samples "
        "near enough, and where the tetrahedron is longer than most_elongation or flatter than most_planarity."
    )
    options = GradientOptions
    measured = "value"
    examples = (
        Example(
            inputs={**_tables("value", [{"p": (each,)} for each in (1.0, 3.0, 0.5, 1.1)], unit="nPa"), **_PLACES},
            expected={"d_dx": (0.02,), "d_dy": (-0.01,), "d_dz": (-0.005,)},
            unit="nPa/km",
            relative=1e-9,
            source="by hand: +2 over 100 km, -0.5 over 50 km, +0.1 over -20 km",
        ),
        Example(
            inputs={
                **_tables(
                    "value",
                    _named(((300, 0, 0), (310, 5, 0), (300, 10, 0), (300, 0, 2))),
                    kind="vector",
                    unit="km/s",
                    frame="GSE",
                ),
                **_PLACES,
            },
            options={"result": "curl"},
            expected={"curl_x": (0,), "curl_y": (0,), "curl_z": (0.05,)},
            unit="s^-1",
            relative=1e-9,
            source="by hand: dVy/dx = 5 km/s over 100 km, the rest of the changes are of Vx along x, Vy along y, Vz along z",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: GradientOptions, name: str) -> TableMeta:
        frame, given = self._frame(inputs), inputs["value1"]
        count, unit = len(self._used(given)), divide_units(self._unit(inputs), "km")
        if options.result != "gradient" and count != 3:
            raise ComputeError(f"a series has no {options.result}", hint="Give vectors, or take result: gradient.")
        label = f"{_WORDS[options.result]} of {given.label or name}"
        names = [f"curl_{axis}" for axis in "xyz"]
        if options.result == "divergence":
            names = [name]
        elif options.result == "gradient":
            names = [f"d{component}_d{axis}" for component in ("xyz" if count == 3 else ("",)) for axis in "xyz"]
        columns = tuple(ColumnMeta(name=each, label=each if len(names) > 1 else label, unit=unit) for each in names)
        is_series = options.result == "divergence"
        kind: Kind = "series" if is_series else "vector"
        return TableMeta(kind=kind, columns=columns, label=label, unit=unit, frame=None if is_series else frame)

    def _compute(self, inputs: Mapping[str, Table], options: GradientOptions, meta: TableMeta) -> Table:
        with np.errstate(all="ignore"):
            k = self._tetrahedra(inputs, options).reciprocal
            values = self._measured(inputs, options)
            if options.result == "gradient":
                found = finite(*(_along(k, each, axis) for each in zip(*values, strict=True) for axis in range(3)))
            else:
                vectors: list[Vector] = [(x, y, z) for x, y, z in values]
                found = finite(*((divergence_of(k, vectors),) if options.result == "divergence" else curl_of(k, vectors)))
        return Table(inputs["value1"].time, dict(zip(meta.data_names, found, strict=True)), meta)

    def _used(self, meta: TableMeta) -> tuple[ColumnMeta, ...]:
        return self.inputs["value1"].used_columns(meta, operation_id=self.id)

    def _unit(self, inputs: Mapping[str, TableMeta]) -> str:
        """The unit of all values."""
        known = [inputs[f"value{point}"] for point in POINTS if inputs[f"value{point}"].columns]
        units = [each.unit or meta.unit for meta in known for each in self._used(meta)]
        if not all(is_same_unit(units[0], unit) for unit in units):
            listed = ", ".join(unit or "none" for unit in dict.fromkeys(units))
            hint = "Bring them to one unit with the operation convert_unit."
            raise ComputeError(f"{self.id} needs values of one unit, not {listed}", hint=hint)
        return units[0]


def _along(reciprocal: tuple[Vector, ...], values: tuple[Floats, ...], axis: int) -> Floats:
    """Derivative of a scalar along an axis."""
    first, second, third, fourth = (k[axis] * each for k, each in zip(reciprocal, values, strict=True))
    return first + second + third + fourth
