"""Normal and speed of a boundary from when it passes several spacecraft: four_spacecraft_timing, two_spacecraft_timing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from helio_dagster.compute.boundary_timing import plane_of_four, speed_between
from helio_dagster.compute.operations.four_points import MOST_FLAT, SHAPE
from helio_dagster.compute.operations.passages import LAGS, OfPassages, TimingOptions, passage_inputs
from helio_dagster.compute.operations.results import fact, facts_meta, facts_table, uncertain_fact
from helio_dagster.compute.operations.timing_examples import FOUR_EXAMPLES, TWO_EXAMPLES
from helio_dagster.compute.tetrahedron import elongation_and_planarity, shape_words
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_EARTHWARD = {"GSE": (-1.0, 0.0, 0.0), "GSM": (-1.0, 0.0, 0.0)}
_OF_THE_SUN = ("HCI", "HEEQ", "HEE", "HAE", "HGI", "HCC", "CARRINGTON")


class FourTimingOptions(TimingOptions):
    """And how flat the tetrahedron may be."""

    times: tuple[datetime, datetime, datetime, datetime] | None = None
    """When the boundary passes each spacecraft, if this is known: four times such as 2002-03-30T13:11:40Z, in place of the
    inputs `crossing`."""
    most_elongation: Annotated[float, Field(ge=0, le=MOST_FLAT)] = 0.9
    """A tetrahedron that is longer than this, 0 to 0.999, is refused."""
    most_planarity: Annotated[float, Field(ge=0, le=MOST_FLAT)] = 0.9
    """A tetrahedron that is flatter than this, 0 to 0.999, is refused."""


class TwoTimingOptions(TimingOptions):
    """And along which normal."""

    times: tuple[datetime, datetime] | None = None
    """When the boundary passes each spacecraft, if this is known: two times, in place of the inputs `crossing`."""
    normal: tuple[float, float, float] | None = None
    """Normal of the boundary in the frame of the positions, of any length; by default radial: away from the Sun."""


class FourSpacecraftTiming(OfPassages[FourTimingOptions]):
    """Normal and speed of a plane."""

    id = "four_spacecraft_timing"
    version = 2
    count = 4
    summary = "Normal and speed of a boundary from when it passes four spacecraft, by their lags, events or given times."
    when = (
        "Use it with Cluster or MMS on a shock, magnetopause or current sheet that is flat over the tetrahedron and moves "
        "steadily. Choose a range that holds one crossing by all four. With two spacecraft use two_spacecraft_timing; for the "
        "normal from one use minimum_variance_frame."
    )
    reference = (
        "m = n / V = sum k_a t_a, with k_a the reciprocal vectors of the places at the times t_a; cov(m) = sigma_t^2 sum k_a "
        "k_a^T, sigma_V = V^2 sqrt(n cov n), sigma(angle) = V sqrt(trace cov - n cov n) (Schwartz 1998 and Harvey 1998, ISSI "
        f"SR-001, chapters 10 and 12). {LAGS} {SHAPE}"
    )
    inputs = passage_inputs(4)
    output = (
        "Facts: the normal, which points the way the boundary moves, in the frame of the positions, with its uncertainty in "
        "deg; speed in km/s in that frame; delays, correlation and misfit of the lags in s; elongation and planarity. NaN "
        "where a crossing or position is not known, and where the delays are within their uncertainty. A tetrahedron too long "
        "or flat is refused. A spacecraft with one position in the range counts as staying there."
    )
    options = FourTimingOptions
    examples = FOUR_EXAMPLES

    def _times(self, options: FourTimingOptions) -> tuple[datetime, ...] | None:
        return options.times

    def _meta(self, inputs: Mapping[str, TableMeta], options: FourTimingOptions, name: str) -> TableMeta:
        del name
        columns: list[ColumnMeta] = []
        for axis in "xyz":
            columns += fact(f"normal_{axis}", f"normal, {axis}")
        columns += fact("normal_uncertainty", "uncertainty of the normal", "deg")
        columns += [*uncertain_fact("speed", "speed along the normal", "km/s"), *self._shared_facts()]
        columns += [*fact("elongation", "elongation of the tetrahedron"), *fact("planarity", "planarity of the tetrahedron")]
        return facts_meta("Four-spacecraft timing", columns, frame=self._frame(inputs, options))

    def _compute_window(
        self, inputs: Mapping[str, Table], options: FourTimingOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        found = self._timed(inputs, options, window)
        if found is None:
            return facts_table(window, {}, meta)
        places, after_s, spread, about = found
        (long,), (flat,) = elongation_and_planarity([(each[:1], each[1:2], each[2:]) for each in places])
        are_known = bool(np.isfinite(places).all())
        if are_known and not (long <= options.most_elongation and flat <= options.most_planarity):
            hint = "Take a time when the spacecraft are farther from a plane, or two_spacecraft_timing with a normal."
            shape_said = shape_words(float(long), float(flat), most=(options.most_elongation, options.most_planarity))
            raise ComputeError(f"{self.id}: {shape_said}", hint=hint)
        shape = {"elongation": float(long), "planarity": float(flat)}
        return facts_table(window, {**about, **shape, **plane_of_four(places, after_s, spread)}, meta)


_ACROSS_WITHIN_DEG = 10.0
"""A separation this near to across the normal: an error of the normal of so many degrees would turn the sign of the speed."""


class TwoSpacecraftTiming(OfPassages[TwoTimingOptions]):
    """Speed along a normal."""

    id = "two_spacecraft_timing"
    version = 2
    count = 2
    summary = "Speed of a boundary along a given or the radial normal, from when it passes two spacecraft."
    when = (
        "Use it on a shock or discontinuity seen by two spacecraft, with the normal of minimum_variance_frame, "
        "shock_parameters or rankine_hugoniot. A separation nearly across the normal, an angle near 90 deg, makes it "
        "uncertain in a way that its uncertainty does not say: the normal counts as exact."
    )
    reference = (
        "V = (r_2 - r_1) n / (t_2 - t_1), r_a where spacecraft a is at t_a; sigma_V = |V| sqrt(2) sigma_t / |t_2 - t_1| "
        f"(Schwartz 1998, ISSI SR-001, chapter 10). {LAGS}"
    )
    inputs = passage_inputs(2)
    output = (
        "Facts: speed in km/s in the frame of the positions, negative against the normal, the normal, separation in km and its "
        "angle to the normal in deg, delay, correlation and misfit of the lags in s. NaN where a crossing or position is not "
        "known, and where the times differ by less than their uncertainty. The radial normal is -X in GSE and GSM, and in "
        "frames around the Sun the direction to spacecraft 1; elsewhere it is refused."
    )
    options = TwoTimingOptions
    examples = TWO_EXAMPLES

    gives_reasons = True

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: TwoTimingOptions) -> Iterator[str]:
        """That the spacecraft lie side by side as the boundary sees them."""
        del inputs, options
        angle_deg = float(result.columns["separation_angle"][0])
        if abs(angle_deg - 90) < _ACROSS_WITHIN_DEG:
            yield f"the spacecraft are apart across the normal ({angle_deg:.0f} deg), so that the speed along it says little"

    def plain_options(self, inputs: Mapping[str, TableMeta], options: TwoTimingOptions) -> dict[str, Any]:
        """And the normal of the frame; none where it is the direction to the first spacecraft."""
        return {**super().plain_options(inputs, options), "normal": self._normal(inputs["position1"].frame, options)}

    def _times(self, options: TwoTimingOptions) -> tuple[datetime, ...] | None:
        return options.times

    def _normal(self, frame: str | None, options: TwoTimingOptions) -> tuple[float, float, float] | None:
        """The normal that is given, or that of the frame; None where it follows from the place."""
        if options.normal is not None:
            if not np.linalg.norm(options.normal) > 0:
                raise ComputeError(f"{self.id}: normal has no length", hint="Give a vector such as [-0.8, 0.6, 0].")
            return options.normal
        name = (frame or "").upper()
        if name in _EARTHWARD or name in _OF_THE_SUN:
            return _EARTHWARD.get(name)
        hint = "Give the option normal, or positions in GSE, GSM or HCI."
        raise ComputeError(
            f"{self.id}: the radial direction is not known in the frame {frame or 'that is not named'}", hint=hint
        )

    def _meta(self, inputs: Mapping[str, TableMeta], options: TwoTimingOptions, name: str) -> TableMeta:
        del name
        frame = self._frame(inputs, options)
        if inputs["position1"].columns:
            self._normal(frame, options)
        columns = list(uncertain_fact("speed", "speed along the normal", "km/s"))
        for axis in "xyz":
            columns += fact(f"normal_{axis}", f"normal, {axis}")
        columns += [*fact("separation", "distance of the spacecraft", "km"), *fact("separation_angle", "its angle", "deg")]
        return facts_meta("Two-spacecraft timing", [*columns, *self._shared_facts()], frame=frame)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: TwoTimingOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        found = self._timed(inputs, options, window)
        if found is None:
            return facts_table(window, {}, meta)
        places, after_s, spread, about = found
        given = self._normal(meta.frame, options)
        normal = places[0] if given is None else np.array(given)
        normal = normal / np.linalg.norm(normal)
        axes = {f"normal_{axis}": float(each) + 0.0 for axis, each in zip("xyz", normal, strict=True)}
        return facts_table(window, {**about, **axes, **speed_between(places, after_s, normal, spread)}, meta)
