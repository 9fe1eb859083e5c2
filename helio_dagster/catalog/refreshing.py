"""Brings a home's catalog up to date with the archive: asks, reads the masters it needs, writes the whole again.

What a dataset or a master says becomes facts in `listing`; which catalog is used is decided in `opening`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdas.messages import DatasetDescription
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.gathering import AT_ONCE, MastersSource, OnProgress, RefreshFailure, read_masters
from helio_dagster.catalog.listing import has_changed, join_listed, mark_gone
from helio_dagster.catalog.masters import CdasMasters, is_dataset_id
from helio_dagster.catalog.opening import CATALOG_NAME, open_catalog
from helio_dagster.domain.errors import ArchiveAnswerError, InputError
from helio_dagster.storage.atomic import sweep
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.settings import Settings

_MASTER_BYTES = 64 * 2**20
_AGAIN = "asked_again"  # of the file's meta: datasets whose master could not be had


@dataclass(frozen=True)
class RefreshReport:
    """What a refresh did; all ids in order.

    `gone` are those newly found to be listed no longer: they stay, with a mark in their notes. `with_master` are those whose
    master was read, `without` those that have none.
    """

    path: Path
    listed: int
    added: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    with_master: tuple[str, ...]
    without: tuple[str, ...]
    failures: tuple[RefreshFailure, ...]


def refresh_home(
    settings: Settings,
    *,
    datasets: Sequence[str] | None,
    now: datetime,
    on_progress: OnProgress,
    all_masters: bool = False,
    transfers: TransferSettings | None = None,
) -> RefreshReport:
    """Refresh a home's catalog from the archive that its settings name.

    Parameters
    ----------
    settings
        The home, and the archive's URL.
    datasets, now, on_progress, all_masters
        As in `refresh`.
    transfers
        Limits of transfers; by default those of the settings, three at once and 64 MB a file.

    Returns
    -------
    RefreshReport
        What was done.

    Raises
    ------
    HelioError
        As `refresh` does.
    """
    own = replace(TransferSettings.within(settings.transfers), at_once=AT_ONCE, file_limit_bytes=_MASTER_BYTES)
    limits = transfers or own
    client = CdasClient(settings.cdaweb_url, settings=limits)
    try:
        with CdfReader() as reader:
            masters = CdasMasters(settings.cdaweb_url, settings.catalog / "masters", reader, settings=limits)
            try:
                return refresh(
                    settings.catalog,
                    lambda: open_catalog(settings),
                    client,
                    masters,
                    datasets=datasets,
                    now=now,
                    on_progress=on_progress,
                    all_masters=all_masters,
                )
            finally:
                masters.close()
    finally:
        client.close()


def refresh(
    home_catalog: Path,
    open_base: Callable[[], CatalogDatabase],
    client: CdasClient,
    masters: MastersSource,
    *,
    datasets: Sequence[str] | None,
    now: datetime,
    on_progress: OnProgress,
    all_masters: bool = False,
) -> RefreshReport:
    """Write a home's catalog again: the base with what the archive says now.

    Masters are read of datasets that are new, described otherwise than before, failed last time, or named. The file appears
    whole, or the old one stays; equal answers give equal bytes. Work that was cut off is taken up where it was.

    Parameters
    ----------
    home_catalog
        The folder of the home's catalog.
    open_base
        Opens what is known: the home's catalog, else the packaged one.
    client, masters
        The archive.
    datasets
        Ids to look at; None for all that the archive lists.
    now
        When this is (aware).
    on_progress
        Hears of each dataset whose master was requested, in this thread.
    all_masters
        Read the masters of all that is looked at, changed or not.

    Returns
    -------
    RefreshReport
        What was done; also which datasets failed: they keep the parameters known.

    Raises
    ------
    UnknownDataset
        The archive has no dataset of a given id.
    ArchiveUnavailable
        It does not answer, or five masters in a row could not be had.
    ArchiveAnswerError
        It answers something that is not a listing, or lists nothing.
    StorageError
        The folder cannot be written, or another refresh is at work in it.
    """
    with occupied(home_catalog, alone=True), closing(open_base()) as base:
        sweep(home_catalog)
        known = {name.casefold(): each for name in base.names() if (each := base.dataset(name)) is not None}
        listed, failures = _sound(_ask(client, datasets))
        joined = {key: join_listed(known.get(key), each, now) for key, each in listed.items()}
        added = {key for key in joined if key not in known}
        changed = {key for key in joined.keys() - added if has_changed(known[key], joined[key])}
        again = set(base.meta.get(_AGAIN, "").split())
        wanted = sorted(joined if all_masters or datasets is not None else added | changed | (again & joined.keys()))
        answers = read_masters({key: joined[key] for key in wanted}, client, masters, now, on_progress)
        failures += answers.failures
        joined |= answers.facts
        gone = (
            set() if datasets is not None else {key for key, each in known.items() if each.archive == "cdaweb"} - joined.keys()
        )
        marked = {key: mark_gone(known[key], now) for key in gone}
        failed = {failure.dataset.casefold() for failure in answers.failures}
        path = home_catalog / CATALOG_NAME
        facts = {**known, **marked, **joined}
        meta = _meta(base, facts, sorted((again - set(wanted)) | failed), None if datasets is not None else now)
        write_database(path, facts.values(), meta)
        masters.forget()
    return RefreshReport(
        path,
        len(listed),
        _names(facts, added),
        _names(facts, changed),
        _names(facts, {key for key, each in marked.items() if each != known[key]}),
        _names(facts, answers.facts.keys() - answers.without),
        _names(facts, answers.without),
        tuple(sorted(failures, key=lambda each: each.dataset)),
    )


def _ask(client: CdasClient, datasets: Sequence[str] | None) -> list[DatasetDescription]:
    if datasets is None:
        listed = client.datasets()
        if not listed:
            raise ArchiveAnswerError(
                "the archive lists no datasets at all", where="datasets", hint="Check HELIO_CDAWEB_URL; the old catalog stays."
            )
        return listed
    found: list[DatasetDescription] = []
    for name in dict.fromkeys(datasets):
        answers = client.datasets(name)
        same = [each for each in answers if each.id.casefold() == name.casefold()] or answers
        if len(same) != 1:
            client.require_dataset(name)
            raise InputError(f"the archive has {len(same)} datasets for {name[:60]!r}", hint="Give a whole id.")
        found += same
    return found


def _sound(listed: list[DatasetDescription]) -> tuple[dict[str, DatasetDescription], list[RefreshFailure]]:
    """The listed datasets by folded id, the first of each; and those whose id cannot be one."""
    sound: dict[str, DatasetDescription] = {}
    failures: list[RefreshFailure] = []
    for each in listed:
        if is_dataset_id(each.id):
            sound.setdefault(each.id.casefold(), each)
        else:
            failures.append(RefreshFailure(ascii(each.id[:60]), "this cannot be the id of a dataset; it is left out"))
    return sound, failures


def _names(facts: Mapping[str, DatasetFacts], keys: Set[str]) -> tuple[str, ...]:
    return tuple(sorted(facts[key].dataset for key in keys))


def _meta(
    base: CatalogDatabase, facts: Mapping[str, DatasetFacts], again: Sequence[str], snapshot: datetime | None
) -> dict[str, str]:
    meta = {
        **{name: text for name, text in base.meta.items() if name != _AGAIN},
        "datasets": str(len(facts)),
        "parameters": str(sum(len(each.parameters) for each in facts.values())),
    }
    if again:
        meta[_AGAIN] = " ".join(again)
    return meta if snapshot is None else meta | {"snapshot": snapshot.date().isoformat()}
