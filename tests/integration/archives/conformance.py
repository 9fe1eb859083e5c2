"""What every archive must do, whatever it speaks: a published dataset that tests change, and the archive over it.

A new archive takes part by a `Published` of its own, added to `ways` in `test_conformance.py`.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import cdflib.cdfwrite
import numpy as np

from helio_dagster.archives.archive import Archive
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.archives.own.archive import OwnArchive
from helio_dagster.archives.own.binary.reader import BinaryReader
from helio_dagster.archives.own.places import Places
from helio_dagster.archives.pds.archive import PdsArchive
from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.archives.swpc.archive import SwpcArchive
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.daily_csv import DailyCsvArchive
from tests.pds_files import Column, write_pds4
from tests.pds_server import pds_mirror
from tests.swpc_server import Swpc, swpc_server

FIRST = datetime(2016, 8, 27, tzinfo=UTC)
HOURS = 24
QUICK = TransferSettings(tries=2, connect_s=2, read_s=5, total_s=8, first_wait_s=0.01, longest_wait_s=0.02, jitter_s=0)
_MS_AT_1970 = 62_167_219_200_000.0
_PUBLISHED = datetime(2020, 1, 1, tzinfo=UTC)


def day(number: int, days: int = 1) -> TimeRange:
    """Days counted from the first."""
    return TimeRange(FIRST + timedelta(days=number), FIRST + timedelta(days=number + days))


def values_of(number: int, seed: float = 0.0) -> list[float]:
    """The hourly values of a day, the first at midnight: quarters, which every format holds exactly."""
    return [seed + 100.0 * number + hour / 4 for hour in range(HOURS)]


@dataclass
class Readers:
    """The worker processes that archives share, started on first use."""

    stack: ExitStack

    @property
    def reader(self) -> CdfReader:
        """Reads CDF files, for files of one's own."""
        return self.cdf

    @cached_property
    def own_files(self) -> BinaryReader:
        """Reads other binary files of one's own."""
        reader = BinaryReader()
        self.stack.callback(reader.close)
        return reader

    @cached_property
    def cdf(self) -> CdfReader:
        """Reads CDF files."""
        return self.stack.enter_context(CdfReader(workers=1))

    @cached_property
    def products(self) -> ProductReader:
        """Reads products of the PDS."""
        return self.stack.enter_context(ProductReader(workers=1))


class Published(ABC):
    """A dataset of hourly numbers behind a loopback server: `put` publishes or replaces a day, `missing` is its fill value.

    `dates_days` says whether the archive dates each day's files, so that a changed day leaves the others as they were;
    `knows_files` whether it can say that a listed file is at hand, `forgets` whether the server has only the latest days,
    `has_names` whether datasets and parameters are asked for by name, `is_here` whether its files need no download.
    """

    dataset: str
    parameter: str
    dates_days = True
    knows_files = True
    missing = -1e30
    forgets = False
    has_names = True
    is_here = False

    def __init__(self, folder: Path, readers: Readers) -> None:
        self.readers = readers
        self.folder = folder / "served"
        self.folder.mkdir()
        self.cache = folder / "cache"
        self.stack = ExitStack()
        self._published = 0

    @abstractmethod
    def open(self) -> Archive:
        """The archive over the server; closed with it."""

    @abstractmethod
    def write(self, number: int, values: Sequence[float]) -> list[Path]:
        """Write the files of a day."""

    def put(self, number: int, values: Sequence[float]) -> None:
        """Publish a day, later than all that was published before."""
        self._published += 1
        moment = (_PUBLISHED + timedelta(hours=self._published)).timestamp()
        for path in self.write(number, values):
            os.utime(path, (moment, moment))

    def times(self, number: int, count: int) -> list[datetime]:
        """The times of a day's records."""
        return [FIRST + timedelta(days=number, hours=hour) for hour in range(count)]

    def close(self) -> None:
        """Stop the server and the archive: from then on nobody answers."""
        self.stack.close()


class OverCdas(Published):
    """By CDAS: a CDF file for each day."""

    dataset, parameter = "CF_H0_MFI", "B"

    def open(self) -> Archive:
        """The archive over a server of the folder."""
        index = FileIndex(self.folder, self.readers.cdf.description)
        server = self.stack.enter_context(CdasServer(index, retry_after_s=0))
        return self.stack.enter_context(CdasArchive(server.url, self.cache, self.readers.cdf, settings=QUICK))

    def write(self, number: int, values: Sequence[float]) -> list[Path]:
        """A CDF file."""
        path = self.folder / f"cf_h0_mfi_{FIRST + timedelta(days=number):%Y%m%d}_v01.cdf"
        path.unlink(missing_ok=True)
        epochs = [each.timestamp() * 1000 + _MS_AT_1970 for each in self.times(number, len(values))]
        form = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
        cdf = cdflib.cdfwrite.CDF(path, cdf_spec={"Compressed": 0}, delete=False)
        try:
            cdf.write_globalattrs({"Logical_source": {0: self.dataset}, "TITLE": {0: "Test"}})
            cdf.write_var({"Variable": "Epoch", "Data_Type": 31, **form}, {"VAR_TYPE": "support_data"}, np.array(epochs))
            about = {"VAR_TYPE": "data", "DEPEND_0": "Epoch", "UNITS": "nT", "FILLVAL": [self.missing, "CDF_DOUBLE"]}
            cdf.write_var({"Variable": "B", "Data_Type": 45, **form}, about, np.array(values, dtype="f8"))
        finally:
            cdf.close()
        return [path]


