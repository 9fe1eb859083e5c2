"""Tables of products, decoded by their labels: beside `pdr`, an independent reader, and beside what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helio_dagster.archives.pds.decode import decode
from helio_dagster.archives.pds.worker import read_label
from helio_dagster.domain.table import Table
from tests.pds_files import Column, write_pds3, write_pds4

COUNT = 40
DOY = [f"2016-240T00:{second // 60:02}:{second % 60:02}.250" for second in range(COUNT)]
TIMES = np.datetime64("2016-08-27T00:00:00.250", "ns") + np.arange(COUNT) * np.timedelta64(1_000_000_000, "ns")
FIELD = np.round(np.random.default_rng(6).normal(0, 300, (COUNT, 3)), 3)


def _text_columns() -> list[Column]:
    texts = [[f"{value:10.3f}" for value in FIELD[:, axis]] for axis in range(3)]
    texts[1][7] = "  99999.99"
    texts[2][9] = "          "
    components = [
        Column(f"B{axis}", texts[place], unit="nT", constant="99999.99", description=f"GSE {axis} component")
        for place, axis in enumerate("XYZ")
    ]
    return [Column("TIME", DOY, "ASCII_Date_Time_DOY_UTC"), *components]


def _table(label: Path, parameter: str) -> Table:
    product = read_label(label, label.name)
    return decode(label.parent / product.tables[0].file, product, parameter)


def _other_reader(label: Path) -> pd.DataFrame:
    pdr = pytest.importorskip("pdr")
    read = pdr.read(str(label))
    name = next(key for key in read.keys() if isinstance(read[key], pd.DataFrame))  # noqa: SIM118 - it is no dict
    found: pd.DataFrame = read[name]
    return found


@pytest.mark.parametrize("form", ["Character", "Delimited"])
def test_text_tables_of_pds4_are_as_written(tmp_path: Path, form: str) -> None:
    """Times and numbers exactly, NaN for the label's constant and where nothing stands; a header is passed over."""
    columns = _text_columns()
    label = write_pds4(tmp_path, "mag_2016240", columns, form=form, header=b"a line before the table\r\n")
    table = _table(label, "BX,BY,BZ")
    expected = FIELD.copy()
    expected[7, 1] = expected[9, 2] = np.nan
    np.testing.assert_array_equal(table.time, TIMES)
    np.testing.assert_array_equal(np.column_stack([*table.columns.values()]), expected)
    assert (table.meta.kind, table.meta.frame, table.meta.unit) == ("vector", "GSE", "nT")
    assert table.meta.data_names == ("BX", "BY", "BZ")


@pytest.mark.parametrize("form", ["Character", "Delimited"])
def test_text_tables_are_read_as_by_pdr(tmp_path: Path, form: str) -> None:
    """Every number is the one that an independent reader finds."""
    columns = _text_columns()
    columns[3] = Column("BZ", [f"{value:10.3f}" for value in FIELD[:, 2]], unit="nT")
    label = write_pds4(tmp_path, "mag_2016240", columns, form=form)
    theirs = _other_reader(label)
    for name in ("BX", "BZ"):
        np.testing.assert_array_equal(_table(label, name).columns[name], theirs[name].to_numpy(dtype=float))


def _binary_columns(orders: Sequence[str]) -> list[Column]:
    rng = np.random.default_rng(7)
    made: dict[str, Any] = {}
    for place, order in enumerate(orders):
        dtype = np.dtype(order)
        made[f"C{place}"] = (
            rng.normal(size=COUNT).astype(dtype) if dtype.kind == "f" else rng.integers(0, 200, COUNT).astype(dtype)
        )
    return [Column("SCET", DOY, "ASCII_Date_Time_DOY_UTC"), *(Column(name, values) for name, values in made.items())]


def test_binary_tables_of_pds4_in_both_byte_orders(tmp_path: Path) -> None:
    """Reals and whole numbers of either byte order are as written, and as pdr reads them."""
    columns = _binary_columns([">f8", "<f8", ">f4", "<f4", ">i4", "<i4", ">i2", "<u2", "|u1"])
    label = write_pds4(tmp_path, "bin_2016240", columns, form="Binary")
    theirs = _other_reader(label)
    for column in columns[1:]:
        ours = _table(label, column.name)
        np.testing.assert_array_equal(ours.time, TIMES)
        np.testing.assert_array_equal(ours.columns[column.name], np.asarray(column.values, dtype=float))
        np.testing.assert_array_equal(ours.columns[column.name], theirs[column.name].to_numpy(dtype=float))


