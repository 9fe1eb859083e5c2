"""Where runs run: the settings of a home whose runs are given to workers. It never holds a password."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlsplit

from helio_dagster.domain.errors import InputError

BROKER_VARIABLE = "HELIO_RUNS_BROKER"
PARTITIONS_VARIABLE = "HELIO_RUNS_PARTITIONS"
AT_ONCE_VARIABLE = "HELIO_RUNS_AT_ONCE"
PASSWORD_VARIABLE = "HELIO_BROKER_PASSWORD"  # noqa: S105 - the name of a variable
NONE = "none"
_SCHEMES = ("redis", "rediss", "amqp", "amqps")
_EXAMPLE = "Write it as redis://host:6379/0, or amqp://user@host:5672// for RabbitMQ."
_MOST_PARTITIONS, _MOST_AT_ONCE = 100_000, 1_000


@dataclass(frozen=True)
class Dispatch:
    """How a home gives its runs to workers.

    `broker` is the address of the queue between Dagster and the workers, `partitions` how many of them one run makes at most,
    `at_once` how many runs are in progress at a time: as many as the workers can do together.
    """

    broker: str
    partitions: int = 90
    at_once: int = 4

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self | None:
        """The settings `HELIO_RUNS_*`; None where runs stay in the process that starts them.

        Raises
        ------
        InputError
            The broker is not an address, or holds a password, or a number is out of range.
        """
        broker = environment.get(BROKER_VARIABLE)
        partitions = _number(environment, PARTITIONS_VARIABLE, cls.partitions, _MOST_PARTITIONS)
        at_once = _number(environment, AT_ONCE_VARIABLE, cls.at_once, _MOST_AT_ONCE)
        return cls(_checked(broker), partitions, at_once) if broker and broker != NONE else None

    @property
    def launched(self) -> int:
        """Runs handed to the broker at a time: half as many again as are done, so that no worker waits for its next."""
        return self.at_once + (self.at_once + 1) // 2

    @property
    def place(self) -> str:
        """The kind of broker and its host, for messages."""
        parts = urlsplit(self.broker)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def with_password(broker: str, environment: Mapping[str, str]) -> str:
    """The address of a broker with the password that the environment has for it, if any."""
    password = environment.get(PASSWORD_VARIABLE)
    if not password:
        return broker
    parts = urlsplit(broker)
    user, at, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user if at else ''}:{quote(password, safe='')}@{place}").geturl()


def _checked(broker: str) -> str:
    try:
        parts = urlsplit(broker)
        _ = parts.port
    except ValueError as error:
        raise InputError(f"it is not an address: {error}", where=BROKER_VARIABLE, hint=_EXAMPLE) from None
    if parts.scheme not in _SCHEMES or not parts.hostname or any(ord(each) <= 32 for each in broker):
        raise InputError("it is not the address of a broker", where=BROKER_VARIABLE, hint=_EXAMPLE)
    if parts.password is not None or "password=" in parts.query:
        problem = "the address holds a password, which would be stored and shown"
        raise InputError(problem, where=BROKER_VARIABLE, hint=f"Take it out, and set {PASSWORD_VARIABLE}.")
    return broker


def _number(environment: Mapping[str, str], variable: str, default: int, most: int) -> int:
    given = environment.get(variable)
    if not given:
        return default
    number = int(given) if given.isascii() and given.isdigit() else 0
    if not 1 <= number <= most:
        hint = f"The default is {default}."
        raise InputError(f"{given!r:.40} is not a whole number from 1 to {most}", where=variable, hint=hint)
    return number
