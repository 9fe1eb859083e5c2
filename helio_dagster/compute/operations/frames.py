"""Vectors, positions and velocities from one coordinate frame to another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np

from helio_dagster.compute.frame_change import move_between, velocity_between
from helio_dagster.compute.operations.columns import cartesian
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.field_aligned import check_field_aligned, field_aligned_meta
from helio_dagster.compute.operations.frame_checks import (
    FIELD_ALIGNED,
    SPACECRAFT,
    axes_of,
    check_attitude,
    check_position,
    check_quantity,
    frame_or_axes,
    origins_differ,
    quantity_of,
    source_frame,
)
from helio_dagster.compute.operations.frame_labels import relabelled
from helio_dagster.compute.operations.frame_options import TransformFrameOptions
from helio_dagster.compute.operations.frame_turning import Turning
from helio_dagster.compute.operations.frame_units import length_km, speed_km_s, unit_of
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.ephemeris import AXES_OF_SPACECRAFT
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta


class TransformFrame(ShippedOperation[TransformFrameOptions]):
    """A vector in another coordinate frame."""

    id = "transform_frame"
    version = 2
    of_one_spacecraft = ("vector", "position", "attitude", "field")
    summary = (
        "A vector, position or velocity between geocentric and heliocentric frames, RTN and the axes of a spacecraft; a vector "
        "along and across the averaged field (MFA)."
    )
    when = (
        "Use it to turn a field in GSE into GSM, for example to study its coupling to the magnetosphere, or a field in RTN "
        "into GSE, or to part waves into compressional and transverse ones (MFA). RTN needs the spacecraft's position, its own "
        "axes (SC) its attitude. For fixed rotations use rotate."
    )
    reference = (
        "Geocentric: J2000 (axes of the ICRF), GEI (mean equator and equinox of date), GEO, MAG, GSE, GSM, SM. Heliocentric: "
        "HCI, HAE (ecliptic and equinox of J2000), HEE, HEEQ, Carrington. Definitions of Fränz and Harper 2002 "
        "(doi:10.1016/S0032-0633(01)00119-2); RTN has T along the cross product of the Sun's axis and R. SC by "
        "the quaternions of attitude kernels, between them by spherical interpolation (Shoemake 1985, "
        "doi:10.1145/325165.325242). MFA: the third axis along the centred moving average of the field (Regi et al. 2016, "
        "doi:10.4401/ag-7067), the first and second across it, right-handed. Earth's place, precession and nutation are the "
        "IAU's (SOFA: epv00, IAU 2006/2000A), the Sun's axis and meridian those of Archinal et al. 2018 "
        "(doi:10.1007/s10569-017-9805-5), the dipole that of IGRF-14 (IAGA 2024, doi:10.5281/zenodo.14218973). "
        "Within 1e-6 rad of sunpy and astropy, apart from this: UT1 is taken to be UTC and the pole of the Earth is not moved "
        "(up to 7e-5 rad in GEO, MAG, GSM and SM); directions are geometric, without light time and aberration (1e-4 rad in "
        "sunpy's GSM and SM, 1.4e-3 rad in the Carrington longitude that an observer on Earth sees)."
    )
    inputs = {
        "vector": Input(("vector",), "a vector (field, position or velocity), in any unit", columns=3),
        "position": Input(
            ("vector",),
            "where the spacecraft is, in any frame but RTN; for RTN, for a velocity, and for some axes of MFA",
            unit="km",
            columns=3,
            is_optional=True,
        ),
        "attitude": Input(
            ("vector",),
            "how the spacecraft is turned, fetched with parameter: attitude; for SC, the axes of the spacecraft",
            columns=4,
            is_optional=True,
        ),
        "field": Input(
            ("vector",),
            "to MFA: the field that is averaged, in the frame of the vector; by default the vector itself",
            columns=3,
            is_optional=True,
        ),
    }
    output = (
        "A vector of the same unit in the new frame, at the same times; NaN where a component is, and where a position "
        "or attitude that is needed is not known. In MFA two components across the field (radial and azimuthal, where those "
        "are asked for) and the parallel one; NaN also where the window has fewer than 2 valid samples of the field, and where "
        "the field is less than 1 deg from what the other axes follow."
    )
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
        Example(
            inputs={
                "vector": ExampleTable(kind="vector", unit="nT", frame="RTN", columns={"br": (1,), "bt": (2,), "bn": (3,)}),
                "position": ExampleTable(kind="vector", unit="km", frame="HCI", columns={"x": (0,), "y": (2e7,), "z": (0,)}),
            },
            options={"to": "HCI", "position_gap": "PT1M"},
            expected={"br": (-2,), "bt": (1,), "bn": (3,)},
            unit="nT",
            source="by hand: on the y axis of HCI, R is y, T is -x and N is z",
        ),
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="SC",
                    columns={"bx": (1, 1), "by": (2, 2), "bz": (3, 3)},
                    seconds=(0, 30),
                ),
                "attitude": ExampleTable(
                    kind="vector",
                    frame="J2000",
                    attributes={AXES_OF_SPACECRAFT: "SPP_SPACECRAFT"},
                    columns={"q0": (1, 0), "q1": (0, 0), "q2": (0, 0), "q3": (0, 1)},
                    seconds=(0, 60),
                ),
            },
            options={"to": "J2000", "attitude_gap": "PT1M"},
            expected={"bx": (1, 2), "by": (2, -1), "bz": (3, 3)},
            seconds=(0, 30),
            unit="nT",
            source="by hand: half a turn about z in a minute, a quarter after 30 s, when x of J2000 is y of the spacecraft",
        ),
        Example(
            inputs={
                "vector": ExampleTable(
                    kind="vector", unit="nT", frame="GSE", columns={"bx": (1, -1, 0), "by": (2, 2, 0), "bz": (5, 5, 9)}
                ),
            },
            options={"to": "MFA", "average": "PT4M", "perpendicular": "y"},
            expected={
                "perpendicular_1": tuple((19 * y - 4 * z) / math.sqrt(377) for y, z in ((2, 5), (2, 5), (0, 9))),
                "perpendicular_2": (-1, 1, 0),
                "parallel": tuple((4 * y + 19 * z) / math.sqrt(377) for y, z in ((2, 5), (2, 5), (0, 9))),
            },
            unit="nT",
            source="by hand: the mean field is along (0, 4, 19), the axis across it nearest to y is (0, 19, -4), the other -x",
        ),
    )

    def halo(self, options: TransformFrameOptions) -> tuple[timedelta, timedelta]:
        """The greatest of position_gap, attitude_gap and one and a half times average on both sides, nothing without them."""
        none = timedelta(0)
        averaged = duration_from_ns(3 * duration_ns(options.average or none) // 2 + 1) if options.average else none
        reach = max(options.position_gap or none, options.attitude_gap or none, averaged)
        return reach, reach

    def plain_options(self, inputs: Mapping[str, TableMeta], options: TransformFrameOptions) -> dict[str, Any]:
        """Both frames, what the vector is, the position's frame, and the factors of the units."""
        meta = inputs["vector"]
        source, unit = frame_or_axes(meta, options, inputs.get("attitude")), unit_of(meta)
        quantity = quantity_of(meta, options)
        found: dict[str, Any] = {"source": source, "to": options.to, "quantity": quantity}
        if quantity == "position":
            found["unit_km"] = length_km(unit, needed=origins_differ(source, options.to))
        if quantity == "velocity":
            found["unit_km_per_s"] = speed_km_s(unit)
        if "position" in inputs:
            found["position_frame"] = inputs["position"].frame
            found["position_gap"] = options.model_dump(mode="json")["position_gap"]
        if "attitude" in inputs:
            found["attitude_gap"] = options.model_dump(mode="json")["attitude_gap"]
        if options.to == FIELD_ALIGNED:
            found["average"] = options.model_dump(mode="json")["average"]
            found["perpendicular"] = options.perpendicular or "x"
        return found

    def _meta(self, inputs: Mapping[str, TableMeta], options: TransformFrameOptions, name: str) -> TableMeta:
        meta, attitude = inputs["vector"], inputs.get("attitude")
        check_field_aligned(inputs, options)
        if options.to == FIELD_ALIGNED:
            return field_aligned_meta(meta, options, name)
        source = source_frame(meta, options, attitude)
        check_quantity(meta, source, options)
        check_position(inputs.get("position"), source, options, quantity_of(meta, options))
        check_attitude(attitude, source, options)
        given, new = meta.frame or source, (axes_of(attitude) or options.to) if options.to == SPACECRAFT else options.to
        columns = tuple(
            ColumnMeta(name=column.name, label=relabelled(column, given, new), unit=column.unit or meta.unit)
            for column in cartesian(meta, self.id)
        )
        label = meta.label.replace(given, new) if given in meta.label else f"{meta.label} {new}".strip()
        return TableMeta(kind="vector", columns=columns, label=label, unit=meta.unit, frame=new)

    def _compute(self, inputs: Mapping[str, Table], options: TransformFrameOptions, meta: TableMeta) -> Table:
        table = inputs["vector"]
        x, y, z = self._values(inputs, "vector")
        attitude = inputs["attitude"].meta if "attitude" in inputs else None
        source = frame_or_axes(table.meta, options, attitude)
        place = self._values(inputs, "position") if "position" in inputs else None
        turning = Turning(inputs, (place[0], place[1], place[2]) if place else None, options, source)
        with np.errstate(all="ignore"):  # an infinite component makes the vector NaN
            match quantity_of(table.meta, options) if source != options.to else "vector":
                case "position":
                    unit_km = length_km(unit_of(table.meta), needed=origins_differ(source, options.to))
                    found = move_between((x, y, z), turning.at_ns, source, options.to, unit_km=unit_km)
                case "velocity":
                    per_s = 1 / speed_km_s(unit_of(table.meta))
                    moving, at_ns = turning.place(source), turning.at_ns
                    found = velocity_between((x, y, z), moving, at_ns, source, options.to, per_s=per_s, unit_km=1.0)
                case _:
                    found = turning.turned((x, y, z))
        return Table(table.time, dict(zip(meta.data_names, found, strict=True)), meta)
