"""Images of spectrograms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.spectrogram_image import flux_image


def test_many_records_are_averaged_in_linear_flux(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """1,440 minutes into 24 columns: the mean of the valid values of each hour."""
    flux = np.random.default_rng(1).lognormal(size=(1440, 3))
    flux[10, 1] = np.nan
    image = flux_image(make_spectrogram(flux, [10, 100, 1000]), "log", day, columns=24)
    assert image is not None
    expected = np.nanmean(flux.reshape(24, 60, 3), axis=1).T
    np.testing.assert_allclose(image.flux, expected)
    assert (np.diff(image.time_edges_ms) > 0).all()


def test_long_tables_give_the_same_in_chunks(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """More records than a chunk holds: sums go over its edge."""
    table = make_spectrogram(np.ones((10, 2)), [10, 100])
    count = 45_000
    time = day.bounds_ns()[0] + (np.arange(count) * (86_400 * 10**9 // count)).astype("timedelta64[ns]")
    ramp = np.arange(count, dtype=np.float64)
    image = flux_image(replace(table, time=time, columns={"f0": ramp, "f1": -ramp}), "log", day, columns=10)
    assert image is not None
    np.testing.assert_allclose(image.flux[0], ramp.reshape(10, -1).mean(axis=1))
    np.testing.assert_allclose(image.flux[1], -ramp.reshape(10, -1).mean(axis=1))


def test_a_gap_in_time_is_a_column_of_nan(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """Cells do not stretch over missing records: the gap begins half a cadence after the last one."""
    table = make_spectrogram(np.ones((30, 2)), [10, 100])
    keep = np.r_[0:10, 20:30]
    holed = replace(table, time=table.time[keep], columns={name: values[keep] for name, values in table.columns.items()})
    image = flux_image(holed, "log", day)
    assert image is not None
    assert np.flatnonzero(np.isnan(image.flux).all(axis=0)).tolist() == [10]
    start_ms = day.start.timestamp() * 1000
    minutes = (image.time_edges_ms[10:12] - start_ms) / 60_000
    assert minutes.tolist() == [9.5, 19.5]


def test_falling_energies_put_the_lowest_first(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """Rows of the image ascend whatever the order of the columns."""
    image = flux_image(make_spectrogram([[3.0, 2, 1]] * 4, [1000, 100, 10]), "log", day)
    assert image is not None
    assert image.flux[:, 0].tolist() == [1, 2, 3]


def test_bins_that_vary_are_drawn_where_each_record_has_them(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """A record shows nothing at energies outside its own."""
    centers = np.stack([np.geomspace(10, 10_000, 12), np.geomspace(100, 1000, 12)] * 3)
    image = flux_image(make_spectrogram(np.ones((6, 12)), centers), "log", day)
    assert image is not None
    assert not np.isnan(image.flux[:, 0]).any()
    assert np.isnan(image.flux[[0, -1], 1]).all()
    assert np.nanmax(image.flux) == np.nanmin(image.flux) == 1


def test_no_records_are_no_image(make_spectrogram: Callable[..., Table], day: TimeRange) -> None:
    """Nor are bins that cannot be shown."""
    table = make_spectrogram(np.ones((4, 2)), [10, 100])
    empty = replace(table, time=table.time[:0], columns={name: values[:0] for name, values in table.columns.items()})
    assert flux_image(empty, "log", day) is None
    assert flux_image(make_spectrogram(np.ones((4, 2)), [0, -1]), "log", day) is None