def test_tables_of_pds3(tmp_path: Path) -> None:
    """A table of text behind a header, and one of binary numbers, are as written, and as pdr reads them."""
    columns = [Column("TIME", DOY, "TIME"), *_text_columns()[1:3]]
    columns.append(Column("BZ", [f"{value:10.3f}" for value in FIELD[:, 2]], "ASCII_REAL", "NANOTESLA"))
    columns = [columns[0], *(Column(c.name, c.values, "ASCII_REAL", "NANOTESLA", c.constant) for c in columns[1:])]
    text = write_pds3(tmp_path, "FGM_2016240", columns, header=b"OBJECT = FILE and so on\r\n" * 3)
    binary = write_pds3(
        tmp_path, "BIN_2016240", [Column("TIME", DOY, "TIME"), *_binary_columns([">f8", "<f4", ">i2", "<u2"])[1:]]
    )
    table = _table(text, "BX")
    np.testing.assert_array_equal(table.time, TIMES)
    np.testing.assert_array_equal(table.columns["BX"], FIELD[:, 0])
    assert np.isnan(_table(text, "BY").columns["BY"]).nonzero()[0].tolist() == [7]
    assert table.meta.unit == "nT"
    np.testing.assert_array_equal(_other_reader(text)["BX"].to_numpy(dtype=float), FIELD[:, 0])
    theirs = _other_reader(binary)
    for name in ("C0", "C1", "C2", "C3"):
        np.testing.assert_array_equal(_table(binary, name).columns[name], theirs[name].to_numpy(dtype=float))


def test_a_scaled_number_and_its_constant(tmp_path: Path) -> None:
    """The constant is compared with what is stored, before scaling."""
    stored = np.array([10, -32768, 30], dtype=">i2")
    columns = [Column("TIME", DOY[:3], "ASCII_Date_Time_DOY_UTC"), Column("E", stored, constant="-32768", scale=0.5)]
    table = _table(write_pds4(tmp_path, "e_2016240", columns, form="Binary"), "E")
    np.testing.assert_array_equal(table.columns["E"], [5.0, np.nan, 15.0])


def test_a_float_constant_that_is_rounded_in_the_file(tmp_path: Path) -> None:
    """`-1.0E+31` in the label is the float32 nearest to it in the file."""
    stored = np.array([1.0, -1.0e31], dtype=">f4")
    columns = [Column("TIME", DOY[:2], "ASCII_Date_Time_DOY_UTC"), Column("E", stored, constant="-1.0E+31")]
    np.testing.assert_array_equal(
        _table(write_pds4(tmp_path, "e_2016240", columns, form="Binary"), "E").columns["E"],
        np.array([1.0, np.nan], dtype=np.float32),
    )


CLOCKS: dict[str, list[Column]] = {
    "month and day": [Column("UTC", ["2016-08-27T01:02:03.004Z", "2016-08-27T01:02:04.004Z"], "ASCII_Date_Time_YMD_UTC")],
    "day of year": [Column("SCET", ["2016-240T01:02:03.004", "2016-240T01:02:04.004"], "ASCII_String")],
    "words apart": [Column("SAMPLE UTC", ["2016 240 01 02 03 004", "2016 240 01 02 04 004"], "ASCII_String")],
    "columns": [
        Column(name, values, "ASCII_Integer")
        for name, values in {
            "YEAR": ["2016"] * 2,
            "DOY": ["240"] * 2,
            "HOUR": ["1"] * 2,
            "MIN": ["2"] * 2,
            "SEC": ["3", "4"],
            "MSEC": ["4"] * 2,
        }.items()
    ],
    "columns of months": [
        Column(name, values)
        for name, values in {
            "Year": ["2016"] * 2,
            "Month": ["8"] * 2,
            "Day": ["27"] * 2,
            "Hour": ["1"] * 2,
            "Minute": ["2"] * 2,
            "Second": ["3.004", "4.004"],
        }.items()
    ],
    "decimal day": [Column("YEAR", ["2016"] * 2), Column("DECIMAL_DAY", ["240.043090324", "240.043101898"])],
    "milliseconds of the day": [
        Column("YEAR", ["2016"] * 2),
        Column("DATE", ["240"] * 2, "ASCII_Integer", description="3 digit day of year"),
        Column("UT", ["3723004", "3724004"], unit="ms"),
    ],
    "date and time": [
        Column("DATE", ["2016-08-27"] * 2, "ASCII_String"),
        Column("TIME", ["01:02:03.004", "01:02:04.004"], "ASCII_String"),
    ],
    "without zeros": [Column("TIME", ["2016-8-27T1:02:03.004", "2016-8-27T1:02:04.004"], "ASCII_String")],
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_times_in_all_their_forms(tmp_path: Path, clock: str) -> None:
    """The same two moments, however the archive writes them; a decimal day is as exact as its digits."""
    label = write_pds4(tmp_path, "t", [*CLOCKS[clock], Column("V", ["1.5", "2.5"])])
    found = _table(label, "V").time
    expected = np.array(["2016-08-27T01:02:03.004", "2016-08-27T01:02:04.004"], dtype="datetime64[ns]")
    allowed = np.timedelta64(1_000_000 if clock == "decimal day" else 0, "ns")
    assert (np.abs(found - expected) <= allowed).all()


def test_a_leap_second_and_records_out_of_order(tmp_path: Path) -> None:
    """23:59:60 is the first second after; of two records at one time the first in the file stays."""
    texts = ["2017-001T00:00:01.000", "2016-366T23:59:60.500", "2016-366T23:59:59.500", "2017-001T00:00:00.500"]
    columns = [Column("TIME", texts, "ASCII_Date_Time_DOY_UTC"), Column("V", ["1", "2", "3", "4"])]
    table = _table(write_pds4(tmp_path, "t", columns), "V")
    assert table.columns["V"].tolist() == [3.0, 2.0, 1.0]
