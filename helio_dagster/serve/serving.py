"""Listen at an address and serve a home there until interrupted."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import uvicorn
from starlette.middleware import Middleware
from starlette.types import ASGIApp

from helio_dagster.domain.errors import InputError
from helio_dagster.hosting.limits import Limits
from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.web.page_guard import ANY_ADDRESS, OwnNames
from helio_dagster.serve.assembly import Served, application
from helio_dagster.serve.guards.reader_guard import ReaderGuard
from helio_dagster.serve.guards.token_guard import TokenGuard
from helio_dagster.serve.pages import pages
from helio_dagster.storage.access_token import AccessToken

_OTHER_ADDRESS = "Give an address of this machine and a port above 1023: --host 127.0.0.1 --port 3001."


@dataclass(frozen=True)
class Listening:
    """A socket that listens, the names under which it may be asked, and its address for people on this machine."""

    socket: socket.socket
    names: OwnNames
    url: str

    @classmethod
    @contextmanager
    def at(cls, host: str, port: int, more_names: Sequence[str] = ()) -> Iterator[Listening]:
        """Listen at an address; port 0 takes a free one.

        Raises
        ------
        InputError
            The port is taken, or the address does not belong to this machine.
        """
        made = _bound(host, port)
        try:
            made.listen(256)
            yield cls(made, OwnNames.of(host, more_names), url_of(host, made.getsockname()[1]))
        finally:
            made.close()


def serve(
    site: ServedHome,
    listening: Listening,
    *,
    dagster: ASGIApp | None = None,
    is_offline: bool = False,
    token: AccessToken | None = None,
    limits: Limits | None = None,
    ready: Callable[[str], None] = lambda _url: None,
) -> None:
    """Serve a home until interrupted; turns and runs in progress continue.

    Parameters
    ----------
    site
        The home.
    listening
        Where.
    dagster
        Dagster's own UI.
    is_offline
        Plan without a language model.
    token
        What clients must have; None lets in everybody who reaches the address.
    limits
        What a client may send.
    ready
        Is called with the address.

    Raises
    ------
    StorageError
        The home cannot be written.
    """
    served = Served.of(site, is_offline=is_offline)
    guards = guards_of(token, site) if token is not None else []
    app = application(
        served,
        listening.names,
        dagster=dagster,
        pages=pages(site, has_dagster=dagster is not None),
        limits=limits,
        guards=guards,
    )
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        h11_max_incomplete_event_size=65536,
    )
    ready(listening.url)
    with suppress(KeyboardInterrupt):  # it has stopped in order, and says again what stopped it
        uvicorn.Server(config).run(sockets=[listening.socket])


def guards_of(token: AccessToken, site: ServedHome) -> list[Middleware]:
    """Who is let in, and who may only look."""
    return [Middleware(TokenGuard, token=token, home=site.settings.home, clock=site.clock), Middleware(ReaderGuard)]


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise InputError(f"there is no address {host!r:.80} on this machine", hint="Give one: --host 127.0.0.1") from error
    fault: OSError | None = None
    for family, kind, protocol, _, address in found:
        try:
            made = socket.socket(family, kind, protocol)
        except OSError as error:
            fault = error
            continue
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
        except OSError as error:
            made.close()
            fault = error
        else:
            return made
    if fault is not None and fault.errno == errno.EADDRINUSE:
        raise InputError(f"port {port} on {host} is in use", hint=f"Give another one: --port {3002 if port == 3001 else 3001}")
    reason = fault.strerror if fault is not None else "for an unknown reason"
    raise InputError(f"cannot serve at port {port} on {host}: {reason}", hint=_OTHER_ADDRESS)


def url_of(host: str, port: int) -> str:
    """The address for people on this machine."""
    name = "127.0.0.1" if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}"
