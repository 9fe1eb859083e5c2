"""The demo's files, read back with cdflib."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.archives.demo.datasets import DATASETS, DemoDataset
from helio_dagster.archives.demo.instruments import ENERGIES_EV
from helio_dagster.domain.time_range import TimeRange

DATE = datetime(2003, 10, 29, tzinfo=UTC)


def _dataset(dataset_id: str) -> DemoDataset:
    return next(dataset for dataset in DATASETS if dataset.id == dataset_id)


def _open(dataset: DemoDataset, folder: Path, date: datetime = DATE) -> cdflib.CDF:
    start = dataset.grain.floor(date)
    path = folder / dataset.file_name(start)
    path.write_bytes(dataset.file_bytes(TimeRange(start, dataset.grain.following(start))))
    return cdflib.CDF(path)


def _values(cdf: cdflib.CDF, name: str) -> np.ndarray:
    values = np.asarray(cdf.varget(name), dtype=float)
    values[values == float(cdf.varattsget(name)["FILLVAL"])] = np.nan
    return values


@pytest.fixture(params=[dataset.id for dataset in DATASETS])
def dataset(request: pytest.FixtureRequest) -> DemoDataset:
    """Each dataset of the demo."""
    return _dataset(request.param)


def test_a_file_has_the_same_bytes_each_time(dataset: DemoDataset) -> None:
    """No clock, no path, no order of a dictionary is in it."""
    start = dataset.grain.floor(DATE)
    window = TimeRange(start, dataset.grain.following(start))
    assert dataset.file_bytes(window) == dataset.file_bytes(window)


def test_a_file_says_that_it_is_synthetic_and_of_which_dataset(dataset: DemoDataset, tmp_path: Path) -> None:
    """In the title, the description and the text, where any reader looks."""
    given = _open(dataset, tmp_path).globalattsget()
    assert given["Logical_source"] == [dataset.id]
    assert given["TITLE"][0].startswith("SYNTHETIC ")
    assert given["Logical_source_description"][0].startswith("SYNTHETIC ")
    assert "SYNTHETIC" in given["TEXT"][0]


def test_parameters_carry_the_istp_attributes(dataset: DemoDataset, tmp_path: Path) -> None:
    """What a figure needs: axis, unit, label, fill, valid range."""
    cdf = _open(dataset, tmp_path)
    for variable in dataset.variables:
        attributes = cdf.varattsget(variable.name)
        assert attributes["DEPEND_0"] == "Epoch"
        assert attributes["VAR_TYPE"] == "data"
        assert attributes["UNITS"] == variable.unit
        assert attributes["CATDESC"].endswith("(synthetic)")
        assert {"FILLVAL", "VALIDMIN", "VALIDMAX", "SCALETYP", "FIELDNAM", "DISPLAY_TYPE"} <= set(attributes)
        if len(variable.labels) > 1:
            assert [str(text).strip() for text in cdf.varget(attributes["LABL_PTR_1"])] == list(variable.labels)


def test_times_lie_inside_the_file_and_grow(dataset: DemoDataset, tmp_path: Path) -> None:
    """Each file holds its own day or month."""
    start = dataset.grain.floor(DATE)
    time = cdflib.cdfepoch.to_datetime(_open(dataset, tmp_path).varget("Epoch"))
    assert time[0] >= np.datetime64(start.replace(tzinfo=None))
    assert time[-1] < np.datetime64(dataset.grain.following(start).replace(tzinfo=None))
    assert (np.diff(time) > np.timedelta64(0)).all()


def test_values_are_valid_or_fill(dataset: DemoDataset, tmp_path: Path) -> None:
    """Most records hold data; the few others the fill value."""
    cdf = _open(dataset, tmp_path)
    for variable in dataset.variables:
        values = _values(cdf, variable.name)
        assert 0.85 < np.isfinite(values).mean() <= 1.0
        assert np.nanmin(values) >= variable.valid[0]
        assert np.nanmax(values) <= variable.valid[1]


def test_magnitude_is_that_of_the_vector(tmp_path: Path) -> None:
    """The mean of |B| over 16 s is a little more than |mean B|."""
    cdf = _open(_dataset("AC_H0_MFI"), tmp_path)
    excess = _values(cdf, "Magnitude") - np.linalg.norm(_values(cdf, "BGSEc"), axis=1)
    assert np.nanmin(excess) > -0.003
    assert np.nanmax(excess) < 0.5


def test_gsm_is_gse_turned_about_x(tmp_path: Path) -> None:
    """Bx stays, the length stays."""
    cdf = _open(_dataset("AC_H0_MFI"), tmp_path)
    gse, gsm = _values(cdf, "BGSEc"), _values(cdf, "BGSM")
    np.testing.assert_array_equal(gse[:, 0], gsm[:, 0])
    np.testing.assert_allclose(np.linalg.norm(gse, axis=1), np.linalg.norm(gsm, axis=1), atol=0.003)


def test_nothing_jumps_at_midnight(tmp_path: Path) -> None:
    """The step from one file to the next is one like those inside."""
    dataset = _dataset("AC_H0_MFI")
    days = [_open(dataset, tmp_path, datetime(2009, 5, day, tzinfo=UTC)) for day in (6, 7)]
    first, second = (_values(cdf, "BGSEc") for cdf in days)
    inside = np.nanmax(np.abs(np.diff(first, axis=0)), axis=0)
    assert (np.abs(second[0] - first[-1]) <= inside).all()


def test_the_flux_peaks_at_the_bulk_energy(tmp_path: Path) -> None:
    """The channel of the peak is that of m V^2 / 2, by the speed that OMNI has some minutes later."""
    flux = _open(_dataset("WI_PLSP_3DP"), tmp_path, datetime(2009, 5, 6, tzinfo=UTC))
    plasma = _open(_dataset("AC_H0_SWE"), tmp_path, datetime(2009, 5, 6, tzinfo=UTC))
    speed = np.nanmedian(_values(plasma, "Vp"))
    spectrum = np.nanmedian(_values(flux, "FLUX"), axis=0)
    channel = np.argmin(np.abs(np.log(ENERGIES_EV / (5.22e-3 * speed**2))))
    assert abs(int(np.argmax(spectrum)) - int(channel)) <= 1


def test_dst_answers_the_halloween_storm(tmp_path: Path) -> None:
    """Quiet before it, below -250 nT after it, recovering slowly."""
    dst = _values(_open(_dataset("OMNI2_H0_MRG1HR"), tmp_path), "DST")
    assert np.nanmedian(dst[: 24 * 20]) > -60
    assert -500 < np.nanmin(dst) < -250
    assert np.nanargmin(dst) > 24 * 28


def test_omni_is_one_file_a_month(tmp_path: Path) -> None:
    """Hourly records of a whole month, but for its gaps."""
    dataset = _dataset("OMNI2_H0_MRG1HR")
    assert dataset.file_name(dataset.grain.floor(DATE)) == "omni2_h0_mrg1hr_20031001_v01.cdf"
    assert 24 * 29 < len(_open(dataset, tmp_path).varget("Epoch")) <= 24 * 31
