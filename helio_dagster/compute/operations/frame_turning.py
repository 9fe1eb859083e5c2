"""The vector of transform_frame along other axes, with the position or the attitude that these depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.attitudes import attitude_at, from_spacecraft, into_spacecraft
from helio_dagster.compute.field_aligned import along_field, east_of
from helio_dagster.compute.frame_axes import HELIOCENTRIC
from helio_dagster.compute.frame_change import Columns, hci_to_rtn, move_between, rotate_between, rtn_to_hci
from helio_dagster.compute.local_sums import find_windows
from helio_dagster.compute.operations.alignment import values_near
from helio_dagster.compute.operations.averages import mean_in_windows
from helio_dagster.compute.operations.columns import cartesian, floats
from helio_dagster.compute.operations.frame_checks import SPACECRAFT
from helio_dagster.compute.operations.frame_options import TransformFrameOptions
from helio_dagster.compute.time_matching import have_same_extent
from helio_dagster.domain.ephemeris import ATTITUDE_FRAME
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.record_times import middles_ns, stamps_ns
from helio_dagster.domain.table import Table

FIELD_SAMPLES = 2
"""Fewer valid samples of the field in a window than this give no axes: a sample has nothing across itself."""


@dataclass(frozen=True)
class Turning:
    """A vector's way to other axes.

    Parameters
    ----------
    inputs
        Of transform_frame.
    place_km
        The components of the input position in km, shape (record,) each; None without one.
    options
        Of transform_frame.
    source
        The frame that the vector is in.
    """

    inputs: Mapping[str, Table]
    place_km: Columns | None
    options: TransformFrameOptions
    source: str

    @property
    def at_ns(self) -> NDArray[np.int64]:
        """Times of the vector in ns since 1970, int64, shape (record,)."""
        return self.inputs["vector"].time.astype("datetime64[ns]").astype(np.int64)

    def turned(self, vector: Columns) -> Columns:
        """The vector along the axes of the other frame."""
        source, to = self.source, self.options.to
        if source == to:
            return vector
        if to == "MFA":
            return along_field(
                vector, self._mean_field(), self._direction(), is_second=self.options.perpendicular == "azimuthal"
            )
        if source == SPACECRAFT:
            vector, source = from_spacecraft(vector, self._attitude()), ATTITUDE_FRAME
        if to == SPACECRAFT:
            return into_spacecraft(self._between(vector, source, ATTITUDE_FRAME), self._attitude())
        return self._between(vector, source, to)

    def place(self, frame: str) -> Columns:
        """The position in km in a frame at the times of the vector, NaN where it is not known."""
        table, vector = self.inputs["position"], self.inputs["vector"]
        if not len(table) or self.place_km is None:
            unknown = np.full(len(vector), np.nan)
            return unknown, unknown, unknown
        gap_ns = duration_ns(self.options.position_gap or timedelta(0))
        x, y, z = (values_near(vector, table, values, "linear", gap_ns) for values in self.place_km)
        return move_between((x, y, z), self.at_ns, table.meta.frame or frame, frame, unit_km=1.0)

    def _between(self, vector: Columns, source: str, to: str) -> Columns:
        """A vector from one frame to another, neither being the axes of the spacecraft."""
        if "RTN" not in (source, to):
            return rotate_between(vector, self.at_ns, source, to)
        place = self.place("HCI")
        if source == "RTN":
            return rotate_between(rtn_to_hci(vector, place), self.at_ns, "HCI", to)
        return hci_to_rtn(rotate_between(vector, self.at_ns, source, "HCI"), place)

    def _attitude(self) -> NDArray[np.float64]:
        """The quaternions at the times of the vector, the middles of its records first, NaN where they are not known."""
        table, vector = self.inputs["attitude"], self.inputs["vector"]
        gap_ns = duration_ns(self.options.attitude_gap or timedelta(0))
        given = np.stack([floats(table, name) for name in table.meta.data_names])
        if have_same_extent(vector, table):
            return attitude_at(stamps_ns(vector), stamps_ns(table), given, gap_ns)
        known = middles_ns(table)
        found = attitude_at(middles_ns(vector), known, given, gap_ns)
        return np.where(np.isnan(found), attitude_at(stamps_ns(vector), known, given, gap_ns), found)

    def _mean_field(self) -> Columns:
        """The field averaged over the moving window, at the times of the vector, NaN where it is not known."""
        vector = self.inputs["vector"]
        table = self.inputs.get("field", vector)
        length_ns = duration_ns(self.options.average or timedelta(0))
        rows = np.stack([floats(table, column.name) for column in cartesian(table.meta, "transform_frame")])
        rows = np.where(np.isfinite(rows).all(axis=0), rows, np.nan)
        windows = find_windows(table.time, length_ns // 2, length_ns // 2, with_lower_edge=True)
        means = [mean_in_windows(windows, each, FIELD_SAMPLES) for each in rows]
        if table is not vector:
            means = [values_near(vector, table, each, "linear", length_ns) for each in means]
        return cast(Columns, tuple(means))

    def _direction(self) -> Columns:
        """Where the axis across the field points that `perpendicular` says."""
        which, none = self.options.perpendicular or "x", np.zeros(len(self.inputs["vector"]))
        if self.source == "RTN" and which in ("radial", "azimuthal"):
            which = "x" if which == "radial" else "y"
        match which:
            case "radial":
                return self.place(self.source)
            case "azimuthal":
                around = "HCI" if self.source in HELIOCENTRIC else "SM"
                return rotate_between(east_of(self.place(around)), self.at_ns, around, self.source)
            case _:
                return none + (which == "x"), none + (which == "y"), none + (which == "z")
