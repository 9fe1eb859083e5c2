"""A superposed epoch analysis brought to one curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.columns import Floats, data_unit, floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, curve_meta, curve_table, fact, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


class EpochStatisticsOptions(Options):
    """Which spread is given."""

    lower: Annotated[float, Field(ge=0, le=50)] = 25.0
    """Lower end of the spread in percent of the events, 0 to 50; by default the lower quartile."""
    upper: Annotated[float, Field(ge=50, le=100)] = 75.0
    """Upper end of the spread in percent of the events, 50 to 100; by default the upper quartile."""

    @model_validator(mode="after")
    def _is_a_spread(self) -> EpochStatisticsOptions:
        if self.lower == self.upper:
            raise ValueError("lower must be less than upper")
        return self


class EpochStatistics(WindowOperation[EpochStatisticsOptions]):
    """Median, mean and spread over events."""

    id = "epoch_statistics"
    version = 2
    summary = "Median, quartiles, mean and number of events at each lag of a superposed epoch analysis, as a curve."
    when = "Use it on the result of superposed_epoch to see what the events of a range have in common."
    reference = (
        "Over the events with a valid value at a lag: median, quantiles by linear interpolation between ranks (Hyndman and Fan "
        "1996, doi:10.2307/2684934, definition 7), mean with its standard error s / sqrt(n) (Chree 1913, "
        "doi:10.1098/rsta.1913.0003)."
    )
    inputs = {"events": Input(("spectrogram",), "one record per event, one column per lag, as superposed_epoch gives it")}
    output = "A curve over lag in the unit of the input: median with lower and upper end of the spread, mean, count of events."
    options = EpochStatisticsOptions
    examples = (
        Example(
            inputs={
                "events": ExampleTable(
                    kind="spectrogram",
                    unit="nT",
                    columns={"lag_0": (1, 2, 3, 4, 10), "lag_1": (None, 2, None, 4, None)},
                    bins=BinAxis(label="Lag", unit="h", centers=(-0.5, 0.5)),
                )
            },
            expected={
                "lag": (-0.5, 0.5),
                "median": (3, 3),
                "median_lower": (2, 2.5),
                "median_upper": (4, 3.5),
                "mean": (4, 3),
                "mean_uncertainty": (2.5**0.5, 1),
                "count": (5, 2),
            },
            window=(0, 600),
            seconds=(0, 0),
            unit="nT",
            units={"lag": "h", "count": ""},
            source="by hand: the squares about 4 add up to 50, over 4, over 5",
        ),
    )

    def plain_options(self, inputs: Mapping[str, TableMeta], options: EpochStatisticsOptions) -> dict[str, Any]:
        """The lags beside the quantiles."""
        bins = inputs["events"].bins or BinAxis()
        return {"lags": list(bins.centers), **options.model_dump(mode="json")}

    def _meta(self, inputs: Mapping[str, TableMeta], options: EpochStatisticsOptions, name: str) -> TableMeta:
        meta = inputs["events"]
        unit = data_unit(meta)
        bins = meta.bins or BinAxis()
        if meta.bins is not None and len(bins.centers) != len(meta.data_names):
            raise ComputeError(f"{self.id} needs fixed lags", hint="Give it the result of superposed_epoch.")
        spread = (
            ColumnMeta(name="median_lower", label=f"{options.lower:g} %", unit=unit, role="lower"),
            ColumnMeta(name="median_upper", label=f"{options.upper:g} %", unit=unit, role="upper"),
        )
        columns = (
            *fact("median", "median", unit),
            *spread,
            *uncertain_fact("mean", "mean", unit),
            *count_column("count", "number of events"),
        )
        axis = BinAxis(label=bins.label, unit=bins.unit, scale=bins.scale)
        return curve_meta(meta.label or name, ("lag", axis), columns, unit=unit, frame=meta.frame, scale=meta.scale)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: EpochStatisticsOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        table = inputs["events"]
        names = [column.name for column in meta.columns[1:]]
        if table.meta.bins is None:
            raise ComputeError(f"{self.id} needs lags", hint="Give it the result of superposed_epoch.")
        rows = [_statistics(floats(table, name), options) for name in table.meta.data_names]
        columns = {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}
        columns["lag"] = np.array(table.meta.bins.centers, dtype=np.float64)
        return curve_table(window, columns, meta)


def _statistics(values: Floats, options: EpochStatisticsOptions) -> dict[str, float]:
    values = values[np.isfinite(values)]
    if not len(values):
        return {"count": 0.0}
    lower, upper = (float(each) for each in np.percentile(values, [options.lower, options.upper]))
    error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
    return {
        "median": float(np.median(values)),
        "median_lower": lower,
        "median_upper": upper,
        "mean": float(np.mean(values)),
        "mean_uncertainty": error,
        "count": float(len(values)),
    }
