"""Real mission files through the server, the client and the cache."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.domain.errors import CorruptFile, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange


def day(text: str, days: int = 1) -> TimeRange:
    """A day, or a few."""
    start = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return TimeRange(start, start + timedelta(days=days))


@pytest.fixture(scope="module")
def mission_server(shared_data: Path) -> Iterator[CdasServer]:
    """The real files, served."""
    with CdasServer(FileIndex(shared_data / "cdf")) as running:
        yield running


@pytest.fixture(scope="module")
def cdf_reader() -> Iterator[CdfReader]:
    """The product's own reader."""
    with CdfReader() as opened:
        yield opened


@pytest.fixture
def mission_archive(mission_server: CdasServer, tmp_path: Path, cdf_reader: CdfReader) -> Iterator[CdasArchive]:
    """The real files as an archive, with an empty cache."""
    mission_server.requests.clear()
    with CdasArchive(mission_server.url, tmp_path / "cache", cdf_reader) as opened:
        yield opened


@pytest.fixture
def table_of(mission_archive: CdasArchive) -> Callable[[str, str, TimeRange], Table]:
    """Fetches one window."""

    def fetch(dataset: str, parameter: str, window: TimeRange) -> Table:
        (fetched,) = mission_archive.fetch(dataset, parameter, [window])
        assert fetched.table is not None
        return fetched.table

    return fetch


def test_a_day_holds_the_records_of_its_file(table_of: Callable[[str, str, TimeRange], Table], shared_data: Path) -> None:
    """ACE BGSEc of 2023-01-02 is what cdflib reads from the file: 5,400 records."""
    expected = cdflib.CDF(shared_data / "cdf" / "ac_h0_mfi_20230102_v07.cdf").varget("BGSEc")
    table = table_of("AC_H0_MFI", "BGSEc", day("2023-01-02"))
    assert len(table) == 5400
    np.testing.assert_array_equal(np.column_stack(list(table.columns.values())), expected)


def test_a_monthly_file_feeds_its_days_and_is_downloaded_once(
    mission_archive: CdasArchive, mission_server: CdasServer, shared_data: Path
) -> None:
    """OMNI of September 2024, in 30 daily windows: 24 values each, from one transfer."""
    stored = cdflib.CDF(shared_data / "cdf" / "omni_coho1hr_merged_mag_plasma_20240901_v01.cdf").varget("BR")
    expected = np.where(stored < -1e30, np.nan, stored)  # FILLVAL is -1e31
    windows = [day(f"2024-09-{number:02d}") for number in range(1, 31)]
    tables = [fetched.table for fetched in mission_archive.fetch("OMNI_COHO1HR_MERGED_MAG_PLASMA", "BR", windows)]
    assert [len(table) for table in tables if table is not None] == [24] * 30
    np.testing.assert_array_equal(np.concatenate([table.columns["BR"] for table in tables if table is not None]), expected)
    assert mission_server.count("omni_coho1hr_merged_mag_plasma_20240901_v01.cdf") == 1


def test_a_file_without_records_gives_a_typed_empty_table(mission_archive: CdasArchive) -> None:
    """The Solar Orbiter file of zero records is an answer: no records, its columns, and itself as the source."""
    (fetched,) = mission_archive.fetch("SOLO_L1_SWA-PAS-MOM", "density", [day("2020-07-06")])
    assert fetched.table is not None
    assert (len(fetched.table), list(fetched.table.columns)) == (0, ["density"])
    assert [source.name for source in fetched.sources] == ["solo_L1_swa-pas-mom_20200706_V01.cdf"]


def test_a_date_without_files_is_empty_without_sources(mission_archive: CdasArchive) -> None:
    """A date the archive has not is *no data*, not a failure."""
    (fetched,) = mission_archive.fetch("AC_H0_MFI", "BGSEc", [day("1999-01-01")])
    assert fetched.table is not None
    assert (len(fetched.table), fetched.table.columns, fetched.sources) == (0, {}, ())


