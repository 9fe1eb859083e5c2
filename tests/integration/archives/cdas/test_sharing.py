"""Caches and servers that several threads and processes share."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from helio_dagster.archives.archive import TableReader
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.faults import Fault
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.cdas.conftest import MakeCdf

START = datetime(2023, 1, 1, tzinfo=UTC)
DAYS = [TimeRange(START + timedelta(days=number), START + timedelta(days=number + 1)) for number in range(12)]

OBTAIN = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.files.cache import FileCache
client, cache = CdasClient(sys.argv[1]), FileCache(Path(sys.argv[2]))
(file,) = client.files("AB_H0_MFI", datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 2, tzinfo=UTC))
cached = cache.get(file.url, file.last_modified, file.length, lambda into: client.download(file, into))
print(cached.sha256)
"""


def make_days(make_cdf: MakeCdf, number: int) -> None:
    """One small file a day."""
    for window in DAYS[:number]:
        make_cdf(f"ab_h0_mfi_{window.start:%Y%m%d}_v01.cdf", [f"{window.start:%Y-%m-%d}T12:00:00"])


def test_processes_download_a_file_once(server: CdasServer, tmp_path: Path, make_cdf: MakeCdf) -> None:
    """Three processes want the same file at the same time; one downloads it, the others wait for it."""
    make_days(make_cdf, 1)
    server.faults.add(Fault("slow", "file"))
    command = [sys.executable, "-c", OBTAIN, server.url, str(tmp_path / "cache")]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) for _ in range(3)]
    answers = {process.communicate(timeout=60)[0] for process in running}
    assert len(answers) == 1
    assert all(process.returncode == 0 for process in running)
    assert server.count(".cdf") == 1


def test_threads_download_a_file_once(archive: CdasArchive, server: CdasServer, make_cdf: MakeCdf) -> None:
    """Four fetches of the same day in one process take one transfer."""
    make_days(make_cdf, 1)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: list(archive.fetch("AB_H0_MFI", "B", DAYS[:1])), range(4)))
    assert all(fetched.error is None for (fetched,) in results)
    assert server.count(".cdf") == 1


class SlowFolder(FileIndex):
    """A folder whose files take a while to read."""

    def read(self, name: str) -> bytes:
        """The file, after a while."""
        time.sleep(0.05)
        return super().read(name)


def test_at_most_five_requests_are_under_way(folder: Path, tmp_path: Path, reader: TableReader, make_cdf: MakeCdf) -> None:
    """Two archives over one server, twelve files each: never more than five requests at once."""
    make_days(make_cdf, 12)
    with (
        CdasServer(SlowFolder(folder)) as server,
        CdasArchive(server.url, tmp_path / "one", reader) as one,
        CdasArchive(server.url, tmp_path / "two", reader) as two,
        ThreadPoolExecutor(2) as pool,
    ):
        results = list(pool.map(lambda archive: list(archive.fetch("AB_H0_MFI", "B", DAYS)), [one, two]))
        assert 1 < server.most_at_once <= 5
    assert all(fetched.error is None for result in results for fetched in result)


def test_a_file_at_hand_is_not_downloaded_again(archive: CdasArchive, server: CdasServer, make_cdf: MakeCdf) -> None:
    """The second fetch asks for the listing only."""
    make_days(make_cdf, 1)
    for _ in range(2):
        list(archive.fetch("AB_H0_MFI", "B", DAYS[:1]))
    assert server.count(".cdf") == 1


def test_a_republished_file_is_fetched(archive: CdasArchive, server: CdasServer, make_cdf: MakeCdf) -> None:
    """The same name with another date is another file."""
    make_days(make_cdf, 1)
    list(archive.fetch("AB_H0_MFI", "B", DAYS[:1]))
    path = make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T12:00:00"], [42])
    os.utime(path, (2e9, 2e9))
    (fetched,) = archive.fetch("AB_H0_MFI", "B", DAYS[:1], verify=True)
    assert fetched.table is not None
    assert list(fetched.table.columns["B"]) == [42]
    assert server.count(".cdf") == 2


def test_a_public_url_outlives_the_server(server: CdasServer, tmp_path: Path, reader: TableReader, make_cdf: MakeCdf) -> None:
    """A server at a random port is recorded, and its files cached, under the URL it is known by."""
    make_days(make_cdf, 1)

    def public(url: str) -> str:
        return "demo:/" + url.rpartition("/")[2]

    with CdasArchive(server.url, tmp_path / "cache", reader, name="demo", is_synthetic=True, public_url=public) as archive:
        (fetched,) = archive.fetch("AB_H0_MFI", "B", DAYS[:1])
        (absent,) = archive.fetch("AB_H0_MFI", "B", DAYS[5:6])
    assert [source.url for source in fetched.sources] == ["demo:/ab_h0_mfi_20230101_v01.cdf"]
    assert [path.parent for path in (tmp_path / "cache").rglob("*.cdf")] == [tmp_path / "cache" / "demo"]
    assert all(one.table is not None and one.table.meta.synthetic for one in (fetched, absent))


def test_a_closed_archive_stops_waiting(server: CdasServer, tmp_path: Path, reader: TableReader, make_cdf: MakeCdf) -> None:
    """Closing ends a wait for the server at once: the window fails, and says so."""
    make_days(make_cdf, 1)
    server.faults.add(Fault("503", "file"))
    archive = CdasArchive(
        server.url,
        tmp_path / "cache",
        reader,
        settings=TransferSettings(first_wait_s=600, longest_wait_s=600, longest_retry_after_s=600),
    )
    server.retry_after_s = 600
    (fetched,) = archive.fetch(
        "AB_H0_MFI", "B", DAYS[:1], report=lambda told: archive.close() if told.event == "retry" else None
    )
    assert fetched.error is not None
