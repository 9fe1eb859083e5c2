"""Runs over events that are killed: the same command completes them; the bytes are those of one undisturbed run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.assets.writing.table_writer import MANY_TABLES
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run import run
from tests.integration.running.conftest import MakeSite, Mission, Site
from tests.integration.running.test_events import write_list
from tests.integration.running.test_interruption import PATIENCE_S, processes_of, run_states, wait_for_tables
from tests.tiers import by_day

EVENTS = 12
STORMS = """
version: 1
name: storms
partitions: {events: list, before: PT2H, after: PT4H}
steps:
  - id: list
    events: {file: lists/storms.csv, source: by hand}
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
  - id: stack
    compute: {operation: superposed_epoch, inputs: {series: mag, events: list}, options: {before: PT2H, after: PT4H, bin: PT1H}}
  - id: all
    over: range
    compute: {operation: epoch_statistics, inputs: {events: stack}}
"""
LIST = "start,stop\n" + "".join(f"2023-01-{day:02d}T{day:02d}:30Z,\n" for day in range(2, 2 + EVENTS))
ALL = TimeRange(datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 15, tzinfo=UTC))


@pytest.fixture
def make_storms(make_site: MakeSite, mission: Mission) -> Callable[[str], Site]:
    """Makes homes with a pipeline over twelve events, each on a day of its own."""
    for day in range(1, 2 + EVENTS):
        mission.publish(f"2023-01-{day:02d}")

    def make(name: str) -> Site:
        site = make_site(name, STORMS)
        write_list(site, LIST)
        return site

    return make


def run_all(site: Site) -> RunReport:
    """`helio run storms --all`."""
    workbench = site.workbench()
    try:
        return run(Home(site.settings).open("storms").event_request(None), workbench)
    finally:
        workbench.close()


def kill_run(site: Site, root: Path, count: int, *, is_alone: bool, has_writer: bool = False) -> None:
    """Start `helio run storms --all` in processes of its own, and kill it, or all of them, when so many tables are stored."""
    environment = {
        **os.environ,
        "HELIO_HOME": str(site.settings.home),
        "HELIO_PIPELINES": str(site.settings.pipelines),
        "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "helio_dagster", "run", "storms", "--all", "--json"],
        cwd=root,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    wait_for_tables(site, count, process)
    assert bool(writer_of(site)) == has_writer
    if is_alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it was over before"


def writer_of(site: Site) -> list[str]:
    """Command lines of the processes that write tables for the runs of a home."""
    return [line for line in processes_of(site) if "helio_dagster.assets.writing.worker" in line]


def fresh(site: Site) -> set[tuple[str, str]]:
    """(step, partition) of what is up to date."""
    states = site.states(ALL, name="storms")
    return {(step, key or "") for step, found in states.items() for key, state in found.items() if state == "fresh"}


def made(site: Site) -> set[tuple[str, str]]:
    """(step, partition) of the tables that were written since this was last asked."""
    return {("b" if step == "BGSE" else step, "" if step == "list" else key) for step, key in site.made()}


@pytest.mark.nightly  # by day of a run over days, in `test_interruption`
@pytest.mark.parametrize(
    "kills",
    [[(32, True)], [(1, False)], [(30, False)], [(45, True)], [(3, True), (18, False), (40, True)]],
    ids=["half-way", "early", "with-workers", "late", "again-and-again"],
)
def test_a_killed_run_over_events_is_completed_by_the_same_command(
    make_storms: Callable[[str], Site], package_root: Path, kills: list[tuple[int, bool]]
) -> None:
    """Same bytes, also over all events; what was up to date at a kill is not made again."""
    undisturbed, site = make_storms("undisturbed"), make_storms("killed")
    run_all(undisturbed)
    expected = undisturbed.files()
    for count, is_alone in kills:
        kill_run(site, package_root, count, is_alone=is_alone)
        assert {path: content for path, content in site.files().items() if content != expected.get(path)} == {}
    done, before = fresh(site), made(site)
    assert done <= before, "what is up to date is there"
    report = run_all(site)
    again = made(site) & before
    assert report.status == "success"
    assert site.files() == expected
    assert again & done == set()
    assert len({step for step, _ in again}) <= 1, "only of the step at work was anything not recorded yet"
    assert run_states(site) == ["SUCCESS", *["FAILURE"] * len(kills)]
    assert fresh(site) == fresh(undisturbed)
    assert run_all(site).run_id is None
    assert made(site) == set()
    deadline = time.monotonic() + PATIENCE_S
    while processes_of(site):
        assert time.monotonic() < deadline, processes_of(site)
        time.sleep(0.1)


@pytest.mark.parametrize("is_alone", by_day([True, False], True), ids=lambda alone: "run" if alone else "run-and-writer")
def test_a_run_that_is_killed_while_another_process_writes_for_it(
    make_storms: Callable[[str], Site], package_root: Path, is_alone: bool
) -> None:
    """So many small tables are written by a process of their own: it ends with the run, no table is half-written."""
    undisturbed, site = make_storms("undisturbed"), make_storms("killed")
    hourly = "start,stop\n" + "".join(
        f"2023-01-{day:02d}T{hour:02d}:30Z,\n" for day in range(2, 14) for hour in range(3, 20, 3)
    )
    for each in (undisturbed, site):
        write_list(each, hourly)
    run_all(undisturbed)
    expected = undisturbed.files()
    assert len(expected) > MANY_TABLES
    kill_run(site, package_root, 100, is_alone=is_alone, has_writer=True)
    deadline = time.monotonic() + PATIENCE_S
    while writer_of(site):
        assert time.monotonic() < deadline, "it goes on without the run"
        time.sleep(0.02)
    assert {path: content for path, content in site.files().items() if content != expected.get(path)} == {}
    assert run_all(site).status == "success"
    assert site.files() == expected
