"""The web UI of a home: code server, daemon and webserver as three processes that start and stop together."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import httpx

import helio_dagster
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.launch.record.abandoned import end_abandoned_runs
from helio_dagster.launch.record.instance import LOCATION, open_instance, write_configuration
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.page_guard import ANY_ADDRESS
from helio_dagster.resources.postgres_connection import only_daemon
from helio_dagster.storage.atomic import storage_error, write_bytes
from helio_dagster.storage.setting_names import SETTING_NAMES
from helio_dagster.storage.settings import Settings

START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 15.0
_LONGEST_FOLDER_BYTES = 64
_OTHER_ADDRESS = "Give an address of this machine and a port above 1023: helio ui --host 127.0.0.1 --port 3001"


@contextmanager
def web_ui(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 3000,
    allowed_hosts: Sequence[str] = (),
    archive: str = "cdaweb",
    token: str | None = None,
) -> Iterator[WebUi]:
    """The running web UI of a home; all its processes end with the block, and with this process however it ends.

    Parameters
    ----------
    host, port
        The address of the page.
    allowed_hosts
        Further names under which it may be requested, such as that of a proxy.
    archive
        The archive of new conversations.
    token
        The token of the home's server, where clients must have it.

    Raises
    ------
    InputError
        The port is taken, or the address does not belong to this machine.
    StorageError
        The home cannot be written, or another web UI runs on the shared record.
    HelioError
        One of the processes ended before the page was ready.
    """
    _check_address(host, port)
    logs = _writable_logs(settings.home)
    folder = write_configuration(settings)
    with open_instance(settings) as instance:
        end_abandoned_runs(settings, instance)
    processes: dict[str, subprocess.Popen[bytes]] = {}
    alone = only_daemon(settings.postgres) if settings.postgres is not None else nullcontext()
    closed_to_others = tempfile.TemporaryDirectory(prefix="helio-", dir=_folder_of_sockets(), ignore_cleanup_errors=True)
    with alone, closed_to_others as private:
        code_server = Path(private) / "code"
        environment = {**environment_of_processes(settings, folder), "TMPDIR": private}  # where Dagster puts its own sockets
        commands = _commands(_write_workspace(Path(private), code_server), code_server, host, port, allowed_hosts, archive)
        commands["webserver"] += ["--token"] if token is not None else []
        try:
            for name in ("code-server", "webserver", "daemon"):
                processes[name] = _start(commands[name], environment, folder, logs / f"{name}.log")
                if name == "code-server":
                    _wait(lambda: _listens(code_server), processes, logs)
            url = _url(host, port)
            _wait(lambda: _answers(f"{url}{DAGSTER}/server_info", token), processes, logs)
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
        """Block until interrupted; raise HelioError if one of the processes ends by itself."""
        while True:
            _check_alive(self._processes, self._logs)
            time.sleep(0.5)


def _commands(
    workspace: Path, code_server: Path, host: str, port: int, allowed_hosts: Sequence[str], archive: str
) -> dict[str, list[str]]:
    """Module and arguments of each process."""
    allowed = [part for name in allowed_hosts for part in ("--allow-host", name)]
    given = [part for name in SETTING_NAMES if os.environ.get(name.variable) for part in ("--given", name.variable)]
    serving = ["--use-python-environment-entry-point", "-m", "helio_dagster.definitions", "--socket", str(code_server)]
    return {
        "code-server": ["dagster", "code-server", "start", *serving],
        "webserver": [
            "helio_dagster.serve.webserver",
            *("--host", host, "--port", str(port), "--code-server", str(code_server)),
            *("--folder", str(Path.cwd()), "--temporary", tempfile.gettempdir(), "--archive", archive, *allowed, *given),
        ],
        "daemon": ["dagster._daemon", "run", "--workspace", str(workspace)],
    }


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


def _start(command: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one, in its own process group, with its output in a log file."""
    with log.open("ab") as words:
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


def _writable_logs(home: Path) -> Path:
    """The folder of logs, after checking that it is writable."""
    logs = home / "logs"
    try:
        logs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=logs):
            return logs
    except OSError as error:
        raise storage_error(error, home) from error


def _write_workspace(folder: Path, code_server: Path) -> Path:
    """The file that gives the daemon the code server's address, under the location name with which runs are launched."""
    path = folder / "workspace.yaml"
    server = {"socket": str(code_server), "location_name": LOCATION}
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
    """Ask all processes and their children to stop, then kill them."""
    for process in processes:
        if process.poll() is None:
            _signal_group(process, signal.SIGINT)
    deadline = time.monotonic() + STOP_TIMEOUT_S
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


def _check_address(host: str, port: int) -> None:
    """Check that the page can be served there."""
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(f"there is no address {host!r} on this machine", hint="Give one: helio ui --host 127.0.0.1") from error
    faults = [_fault_of_address(*each) for each in found]
    if any(fault is not None and fault.errno == errno.EADDRINUSE for fault in faults):
        raise InputError(
            f"port {port} on {host} is in use", hint=f"Give another one: helio ui --port {3002 if port == 3001 else 3001}"
        )
    if faults[0] is not None and all(faults):  # `localhost` may have an address that this machine does not use
        raise InputError(f"cannot serve at port {port} on {host}: {faults[0].strerror}", hint=_OTHER_ADDRESS)


def _fault_of_address(
    family: socket.AddressFamily, kind: socket.SocketKind, protocol: int, _: str, address: tuple[Any, ...]
) -> OSError | None:
    """Why nothing can listen at an address; None if it can."""
    try:
        with closing(socket.socket(family, kind, protocol)) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        return error
    return None


def _url(host: str, port: int) -> str:
    """The address of the page on this machine."""
    name = "127.0.0.1" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"


def _listens(path: Path) -> bool:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        return probe.connect_ex(str(path)) == 0


def _answers(url: str, token: str | None) -> bool:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    try:
        return httpx.get(url, timeout=2.0, headers=headers).is_success
    except httpx.HTTPError:
        return False
