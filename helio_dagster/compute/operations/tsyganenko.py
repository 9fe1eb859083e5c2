"""The field of the magnetosphere by models of Tsyganenko, and feet of its lines: tsyganenko_field, foot_points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import Field

from helio_dagster.compute.frame_change import Columns
from helio_dagster.compute.magnetosphere import Drivers, external_field_nt, foot_points_km, total_field_nt
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.geomagnetic import POSITION, position_frame
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import matched
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.tsyganenko import require_geopack
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_DRIVERS = {"T89": ("kp",), "T96": ("pressure", "dst", "imf")}
_SOURCES = (
    "T89c (Tsyganenko 1989, doi:10.1016/0032-0633(89)90066-4) or T96 (Tsyganenko 1995, doi:10.1029/94JA03193) as in geopack "
    "1.0.13 (Tian et al., doi:10.5281/zenodo.15110786)"
)
_VALIDITY = (
    "NaN where T89 has a Kp not from 0 to 9 or a place beyond 70 R_E (it has no magnetopause: compare magnetopause_distance); "
    "where T96 has a place outside its magnetopause, a pressure not from 0.5 to 10 nPa, Dst not from -100 to 20 nT, or By or "
    "Bz beyond 10 nT"
)


class TsyganenkoOptions(Options):
    """Which model, and what drives it."""

    model: Literal["T89", "T96"] = "T89"
    """T89 takes Kp; T96 the inputs pressure, dst and imf."""
    fixed_kp: Annotated[float, Field(ge=0, le=9)] | None = None
    """Kp of T89 for all times, 0 to 9, in place of the input."""
    kp_factor: Literal[1, 10] = 1
    """What the values of the input kp are multiplied by: 10 in OMNI's hourly data."""
    tolerance: Length = timedelta(minutes=90)
    """Each position meets the nearest sample of the other inputs at most this far away, an ISO 8601 duration such as PT90M."""


class FieldOptions(TsyganenkoOptions):
    """And which field."""

    result: Literal["total", "external"] = "total"
    """total: with the field of the IGRF. external: that of the currents outside the Earth alone."""


class FootOptions(TsyganenkoOptions):
    """And which foot."""

    hemisphere: Literal["north", "south"] = "north"
    """Along the field to the north, or against it to the south."""
    altitude_km: Annotated[float, Field(ge=0, le=2000)] = 100.0
    """Altitude of the foot above a sphere of 6371.2 km, 0 to 2000."""
    result: Literal["latitude", "longitude", "position"] = "latitude"
    """Geocentric latitude or longitude (-180 to 180) in deg, or the position in GEO in km."""


OptionsT = TypeVar("OptionsT", bound=TsyganenkoOptions)


class _OfModel(ShippedOperation[OptionsT], Generic[OptionsT]):
    inputs = {
        "position": POSITION,
        "kp": Input(("series",), "the Kp index, for T89", columns=1, is_optional=True),
        "pressure": Input(
            ("series",),
            "the dynamic pressure of the solar wind, for T96",
            ("dynamic pressure", "pressure"),
            "nPa",
            columns=1,
            is_optional=True,
        ),
        "dst": Input(("series",), "Dst or SYM-H, for T96", unit="nT", columns=1, is_optional=True),
        "imf": Input(
            ("vector",),
            "the field of the solar wind, for T96: By and Bz count",
            ("magnetic field",),
            "nT",
            columns=3,
            frames=("GSM",),
            is_optional=True,
        ),
    }

    def halo(self, options: OptionsT) -> tuple[timedelta, timedelta]:
        """The tolerance on both sides; none where a Kp is fixed."""
        length = timedelta(0) if options.model == "T89" and options.fixed_kp is not None else options.tolerance
        return length, length

    def plain_options(self, inputs: Mapping[str, TableMeta], options: OptionsT) -> dict[str, Any]:
        """And the frame of the position."""
        return super().plain_options(inputs, options) | {"position_frame": position_frame(inputs["position"])}

    def _checked_frame(self, inputs: Mapping[str, TableMeta], options: OptionsT) -> str:
        """The frame of the position, after the inputs and options were found to go with the model; raises ComputeError."""
        require_geopack(self.id)
        given = {name for name in inputs if name != "position"}
        needed = set(_DRIVERS[options.model])
        if options.model == "T89" and options.fixed_kp is not None:
            needed.clear()
        if given - needed:
            named = " and ".join(sorted(given - needed))
            what = "the option fixed_kp" if options.fixed_kp is not None else options.model
            raise ComputeError(f"{self.id} with {what} takes no input {named}", hint="Leave it out, or choose the other model.")
        if needed - given:
            named = " and ".join(sorted(needed - given))
            hint = (
                "Give Kp as the input kp or as the option fixed_kp."
                if options.model == "T89"
                else "Give it, or choose model: T89."
            )
            raise ComputeError(f"{self.id} with {options.model} needs the input {named}", hint=hint)
        return position_frame(inputs["position"])

    def _drivers(self, inputs: Mapping[str, Table], options: OptionsT) -> Drivers:
        if options.fixed_kp is not None and options.model == "T89":
            return (np.full(len(inputs["position"]), options.fixed_kp),)
        given = {name: matched(self, inputs, name, options.tolerance) for name in _DRIVERS[options.model]}
        if options.model == "T89":
            return (given["kp"][0] / options.kp_factor,)
        return given["pressure"][0], given["dst"][0], given["imf"][1], given["imf"][2]

    def _compute(self, inputs: Mapping[str, Table], options: OptionsT, meta: TableMeta) -> Table:
        table = inputs["position"]
        x, y, z = self._values(inputs, "position")
        frame = position_frame(table.meta)
        with np.errstate(all="ignore"):
            found = np.stack(self._found((x, y, z), table, frame, self._drivers(inputs, options), options))
        is_known = np.isfinite(found).all(axis=0)
        columns = {name: np.where(is_known, each, np.nan) for name, each in zip(meta.data_names, found, strict=True)}
        return Table(table.time, columns, meta)

    @abstractmethod
    def _found(self, place: Columns, table: Table, frame: str, drivers: Drivers, options: OptionsT) -> tuple[Floats, ...]:
        """Columns of the result for places in km."""


