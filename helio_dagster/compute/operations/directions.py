"""Angles of vectors: between two, and against the axes of their frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Literal

import numpy as np

from helio_dagster.compute.operations.arithmetic import MatchOptions, shared_frame
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired, strength
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

DEGREES = "deg"


class AngleOptions(MatchOptions):
    """How the two meet, and in which plane."""

    plane: Literal["all", "xy", "yz", "zx"] = "all"
    """all: the angle in space. xy, yz, zx: that between their projections on this plane of their frame, as a difference of
    longitudes is in xy."""


class AngleBetween(Paired[AngleOptions]):
    """Angle between two vectors."""

    id = "angle_between"
    version = 1
    summary = "Angle between two vectors, 0 to 180 degrees, in space or in a plane of their frame."
    when = (
        "Use it to get the shear between two fields, or the angle between a field and a flow or normal; with `plane`, how far "
        "two positions are apart in longitude."
    )
    reference = (
        "angle = atan2(|a x b|, a . b), which keeps its digits near 0 and 180 deg "
        "(Kahan 2006, How Futile are Mindless Assessments of Roundoff, section 12)."
    )
    inputs = {
        "a": Input(("vector",), "what gives the times", columns=3),
        "b": Input(("vector",), "in the same frame; any unit", columns=3),
    }
    output = "A series in deg at the times of a; NaN where b has no valid sample near enough, or a vector has no length."
    options = AngleOptions
    examples = (
        Example(
            inputs={
                "a": ExampleTable(kind="vector", columns={"x": (1, 1), "y": (0, 0), "z": (0, 5)}),
                "b": ExampleTable(kind="vector", columns={"x": (1, 0), "y": (1, 0), "z": (7, 1)}),
            },
            options={"plane": "xy"},
            expected={"result": (45, None)},
            unit=DEGREES,
            source="by hand; along z nothing is left in the plane",
        ),
        Example(
            inputs={
                "a": ExampleTable(kind="vector", columns={"x": (1, 1, 0), "y": (0, 0, 0), "z": (0, 0, 0)}),
                "b": ExampleTable(kind="vector", columns={"x": (0, -2, 1), "y": (3, 2, 0), "z": (0, 0, 0)}),
            },
            expected={"result": (90, 135, None)},
            unit=DEGREES,
            source="by hand; a vector without length has no direction",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: AngleOptions, name: str) -> TableMeta:
        del options
        if inputs["b"].columns:
            shared_frame(inputs["a"], inputs["b"])
        return _angle_meta(name, "Angle", None)

    def _compute(self, inputs: Mapping[str, Table], options: AngleOptions, meta: TableMeta) -> Table:
        kept = [1.0 if options.plane == "all" or axis in options.plane else 0.0 for axis in "xyz"]
        (ax, ay, az), (bx, by, bz) = (
            [values * share for values, share in zip(self._matched(inputs, name, options), kept, strict=True)]
            for name in ("a", "b")
        )
        with np.errstate(all="ignore"):
            across = strength([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
            along = ax * bx + ay * by + az * bz
        is_known = (across > 0) | (along != 0)
        values = np.where(is_known, np.degrees(np.arctan2(across, along)), np.nan)
        return Table(inputs["a"].time, {meta.columns[0].name: values}, meta)


class DirectionOptions(Options):
    """Which angle."""

    angle: Literal["latitude", "longitude", "clock", "cone"]
    """latitude: from the xy plane to z, -90 to 90 (elevation). longitude: in the xy plane from x towards y (azimuth).
    clock: in the yz plane from z towards y. cone: from x, 0 to 180. All in degrees."""
    full_circle: bool = False
    """Longitude and clock angle from 0 to 360 instead of from -180 to 180."""


class Direction(ShippedOperation[DirectionOptions]):
    """One angle of a vector's direction."""

    id = "direction"
    version = 1
    summary = "Latitude, longitude, clock or cone angle of a vector in its frame."
    when = "Use it to look for the rotation of a magnetic cloud, the clock angle of the IMF, or sector boundaries (longitude)."
    reference = (
        "latitude = atan2(z, sqrt(x^2 + y^2)); longitude = atan2(y, x); clock = atan2(y, z), 0 northward and 90 towards +y; "
        "cone = atan2(sqrt(y^2 + z^2), x) (King and Papitashvili 2005, doi:10.1029/2004JA010649, for latitude and longitude; "
        "Milan et al. 2012, doi:10.1029/2011JA017082, for the clock angle)."
    )
    inputs = {"vector": Input(("vector",), "the vector to take the direction of; any unit", columns=3)}
    output = "A series in deg, in the vector's frame and at its times; NaN where the direction is not defined."
    options = DirectionOptions
    examples = (
        Example(
            inputs={"vector": ExampleTable(kind="vector", columns={"x": (1, 0, 0), "y": (1, -2, 0), "z": (0, 2, 0)})},
            options={"angle": "clock", "full_circle": True},
            expected={"result": (90, 315, None)},
            unit=DEGREES,
            source="by hand",
        ),
        Example(
            inputs={"vector": ExampleTable(kind="vector", columns={"x": (1, 0, -3), "y": (0, 2, -4), "z": (1, -2, 0)})},
            options={"angle": "latitude"},
            expected={"result": (45, -45, 0)},
            unit=DEGREES,
            source="by hand",
        ),
    )

    def halo(self, options: DirectionOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: DirectionOptions, name: str) -> TableMeta:
        word = options.angle if options.angle in ("latitude", "longitude") else f"{options.angle} angle"
        label = f"{inputs['vector'].label} {word}".strip()
        return _angle_meta(name, label, inputs["vector"].frame)

    def _compute(self, inputs: Mapping[str, Table], options: DirectionOptions, meta: TableMeta) -> Table:
        with np.errstate(all="ignore"):
            up, along = _LEGS[options.angle](*self._values(inputs, "vector"))
            values = np.degrees(np.arctan2(up, along))
        if options.full_circle and options.angle in ("longitude", "clock"):
            values = np.where(values < 0, values + 360.0, values)
        values = np.where((up != 0) | (along != 0), values, np.nan)
        return Table(inputs["vector"].time, {meta.columns[0].name: values}, meta)


_LEGS: dict[str, Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]] = {
    "latitude": lambda x, y, z: (z, np.sqrt(x * x + y * y)),
    "longitude": lambda x, y, z: (y + 0.0 * z, x),
    "clock": lambda x, y, z: (y + 0.0 * x, z),
    "cone": lambda x, y, z: (np.sqrt(y * y + z * z), x),
}
"""Angle to the two legs of its triangle; a component that does not count makes it NaN all the same."""


def _angle_meta(name: str, label: str, frame: str | None) -> TableMeta:
    column = ColumnMeta(name=name, label=label, unit=DEGREES)
    return TableMeta(kind="series", columns=(column,), label=label, unit=DEGREES, frame=frame)
