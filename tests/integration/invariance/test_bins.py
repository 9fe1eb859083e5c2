"""Bins in time: one grid since 1970 whatever the partitions, each bin in the partition of its start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange, parse_duration

DATA = ("even", "spill", "no file", "no records", "edges", "uneven", "fill", "burst", "even", "even")
"""The third and fourth partition have no record: the bins that begin in them still hold what follows."""


@pytest.mark.alike(8)
@pytest.mark.parametrize("method", ["mean", "median"])
@pytest.mark.parametrize(
    ("grain", "cadence"),
    [
        *(("daily", cadence) for cadence in ("PT7M", "PT5H", "PT25H", "P3D", "P1W", "P10D")),
        *(("hourly", cadence) for cadence in ("PT7S", "PT7M", "PT5H", "P1D")),
        *(("weekly", cadence) for cadence in ("PT5H", "P1W", "P10D")),
    ],
)
def test_bins_over_partitions_are_those_of_the_whole_series(
    make_lab: Callable, archive_of: Callable, cuts_of: Callable, grain: str, cadence: str, method: str
) -> None:
    """The oracle is pandas over the continuous series, bins from the epoch; every bin lies in the partition of its start."""
    files, first = Grain(grain), {"daily": "2024-02-23", "hourly": "2024-02-28-20:00", "weekly": "2024-12-09"}[grain]
    archive = archive_of(files, first, {"series": DATA}, 11)
    windows = [files.window(first)]
    while len(windows) < 10:
        windows.append(files.window(files.key(windows[-1].stop)))
    keys, now = [files.key(window.start) for window in windows[:8]], windows[8].stop
    steps = [
        {"id": "series", "fetch": {"archive": "memory", "dataset": "D", "parameter": "series"}},
        {
            "id": "bins",
            "compute": {
                "operation": "resample",
                "inputs": {"series": "series"},
                "options": {"cadence": cadence, "method": method},
            },
        },
    ]
    lab = make_lab(archive, now, {"name": "p", "partitions": grain, "start": windows[0].start, "steps": steps})
    for block in cuts_of(keys).in_blocks(len(cadence)):
        lab.run(["p/bins"], block)

    complete = next(archive.fetch("D", "series", [TimeRange(windows[0].start, now)])).table
    series = pd.Series(complete.columns["v"], index=pd.DatetimeIndex(complete.time))
    binned = series.resample(pd.Timedelta(parse_duration(cadence)), origin="epoch")
    oracle = getattr(binned, method)()[binned.size() > 0]
    start, stop = (edge.replace(tzinfo=None) for edge in (windows[0].start, windows[7].stop))
    oracle = oracle[(oracle.index >= start) & (oracle.index < stop)]

    found = lab.table("p/bins", keys)
    assert len(found)
    assert found.time.tolist() == oracle.index.to_numpy().tolist()
    np.testing.assert_allclose(found.columns["bins"], oracle, rtol=1e-9)
    for key, window in zip(keys, windows, strict=False):
        part = lab.table("p/bins", [key])
        assert len(part) == len(part.clip(window))
