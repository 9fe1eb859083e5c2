"""How far Earth's dipole leans to the Sun: dipole_tilt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import numpy as np

from helio_dagster.compute.frame_axes import tilt_of_dipole
from helio_dagster.compute.operations.columns import scalar_meta
from helio_dagster.compute.operations.contract import NoOptions
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import Table, TableMeta


class DipoleTilt(ShippedOperation[NoOptions]):
    """Dipole tilt angle."""

    id = "dipole_tilt"
    version = 1
    summary = "Tilt of Earth's magnetic dipole: the angle of its axis from Z of GSM, positive where the north leans to the Sun."
    when = (
        "Use it to sort magnetospheric data by season and time of day. lin_magnetopause_distance and transform_frame compute "
        "it by themselves."
    )
    reference = (
        "sin psi = m . s, m the northern end of the dipole's axis by IGRF-14 (IAGA 2024, doi:10.5281/zenodo.14218973), s the "
        "direction to the Sun; both as in transform_frame (Hapgood 1992, doi:10.1016/0032-0633(92)90012-D)."
    )
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what gives the times; only whether it is valid counts")}
    output = "A series in deg, about -35 to 35, at the times of the input; NaN where none of its values is valid."
    options = NoOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(columns={"v": (1, None)}, start="2015-03-17T04:45", seconds=(0, 1))},
            expected={"result": (-11.1402, None)},
            unit="deg",
            relative=1e-3,
            source="sunpy 7.0.5: the axis of SolarMagnetic in GeocentricSolarMagnetospheric, with light time",
        ),
        Example(
            inputs={"series": ExampleTable(columns={"v": (0,)}, start="2003-06-21T17:00")},
            expected={"result": (33.7,)},
            unit="deg",
            relative=5e-3,
            source="near the solstice with the pole towards the Sun: 23.44 deg of the ecliptic and 10.3 of the dipole",
        ),
    )

    def halo(self, options: NoOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: NoOptions, name: str) -> TableMeta:
        del inputs, options
        return scalar_meta(name, label="Dipole tilt", unit="deg", frame=None, scale=TableMeta(kind="series", columns=()))

    def _compute(self, inputs: Mapping[str, Table], options: NoOptions, meta: TableMeta) -> Table:
        del options
        table = inputs["series"]
        is_valid = np.zeros(len(table), dtype=np.bool_)
        for values in self._values(inputs, "series"):
            is_valid |= np.isfinite(values)
        degrees = np.degrees(tilt_of_dipole(stamps_ns(table)))
        return Table(table.time, {meta.columns[0].name: np.where(is_valid, degrees, np.nan)}, meta)
