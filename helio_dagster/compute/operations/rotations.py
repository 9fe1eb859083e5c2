"""Rotation by a fixed matrix or angle, or into axes that were computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from helio_dagster.compute.operations.arithmetic import shared_frame
from helio_dagster.compute.operations.columns import Floats, cartesian, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.operations.vectors import symbol_of
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

Row = tuple[float, float, float]
Matrix = tuple[Row, Row, Row]
_ORTHOGONAL_WITHIN = 1e-6
_UNNAMED = "rotated"
_NAMES = {"LMN": "lmn", "RTN": "rtn"}
_ROWS = ("maximum", "intermediate", "normal")
"""L, M and N among the facts of minimum_variance_frame: each has its x, y and z."""


class RotateOptions(Options):
    """Either a matrix, or an axis and an angle, or neither with the input axes; and what the new axes are called."""

    matrix: Matrix | None = None
    """Rows are the new axes in the old frame, such as L, M and N; of unit length and at right angles within 1e-6."""
    axis: Literal["x", "y", "z"] | None = None
    """Axis that the frame is turned about."""
    angle_deg: Annotated[float, Field(ge=-360, le=360)] | None = None
    """By how much the axes are turned, in degrees, counterclockwise seen from the tip of the axis."""
    frame: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,15}$")] = _UNNAMED
    """Name of the new frame, with the input axes LMN unless another is given; the components of LMN are called l, m and n, of
    RTN r, t and n, of others x, y and z."""

    @model_validator(mode="after")
    def _is_one_rotation(self) -> RotateOptions:
        if (self.matrix is not None and self.axis is not None) or (self.axis is None) != (self.angle_deg is None):
            raise ValueError("give either matrix, or axis and angle_deg")
        if self.matrix is not None:
            _check_rotation(self.matrix)
        return self


class Rotate(ShippedOperation[RotateOptions]):
    """A vector in axes that do not change within a window."""

    id = "rotate"
    version = 1
    summary = "A vector in other, fixed axes: a rotation matrix, an angle about an axis, or LMN of minimum_variance_frame."
    when = (
        "Use it if the axes are known, for example of a shock normal, or if minimum_variance_frame finds them for each event "
        "or a range (both steps then are over: range): give its facts as the input axes. Between GSE, GSM and similar frames "
        "use transform_frame."
    )
    reference = "v' = R v, the rows of R being the new axes (Sonnerup and Scheible 1998, ISSI SR-001, chapter 8, for LMN)."
    inputs = {
        "vector": Input(("vector",), "the vector, in any unit", columns=3),
        "axes": Input(
            ("facts",),
            "instead of options: facts of minimum_variance_frame over the same partition, event or range, in the same frame",
            is_optional=True,
        ),
    }
    output = (
        "A vector of the same unit in the frame that the options name, at the same times; NaN where a component is, and where "
        "the input axes has none."
    )
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
        Example(
            inputs={
                "vector": ExampleTable(kind="vector", unit="nT", columns={"bx": (1,), "by": (2,), "bz": (3,)}),
                "axes": ExampleTable(
                    kind="facts",
                    columns={
                        f"{row}_{component}": (float(place == other),)
                        for row, place in zip(("maximum", "intermediate", "normal"), (2, 1, 0), strict=True)
                        for other, component in enumerate("xyz")
                    },
                ),
            },
            expected={"l": (3,), "m": (2,), "n": (1,)},
            unit="nT",
            source="by hand: L is z, M is y, N is x",
        ),
    )

    def halo(self, options: RotateOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: RotateOptions, name: str) -> TableMeta:
        del name
        meta, axes = inputs["vector"], inputs.get("axes")
        _check_source(meta, axes, options)
        old, frame = cartesian(meta, self.id), _frame_name(options, is_computed=axes is not None)
        symbol = symbol_of(old) if axes is not None else ""
        columns = tuple(
            ColumnMeta(
                name=letter,
                label=f"{symbol} {letter.upper()}" if symbol else f"{meta.label} {letter}".strip(),
                unit=column.unit or meta.unit,
            )
            for letter, column in zip(_NAMES.get(frame, "xyz"), old, strict=True)
        )
        return TableMeta(kind="vector", columns=columns, label=meta.label, unit=meta.unit, frame=frame)

    def _compute(self, inputs: Mapping[str, Table], options: RotateOptions, meta: TableMeta) -> Table:
        x, y, z = self._values(inputs, "vector")
        rows: Matrix | NDArray[np.float64]
        if "axes" in inputs:
            rows = _rows_at(inputs["axes"], inputs["vector"].time)
        else:
            rows = options.matrix or _turned(options.axis or "z", math.radians(options.angle_deg or 0.0))
        with np.errstate(all="ignore"):  # an infinite component makes others NaN
            rotated = [row[0] * x + row[1] * y + row[2] * z for row in rows]
        return Table(inputs["vector"].time, dict(zip(meta.data_names, rotated, strict=True)), meta)


def _frame_name(options: RotateOptions, *, is_computed: bool) -> str:
    return "LMN" if is_computed and options.frame == _UNNAMED else options.frame


def _check_source(meta: TableMeta, axes: TableMeta | None, options: RotateOptions) -> None:
    """Demand one source of the new axes; raises ComputeError."""
    is_given = options.matrix is not None or options.axis is not None
    if axes is None and not is_given:
        hint = "Give matrix, or axis and angle_deg, or the facts of minimum_variance_frame as the input axes."
        raise ComputeError("rotate does not know the new axes", hint=hint)
    if axes is None:
        return
    if is_given:
        raise ComputeError("rotate is given its axes twice", hint="Leave out the option, or the input axes.")
    missing = [each for each in _fact_names() if each not in axes.data_names]
    if axes.columns and missing:
        hint = "Give it the facts of minimum_variance_frame."
        raise ComputeError(f"the input axes of rotate has no fact {missing[0]}", hint=hint)
    if axes.columns:
        shared_frame(meta, axes, names=("the vector", "the axes"))


def _fact_names() -> list[str]:
    return [f"{row}_{component}" for row in _ROWS for component in "xyz"]


def _rows_at(axes: Table, time: NDArray[np.datetime64]) -> NDArray[np.float64]:
    """The axes in the old frame at each time, by the latest facts; shape (axis, component, record), NaN before the first."""
    found = np.full((9, len(time)), np.nan)
    place = np.searchsorted(axes.time, time, side="right") - 1
    if len(axes):
        given: list[Floats] = [floats(axes, name) for name in _fact_names()]
        found[:, place >= 0] = np.stack(given)[:, place[place >= 0]]
    return found.reshape(3, 3, -1)


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
