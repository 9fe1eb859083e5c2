"""Commands whose process is killed or whose terminal is closed, with real signals: every process below them ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings
from tests.ports import free_port
from tests.scenario.processes import ROOT, Terminal
from tests.scenario.test_web_ui import LAUNCH, ask, range_run
from tests.security.processes import descendants, end, status
from tests.tiers import by_day

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")

PATIENCE_S = 120
ENDLESS = """
version: 1
name: storm
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: mean
    compute: {inputs: {b: b}, unit: nT, code: "while True:\\n    pass\\nreturn b"}
  - id: overview
    figure:
      panels:
        - traces: [{data: b}, {data: mean}]
"""

Open = Callable[..., Terminal]
Start = Callable[..., subprocess.Popen[str]]
Process = subprocess.Popen[str] | subprocess.Popen[bytes]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A home whose pipeline never comes to its end."""
    made = Settings(tmp_path / "home", tmp_path / "pipelines")
    made.pipelines.mkdir()
    (made.pipelines / "storm.yaml").write_text(ENDLESS)
    return made


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `helio` in a folder that holds a module of somebody else's under Dagster's name."""
    (tmp_path / "dagster.py").write_text("raise SystemExit('a module of the working directory was imported')")
    begun: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HELIO_HOME": "home", "HELIO_PIPELINES": "pipelines"}
        command = [sys.executable, "-P", "-m", "helio_dagster", *arguments]
        out, err = subprocess.PIPE, subprocess.STDOUT
        begun.append(subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, stdout=out, stderr=err))
        return begun[-1]

    yield begin
    for process in begun:
        end({*descendants(process.pid), process.pid})


def wait_until(holds: Callable[[], bool], process: Process) -> None:
    """Return when something holds; the process must live until then."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)


def has_below(process: Process, words: str) -> bool:
    """Whether a program with these words in its command line runs below a process."""
    return any(words in command_line(pid) for pid in descendants(process.pid))


def command_line(pid: int) -> str:
    """Words of a process's command line; none where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def wait_until_gone(pids: set[int]) -> None:
    """Return when all of these have ended; a dead one that nobody has buried counts as ended."""
    deadline = time.monotonic() + PATIENCE_S
    while left := {pid for pid in pids if status(pid).get("State", "Z")[:1] != "Z"}:
        assert time.monotonic() < deadline, [command_line(pid) for pid in left]
        time.sleep(0.1)


@pytest.mark.nightly  # by day: it leaves none when it is stopped, in `test_web_ui`, and a killed run leaves none, below
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP])
def test_the_web_ui_leaves_no_process(number: signal.Signals, settings: Settings, start: Start) -> None:
    """Webserver, code server, daemon and a run that goes on end with `helio ui`, and the run is recorded as failed."""
    port = free_port()
    process = start("ui", "--port", str(port))
    assert process.stdout is not None
    assert any("Ctrl-C stops" in line for line in iter(process.stdout.readline, ""))
    assert ask(f"http://127.0.0.1:{port}", LAUNCH, range_run())["launchRun"]["__typename"] == "LaunchRunSuccess"
    wait_until(lambda: has_below(process, "sandbox.worker"), process)
    below = descendants(process.pid)
    assert len(below) >= 6
    process.send_signal(number)
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in said
    wait_until_gone(below)
    with open_instance(settings) as instance:
        assert [run.status.value for run in instance.get_runs()] == ["FAILURE"]


def test_a_killed_run_leaves_no_workers(settings: Settings, start: Start) -> None:
    """What decodes files and runs code ends when `helio run` is killed, in the midst of endless code."""
    process = start("run", "storm", "2003-10-29")
    wait_until(lambda: has_below(process, "sandbox.worker"), process)
    below = descendants(process.pid)
    process.kill()
    process.communicate()
    wait_until_gone(below)


def test_ctrl_c_stops_a_run_and_the_conversation_goes_on(settings: Settings, terminal: Open) -> None:
    """What is finished is kept and the prompt comes back; a second Ctrl-C at the prompt leaves. No process stays."""
    folder = settings.home.parent
    shown = terminal("chat", "--archive", "demo", "run storm for 2003-10-29", folder=folder, HELIO_HOME="home")
    wait_until(lambda: has_below(shown.process, "sandbox.worker"), shown.process)
    shown.press("C")
    told = shown.until("say> ")
    assert "Stopped. What is finished is kept. Say `retry` to continue, or say something else." in told
    assert "Traceback" not in told
    shown.type("remove the mean")
    shown.until("reject> ")
    shown.type("yes")
    assert "b: 1 reused" in shown.until("say> ")
    below = descendants(shown.process.pid)
    shown.press("C")
    assert shown.end() == 0
    wait_until_gone(below)
    with open_instance(settings) as instance:
        assert sorted(run.status.value for run in instance.get_runs()) == ["FAILURE", "SUCCESS"]


def test_a_conversation_that_is_killed_in_a_run_ends(settings: Settings, terminal: Open) -> None:
    """`kill` is not Ctrl-C: the process ends with 1, and says how to continue."""
    folder = settings.home.parent
    shown = terminal("chat", "--archive", "demo", "run storm for 2003-10-29", folder=folder, HELIO_HOME="home")
    wait_until(lambda: has_below(shown.process, "sandbox.worker"), shown.process)
    below = descendants(shown.process.pid)
    shown.process.send_signal(signal.SIGTERM)
    shown.until("continue with `helio chat --session")
    assert shown.end() == 1
    wait_until_gone(below)


@pytest.mark.parametrize("number", by_day([signal.SIGKILL, signal.SIGHUP], signal.SIGKILL))
def test_a_served_folder_leaves_no_worker(number: signal.Signals, start: Start, shared_data: Path) -> None:
    """The process that decodes the files of `helio archive serve` ends with it."""
    file = next((shared_data / "cdf").glob("ac_h0_mfi*.cdf"))
    port = free_port()
    process = start("archive", "serve", str(file.parent), "--port", str(port))
    url = f"http://127.0.0.1:{port}/hapi/info?id=AC_H0_MFI"
    wait_until(lambda: answers(url), process)
    below = descendants(process.pid)
    assert below
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    wait_until_gone(below)


@pytest.mark.skipif(not Path("/usr/bin/unshare").is_file(), reason="unshare of util-linux is needed")
def test_a_read_only_home_is_told(settings: Settings) -> None:
    """`helio ui` on a home that cannot be written: one message with the remedy, and nothing is started."""
    with open_instance(settings):
        pass
    read_only = f"mount --bind '{settings.home}' '{settings.home}' && mount -o remount,ro,bind '{settings.home}'"
    done = subprocess.run(
        ["/usr/bin/unshare", "-rm", "sh", "-c", f"{read_only} || exit 77; exec {sys.executable} -P -m helio_dagster ui"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "HELIO_HOME": str(settings.home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr}")
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert lines[1:] == [
        f"cannot use {settings.home}: Read-only file system",
        "  The file system is read-only: set HELIO_HOME to a folder on another one.",
    ]


def answers(url: str) -> bool:
    """Whether a server is there and has given an answer."""
    try:
        return httpx.get(url, timeout=PATIENCE_S).is_success
    except httpx.TransportError:
        return False
