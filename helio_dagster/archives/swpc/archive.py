"""An `Archive` over SWPC's real-time solar wind: server, kept days and tables put together."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from helio_dagster.archives.archive import Report
from helio_dagster.archives.file_steps import Teller
from helio_dagster.archives.files.cache import FileCache, archive_folder
from helio_dagster.archives.files.selection import ListedFile
from helio_dagster.archives.remote_archive import RemoteArchive
from helio_dagster.archives.swpc.request import SwpcRequest, is_kept
from helio_dagster.archives.swpc.server import SwpcServer
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.real_time import SWPC_ARCHIVE, SWPC_DATASETS


class SwpcArchive(RemoteArchive):
    """The solar wind as it is measured now.

    The server has the last seven days. What a fetch gets of a day is kept in the cache and added to by the next one; of a day
    that is kept whole, the server is not asked again. A day counts as changed when its records do.

    Parameters
    ----------
    cache_dir
        Folder of the downloaded files of all archives; this one's go into a folder of its name.
    clock
        What time it is; a day that has not begun by then is empty.
    mirror
        URL of a server with the same files, in place of SWPC.
    settings
        Limits of transfers.
    """

    def __init__(
        self,
        cache_dir: Path,
        *,
        clock: Callable[[], datetime],
        mirror: str = "",
        settings: TransferSettings | None = None,
    ) -> None:
        self._server = SwpcServer(mirror, settings)
        cache = FileCache(archive_folder(cache_dir, SWPC_ARCHIVE), lambda: self._server.is_closed)
        super().__init__(SWPC_ARCHIVE, self._server, cache, downloads=self._server.at_once, decoders=2)
        self._clock = clock

    def is_at_hand(self, file: ListedFile) -> bool:
        """Whether a day is kept with the records that were listed; see `Archive.is_at_hand`."""
        return is_kept(self._cache, file)

    def _request(self, dataset: str, parameter: str, *, verify: bool, report: Report | None) -> SwpcRequest:
        known = {each.dataset: each for each in SWPC_DATASETS}
        if dataset not in known:
            problem = f"SWPC's solar wind has no dataset {dataset[:80]!r}"
            raise UnknownDataset(problem, where=SWPC_ARCHIVE, hint=remedy(dataset, known, what="It has"))
        found = known[dataset].parameter(parameter)
        if parameter and found is None:
            names = [each.name for each in known[dataset].parameters]
            problem = f"{dataset} has no parameter {parameter[:80]!r}"
            raise UnknownDataset(problem, where=SWPC_ARCHIVE, hint=remedy(parameter, names, what="It has"))
        return SwpcRequest(
            self._server,
            self._cache,
            known[dataset],
            found,
            now=self._clock(),
            verify=verify,
            teller=Teller(dataset, report),
        )
