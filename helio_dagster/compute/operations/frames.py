"""Vectors from one geocentric frame to another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import numpy as np

from helio_dagster.compute.geocentric import CHAIN, rotate_between
from helio_dagster.compute.operations.columns import cartesian
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

GeocentricFrame = Literal["GEI", "GEO", "GSE", "GSM", "SM"]


class TransformFrameOptions(Options):
    """From where to where."""

    to: GeocentricFrame
    """Frame of the result."""
    source: GeocentricFrame | None = None
    """Frame of the vector, where its data do not say; where they do, it must be the same."""


class TransformFrame(ShippedOperation[TransformFrameOptions]):
    """A vector in another geocentric frame."""

    id = "transform_frame"
    version = 1
    summary = "A vector rotated between the geocentric frames GEI, GEO, GSE, GSM and SM."
    when = (
        "Use it to turn a field in GSE into GSM, for example to study its coupling to the magnetosphere. For fixed "
        "rotations use rotate."
    )
    reference = (
        "Rotations by Greenwich sidereal time, the Sun's ecliptic longitude, the obliquity and the dipole's direction "
        "(Hapgood 1992, doi:10.1016/0032-0633(92)90012-D; about 0.01 deg, equator and equinox of date) with the dipole "
        "of IGRF-14 "
        "(IAGA 2024, doi:10.5281/zenodo.14218973)."
    )
    inputs = {
        "vector": Input(("vector",), "a vector (field, velocity, or position from Earth's centre), in any unit", columns=3)
    }
    output = "A vector of the same unit in the new frame, at the same times; NaN where a component is."
    options = TransformFrameOptions
    examples = (
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    start="2015-03-17T04:45",
                    columns={"bx": (1,), "by": (2,), "bz": (3,)},
                )
            },
            options={"to": "GSM"},
            expected={"bx": (1.0,), "by": (0.60742,), "bz": (3.554018,)},
            unit="nT",
            relative=2e-4,
            source="geopack 1.0.13 (Tsyganenko's routines), gsmgse, with the dipole of IGRF-14",
        ),
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    start="2003-10-29T06:11",
                    columns={"bx": (1,), "by": (2,), "bz": (3,)},
                )
            },
            options={"to": "GEO"},
            expected={"bx": (-2.690453,), "by": (1.803072,), "bz": (1.873605,)},
            unit="nT",
            relative=2e-4,
            source="geopack 1.0.13 (Tsyganenko's routines), gsmgse and geogsm, with the dipole of IGRF-14",
        ),
    )

    def halo(self, options: TransformFrameOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def plain_options(self, inputs: Mapping[str, TableMeta], options: TransformFrameOptions) -> dict[str, Any]:
        """Both frames."""
        return {"source": _source_frame(inputs["vector"], options), "to": options.to}

    def _meta(self, inputs: Mapping[str, TableMeta], options: TransformFrameOptions, name: str) -> TableMeta:
        del name
        meta = inputs["vector"]
        source = _source_frame(meta, options)
        columns = tuple(
            ColumnMeta(name=column.name, label=_relabelled(column, source, options.to), unit=column.unit or meta.unit)
            for column in cartesian(meta, self.id)
        )
        label = meta.label.replace(source, options.to) if source in meta.label else f"{meta.label} {options.to}".strip()
        return TableMeta(kind="vector", columns=columns, label=label, unit=meta.unit, frame=options.to)

    def _compute(self, inputs: Mapping[str, Table], options: TransformFrameOptions, meta: TableMeta) -> Table:
        table = inputs["vector"]
        x, y, z = self._values(inputs, "vector")
        with np.errstate(all="ignore"):  # an infinite component makes the vector NaN
            rotated = rotate_between((x, y, z), table.time, _source_frame(table.meta, options), options.to)
        return Table(table.time, dict(zip(meta.data_names, rotated, strict=True)), meta)


def _source_frame(meta: TableMeta, options: TransformFrameOptions) -> str:
    """The frame that the vector is in.

    Raises
    ------
    ComputeError
        It is unknown, is said twice and differently, or is none that can be rotated without positions.
    """
    known, said = meta.frame, options.source
    if known is not None and said is not None and known != said:
        raise ComputeError(f"the vector is in {known}, not in {said}", hint="Leave out the option source.")
    frame = known or said
    if frame is None:
        hint = f"Say which it is with the option source: {', '.join(CHAIN)}."
        raise ComputeError("the vector's frame is not known", hint=hint)
    if frame not in CHAIN:
        hint = (
            f"Fetch the vector in one of {', '.join(CHAIN)}; {frame} depends on where the spacecraft, a planet or the Sun's "
            f"equator "
            "is, which needs an ephemeris. A rotation that you know can be given to the operation rotate."
        )
        raise ComputeError(f"transform_frame cannot rotate from {frame} to {options.to}", hint=hint)
    return frame


def _relabelled(column: ColumnMeta, source: str, target: str) -> str:
    label = column.label or column.name
    return label.replace(source, target) if source in label else f"{label} {target}"
