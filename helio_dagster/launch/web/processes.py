"""The processes of Dagster over one code server of a home: start them, watch them, end them together."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import helio_dagster
from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.record.abandoned import end_abandoned_runs
from helio_dagster.launch.record.instance import LOCATION, open_instance, write_configuration
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.settings import Settings

_START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 15.0
_TURNS_OF_A_LOOK = 10
_LONGEST_FOLDER_BYTES = 64
_CODE_SERVER = "code-server"


def prepare(settings: Settings) -> None:
    """Make a home ready for Dagster's processes: its configuration and tables, and an end to the runs of killed processes.

    Raises
    ------
    StorageError
        The home cannot be written, or its record cannot be used.
    """
    _writable_logs(settings)
    write_configuration(settings)
    with open_instance(settings) as instance:
        end_abandoned_runs(settings, instance)


class Processes:
    """Processes over one code server.

    Parameters
    ----------
    settings
        The home, which is prepared.
    private
        A folder for their sockets and temporary files.
    whose
        What the code server serves, where a home may have several; its log is named after it.
    """

    def __init__(self, settings: Settings, private: Path, whose: str = "") -> None:
        self.code_server, self.private = private / "code", private
        self._settings, self._whose = settings, whose
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._keep: Callable[[], None] = lambda: None
        environment = environment_of_processes(settings, settings.instance)
        self._environment = {**environment, "TMPDIR": str(private)}  # where Dagster puts its own sockets

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start one: a module and its arguments. It ends with this process however that ends."""
        with self.log_of(name).open("ab") as words:
            self._running[name] = _start(command, self._environment, self._settings.instance, words.fileno())

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        """Wait until something is so; raises HelioError if a process ends, or if it takes too long."""
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not is_ready():
            self.check()
            if time.monotonic() > deadline:
                hint = f"Its logs are in {self._settings.logs}."
                raise HelioError(f"Dagster did not start within {_START_TIMEOUT_S:.0f} s", hint=hint)
            time.sleep(0.2)

    def check(self) -> None:
        """Raise HelioError if one of them has ended."""
        for name, process in self._running.items():
            if process.poll() is not None:
                log = self.log_of(name)
                lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
                reason = lines[-1] if lines else "no output"
                raise HelioError(f"the {name} ended with code {process.returncode}: {reason}", hint=f"Its log is {log}.")

    def watch(self) -> None:
        """Block until interrupted; raises HelioError if one of them ends by itself, or must not run any more."""
        for turn in itertools.count():
            self.check()
            if turn % _TURNS_OF_A_LOOK == 0:
                self._keep()
            time.sleep(0.5)

    def run_only_while(self, keep: Callable[[], None]) -> None:
        """Call something every few seconds of `watch`, which raises HelioError if the processes must not run any more."""
        self._keep = keep

    def log_of(self, name: str) -> Path:
        """The file of what one of them says."""
        named = f"{name}-of-{self._whose}" if self._whose and name == _CODE_SERVER else name
        return self._settings.logs / f"{named}.log"

    def write_workspace(self) -> Path:
        """The file that gives Dagster the code server's address, under the location name with which runs are launched."""
        path = self.private / "workspace.yaml"
        server = {"socket": str(self.code_server), "location_name": LOCATION}
        write_bytes(path, json.dumps({"load_from": [{"grpc_server": server}]}).encode())
        return path

    @property
    def pids(self) -> list[int]:
        """The ids of the processes; each leads a session of its own."""
        return [process.pid for process in self._running.values()]

    def end(self) -> None:
        """End all of them and what they started."""
        _stop(list(self._running.values()))


@contextmanager
def code_served(settings: Settings, whose: str = "") -> Iterator[Processes]:
    """A code server that answers, over which other processes can be started; all of them end with the block.

    Parameters
    ----------
    settings
        The home, which is prepared.
    whose
        See `Processes`.

    Raises
    ------
    HelioError
        It ended before it answered.
    """
    folder = tempfile.TemporaryDirectory(prefix="helio-", dir=_folder_of_sockets(), ignore_cleanup_errors=True)
    with folder as private:
        processes = Processes(settings, Path(private), whose)
        try:
            serving = ["--use-python-environment-entry-point", "-m", "helio_dagster.definitions"]
            command = ["dagster", "code-server", "start", *serving, "--socket", str(processes.code_server)]
            processes.start(_CODE_SERVER, command)
            processes.wait_until(lambda: _listens(processes.code_server))
            yield processes
        finally:
            processes.end()


def environment_of_processes(settings: Settings, folder: Path) -> dict[str, str]:
    """The environment of this process, with the settings fixed and no modules imported from the current folder."""
    ours = str(Path(helio_dagster.__file__).parents[1])
    return {
        **os.environ,
        "DAGSTER_HOME": str(folder),
        **settings.to_environment(),
        "DAGSTER_EVENT_BATCH_SIZE": os.environ.get("DAGSTER_EVENT_BATCH_SIZE", "1000"),
        "PYTHONWARNINGS": "ignore",
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, (ours, os.environ.get("PYTHONPATH", "")))),
    }


def _start(command: Sequence[str], environment: Mapping[str, str], folder: Path, words: int) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one, in its own process group, with its output in an open file."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
        [sys.executable, "-m", "helio_dagster.launch.web.lifeline", *command],
        cwd=folder,
        env=environment,
        stdout=words,
        stderr=words,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )


def _folder_of_sockets() -> str:
    """The folder for temporary files, or a shorter one: the system limits the length of a socket's path."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _LONGEST_FOLDER_BYTES else "/tmp"  # noqa: S108 - what is made in it is closed


def _writable_logs(settings: Settings) -> None:
    """Make the folder of logs and check that it is writable."""
    try:
        settings.logs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.logs):
            pass
    except OSError as error:
        raise storage_error(error, settings.home) from error


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask all processes and their children to stop, then kill them."""
    for process in processes:
        if process.poll() is None:
            _signal_group(process, signal.SIGINT)
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.1, deadline - time.monotonic()))
        _signal_group(process, signal.SIGKILL)  # its children may outlive it, as a code server's own server does
        process.wait()
        if process.stdin is not None:
            process.stdin.close()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _listens(path: Path) -> bool:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        return probe.connect_ex(str(path)) == 0
