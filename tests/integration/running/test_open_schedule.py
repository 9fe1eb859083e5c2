"""A pipeline every five minutes over data in real time: what Dagster's schedule asks for at its ticks, and its run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio_dagster.assets.recording import asset_key
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.due import open_span
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import Site
from tests.integration.running.test_automation import asked_range, launch, tick
from tests.swpc_server import Swpc, field_of_minutes, swpc_server

_PIPELINE = """
version: 1
name: wind
partitions: daily
open: true
start: {start:%Y-%m-%d}
schedule: "*/5 * * * *"
steps:
  - id: b
    fetch: {{archive: swpc, dataset: solar-wind-mag, parameter: b_gsm}}
  - id: mag
    compute: {{operation: magnitude, inputs: {{vector: b}}}}
"""
_OTHER = """
version: 1
name: other
partitions: daily
start: {start:%Y-%m-%d}
schedule: daily
steps:
  - id: b
    fetch: {{archive: swpc, dataset: solar-wind-mag, parameter: b_gsm}}
"""


@pytest.fixture
def server() -> Iterator[Swpc]:
    """The last three days, by the true clock, which is the one that Dagster's runs have."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    with swpc_server(now) as running:
        running.measure(
            "mag", now - timedelta(days=3), now + timedelta(minutes=1), field_of_minutes(lambda minute: minute % 60)
        )
        yield running


@pytest.fixture
def site(tmp_path: Path, fresh_instance: Path, server: Swpc) -> Site:
    """A home with two pipelines over the same days, of which one is open."""
    home = tmp_path / "home"
    shutil.copytree(fresh_instance, home / "dagster")
    site = Site(Settings(home, home / "pipelines", swpc_url=server.url), clock=lambda: datetime.now(UTC))
    start = server.now - timedelta(days=2)
    site.save(_PIPELINE.format(start=start))
    site.save(_OTHER.format(start=start))
    return site


def test_a_tick_runs_the_partition_that_has_begun(site: Site, server: Swpc) -> None:
    """With the one before it; its data reach up to the newest record, and other pipelines of the grain leave it alone."""
    today, yesterday = (Grain.DAILY.key(Grain.DAILY.floor(server.now - timedelta(days=days))) for days in (0, 1))
    schedule = library_definitions(site.settings).get_schedule_def("wind")
    assert schedule.cron_schedule == "*/5 * * * *"
    answer = tick(site, "wind", server.now)
    assert asked_range(answer) == (yesterday, today)
    assert launch(site, "wind", answer.run_requests[0])
    store = site.workbench().store
    mag = store.peek("wind/mag", today)
    assert mag is not None
    assert mag.meta.open_until is not None
    assert mag.meta.maturity == "real-time"
    closed = store.peek("wind/mag", yesterday)
    assert closed is not None
    assert closed.meta.open_until is None
    assert closed.rows == 1440
    assert asked_range(tick(site, "wind", server.now + timedelta(minutes=5))) == (yesterday, today)
    assert tick(site, "other", server.now).run_requests == []
    with open_instance(site.settings) as instance:
        assert instance.get_materialized_partitions(asset_key("wind/mag")) >= {yesterday, today}
    site.close()


def test_which_partitions_a_tick_asks_for() -> None:
    """The one that has begun, the one before it, and all from the newest that was made on, which may not be closed."""
    now = datetime(2026, 3, 9, 14, 5, tzinfo=UTC)
    start = datetime(2026, 3, 1, tzinfo=UTC)

    def span(newest: str | None, moment: datetime = now) -> TimeRange | None:
        return open_span(Grain.DAILY, moment, start=start, newest_made=newest)

    def days(first: int, last: int) -> TimeRange:
        return TimeRange(datetime(2026, 3, first, tzinfo=UTC), datetime(2026, 3, last + 1, tzinfo=UTC))

    assert span(None) == days(8, 9)
    assert span("2026-03-09") == days(8, 9)
    assert span("2026-03-05") == days(5, 9)
    assert span(None, datetime(2026, 3, 1, 0, 5, tzinfo=UTC)) == days(1, 1)
    assert span(None, datetime(2026, 3, 9, tzinfo=UTC)) == days(8, 8)
    assert span("2026-03-01", datetime(2026, 6, 9, 1, tzinfo=UTC)) == TimeRange(
        datetime(2026, 6, 8, tzinfo=UTC), datetime(2026, 6, 10, tzinfo=UTC)
    )
