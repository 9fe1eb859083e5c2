"""The parts needed to make assets: store, archives, figures, workers. Each is opened on first use; all are closed together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from helio_dagster.archives.archive import Archive
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.domain.real_time import SWPC_ARCHIVE
from helio_dagster.resources.file_slots import FileSlots
from helio_dagster.resources.shared_tables import share_tables
from helio_dagster.resources.workers import Workers
from helio_dagster.storage.claims import Claims, NoClaims
from helio_dagster.storage.figure_files import FigureFiles
from helio_dagster.storage.home_lock import occupied
from helio_dagster.storage.people import account
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.table_cache import TableCache
from helio_dagster.storage.table_stores import open_figures, open_tables
from helio_dagster.storage.tables import TableStore

if TYPE_CHECKING:
    from helio_dagster.resources.postgres_slots import PostgresSlots

ARCHIVES = ("cdaweb", "demo", "hapi:<server>", PDS_ARCHIVE, SPICE_ARCHIVE, SWPC_ARCHIVE)


def utc_now() -> datetime:
    """The clock of a real run."""
    return datetime.now(UTC)


_ELSEWHERE = {"ssc": " The Satellite Situation Center is hapi:sscweb.", "sscweb": " Write hapi:sscweb."}
"""What archives are called that are reached by the name of another."""


class Workbench:
    """One home's parts for the duration of a run.

    Parameters
    ----------
    settings
        The home and the archive address.
    clock
        Gives the current time; partitions that are not over by then do not exist.
    transfers
        Timeouts and retries for archive requests.
    workers
        Worker processes shared with another workbench, which closes them; by default its own.
    store
        The stored tables, where they are shared with other workbenches: files that were read once are then only looked at.
    begun_by
        What a run with these parts is said to be begun by, in the record.
    person
        Who begins it; by default the account that this process runs under.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime] = utc_now,
        transfers: TransferSettings | None = None,
        workers: Workers | None = None,
        store: TableStore | None = None,
        begun_by: str = "Python",
        person: str = "",
    ) -> None:
        self.settings = settings
        self.begun_by = begun_by
        self.person = person or account()
        self.clock = clock
        self.transfers = transfers or TransferSettings.within(settings.transfers)
        self.workers = workers or Workers(settings)
        self._owns_workers = workers is None
        self.store = store or open_tables(settings)
        self._archives: dict[str, Archive] = {}
        self._occupation: ExitStack | None = None
        self._claims: tuple[str, Claims] | None = None
        self._slots: PostgresSlots | None = None

    @cached_property
    def tables(self) -> TableCache:
        """The tables cached in memory."""
        return TableCache(self.store)

    @cached_property
    def figures(self) -> FigureFiles:
        """The stored figures."""
        return open_figures(self.settings)

    def claims_of(self, run_id: str) -> Claims:
        """What decides which partitions a run makes, where others share the record; those of an earlier run are released."""
        if self._claims is None or self._claims[0] != run_id:
            self._release()
            self._claims = run_id, self._open_claims(run_id)
        return self._claims[1]

    def archive(self, name: str) -> Archive:
        """The archive with this name.

        Raises
        ------
        InputError
            There is no such archive.
        """
        if name not in self._archives:
            self._archives[name] = self._open(name)
        return self._archives[name]

    def archive_of(self, fetch: Fetch) -> Archive:
        """The archive that a fetch reads from; InputError where there is none."""
        if not fetch.is_own:
            return self.archive(fetch.archive)
        if fetch.dataset not in self._archives:
            from helio_dagster.archives.own.archive import OwnArchive
            from helio_dagster.archives.own.places import Places

            places = Places(self.settings.pipelines, self.settings.own_files)
            self._archives[fetch.dataset] = OwnArchive(fetch, places, self.settings.cache, self.workers)
        return self._archives[fetch.dataset]

    def occupy(self) -> None:
        """Lock the home until `close`, so that nobody cleans it up meanwhile."""
        if self._occupation is None:
            with ExitStack() as held:
                held.enter_context(occupied(self.settings.home))
                self._occupation = held.pop_all()

    def close(self) -> None:
        """Close connections and stop servers and workers, except shared workers."""
        for archive in self._archives.values():
            archive.close()
        self._archives.clear()
        if self._owns_workers:
            self.workers.close()
        self._release()
        if self._slots is not None:
            self._slots.close()
            self._slots = None
        if self._occupation is not None:
            self._occupation.close()
            self._occupation = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _open_claims(self, run_id: str) -> Claims:
        if self.settings.postgres is None:
            return NoClaims()
        from helio_dagster.resources.postgres_claims import PostgresClaims
        from helio_dagster.resources.postgres_connection import PATIENCE_S

        return PostgresClaims(self.settings.postgres, share_tables(self.settings, patience_s=PATIENCE_S), run_id)

    def _transfers(self) -> TransferSettings:
        """The limits of transfers, with slots for requests that all share who have this record, or who work on this machine."""
        if self.settings.postgres is None:
            path = self.settings.requests
            return self.transfers if path is None else replace(self.transfers, shared=FileSlots(path))
        if self._slots is None:
            from helio_dagster.resources.postgres_slots import PostgresSlots

            self._slots = PostgresSlots(self.settings.postgres)
        return replace(self.transfers, shared=self._slots)

    def _release(self) -> None:
        """Let go of the claims of the last run."""
        if self._claims is not None:
            self._claims[1].close()
            self._claims = None

    def _open(self, name: str) -> Archive:
        if name == "cdaweb":
            from helio_dagster.archives.cdas.archive import CdasArchive

            return CdasArchive(self.settings.cdaweb_url, self.settings.cache, self.workers.reader, settings=self._transfers())
        if name == "demo":
            from helio_dagster.archives.demo.archive import DemoArchive

            return DemoArchive(self.settings.cache, self.workers.reader, ephemerides=self.workers.ephemerides)
        if name == SPICE_ARCHIVE:
            from helio_dagster.archives.spice.archive import SpiceArchive
            from helio_dagster.archives.spice.remote import RemoteKernels

            kernels = RemoteKernels(self.settings.cache, mirror=self.settings.spice_url, settings=self._transfers())
            return SpiceArchive(name, kernels, self.workers.ephemerides)
        if name == PDS_ARCHIVE:
            from helio_dagster.archives.pds.archive import PdsArchive

            return PdsArchive(
                self.settings.cache, self.workers.products, mirror=self.settings.pds_url, settings=self._transfers()
            )
        if name == SWPC_ARCHIVE:
            from helio_dagster.archives.swpc.archive import SwpcArchive

            return SwpcArchive(self.settings.cache, clock=self.clock, mirror=self.settings.swpc_url, settings=self._transfers())
        if name.startswith(HAPI_PREFIX):
            from helio_dagster.archives.hapi.archive import HapiArchive

            return HapiArchive(name, self.settings.cache, clock=self.clock, settings=self._transfers())
        raise InputError(
            f"there is no archive {name!r}", hint=f"Known archives: {', '.join(ARCHIVES)}.{_ELSEWHERE.get(name, '')}"
        )
