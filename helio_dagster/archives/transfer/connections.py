"""Pooled HTTP connections whose every read and write is charged to the request that it is for.

The connections are watched from below, where bytes arrive: libraries above wait for whole headers or for content, and a server
can keep them waiting without end with either.
"""

from __future__ import annotations

import contextlib
import functools
import os
import ssl
import threading
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from helio_dagster.archives.transfer.allowance import Allowance
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import InputError

_HEADERS = (
    ("User-Agent", "helio-dagster"),
    ("Accept", "application/json, */*;q=0.1"),
    ("Accept-Encoding", "gzip, identity"),
)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Connections:
    """Connections to any number of hosts, kept open between requests; a proxy is taken from the environment."""

    def __init__(self, settings: TransferSettings) -> None:
        self._settings = settings
        self._backend = _WatchedBackend()
        self._lock = threading.Lock()
        self._pools: dict[str | None, httpcore.ConnectionPool] = {}

    @contextlib.contextmanager
    def get(self, url: httpx.URL, allowance: Allowance) -> Iterator[httpcore.Response]:
        """The response to a GET request, open within the block; all reading in the block is charged to `allowance`."""
        settings = self._settings
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        timeouts = {"connect": settings.connect_s, "read": settings.read_s, "write": settings.read_s}
        headers = [("Host", url.netloc.decode("ascii")), *_HEADERS]
        with (
            self._backend.charging(allowance),
            self._pool(url).stream("GET", target, headers=headers, extensions={"timeout": timeouts}) as response,
        ):
            allowance.begin_body()
            yield response

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            for pool in self._pools.values():
                pool.close()
            self._pools.clear()

    def _pool(self, url: httpx.URL) -> httpcore.ConnectionPool:
        proxy = _proxy_of(url)
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = self._open(proxy)
            return self._pools[proxy]

    def _open(self, proxy: str | None) -> httpcore.ConnectionPool:
        most, context = self._settings.at_once, _tls()
        if proxy is None:
            return httpcore.ConnectionPool(
                context, max_connections=most, max_keepalive_connections=most, network_backend=self._backend
            )
        try:
            url = httpx.URL(proxy)
            if url.scheme not in ("http", "https"):
                raise ValueError("only proxies of http and https can be used")
            return httpcore.HTTPProxy(
                httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"),
                proxy_auth=(url.username, url.password) if url.userinfo else None,
                ssl_context=context,
                max_connections=most,
                max_keepalive_connections=most,
                network_backend=self._backend,
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"the proxy in the environment cannot be used: {error}", hint="Check HTTPS_PROXY.") from None


def _tls() -> ssl.SSLContext:
    """What connections are encrypted with; reading the certificates takes longer than a small answer does."""
    return _tls_with(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@functools.cache
def _tls_with(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """One for each place of certificates: httpx, too, takes it from these variables."""
    return httpx.create_ssl_context()


def _proxy_of(url: httpx.URL) -> str | None:
    """The proxy for an address; none for this machine, which a proxy elsewhere cannot reach."""
    if url.host in _LOOPBACK or proxy_bypass(url.host):
        return None
    proxies = getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    return found if not found or "://" in found else f"http://{found}"


class _WatchedBackend(httpcore.NetworkBackend):
    """Opens connections that charge what they read to the allowance of the thread that reads."""

    def __init__(self) -> None:
        self._plain = httpcore.SyncBackend()
        self._charged = threading.local()

    @contextlib.contextmanager
    def charging(self, allowance: Allowance) -> Iterator[None]:
        """Charge what this thread reads to `allowance`."""
        self._charged.allowance = allowance
        try:
            yield
        finally:
            self._charged.allowance = None

    def patience_s(self, timeout: float | None) -> float | None:
        """How long this thread may wait now."""
        allowance: Allowance | None = getattr(self._charged, "allowance", None)
        return timeout if allowance is None else allowance.patience_s(timeout)

    def receive(self, size: int) -> None:
        """Count what this thread has read."""
        allowance: Allowance | None = getattr(self._charged, "allowance", None)
        if allowance is not None:
            allowance.receive(size)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A watched connection."""
        plain = self._plain.connect_tcp(host, port, self.patience_s(timeout), local_address, socket_options)
        return _WatchedStream(plain, self)


class _WatchedStream(httpcore.NetworkStream):
    def __init__(self, plain: httpcore.NetworkStream, backend: _WatchedBackend) -> None:
        self._plain = plain
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            data = self._plain.read(max_bytes, self._backend.patience_s(timeout))
        except httpcore.ReadTimeout:
            self._backend.patience_s(timeout)  # says so where it was the whole transfer's time that is up
            raise
        self._backend.receive(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._plain.write(buffer, self._backend.patience_s(timeout))

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        patience_s = self._backend.patience_s(timeout)
        return _WatchedStream(self._plain.start_tls(ssl_context, server_hostname, patience_s), self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)
