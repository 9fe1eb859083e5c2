"""How waves are polarized at each frequency, over a whole window: wave_polarization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.even_means import slot_means
from helio_dagster.compute.operations.arithmetic import shared_frame
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.coherence import FEWEST_SLOTS, MOST_SLOTS
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, curve_meta, curve_table, fact, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.spectral_matrix import field_aligned_axes, mean_spectral_matrix, wave_polarization_of
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import divide_units, raise_unit

FEWEST_SEGMENTS = 4
_FIELD = ("magnetic field",)


class WavePolarizationOptions(Options):
    """The grid and its segments."""

    cadence: Length | None = None
    """Length of the slots in which samples are averaged, an ISO 8601 duration such as PT0.1S; by default the median distance of
    valid samples."""
    segments: Annotated[int, Field(ge=FEWEST_SEGMENTS, le=10_000)] = 16
    """The window is divided into so many segments, 4 to 10000, between which others lie halfway: more of them give less scatter
    and a higher lowest frequency. Averages of few have a degree of polarization near 1 of noise too."""


class WavePolarization(WindowOperation[WavePolarizationOptions]):
    """Wave normal, ellipticity, planarity and degree of polarization over frequency."""

    id = "wave_polarization"
    version = 1
    of_one_spacecraft = ("field", "background")
    summary = "Polarization of waves over frequency: wave normal angle, ellipticity with its sense, planarity, degree, power."
    when = (
        "Use it over a range in which a wave lasts, such as EMIC or ULF waves, or chorus with search coils. Give with these "
        "the field of the fluxgate as background, because their own mean is not the field. Trust angle and ellipticity where "
        "power, planarity and degree of polarization are high. The segments divide the whole range or event, so that it has no "
        "course over partitions: give it events instead. For the power alone use power_spectrum."
    )
    reference = (
        "S_ij = <conj(B_i) B_j> over segments less their means under a Hann taper, half overlapping, in axes along the mean "
        "field. Singular values w1 >= w2 >= w3 of (Re S; Im S): ellipticity w2 / w1 with the sign of -Im S_12, planarity 1 - "
        "sqrt(w3 / w1), wave normal along the right singular vector of w3 (Santolik et al. 2003, doi:10.1029/2000RS002523); "
        "degree sqrt((3 tr S^2 / (tr S)^2 - 1) / 2) (Samson and Olson 1980, doi:10.1111/j.1365-246X.1980.tb04308.x)."
    )
    inputs = {
        "field": Input(("vector",), "the magnetic field with its waves", _FIELD, columns=3),
        "background": Input(
            ("vector",),
            "the field along which the axes lie, in the same frame; its mean counts",
            _FIELD,
            columns=3,
            is_optional=True,
        ),
    }
    output = (
        "A curve over frequency in Hz: power, degree_of_polarization and planarity 0 to 1, ellipticity -1 to 1 (positive: "
        "right-handed about the field, as electrons gyrate), wave_normal_angle to the field 0 to 90 deg (the sense of the wave "
        "normal is not known), azimuth -180 to 180 deg about the field from the x axis of the frame, number of segments. NaN "
        "without power, with fewer than 4 segments free of gaps; the wave normal also of a linear polarization. Without "
        "background, all that needs it is NaN where the mean field is less than the root of the mean square of its waves."
    )
    options = WavePolarizationOptions
    examples = (
        Example(
            inputs={
                "field": ExampleTable(
                    kind="vector",
                    unit="nT",
                    frame="GSE",
                    columns={"bx": (2, 0, -2, 0) * 16, "by": (0, 1, 0, -1) * 16, "bz": (9,) * 64},
                    seconds=tuple(range(64)),
                )
            },
            options={"segments": 8},
            expected={
                "frequency": (0.125, 0.25, 0.375),
                "degree_of_polarization": (1, 1, 1),
                "planarity": (1, 1, 1),
                "ellipticity": (0.5, 0.5, 0.5),
                "wave_normal_angle": (0, 0, 0),
                "segments": (15, 15, 15),
            },
            window=(0, 64),
            seconds=(0, 0, 0),
            units={"power": "nT^2 Hz^-1", "wave_normal_angle": "deg"},
            relative=1e-6,
            source="an ellipse of axes 2 and 1 nT from x to y, right-handed about z; the taper spreads it to neighbours",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: WavePolarizationOptions, name: str) -> TableMeta:
        del options
        meta = inputs["field"]
        if "background" in inputs and inputs["background"].columns:
            shared_frame(meta, inputs["background"], names=("field", "background"))
        unit = self.inputs["field"].used_columns(meta, operation_id=self.id)[0].unit or meta.unit
        columns = (
            *fact("power", "power of all components", divide_units(raise_unit(unit, 2), "Hz")),
            *fact("degree_of_polarization", "degree of polarization"),
            *fact("planarity", "planarity"),
            *fact("ellipticity", "ellipticity, positive right-handed"),
            *fact("wave_normal_angle", "angle of the wave normal to the field", "deg"),
            *fact("azimuth", "azimuth of the wave normal", "deg"),
            *count_column("segments", "number of segments"),
        )
        axis = ("frequency", BinAxis(label="Frequency", unit="Hz", scale="log"))
        return curve_meta(f"Polarization of {meta.label or name}", axis, columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: WavePolarizationOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        rows = np.array(self._values(inputs, "field"))
        rows[:, ~np.isfinite(rows).all(axis=0)] = np.nan
        is_valid = np.isfinite(rows[0])
        at = times_ns(inputs["field"])
        if is_valid.sum() < 2:
            return Table.empty(meta)
        known = at[is_valid]
        cadence_ns = int(np.median(np.diff(known))) if options.cadence is None else duration_ns(options.cadence)
        count = int(known[-1] - known[0]) // cadence_ns + 1
        segment = count // options.segments // 2 * 2
        if not segment >= FEWEST_SLOTS or count > MOST_SLOTS:
            raise ComputeError(
                f"{self.id}: a segment would hold {segment} slots of {cadence_ns / 1e9:g} s, not at least {FEWEST_SLOTS}, of "
                f"{count} in all, not up to {MOST_SLOTS}",
                hint="Give fewer segments, another cadence or a longer range.",
            )
        grid = np.stack([slot_means(at, each, int(known[0]), cadence_ns, count) for each in rows])
        matrix, segments = mean_spectral_matrix(grid, segment=segment, cadence_s=cadence_ns / 1e9)
        found = wave_polarization_of(matrix, field_aligned_axes(self._background(inputs, rows[:, is_valid])))
        if segments < FEWEST_SEGMENTS:
            found = {name: np.full(len(matrix), np.nan) for name in found}
        columns = {
            "frequency": np.arange(1, segment // 2) / (segment * cadence_ns / 1e9),
            **found,
            "segments": np.full(len(matrix), segments, dtype=np.int64),
        }
        return curve_table(window, columns, meta)

    def _background(self, inputs: Mapping[str, Table], rows: Floats) -> Floats:
        """The mean field along which the axes lie, shape (3,); NaN where it is not known."""
        if "background" in inputs:
            given = np.array(self._values(inputs, "background")) if len(inputs["background"]) else np.empty((3, 0))
            given = given[:, np.isfinite(given).all(axis=0)]
            return np.asarray(np.mean(given, axis=1)) if given.shape[1] else np.full(3, np.nan)
        mean = np.mean(rows, axis=1)
        waves = np.mean(np.sum((rows - mean[:, None]) ** 2, axis=0))
        return np.asarray(mean if np.sum(mean**2) >= waves else np.full(3, np.nan))
