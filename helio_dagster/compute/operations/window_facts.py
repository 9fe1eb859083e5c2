"""A few numbers about a series over a whole window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, fact, facts_meta, facts_table, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.compute.span_numbers import EXTREMES, Statistic, numbers_of
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.unit_conversion import integral_unit

FactStatistic = Statistic | Literal["share"]
_USUAL: tuple[FactStatistic, ...] = ("mean", "median", "minimum", "maximum", "coverage")
_TIMES = tuple(f"{each}_time" for each in EXTREMES)


class FactsOptions(Options):
    """Which numbers."""

    statistics: tuple[FactStatistic, ...] | None = None
    """A list of mean, median, std, minimum and maximum (each with its time), integral, coverage, samples, share (the part of
    the time with values that is beyond `above` or `below`, in %); by default mean, median, minimum, maximum and coverage."""
    above: float | None = None
    """If given, also for how many hours the series is greater than this, in its unit."""
    below: float | None = None
    """If given, also for how many hours the series is less than this, in its unit."""
    gaps: Length | None = None
    """Neighbours farther apart than this, an ISO 8601 duration such as PT10M, leave a gap; by default three times the median
    distance of the valid samples."""

    @model_validator(mode="after")
    def _has_limit_of_share(self) -> FactsOptions:
        if "share" in (self.statistics or ()) and self.above is None and self.below is None:
            raise ValueError("share is the part of the time beyond a limit. Give above or below, too")
        return self


class FactsOf(WindowOperation[FactsOptions]):
    """Mean, extremes and the like."""

    id = "facts_of"
    version = 3
    summary = "Numbers about a series over a whole window: mean, median, extremes with their times, integral, coverage, hours."
    when = (
        "Use it to say in numbers what an event or a range was like: how low Dst fell and when, the mean speed, for how many "
        "hours Bz was southward. For one value per time bin use resample."
    )
    reference = (
        "Over the valid samples. integral = sum (v_i + v_(i + 1)) / 2 (t_(i + 1) - t_i), trapezoids between neighbours without "
        "a gap; a sample stands until the next one, before a gap and at the last for the median distance: coverage and hours "
        "are sums of these times, a share is of their whole (Press et al. 2007, Numerical Recipes, sections 4.1 and 14.1)."
    )
    inputs = {"series": Input(("series",), "what is looked at", columns=1)}
    output = (
        "Facts in the unit of the series (integral: times h, of what is per s times s, so that the two cancel), the share of "
        "the window covered in %, hours in h, shares of the time in %, the times of the first least and greatest value; NaN "
        "where the window holds no valid sample."
    )
    options = FactsOptions
    examples = (
        Example(
            inputs={
                "series": ExampleTable(unit="nT", columns={"v": (2, -4, -6, 0, None, -2)}, seconds=(0, 60, 120, 180, 240, 540))
            },
            options={
                "statistics": ["mean", "median", "minimum", "maximum", "integral", "coverage", "samples", "share"],
                "below": -3,
            },
            expected={
                "mean": (-2,),
                "median": (-2,),
                "minimum": (-6,),
                "minimum_time": (120,),
                "maximum_time": (0,),
                "integral": ((-1 - 5 - 3) / 60,),
                "coverage": (50,),
                "samples": (5,),
                "hours_below": (2 / 60,),
                "share_below": (40,),
            },
            window=(0, 600),
            seconds=(0,),
            units={"integral": "h nT", "coverage": "%", "hours_below": "h", "minimum_time": ""},
            source="by hand: five samples a minute each of ten minutes; between the last two is a gap",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: FactsOptions) -> dict[str, Any]:
        """How long an hour is in the integral's unit of time, too."""
        return {**super().plain_options(inputs, options), **plain_hour(data_unit(inputs["series"]))}

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, **{name: "datetime64[ns]" for name in _TIMES if name in meta.data_names}}

    def _meta(self, inputs: Mapping[str, TableMeta], options: FactsOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        label, unit = meta.label or name, data_unit(meta)
        columns: list[ColumnMeta] = []
        units = {"integral": integral_unit(unit, "h")[0], "coverage": "%"}
        for each in dict.fromkeys(options.statistics or _USUAL):
            if each == "share":
                continue
            text = "number of samples" if each == "samples" else f"{each} of {label}"
            columns += count_column(each, text) if each == "samples" else fact(each, text, units.get(each, unit))
            if each in EXTREMES:
                columns += fact(f"{each}_time", f"time of the {each}")
        for side, limit in (("above", options.above), ("below", options.below)):
            if limit is not None:
                beyond = f"time with {label} {'>' if side == 'above' else '<'} {limit:g}"
                columns += fact(f"hours_{side}", beyond, "h")
                if "share" in (options.statistics or ()):
                    columns += fact(f"share_{side}", f"share of the {beyond}", "%")
        return facts_meta(label, columns, frame=meta.frame)

    def _compute_window(self, inputs: Mapping[str, Table], options: FactsOptions, meta: TableMeta, window: TimeRange) -> Table:
        (values,) = self._values(inputs, "series")
        is_valid = ~np.isnan(values)
        found: dict[str, float | np.datetime64] = {name: np.datetime64("NaT", "ns") for name in _TIMES}
        gap_ns = duration_ns(options.gaps) if options.gaps is not None else None
        hour = float(integral_unit(data_unit(inputs["series"].meta), "h")[1])
        if is_valid.any():
            at = times_ns(inputs["series"])[is_valid]
            with np.errstate(all="ignore"):
                found |= numbers_of(
                    at,
                    values[is_valid],
                    _edges(window),
                    gap_ns=gap_ns,
                    above=options.above,
                    below=options.below,
                    hour=hour,
                )
        return facts_table(window, found, meta)


def plain_hour(unit: str) -> dict[str, float]:
    """What the plain forms are told of an hour in the integral's unit of time; nothing where that is the hour."""
    _, hour = integral_unit(unit, "h")
    return {} if hour == 1 else {"hour": float(hour)}


def _edges(window: TimeRange) -> tuple[int, int]:
    start, stop = (int(edge.astype("datetime64[ns]").astype(np.int64)) for edge in window.bounds_ns())
    return start, stop
