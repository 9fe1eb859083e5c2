"""The web UI of a home: code server, webserver and, unless it runs elsewhere, Dagster's daemon, started and ended together."""

from __future__ import annotations

import errno
import os
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx

from helio_dagster.domain.errors import InputError
from helio_dagster.launch.record.one_daemon import the_only_daemon
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.daemon import start_daemon
from helio_dagster.launch.web.page_guard import ANY_ADDRESS
from helio_dagster.launch.web.processes import Processes, code_served, prepare
from helio_dagster.storage.setting_names import SETTING_NAMES
from helio_dagster.storage.settings import Settings

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
    with_daemon: bool = True,
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
    with_daemon
        Whether Dagster's daemon runs beside it; without one, schedules and queued runs need `helio daemon`.

    Raises
    ------
    InputError
        The port is taken, or the address does not belong to this machine.
    StorageError
        The home cannot be written, or another daemon runs on its record.
    HelioError
        One of the processes ended before the page was ready.
    """
    _check_address(host, port)
    prepare(settings)
    seat = the_only_daemon(settings) if with_daemon else nullcontext()
    with seat as keep, code_served(settings) as processes:
        processes.start("webserver", _webserver(processes.code_server, host, port, allowed_hosts, archive, token is not None))
        if keep is not None:
            start_daemon(processes, keep)
        url = _url(host, port)
        processes.wait_until(lambda: _answers(f"{url}{DAGSTER}/server_info", token))
        yield WebUi(url, processes)


class WebUi:
    """A running web UI."""

    def __init__(self, url: str, processes: Processes) -> None:
        self.url = url
        self._processes = processes

    def wait(self) -> None:
        """Block until interrupted; raise HelioError if one of the processes ends by itself."""
        self._processes.watch()


def _webserver(
    code_server: Path, host: str, port: int, allowed_hosts: Sequence[str], archive: str, needs_token: bool
) -> list[str]:
    """Module and arguments of the process that serves the page."""
    allowed = [part for name in allowed_hosts for part in ("--allow-host", name)]
    given = [part for name in SETTING_NAMES if os.environ.get(name.variable) for part in ("--given", name.variable)]
    return [
        "helio_dagster.serve.webserver",
        *("--host", host, "--port", str(port), "--code-server", str(code_server)),
        *("--folder", str(Path.cwd()), "--temporary", tempfile.gettempdir(), "--archive", archive, *allowed, *given),
        *(["--token"] if needs_token else []),
    ]


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


def _answers(url: str, token: str | None) -> bool:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    try:
        return httpx.get(url, timeout=2.0, headers=headers).is_success
    except httpx.HTTPError:
        return False
