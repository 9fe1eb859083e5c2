"""What a run is said to cost before it starts, held to what it then costs."""

from __future__ import annotations

import pytest

from helio_dagster.domain.report import Estimate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.estimate import estimate
from helio_dagster.launch.running.request import RunRequest, resolve_span
from helio_dagster.launch.running.run_plan import plan_run
from tests.integration.running.conftest import MakeSpan, Mission, Site

DAYS = 14


@pytest.fixture
def fortnight(mission: Mission) -> None:
    """Fourteen days of data from 2023-01-02."""
    for number in range(2, 2 + DAYS):
        mission.publish(f"2023-01-{number:02d}")


def ahead(site: Site, span: TimeRange, *, force: bool = False) -> Estimate:
    """What is ahead of a run."""
    pipeline, graph = site.open()
    workbench = site.workbench()
    try:
        request = RunRequest(graph, pipeline, resolve_span(graph, pipeline, span, workbench.clock()), force=force)
        return estimate(request, workbench, plan_run(request, workbench))
    finally:
        workbench.close()


@pytest.mark.usefixtures("fortnight")
def test_downloads_are_told_to_the_byte(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """All files of the range, with the neighbours that the mean reads; nothing is downloaded for it; and none afterwards."""
    span = make_span("2023-01-02", DAYS)
    found = ahead(site, span)
    assert mission.server.count(".cdf") == 0
    assert (found.files, found.at_hand) == (DAYS, 0)
    site.run(span)
    assert found.download_bytes == sum(path.stat().st_size for path in site.settings.cache.rglob("*.cdf"))
    written = site.made()
    assert found.partitions == len(written)
    done = ahead(site, span)
    assert (done.partitions, done.files, done.download_bytes, done.disk_bytes) == (0, 0, 0, 0)


@pytest.mark.usefixtures("fortnight")
def test_disk_is_told_from_what_is_stored(site: Site, make_span: MakeSpan) -> None:
    """After two days, within a tenth of what the others then take."""
    first, rest = make_span("2023-01-02", 2), make_span("2023-01-04", 12)
    site.run(first)
    before = size_of(site)
    found = ahead(site, rest)
    site.run(rest)
    assert found.disk_bytes is not None
    assert abs(size_of(site) - before - found.disk_bytes) < 0.1 * found.disk_bytes


def size_of(site: Site) -> int:
    """Bytes of tables and downloads."""
    return sum(path.stat().st_size for folder in (site.settings.data, site.settings.cache) for path in folder.rglob("*.[cp]*"))


@pytest.mark.usefixtures("fortnight")
def test_a_forced_run_costs_no_download(site: Site, make_span: MakeSpan) -> None:
    """All partitions asked for, from files that are at hand."""
    span = make_span("2023-01-02", DAYS)
    site.run(span)
    found = ahead(site, span, force=True)
    assert (found.partitions, found.files, found.at_hand, found.download_bytes) == (3 * DAYS, DAYS, DAYS, 0)


def test_an_archive_that_cannot_be_asked_is_told(site: Site, mission: Mission, span: TimeRange) -> None:
    """The estimate says so and does not stand in the way of the run."""
    mission.server.close()
    found = ahead(site, span)
    assert found.problem
    assert (found.partitions > 0, found.download_bytes, found.disk_bytes) == (True, None, None)