@pytest.mark.parametrize("dataset", ["RBSPA_REL04_ECT-HOPE-PA-L3", "rbsp-a_l3_ect-hope"])
def test_a_dataset_answers_to_its_file_name_and_its_logical_source(
    table_of: Callable[[str, str, TimeRange], Table], dataset: str
) -> None:
    """Van Allen Probes files are named otherwise than their Logical_source says; both ids find them."""
    assert len(table_of(dataset, "FPDO", day("2012-12-01"))) == 100


def test_minutes_of_burst_data_are_found_in_their_day(table_of: Callable[[str, str, TimeRange], Table]) -> None:
    """The MMS burst file covers four minutes; its day holds all 16,640 records."""
    assert len(table_of("MMS1_FGM_BRST_L2", "mms1_fgm_b_gse_brst_l2", day("2016-12-09"))) == 16640


def test_an_unknown_dataset_is_refused_with_near_names(mission_archive: CdasArchive) -> None:
    """A dataset the archive has not is wrong input, and near names are offered."""
    with pytest.raises(UnknownDataset, match="there is no dataset AC_H0_MFX") as caught:
        list(mission_archive.fetch("AC_H0_MFX", "BGSEc", [day("2023-01-02")]))
    assert "AC_H0_MFI" in caught.value.hint


def test_an_unknown_parameter_is_refused(mission_archive: CdasArchive) -> None:
    """A parameter that neither the file nor the archive's list has is wrong input."""
    with pytest.raises(UnknownDataset, match="BGSEx"):
        list(mission_archive.fetch("AC_H0_MFI", "BGSEx", [day("2023-01-02")]))


def test_sources_tell_size_date_and_hash(mission_archive: CdasArchive, shared_data: Path) -> None:
    """Each file behind a table is named with what proves it."""
    (fetched,) = mission_archive.fetch("AC_K2_MFI", "Magnitude", [day("2022-01-01")])
    (source,) = fetched.sources
    assert source.name == "ac_k2_mfi_20220101_v03.cdf"
    assert source.size == (shared_data / "cdf" / source.name).stat().st_size
    assert source.url.endswith(f"/sp_phys/data/{source.name}")
    assert len(source.sha256) == 64
    assert source.last_modified.endswith("Z")


def test_damaged_files_give_a_table_or_their_error(shared_data: Path, tmp_path: Path, cdf_reader: CdfReader) -> None:
    """Truncated files, and files with bytes flipped, each in a dataset of its own: a table or an error, and nothing else."""
    chance = random.Random(7)  # noqa: S311  # damage, not secrets
    whole = (shared_data / "cdf" / "ac_k2_mfi_20220101_v03.cdf").read_bytes()
    served = tmp_path / "served"
    served.mkdir()
    for number in range(4):
        flipped = bytearray(whole)
        for _ in range(20):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(4)
        (served / f"flipped{number}_20220101_v03.cdf").write_bytes(flipped)
        (served / f"truncated{number}_20220101_v03.cdf").write_bytes(whole[: chance.randrange(16, len(whole))])
    (served / "whole_20220101_v03.cdf").write_bytes(whole)
    answers = {}
    with CdasServer(FileIndex(served)) as server, CdasArchive(server.url, tmp_path / "cache", cdf_reader) as archive:
        for dataset in [f"{damage}{number}" for damage in ("FLIPPED", "TRUNCATED") for number in range(4)]:
            with contextlib.suppress(UnknownDataset):  # a flipped name
                (answers[dataset],) = archive.fetch(dataset, "Magnitude", [day("2022-01-01")])
        (sound,) = archive.fetch("WHOLE", "Magnitude", [day("2022-01-01")])
    assert all(isinstance(one.error, CorruptFile) for name, one in answers.items() if name.startswith("TRUNCATED"))
    assert all(one.table is None or len(one.table) <= 24 for one in answers.values())
    assert sound.table is not None
    assert len(sound.table) == 24
