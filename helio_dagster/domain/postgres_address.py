"""The address of a record in PostgreSQL, as a setting gives it. It never holds a password."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

from helio_dagster.domain.errors import InputError

VARIABLE = "HELIO_RECORD_POSTGRES"
NONE = "none"
_SCHEMES = ("postgresql", "postgresql+psycopg2", "postgres")
_SECRETS = ("password", "sslpassword", "passfile")
_EXAMPLE = "Write it as postgresql://host:5432/database, with user@ before the host if need be."


def postgres_address(given: str) -> str | None:
    """The address as libpq reads it, from any of the usual ways to write it.

    Parameters
    ----------
    given
        `postgresql://user@host:port/database?sslmode=require`, also with `postgres://`, or with `postgresql+psycopg2://` as
        SQLAlchemy has it; `none` for no record in PostgreSQL.

    Raises
    ------
    InputError
        It is another kind of address, names no database, or holds a password. The message does not repeat a password.
    """
    if given == NONE:
        return None
    scheme, separator, rest = given.partition("://")
    if not separator or scheme not in _SCHEMES:
        problem = f"the record cannot be at an address of the kind {scheme[:40]!r}" if separator else "it is not an address"
        raise InputError(problem, where=VARIABLE, hint=_EXAMPLE)
    address = f"postgresql://{rest}"
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        raise InputError(f"it is not an address: {error}", where=VARIABLE, hint=_EXAMPLE) from None
    if parts.password is not None or any(name in _SECRETS for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        hint = "Take it out, and set PGPASSWORD or write it into ~/.pgpass, which PostgreSQL's own programs read, too."
        raise InputError("the address holds a password, which would be stored and shown", where=VARIABLE, hint=hint)
    if not parts.path.strip("/") or parts.fragment or any(ord(each) <= 32 for each in address):
        raise InputError(
            "the address names no database" if not parts.path.strip("/") else "it is not an address",
            where=VARIABLE,
            hint=_EXAMPLE,
        )
    return address


def sqlalchemy_address(address: str) -> str:
    """The same address for SQLAlchemy, whose own idea of `postgresql://` changed from one driver to another."""
    return address.replace("postgresql://", "postgresql+psycopg2://", 1)


def libpq_address(address: str) -> str:
    """The same address for libpq, from one for SQLAlchemy, as Dagster's own settings have it."""
    return address.replace("postgresql+psycopg2://", "postgresql://", 1)


def place_of(address: str) -> str:
    """The database and its host, for messages."""
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    host = parts.hostname or query.get("host") or "this machine"
    port = f":{parts.port}" if parts.port else ""
    return f"{unquote(parts.path.strip('/'))} on {host}{port}"
