"""Partitions that are not over: made up to the newest data, made again as these grow, and closed like all others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.rediscovery import Rediscovered, rediscover
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import RunReport, StatusReport
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.citation import cite
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.history import open_history
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.status import status
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Site
from tests.swpc_server import Swpc, field_of_minutes, swpc_server

_DAY = timedelta(days=1)
_START = datetime(2026, 3, 1, tzinfo=UTC)
_NOW = datetime(2026, 3, 9, 14, 5, tzinfo=UTC)
_LAST = _NOW - timedelta(minutes=1)
_TODAY = "2026-03-09"
PIPELINE = """
version: 1
name: wind
partitions: daily
start: 2026-03-01
steps:
  - id: b
    fetch: {archive: swpc, dataset: solar-wind-mag, parameter: b_gsm}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT20M}}
  - id: bins
    compute: {operation: resample, inputs: {series: mag}, options: {cadence: PT10M}}
  - id: overview
    figure: {panels: [{traces: [{data: mag}, {data: mean}]}]}
"""


@pytest.fixture
def server() -> Iterator[Swpc]:
    """Ten days of a field that goes up and down."""
    with swpc_server(_NOW) as running:
        running.measure("mag", _START, _START + 10 * _DAY, field_of_minutes(lambda minute: 5 + 3 * np.sin(minute / 200)))
        yield running


class Wind(Site):
    """A home whose clock is the server's."""

    server: Swpc

    def go(self, day: int | None = 8, days: int = 1, *, is_open: bool = True, refresh: bool = False) -> RunReport:
        """What `helio run` does, by default with `--open`."""
        opened = Home(self.settings).open("wind")
        opened = opened.opened if is_open else opened
        workbench = self.workbench()
        try:
            given = None if day is None else TimeRange(_START + day * _DAY, _START + (day + days) * _DAY)
            now = workbench.clock()
            return run(opened.request(opened.asked_range(given, now), now, refresh=refresh), workbench)
        finally:
            workbench.close()

    def table(self, step: str, key: str = _TODAY) -> Table:
        """What is stored of a step."""
        asset = "swpc/solar-wind-mag/b_gsm" if step == "b" else f"wind/{step}"
        return self.workbench().store.read(asset, key)

    def told(self) -> StatusReport:
        """What `helio status` says of all partitions."""
        pipeline, graph = self.open("wind")
        return status(graph, pipeline, None, self.workbench())


@pytest.fixture
def wind(tmp_path: Path, fresh_instance: Path, workers: Workers, server: Swpc) -> Iterator[Wind]:
    """A home with the pipeline."""
    home = tmp_path / "home"
    shutil.copytree(fresh_instance, home / "dagster")
    site = Wind(Settings(home, home / "pipelines", swpc_url=server.url), clock=lambda: server.now, workers=workers)
    site.save(PIPELINE)
    site.server = server
    yield site
    site.close()


def test_an_open_partition_grows_and_what_it_has_does_not_change(wind: Wind) -> None:
    """Every step holds a beginning of what the closed partition holds, up to when that is certain, and says so."""
    first = wind.go()
    assert (first.status, first.open_until) == ("success", "2026-03-09T13:54Z")
    early = {step: wind.table(step) for step in ("b", "mag", "mean", "bins")}
    ends = {step: table.meta.open_until for step, table in early.items()}
    assert ends == {"b": _LAST, "mag": _LAST, "mean": _LAST - timedelta(minutes=10), "bins": _LAST - timedelta(minutes=10)}
    assert len(early["mean"]) == len(early["mag"]) - 10
    wind.server.now += timedelta(minutes=5)
    wind.made()
    wind.go()
    assert {step for step, _ in wind.made()} >= {"mag", "mean", "b_gsm"}
    wind.server.now = _START + 9 * _DAY + timedelta(minutes=30)
    closed = wind.go(is_open=False)
    assert closed.open_until is None
    for step, table in early.items():
        whole = wind.table(step)
        assert whole.meta.open_until is None
        assert len(table) > 0
        np.testing.assert_array_equal(table.time, whole.time[: len(table)])
        for name, values in table.columns.items():
            np.testing.assert_array_equal(values, whole.columns[name][: len(table)])


def test_a_closed_partition_has_the_same_bytes(wind: Wind, tmp_path: Path, fresh_instance: Path, workers: Workers) -> None:
    """Whether it was run once when it was over, or many times before; so has the day before one that is open."""
    wind.go(7, 2)
    wind.server.now += timedelta(hours=2)
    wind.go(7, 2)
    wind.server.now = _START + 9 * _DAY + timedelta(minutes=30)
    wind.go(7, 2, is_open=False)
    home = tmp_path / "other"
    shutil.copytree(fresh_instance, home / "dagster")
    other = Wind(Settings(home, home / "pipelines", swpc_url=wind.server.url), clock=wind.clock, workers=workers)
    other.save(PIPELINE)
    other.go(7, 2, is_open=False)
    assert other.files() == wind.files()
    other.close()


