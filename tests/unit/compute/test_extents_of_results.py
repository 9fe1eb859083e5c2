"""Which results have an extent: bins their own, the rest that of the first input; and inputs are matched by theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from helio_dagster.compute.operation import get_operation, operations
from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from tests.every import every

WIDE = TimeRange(EARLIEST, LATEST)
SECOND, HOUR, MINUTE = timedelta(seconds=1), timedelta(hours=1), timedelta(minutes=1)
OVER_TIME = ("series", "vector", "spectrogram", "points", "nd")
OWN: dict[str, Callable[[Any], Extent | None]] = {
    "resample": lambda options: Extent.of_bin(options.cadence),
    "welch": lambda options: Extent.of_bin(options.bin),
    "minimum_variance": lambda options: Extent.of_bin(options.bin),
    "spectrogram": lambda options: Extent.around(options.window),
    "dst_model": lambda _: Extent.of_bin(HOUR),
    "propagate": lambda options: Extent.of_bin(options.cadence),
    "wavelet_power": lambda _: None,
    "superposed_epoch": lambda _: None,
}
"""Operations whose records do not stand at those of the input, and how far these reach."""


def _examples() -> dict[str, tuple[Any, Any]]:
    return {
        f"{operation.id}-{place}": (operation, example)
        for operation in operations()
        for place, example in enumerate(operation.examples)
        if "events" not in {table.kind for table in example.inputs.values()}
    }


def _same(one: Table, other: Table) -> None:
    np.testing.assert_array_equal(one.time, other.time)
    for name in other.columns:
        np.testing.assert_array_equal(one.columns[name], other.columns[name])


@every(_examples)
def test_an_extent_of_the_inputs_is_that_of_the_result_and_changes_no_number(operation: Any, example: Any) -> None:
    """One that all inputs share shifts nothing; bins have their own; what is no series has none."""
    options = operation.read_options(example.options)
    plain = {name: table.table() for name, table in example.inputs.items()}
    extent = Extent.of_bin(SECOND)
    given = {name: table.with_extents(Extents.constant(extent, len(table))) for name, table in plain.items()}
    before, after = (operation.apply(tables, options, WIDE, "result") for tables in (plain, given))
    if operation.id != "intervals_where":  # whose last intervals stop where the last record does
        _same(after, before)
    assert before.meta.extent == (OWN[operation.id](options) if operation.id in OWN else None)
    if operation.id in OWN:
        assert after.meta == before.meta
    else:
        is_kept = before.meta.kind in OVER_TIME and not operation.is_of_window
        wanted = extent if is_kept or operation.id in ("extrema", "crossings", "find_shocks") else None
        assert after.meta == before.meta.model_copy(update={"extent": wanted})


@every(_examples)
def test_extents_that_differ_are_those_of_the_same_records_in_the_result(operation: Any, example: Any) -> None:
    """Each record of the result reaches as far as that of the first input at its time."""
    options = operation.read_options(example.options)
    plain = {name: table.table() for name, table in example.inputs.items()}
    lengths = {name: np.arange(1, len(table) + 1) * 10**6 for name, table in plain.items()}
    given = {
        name: table.with_extents(Extents(np.zeros(len(table), np.int64), lengths[name], np.ones(len(table), np.bool_)))
        for name, table in plain.items()
    }
    result = operation.apply(given, options, WIDE, "result")
    first = next(iter(operation.inputs))
    if operation.id in OWN:
        assert result.meta.extent == OWN[operation.id](options)
    elif result.meta.kind in OVER_TIME and not operation.is_of_window:
        assert result.extents is not None
        places = np.searchsorted(plain[first].time, result.time)
        expected = lengths[first] if operation.id == "shift_time" else lengths[first][places]
        np.testing.assert_array_equal(result.extents.after_ns, expected)
    else:
        assert result.extents is None


def series(name: str, times: list[str], values: list[float], extent: Extent | None) -> Table:
    """A series with an extent."""
    meta = TableMeta(kind="series", columns=(ColumnMeta(name=name, unit="nT"),), unit="nT", extent=extent)
    return Table(np.array(times, dtype="datetime64[ns]"), {name: np.array(values)}, meta)


def _apply(name: str, inputs: dict[str, Table], **options: Any) -> Table:
    operation = get_operation(name)
    return operation.apply(inputs, operation.read_options(options), WIDE, "out")


@pytest.mark.parametrize(
    "stamps",
    [
        pytest.param((["2024-01-01T00", "2024-01-01T01"], Extent.of_bin(HOUR)), id="begin"),
        pytest.param((["2024-01-01T00:30", "2024-01-01T01:30"], Extent.around(HOUR)), id="center"),
        pytest.param((["2024-01-01T01", "2024-01-01T02"], Extent(before_ns=3_600 * 10**9)), id="end"),
    ],
)
def test_wherever_a_bin_is_stamped_it_is_subtracted_from_what_lies_in_it(stamps: tuple[list[str], Extent]) -> None:
    """A minute of the second hour minus the mean of the second hour, in each of HAPI's three ways to stamp it."""
    times, extent = stamps
    means = series("mean", times, [10.0, 20.0], extent)
    minutes = series("b", ["2024-01-01T00:59", "2024-01-01T01:00", "2024-01-01T01:59"], [11.0, 22.0, 23.0], None)
    found = _apply("difference", {"a": minutes, "b": means})
    np.testing.assert_array_equal(found.columns["out"], [1.0, 2.0, 3.0])
    nearest = _apply("align", {"a": minutes, "b": means}, max_gap="PT1M")
    np.testing.assert_array_equal(nearest.columns["out"], [10.0, 20.0, 20.0])
    line = _apply("align", {"a": minutes, "b": means}, max_gap="PT1H", method="linear")
    np.testing.assert_allclose(line.columns["out"], [10.0 + 10 * 29 / 60, 15.0], rtol=1e-12)


