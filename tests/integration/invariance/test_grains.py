"""Pipelines of one grain over another: the grains do not show in the values, nor do cuts and order of runs in the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from tests.tiers import by_day

MIXED = ("even", "spill", "edges", "no file", "uneven", "fill", "burst", "no records", "even", "even")


def low(grain: str, start: str) -> dict[str, Any]:
    """A fetch and its moving mean."""
    return {
        "name": "low",
        "partitions": grain,
        "start": start,
        "steps": [
            {"id": "series", "fetch": {"archive": "memory", "dataset": "D", "parameter": "series"}},
            {
                "id": "mean",
                "compute": {"operation": "rolling_mean", "inputs": {"series": "series"}, "options": {"window": "PT9H"}},
            },
        ],
    }


def high(name: str, grain: str, start: str, window: str, cadence: str) -> dict[str, Any]:
    """A moving mean, bins and a difference over the steps of `low`, with a fetch of its own."""
    return {
        "name": name,
        "partitions": grain,
        "start": start,
        "steps": [
            {"id": "other", "fetch": {"archive": "memory", "dataset": "D", "parameter": "other"}},
            {
                "id": "slow",
                "compute": {"operation": "rolling_mean", "inputs": {"series": "low/mean"}, "options": {"window": window}},
            },
            {"id": "bins", "compute": {"operation": "resample", "inputs": {"series": "slow"}, "options": {"cadence": cadence}}},
            {
                "id": "apart",
                "compute": {
                    "operation": "difference",
                    "inputs": {"a": "low/mean", "b": "other"},
                    "options": {"tolerance": "PT7H"},
                },
            },
        ],
    }


STEPS = ("slow", "bins", "apart")


class Pair(NamedTuple):
    """Grains below and above; grain and first key of the archive's ten files; the range asked for; options above."""

    below: str
    above: str
    filed: Grain
    first: str
    start: str
    stop: str
    window: str
    cadence: str


DAILY, WEEKLY, MONTHLY = Grain.DAILY, Grain.WEEKLY, Grain.MONTHLY
PAIRS = {
    "week 1 of 2025": Pair("daily", "weekly", DAILY, "2024-12-22", "2024-12-23", "2025-01-06", "PT30H", "PT5H"),
    "week 53 of 2020": Pair("daily", "weekly", DAILY, "2020-12-27", "2020-12-28", "2021-01-04", "P3D", "P1W"),
    "leap day": Pair("daily", "monthly", DAILY, "2024-02-24", "2024-02-01", "2024-04-01", "PT30H", "P3D"),
    "daily over hourly": Pair("hourly", "daily", DAILY, "2024-02-28", "2024-02-28", "2024-03-01", "PT5H", "PT7M"),
    "hourly over daily": Pair("daily", "hourly", DAILY, "2024-02-28", "2024-02-28", "2024-03-01", "PT5H", "PT7M"),
    "daily over monthly": Pair("monthly", "daily", DAILY, "2024-02-27", "2024-02-26", "2024-03-04", "PT30H", "PT5H"),
    "monthly over weekly": Pair("weekly", "monthly", WEEKLY, "2024-11-25", "2024-12-01", "2025-02-01", "PT30H", "P1W"),
    "yearly over monthly": Pair("monthly", "yearly", MONTHLY, "2023-08-01", "2023-01-01", "2025-01-01", "P3D", "P1W"),
    "yearly over weekly": Pair("weekly", "yearly", MONTHLY, "2023-08-01", "2024-01-01", "2025-01-01", "P3D", "P1W"),
}
BY_DAY = (
    "week 53 of 2020",
    "leap day",
    "hourly over daily",
    "daily over monthly",
    "monthly over weekly",
    "yearly over monthly",
)


@pytest.mark.parametrize("pair", by_day(PAIRS, *BY_DAY))
def test_neither_grains_nor_cuts_show(
    make_lab: Callable, archive_of: Callable, cuts_of: Callable, at: Callable, pair: str
) -> None:
    """However partitions above are asked for, and whatever was made below before: the same files.

    Their values are those of the same steps at the grain below.
    """
    below, above, filed, first, start, stop, window, cadence = PAIRS[pair]
    asked = TimeRange(at(start), at(stop))
    archive = archive_of(filed, first, {"series": MIXED, "other": MIXED[::-1]}, 7)
    pipelines = (low(below, start), high("high", above, start, window, cadence), high("flat", below, start, window, cadence))
    keys = {grain: Grain(grain).keys(asked) for grain in (below, above)}

    def make() -> Any:
        return make_lab(archive, at("2026-01-01"), *pipelines)

    whole = make()
    for name, grain in (("high", above), ("low", below), ("flat", below)):
        steps = ("mean",) if name == "low" else STEPS
        outcomes = whole.run([f"{name}/{step}" for step in steps], keys[grain])
        assert {outcome.state for outcome in outcomes.values()} <= {"computed", "reused"}
    for seed in (1, 2):
        other = make()
        cuts = {"low": cuts_of(keys[below]).scattered(seed), "high": cuts_of(keys[above]).all(seed)["one by one"]}
        for name in ("low", "high") if seed == 1 else ("high", "low"):
            for block in cuts[name]:
                other.run([f"{name}/{step}" for step in (("mean",) if name == "low" else STEPS)], block)
        other.run([f"flat/{step}" for step in STEPS], keys[below])
        assert other.is_like(whole)

    for step in STEPS:
        found, expected = (
            whole.table(f"{name}/{step}", keys[grain]).clip(asked) for name, grain in (("high", above), ("flat", below))
        )
        np.testing.assert_array_equal(found.time, expected.time)
        assert found.columns[step].tobytes() == expected.columns[step].tobytes(), step
        assert len(found)
        assert found.meta == expected.meta
