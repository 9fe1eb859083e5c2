"""Runs that are killed, and runs that meet: nothing is lost, and the bytes are those of one undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import MakeSpan, Mission, Site
from tests.tiers import by_day

FIRST, STOP, DAYS = "2023-01-02", "2023-01-16", 14
PATIENCE_S = 120


@pytest.fixture
def fortnight(mission: Mission) -> None:
    """Fourteen days of data."""
    for number in range(2, 2 + DAYS):
        mission.publish(f"2023-01-{number:02d}")


@pytest.fixture
def start_run(package_root: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts `helio run basic` over the fortnight in a process of its own, after what a shell does before."""

    def start(site: Site, before: str = ":") -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "HELIO_HOME": str(site.settings.home),
            "HELIO_PIPELINES": str(site.settings.pipelines),
            "HELIO_CDAWEB_URL": site.settings.cdaweb_url,
        }
        words = [sys.executable, "-m", "helio_dagster", "run", "basic", FIRST, STOP, "--json"]
        command = ["/bin/sh", "-c", f'{before}; exec "$@"', "sh", *words]
        return subprocess.Popen(
            command, cwd=package_root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    return start


def wait_for_tables(site: Site, count: int, process: subprocess.Popen[str]) -> None:
    """Return as soon as so many tables are stored, or the process has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while len(list(site.settings.data.rglob("*.parquet"))) < count and process.poll() is None:
        assert time.monotonic() < deadline, "the run stores nothing"
        time.sleep(0.01)


def processes_of(site: Site) -> list[str]:
    """Command lines of the processes that were started for a home."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                if f"HELIO_HOME={site.settings.home}\0".encode() in (folder / "environ").read_bytes() + b"\0":
                    found.append((folder / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue  # gone meanwhile, or not ours
    return [line for line in found if line]


def run_states(site: Site) -> list[str]:
    """State of each Dagster run of a home, the newest first."""
    with open_instance(site.settings) as instance:
        return [run.status.value for run in instance.get_runs()]


@pytest.mark.parametrize("count", by_day([1, 20, 40], 20), ids=["early", "half-way", "late"])
def test_a_killed_run_is_completed_by_the_same_command(
    make_site: Callable, fortnight: None, start_run: Callable[..., subprocess.Popen[str]], make_span: MakeSpan, count: int
) -> None:
    """Kill -9 early, half-way and late: no half table, process or open run stays, and the same bytes are made."""
    undisturbed = make_site("undisturbed")
    undisturbed.run(make_span(FIRST, DAYS))
    expected = undisturbed.files()
    site = make_site("killed")
    process = start_run(site)
    wait_for_tables(site, count, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert {path: content for path, content in site.files().items() if content != expected[path]} == {}
    report = site.run(make_span(FIRST, DAYS))
    assert report.status == "success"
    assert site.files() == expected
    assert run_states(site) == ["SUCCESS", "FAILURE"]
    assert set(site.states(make_span(FIRST, DAYS))["mean"].values()) == {"fresh"}
    deadline = time.monotonic() + PATIENCE_S
    while processes_of(site):
        assert time.monotonic() < deadline, processes_of(site)
        time.sleep(0.1)


def test_two_runs_at_once_both_succeed(
    make_site: Callable, fortnight: None, start_run: Callable[..., subprocess.Popen[str]], make_span: MakeSpan
) -> None:
    """On the same partitions of one home: both end well, the bytes are those of one run, and all is recorded as fresh."""
    undisturbed, shared = make_site("undisturbed"), make_site("shared")
    undisturbed.run(make_span(FIRST, DAYS))
    runs = [start_run(shared) for _ in range(2)]
    said = [run.communicate(timeout=PATIENCE_S) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    assert [json.loads(out)["status"] for out, _ in said] == ["success", "success"]
    assert shared.files() == undisturbed.files()
    assert set(run_states(shared)) == {"SUCCESS"}, "neither took the other for dead"
    assert set(shared.states(make_span(FIRST, DAYS))["mean"].values()) == {"fresh"}
    assert shared.run(make_span(FIRST, DAYS)).run_id is None


@pytest.mark.parametrize("number", by_day([signal.SIGINT, signal.SIGTERM, signal.SIGHUP], signal.SIGINT))
def test_an_interrupted_run_says_how_to_go_on(
    number: signal.Signals, make_site: Callable, fortnight: None, start_run: Callable[..., subprocess.Popen[str]]
) -> None:
    """Ctrl-C, `kill`, a closed terminal: exit 1, one clear line, no traceback, no process left; what was finished is kept."""
    site = make_site("interrupted")
    process = start_run(site)
    wait_for_tables(site, 4, process)
    process.send_signal(number)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "run the same command again" in said
    assert "Traceback" not in said
    assert site.files()
    assert processes_of(site) == []


def test_a_run_in_the_background_is_stopped_by_kill(
    make_site: Callable, fortnight: None, start_run: Callable[..., subprocess.Popen[str]]
) -> None:
    """A shell without job control has it ignore Ctrl-C; SIGTERM stops it all the same, during Dagster's work and before."""
    site = make_site("background")
    process = start_run(site, before='trap "" INT')
    wait_for_tables(site, 4, process)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, "run the same command again" in said) == (1, True)
