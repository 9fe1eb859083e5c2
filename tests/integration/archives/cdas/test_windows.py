"""A window's table does not depend on how the request was cut."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helio_dagster.archives.archive import Fetched, FetchProgress
from helio_dagster.archives.cdas.archive import CdasArchive
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.cdas.conftest import MakeCdf, PlainReader
from tests.tiers import example_count

START = datetime(2023, 1, 1, tzinfo=UTC)
SIX_HOURS = timedelta(hours=6)
WINDOWS = [TimeRange(START + SIX_HOURS * number, START + SIX_HOURS * (number + 1)) for number in range(20)]


def content(table: Table | None) -> tuple[bytes, ...]:
    """A table's bytes."""
    assert table is not None
    return (table.time.tobytes(), *(values.tobytes() for values in table.columns.values()))


def table_of(fetched: Iterator[Fetched]) -> Table:
    """The table of the only window."""
    (one,) = fetched
    assert one.table is not None
    return one.table


@pytest.fixture
def awkward_files(make_cdf: MakeCdf) -> None:
    """Files as archives have them: across midnight, in several versions, overlapping, long, touching edges, with gaps."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", [f"2023-01-01T{hour:02d}:00:00" for hour in range(24)])
    make_cdf("ab_h0_mfi_20230101_v9.cdf", [f"2023-01-01T{hour:02d}:00:00" for hour in range(12)], [9] * 12)
    make_cdf("ab_h0_mfi_20230101_v10.cdf", [f"2023-01-01T{hour:02d}:00:00" for hour in range(6)], [10] * 6)
    make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-02T06:00:00", "2023-01-02T18:00:00", "2023-01-03T06:00:00"])
    make_cdf("ab_h0_mfi_20230103_v01.cdf", ["2023-01-03T06:00:00", "2023-01-03T05:59:59", "2023-01-03T11:00:00"], [7, 8, 9])
    make_cdf("ab_h0_mfi_20230104_v01.cdf", ["2023-01-04T00:00:00"])
    make_cdf("ab_h0_mfi_20230100_v01.cdf", ["2022-12-15T00:00:00", "2023-01-02T07:00:00", "2023-02-01T00:00:00"], [1, 2, 3])


@pytest.mark.usefixtures("awkward_files")
def test_windows_one_by_one_are_windows_all_at_once(archive: CdasArchive) -> None:
    """The same bytes and the same sources, cut in any way."""
    together = list(archive.fetch("AB_H0_MFI", "B", WINDOWS))
    alone = [next(archive.fetch("AB_H0_MFI", "B", [window])) for window in WINDOWS]
    assert [content(one.table) for one in alone] == [content(one.table) for one in together]
    assert [one.sources for one in alone] == [one.sources for one in together]


@pytest.mark.usefixtures("awkward_files")
@settings(max_examples=example_count(5), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, len(WINDOWS)), max_size=4), backwards=st.booleans())
def test_any_order_and_any_cut_gives_the_same_tables(archive: CdasArchive, cuts: Sequence[int], backwards: bool) -> None:
    """Whatever windows are asked for together, and in which order, each has its own bytes."""
    expected = {one.window: content(one.table) for one in archive.fetch("AB_H0_MFI", "B", WINDOWS)}
    edges = [0, *sorted(cuts), len(WINDOWS)]
    for first, last in itertools.pairwise(edges):
        windows = WINDOWS[first:last]
        for one in archive.fetch("AB_H0_MFI", "B", windows[::-1] if backwards else windows):
            assert content(one.table) == expected[one.window]


def test_each_record_belongs_to_one_window(archive: CdasArchive, make_cdf: MakeCdf) -> None:
    """A record at a window's stop belongs to the next window only."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T05:59:59.999", "2023-01-01T06:00:00", "2023-01-01T12:00:00"])
    tables = [one.table for one in archive.fetch("AB_H0_MFI", "B", WINDOWS[:3])]
    assert [list(table.columns["B"]) for table in tables if table is not None] == [[0.0], [1.0], [2.0]]


