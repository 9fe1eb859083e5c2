"""The demo archive from request to table: real server, real client, real cache, real reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.demo.archive import DemoArchive
from helio_dagster.archives.demo.datasets import DATASETS
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange

SPAN = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 10, 31, tzinfo=UTC))
DAYS = [Grain.DAILY.window(key) for key in Grain.DAILY.keys(SPAN)]


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    """The reader of the product."""
    with CdfReader(workers=1) as reader:
        yield reader


@pytest.fixture
def archive(tmp_path: Path, reader: CdfReader) -> Iterator[DemoArchive]:
    """A demo archive with an empty cache."""
    with DemoArchive(tmp_path, reader) as archive:
        yield archive


@pytest.mark.alike(6)
@pytest.mark.parametrize(
    ("dataset", "parameter"), [(dataset.id, variable.name) for dataset in DATASETS for variable in dataset.variables]
)
def test_every_parameter_can_be_fetched(archive: DemoArchive, dataset: Any, parameter: Any) -> None:
    """With records, a unit, the synthetic mark, and labels as its columns."""
    (fetched,) = archive.fetch(dataset, parameter, DAYS[:1])
    assert fetched.error is None
    assert fetched.table.status == "data"
    assert fetched.table.meta.synthetic
    assert fetched.table.meta.unit
    assert [source.url.split("/")[:2] for source in fetched.sources] == [["demo:", dataset]]


def test_vectors_and_spectrograms_are_known_as_such(archive: DemoArchive) -> None:
    """Kind, frame and bins as the operations and figures want them."""
    (vector,) = archive.fetch("AC_H0_MFI", "BGSEc", DAYS[:1])
    assert (vector.table.meta.kind, vector.table.meta.frame) == ("vector", "GSE")
    (flux,) = archive.fetch("WI_PLSP_3DP", "FLUX", DAYS[:1])
    assert flux.table.meta.kind == "spectrogram"
    assert len(flux.table.meta.bins.centers) == 32
    assert flux.table.meta.bins.unit == "eV"


def test_days_one_by_one_are_the_days_all_at_once(archive: DemoArchive) -> None:
    """Byte for byte, in any order."""
    together = [fetched.table for fetched in archive.fetch("AC_H0_MFI", "BGSEc", DAYS)]
    alone = [next(iter(archive.fetch("AC_H0_MFI", "BGSEc", [day]))).table for day in reversed(DAYS)][::-1]
    for first, second in zip(together, alone, strict=True):
        assert first.time.tobytes() == second.time.tobytes()
        assert [values.tobytes() for values in first.columns.values()] == [
            values.tobytes() for values in second.columns.values()
        ]


def test_a_monthly_file_feeds_its_days_and_is_downloaded_once(archive: DemoArchive) -> None:
    """Three days of OMNI out of one file."""
    events: Counter[str] = Counter()
    fetched = list(archive.fetch("OMNI2_H0_MRG1HR", "DST", DAYS, report=lambda progress: events.update([progress.event])))
    assert [each.table and len(each.table) for each in fetched] == [24, 24, 24]
    assert events["downloaded"] == 1
    assert len({source for each in fetched for source in each.sources}) == 1


def test_a_second_archive_finds_the_files_of_the_first(tmp_path: Path, reader: CdfReader) -> None:
    """Another port, the same cache: nothing is downloaded again, and sources are recorded alike."""
    sources = []
    events: list[str] = []
    for _ in range(2):
        with DemoArchive(tmp_path, reader) as archive:
            events.clear()
            fetched = list(archive.fetch("WI_H0_MFI", "BF1", DAYS[:1], report=lambda progress: events.append(progress.event)))
            sources.append(fetched[0].sources)
    assert sources[0] == sources[1]
    assert "downloaded" not in events


def test_before_its_span_the_demo_has_no_data(archive: DemoArchive) -> None:
    """Empty, not failed."""
    day = Grain.DAILY.window("1985-06-01")
    (fetched,) = archive.fetch("AC_H0_MFI", "BGSEc", [day])
    assert fetched.error is None
    assert fetched.table.status == "empty"
    assert fetched.table.meta.synthetic


def test_a_dataset_that_the_demo_lacks_is_unknown(archive: DemoArchive) -> None:
    """With near names."""
    with pytest.raises(UnknownDataset) as caught:
        list(archive.fetch("AC_H0_MFY", "BGSEc", DAYS[:1]))
    assert "AC_H0_MFI" in str(caught.value)


def test_ace_and_wind_see_the_same_storm(archive: DemoArchive) -> None:
    """|B| rises at both, minutes apart."""
    (ace,) = archive.fetch("AC_H0_MFI", "Magnitude", DAYS[1:2])
    (wind,) = archive.fetch("WI_H0_MFI", "BF1", DAYS[1:2])
    onsets = [fetched.table.time[np.argmax(next(iter(fetched.table.columns.values())) > 15)] for fetched in (ace, wind)]
    assert np.timedelta64(2, "m") <= onsets[1] - onsets[0] <= np.timedelta64(60, "m")


def test_closing_twice_and_without_use_does_no_harm(tmp_path: Path, reader: CdfReader) -> None:
    """The server only runs once something was fetched."""
    archive = DemoArchive(tmp_path, reader)
    archive.close()
    archive.close()
