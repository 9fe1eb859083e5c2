"""superposed_epoch against pandas, and the stack that resample makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.compute.dataframes import table_to_dataframe
from helio_dagster.domain.errors import ComputeError, InputError
from helio_dagster.domain.event_table import read_events
from helio_dagster.domain.pipeline import EventTable
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.conftest import Apply

EVENTS = read_events(
    EventTable(
        csv="onset,name\n2023-01-02T01:00:07Z,first\n2023-01-02T02:30Z,second\n2023-01-02T05:59:30Z,late\n2001-01-01,none",
        source="made up",
    )
)
OPTIONS = {"before": "PT30M", "after": "PT1H", "bin": "PT10M"}


@pytest.fixture(scope="module")
def series(make_table: TableMaker) -> Any:
    """Six hours of one sample a minute, with fills and a gap."""
    values = np.random.default_rng(3).normal(-50, 30, 360)
    values[::9] = np.nan
    keep = np.r_[0:100, 130:360]
    return make_table({"dst": values[keep]}, at_s=keep * 60.0, label="Dst")


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_rows_are_those_of_pandas_groups(series: Any, apply: Apply, statistic: str) -> None:
    """Event by event, lag by lag."""
    found = apply("superposed_epoch", {"series": series, "events": EVENTS}, statistic=statistic, **OPTIONS)
    values = table_to_dataframe(series)["dst"].tz_localize(None)
    for place, onset in enumerate(pd.DatetimeIndex(found.time)):
        lag = (pd.DatetimeIndex(values.index) - onset) // pd.Timedelta("10min")
        expected = getattr(values.groupby(lag), statistic)().reindex(range(-3, 6))
        row = [column[place] for column in found.columns.values()]
        np.testing.assert_allclose(row, expected, rtol=1e-12)
    assert len(found) == 3


def test_lags_are_the_bins_of_a_spectrogram(series: Any, apply: Apply) -> None:
    """Middles of the bins, in h; the unit is the series'."""
    meta = apply("superposed_epoch", {"series": series, "events": EVENTS}, **OPTIONS).meta
    assert (meta.kind, meta.unit, meta.bins.unit) == ("spectrogram", "nT", "h")
    np.testing.assert_allclose(meta.bins.centers, np.arange(-25, 60, 10) / 60)


def test_the_stack_is_the_mean_over_events(series: Any, apply: Apply) -> None:
    """One resample away: the mean of each lag over the events of a day."""
    rows = apply("superposed_epoch", {"series": series, "events": EVENTS}, **OPTIONS)
    stack = apply("resample", {"series": rows}, cadence="P1D")
    assert len(stack) == 1
    for name, values in rows.columns.items():
        np.testing.assert_allclose(stack.columns[name][0], np.nanmean(values))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"before": "PT25M", "after": "PT1H", "bin": "PT10M"}, "whole numbers"),
        ({"before": "P10D", "after": "P10D", "bin": "PT1M"}, "more than 2000"),
    ],
)
def test_lags_that_cannot_be_are_refused(apply: Apply, options: dict[str, Any], said: str) -> None:
    """With what to do."""
    with pytest.raises(InputError, match=said) as caught:
        apply("superposed_epoch", {}, **options)
    assert caught.value.hint


def test_a_series_is_no_table_of_events(series: Any, apply: Apply) -> None:
    """And events are no series."""
    with pytest.raises(ComputeError, match="events"):
        apply("superposed_epoch", {"series": series, "events": series}, **OPTIONS)
    with pytest.raises(ComputeError, match="series"):
        apply("superposed_epoch", {"series": EVENTS, "events": EVENTS}, **OPTIONS)
