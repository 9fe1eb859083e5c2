"""How two series go together when one is shifted, over a whole window."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.lag_spread import independent_pairs
from helio_dagster.compute.lagged_sums import correlations_by_lag
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import Nanoseconds, count_column, curve_meta, curve_table, fact, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

MOST_LAGS = 20_000
MOST_SLOTS = 2**24
_MINUTE_NS = 60_000_000_000


class CrossCorrelationOptions(Options):
    """Which lags, and in what steps."""

    longest_lag: Length
    """Lags from minus this to plus this are tried, an ISO 8601 duration such as PT2H."""
    cadence: Length | None = None
    """Step of the lags, and length of the slots in which the samples of both are averaged, an ISO 8601 duration such as PT1M.
    By
    default the larger of the two median distances of valid samples."""
    min_pairs: Annotated[int, Field(ge=3)] = 10
    """Lags at which fewer pairs of slots meet give NaN."""

    @model_validator(mode="after")
    def _has_few_lags(self) -> CrossCorrelationOptions:
        if self.cadence is not None and self.longest_lag / self.cadence > MOST_LAGS:
            raise ValueError(f"longest_lag holds more than {MOST_LAGS} cadences. Give a longer cadence")
        return self


class CrossCorrelation(WindowOperation[CrossCorrelationOptions]):
    """Correlation against lag."""

    id = "cross_correlation"
    version = 3
    summary = "Correlation of two series over a whole window as a curve over the lag between them."
    when = (
        "Use it to find how much later b sees what a saw, as for two spacecraft or a driver and its response; peak_of gives "
        "the best lag with its uncertainty. For the correlation without lag as it changes in time use rolling_correlation."
    )
    reference = (
        "r(k) = Pearson's coefficient of the pairs a_i, b_(i + k) of slots in which both are valid, means and variances over "
        "those pairs; lag = k cadence, positive where b is later than a (Pearson 1895, doi:10.1098/rspl.1895.0041; for uneven "
        "sampling in slots Edelson and Krolik 1988, doi:10.1086/166773). Independent pairs: those whose noise, were it not "
        "correlated from slot to slot, would let the best lag scatter as much; by the covariance of Bartlett 1946, "
        "doi:10.2307/2983611, with half the autocovariance of a minus b at the best lag as that of the noise."
    )
    inputs = {
        "a": Input(("series",), "the one that comes first where the lag is positive", columns=1),
        "b": Input(("series",), "the one that is looked for later", columns=1),
    }
    output = (
        "A curve over lag in min: the correlation, the number of pairs, and of those that are independent; NaN where too few "
        "pairs meet or one of the two does not vary."
    )
    options = CrossCorrelationOptions
    examples = (
        Example(
            inputs={
                "a": ExampleTable(columns={"v": (0, 1, 5, 2, 0, 0, 0, 0)}),
                "b": ExampleTable(columns={"w": (0, 0, 0, 2, 10, 4, 0, 0)}),
            },
            options={"longest_lag": "PT2M", "min_pairs": 3},
            expected={
                "lag": (-2, -1, 0, 1, 2),
                "pairs": (6, 7, 8, 7, 6),
                "independent_pairs": (6, 7, 8, 7, 6),
                "correlation": (-0.46505, -0.43836, -3 / 11, 0.28082, 1),
            },
            relative=1e-5,
            window=(0, 480),
            seconds=(0, 0, 0, 0, 0),
            units={"lag": "min", "correlation": ""},
            source="b is twice a, two minutes later; the other lags by hand",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: CrossCorrelationOptions, name: str) -> TableMeta:
        del options
        labels = " and ".join(meta.label or key for key, meta in inputs.items())
        columns = (*fact("correlation", "correlation"), *count_column("pairs", "number of pairs"))
        columns += count_column("independent_pairs", "number of independent pairs")
        return curve_meta(f"Correlation of {labels}" if labels else name, ("lag", BinAxis(label="Lag", unit="min")), columns)

    def _compute_window(
        self, inputs: Mapping[str, Table], options: CrossCorrelationOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        given = [self._valid(inputs, name) for name in ("a", "b")]
        if min(len(at) for at, _ in given) < 2:
            return Table.empty(meta)
        cadence_ns = _cadence_ns([at for at, _ in given], options.cadence)
        start = min(int(at[0]) for at, _ in given)
        count = (max(int(at[-1]) for at, _ in given) - start) // cadence_ns + 1
        most = duration_ns(options.longest_lag) // cadence_ns
        if most > MOST_LAGS or count > MOST_SLOTS:
            problem = f"{self.id}: {2 * most + 1} lags of {count} slots are too many"
            raise ComputeError(problem, hint="Give a longer cadence, a shorter longest_lag or a shorter range.")
        a, b = (_slots(at, values, start, cadence_ns, count) for at, values in given)
        lags = np.arange(-most, most + 1)
        pairs, correlation = correlations_by_lag(a, b, most)
        correlation[pairs < options.min_pairs] = np.nan
        minutes: Floats = lags.astype(np.float64) * (cadence_ns / _MINUTE_NS)
        independent = independent_pairs(a, b, correlation, pairs)
        columns = {"lag": minutes, "correlation": correlation, "pairs": pairs, "independent_pairs": independent}
        return curve_table(window, columns, meta)

    def _valid(self, inputs: Mapping[str, Table], name: str) -> tuple[Nanoseconds, Floats]:
        """Times and values of the finite samples of an input."""
        if not len(inputs[name]):
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        (values,) = self._values(inputs, name)
        is_valid = np.isfinite(values)
        return times_ns(inputs[name])[is_valid], values[is_valid]


def _cadence_ns(times: list[Nanoseconds], cadence: timedelta | None) -> int:
    return duration_ns(cadence) if cadence is not None else max(int(np.median(np.diff(at))) for at in times)


def _slots(at: Nanoseconds, values: Floats, start: int, cadence_ns: int, count: int) -> Floats:
    """Mean of the samples in each slot, NaN where there is none; float64, shape (slot,)."""
    slot = (at - start) // cadence_ns
    first = np.flatnonzero(np.append(True, slot[1:] != slot[:-1]))
    slots = np.full(count, np.nan)
    slots[slot[first]] = np.add.reduceat(values, first) / np.diff(np.append(first, len(slot)))
    return slots
