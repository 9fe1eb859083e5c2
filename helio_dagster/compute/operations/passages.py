"""When a boundary passes several spacecraft, and where they are then: what timings by two and by four share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import numpy as np
from pydantic import Field

from helio_dagster.compute.boundary_timing import columns_on_grid, passing_times, place_at
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import fact, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

MOST_SLOTS = 2**22
_FEWEST_SLOTS = 16
LAGS = (
    "Of series: t from the lags tau_ab of greatest correlation of all pairs, of vectors of all components together, as least "
    "squares sum (tau_ab - t_b + t_a)^2; sigma(tau) from the covariance of the correlation at two lags (Bartlett 1946, "
    "doi:10.2307/2983611), with half the autocovariance of the difference at the best lag as that of the noise, sigma_t^2 = "
    "<sigma(tau)^2> / 2."
)


class TimingOptions(Options):
    """When the boundary passes each spacecraft, or how its lags are found."""

    time_uncertainty: Length | None = None
    """One standard deviation of each time, an ISO 8601 duration such as PT0.2S; by default that of the lags, else unknown."""
    longest_lag: Length | None = None
    """Of series: longest lag that is tried, an ISO 8601 duration such as PT20S; by default a quarter of the range."""
    cadence: Length | None = None
    """Of series: step of the grid onto which they are interpolated, an ISO 8601 duration such as PT0.1S; by default the larger
    of the median distances of their samples."""
    least_correlation: Annotated[float, Field(ge=0, le=1)] = 0.7
    """Of series: nothing is computed where the best correlation of a pair is less than this, 0 to 1."""
    position_gap: Length = timedelta(minutes=15)
    """How far the nearest position may be from a passage, an ISO 8601 duration such as PT5M; the place at a passage is on the
    line through the two nearest."""


TimingT = TypeVar("TimingT", bound=TimingOptions)


class OfPassages(WindowOperation[TimingT], Generic[TimingT]):
    """When a structure passes several spacecraft, and where they are then."""

    count: ClassVar[int]

    def plain_options(self, inputs: Mapping[str, TableMeta], options: TimingT) -> dict[str, Any]:
        """And whether the inputs `crossing` are events."""
        is_event = any(meta.kind == "events" for name, meta in inputs.items() if name.startswith("crossing"))
        return {**super().plain_options(inputs, options), "is_event": is_event}

    def _frame(self, inputs: Mapping[str, TableMeta], options: TimingT) -> str | None:
        """The frame of the positions.

        Raises
        ------
        ComputeError
            The positions differ in it, or some of the crossings are missing or unlike each other.
        """
        given = {name: meta for name, meta in inputs.items() if name.startswith("crossing")}
        if len(given) < self.count and self._times(options) is None:
            hint = f"Give crossing1 to crossing{self.count}, series or events, or the option times."
            raise ComputeError(f"{self.id} has {len(given)} of {self.count} crossings", hint=hint)
        kinds = sorted({meta.kind for meta in given.values() if meta.columns})
        if len(kinds) > 1:
            hint = "Give the same quantity of each spacecraft, or an event list of each."
            raise ComputeError(f"{self.id} takes crossings of one kind, not {' and '.join(kinds)}", hint=hint)
        frames = {name: meta.frame for name, meta in inputs.items() if name.startswith("position") and meta.columns}
        for name, frame in frames.items():
            if frame != frames.get("position1", frame):
                hint = "Bring all positions to one frame with the operation transform_frame."
                raise ComputeError(f"position1 is in the frame {frames['position1']}, {name} in {frame}", hint=hint)
        return frames.get("position1")

    @abstractmethod
    def _times(self, options: TimingT) -> tuple[datetime, ...] | None: ...

    def _timed(
        self, inputs: Mapping[str, Table], options: TimingT, window: TimeRange
    ) -> tuple[Floats, Floats, float, dict[str, float]] | None:
        """Places in km, times after the first in s, their uncertainty in s, and what lags say; None where one is not known."""
        spread = np.nan if options.time_uncertainty is None else duration_ns(options.time_uncertainty) / 1e9
        about: dict[str, float] = {}
        moments: list[int | None]
        given = self._times(options)
        crossings = [inputs.get(f"crossing{place}") for place in range(1, self.count + 1)]
        if given is not None:
            moments = [_stamp(each) for each in given]
        elif crossings[0] is not None and crossings[0].meta.kind == "events":
            moments = [self._event_of(table, name) for name, table in inputs.items() if name.startswith("crossing")]
        else:
            start, stop = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in window.bounds_ns())
            found = self._lagged(inputs, options, (start, stop))
            if found is None:
                return None
            after, own, about = found
            spread = own if options.time_uncertainty is None else spread
            middle = start + (stop - start) // 2
            moments = [middle + round(float(each) * 1e9) for each in after - np.mean(after)]
        if len([each for each in moments if each is not None]) < self.count:
            return None
        at = [each for each in moments if each is not None]
        gap = duration_ns(options.position_gap)
        places = [
            place_at(moment, times_ns(inputs[name]), self._values(inputs, name), gap)
            if len(inputs[name])
            else np.full(3, np.nan)
            for moment, name in zip(at, [f"position{place}" for place in range(1, self.count + 1)], strict=True)
        ]
        if not np.isfinite(places).all():
            return None
        after_s = np.array([(moment - at[0]) / 1e9 for moment in at])
        delays = {f"delay{place}": float(each) for place, each in enumerate(after_s[1:], start=2)}
        return np.array(places), after_s, spread, {**delays, "time_uncertainty": spread, **about}

    def _event_of(self, table: Table, name: str) -> int | None:
        if len(table) > 1:
            hint = "Make the range shorter, or take the one that is meant with filter_events."
            raise ComputeError(f"{self.id}: {name} has {len(table)} events in the range, not one", hint=hint)
        return int(times_ns(table)[0]) if len(table) else None

    def _lagged(
        self, inputs: Mapping[str, Table], options: TimingT, edges: tuple[int, int]
    ) -> tuple[Floats, float, dict[str, float]] | None:
        """Times after the first and their uncertainty in s; None where the series do not go together."""
        names = [f"crossing{place}" for place in range(1, self.count + 1)]
        at = [times_ns(inputs[name]) for name in names]
        if min(len(each) for each in at) < 2:
            return None
        usual = max(int(np.median(np.diff(each))) for each in at)
        cadence = usual if options.cadence is None else duration_ns(options.cadence)
        slots = (edges[1] - edges[0]) // cadence
        most = slots // 4 if options.longest_lag is None else duration_ns(options.longest_lag) // cadence
        if not _FEWEST_SLOTS <= slots <= MOST_SLOTS or not 1 <= most <= slots // 2:
            hint = "Change the range, longest_lag or cadence."
            problem = f"{self.id}: lags up to {most} of {slots} samples of {cadence / 1e9:g} s"
            raise ComputeError(f"{problem} are not from 1 to half of {_FEWEST_SLOTS} to {MOST_SLOTS}", hint=hint)
        widths = {len(self._values(inputs, name)) for name in names}
        if len(widths) > 1:
            raise ComputeError(f"{self.id} takes crossings with as many columns", hint="Give the same quantity of each.")
        grids = [
            columns_on_grid(each, self._values(inputs, name), edges[0], cadence, slots)
            for each, name in zip(at, names, strict=True)
        ]
        after, spread, correlation, misfit = passing_times(grids, most)
        if not correlation >= options.least_correlation:
            return None
        slot_s = cadence / 1e9
        return after * slot_s, spread * slot_s, {"correlation": correlation, "lag_misfit": misfit * slot_s}

    def _shared_facts(self) -> list[ColumnMeta]:
        columns: list[ColumnMeta] = []
        for place in range(2, self.count + 1):
            columns += fact(f"delay{place}", f"how much later spacecraft {place} is passed than spacecraft 1", "s")
        columns += fact("time_uncertainty", "uncertainty of each time", "s")
        columns += fact("correlation", "least correlation of a pair at its lag")
        return [*columns, *fact("lag_misfit", "greatest difference between the lags of pairs and the times", "s")]


def passage_inputs(count: int) -> dict[str, Input]:
    """Positions and, as an option, crossings of so many spacecraft."""
    places = range(1, count + 1)
    return {
        **{
            f"position{place}": Input(
                ("vector",), f"where spacecraft {place} is, in the same frame as the others", ("position",), "km", columns=3
            )
            for place in places
        },
        **{
            f"crossing{place}": Input(
                ("series", "vector", "events"),
                f"what spacecraft {place} measures, a series or a vector, or a list with the event when the boundary passes it",
                is_optional=True,
            )
            for place in places
        },
    }


def _stamp(moment: datetime) -> int:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return int(np.datetime64(aware.astimezone(UTC).replace(tzinfo=None), "ns").astype(np.int64))
