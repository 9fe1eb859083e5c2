"""Where on the Sun the solar wind at a spacecraft comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from helio_dagster.compute.frame_axes import CARRINGTON_DEG_PER_DAY, GEOCENTRIC, HELIOCENTRIC
from helio_dagster.compute.frame_change import move_between
from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired, strength
from helio_dagster.compute.operations.plasma import SPEED
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import SUN_RADIUS_KM
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_DEG_PER_S = CARRINGTON_DEG_PER_DAY / 86_400


class SourceLongitudeOptions(MatchOptions):
    """Where the wind leaves the rotating Sun."""

    source_radius_rs: Annotated[float, Field(ge=0, le=100)] = 2.5
    """Distance from the Sun's centre to which the wind is followed back, in solar radii, 0 to 100."""


class SourceLongitude(Paired[SourceLongitudeOptions]):
    """Carrington longitude of the source of the wind."""

    id = "source_longitude"
    version = 1
    of_one_spacecraft = ("speed", "position")
    summary = "Carrington longitude that the solar wind at a spacecraft left, by ballistic mapping back to the Sun."
    when = (
        "Use it to set what a spacecraft measures beside maps of the corona, or to find two spacecraft in the same stream. It "
        "is good to about 10 deg: the wind is taken to have kept its speed, and the corona to turn as one body."
    )
    reference = (
        "phi_0 = phi + Omega (r - r_0) / V with r and phi of the spacecraft in the Carrington frame and Omega = 14.1844 deg "
        "per day (Nolte and Roelof 1973, Sol. Phys. 33, 241; the spiral is that of Parker 1958, doi:10.1086/146579)."
    )
    inputs = {
        "speed": SPEED,
        "position": Input(("vector",), "where the spacecraft is, in any frame but RTN", unit="km", columns=3),
    }
    output = (
        "A series in deg, 0 to 360, at the times of the speed; NaN where no position is near enough, the speed is 0, or the "
        "spacecraft is below r_0."
    )
    options = SourceLongitudeOptions
    examples = (
        Example(
            inputs={
                "speed": ExampleTable(unit="km/s", columns={"v": (400, 800, 0)}),
                "position": ExampleTable(
                    kind="vector",
                    unit="km",
                    frame="Carrington",
                    columns={"x": (0, 0, 0), "y": (149597870.7, -149597870.7, 1e8), "z": (0, 0, 0)},
                ),
            },
            options={"source_radius_rs": 0},
            expected={"result": (151.39919089, 300.69959545, None)},
            unit="deg",
            relative=1e-8,
            source="90 and 270 deg, and 14.1844 deg per day for 149597870.7 km at 400 and 800 km/s",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: SourceLongitudeOptions) -> dict[str, Any]:
        """And the frame of the position."""
        return super().plain_options(inputs, options) | {"position_frame": inputs["position"].frame}

    def _meta(self, inputs: Mapping[str, TableMeta], options: SourceLongitudeOptions, name: str) -> TableMeta:
        del options
        position = inputs["position"]
        if position.columns and position.frame not in (*GEOCENTRIC, *HELIOCENTRIC):
            known = f"is in {position.frame}" if position.frame else "does not say its frame"
            hint = f"Give a position in one of {', '.join((*GEOCENTRIC, *HELIOCENTRIC))}."
            raise ComputeError(f"the position {known}", hint=hint)
        label = "Source longitude"
        column = ColumnMeta(name=name, label=label, unit="deg")
        return TableMeta(kind="series", columns=(column,), label=label, unit="deg", frame="Carrington")

    def _compute(self, inputs: Mapping[str, Table], options: SourceLongitudeOptions, meta: TableMeta) -> Table:
        speed, table = inputs["speed"], inputs["position"]
        at_ns = speed.time.astype("datetime64[ns]").astype(np.int64)
        x, y, z = self._matched(inputs, "position", options)
        with np.errstate(all="ignore"):
            x, y, z = move_between((x, y, z), at_ns, table.meta.frame or "Carrington", "Carrington", unit_km=1.0)
            way_km = np.sqrt(x * x + y * y + z * z) - options.source_radius_rs * SUN_RADIUS_KM
            found = np.degrees(np.arctan2(y, x)) + _DEG_PER_S * way_km / strength(self._values(inputs, "speed"))
            found = np.where(np.isfinite(found) & (way_km >= 0), np.mod(found, 360.0), np.nan)
        return Table(speed.time, {meta.columns[0].name: found}, meta)
