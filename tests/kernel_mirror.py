"""A loopback server with the shape of NAIF's folders, which holds kernels of Parker Solar Probe on a made-up orbit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from spiceypy import spiceypy

from helio_dagster.archives.demo.kernel_files import (
    clock_text,
    constants_text,
    frames_text,
    leap_seconds_text,
    write_ck,
    write_spk,
)
from helio_dagster.archives.demo.orbits import EARTH, ORBITER, orbiter_turning

LSK = "naif.jpl.nasa.gov/pub/naif/generic_kernels/lsk/naif0012.tls"
PCK = "naif.jpl.nasa.gov/pub/naif/generic_kernels/pck/pck00011.tpc"
PLANETS = "naif.jpl.nasa.gov/pub/naif/generic_kernels/spk/planets/de440s.bsp"
FLOWN = "sppgway.jhuapl.edu/MOC/reconstructed_ephemeris/spp_recon_20220101_20220301_v001.bsp"
FLOWN_LATER = "sppgway.jhuapl.edu/MOC/reconstructed_ephemeris/spp_recon_20220301_20220401_v001.bsp"
PREDICTED = (
    "spdf.gsfc.nasa.gov/pub/data/psp/ephemeris/spice/Long_Term_Predicted_Ephemeris/spp_nom_20180812_20250831_v040_RO7.bsp"
)
SPDF = "spdf.gsfc.nasa.gov/pub/data/psp/ephemeris/spice/"
AXES, CLOCK = f"{SPDF}PSP_Frame_Kernels/spp_v300.tf", f"{SPDF}SCLK_files/spp_sclk_0866.tsc"
TURNED, TURNED_NEXT = (f"{SPDF}Attitude_History_Kernels/spp_2022_0{day}_00.ah.bc" for day in (55, 59))
_PSP = -96


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

    def put_attitude(self, name: str, start: str, stop: str) -> None:
        """Publish how PSP is turned, as the demo's spacecraft is, with its frames and clock where they are not there yet.

        Written again, frames and clock would bear a new time (Apache lists minutes), and so make every day stale.
        """
        if not (self.folder / CLOCK).exists():
            self.put(AXES, frames_text("SPP_SPACECRAFT", _PSP))
            self.put(CLOCK, clock_text(_PSP))
        spiceypy.furnsh(str(self.folder / CLOCK))
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_ck(self.folder / name, orbiter_turning, _PSP, start, stop)


def _page(folder: Path) -> bytes:
    """What Apache makes of a folder."""
    rows = "".join(
        f'<img src="/icons/unknown.gif" alt="[   ]"> <a href="{path.name}">{path.name[:20]}..&gt;</a>   '
        f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d %H:%M}  {path.stat().st_size // 1024}K  \n"
        for path in sorted(folder.iterdir())
    )
    head = '<a href="?C=N;O=D">Name</a> <a href="/pub/">Parent Directory</a><hr>'
    return f"<!DOCTYPE HTML><html><head><title>Index</title></head><body><pre>{head}{rows}</pre></body></html>".encode()


@contextmanager
def kernel_mirror(folder: Path) -> Iterator[Mirror]:
    """Leap seconds, constants, planets, and PSP's orbit: reconstructed for two months, predicted for a year."""
    asked: list[str] = []

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
    try:
        yield mirror
    finally:
        server.shutdown()
        server.server_close()