@pytest.mark.parametrize("method", ["nearest", "linear"])
def test_what_is_brought_onto_bins_stands_at_their_middles(method: str) -> None:
    """A rising line at the times of hourly bins is what it is half past each hour."""
    time = np.datetime64("2024-01-01", "ns") + np.arange(180) * np.timedelta64(1, "m")
    line = series("line", [str(each) for each in time], np.arange(180.0).tolist(), None)
    bins = series("bins", ["2024-01-01T00", "2024-01-01T01"], [0.0, 0.0], Extent.of_bin(HOUR))
    found = _apply("align", {"a": bins, "b": line}, max_gap="PT1M", method=method)
    np.testing.assert_array_equal(found.columns["out"], [30.0, 90.0])
    assert found.meta.extent == bins.meta.extent


def test_an_hour_stamped_at_its_stop_belongs_to_the_day_that_it_is_of() -> None:
    """24 hourly values stamped 01 to 24 are one day, whose mean is over all of them."""
    time = np.datetime64("2024-01-01T01", "ns") + np.arange(24) * np.timedelta64(1, "h")
    hours = series("b", [str(each) for each in time], np.arange(24.0).tolist(), Extent(before_ns=3_600 * 10**9))
    found = _apply("resample", {"series": hours}, cadence="P1D")
    np.testing.assert_array_equal(found.time, np.array(["2024-01-01"], dtype="datetime64[ns]"))
    np.testing.assert_array_equal(found.columns["out"], [11.5])


@pytest.mark.parametrize("extent", [Extent.of_bin(MINUTE), Extent.around(MINUTE), Extent(before_ns=60 * 10**9)])
@pytest.mark.parametrize(
    ("name", "options"),
    [("resample", {"cadence": "PT1H"}), ("welch", {"bin": "PT1H", "segment": "PT16M", "cadence": "PT1M"})],
)
def test_bins_do_not_depend_on_how_a_run_is_cut(name: str, options: dict[str, Any], extent: Extent) -> None:
    """Two days at once, or each from the samples that its halo gives it: the same records, extents and bits."""
    operation = get_operation(name)
    checked = operation.read_options(options)
    start = datetime(2024, 1, 1, tzinfo=UTC)
    time = np.datetime64("2023-12-31T20", "ns") + np.arange(60 * 56) * np.timedelta64(1, "m")
    values = np.random.default_rng(7).normal(size=len(time))
    whole = series("b", [], [], extent)
    whole = replace(whole, time=time, columns={"b": values})

    def over(window: TimeRange) -> Table:
        before, after = operation.halo(checked)
        return operation.apply({"series": whole.clip(window.widened(before, after))}, checked, window, "out")

    days = [TimeRange(start + timedelta(days=day), start + timedelta(days=day + 1)) for day in range(2)]
    at_once, by_day = over(TimeRange(days[0].start, days[1].stop)), concatenate([over(day) for day in days])
    _same(by_day, at_once)
    assert by_day.meta == at_once.meta
    assert len(at_once) == 48


def test_an_interval_of_bins_lasts_until_the_last_of_them_stops() -> None:
    """Two hours of four above a limit, and one before a gap: not one hour and none."""
    times = ["2024-01-01T00", "2024-01-01T01", "2024-01-01T02", "2024-01-01T03", "2024-01-01T09"]
    for extent, hours in ((Extent.of_bin(HOUR), [2.0, 1.0]), (None, [1.0, 0.0])):
        found = _apply(
            "intervals_where", {"series": series("b", times, [0.0, 0.0, 9.0, 9.0, 9.0], extent)}, above=5, gaps="PT1H"
        )
        np.testing.assert_array_equal(found.columns["duration"], hours)
        np.testing.assert_array_equal(found.time, np.array(["2024-01-01T02", "2024-01-01T09"], dtype="datetime64[ns]"))