class OverHapi(OverCdas):
    """By HAPI, over the same files."""

    dates_days = False
    knows_files = False

    def open(self) -> Archive:
        """The archive over a server that speaks HAPI."""
        index = FileIndex(self.folder, self.readers.cdf.description)
        extra = [HapiAnswers(ServedFiles(index, self.readers.cdf))]
        server = self.stack.enter_context(CdasServer(index, retry_after_s=0, extra=extra))
        name = f"hapi:http://{server.address}/hapi"
        return self.stack.enter_context(HapiArchive(name, self.cache, settings=QUICK))


class OverPds(Published):
    """By the folders of the PDS: a label of PDS4 and a table for each day."""

    dataset, parameter = "urn:nasa:pds:made-up-mag:data", "B"

    def open(self) -> Archive:
        """The archive over a server of folders."""
        mirror = self.stack.enter_context(pds_mirror(self.folder))
        return self.stack.enter_context(PdsArchive(self.cache, self.readers.products, mirror=mirror.url, settings=QUICK))

    def write(self, number: int, values: Sequence[float]) -> list[Path]:
        """A label and its table."""
        times = [f"{each:%Y-%jT%H:%M:%S}" for each in self.times(number, len(values))]
        columns = [
            Column("TIME", times, "ASCII_Date_Time_DOY_UTC"),
            Column("B", [repr(value) for value in values], unit="nT", constant=repr(self.missing)),
        ]
        folder = self.folder / "data/made-up-mag/data"
        label = write_pds4(folder, f"mag_{FIRST + timedelta(days=number):%Y%j}", columns, times=(times[0], times[-1]))
        return [label, label.with_suffix(".tab")]


class OverSwpc(Published):
    """By SWPC's files of the last days, seen on the seventh day."""

    dataset, parameter = "solar-wind-mag", "bt"
    forgets = True

    def __init__(self, folder: Path, readers: Readers) -> None:
        super().__init__(folder, readers)
        self._waiting: dict[int, Sequence[float]] = {}
        self._server: Swpc | None = None

    def open(self) -> Archive:
        """The archive over a server of what is published."""
        now = day(6).start + timedelta(minutes=30)
        self._server = self.stack.enter_context(swpc_server(now))
        for number, values in self._waiting.items():
            self._measure(number, values)
        archive = SwpcArchive(self.cache, clock=lambda: now, mirror=self._server.url, settings=QUICK)
        return self.stack.enter_context(archive)

    def write(self, number: int, values: Sequence[float]) -> list[Path]:
        """No file: what the server has measured of a day."""
        self._waiting[number] = values
        if self._server is not None:
            self._measure(number, values)
        return []

    def _measure(self, number: int, values: Sequence[float]) -> None:
        if self._server is None:
            raise TypeError("the server is not open")
        for time, value in zip(self.times(number, len(values)), values, strict=True):
            found = None if value == self.missing else value
            self._server.records["mag"][time] = [None, None, None, None, None, found]


class OverDailyCsv(Published):
    """By the example of docs/add-an-archive.md: a folder of CSV files on a web server."""

    dataset, parameter = "made_up", "B"

    def open(self) -> Archive:
        """The archive over a server of folders."""
        mirror = self.stack.enter_context(pds_mirror(self.folder))
        return self.stack.enter_context(DailyCsvArchive(self.cache, mirror.url, QUICK))

    def write(self, number: int, values: Sequence[float]) -> list[Path]:
        """A CSV file."""
        path = self.folder / self.dataset / f"{FIRST + timedelta(days=number):%Y%m%d}.csv"
        path.parent.mkdir(exist_ok=True)
        rows = [
            f"{time:%Y-%m-%dT%H:%M:%SZ},{value!r}" for time, value in zip(self.times(number, len(values)), values, strict=True)
        ]
        path.write_text("\n".join(["time,B", *rows, ""]))
        return [path]


class OverOwnFiles(OverDailyCsv):
    """By files of one's own, where they are: the same CSV files, described."""

    has_names = False
    is_here = True

    def open(self) -> Archive:
        """The archive over the folder."""
        described = {
            "file": f"{self.dataset}/{{%Y}}{{%m}}{{%d}}.csv",
            "time": {"columns": "time"},
            "columns": {"B": {"unit": "nT", "fill": self.missing}},
        }
        return OwnArchive(Fetch.model_validate(described), Places(self.folder, ()), self.cache, self.readers)

    def close(self) -> None:
        """Take the files away."""
        super().close()
        shutil.rmtree(self.folder, ignore_errors=True)


def opened(way: Callable[[Path, Readers], Published], folder: Path, readers: Readers) -> Iterator[tuple[Published, Archive]]:
    """A published dataset of three days with a hole after the second, and the archive over it."""
    published = way(folder, readers)
    for number in (0, 1, 3):
        published.put(number, values_of(number))
    try:
        yield published, published.open()
    finally:
        published.close()
