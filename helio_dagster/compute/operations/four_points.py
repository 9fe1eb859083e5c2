"""What curlometer and gradient share: something measured at four places, and the tetrahedron that these make."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.operations.alignment import values_near
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.tetrahedron import Vector, elongation_and_planarity, reciprocal_vectors, shape_words
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta

POINTS = range(1, 5)
MOST_FLAT = 0.999
"""Beyond this elongation or planarity the rounding of positions in km decides on the gradient, whatever one asks for."""
POSITIONS = {
    f"position{point}": Input(
        ("vector",), f"where spacecraft {point} is, in the same frame as the others", ("position",), "km", columns=3
    )
    for point in POINTS
}
SHAPE = (
    "Elongation 1 - b / a and planarity 1 - c / b of the axes a >= b >= c of the tetrahedron (Robert et al. 1998, ISSI SR-001, "
    "chapter 13)."
)
RECIPROCAL = (
    "k_1 = r_23 x r_24 / (r_21 . (r_23 x r_24)) and so on, r_ab = r_b - r_a (Chanteur 1998, ISSI SR-001, chapter 14): exact "
    "for what is linear in space between the spacecraft."
)


class FourPointOptions(Options):
    """How the spacecraft meet in time, and how flat their tetrahedron may be."""

    max_gap: Length = timedelta(seconds=10)
    """Greatest distance of the two samples of another spacecraft around a time of the first, an ISO 8601 duration such as
    PT10S; between them it is taken along the straight line."""
    position_gap: Length = timedelta(minutes=5)
    """As `max_gap`, for all positions, an ISO 8601 duration such as PT5M."""
    most_elongation: Annotated[float, Field(ge=0, le=MOST_FLAT)] = 0.9
    """Where the tetrahedron is longer than this, 0 to 0.999, nothing is computed: at 1 four points are on a line."""
    most_planarity: Annotated[float, Field(ge=0, le=MOST_FLAT)] = 0.9
    """Where the tetrahedron is flatter than this, 0 to 0.999, nothing is computed: at 1 four points are in a plane."""


FourPointT = TypeVar("FourPointT", bound=FourPointOptions)


@dataclass(frozen=True)
class Tetrahedra:
    """Positions in km, vectors k in km^-1, shape; all are NaN where a position is not known, k also where it is too flat."""

    points: tuple[Vector, ...]
    reciprocal: tuple[Vector, ...]
    elongation: Floats
    planarity: Floats
    is_fit: NDArray[np.bool_]


class OfFourPoints(ShippedOperation[FourPointT], Generic[FourPointT]):
    """An operation on something at four positions, at the times of the first."""

    measured: ClassVar[str]
    """Name of the inputs that are measured, without their number."""

    gives_reasons = True

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: FourPointT) -> Iterator[str]:
        """That the spacecraft are nearly in a plane or on a line, where no record is known."""
        if any(np.isfinite(result.columns[name]).any() for name in result.meta.data_names):
            return
        with np.errstate(all="ignore"):
            found = self._tetrahedra(inputs, options)
        is_flat = np.isfinite(found.points[0][0]) & ~found.is_fit
        if is_flat.any():
            long, flat = (float(each[np.argmax(is_flat)]) for each in (found.elongation, found.planarity))
            yield shape_words(long, flat, most=(options.most_elongation, options.most_planarity))

    def halo(self, options: FourPointT) -> tuple[timedelta, timedelta]:
        """The longer of max_gap and position_gap, on both sides."""
        reach = max(options.max_gap, options.position_gap)
        return reach, reach

    def _frame(self, inputs: Mapping[str, TableMeta]) -> str | None:
        """The frame of all positions and of all vectors that are measured.

        Raises
        ------
        ComputeError
            They differ.
        """
        kinds = {meta.kind for name, meta in inputs.items() if name.startswith(self.measured) and meta.columns}
        if len(kinds) > 1:
            hint = "Give the same quantity of each spacecraft."
            raise ComputeError(f"{self.id} takes four series or four vectors, not {' and '.join(sorted(kinds))}", hint=hint)
        frames = {name: meta.frame for name, meta in inputs.items() if meta.columns and meta.frame and meta.kind == "vector"}
        (first, frame), *others = frames.items() or [("", None)]
        for name, other in others:
            if other != frame:
                hint = "Bring all to one frame with the operation transform_frame."
                raise ComputeError(f"{first} is in the frame {frame}, {name} in {other}", hint=hint)
        return frame

    def _measured(self, inputs: Mapping[str, Table], options: FourPointT) -> list[list[Floats]]:
        """Columns of each spacecraft at the times of the first."""
        return [self._at_first(inputs, f"{self.measured}{point}", options.max_gap) for point in POINTS]

    def _tetrahedra(self, inputs: Mapping[str, Table], options: FourPointT) -> Tetrahedra:
        points = tuple(_vector(self._at_first(inputs, name, options.position_gap)) for name in POSITIONS)
        elongation, planarity = elongation_and_planarity(points)
        is_fit = (elongation <= options.most_elongation) & (planarity <= options.most_planarity)
        reciprocal = tuple(_vector(np.where(is_fit, each, np.nan) for each in k) for k in reciprocal_vectors(points))
        return Tetrahedra(points, reciprocal, elongation, planarity, is_fit)

    def _at_first(self, inputs: Mapping[str, Table], name: str, gap: timedelta) -> list[Floats]:
        first, table = inputs[next(iter(self.inputs))], inputs[name]
        if not len(table):
            return [np.full(len(first), np.nan) for _ in range(self._width(inputs, name))]
        columns = self._values(inputs, name)
        return columns if table is first else [values_near(first, table, each, "linear", duration_ns(gap)) for each in columns]

    def _width(self, inputs: Mapping[str, Table], name: str) -> int:
        """How many columns an input without records stands for."""
        return 3 if name in POSITIONS else len(self._values(inputs, next(iter(self.inputs))))

    @abstractmethod
    def _compute(self, inputs: Mapping[str, Table], options: FourPointT, meta: TableMeta) -> Table: ...


def finite(*columns: Floats) -> tuple[Floats, ...]:
    """Columns of one shape, each with NaN wherever one of them is not finite."""
    is_known = np.isfinite(np.stack(columns)).all(axis=0)
    return tuple(np.where(is_known, each, np.nan) for each in columns)


def _vector(columns: Iterable[Floats]) -> Vector:
    x, y, z = columns
    return x, y, z
