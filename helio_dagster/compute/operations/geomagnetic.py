"""Earth's own field, and where a place is in that of a dipole: igrf_field, dipole_coordinates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from helio_dagster.compute.frame_axes import GEOCENTRIC
from helio_dagster.compute.frame_change import Columns, move_between, rotate_between
from helio_dagster.compute.igrf import igrf_geo_nt
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import EARTH_RADIUS_KM
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

POSITION = Input(("vector",), "where the spacecraft is, in a geocentric frame", ("position",), "km", columns=3)
_COORDINATES: dict[str, tuple[str, str]] = {
    "l_shell": ("L (dipole)", ""),
    "magnetic_latitude": ("Magnetic latitude", "deg"),
    "magnetic_local_time": ("Magnetic local time", "h"),
    "invariant_latitude": ("Invariant latitude", "deg"),
}
PlaceT = TypeVar("PlaceT", bound=Options)


class IgrfOptions(Options):
    """How much of the field counts."""

    degree: Annotated[int, Field(ge=1, le=13)] = 13
    """Highest degree of the expansion, 1 (the dipole alone) to 13."""


class CoordinateOptions(Options):
    """What comes out."""

    result: Literal["l_shell", "magnetic_latitude", "magnetic_local_time", "invariant_latitude"] = "l_shell"
    """l_shell: distance in R_E at which the dipole's line through the place crosses the equator. magnetic_latitude: from the
    dipole's equator, -90 to 90 deg. magnetic_local_time: 0 to 24 h, 12 towards the Sun. invariant_latitude: where the line
    meets the surface, 0 to 90 deg."""


class _OfPlace(ShippedOperation[PlaceT], Generic[PlaceT]):
    def halo(self, options: PlaceT) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def plain_options(self, inputs: Mapping[str, TableMeta], options: PlaceT) -> dict[str, Any]:
        """And the frame of the position."""
        return super().plain_options(inputs, options) | {"position_frame": position_frame(inputs["position"])}

    def _compute(self, inputs: Mapping[str, Table], options: PlaceT, meta: TableMeta) -> Table:
        table = inputs["position"]
        x, y, z = self._values(inputs, "position")
        with np.errstate(all="ignore"):
            found = np.stack(self._found((x, y, z), stamps_ns(table), position_frame(table.meta), options))
        is_known = np.isfinite(found).all(axis=0)
        columns = {name: np.where(is_known, each, np.nan) for name, each in zip(meta.data_names, found, strict=True)}
        return Table(table.time, columns, meta)

    @abstractmethod
    def _found(self, place: Columns, at_ns: NDArray[np.int64], frame: str, options: PlaceT) -> tuple[Floats, ...]:
        """Columns of the result for places in km."""


class IgrfField(_OfPlace[IgrfOptions]):
    """Field of the IGRF."""

    id = "igrf_field"
    version = 1
    summary = "Magnetic field of Earth's interior at a spacecraft, by the International Geomagnetic Reference Field (IGRF-14)."
    when = (
        "Use it to subtract Earth's own field from what a spacecraft in the inner magnetosphere or in low orbit measures, or "
        "to see where the two part. It has no currents outside Earth, which dominate beyond some 5 to 10 R_E."
    )
    reference = (
        "B = -grad V, V = a sum (a / r)^(n + 1) (g_nm cos m phi + h_nm sin m phi) P_nm(cos theta), n to 13, a = 6371.2 km, "
        "coefficients linear between epochs (IGRF-14, IAGA 2024, doi:10.5281/zenodo.14218973; Alken et al. 2021, "
        "doi:10.1186/s40623-020-01288-x)."
    )
    inputs = {"position": POSITION}
    output = (
        "A vector in nT at the times and in the frame of the position. NaN before 1955 and after 2030, below 0.99 R_E (6308 "
        "km), where the expansion does not hold, and where a component of the position is."
    )
    options = IgrfOptions
    examples = (
        Example(
            inputs={
                "position": ExampleTable(
                    kind="vector",
                    unit="km",
                    frame="GEO",
                    start="2020-01-01",
                    columns={"x": (6371.2, 0, 1000), "y": (0, 6371.2, 0), "z": (0, 0, 0)},
                )
            },
            options={"degree": 1},
            expected={"bx": (2 * -1451.37, 1451.37, None), "by": (-4653.35, 2 * 4653.35, None)},
            unit="nT",
            relative=1e-6,
            source="by hand: on the equator B_r = 2 g_11 at longitude 0, 2 h_11 at 90 deg, B_phi = -h_11 and g_11; none inside",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: IgrfOptions, name: str) -> TableMeta:
        del options, name
        columns = tuple(ColumnMeta(name=f"b{axis}", label=f"B{axis}", unit="nT") for axis in "xyz")
        return TableMeta(kind="vector", columns=columns, label="B of IGRF", unit="nT", frame=position_frame(inputs["position"]))

    def _found(self, place: Columns, at_ns: NDArray[np.int64], frame: str, options: IgrfOptions) -> tuple[Floats, ...]:
        x, y, z = move_between(place, at_ns, frame, "GEO", unit_km=1.0)
        is_outside = x * x + y * y + z * z >= (0.99 * EARTH_RADIUS_KM) ** 2
        bx, by, bz = (np.where(is_outside, each, np.nan) for each in igrf_geo_nt((x, y, z), at_ns, options.degree))
        return rotate_between((bx, by, bz), at_ns, "GEO", frame)


class DipoleCoordinates(_OfPlace[CoordinateOptions]):
    """L and magnetic latitude, by a dipole."""

    id = "dipole_coordinates"
    version = 1
    summary = (
        "L, magnetic latitude, magnetic local time or invariant latitude of a spacecraft, in the field of a centred dipole."
    )
    when = (
        "Use it to sort data of the inner magnetosphere, radiation belts and plasmasphere. Beyond some 6 R_E, and for drift "
        "shells, a dipole is only a first guess."
    )
    reference = (
        "L = r / (R_E cos^2 lambda), cos^2 Lambda = 1 / L, lambda the latitude in SM, MLT = (longitude in SM) / 15 + 12 h, R_E "
        "= 6371.2 km, the dipole centred and that of IGRF-14 (McIlwain 1961, doi:10.1029/JZ066i011p03681; Baumjohann and "
        "Treumann 1996, Basic Space Plasma Physics)."
    )
    inputs = {"position": POSITION}
    output = (
        "A series at the times of the position: a pure number, deg or h. NaN on the dipole's axis (L, MLT), and for an "
        "invariant latitude of what is below L = 1."
    )
    options = CoordinateOptions
    examples = (
        Example(
            inputs={
                "position": ExampleTable(
                    kind="vector",
                    unit="km",
                    frame="SM",
                    columns={"x": (6371.2, 0, 0), "y": (0, -12742.4, 0), "z": (6371.2 * 3**0.5, 0, 9000)},
                )
            },
            expected={"result": (8, 2, None)},
            relative=1e-9,
            source="by hand: 2 R_E at 60 deg, 2 / (1 / 4); 2 R_E on the equator; on the axis",
        ),
        Example(
            inputs={
                "position": ExampleTable(
                    kind="vector", unit="km", frame="SM", columns={"x": (9000, -9000, 0), "y": (0, 0, -9000), "z": (1, 2, 3)}
                )
            },
            options={"result": "magnetic_local_time"},
            expected={"result": (12, 0, 6)},
            unit="h",
            source="towards the Sun, away from it, and dawn",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: CoordinateOptions, name: str) -> TableMeta:
        position_frame(inputs["position"])
        label, unit = _COORDINATES[options.result]
        return TableMeta(
            kind="series", columns=(ColumnMeta(name=name, label=label, unit=unit),), label=label, unit=unit, frame=None
        )

    def _found(self, place: Columns, at_ns: NDArray[np.int64], frame: str, options: CoordinateOptions) -> tuple[Floats, ...]:
        x, y, z = move_between(place, at_ns, frame, "SM", unit_km=1.0)
        across = x * x + y * y
        shell = (across + z * z) * np.sqrt(across + z * z) / (across * EARTH_RADIUS_KM)
        match options.result:
            case "l_shell":
                return (shell,)
            case "magnetic_latitude":
                return (np.degrees(np.arctan2(z, np.sqrt(across))),)
            case "invariant_latitude":
                return (np.degrees(np.arccos(1 / np.sqrt(np.where(shell >= 1, shell, np.nan)))),)
        hours = np.mod(np.degrees(np.arctan2(y, x)) / 15 + 12, 24)
        return (np.where(across > 0, hours, np.nan),)


def position_frame(meta: TableMeta) -> str:
    """The frame of a position.

    Raises
    ------
    ComputeError
        It is not geocentric, or not known.
    """
    if meta.frame not in GEOCENTRIC:
        said = f"is in {meta.frame}" if meta.frame else "does not say its frame"
        hint = f"Give a position in one of {', '.join(GEOCENTRIC)}; transform_frame makes one."
        raise ComputeError(f"the position {said}", hint=hint)
    return meta.frame
