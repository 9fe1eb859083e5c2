"""Current density from the magnetic field at four spacecraft: curlometer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.constants import VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.four_points import (
    POINTS,
    POSITIONS,
    RECIPROCAL,
    SHAPE,
    FourPointOptions,
    OfFourPoints,
    Tetrahedra,
    finite,
)
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.tetrahedron import Vector, barycentre, cross, dot
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta

_NA_M2_PER_NT_KM = 1e-3 / VACUUM_PERMEABILITY_H_PER_M
"""Current density in nA/m^2 of a curl of 1 nT/km."""
_RESULTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "current_density": ("Current density", "nA/m^2", ("jx", "jy", "jz")),
    "divergence": ("div B", "nT/km", ()),
    "quality": ("|div B| / |curl B|", "", ()),
    "error": ("Error of the current density", "nA/m^2", ()),
    "mean_field": ("Mean magnetic field", "nT", ("bx", "by", "bz")),
    "barycentre": ("Barycentre", "km", ("x", "y", "z")),
    "shape": ("Shape of the tetrahedron", "", ("elongation", "planarity")),
}
"""Label, unit, and columns where there are several."""


class CurlometerOptions(FourPointOptions):
    """How the spacecraft meet, how flat they may be, and what comes out."""

    result: Literal["current_density", "divergence", "quality", "error", "mean_field", "barycentre", "shape"] = (
        "current_density"
    )
    """current_density: curl B / mu_0. divergence: div B, which is 0 in nature. quality: |div B| / |curl B|, the smaller the
    better. error: standard deviation of the current density from `field_error_nt` alone. mean_field, barycentre: means of the
    four. shape: elongation and planarity, also where they are too large for the others."""
    field_error_nt: Annotated[float, Field(ge=0, le=1000)] = 0.1
    """Standard error of each component of the field between spacecraft, offsets included, in nT, 0 to 1000."""


def _corner(values: tuple[float, float, float], names: str = "xyz", **more: Any) -> ExampleTable:
    columns = {name: (value,) for name, value in zip(names, values, strict=True)}
    return ExampleTable(kind="vector", frame="GSE", columns=columns, **more)


_CORNERS = {
    f"position{point}": _corner(place, unit="km")
    for point, place in zip(POINTS, ((0, 0, 0), (100, 0, 0), (0, 100, 0), (0, 0, 100)), strict=True)
}
_FIELDS = {
    f"field{point}": _corner(field, unit="nT")
    for point, field in zip(POINTS, ((1, 2, 3), (1, 6, 5), (-1, 2, 3), (1, 5, 4.5)), strict=True)
}
_SOURCE = (
    "by hand: dBy/dx = 0.04, dBz/dx = 0.02, dBx/dy = -0.02, dBy/dz = 0.03, dBz/dz = 0.015 nT/km; 1 nT/km over mu_0 is "
    "795.7747 nA/m^2"
)


class Curlometer(OfFourPoints[CurlometerOptions]):
    """Current density by four spacecraft."""

    id = "curlometer"
    version = 1
    summary = "Curlometer: current density from the magnetic field of four spacecraft, with div B as a check of it."
    when = (
        "Use it with Cluster or MMS in a current sheet, magnetopause or flux rope that is larger than the tetrahedron. Look at "
        "its quality too: where div B is as large as curl B, the current is not known. For other quantities use gradient."
    )
    reference = (
        f"J = sum k_a x B_a / mu_0, div B = sum k_a . B_a (Dunlop et al. 1988, doi:10.1016/0273-1177(88)90141-X; Robert et al. "
        f"1998, ISSI SR-001, chapter 16). {RECIPROCAL} error: sqrt(2 sum |k_a|^2) field_error_nt / mu_0, the root of the mean "
        f"square of |dJ|; errors of positions do not count. {SHAPE}"
    )
    inputs = {
        **{
            f"field{point}": Input(
                ("vector",),
                "the magnetic field at spacecraft 1; it gives the times"
                if point == 1
                else f"the magnetic field at spacecraft {point}",
                ("magnetic field",),
                "nT",
                columns=3,
            )
            for point in POINTS
        },
        **POSITIONS,
    }
    output = (
        "At the times of field1, in the frame of the positions: a vector in nA/m^2; or a series of div B in nT/km, of the "
        "quality, a pure number, or of the error in nA/m^2; or a vector. NaN where a field or position has no valid samples "
        "near enough, and, but for the shape, where the tetrahedron is longer than most_elongation or flatter than "
        "most_planarity."
    )
    options = CurlometerOptions
    measured = "field"
    examples = (
        Example(
            inputs={**_FIELDS, **_CORNERS},
            expected={"jx": (-0.03 * 795.7747151,), "jy": (-0.02 * 795.7747151,), "jz": (0.06 * 795.7747151,)},
            unit="nA/m^2",
            relative=1e-9,
            source=_SOURCE,
        ),
        Example(
            inputs={**_FIELDS, **_CORNERS},
            options={"result": "quality"},
            expected={"result": (3 / 14,)},
            relative=1e-9,
            source=_SOURCE,
        ),
        Example(
            inputs={**_FIELDS, **_CORNERS, "position4": _corner((30, 30, 1), unit="km")},
            expected={"jx": (None,), "jy": (None,), "jz": (None,)},
            unit="nA/m^2",
            source="four points nearly in a plane",
        ),
        Example(
            inputs={**_FIELDS, **_CORNERS},
            options={"result": "error", "field_error_nt": 0.5},
            expected={"result": (np.sqrt(2 * (3 + 1 + 1 + 1)) * 0.5 / 100 * 795.7747151,)},
            unit="nA/m^2",
            relative=1e-9,
            source="by hand: k = (-1, -1, -1), (1, 0, 0), (0, 1, 0), (0, 0, 1) per 100 km",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: CurlometerOptions, name: str) -> TableMeta:
        frame = self._frame(inputs)
        label, unit, names = _RESULTS[options.result]
        columns = tuple(ColumnMeta(name=each, label=each, unit=unit) for each in names)
        if not columns:
            columns = (ColumnMeta(name=name, label=label, unit=unit),)
        is_in_space = len(columns) == 3
        kind: Kind = "vector" if names else "series"
        return TableMeta(kind=kind, columns=columns, label=label, unit=unit, frame=frame if is_in_space else None)

    def _compute(self, inputs: Mapping[str, Table], options: CurlometerOptions, meta: TableMeta) -> Table:
        with np.errstate(all="ignore"):
            tetrahedra = self._tetrahedra(inputs, options)
            fields: list[Vector] = [(x, y, z) for x, y, z in self._measured(inputs, options)]
            found = _found(tetrahedra, fields, options)
            if options.result != "shape":
                found = finite(*(np.where(tetrahedra.is_fit, each, np.nan) for each in found))
        return Table(inputs["field1"].time, dict(zip(meta.data_names, found, strict=True)), meta)


def _found(tetrahedra: Tetrahedra, fields: list[Vector], options: CurlometerOptions) -> tuple[Floats, ...]:
    k = tetrahedra.reciprocal
    match options.result:
        case "shape":
            return tetrahedra.elongation, tetrahedra.planarity
        case "barycentre":
            return barycentre(tetrahedra.points)
        case "mean_field":
            return barycentre(fields)
        case "error":
            squared = dot(k[0], k[0]) + dot(k[1], k[1]) + dot(k[2], k[2]) + dot(k[3], k[3])
            return (np.sqrt(2 * squared) * (options.field_error_nt * _NA_M2_PER_NT_KM),)
    divergence = divergence_of(k, fields)
    curl = curl_of(k, fields)
    match options.result:
        case "divergence":
            return (divergence,)
        case "quality":
            return (np.abs(divergence) / np.sqrt(dot(curl, curl)),)
    return tuple(each * _NA_M2_PER_NT_KM for each in curl)


def divergence_of(reciprocal: tuple[Vector, ...], vectors: list[Vector]) -> Floats:
    """Sum of k . B over four points, shape (record,), in the unit of `vectors` over the length unit of 1 / `reciprocal`."""
    first, second, third, fourth = (dot(k, each) for k, each in zip(reciprocal, vectors, strict=True))
    return first + second + third + fourth


def curl_of(reciprocal: tuple[Vector, ...], vectors: list[Vector]) -> Vector:
    """Sum of k x B over four points."""
    parts = [cross(k, each) for k, each in zip(reciprocal, vectors, strict=True)]
    x, y, z = (parts[0][axis] + parts[1][axis] + parts[2][axis] + parts[3][axis] for axis in range(3))
    return x, y, z
