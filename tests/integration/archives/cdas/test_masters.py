"""What no data file holds is computed as the dataset's master says, over a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfile
from typing import Any

import cdflib.cdfwrite
import numpy as np
import pytest

from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.request import DEFINED_BY
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.functions import COMPUTED_BY
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import MASTERS_FOLDER
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange

DAY = TimeRange(datetime(2008, 2, 29, tzinfo=UTC), datetime(2008, 3, 1, tzinfo=UTC))
SECONDS = DAY.start.timestamp() + np.arange(6) * 0.5
FIELD = np.arange(18.0).reshape(6, 3)
Fetch = Callable[[str, str], Table]


def write(path: Path, dataset: str, *variables: tuple[str, int, Any, dict[str, Any], bool]) -> None:
    """A CDF file of variables: name, type, values, attributes, and whether they vary with time."""
    cdf = cdflib.cdfwrite.CDF(path.with_suffix(""), delete=True)
    cdf.write_globalattrs({"Logical_source": {0: dataset.lower()}, "TITLE": {0: "Test"}})
    for name, kind, values, attributes, varies in variables:
        array = np.asarray(values)
        shape = list(array.shape[1:] if varies else array.shape)
        spec = {"Variable": name, "Data_Type": kind, "Num_Elements": 1, "Rec_Vary": varies, "Dim_Sizes": shape}
        cdf.write_var(spec, attributes, array if len(array.reshape(-1)) else None)
    cdf.close()


@pytest.fixture
def magnetometer(folder: Path, shared_data: Path) -> Path:
    """A file of a THEMIS ground magnetometer with made-up values, as its real master describes it; its place."""
    masters = folder / MASTERS_FOLDER
    masters.mkdir()
    copyfile(shared_data / "masters/thg_l2_mag_mek_00000000_v01.cdf", masters / "thg_l2_mag_mek_00000000_v01.cdf")
    path = folder / "thg_l2_mag_mek_20080229_v01.cdf"
    field = {"VAR_TYPE": "data", "UNITS": "nT", "DEPEND_0": "thg_mag_mek_epoch"}
    field |= {"DEPEND_EPOCH0": "thg_mag_mek_epoch0", "DEPEND_TIME": "thg_mag_mek_time"}
    epoch = {"VAR_TYPE": "support_data", "COMPONENT_0": "thg_mag_mek_epoch0", "COMPONENT_1": "thg_mag_mek_time"}
    epoch |= {"VIRTUAL": "true", "FUNCT": "comp_themis_epoch"}
    write(
        path,
        "THG_L2_MAG_MEK",
        ("thg_mag_mek", 45, FIELD, field, True),
        ("thg_mag_mek_time", 45, SECONDS, {"VAR_TYPE": "support_data", "UNITS": "s"}, True),
        ("thg_mag_mek_epoch0", 31, 62167219200000.0, {"VAR_TYPE": "support_data"}, False),
        ("thg_mag_mek_epoch", 31, np.empty(0), epoch, True),
    )
    return path


@pytest.fixture
def fetch(server: CdasServer, tmp_path: Path, quick: TransferSettings) -> Iterator[Fetch]:
    """Fetches a parameter of the day with the product's own reader."""
    with CdfReader() as reader, CdasArchive(server.url, tmp_path / "cache", reader, settings=quick) as archive:

        def of_day(dataset: str, parameter: str) -> Table:
            (found,) = archive.fetch(dataset, parameter, [DAY])
            if found.error is not None:
                raise found.error
            assert found.table is not None
            return found.table

        yield of_day


@pytest.mark.usefixtures("magnetometer")
def test_components_of_a_ground_magnetometer(fetch: Fetch) -> None:
    """H, D and Z of the real master are the three numbers of the file, at its times; the master's hash is recorded."""
    for place, name in enumerate(("thg_magh_mek", "thg_magd_mek", "thg_magz_mek")):
        table = fetch("THG_L2_MAG_MEK", name)
        np.testing.assert_array_equal(table.columns[name], FIELD[:, place])
        np.testing.assert_array_equal(table.time, (SECONDS * 1e9).astype("int64").view("datetime64[ns]"))
        assert table.meta.unit == "nT"
        assert table.meta.attributes[COMPUTED_BY] == "make_stack_array of thg_mag_mek"
        assert "thg_l2_mag_mek_00000000_v01.cdf, sha256 " in table.meta.attributes[DEFINED_BY]


