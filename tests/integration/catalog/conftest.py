"""Parts for tests of refreshing: a loopback archive with small data files and real masters, a small catalog to begin with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import cdflib.cdfwrite
import numpy as np
import pytest

from helio_dagster.archives.cdas.client import CdasClient
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.catalog.assembling import Described, assemble, parameter_facts
from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.gathering import RefreshProgress
from helio_dagster.catalog.masters import CdasMasters
from helio_dagster.catalog.refreshing import RefreshReport, refresh

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
MASTERS = ("ac_h0_mfi", "erg_pwe_hfa_l3_1min", "fa_esa_l2_eeb", "thg_l2_mag_mek")


@pytest.fixture
def quick() -> TransferSettings:
    """Limits that let a failing test fail soon."""
    return TransferSettings(
        tries=2,
        connect_s=1,
        read_s=1,
        total_s=1.5,
        first_wait_s=0.01,
        longest_wait_s=0.02,
        longest_retry_after_s=0.02,
        jitter_s=0,
        at_once=3,
        text_limit_bytes=1 << 20,
        file_limit_bytes=1 << 20,
    )


@pytest.fixture(scope="session")
def reader() -> Iterator[CdfReader]:
    """Worker processes that decode, shared by all tests."""
    with CdfReader() as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that the server serves."""
    path = tmp_path / "served"
    (path / "masters").mkdir(parents=True)
    return path


@pytest.fixture
def server(folder: Path) -> Iterator[CdasServer]:
    """A server over the folder."""
    with CdasServer(FileIndex(folder), drip_s=0.02) as running:
        yield running


MakeData = Callable[..., Path]


@pytest.fixture
def make_data(folder: Path) -> MakeData:
    """Writes a data file of a dataset: `B` at two times of a day."""

    def make(dataset: str, day: str = "20230102", *, title: str = "Test of a magnetometer", **attributes: str) -> Path:
        path = folder / f"{dataset.lower()}_{day}_v01.cdf"
        path.unlink(missing_ok=True)
        midnight = datetime.strptime(day, "%Y%m%d").replace(tzinfo=UTC)
        epochs = np.array([0.0, 60_000.0]) + (midnight.timestamp() + 62167219200.0) * 1000
        cdf = cdflib.cdfwrite.CDF(path, cdf_spec={"Compressed": 0}, delete=False)
        try:
            given = {"Logical_source": dataset, "TITLE": title, "PI_name": "A. Person", **attributes}
            cdf.write_globalattrs({name: {0: text} for name, text in given.items()})
            form = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
            cdf.write_var({"Variable": "Epoch", "Data_Type": 31, **form}, {"VAR_TYPE": "support_data"}, epochs)
            about = {"VAR_TYPE": "data", "DEPEND_0": "Epoch", "CATDESC": "Magnetic field", "UNITS": "nT"}
            cdf.write_var({"Variable": "B", "Data_Type": 45, **form}, about, np.arange(2.0))
        finally:
            cdf.close()
        return path

    return make


@pytest.fixture
def real_masters(folder: Path, make_data: MakeData, shared_data: Path) -> Path:
    """Real masters of ACE, Arase, FAST and THEMIS in the served folder, each with a made data file."""
    for name in MASTERS:
        make_data(name.upper())
        shutil.copy(shared_data / "masters" / f"{name}_00000000_v01.cdf", folder / "masters")
    return folder / "masters"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """What is known at first: a dataset of CDAWeb that the test archive has not, and one of PDS."""
    rows = [{"name": "B", "description": "Magnetic field", "units": "nT", "size": [1], "type": "double"}]
    said = [
        Described("XY_OLD_MAG", "cdaweb", "Old magnetometer", "mag", "1999-01-01", "2001-01-01"),
        Described("urn:nasa:pds:x-mag", "pds", "Planet magnetometer", "mag", "1999-01-01", "2001-01-01", collection="x"),
    ]
    path = tmp_path / "base.sqlite"
    write_database(
        path, [assemble(each, [parameter_facts(row) for row in rows], NOW) for each in said], {"snapshot": "2026-01-01"}
    )
    return path


@dataclass
class Refresher:
    """Refreshes one home from one server."""

    home: Path
    url: str
    base: Path
    reader: CdfReader
    settings: TransferSettings
    told: list[RefreshProgress] = field(default_factory=list)

    @property
    def path(self) -> Path:
        """The home's catalog."""
        return self.home / "catalog.sqlite"

    def known(self) -> CatalogDatabase:
        """The home's catalog where there is one, else the base."""
        return CatalogDatabase(self.path if self.path.is_file() else self.base)

    def __call__(
        self, datasets: Sequence[str] | None = None, now: datetime = NOW, *, all_masters: bool = False
    ) -> RefreshReport:
        """Refresh."""
        client = CdasClient(self.url, settings=self.settings)
        masters = CdasMasters(self.url, self.home / "masters", self.reader, settings=self.settings)
        try:
            return refresh(
                self.home,
                self.known,
                client,
                masters,
                datasets=datasets,
                now=now,
                on_progress=self.told.append,
                all_masters=all_masters,
            )
        finally:
            masters.close()
            client.close()


@pytest.fixture
def refresher(tmp_path: Path, server: CdasServer, base: Path, reader: CdfReader, quick: TransferSettings) -> Refresher:
    """Refreshes a home from the server."""
    return Refresher(tmp_path / "home" / "catalog", server.url, base, reader, quick)
