"""Local maxima and minima of a series."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, fact, times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta


class ExtremaOptions(Options):
    """Which extrema, and how much they must stand out."""

    which: Literal["maxima", "minima", "both"] = "maxima"
    """Maxima, minima, or both."""
    prominence: Annotated[float, Field(ge=0)] = 0.0
    """An extremum must stand out by more than this, in the unit of the series: so far the series must go down (for a minimum:
    up)
    on either side before it goes beyond the extremum."""
    reach: Length = timedelta(hours=6)
    """How far on either side this is checked, an ISO 8601 duration such as PT6H."""
    apart: Length | None = None
    """An extremum must be the greatest (least) of all samples up to this far on either side, an ISO 8601 duration such as
    PT1H."""


class Extrema(ShippedOperation[ExtremaOptions]):
    """Events of a moment."""

    id = "extrema"
    marks_records = True
    version = 1
    summary = "Local maxima or minima of a series that stand out by a prominence, as events with their value."
    when = (
        "Use it to list the peaks of storms, waves or fluxes. For the one extreme of a range use facts_of; for stretches "
        "beyond a limit use intervals_where."
    )
    reference = (
        "Sample i with v_i > v_j for earlier and v_i >= v_j for later samples up to apart away. Prominence: v_i minus the "
        "greater of the least values on its two sides, each as far as the next greater sample and at most reach away "
        "(topographic prominence: Kirmse and de Ferranti 2017, doi:10.1177/0309133317738163). Minima: the same of -v."
    )
    inputs = {"series": Input(("series",), "what has extrema", columns=1)}
    output = (
        "Events at the extrema: value and prominence in the unit of the series, and which (1 maximum, -1 minimum). The first "
        "and last sample beside an edge of the data are not extrema: what is beyond is not known."
    )
    options = ExtremaOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 4, 3, 9, 1, 2, None, 2, 0)})},
            options={"prominence": 0.5},
            expected={"value": (4, 9, 2), "prominence": (1, 9, 1), "which": (1, 1, 1)},
            seconds=(60, 180, 300),
            units={"value": "nT", "which": ""},
            source="by hand: 4 falls to 3 before 9; 9 to 0 on both sides; of the two 2 the first, which falls to 1 and 0",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 4, 3, 9, 1, 2, 0)})},
            options={"prominence": 1, "which": "minima"},
            expected={"value": (), "prominence": ()},
            seconds=(),
            source="3 and 1 stand out by 1, not by more",
        ),
    )

    def halo(self, options: ExtremaOptions) -> tuple[timedelta, timedelta]:
        """Reach (or apart, where it is longer), on both sides."""
        reach = options.reach if options.apart is None else max(options.reach, options.apart)
        return reach, reach

    def _meta(self, inputs: Mapping[str, TableMeta], options: ExtremaOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        unit = data_unit(meta)
        columns = (*fact("value", meta.label or name, unit), *fact("prominence", "prominence", unit), *fact("which", "which"))
        what = "Extrema" if options.which == "both" else options.which.capitalize()
        return TableMeta(kind="events", columns=columns, label=f"{what} of {meta.label or name}")

    def _compute(self, inputs: Mapping[str, Table], options: ExtremaOptions, meta: TableMeta) -> Table:
        (values,) = self._values(inputs, "series")
        is_valid = ~np.isnan(values)
        time, at, values = inputs["series"].time[is_valid], times_ns(inputs["series"])[is_valid], values[is_valid] + 0.0
        found: list[tuple[int, float, float]] = []
        for sign, what in ((1.0, "maxima"), (-1.0, "minima")):
            if options.which in (what, "both"):
                found += [(place, prominence, sign) for place, prominence in _peaks(at, sign * values, options)]
        found.sort()
        place = np.array([each[0] for each in found], dtype=np.int64)
        columns = {
            "value": values[place],
            "prominence": np.array([each[1] for each in found], dtype=np.float64),
            "which": np.array([each[2] for each in found], dtype=np.float64),
        }
        return Table(time[place].astype("datetime64[ns]"), columns, meta)


def _peaks(at: Nanoseconds, values: Floats, options: ExtremaOptions) -> list[tuple[int, float]]:
    """Index and prominence of each maximum."""
    if len(values) < 3:
        return []
    is_greatest = np.append(False, values[1:] > values[:-1]) & np.append(values[:-1] >= values[1:], False)
    if options.apart is not None:
        from helio_dagster.compute.window_ranks import is_greatest_around  # it imports pandas, for which a start need not wait

        is_greatest &= is_greatest_around(at.astype("datetime64[ns]"), values, duration_ns(options.apart))
    reach_ns = duration_ns(options.reach)
    first, last = np.searchsorted(at, at - reach_ns), np.searchsorted(at, at + reach_ns, side="right")
    found = []
    for place in np.flatnonzero(is_greatest):
        before, after = values[first[place] : place][::-1], values[place + 1 : last[place]]
        sides = [_base(side, values[place]) for side in (before, after)]
        if all(np.isfinite(sides)):
            prominence = float(values[place] - max(sides))
            if prominence > options.prominence and np.isfinite(prominence):
                found.append((int(place), prominence))
    return found


def _base(side: Floats, value: float) -> float:
    """The least value of a side, from the peak as far as the next greater one; infinite where there is none."""
    least, begin, length = np.inf, 0, 64
    while begin < len(side):
        part = side[begin : begin + length]
        greater = np.flatnonzero(part > value)
        if len(greater):
            return min(least, float(np.min(part[: greater[0]], initial=np.inf)))
        least, begin, length = min(least, float(np.min(part))), begin + length, 4 * length
    return least
