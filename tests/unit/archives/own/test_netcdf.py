"""netCDF files of one's own, written by the netCDF C library: conventions, packing, partitions, and files that lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest

from helio_dagster.archives.own.guessing import guess_description
from helio_dagster.domain.errors import InputError, OwnFileError
from helio_dagster.domain.table import Table
from helio_dagster.resources.workers import Workers
from tests.unit.archives.own.conftest import MakeArchive
from tests.unit.archives.own.days import day

Read = Callable[..., Table]
SECONDS = "seconds since 2000-01-01 12:00:00"
START = int((np.datetime64("2024-01-01", "s") - np.datetime64("2000-01-01T12:00:00", "s")).astype(int))
VECTOR = {f"b_gse_{place}": {"unit": "nT"} for place in (1, 2, 3)}


@pytest.fixture
def goes(folder: Path) -> np.ndarray:
    """Two days in the shape of GOES-R L2: packed vectors over a time in seconds since J2000."""
    values = np.random.default_rng(3).normal(0, 50, (2880, 3)).astype("f4")
    with netCDF4.Dataset(folder / "g.nc", "w") as file:
        file.createDimension("time", None)
        file.createDimension("coordinate", 3)
        time = file.createVariable("time", "f8", ("time",), fill_value=-9999.0)
        time.setncatts({"units": SECONDS, "standard_name": "time", "long_name": "time of record"})
        field = file.createVariable("b_gse", "f4", ("time", "coordinate"), zlib=True, fill_value=-9999.0)
        field.setncatts({"units": "nT", "long_name": "Magnetic field in GSE coordinates", "valid_min": np.float32(-512)})
        packed = file.createVariable("DQF", "i2", ("time",), fill_value=-1)
        packed.setncatts({"_Unsigned": "true", "scale_factor": 0.01, "add_offset": 5.0, "units": "K"})
        packed.set_auto_maskandscale(False)
        time[:] = START + 60.0 * np.arange(2880)
        field[:] = np.where(np.arange(2880)[:, None] == 7, -9999.0, values)
        packed[:] = np.where(np.arange(2880) == 3, -1, np.arange(2880) * 20 - 32768).astype("i2")
    return values


def test_a_vector_is_read_as_the_c_library_reads_it(goes: np.ndarray, read: Read) -> None:
    """The second day, its fill values missing, in UTC."""
    table = read(day(2), file="g.nc", columns=VECTOR, frame="GSE")
    assert (table.meta.kind, table.meta.unit, table.meta.frame) == ("vector", "nT", "GSE")
    assert table.time[0] == np.datetime64("2024-01-02")
    assert len(table) == 1440
    assert np.array_equal(np.column_stack([*table.columns.values()]), goes[1440:])
    assert np.isnan(read(day(1), file="g.nc", columns=VECTOR).columns["b_gse_2"][7])


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_values_along_a_coordinate_are_a_spectrogram(form: Any, folder: Path, read: Read, workers: Workers) -> None:
    """Bins and their unit are those of the coordinate; where it has none in order, there are columns alone."""
    energies, flux = np.geomspace(10, 1000, 6), np.arange(48 * 6, dtype="f4").reshape(48, 6)
    with netCDF4.Dataset(folder / "g.nc", "w", format=form) as file:
        for name, size in (("time", 48), ("energy", 6), ("other", 6)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",)).units = "hours since 2024-01-01"
        file.createVariable("energy", "f8", ("energy",)).units = "keV"
        file.createVariable("other", "f8", ("other",))
        for name, along in (("flux", "energy"), ("loose", "other")):
            file.createVariable(name, "f4", ("time", along)).units = "1/(cm2 s sr keV)"
            file[name][:] = flux
        file["time"][:], file["energy"][:], file["other"][:] = np.arange(48), energies, [3, 1, 2, 5, 4, 6]
    guess = guess_description(folder / "g.nc", workers)
    bins = {"values": [float(f"{each:.9g}") for each in energies], "unit": "keV", "name": "energy", "scale": "log"}
    assert guess.bins == {"flux_1": bins}
    columns = {name: guess.document["columns"][name] for name in guess.groups[0]}
    table = read(day(2), file="g.nc", columns=columns, bins=bins)
    assert (table.meta.kind, table.meta.unit) == ("spectrogram", "cm^-2 keV^-1 s^-1 sr^-1")
    assert table.meta.bins is not None
    assert (table.meta.bins.unit, table.meta.bins.scale, table.meta.bins.label) == ("keV", "log", "energy")
    np.testing.assert_allclose(table.meta.bins.centers, energies, rtol=1e-8)
    np.testing.assert_array_equal(np.column_stack([*table.columns.values()]), flux[24:])


def test_unsigned_and_packed_numbers(goes: np.ndarray, read: Read, folder: Path) -> None:
    """As the C library unpacks them."""
    table = read(file="g.nc", columns={"DQF": {"unit": "K"}})
    with netCDF4.Dataset(folder / "g.nc") as file:
        expected = file["DQF"][:1440].filled(np.nan)
    np.testing.assert_allclose(table.columns["DQF"], expected)
    assert np.isnan(table.columns["DQF"][3])
    assert np.nanmax(table.columns["DQF"]) > 300


def test_the_proposal_says_what_the_file_says(goes: np.ndarray, folder: Path, workers: Workers) -> None:
    """Time, units, frame, fill values and limits; a vector is one step."""
    guess = guess_description(folder / "g.nc", workers)
    assert guess.document == {"time": {"columns": ["time"]}, "columns": {**VECTOR, "DQF": {"unit": "K"}}}
    assert guess.groups == [[*VECTOR], ["DQF"]]
    assert guess.frames == {"b_gse_1": "GSE"}
    notes = "\n".join(guess.notes)
    assert f"time: time, {SECONDS}, by the file's own attributes" in notes
    assert "b_gse: -9999 is missing; values below -512 are missing" in notes


@pytest.mark.parametrize("form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"])
@pytest.mark.parametrize(
    ("units", "attributes", "count"),
    [
        ("days since 2023-12-31T00:00:00Z", {"calendar": "standard"}, [1.0, 1.5]),
        ("milliseconds since 1970-01-01", {}, [1704067200000.0, 1704110400000.0]),
        ("ms", {"TIME_BASE": "FIXED: 1970 (POSIX)"}, [1704067200000.0, 1704110400000.0]),
        ("MJD", {}, [60310.0, 60310.5]),
    ],
)
def test_how_times_may_count(read: Read, folder: Path, form: Any, units: str, attributes: dict, count: list[float]) -> None:
    """CF, ISTP and Julian days, in all formats of netCDF: midnight and noon."""
    with netCDF4.Dataset(folder / "g.nc", "w", format=form) as file:
        file.createDimension("n", 2)
        time = file.createVariable("Epoch", "f8", ("n",))
        time.setncatts({"units": units, **attributes})
        time[:] = count
        file.createVariable("H", "f4", ("n",))[:] = [1, 2]
    table = read(file="g.nc", time={"columns": "Epoch"}, columns={"H": {}})
    assert table.time.astype("datetime64[s]").astype(str).tolist() == ["2024-01-01T00:00:00", "2024-01-01T12:00:00"]


def test_terrestrial_time(read: Read, folder: Path) -> None:
    """TT2000: 37 leap seconds and 32.184 s ahead of UTC in 2024, to the nanosecond."""
    utc = np.datetime64("2024-01-01T00:00:00.000000001", "ns").astype(np.int64)
    with netCDF4.Dataset(folder / "g.nc", "w") as file:
        file.createDimension("n", 1)
        time = file.createVariable("Epoch", "i8", ("n",))
        time.setncatts({"UNITS": "ns", "TIME_BASE": "J2000", "TIME_SCALE": "Terrestrial Time"})
        time[:] = utc - 946_728_000 * 10**9 + 69_184_000_000
        file.createVariable("H", "f4", ("n",))[:] = [1]
    assert read(file="g.nc", time={"columns": "Epoch"}, columns={"H": {}}).time.astype(np.int64).tolist() == [utc]


def _lie(path: Path, **attributes: Any) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("n", 2)
        time = file.createVariable("time", "f8", ("n",))
        time.setncatts({name: value for name, value in attributes.items() if name != "unit"})
        time[:] = [0, 1]
        field = file.createVariable("H", "f4", ("n",))
        field.units = attributes.get("unit", "nT")
        field[:] = [1, 2]


@pytest.mark.parametrize(
    ("attributes", "problem", "hint"),
    [
        ({"units": "parsecs since 2000-01-01"}, "g.nc: the units of 'time': 'parsecs' is not a unit of time", "format"),
        ({"units": "seconds since 2000-13-01"}, "is not a date", "format"),
        ({"units": "days since 2000-01-01", "calendar": "360_day"}, "its calendar is '360_day'", "format"),
        ({}, "g.nc: the times 'time' are numbers, and no attribute says what they count", "epoch_s"),
        ({"units": "days since 1600-01-01"}, "g.nc, record 1: the time 0.0 is outside 1900", "Check what"),
        ({"units": "days since 0001-01-01"}, "a calendar that is not certain", "mjd"),
        (
            {"units": "seconds since 2024-01-01", "unit": "T"},
            "file says that 'H' is in 'T', and the pipeline says 'nT'",
            "labelled",
        ),
    ],
)
def test_what_a_file_cannot_mean(read: Read, folder: Path, attributes: dict, problem: str, hint: str) -> None:
    """One message, with what to do."""
    _lie(folder / "g.nc", **attributes)
    with pytest.raises(OwnFileError, match=problem) as error:
        read(file="g.nc")
    assert hint in error.value.hint


def test_time_must_be_the_first_axis(folder: Path, workers: Workers) -> None:
    """Also where both axes are equally long; a dimension without a variable is not called a column."""
    with netCDF4.Dataset(folder / "g.nc", "w") as file:
        file.createDimension("x", 2)
        file.createDimension("time", None)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2024-02-01"
        time[:] = [0, 1]
        file.createVariable("H", "f8", ("x", "time"))[:] = [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="no column of numbers") as error:
        guess_description(folder / "g.nc", workers)
    assert error.value.hint.startswith("H runs along 'x' first, and the times along 'time': time must be its first axis.")


def test_a_frame_may_be_said_in_the_long_name(goes: np.ndarray, workers: Workers, folder: Path) -> None:
    """Where the name of the variable does not."""
    del goes
    with netCDF4.Dataset(folder / "g.nc", "a") as file:
        file.renameVariable("b_gse", "field")
    assert guess_description(folder / "g.nc", workers).frames == {"field_1": "GSE"}


def test_a_wrong_label_can_be_noted(read: Read, folder: Path) -> None:
    """With the file's own unit, so that another file with another mistake is noticed."""
    _lie(folder / "g.nc", units="seconds since 2024-01-01", unit="T")
    assert read(file="g.nc", columns={"H": {"unit": "nT", "labelled": "T"}}).meta.unit == "nT"
    with pytest.raises(OwnFileError, match="is in 'T'"):
        read(file="g.nc", columns={"H": {"unit": "nT", "labelled": "G"}})


def test_a_change_marks_its_day_alone(goes: np.ndarray, folder: Path, make_archive: MakeArchive) -> None:
    """One value of the second day; then records after the last day, which touch neither."""
    archive = make_archive(file="g.nc", columns=VECTOR)
    before = {file.name: file.last_modified for file in archive.list_files(day(1, 9))}
    with netCDF4.Dataset(folder / "g.nc", "a") as file:
        file["b_gse"][2000, 1] = 0.0
    edited = {file.name: file.last_modified for file in archive.list_files(day(1, 9))}
    assert [name for name in before if before[name] != edited[name]] == ["g.nc.2024-01-02"]
    with netCDF4.Dataset(folder / "g.nc", "a") as file:
        file["time"][2880] = START + 2 * 86400
        file["b_gse"][2880] = [1, 2, 3]
    longer = {file.name: file.last_modified for file in archive.list_files(day(1, 9))}
    assert edited == {name: revision for name, revision in longer.items() if name in edited}
    assert set(longer) - set(edited) == {"g.nc.2024-01-03"}
