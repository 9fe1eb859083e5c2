"""Connect to a record in PostgreSQL without Dagster, and explain why it cannot be used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.postgres_address import VARIABLE, place_of

CONNECT_TIMEOUT_S = 10
PATIENCE_S = 30.0
"""How long a server that is restarted is waited for."""
_PAUSE_S = 0.3
_AGAIN = "Nothing that was made is lost: once that is mended, the same command goes on from there."
_START = f"See that the server runs and that record.postgres is right. {_AGAIN}"
_PASSWORD = f"Set PGPASSWORD, or write the password into ~/.pgpass, or correct the user in record.postgres. {_AGAIN}"
_HINTS = {
    "3D000": "Create the database, as with `createdb`, or correct its name in record.postgres.",
    "28": _PASSWORD,
    "42501": "Let the user own the database, or grant it all rights on its tables.",
    "25006": "This server only answers questions, as a standby does: name the one that is written to in record.postgres.",
    "53200": f"The server has no room for more locks or no memory: raise its max_locks_per_transaction. {_AGAIN}",
    "53": f"The server is short of disk, memory or connections. {_AGAIN}",
    "55P03": f"Another writer holds the record: let it finish. {_AGAIN}",
    "57": _START,
    "08": _START,
}
"""What to do, by the beginning of PostgreSQL's own code of the error."""
_UNCODED = {"does not exist": "3D000", "authentication failed": "28", "no password supplied": "28", "pg_hba": "28"}
"""Codes that libpq leaves out while it connects, by the words of the refusal."""


_answered: set[str] = set()
"""Servers that this process has reached: such a one is restarted if it does not answer, and its address is not wrong."""


@contextmanager
def open_postgres(address: str, *, patience_s: float = PATIENCE_S, **options: Any) -> Iterator[Any]:
    """A connection that only reads, each question by itself; `options` are those of libpq.

    A server that has answered this process before is waited for, as long as `patience_s`.

    Raises
    ------
    InputError
        The extra `postgres` is not installed.
    StorageError
        The server cannot be reached, refuses, or fails.
    """
    with closing(_connect_again(address, patience_s, **options)) as connection:
        import psycopg2

        try:
            connection.set_session(readonly=True, autocommit=True)
            yield connection
        except psycopg2.Error as error:
            raise postgres_error(error, address) from error


def connect(address: str, **options: Any) -> Any:
    """A connection that the caller closes; `options` are those of libpq.

    Raises
    ------
    InputError
        The extra `postgres` is not installed.
    StorageError
        The server cannot be reached, or refuses.
    """
    psycopg2 = driver()
    timeout: dict[str, Any] = {} if "connect_timeout=" in address else {"connect_timeout": CONNECT_TIMEOUT_S}
    try:
        connection = psycopg2.connect(address, **timeout, **options)
    except psycopg2.Error as error:
        raise postgres_error(error, address) from error
    _answered.add(address)
    return connection


def patience_with(address: str, patience_s: float = PATIENCE_S) -> float:
    """How long to wait for a server in seconds: not at all for one that has never answered this process."""
    return patience_s if address in _answered else 0.0


def _connect_again(address: str, patience_s: float, **options: Any) -> Any:
    give_up = time.monotonic() + patience_with(address, patience_s)
    while True:
        try:
            return connect(address, **options)
        except StorageError as error:
            if time.monotonic() >= give_up or not is_away(error.__cause__):
                raise
        time.sleep(_PAUSE_S)


def driver() -> Any:
    """The driver of PostgreSQL.

    Raises
    ------
    InputError
        The extra `postgres` is not installed.
    """
    try:
        import psycopg2
    except ImportError:
        raise postgres_missing() from None
    return psycopg2


def postgres_missing() -> InputError:
    """The error where the driver or Dagster's storage is not installed."""
    hint = "Install it: pip install 'helio-dagster[postgres]'"
    return InputError("a record in PostgreSQL needs the extra postgres, which is not installed", where=VARIABLE, hint=hint)


def postgres_error(error: BaseException, address: str) -> StorageError:
    """What a person reads for a failure of the database, of its driver, or of what wraps it.

    Parameters
    ----------
    error
        The error of psycopg2, of SQLAlchemy or of Dagster.
    address
        The record's address.
    """
    cause = _innermost(error)
    reason = next((line.strip() for line in str(cause).splitlines() if line.strip()), type(cause).__name__)
    code = getattr(cause, "pgcode", None) or next((code for words, code in _UNCODED.items() if words in reason), "08")
    hint = next((hint for beginning, hint in _HINTS.items() if code.startswith(beginning)), _AGAIN)
    return StorageError(f"the record in PostgreSQL cannot be used ({place_of(address)}): {reason}", hint=hint)


def is_away(error: BaseException | None) -> bool:
    """Whether an error of the driver says that the server cannot be reached, or ended the connection."""
    code = getattr(error, "pgcode", None) or ""
    return code.startswith(("57P", "08")) or (not code and type(error).__name__ == "OperationalError")


def _innermost(error: BaseException) -> BaseException:
    """The driver's own error, of which others are made."""
    found = getattr(error, "orig", None) or error.__cause__
    return _innermost(found) if isinstance(found, BaseException) else error
