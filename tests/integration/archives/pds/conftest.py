"""Parts for tests of the archive: a mirror on loopback, days of a magnetometer in it, one worker for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio_dagster.archives.pds.archive import PdsArchive
from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.time_range import TimeRange
from tests.pds_files import Column, write_pds3, write_pds4
from tests.pds_server import PdsMirror, pds_mirror

FGM = "pds3:JNO-J-3-FGM-CAL-V1.0:DATA"
CASSINI = "urn:nasa:pds:cassini-mag-cal:data-1min-krtp"
FIRST = datetime(2016, 8, 27, tzinfo=UTC)


def day(number: int, days: int = 1) -> TimeRange:
    """Days counted from 2016-08-27."""
    return TimeRange(FIRST + timedelta(days=number), FIRST + timedelta(days=number + days))


def hourly(
    start: datetime, hours: int, value: float, names: tuple[str, ...], *, time: str = "ASCII_Date_Time_DOY_UTC"
) -> list[Column]:
    """An hourly time and numbers that count on from a value."""
    texts = [f"{start + timedelta(hours=hour):%Y-%jT%H:%M:%S.000}" for hour in range(hours)]
    described = "KRTP component" if time != "TIME" else "in Planetocentric coordinate system"
    real = "ASCII_REAL" if time == "TIME" else "ASCII_Real"
    columns = [
        Column(name, [f"{value + hour + 100 * place:9.2f}" for hour in range(hours)], real, "nT", description=described)
        for place, name in enumerate(names)
    ]
    return [Column("TIME" if time == "TIME" else "SCET", texts, time), *columns]


def put_cassini(mirror: PdsMirror, number: int, value: float, *, version: str = "1.0", hours: int = 24) -> Path:
    """Publish a day of a collection of PDS4, in a folder of its year."""
    start = FIRST + timedelta(days=number)
    times = (f"{start:%Y-%m-%dT%H:%M:%SZ}", f"{start + timedelta(hours=hours - 1):%Y-%m-%dT%H:%M:%SZ}")
    return write_pds4(
        mirror.folder / f"data/cassini-mag-cal/data-1min-krtp/{start:%Y}",
        f"{start:%y%j}_krtp_1m",
        hourly(start, hours, value, ("BR", "BTHETA", "BPHI")),
        times=times,
        version=version,
    )


def put_fgm(mirror: PdsMirror, number: int, value: float, kind: str = "pc_r1s", version: int = 1, hours: int = 24) -> Path:
    """Publish a day of a data set of PDS3, in a folder of its orbit."""
    start = FIRST + timedelta(days=number)
    stop = start + timedelta(hours=hours) - timedelta(milliseconds=1)
    return write_pds3(
        mirror.folder / "data/JNO-J-3-FGM-CAL-V1.0/DATA/JUPITER/PC/PERI-01",
        f"fgm_jno_l3_{start:%Y%j}{kind}_v{version:02}",
        hourly(start, hours, value, ("BX PLANETOCENTRIC", "BY PLANETOCENTRIC", "BZ PLANETOCENTRIC"), time="TIME"),
        times=(f"{start:%Y-%jT%H:%M:%S}", f"{stop:%Y-%jT%H:%M:%S.%f}"[:-3]),
        header=b"OBJECT = FILE\r\n",
        data_suffix=".sts",
    )


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[PdsMirror]:
    """An empty server."""
    folder = tmp_path / "served"
    folder.mkdir()
    with pds_mirror(folder) as running:
        yield running


@pytest.fixture(scope="session")
def product_reader() -> Iterator[ProductReader]:
    """One worker for all tests."""
    with ProductReader(workers=1) as reader:
        yield reader


@pytest.fixture
def quick() -> TransferSettings:
    """Limits that let a failing test fail soon."""
    return TransferSettings(tries=2, connect_s=2, read_s=2, total_s=5, first_wait_s=0.01, longest_wait_s=0.02, jitter_s=0)


@pytest.fixture
def archive(mirror: PdsMirror, tmp_path: Path, product_reader: ProductReader, quick: TransferSettings) -> Iterator[PdsArchive]:
    """The archive over the server."""
    with PdsArchive(tmp_path / "cache", product_reader, mirror=mirror.url, settings=quick) as opened:
        yield opened