def test_nothing_new_costs_nothing(wind: Wind) -> None:
    """A run a moment later asks the archive, and makes nothing from the same records."""
    wind.go()
    wind.made()
    report = wind.go()
    assert (report.steps["mag"].reused, report.steps["mean"].reused, report.steps["overview"].reused) == (1, 1, 1)
    assert {step for step, _ in wind.made()} <= {"b_gsm"}


def test_status_says_what_is_open_and_since_when(wind: Wind) -> None:
    """Until it is closed a partition is stale, with the time it has data up to; afterwards it is fresh."""
    wind.go(7, 2)
    found = {asset.step: {each.key: each for each in asset.partitions} for asset in wind.told().assets}
    assert found["b"][_TODAY].state == "stale"
    assert found["b"][_TODAY].why == ["open, with data up to 2026-03-09T14:04Z"]
    assert found["b"]["2026-03-08"].state == "fresh"
    wind.server.now = _START + 9 * _DAY + timedelta(minutes=30)
    wind.go(7, 2, is_open=False)
    assert {each.state for asset in wind.told().assets for each in asset.partitions} == {"fresh"}


def test_a_partition_is_not_closed_before_its_last_records_are_there(wind: Wind) -> None:
    """Seconds after midnight the last minutes are still missing: the day stays open, and a later run has them."""
    wind.server.now, wind.server.latency = _START + 9 * _DAY + timedelta(seconds=30), timedelta(minutes=3)
    report = wind.go(is_open=False)
    assert report.open_until is not None
    assert len(wind.table("b")) == 1438
    wind.server.now += timedelta(minutes=5)
    assert wind.go(is_open=False).open_until is None
    assert len(wind.table("b")) == 1440


def test_without_open_a_partition_that_is_not_over_is_refused(wind: Wind) -> None:
    """The message names the way; what has not even begun is refused in either case."""
    with pytest.raises(InputError, match="is not over yet") as refused:
        wind.go(is_open=False)
    assert "--open" in refused.value.hint
    with pytest.raises(InputError, match="is not over yet"):
        wind.go(9)


def test_a_file_that_says_open(wind: Wind) -> None:
    """`open: true` does what `--open` does; without a range, the partition that has begun is run."""
    wind.save(PIPELINE.replace("start:", "open: true\nstart:"))
    report = wind.go(None, is_open=False)
    assert (report.partitions, report.open_until) == ([_TODAY], "2026-03-09T13:54Z")


def test_the_figure_says_what_it_shows(wind: Wind) -> None:
    """Real-time data, complete up to a time; of the closed day only the first."""
    page = Path(wind.go().figures[0].html).read_text()
    assert "real-time data" in page
    assert "complete up to 2026-03-09T13:54Z" in page
    wind.server.now = _START + 9 * _DAY + timedelta(minutes=30)
    page = Path(wind.go(is_open=False).figures[0].html).read_text()
    assert "real-time data" in page
    assert "complete up to" not in page


def test_data_stay_when_the_archive_has_forgotten_them(wind: Wind) -> None:
    """Weeks later a closed day is reused; one that was never closed fails with a message, and its table stays."""
    wind.go(7, 2)
    before = wind.files()
    wind.server.now += 20 * _DAY
    report = wind.go(7, 2, is_open=False)
    assert report.steps["b"].reused == 1
    assert "SWPC keeps only the last 7 days" in report.failures[0].error
    assert wind.files() == before


def test_who_is_credited_and_for_what(wind: Wind) -> None:
    """The archive by its name; the data as what they are."""
    wind.go()
    pipeline, graph = wind.open("wind")
    found = cite(graph, pipeline, None, wind.workbench())
    (dataset,) = found.datasets
    assert (dataset.maturity, dataset.unread, dataset.unknown) == ("real-time", 0, "")
    assert "Space Weather Prediction Center" in found.archives["swpc"]
    assert "real-time data, which are not definitive" in " ".join(str(found).split())


def test_what_is_read_from_files_is_what_was_recorded(wind: Wind) -> None:
    """A lost record is recovered with the same fingerprints: what was open is open, what was closed is closed."""
    wind.go(7, 2)
    _, graph = wind.open("wind")
    with open_history(wind.settings) as history:
        for name in ("swpc/solar-wind-mag/b_gsm", "wind/mag"):
            recorded = history.latest(name, ["2026-03-08", _TODAY])
            for key, record in recorded.items():
                found = rediscover(graph[name], key, wind.workbench().store)
                assert isinstance(found, Rediscovered)
                assert found.materialization.record.inputs == record.inputs
