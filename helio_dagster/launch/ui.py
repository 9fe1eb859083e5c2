"""The web UI of a home: code server, daemon and webserver as three processes that start and stop together."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import httpx

from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.launch.abandoned import end_abandoned_runs
from helio_dagster.launch.instance import LOCATION, open_instance, write_configuration
from helio_dagster.storage.atomic import write_bytes
from helio_dagster.storage.home import Settings

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 15.0


@contextmanager
def web_ui(settings: Settings, *, host: str = "127.0.0.1", port: int = 3000) -> Iterator[WebUi]:
    """The running web UI of a home; all its processes end with the block.

    Raises
    ------
    InputError
        The port is taken.
    HelioError
        One of the processes ended before the page was there.
    """
    if not _is_free(host, port):
        raise InputError(f"port {port} on {host} is in use", hint="Give another one: helio ui --port 3001")
    folder = write_configuration(settings)
    with open_instance(settings) as instance:
        end_abandoned_runs(settings.running, instance)
    code_port = _free_port()
    environment = {
        **os.environ,
        "DAGSTER_HOME": str(folder),
        "HELIO_HOME": str(settings.home),
        "HELIO_PIPELINES": str(settings.pipelines),
        "HELIO_CDAWEB_URL": settings.cdaweb_url,
        "DAGSTER_EVENT_BATCH_SIZE": os.environ.get("DAGSTER_EVENT_BATCH_SIZE", "1000"),
        "PYTHONWARNINGS": "ignore",
    }
    logs = settings.home / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    commands = {
        "code-server": [
            "dagster",
            "code-server",
            "start",
            "--use-python-environment-entry-point",
            "-m",
            "helio_dagster.definitions",
            "-h",
            "127.0.0.1",
            "-p",
            str(code_port),
        ],
        "webserver": [
            "helio_dagster.launch.webserver",
            *("--host", host, "--port", str(port), "--code-server-port", str(code_port)),
        ],
        "daemon": ["dagster._daemon", "run", "--workspace", str(_write_workspace(folder, code_port))],
    }
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in ("code-server", "webserver", "daemon"):
            with (logs / f"{name}.log").open("ab") as log:
                processes[name] = subprocess.Popen(  # noqa: S603 - our own interpreter and arguments
                    [sys.executable, "-m", *commands[name]], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
                )
            if name == "code-server":
                _wait(lambda: not _is_free("127.0.0.1", code_port), processes, logs)
        url = f"http://{host}:{port}"
        _wait(lambda: _answers(f"{url}/server_info"), processes, logs)
        yield WebUi(url, processes, logs)
    finally:
        _stop(list(processes.values()))


class WebUi:
    """A running web UI."""

    def __init__(self, url: str, processes: dict[str, subprocess.Popen[bytes]], logs: Path) -> None:
        self.url = url
        self._processes = processes
        self._logs = logs

    def wait(self) -> None:
        """Block until interrupted; HelioError when one of the processes ends by itself."""
        while True:
            _check_alive(self._processes, self._logs)
            time.sleep(0.5)


def _write_workspace(folder: Path, code_port: int) -> Path:
    """The file that tells the daemon where the code server is, under the name by which the webserver launches runs."""
    path = folder / "workspace.yaml"
    server = {"host": "127.0.0.1", "port": code_port, "location_name": LOCATION}
    write_bytes(path, json.dumps({"load_from": [{"grpc_server": server}]}).encode())
    return path


def _check_alive(processes: dict[str, subprocess.Popen[bytes]], logs: Path) -> None:
    for name, process in processes.items():
        if process.poll() is not None:
            log = logs / f"{name}.log"
            lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
            raise HelioError(
                f"the {name} ended with code {process.returncode}: {lines[-1] if lines else 'no output'}",
                hint=f"Its log is {log}.",
            )


def _wait(is_ready: Callable[[], bool], processes: dict[str, subprocess.Popen[bytes]], logs: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_ready():
        _check_alive(processes, logs)
        if time.monotonic() > deadline:
            raise HelioError(f"the web UI did not start within {START_TIMEOUT_S:.0f} s", hint=f"Its logs are in {logs}.")
        time.sleep(0.2)


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    is_in_background = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # the processes have inherited that
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM if is_in_background else signal.SIGINT)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_free(host: str, port: int) -> bool:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        return probe.connect_ex((host, port)) != 0


def _free_port() -> int:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=2.0).is_success
    except httpx.HTTPError:
        return False
