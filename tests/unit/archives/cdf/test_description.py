"""What real files say about themselves. Expected times are those their missions' documentation and cdflib give."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import cdflib.cdfwrite
import numpy as np
import pycdfpp
import pytest

from helio_dagster.archives.cdf.description import describe_cdf
from helio_dagster.archives.cdf.fast_file import PycdfppFile


def at(text: str) -> datetime:
    """A UTC time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "start", "stop"),
    [
        ("ac_h0_mfi_20230102_v07.cdf", "2023-01-02T00:00:13", "2023-01-02T23:59:57"),
        ("mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf", "2016-12-09T08:59:54.131", "2016-12-09T09:03:54.131"),
        ("ge_k0_cpi_19921231_v02.cdf", "1992-12-31T01:28:46.872", "1992-12-31T23:57:37.122"),
        ("psp_fld_l2_mag_rtn_1min_20200104_v02.cdf", "2020-01-04", "2020-01-04T23:59"),
    ],
)
def test_coverage_is_from_the_first_to_the_last_record(shared_data: Path, name: str, start: str, stop: str) -> None:
    """Over all epoch variables, of all CDF versions."""
    about = describe_cdf(PycdfppFile(shared_data / "cdf" / name))
    assert (about.start, about.stop) == (at(start), at(stop))


def test_a_file_without_records_has_no_coverage(shared_data: Path) -> None:
    """But it has a dataset and variables."""
    about = describe_cdf(PycdfppFile(shared_data / "cdf" / "solo_L1_swa-pas-mom_20200706_V01.cdf"))
    assert (about.start, about.stop) == (None, None)
    assert about.attributes["Logical_source"] == "solo_L1_swa-pas-mom"
    assert "density" in {variable.name for variable in about.variables}


def write_epochs(path: Path, data_type: int, epochs: np.ndarray) -> Path:
    """A CDF file of one epoch variable."""
    cdf = cdflib.cdfwrite.CDF(path, delete=False)
    form = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
    cdf.write_var({"Variable": "Epoch", "Data_Type": data_type, **form}, {}, epochs)
    cdf.close()
    return path


def test_edges_are_rounded_outwards_and_fill_is_passed_over(tmp_path: Path) -> None:
    """TT2000: coverage in whole milliseconds holds every record; fill values are no times."""
    first, last = cdflib.cdfepoch.compute_tt2000([[2023, 1, 2, 3, 4, 5, 6, 7, 8], [2023, 1, 2, 4, 4, 5, 6, 7, 8]])
    epochs = np.array([np.iinfo(np.int64).min, last, first, np.iinfo(np.int64).min + 1], dtype=np.int64)
    about = describe_cdf(PycdfppFile(write_epochs(tmp_path / "a.cdf", 33, epochs)))
    assert (about.start, about.stop) == (at("2023-01-02T03:04:05.006"), at("2023-01-02T04:04:05.007"))


def test_picosecond_epochs_are_read(tmp_path: Path) -> None:
    """EPOCH16, written by another library: cdflib writes them wrongly."""
    cdf = pycdfpp.CDF()
    times = np.array(["2023-01-02T03:04:05.006", "2023-01-02T04:04:05.006"], dtype="datetime64[ns]")
    cdf.add_variable("Epoch", values=pycdfpp.to_epoch16(times), data_type=pycdfpp.DataType.CDF_EPOCH16)
    pycdfpp.save(cdf, str(tmp_path / "a.cdf"))
    about = describe_cdf(PycdfppFile(tmp_path / "a.cdf"))
    assert (about.start, about.stop) == (at("2023-01-02T03:04:05.006"), at("2023-01-02T04:04:05.006"))


def test_a_last_record_at_midnight_is_held_by_the_coverage(tmp_path: Path) -> None:
    """A stop at midnight would mean that the record is not in the file."""
    epochs = np.array(cdflib.cdfepoch.compute_epoch([[2023, 1, 2, 0, 0, 0, 0], [2023, 1, 3, 0, 0, 0, 0]]))
    assert describe_cdf(PycdfppFile(write_epochs(tmp_path / "a.cdf", 31, epochs))).stop == at("2023-01-03T00:00:00.001")
