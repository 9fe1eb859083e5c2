"""Every fault of a server is recovered, or fails with its cause; never a wrong or partial table."""

from __future__ import annotations

import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.archives.archive import FetchProgress, TableReader
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.faults import Fault, FaultKind, Target
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable, CorruptFile
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.cdas.conftest import MakeCdf

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
NAME = "ab_h0_mfi_20230102_v01.cdf"
FAULTS = ["truncate", "length", "429", "503", "html", "reset", "slow"]


@pytest.fixture(autouse=True)
def day_file(make_cdf: MakeCdf) -> Path:
    """The one file that is served."""
    return make_cdf(NAME, [f"2023-01-02T{hour:02d}:30:00" for hour in range(24)])


@pytest.mark.alike(6)
@pytest.mark.parametrize("target", ["listing", "file"])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_that_passes_is_recovered_and_reported(
    archive: CdasArchive, server: CdasServer, kind: FaultKind, target: Target
) -> None:
    """After two bad answers the third is used, and each retry was told with its cause."""
    server.faults.add(Fault(kind, target, times=2))
    told: list[FetchProgress] = []
    (fetched,) = archive.fetch("AB_H0_MFI", "B", [DAY], report=told.append)
    assert fetched.table is not None
    assert list(fetched.table.columns["B"]) == list(range(24))
    retries = [progress.detail for progress in told if progress.event == "retry"]
    assert len(retries) == 2
    assert "try 1 of 3" in retries[0]


@pytest.mark.alike(6)
@pytest.mark.parametrize("target", ["listing", "file"])
@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_that_stays_fails_the_window_and_the_next_fetch_completes(
    archive: CdasArchive, server: CdasServer, tmp_path: Path, kind: FaultKind, target: Target
) -> None:
    """All tries used up: the error names the URL, its cause and what to do; nothing incomplete is left to be used."""
    server.faults.add(Fault(kind, target))
    (failed,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert isinstance(failed.error, ArchiveUnavailable)
    assert failed.error.where.startswith("http://")
    assert "3 tries" in failed.error.problem
    assert "Run the same command again" in failed.error.hint
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    server.faults.clear()
    (fetched,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert fetched.table is not None
    assert len(fetched.table) == 24


def test_a_window_that_fails_does_not_stop_the_others(archive: CdasArchive, server: CdasServer, make_cdf: MakeCdf) -> None:
    """The file of one day cannot be had; the days around it are fetched."""
    for number in (3, 4):
        make_cdf(f"ab_h0_mfi_2023010{number}_v01.cdf", [f"2023-01-0{number}T12:00:00"])
    server.faults.add(Fault("503", "file", times=3))  # as many as there are tries; one download at a time
    days = [TimeRange(datetime(2023, 1, number, tzinfo=UTC), datetime(2023, 1, number + 1, tzinfo=UTC)) for number in (2, 3, 4)]
    fetched = [next(iter(archive.fetch("AB_H0_MFI", "B", [day]))) for day in days[:1]] + list(
        archive.fetch("AB_H0_MFI", "B", days[1:])
    )
    assert [one.error is None for one in fetched] == [False, True, True]


def test_wrong_requests_are_not_repeated(
    server: CdasServer, tmp_path: Path, reader: TableReader, quick: TransferSettings
) -> None:
    """A base URL that is no CDAS service is refused at once: no retry, and the hint names the setting."""
    wrong = server.url.replace("sp_phys", "sp_phis")
    with CdasArchive(wrong, tmp_path / "cache", reader, settings=quick) as archive:
        (fetched,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert isinstance(fetched.error, ArchiveAnswerError)
    assert "HELIO_CDAWEB_URL" in fetched.error.hint
    assert max(server.requests.values()) == 1


def test_a_server_that_is_not_there_is_unavailable(tmp_path: Path, reader: TableReader, quick: TransferSettings) -> None:
    """Nothing listens at the port: unavailable, with the URL."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/WS/cdasr/1/dataviews/sp_phys/"
        with CdasArchive(url, tmp_path / "cache", reader, settings=quick) as archive:
            (fetched,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert isinstance(fetched.error, ArchiveUnavailable)
    assert url in fetched.error.where


def test_an_archive_that_is_down_is_soon_given_up(archive: CdasArchive, server: CdasServer) -> None:
    """After three requests with all their tries the others are tried once; the first success ends that."""
    years = [TimeRange(datetime(year, 1, 1, tzinfo=UTC), datetime(year, 1, 2, tzinfo=UTC)) for year in range(2001, 2021)]
    server.faults.add(Fault("503"))
    assert all(isinstance(one.error, ArchiveUnavailable) for one in archive.fetch("AB_H0_MFI", "B", years))
    assert sum(server.requests.values()) == 3 * 3 + 17
    server.faults.clear()
    assert all(one.error is None for one in archive.fetch("AB_H0_MFI", "B", [DAY]))
    server.faults.add(Fault("503", times=2))
    assert all(one.error is None for one in archive.fetch("AB_H0_MFI", "B", [DAY]))


def test_a_file_corrupt_at_the_archive_is_named_kept_aside_and_fetched_again_later(
    archive: CdasArchive, server: CdasServer, folder: Path, tmp_path: Path
) -> None:
    """A file that no reader decodes is downloaded once more, then the window fails; it is there to be looked at."""
    whole = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(whole[:300])
    (failed,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert isinstance(failed.error, CorruptFile)
    assert NAME in failed.error.problem
    assert server.count(NAME) == 2
    assert [path.suffix for path in (tmp_path / "cache").rglob("*") if path.is_file()] == [".corrupt"]
    (folder / NAME).write_bytes(whole)
    (fetched,) = archive.fetch("AB_H0_MFI", "B", [DAY])
    assert fetched.table is not None
    assert len(fetched.table) == 24


def test_a_file_damaged_in_the_cache_is_replaced(
    archive: CdasArchive, server: CdasServer, tmp_path: Path, reader: TableReader
) -> None:
    """A byte flipped on disk is noticed when a process first uses the file, and the file is downloaded again."""
    list(archive.fetch("AB_H0_MFI", "B", [DAY]))
    (path,) = (tmp_path / "cache").rglob("*.cdf")
    damaged = bytearray(path.read_bytes())
    damaged[-40] ^= 0xFF
    path.write_bytes(damaged)
    with CdasArchive(server.url, tmp_path / "cache", reader) as fresh:
        (fetched,) = fresh.fetch("AB_H0_MFI", "B", [DAY])
    assert fetched.table is not None
    assert list(fetched.table.columns["B"]) == list(range(24))
    assert server.count(NAME) == 2