def test_the_newest_version_of_a_file_is_taken(archive: CdasArchive, make_cdf: MakeCdf) -> None:
    """Versions compare as numbers: v10 is newer than v9."""
    for version in ("v9", "v10", "v2"):
        make_cdf(f"ab_h0_mfi_20230101_{version}.cdf", ["2023-01-01T00:00:00"], [int(version[1:])])
    table = table_of(archive.fetch("AB_H0_MFI", "B", WINDOWS[:1]))
    assert list(table.columns["B"]) == [10]


def test_records_that_two_files_share_are_taken_from_the_earlier_file(archive: CdasArchive, make_cdf: MakeCdf) -> None:
    """Files that overlap give each time once."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00", "2023-01-01T02:00:00"], [1, 2])
    make_cdf("ab_h0_mfi_20230102_v01.cdf", ["2023-01-01T01:00:00", "2023-01-01T02:00:00", "2023-01-01T03:00:00"], [3, 4, 5])
    table = table_of(archive.fetch("AB_H0_MFI", "B", WINDOWS[:1]))
    assert list(table.columns["B"]) == [1, 3, 2, 5]


def test_a_file_is_downloaded_and_decoded_once_also_across_listings(
    archive: CdasArchive, server: CdasServer, reader: PlainReader, make_cdf: MakeCdf
) -> None:
    """A range of more than a year takes several listings; a file across their border is still used once."""
    make_cdf("ab_h0_mfi_20230101_v01.cdf", ["2023-01-01T00:00:00", "2024-01-01T12:00:00", "2024-06-01T00:00:00"])
    month = timedelta(days=30)
    windows = [TimeRange(START + month * number, START + month * (number + 1)) for number in range(18)]
    found = [len(one.table or ()) for one in archive.fetch("AB_H0_MFI", "B", windows)]
    assert sum(found) == 3
    assert server.count("ab_h0_mfi_20230101_v01.cdf") == 1
    assert sum(reader.reads.values()) == 1
    assert sum(number for path, number in server.requests.items() if "orig_data" in path) == 2


def test_progress_counts_the_files(archive: CdasArchive, make_cdf: MakeCdf) -> None:
    """What is told while fetching adds up to the files that were needed."""
    for number in (1, 2, 3):
        make_cdf(f"ab_h0_mfi_2023010{number}_v01.cdf", [f"2023-01-0{number}T12:00:00"])
    told: list[FetchProgress] = []
    list(archive.fetch("AB_H0_MFI", "B", WINDOWS, report=told.append))
    assert [(one.event, one.done, one.total) for one in told] == [("listed", 0, 3), *(("downloaded", n, 3) for n in (1, 2, 3))]


@pytest.mark.usefixtures("awkward_files")
def test_what_is_listed_is_what_is_fetched(archive: CdasArchive, server: CdasServer) -> None:
    """The same files and the same revision for every window, asked one by one or together, and nothing is downloaded."""
    listed = list(archive.listed("AB_H0_MFI", WINDOWS))
    alone = [one for window in WINDOWS for one in archive.listed("AB_H0_MFI", [window])]
    assert server.count(".cdf") == 0
    fetched = list(archive.fetch("AB_H0_MFI", "B", WINDOWS))
    assert [[file.name for file in one.files] for one in listed] == [[source.name for source in one.sources] for one in fetched]
    assert [one.revision for one in listed] == [one.revision for one in fetched] == [one.revision for one in alone]


def test_a_listing_that_cannot_be_had_is_the_windows_error(archive: CdasArchive, server: CdasServer) -> None:
    """Every window carries the archive's failure; none looks as if it had no files."""
    server.close()
    listed = list(archive.listed("AB_H0_MFI", WINDOWS[:2]))
    assert [one.error is not None and one.files == () for one in listed] == [True, True]