_AT_PUBLISHED = ExampleTable(
    kind="vector",
    unit="km",
    frame="GSM",
    start="2001-01-01T02:03:04",
    columns={"x": (-5.1 * 6371.2, None), "y": (0.3 * 6371.2, 0), "z": (2.8 * 6371.2, 0)},
)


class TsyganenkoField(_OfModel[FieldOptions]):
    """Field of the magnetosphere."""

    id = "tsyganenko_field"
    version = 2
    summary = "Magnetic field of the magnetosphere at a spacecraft: the IGRF with Tsyganenko's T89 or T96."
    when = (
        "Use it to compare or subtract a model of the whole field, beyond the few R_E to which igrf_field suffices. T89 needs "
        "Kp alone; T96 the solar wind, but for no strong storms."
    )
    reference = f"{_SOURCES}, with the IGRF as igrf_field; tilt of the dipole and frames as dipole_tilt and transform_frame."
    output = f"A vector in nT at the times and in the frame of the position. {_VALIDITY}; below 0.99 R_E."
    options = FieldOptions
    examples = (
        Example(
            inputs={"position": _AT_PUBLISHED},
            options={"fixed_kp": 1, "result": "external"},
            expected={"bx": (20.7721329, None), "by": (-0.646554828, None), "bz": (-15.0716438, None)},
            unit="nT",
            relative=1e-3,
            source="the Fortran of T89 in the documentation of geopack, at a tilt that differs by 5e-5 rad",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: FieldOptions, name: str) -> TableMeta:
        del name
        frame = self._checked_frame(inputs, options)
        columns = tuple(ColumnMeta(name=f"b{axis}", label=f"B{axis}", unit="nT") for axis in "xyz")
        label = f"B of {options.model}" if options.result == "external" else f"B of {options.model} and IGRF"
        return TableMeta(kind="vector", columns=columns, label=label, unit="nT", frame=frame)

    def _found(self, place: Columns, table: Table, frame: str, drivers: Drivers, options: FieldOptions) -> tuple[Floats, ...]:
        field = external_field_nt if options.result == "external" else total_field_nt
        return field(options.model, place, stamps_ns(table), frame, drivers)


class FootPoints(_OfModel[FootOptions]):
    """Magnetic foot points."""

    id = "foot_points"
    version = 2
    summary = "Magnetic foot point of a spacecraft: where its field line meets the ionosphere, by T89 or T96 with the IGRF."
    when = (
        "Use it to compare a spacecraft in the magnetosphere with the ground, radars or low orbits. About 1 ms a place and "
        "hemisphere with T89, 50 ms with T96: resample positions to minutes first. For L alone use dipole_coordinates."
    )
    reference = (
        f"The line of the field of tsyganenko_field, {_SOURCES}, by steps of Dormand and Prince (1980, "
        "doi:10.1016/0771-050X(80)90013-3) with an error of 1e-6 R_E each."
    )
    output = (
        "A series in deg, or a vector in GEO in km, at the times of the position. NaN where the line is open or leaves where "
        f"the model holds, and where the place is below the altitude; the model is {_VALIDITY}."
    )
    options = FootOptions
    examples = (
        Example(
            inputs={"position": _AT_PUBLISHED},
            options={"fixed_kp": 1, "altitude_km": 637.12, "result": "position"},
            expected={"x": (1436.1, None), "y": (-1915.9, None), "z": (6586.6, None)},
            unit="km",
            relative=3e-4,
            source="the IDL of geopack, in the documentation of its Python: (-0.72185779, 0.032780279, 0.82936518) R_E in GSM, "
            "brought to GEO by transform_frame",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: FootOptions, name: str) -> TableMeta:
        self._checked_frame(inputs, options)
        side = "northern" if options.hemisphere == "north" else "southern"
        if options.result == "position":
            columns = tuple(ColumnMeta(name=axis, label=axis.upper(), unit="km") for axis in "xyz")
            return TableMeta(kind="vector", columns=columns, label=f"Position of the {side} foot point", unit="km", frame="GEO")
        label = f"{options.result.capitalize()} of the {side} foot point"
        column = ColumnMeta(name=name, label=label, unit="deg")
        return TableMeta(kind="series", columns=(column,), label=label, unit="deg")

    def _found(self, place: Columns, table: Table, frame: str, drivers: Drivers, options: FootOptions) -> tuple[Floats, ...]:
        is_north = options.hemisphere == "north"
        x, y, z = foot_points_km(
            options.model, place, stamps_ns(table), frame, drivers, is_north=is_north, altitude_km=options.altitude_km
        )
        if options.result == "latitude":
            return (np.degrees(np.arctan2(z, np.sqrt(x * x + y * y))),)
        return (np.degrees(np.arctan2(y, x)),) if options.result == "longitude" else (x, y, z)
