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

from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run import run
from tests.integration.running.conftest import Desk, MakeDesk, Mission
from tests.integration.running.test_events import write_list
from tests.integration.running.test_interruption import PATIENCE_S, processes_of, run_states, wait_for_tables

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
def make_storms(make_desk: MakeDesk, mission: Mission) -> Callable[[str], Desk]:
    """Makes homes with a pipeline over twelve events, each on a day of its own."""
    for day in range(1, 2 + EVENTS):
        mission.publish(f"2023-01-{day:02d}")

    def make(name: str) -> Desk:
        desk = make_desk(name, STORMS)
        write_list(desk, LIST)
        return desk

    return make


def run_all(desk: Desk) -> RunReport:
    """`helio run storms --all`."""
    workbench = desk.workbench()
    try:
        return run(Home(desk.settings).open("storms").event_request(None), workbench)
    finally:
        workbench.close()


def kill_run(desk: Desk, root: Path, count: int, *, is_alone: bool) -> None:
    """Start `helio run storms --all` in processes of its own, and kill it, or all of them, when so many tables are stored."""
    environment = {
        **os.environ,
        "HELIO_HOME": str(desk.settings.home),
        "HELIO_PIPELINES": str(desk.settings.pipelines),
        "HELIO_CDAWEB_URL": desk.settings.cdaweb_url,
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
    wait_for_tables(desk, count, process)
    if is_alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL, "it was over before"


def fresh(desk: Desk) -> set[tuple[str, str]]:
    """(step, partition) of what is up to date."""
    states = desk.states(ALL, name="storms")
    return {(step, key or "") for step, found in states.items() for key, state in found.items() if state == "fresh"}


def made(desk: Desk) -> set[tuple[str, str]]:
    """(step, partition) of the tables that were written since this was last asked."""
    return {("b" if step == "BGSE" else step, "" if step == "list" else key) for step, key in desk.made()}


@pytest.mark.nightly  # by day of a run over days, in `test_interruption`
@pytest.mark.parametrize(
    "kills",
    [[(32, True)], [(1, False)], [(30, False)], [(45, True)], [(3, True), (18, False), (40, True)]],
    ids=["half-way", "early", "with-workers", "late", "again-and-again"],
)
def test_a_killed_run_over_events_is_completed_by_the_same_command(
    make_storms: Callable[[str], Desk], package_root: Path, kills: list[tuple[int, bool]]
) -> None:
    """Same bytes, also over all events; what was up to date at a kill is not made again."""
    undisturbed, desk = make_storms("undisturbed"), make_storms("killed")
    run_all(undisturbed)
    expected = undisturbed.files()
    for count, is_alone in kills:
        kill_run(desk, package_root, count, is_alone=is_alone)
        assert {path: content for path, content in desk.files().items() if content != expected.get(path)} == {}
    done, before = fresh(desk), made(desk)
    assert done <= before, "what is up to date is there"
    report = run_all(desk)
    again = made(desk) & before
    assert report.status == "success"
    assert desk.files() == expected
    assert again & done == set()
    assert len({step for step, _ in again}) <= 1, "only of the step at work was anything not recorded yet"
    assert run_states(desk) == ["SUCCESS", *["FAILURE"] * len(kills)]
    assert fresh(desk) == fresh(undisturbed)
    assert run_all(desk).run_id is None
    assert made(desk) == set()
    deadline = time.monotonic() + PATIENCE_S
    while processes_of(desk):
        assert time.monotonic() < deadline, processes_of(desk)
        time.sleep(0.1)
