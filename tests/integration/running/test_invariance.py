"""The result of a partition does not depend on how the run was cut: the same bytes, the same versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from helio_dagster.launch.reading import read_dataframe

CUT = """
version: 1
name: cut
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: other
    fetch: {archive: cdaweb, dataset: TS_H1_MFI, parameter: F}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT3H}}
  - id: slow
    compute: {operation: rolling_mean, inputs: {series: mean}, options: {window: PT30H}}
  - id: hourly
    compute: {operation: resample, inputs: {series: slow}, options: {cadence: PT1H}}
  - id: apart
    compute: {operation: difference, inputs: {a: mag, b: other}}
"""
"""Halos over midnight, one of them longer than a partition and on top of another; a day without file, one cut short."""


@pytest.fixture
def gappy(mission) -> None:
    """Seven days of two datasets: the fifth is missing in one, the sixth ends at noon in the other."""
    for number in (1, 2, 3, 4, 6, 7):
        mission.publish(f"2023-01-{number:02d}")
    for number in range(1, 8):
        mission.publish(f"2023-01-{number:02d}", source="TS_H1_MFI", seed=3, records=24 if number == 6 else 48)


CUTS: dict[str, Sequence[tuple[int, int]]] = {
    "day by day, in any order": [(day, 1) for day in (4, 2, 6, 5, 3)],
    "in blocks": [(4, 2), (2, 2), (6, 1)],
    "overlapping": [(3, 3), (2, 5)],
}


@pytest.mark.parametrize("cut", CUTS)
def test_the_cut_does_not_show(make_desk: Callable, make_span: Callable, gappy: None, cut: str) -> None:
    """However the same five days are asked for, every Parquet file is the same, bytes and data version."""
    whole, other = make_desk("whole", CUT), make_desk("other", CUT)
    whole.run(make_span("2023-01-02", 5), name="cut")
    for first, days in CUTS[cut]:
        assert other.run(make_span(f"2023-01-{first:02d}", days), name="cut").status == "success"
    assert other.files() == whole.files()
    assert len(whole.files("cut/hourly")) == 5
    assert set(other.states(make_span("2023-01-02", 5), name="cut")["hourly"].values()) == {"fresh", "empty"}


MONTH = """
version: 1
name: month
partitions: monthly
start: 2023-01-01
steps:
  - id: daily_means
    compute: {operation: resample, inputs: {series: basic/mag}, options: {cadence: P1D}}
"""


def test_another_grain_is_mapped_by_time(make_desk: Callable, mission, make_span: Callable) -> None:
    """A monthly step over a daily one of another pipeline: its days are made first, and every mean is right."""
    desk = make_desk("home")
    desk.save(MONTH)
    report = desk.run(make_span("2023-01-01"), name="month")
    assert (report.status, report.start, report.stop) == ("success", "2023-01-01", "2023-02-01")
    month, days = make_span("2023-01-01", 31), make_span("2023-01-02", 3)
    _, graph = desk.open("month")
    store = desk.workbench().store
    means = read_dataframe(store, graph["month/daily_means"], month).dropna()
    expected = read_dataframe(store, graph["basic/mag"], days).resample("1D").mean()
    np.testing.assert_allclose(means["daily_means"], expected["mag"], rtol=1e-12)
    assert len(means) == 3


@pytest.mark.parametrize("grain", ["hourly", "weekly", "monthly"])
def test_the_grain_does_not_show(make_desk: Callable, make_span: Callable, mission, grain: str) -> None:
    """Hours, weeks or months put together are the days put together, halos over their edges included."""
    desk = make_desk("home")
    text = desk.settings.pipelines.joinpath("basic.yaml").read_text()
    desk.save(text.replace("name: basic", "name: other").replace("daily", grain).replace("2023-01-01", "2022-12-01"))
    span = make_span("2023-01-03")
    desk.run(make_span("2023-01-02", 3))
    assert desk.run(span, name="other").status == "success"
    _, graph = desk.open("other")
    store = desk.workbench().store
    pd.testing.assert_frame_equal(
        read_dataframe(store, graph["other/mean"], span), read_dataframe(store, graph["basic/mean"], span), check_freq=False
    )
