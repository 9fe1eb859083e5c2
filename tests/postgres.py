"""Databases of PostgreSQL for tests: each has its own, which is dropped afterwards; none where no server answers."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.ports import free_port

SERVER = os.environ.get("HELIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
"""A database of a user who may create others."""


def require_server() -> None:
    """Skip the test where no server answers."""
    import psycopg2

    try:
        psycopg2.connect(SERVER, connect_timeout=5).close()
    except psycopg2.OperationalError as error:
        reason = str(error).splitlines()[0]
        pytest.skip(f"left out without PostgreSQL; start it, or name a database in HELIO_TEST_POSTGRES: {reason}")


@contextmanager
def new_database(template: str = "template1") -> Iterator[str]:
    """The address of a new database, a copy of another one; dropped at the end whoever still uses it."""
    name = f"helio_test_{secrets.token_hex(6)}"
    ask(SERVER, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlsplit(SERVER)._replace(path=f"/{name}").geturl()
    finally:
        ask(SERVER, f"DROP DATABASE {name} WITH (FORCE)")


def ask(address: str, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
    """The answer of a database, by a connection of its own."""
    import psycopg2

    with closing(psycopg2.connect(address)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(query, values)
            return cursor.fetchall() if cursor.description else []


@contextmanager
def pooler(address: str, mode: str) -> Iterator[str]:
    """The address of a database through PgBouncer in a mode; skips where it is not installed."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("left out without PgBouncer: install Debian's package pgbouncer")
    parts, port = urlsplit(address), free_port()
    with TemporaryDirectory(prefix="helio-pgbouncer-") as place:
        Path(place).chmod(0o755)
        settings = Path(place, "pgbouncer.ini")
        settings.write_text(
            f"[databases]\n* = host={parts.hostname} port={parts.port} user={parts.username}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = {mode}\n"
        )
        user = "nobody" if os.geteuid() == 0 else None  # it refuses to run as root
        process = subprocess.Popen([program, str(settings)], user=user, cwd=place, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                    break
            yield parts._replace(netloc=f"{parts.username}@127.0.0.1:{port}").geturl()
        finally:
            process.kill()
            process.wait()


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A server of the test's own, which it may stop and start; skips where PostgreSQL is not installed."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        pytest.skip("left out without PostgreSQL's own programs: install Debian's package postgresql")
    port = free_port()
    with TemporaryDirectory(prefix="helio-pg-") as place:  # its path is short enough for a socket, and others may enter it
        Path(place).chmod(0o755)
        server = OwnServer(programs[-1].parent, Path(place, "data"), port)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


@dataclass(frozen=True)
class OwnServer:
    """A server that runs as an ordinary user and listens on this machine alone."""

    programs: Path
    data: Path
    port: int

    @property
    def address(self) -> str:
        """Its first database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        """Make its folder."""
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            shutil.chown(self.data.parent, "postgres")
        self._do("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-N")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -k {self.data.parent} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._do("pg_ctl", "-D", str(self.data), "-w", "-t", "300", "-o", options, "-l", str(self.data.parent / "log"), "start")

    def stop(self) -> None:
        """Stop it at once, cutting off whoever is connected."""
        self._do("pg_ctl", "-D", str(self.data), "-w", "-t", "300", "-m", "immediate", "stop")

    def _do(self, program: str, *arguments: str) -> None:
        user = "postgres" if os.geteuid() == 0 else None
        command = [str(self.programs / program), *arguments]
        done = subprocess.run(command, user=user, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}"
