"""Rotation by a fixed matrix or angle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.columns import cartesian
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

Row = tuple[float, float, float]
Matrix = tuple[Row, Row, Row]
_ORTHOGONAL_WITHIN = 1e-6
_NAMES = {"LMN": "lmn", "RTN": "rtn"}


class RotateOptions(Options):
    """Either a matrix, or an axis and an angle; and what the new axes are called."""

    matrix: Matrix | None = None
    """Rows are the new axes in the old frame, such as L, M and N; of unit length and at right angles within 1e-6."""
    axis: Literal["x", "y", "z"] | None = None
    """Axis that the frame is turned about."""
    angle_deg: Annotated[float, Field(ge=-360, le=360)] | None = None
    """By how much the axes are turned, in degrees, counterclockwise seen from the tip of the axis."""
    frame: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$")] = "rotated"
    """Name of the new frame; the components of LMN are called l, m and n, of RTN r, t and n, of others x, y and z."""

    @model_validator(mode="after")
    def _is_one_rotation(self) -> RotateOptions:
        if (self.matrix is None) == (self.axis is None) or (self.axis is None) != (self.angle_deg is None):
            raise ValueError("give either matrix, or axis and angle_deg")
        if self.matrix is not None:
            _check_rotation(self.matrix)
        return self


class Rotate(ShippedOperation[RotateOptions]):
    """A vector in axes that do not change with time."""

    id = "rotate"
    version = 1
    summary = "A vector in other, fixed axes: a rotation matrix (LMN, a normal system), or an angle about an axis."
    when = (
        "Use it if the axes are known, for example from minimum variance or a shock normal. Between GSE, GSM and "
        "similar frames use transform_frame."
    )
    reference = "v' = R v, the rows of R being the new axes (Sonnerup and Scheible 1998, ISSI SR-001, chapter 8, for LMN)."
    inputs = {"vector": Input(("vector",), "the vector, in any unit", columns=3)}
    output = "A vector of the same unit in the frame that the options name, at the same times; NaN where a component is."
    options = RotateOptions
    examples = (
        Example(
            inputs={"vector": ExampleTable(kind="vector", unit="nT", columns={"bx": (1, 0), "by": (0, 1), "bz": (5, None)})},
            options={"axis": "z", "angle_deg": 30, "frame": "turned"},
            expected={"x": (math.sqrt(3) / 2, None), "y": (-0.5, None), "z": (5, None)},
            unit="nT",
            source="cos 30 deg and sin 30 deg",
        ),
        Example(
            inputs={"vector": ExampleTable(kind="vector", unit="nT", columns={"bx": (1,), "by": (2,), "bz": (3,)})},
            options={"matrix": [[0, 0, 1], [0, -1, 0], [1, 0, 0]], "frame": "LMN"},
            expected={"l": (3,), "m": (-2,), "n": (1,)},
            unit="nT",
            source="by hand",
        ),
    )

    def halo(self, options: RotateOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: RotateOptions, name: str) -> TableMeta:
        del name
        meta = inputs["vector"]
        old = cartesian(meta, self.id)
        letters = _NAMES.get(options.frame, "xyz")
        columns = tuple(
            ColumnMeta(name=letter, label=f"{meta.label} {letter}".strip(), unit=column.unit or meta.unit)
            for letter, column in zip(letters, old, strict=True)
        )
        return TableMeta(kind="vector", columns=columns, label=meta.label, unit=meta.unit, frame=options.frame)

    def _compute(self, inputs: Mapping[str, Table], options: RotateOptions, meta: TableMeta) -> Table:
        x, y, z = self._values(inputs, "vector")
        rows = options.matrix or _turned(options.axis or "z", math.radians(options.angle_deg or 0.0))
        with np.errstate(all="ignore"):  # an infinite component makes others NaN
            rotated = [row[0] * x + row[1] * y + row[2] * z for row in rows]
        return Table(inputs["vector"].time, dict(zip(meta.data_names, rotated, strict=True)), meta)


def _turned(axis: str, angle: float) -> Matrix:
    cosine, sine = math.cos(angle), math.sin(angle)
    match axis:
        case "x":
            return ((1.0, 0.0, 0.0), (0.0, cosine, sine), (0.0, -sine, cosine))
        case "y":
            return ((cosine, 0.0, -sine), (0.0, 1.0, 0.0), (sine, 0.0, cosine))
        case _:
            return ((cosine, sine, 0.0), (-sine, cosine, 0.0), (0.0, 0.0, 1.0))


def _check_rotation(matrix: Matrix) -> None:
    for place, row in enumerate(matrix):
        for other in range(place, 3):
            product = sum(left * right for left, right in zip(row, matrix[other], strict=True))
            if abs(product - (place == other)) > _ORTHOGONAL_WITHIN:
                raise ValueError("the rows of matrix must have length 1 and stand at right angles. Give more digits of each")
    (a, b, c), second, third = matrix
    crossed = (second[1] * third[2] - second[2] * third[1], second[2] * third[0] - second[0] * third[2])
    if a * crossed[0] + b * crossed[1] + c * (second[0] * third[1] - second[1] * third[0]) < 0:
        raise ValueError("the rows of matrix must be right-handed. Turn the sign of one of them")
