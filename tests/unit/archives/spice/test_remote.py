"""Kernels from a server with the shape of NAIF's folders: listed, downloaded once, chosen again when a new one appears."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest
from spiceypy import spiceypy

from helio_dagster.archives.demo.kernel_files import constants_text, leap_seconds_text, write_spk
from helio_dagster.archives.demo.orbits import EARTH, ORBITER
from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.archives.spice.remote import RemoteKernels
from helio_dagster.archives.transfer.settings import TransferSettings
from tests.unit.archives.spice.conftest import window

LSK = "naif.jpl.nasa.gov/pub/naif/generic_kernels/lsk/naif0012.tls"
PCK = "naif.jpl.nasa.gov/pub/naif/generic_kernels/pck/pck00011.tpc"
PLANETS = "naif.jpl.nasa.gov/pub/naif/generic_kernels/spk/planets/de440s.bsp"
FLOWN = "sppgway.jhuapl.edu/MOC/reconstructed_ephemeris/spp_recon_20220101_20220301_v001.bsp"
FLOWN_LATER = "sppgway.jhuapl.edu/MOC/reconstructed_ephemeris/spp_recon_20220301_20220401_v001.bsp"
PREDICTED = (
    "spdf.gsfc.nasa.gov/pub/data/psp/ephemeris/spice/Long_Term_Predicted_Ephemeris/spp_nom_20180812_20250831_v040_RO7.bsp"
)
PLACE = ("PSP-SUN", "position_HAE_PT1H")
FEBRUARY, MARCH, MAY = (window(f"2022-0{month}-10", f"2022-0{month}-11") for month in (2, 3, 5))


class Mirror(NamedTuple):
    """A folder, the address it is served under, and what was asked for."""

    folder: Path
    url: str
    asked: list[str]

    def put(self, name: str, content: bytes | str) -> None:
        """Publish a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def put_orbit(self, name: str, start: str, stop: str) -> None:
        """Publish positions of PSP, on the orbit of the demo's spacecraft."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_spk(self.folder / name, (("PSP", "SUN", ORBITER.states, 2.0, 13),), start, stop)


def _page(folder: Path) -> bytes:
    """What Apache makes of a folder."""
    rows = "".join(
        f'<img src="/icons/unknown.gif" alt="[   ]"> <a href="{path.name}">{path.name[:20]}..&gt;</a>   '
        f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d %H:%M}  {path.stat().st_size // 1024}K  \n"
        for path in sorted(folder.iterdir())
    )
    head = '<a href="?C=N;O=D">Name</a> <a href="/pub/">Parent Directory</a><hr>'
    return f"<!DOCTYPE HTML><html><head><title>Index</title></head><body><pre>{head}{rows}</pre></body></html>".encode()


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    """Leap seconds, constants, planets, and PSP's orbit: reconstructed for two months, predicted for years."""
    folder, asked = tmp_path / "server", []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            place = folder / self.path.lstrip("/")
            is_page = place.is_dir()
            body = _page(place) if is_page else place.read_bytes() if place.is_file() else b"<html>not found</html>"
            self.send_response(200 if place.exists() else 404)
            self.send_header("Content-Type", "text/html" if is_page or not place.is_file() else "application/octet-stream")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    mirror = Mirror(folder, f"http://127.0.0.1:{server.server_port}", asked)
    mirror.put(LSK, leap_seconds_text())
    mirror.put(LSK.replace("0012", "0011"), leap_seconds_text(newest=36))
    mirror.put(PCK, constants_text())
    spiceypy.furnsh(str(folder / LSK))
    (folder / PLANETS).parent.mkdir(parents=True)
    write_spk(folder / PLANETS, (("EARTH", "SUN", EARTH.states, 8.0, 13),), "2021-01-01", "2023-01-01")
    mirror.put_orbit(FLOWN, "2022-01-01", "2022-03-01")
    mirror.put_orbit(PREDICTED, "2021-12-01", "2023-01-01")
    yield mirror
    server.shutdown()
    server.server_close()


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
    assert len(february.table) == 24
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
    assert ["no such folder" in str(fetched.error) for fetched in archive.fetch(*PLACE, [FEBRUARY, MAY])] == [True, True]
