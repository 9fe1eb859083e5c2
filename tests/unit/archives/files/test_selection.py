"""Which files make up a window."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from helio_dagster.archives.files.selection import ListedFile, Listing, covers, revision_of, split_version
from helio_dagster.domain.time_range import TimeRange


def at(text: str) -> datetime:
    """A UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def listed(name: str, start: str, stop: str, *, modified: str = "", folder: str = "") -> ListedFile:
    """A file of a listing."""
    return ListedFile(f"http://host/{folder}{name}", name, at(start), at(stop), None, modified)


DAY = TimeRange(at("2023-01-02"), at("2023-01-03"))


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        ("2023-01-01", "2023-01-02", False),
        ("2023-01-01", "2023-01-02T00:00:01", True),
        ("2023-01-01T12:00:00", "2023-01-01T23:59:59", False),
        ("2023-01-03", "2023-01-04", False),
        ("2023-01-02T23:59:59", "2023-01-04", True),
        ("2022-01-01", "2024-01-01", True),
        ("2023-01-02", "2023-01-02", True),
    ],
)
def test_a_stop_at_midnight_is_exclusive(start: str, stop: str, expected: bool) -> None:
    """A file whose nominal stop is midnight has nothing of the day that begins there."""
    assert covers(at(start), at(stop), DAY) is expected


def test_a_stop_that_is_a_record_is_inclusive() -> None:
    """A file that stops at 06:00 holds the record of 06:00."""
    window = TimeRange(at("2023-01-02T06:00"), at("2023-01-02T12:00"))
    assert covers(at("2023-01-02"), at("2023-01-02T06:00"), window)


@pytest.mark.parametrize(
    ("name", "logical", "version"),
    [
        ("ac_h0_mfi_20230102_v07.cdf", "ac_h0_mfi_20230102", (7,)),
        ("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf", "mms1_fgm_brst_l2_20161209090054", (5, 87, 0)),
        ("solo_L1_swa-pas-mom_20200706_V01.cdf", "solo_l1_swa-pas-mom_20200706", (1,)),
        ("mvn_swe_l2_svyspec_20141201_v05_r02.cdf", "mvn_swe_l2_svyspec_20141201", (5, 2)),
        ("goes_mag_d20230102_v2-0-1.cdf", "goes_mag_d20230102", (2, 0, 1)),
        ("no_version_20230102.cdf", "no_version_20230102", ()),
        ("voyager_v2_data.cdf", "voyager_v2_data", ()),
    ],
)
def test_a_name_is_split_into_logical_file_and_version(name: str, logical: str, version: tuple[int, ...]) -> None:
    """Versions are numbers, with dots or not, revisions included; a v elsewhere is none."""
    assert split_version(name) == (logical, version)


def test_the_newest_version_in_the_window_is_taken() -> None:
    """A newer version counts only for windows it covers: else a window asked for alone would differ."""
    whole = listed("a_20230102_v9.cdf", "2023-01-02", "2023-01-04")
    newer = listed("a_20230102_v10.cdf", "2023-01-02", "2023-01-03")
    listing = Listing([newer, whole])
    assert listing.files_for(DAY) == [newer]
    assert listing.files_for(TimeRange(at("2023-01-03"), at("2023-01-04"))) == [whole]


def test_of_equal_versions_the_one_modified_last_is_taken() -> None:
    """The same name in two folders is one logical file."""
    old = listed("a_20230102_v1.cdf", "2023-01-02", "2023-01-03", modified="2020-01-01T00:00:00.000Z", folder="z/")
    new = listed("a_20230102_v1.cdf", "2023-01-02", "2023-01-03", modified="2021-01-01T00:00:00.000Z", folder="a/")
    assert Listing([new, old]).files_for(DAY) == [new]


def test_files_come_in_order_of_start_and_name() -> None:
    """The order of a listing does not matter, nor do repeated entries."""
    later = listed("b_20230102_v1.cdf", "2023-01-02T06:00", "2023-01-02T08:00")
    first = listed("c_20230102_v1.cdf", "2023-01-01T12:00", "2023-01-02T08:00")
    same = listed("a_20230102_v1.cdf", "2023-01-02T06:00", "2023-01-02T07:00")
    assert Listing([later, first, same, later]).files_for(DAY) == [first, same, later]


def test_a_long_file_is_found_among_short_ones() -> None:
    """A file that began long ago covers a window that many later files lie before."""
    long = listed("long_v1.cdf", "2022-01-01", "2024-01-01")
    short = [listed(f"s_{month:02d}_v1.cdf", f"2022-{month:02d}-01", f"2022-{month:02d}-02") for month in range(1, 13)]
    assert Listing([*short, long]).files_for(DAY) == [long]


def test_a_revision_names_the_files_and_their_state() -> None:
    """Name, date and length count, where they are told; order and the server's place do not."""
    one = listed("a_v1.cdf", "2023-01-01", "2023-01-02", modified="2023-02-01")
    two = listed("b_v1.cdf", "2023-01-02", "2023-01-03", modified="2023-02-01")
    revision = revision_of([one, two])
    assert revision_of([two, replace(one, url="http://mirror/a_v1.cdf")]) == revision
    others = [
        [one],
        [],
        [one, replace(two, name="b_v2.cdf")],
        [one, replace(two, last_modified="2023-03-01")],
        [one, replace(two, length=7)],
        [one, replace(two, length=8)],
    ]
    assert len({revision, *(revision_of(files) for files in others)}) == 7
