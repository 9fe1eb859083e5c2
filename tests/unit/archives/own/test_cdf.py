"""CDF files of one's own, under any name: the variables of a mission's file as columns."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.archives.own.guessing import guess_description
from helio_dagster.domain.errors import OwnFileError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.workers import Workers
from tests.nd_files import DISTRIBUTION, FIELD, make_distribution, write_distribution

Read = Callable[..., Table]
DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
BGSE = {f"BGSEc_{place}": {"unit": "nT"} for place in (1, 2, 3)}


@pytest.fixture
def ace(folder: Path, shared_data: Path) -> Path:
    """A day of ACE's magnetic field, renamed."""
    path = folder / "mine.cdf"
    shutil.copy(shared_data / "cdf/ac_h0_mfi_20230102_v07.cdf", path)
    return path


def test_a_vector_of_a_renamed_file(ace: Path, read: Read) -> None:
    """The values that cdflib reads, those outside their valid range missing."""
    table = read(DAY, file="mine.cdf", time={"columns": "Epoch"}, columns=BGSE, frame="GSE")
    expected = cdflib.CDF(ace).varget("BGSEc").astype(float)
    expected[np.abs(expected) > 1e30] = np.nan
    assert table.meta.kind == "vector"
    np.testing.assert_array_equal(np.column_stack([*table.columns.values()]), expected)


def test_the_proposal(ace: Path, workers: Workers) -> None:
    """Times by the file's own axis; units and frame by its attributes."""
    guess = guess_description(ace, workers)
    assert guess.document["time"] == {"columns": ["Epoch"]}
    assert guess.document["columns"]["BGSEc_1"] == {"unit": "nT"}
    assert guess.frames["BGSEc_1"] == "GSE"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"columns": {"BGSEc": {"unit": "nT"}}}, "'BGSEc' has 3 values in each record"),
        ({"columns": {"BGSEc_4": {"unit": "nT"}}}, "'BGSEc' has 3 values in each record"),
        ({"columns": {"BGSEc_1": {"unit": "T"}}}, "'BGSEc_1' is in 'nT', and the pipeline says 'T'"),
        ({"columns": BGSE, "time": {"columns": "Time"}}, "the times of 'BGSEc' are in 'Epoch', not 'Time'"),
        ({"columns": {"Q": {}}}, "it has no column 'Q'"),
    ],
)
def test_a_wrong_description(ace: Path, read: Read, given: dict, problem: str) -> None:
    """One message with the remedy."""
    with pytest.raises(OwnFileError, match=problem) as error:
        read(DAY, **{"file": "mine.cdf", "time": {"columns": "Epoch"}, **given})
    assert error.value.hint


def test_damage(ace: Path, read: Read) -> None:
    """A file cut off is an error of the file."""
    ace.write_bytes(ace.read_bytes()[:5000])
    with pytest.raises(OwnFileError, match=r"mine\.cdf"):
        read(DAY, file="mine.cdf", time={"columns": "Epoch"}, columns=BGSE)


def test_several_axes_are_columns_by_place(folder: Path, read: Read, workers: Workers) -> None:
    """A distribution in a file stops nothing: its values can be named one by one, the last axis running fastest."""
    made = make_distribution(10, azimuths=2, colatitudes=3, energies=4)
    write_distribution(folder / "d.cdf", made)
    guess = guess_description(folder / "d.cdf", workers)
    assert f"{FIELD}_1" in guess.document["columns"]
    table = read(DAY, file="d.cdf", time={"columns": "Epoch"}, columns={f"{DISTRIBUTION}_8": {"unit": "s^3 cm^-6"}})
    expected = cdflib.CDF(folder / "d.cdf").varget(DISTRIBUTION)[:, 0, 1, 3].astype("f8")
    np.testing.assert_array_equal(table.columns[f"{DISTRIBUTION}_8"], np.where(expected < -1e30, np.nan, expected))


def test_bins_of_a_variable_are_those_of_its_axis(folder: Path, read: Read, workers: Workers) -> None:
    """DEPEND_1 that is the same for all records."""
    values = np.arange(18.0).reshape(3, 6)
    with cdflib.cdfwrite.CDF(folder / "d", delete=True) as cdf:
        number, wide = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}, {"Num_Elements": 1, "Dim_Sizes": [6]}
        start = int(cdflib.cdfepoch.compute_tt2000([2023, 1, 2, 0, 0, 0, 0, 0, 0]))
        cdf.write_var({"Variable": "t", "Data_Type": 33, **number}, {}, np.arange(3) * 10**9 + start)
        cdf.write_var({"Variable": "e", "Data_Type": 45, "Rec_Vary": False, **wide}, {"UNITS": "eV"}, np.geomspace(1, 1e5, 6))
        cdf.write_var({"Variable": "f", "Data_Type": 45, "Rec_Vary": True, **wide}, {"DEPEND_0": "t", "DEPEND_1": "e"}, values)
    guess = guess_description(folder / "d.cdf", workers)
    assert guess.bins["f_1"]["values"] == [1, 10, 100, 1000, 10_000, 100_000]
    assert guess.bins["f_1"]["unit"] == "eV"
    table = read(DAY, file="d.cdf", time={"columns": "t"}, columns=guess.document["columns"], bins=guess.bins["f_1"])
    assert table.meta.kind == "spectrogram"
    np.testing.assert_array_equal(np.column_stack([*table.columns.values()]), values)


def test_a_variable_without_times_is_named(folder: Path, workers: Workers) -> None:
    """It is left out of the proposal, which says why."""
    with cdflib.cdfwrite.CDF(folder / "d", delete=True) as cdf:
        number = {"Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}
        cdf.write_var({"Variable": "t", "Data_Type": 33, **number}, {}, np.arange(3) * 10**9 + 757382469184000000)
        cdf.write_var({"Variable": "H", "Data_Type": 45, **number}, {"DEPEND_0": "t"}, np.arange(3.0))
        cdf.write_var({"Variable": "D", "Data_Type": 45, **number}, {}, np.arange(3.0))
    guess = guess_description(folder / "d.cdf", workers)
    assert list(guess.document["columns"]) == ["H"]
    assert "not read: D has no DEPEND_0, which would name its times." in guess.notes


def test_a_file_without_times_says_so(folder: Path, workers: Workers) -> None:
    """No variable has DEPEND_0."""
    with cdflib.cdfwrite.CDF(folder / "d", delete=True) as cdf:
        cdf.write_var(
            {"Variable": "H", "Data_Type": 45, "Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": []}, {}, np.arange(3.0)
        )
    with pytest.raises(OwnFileError, match="none of its variables says which one its times are"):
        guess_description(folder / "d.cdf", workers)