@pytest.mark.usefixtures("magnetometer")
def test_a_master_is_asked_for_once(fetch: Fetch, server: CdasServer) -> None:
    """What a file holds needs no master; what it lacks, one request for each fetch, however many files."""
    fetch("THG_L2_MAG_MEK", "thg_mag_mek")
    assert not [path for path in server.requests if "0MASTERS" in path]
    fetch("THG_L2_MAG_MEK", "thg_magh_mek")
    assert len([path for path in server.requests if "0MASTERS" in path]) == 1


@pytest.mark.usefixtures("magnetometer")
def test_what_neither_has_is_unknown(fetch: Fetch) -> None:
    """Also what the master defines as a variable of files, which this one lacks: it is no empty table."""
    for name in ("thg_mag", "thg_mag_mek_range"):
        with pytest.raises(UnknownDataset, match=name):
            fetch("THG_L2_MAG_MEK", name)


def _flux(folder: Path, *, flag: bool = True) -> None:
    """Files of two days of a spectrogram with a flag, and a master that filters it; its energies are in the master alone."""
    masters = folder / MASTERS_FOLDER
    masters.mkdir(exist_ok=True)
    filtered = {"VAR_TYPE": "data", "UNITS": "1/(cm^2 s sr keV)", "DEPEND_0": "Epoch", "DEPEND_1": "energy"}
    filtered |= {"VIRTUAL": "true", "FUNCT": "apply_esa_qflag", "COMPONENT_0": "flux", "COMPONENT_1": "bad"}
    epoch = {"VAR_TYPE": "support_data"}
    write(
        masters / "xx_l2_esa_00000000_v01.cdf",
        "XX_L2_ESA",
        ("Epoch", 31, np.empty(0), epoch, True),
        ("flux", 45, np.empty((0, 6)), {**filtered, "FUNCT": "", "VIRTUAL": ""}, True),
        ("bad", 4, np.empty(0, "i4"), {"DEPEND_0": "Epoch"}, True),
        ("fluxQ", 45, np.empty((0, 6)), filtered, True),
        ("energy", 45, np.geomspace(10, 1000, 6), {"UNITS": "keV", "SCALETYP": "log"}, False),
    )
    for day in range(2):
        start = DAY.start + timedelta(days=day - 1, hours=18)
        times = (start.timestamp() + 62167219200.0 + np.arange(6) * 7200) * 1000
        flags = [("bad", 4, np.arange(6, dtype="i4") % 2, {"DEPEND_0": "Epoch"}, True)] if flag else []
        write(
            folder / f"xx_l2_esa_{start:%Y%m%d}_v01.cdf",
            "XX_L2_ESA",
            ("Epoch", 31, times, epoch, True),
            ("flux", 45, 100.0 * day + np.arange(36.0).reshape(6, 6), {"VAR_TYPE": "data", "DEPEND_0": "Epoch"}, True),
            *flags,
        )


def test_a_filtered_spectrogram_has_the_masters_energies(folder: Path, fetch: Fetch) -> None:
    """Bad records are missing; bins that files lack are the master's, and the day is put together of two files."""
    _flux(folder)
    table = fetch("XX_L2_ESA", "fluxQ")
    assert table.meta.kind == "spectrogram"
    assert table.meta.bins is not None
    assert table.meta.bins.centers == pytest.approx(np.geomspace(10, 1000, 6))
    values = np.stack([table.columns[name] for name in table.meta.data_names], axis=1)
    first = np.arange(18.0, 36.0).reshape(3, 6)
    second = 100 + np.arange(18.0).reshape(3, 6)
    expected = np.concatenate([first, second])
    expected[[0, 2, 4]] = np.nan
    np.testing.assert_array_equal(values, expected)


def test_a_file_without_what_it_is_computed_from_says_so(folder: Path, fetch: Fetch) -> None:
    """The file is sound: it is not downloaded again."""
    _flux(folder, flag=False)
    with pytest.raises(InputError, match="the file has no numbers bad"):
        fetch("XX_L2_ESA", "fluxQ")


def test_a_broken_master_spoils_no_file(folder: Path, fetch: Fetch, tmp_path: Path) -> None:
    """The error names the master, and the data file stays where it is."""
    _flux(folder)
    master = folder / MASTERS_FOLDER / "xx_l2_esa_00000000_v01.cdf"
    master.write_bytes(master.read_bytes()[:700])
    with pytest.raises(InputError, match="the dataset's master, which defines the parameter, cannot be read"):
        fetch("XX_L2_ESA", "fluxQ")
    assert not list(tmp_path.rglob("*.corrupt"))
