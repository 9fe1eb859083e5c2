"""Makes a home's snapshot of a HAPI server: asks it for its datasets and their parameters, and writes the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from helio_dagster.archives.hapi.client import HapiClient
from helio_dagster.archives.hapi.messages import CatalogItem, printable
from helio_dagster.catalog.database import write_database
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.gathering import AT_ONCE, OnProgress, Outcome, RefreshFailure, RefreshProgress
from helio_dagster.catalog.hapi.listing import facts_of
from helio_dagster.catalog.hapi.snapshots import ARCHIVE, FROM, SNAPSHOT, snapshot_path
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveError, ArchiveUnavailable
from helio_dagster.storage.atomic import sweep
from helio_dagster.storage.home_lock import occupied

_GIVEN_UP_AFTER = 5
_LONGEST_ID = 200


@dataclass(frozen=True)
class HapiRefreshReport:
    """A snapshot that was made: how many datasets and parameters it has, and which datasets could not be described."""

    path: Path
    datasets: int
    parameters: int
    failures: tuple[RefreshFailure, ...]


def refresh_server(folder: Path, archive: str, client: HapiClient, now: datetime, on_progress: OnProgress) -> HapiRefreshReport:
    """Write the snapshot of a server anew; equal answers on one day give equal bytes.

    Parameters
    ----------
    folder
        The folder of the home's snapshots.
    archive
        The server as pipelines name it.
    client
        Asks it.
    now
        When this is (aware).
    on_progress
        Hears of each dataset.

    Returns
    -------
    HapiRefreshReport
        A dataset that the server does not describe is among the failures, and not in the snapshot.

    Raises
    ------
    ArchiveUnavailable
        The server does not answer, or five of its datasets in a row could not be had: the old snapshot stays.
    ArchiveAnswerError
        It answers something else, or lists nothing.
    StorageError
        The folder cannot be written, or another refresh is at work in it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with occupied(folder, alone=True):
        sweep(folder)
        items = {
            each.id: each for each in client.catalog() if each.id and len(each.id) <= _LONGEST_ID and each.id.isprintable()
        }
        if not items:
            raise ArchiveAnswerError("the server lists no datasets", where=archive, hint="The old snapshot stays.")
        facts, failures = _described(list(items.values()), _asking(archive, client, now), on_progress)
        if not facts:
            raise ArchiveAnswerError("the server describes none of its datasets", where=archive, hint="The old snapshot stays.")
        path = snapshot_path(folder, archive)
        write_database(path, facts, snapshot_meta(archive, client.base_url, facts, now))
    return HapiRefreshReport(path, len(facts), sum(len(each.parameters) for each in facts), tuple(failures))


def snapshot_meta(archive: str, source: str, facts: Sequence[DatasetFacts], now: datetime) -> dict[str, str]:
    """What a snapshot says of itself; `source` is where it is from."""
    return {
        ARCHIVE: archive,
        FROM: source,
        SNAPSHOT: now.date().isoformat(),
        "datasets": str(len(facts)),
        "parameters": str(sum(len(each.parameters) for each in facts)),
    }


def _asking(archive: str, client: HapiClient, now: datetime) -> Callable[[CatalogItem], DatasetFacts]:
    return lambda item: facts_of(archive, item, client.info(item.id), now)


def _described(
    items: Sequence[CatalogItem], ask: Callable[[CatalogItem], DatasetFacts], on_progress: OnProgress
) -> tuple[list[DatasetFacts], list[RefreshFailure]]:
    found: dict[str, DatasetFacts] = {}
    failures: list[RefreshFailure] = []
    in_a_row = 0
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="hapi-refresh") as pool:
        waiting: dict[Future[DatasetFacts], CatalogItem] = {pool.submit(ask, item): item for item in items}
        try:
            for done, future in enumerate(as_completed(waiting), 1):
                name = waiting[future].id
                try:
                    found.setdefault(name.casefold(), future.result())
                    in_a_row = 0
                except ArchiveError as error:
                    failures.append(RefreshFailure(printable(name), error.problem))
                    in_a_row += isinstance(error, ArchiveUnavailable)
                    if in_a_row == _GIVEN_UP_AFTER:
                        raise
                outcome: Outcome = "failed" if failures and failures[-1].dataset == printable(name) else "read"
                on_progress(RefreshProgress(printable(name), outcome, done, len(items)))
        finally:
            for future in waiting:
                future.cancel()
    return list(found.values()), sorted(failures, key=lambda each: each.dataset)
