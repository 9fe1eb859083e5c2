"""A listing that holds something strange costs the windows that need it, and ends no run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.archives.archive import Fetched, TableReader
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.transfer.settings import TransferSettings
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.cdas.conftest import MakeCdf, Script

DATASET = "AB_H0_MFI"
KNOWN = {"DatasetDescription": [{"Id": DATASET}]}
FIRST = datetime(2023, 1, 2, tzinfo=UTC)
DAYS = [TimeRange(FIRST + timedelta(days=n), FIRST + timedelta(days=n + 1)) for n in range(2)]


def listed(
    name: str, *, start: str = "2023-01-02T00:00:00.000Z", stop: str = "2023-01-03T00:00:00.000Z", **more: object
) -> Any:
    """One entry of a listing, of the first day."""
    return {"Name": name, "StartTime": start, "EndTime": stop, "LastModified": "2023-02-01T00:00:00.000Z", **more}


def fetch(script: Script, tmp_path: Path, reader: TableReader, settings: TransferSettings) -> list[Fetched]:
    """What comes of two days."""
    with CdasArchive(script.url, tmp_path / "cache", reader, settings=settings) as archive:
        for each in archive.listed(DATASET, DAYS):
            assert [archive.is_at_hand(file) for file in each.files] == [False] * len(each.files)
        return list(archive.fetch(DATASET, "B", DAYS))


@pytest.mark.parametrize(
    "name",
    [
        "http://[bad/x.cdf",
        "http://[::1/x.cdf",
        "file:///etc/x.cdf",
        "http://h:99999/x.cdf",
        "//h/x.cdf",
        "http://a..b/x.cdf",
        "x.cdf",
        "",
    ],
)
def test_a_name_that_is_no_address_fails_its_own_day(
    script: Script, make_cdf: MakeCdf, tmp_path: Path, reader: TableReader, quick: TransferSettings, name: str
) -> None:
    """The file of the other day is fetched."""
    good = make_cdf("ab_h0_mfi_20230103_v01.cdf", ["2023-01-03T12:00:00"]).read_bytes()
    other = f"{script.url}ab_h0_mfi_20230103_v01.cdf"
    days = {"start": "2023-01-03T00:00:00.000Z", "stop": "2023-01-04T00:00:00.000Z"}
    script.say("orig_data", {"FileDescription": [listed(name), listed(other, **days)]})
    script.say(".cdf", good)
    bad, fine = fetch(script, tmp_path, reader, quick)
    assert isinstance(bad.error, ArchiveAnswerError)
    assert fine.error is None


def test_a_password_in_a_listed_name_is_refused_and_kept_nowhere(
    script: Script, tmp_path: Path, reader: TableReader, quick: TransferSettings
) -> None:
    """Not in the message, not in the cache."""
    script.say("orig_data", {"FileDescription": [listed("http://me:s3cret@127.0.0.1/x.cdf")]})
    failed, _ = fetch(script, tmp_path, reader, quick)
    assert "user name or password" in str(failed.error)
    assert "s3cret" not in repr(failed.error) + str(failed.error)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        ("0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"),
        ("2023-01-02T00:00:00Z", "9999-12-31T23:59:59.999999-00:01"),
        ("0001-01-01T00:00:00+00:01", "2023-01-03T00:00:00Z"),
    ],
)
def test_times_at_the_edge_of_the_calendar_are_open_ends(
    script: Script, make_cdf: MakeCdf, tmp_path: Path, reader: TableReader, quick: TransferSettings, start: str, stop: str
) -> None:
    """Whatever their offset: the file covers the first day."""
    body = make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T12:00:00"]).read_bytes()
    name = f"{script.url}ab_h0_mfi_20230102_v01.cdf"
    script.say("orig_data", {"FileDescription": [listed(name, start=start, stop=stop)]})
    script.say(".cdf", body)
    first, _ = fetch(script, tmp_path, reader, quick)
    assert first.table is not None
    assert len(first.table) == 1


@pytest.mark.parametrize(("field", "is_fetched"), [("Name", False), ("LastModified", True)])
def test_half_a_surrogate_pair_costs_its_file_at_most(
    script: Script,
    make_cdf: MakeCdf,
    tmp_path: Path,
    reader: TableReader,
    quick: TransferSettings,
    field: str,
    is_fetched: bool,
) -> None:
    """It could be written nowhere, so that it is a question mark from the beginning."""
    script.say(".cdf", make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T12:00:00"]).read_bytes())
    entry = listed(f"{script.url}ab_h0_mfi_20230102_v01.cdf")
    entry[field] = f"\ud800{entry[field]}"
    script.say("orig_data", {"FileDescription": [entry]})
    first, second = fetch(script, tmp_path, reader, quick)
    assert (first.error is None, second.error) == (is_fetched, None)


def test_more_files_than_any_dataset_has_are_refused(
    script: Script, tmp_path: Path, reader: TableReader, quick: TransferSettings
) -> None:
    """With their number and what to do; a text that is larger still is not even read."""
    script.say("orig_data", {"FileDescription": [listed(f"http://h/{n}.cdf") for n in range(100_001)]})
    with CdasArchive(script.url, tmp_path / "cache", reader, settings=quick) as archive:
        (first, _) = archive.listed(DATASET, DAYS)
        assert "100001 files, more than 100000" in str(first.error)
        script.say("orig_data", b'{"FileDescription": [' + b"{}," * 1_000_000 + b"{}]}")
        (first, _) = archive.listed(DATASET, DAYS)
        assert "values" in str(first.error)


def test_an_archive_that_contradicts_itself_is_not_empty(
    script: Script, tmp_path: Path, reader: TableReader, quick: TransferSettings
) -> None:
    """No files are listed where the inventory has data: an error; where both say so, no data are a true answer."""
    held = {"Start": "2023-01-02T06:00:00.000Z", "End": "2023-01-02T07:00:00.000Z"}
    script.say("orig_data", {"Message": ["No data available."]}, 404)
    script.say("inventory/", {"InventoryDescription": [{"Id": DATASET, "TimeInterval": [held]}]})
    script.say("datasets?id=", KNOWN)
    failed, _ = fetch(script, tmp_path, reader, quick)
    assert isinstance(failed.error, ArchiveAnswerError)
    assert "contradicts itself" in failed.error.problem
    script.say("inventory/", {"Message": ["No data available."]}, 404)
    assert [each.error for each in fetch(script, tmp_path, reader, quick)] == [None, None]


def test_an_exact_id_wins_over_another_files_own_word(server: CdasServer, archive: CdasArchive, make_cdf: MakeCdf) -> None:
    """A file that calls itself by the id of another dataset does not hide that dataset."""
    make_cdf("aa_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00"], source=DATASET)
    make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T12:00:00"], source="something_else")
    (fetched,) = archive.fetch(DATASET, "B", DAYS[:1])
    assert fetched.table is not None
    assert len(fetched.table) == 1
    assert [each.id for each in archive.client.datasets(DATASET)] == [DATASET]
