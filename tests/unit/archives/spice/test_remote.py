"""Kernels from a server with the shape of NAIF's folders: listed, downloaded once, chosen again when a new one appears."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.archives.spice.remote import RemoteKernels
from helio_dagster.archives.transfer.settings import TransferSettings
from tests.kernel_mirror import FLOWN, FLOWN_LATER, LSK, PCK, PLANETS, PREDICTED, Mirror, kernel_mirror
from tests.unit.archives.spice.conftest import window

PLACE = ("PSP-SUN", "position_HAE_PT1H")
FEBRUARY, MARCH, MAY = (window(f"2022-0{month}-10", f"2022-0{month}-11") for month in (2, 3, 5))


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    """A server with kernels."""
    with kernel_mirror(tmp_path / "server") as mirror:
        yield mirror


@pytest.fixture
def archive(mirror: Mirror, tmp_path: Path, reader: EphemerisReader) -> Iterator[SpiceArchive]:
    """The archive over the mirror, with an empty cache."""
    kernels = RemoteKernels(tmp_path / "cache", mirror=mirror.url, settings=TransferSettings(tries=1))
    archive = SpiceArchive("spice", kernels, reader)
    yield archive
    archive.close()


def test_reconstructed_kernels_are_used_and_predicted_ones_beyond(archive: SpiceArchive) -> None:
    """The newest leap seconds, and no predicted kernel where all is reconstructed; sources under their own address."""
    february, may = archive.fetch(*PLACE, [FEBRUARY, MAY])
    assert [source.name for source in february.sources] == [name.rpartition("/")[2] for name in (LSK, PCK, PLANETS, FLOWN)]
    assert february.sources[3].url == f"https://{FLOWN}"
    assert not february.table.meta.predicted
    assert len(february.table.time) == 24
    assert may.table.meta.predicted
    assert may.sources[-1].name == PREDICTED.rpartition("/")[2]


def test_a_kernel_is_downloaded_once(archive: SpiceArchive, mirror: Mirror) -> None:
    """Two fetches of two windows ask four times for lists, and once for each file."""
    for _ in range(2):
        assert all(fetched.error is None for fetched in archive.fetch(*PLACE, [FEBRUARY, MAY]))
    files = [path for path in mirror.asked if not path.endswith("/")]
    assert sorted(files) == sorted(f"/{name}" for name in (LSK, PCK, PLANETS, FLOWN, PREDICTED))


def test_a_new_reconstruction_changes_only_the_windows_it_covers(archive: SpiceArchive, mirror: Mirror) -> None:
    """The revision, by which partitions are judged stale."""
    windows = [FEBRUARY, MARCH, MAY]
    before = [listed.revision for listed in archive.listed("PSP-SUN", windows)]
    mirror.put_orbit(FLOWN_LATER, "2022-03-01", "2022-04-01")
    after = [listed.revision for listed in archive.listed("PSP-SUN", windows)]
    assert [was == now for was, now in zip(before, after, strict=True)] == [True, False, True]
    march = next(archive.fetch(*PLACE, [MARCH]))
    assert not march.table.meta.predicted


def test_a_page_in_place_of_a_kernel_is_not_kept(archive: SpiceArchive, mirror: Mirror) -> None:
    """A server that answers with status 200 and a page: an error, and the next try asks again."""
    good = (mirror.folder / FLOWN).read_bytes()
    mirror.put(FLOWN, "<html>down for maintenance</html>")
    failed = next(archive.fetch(*PLACE, [FEBRUARY]))
    assert "not a kernel" in str(failed.error)
    mirror.put(FLOWN, good)
    assert next(archive.fetch(*PLACE, [FEBRUARY])).error is None


def test_a_server_that_is_gone_is_an_error_of_every_window(archive: SpiceArchive, mirror: Mirror) -> None:
    """What cannot be listed is not taken for absent."""
    (mirror.folder / LSK).parent.rename(mirror.folder / "away")
    errors = [str(fetched.error) for fetched in archive.fetch(*PLACE, [FEBRUARY, MAY])]
    assert ["there is no folder of kernels" in each for each in errors] == [True, True]
