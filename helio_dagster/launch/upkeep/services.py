"""Whether the services that a home shares answer: the record's server, Dagster's daemon, the broker and its workers.

The object store is tried by `storage/store_trial`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import HelioError
from helio_dagster.launch.record.heartbeats import require_daemon
from helio_dagster.launch.record.history import open_runs
from helio_dagster.storage.settings import Settings

_MOST_WORKERS = 1_000


@dataclass(frozen=True)
class Service:
    """One service: what it is, where, and what it said; or what is wrong, and what to do."""

    name: str
    place: str
    says: str = ""
    problem: str = ""
    hint: str = ""


def try_services(settings: Settings, now: datetime) -> Iterator[Service]:
    """Ask those that the settings name, one after the other; none for a home with SQLite that does its own runs.

    Parameters
    ----------
    settings
        The home.
    now
        The current time, which the daemon's signs of life are compared with.
    """
    if settings.postgres is None:
        return
    record = _asked("Record", settings.record_place, lambda: _record(settings))
    yield record
    if settings.dispatch is not None and not record.problem:
        yield _asked("Daemon", settings.record_place, lambda: f"last sign of life {require_daemon(settings, now):%H:%M:%S} UTC")
        yield _asked("Runs", settings.dispatch.place, lambda: _workers(settings))


def _asked(name: str, place: str, ask: Callable[[], str]) -> Service:
    try:
        return Service(name, place, says=ask())
    except HelioError as error:
        return Service(name, place, problem=error.problem, hint=error.hint)


def _record(settings: Settings) -> str:
    with open_runs(settings) as database:
        count = next(int(found) for (found,) in database.rows("SELECT count(*) FROM runs")) if database is not None else 0
    return f"{counted(count, 'run')} recorded"


def _workers(settings: Settings) -> str:
    from helio_dagster.launch.dispatching.extra import answering_workers, open_app
    from helio_dagster.launch.dispatching.names import queue_of

    count = answering_workers(open_app(settings), queue_of(settings), enough=_MOST_WORKERS)
    if not count:
        raise HelioError("the broker answers, but no worker does", hint="Start one: helio worker")
    return f"{counted(count, 'worker')} ready"
