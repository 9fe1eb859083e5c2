"""The demo's files as a provider. The whole archive is tried in tests/integration/demo."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.archives.demo.archive import DemoFiles, public_url
from helio_dagster.domain.time_range import TimeRange


def _span(start: str, stop: str) -> TimeRange:
    return TimeRange(datetime.fromisoformat(start).replace(tzinfo=UTC), datetime.fromisoformat(stop).replace(tzinfo=UTC))


def test_there_is_a_file_for_every_day() -> None:
    """Those that overlap the span, each one day long."""
    names = [file.name for file in DemoFiles().files("AC_H0_MFI", _span("2023-12-31T12:00", "2024-01-02"))]
    assert names == ["AC_H0_MFI/ac_h0_mfi_20231231_v01.cdf", "AC_H0_MFI/ac_h0_mfi_20240101_v01.cdf"]


def test_there_is_a_file_of_omni_for_every_month() -> None:
    """A day is in the file of its month."""
    (file,) = DemoFiles().files("OMNI2_H0_MRG1HR", _span("2024-02-10", "2024-02-11"))
    assert (file.start, file.stop) == (datetime(2024, 2, 1, tzinfo=UTC), datetime(2024, 3, 1, tzinfo=UTC))


@pytest.mark.parametrize(("start", "stop", "count"), [("1980-01-01", "1981-01-01", 0), ("1989-12-30", "1990-01-02", 1)])
def test_nothing_lies_outside_the_span_of_the_demo(start: str, stop: str, count: int) -> None:
    """It begins in 1990."""
    assert len(DemoFiles().files("AC_H0_MFI", _span(start, stop))) == count


def test_last_modified_does_not_tell_when_it_was_asked() -> None:
    """One date for all files, so that caches hold."""
    files = DemoFiles().files("WI_H0_MFI", _span("2023-01-01", "2023-01-05"))
    assert len({file.last_modified for file in files}) == 1


def test_files_are_made_when_asked_for_and_the_last_few_are_kept() -> None:
    """The same object the second time, another of equal bytes once it was dropped."""
    files = DemoFiles(kept_files=1)
    first = files.read("WI_H0_MFI/wi_h0_mfi_20230101_v01.cdf")
    assert files.read("WI_H0_MFI/wi_h0_mfi_20230101_v01.cdf") is first
    files.read("WI_H0_MFI/wi_h0_mfi_20230102_v01.cdf")
    again = files.read("WI_H0_MFI/wi_h0_mfi_20230101_v01.cdf")
    assert again is not first
    assert again == first


@pytest.mark.parametrize(
    "name",
    [
        "AC_H0_MFI/ac_h0_mfi_20230230_v01.cdf",
        "AC_H0_MFI/ac_h0_mfi_19890101_v01.cdf",
        "AC_H0_MFI/wi_h0_mfi_20230101_v01.cdf",
        "OMNI2_H0_MRG1HR/omni2_h0_mrg1hr_20230102_v01.cdf",
        "NOTHING/nothing_20230101_v01.cdf",
        "../AC_H0_MFI/ac_h0_mfi_20230101_v01.cdf",
        "",
    ],
)
def test_a_file_that_is_not_listed_is_not_there(name: str) -> None:
    """Only the names that `files` gives."""
    with pytest.raises(FileNotFoundError):
        DemoFiles().read(name)


def test_every_dataset_is_marked_synthetic_and_lists_its_variables() -> None:
    """Also in the archive's own catalog."""
    for dataset in DemoFiles().datasets():
        assert dataset.label.startswith("SYNTHETIC")
        assert dataset.variables


def test_the_recorded_url_has_no_port() -> None:
    """The same file is the same file in the next run."""
    url = "http://127.0.0.1:43211/sp_phys/data/AC_H0_MFI/ac_h0_mfi_20230101_v01.cdf"
    assert public_url(url) == "demo:/AC_H0_MFI/ac_h0_mfi_20230101_v01.cdf"
