"""Workbooks of one's own, written by openpyxl and by hand."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from helio_dagster.archives.own.binary.seen import Fault
from helio_dagster.archives.own.binary.workbooks import WorkbookContents
from helio_dagster.archives.own.guessing import guess_description
from helio_dagster.domain.errors import HelioError, OwnFileError
from helio_dagster.domain.table import Table
from helio_dagster.resources.workers import Workers
from tests.unit.archives.own.days import day

Read = Callable[..., Table]
MakeBook = Callable[..., Path]


@pytest.fixture
def make_book(folder: Path) -> MakeBook:
    """A workbook: a sheet of notes, and one of 48 hours with the given values in cells."""

    def make(cells: dict[str, Any] | None = None) -> Path:
        book = openpyxl.Workbook()
        notes = book.active
        notes.title = "notes"
        notes["A1"] = "observed in Kiruna"
        sheet = book.create_sheet("data")
        sheet.append(["time", "H [nT]", "remark"])
        for hour in range(48):
            sheet.append([datetime(2024, 1, 1) + timedelta(hours=hour), 20000.5 + hour, None])
        for cell, value in (cells or {}).items():
            sheet[cell] = value
        book.save(folder / "g.xlsx")
        return folder / "g.xlsx"

    return make


def test_a_sheet_by_name(make_book: MakeBook, read: Read) -> None:
    """Dates as Excel stores them; an empty cell and #N/A are missing."""
    make_book({"B3": None, "B4": "#N/A"})
    table = read(day(1), file="g.xlsx", table="data", columns={"H [nT]": {"unit": "nT"}})
    assert len(table) == 24
    assert table.columns["H [nT]"][[0, 3, 23]].tolist() == [20000.5, 20003.5, 20023.5]
    assert [place for place, value in enumerate(table.columns["H [nT]"]) if value != value] == [1, 2]


@pytest.mark.parametrize(
    ("above", "columns"),
    [
        ([["Magnetogram of Kiruna"], ["time", "H", "D"]], {"H": {}, "D": {}}),
        ([["time", "H", "D"], [None, "nT", "deg"]], {"H": {"unit": "nT"}, "D": {"unit": "deg"}}),
        ([["Magnetogram of Kiruna"], ["Observer", "A. Person"], ["time", "H", "D"], ["UTC", "(nT)", "[deg]"]],
         {"H": {"unit": "nT"}, "D": {"unit": "deg"}}),
        ([["time", "H", "D"]], {"H": {}, "D": {}}),
        ([["time", 38.5, 53]], {"38.5": {}, "53": {}}),
    ],
)  # fmt: skip
def test_a_title_above_the_names_and_units_below(
    above: list[list[Any]], columns: dict[str, Any], folder: Path, workers: Workers, read: Read
) -> None:
    """The proposal names columns and units, and the first record is the first."""
    book = openpyxl.Workbook()
    for row in [*above, *([datetime(2024, 1, 1, hour), 20000.5 + hour, hour / 10] for hour in range(24))]:
        book.active.append(row)
    book.save(folder / "g.xlsx")
    found = guess_description(folder / "g.xlsx", workers).document
    assert found["columns"] == columns
    first = next(iter(columns))
    table = read(day(1), file="g.xlsx", columns={first: columns[first]})
    assert table.columns[first].tolist() == [20000.5 + hour for hour in range(24)]


def test_a_row_that_is_neither_names_nor_record_is_refused(folder: Path, workers: Workers) -> None:
    """With its number and what stands in it."""
    book = openpyxl.Workbook()
    for row in (["time", "H"], ["start", "of the"], [datetime(2024, 1, 1), 1.0]):
        book.active.append(row)
    book.active.insert_rows(3)
    book.active["A3"] = "a remark"
    book.save(folder / "g.xlsx")
    with pytest.raises(OwnFileError, match=r"row 3 \('a remark', ...\) stands between the names"):
        guess_description(folder / "g.xlsx", workers)


def test_the_proposal_names_the_unit(make_book: MakeBook, folder: Path, workers: Workers) -> None:
    """From brackets in the heading, of the first sheet."""
    book = openpyxl.load_workbook(make_book())
    del book["notes"]
    book.save(folder / "g.xlsx")
    document = guess_description(folder / "g.xlsx", workers).document
    assert document["time"] == {"columns": ["time"]}
    assert document["columns"]["H [nT]"] == {"unit": "nT"}


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"B7": "=B6+1"}, "the value of the formula in B7 is not in the file"),
        ({"B7": "cloudy"}, r"the column 'H \[nT\]' does not hold numbers: row 7 holds 'cloudy'"),
        ({"B7": "#REF!"}, "row 7 holds '#REF!'"),
        ({"A7": None}, "record 6: the record has values and no time"),
        ({"C1": "time"}, "two columns are called 'time'"),
    ],
)
def test_cells_that_are_not_read(make_book: MakeBook, read: Read, cells: dict, problem: str) -> None:
    """The message names the cell, row or record."""
    make_book(cells)
    with pytest.raises(OwnFileError, match=problem):
        read(day(1), file="g.xlsx", table="data", columns={"H [nT]": {"unit": "nT"}})


def test_a_sheet_that_is_not_there(make_book: MakeBook, read: Read) -> None:
    """The message lists the sheets."""
    make_book()
    with pytest.raises(OwnFileError, match="no sheet 'Data1'") as error:
        read(day(1), file="g.xlsx", table="Data1")
    assert "notes, data" in error.value.hint


def _rewritten(path: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    assert name in parts
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, change(content) if each == name else content)


def test_a_sheet_that_lies_about_its_size(make_book: MakeBook, read: Read) -> None:
    """All rows are read, whatever its dimension says."""
    path = make_book()
    _rewritten(path, "xl/worksheets/sheet2.xml", lambda text: text.replace(b'ref="A1:C49"', b'ref="A1:B3"'))
    assert len(read(day(2), file="g.xlsx", table="data", columns={"H [nT]": {"unit": "nT"}})) == 24


@pytest.mark.slow
def test_bombs(make_book: MakeBook, read: Read) -> None:
    """A part that unpacks to far more than it takes, and one that defines entities."""
    _rewritten(make_book(), "xl/worksheets/sheet2.xml", lambda text: text + b" " * (300 << 20))
    with pytest.raises(OwnFileError, match=r"g\.xlsx: it unpacks from [\d,]+ to 3[\d,]+ bytes"):
        read(day(1), file="g.xlsx", table="data")
    _rewritten(make_book(), "xl/worksheets/sheet2.xml", lambda text: b'<!DOCTYPE s [<!ENTITY a "a">]>' + text)
    with pytest.raises(OwnFileError, match="defines a document type"):
        read(day(1), file="g.xlsx", table="data")


def test_a_sheet_is_chosen_for_the_proposal(make_book: MakeBook, folder: Path, workers: Workers) -> None:
    """By its name; the pipeline keeps it."""
    make_book()
    assert guess_description(folder / "g.xlsx", workers, table="data").document["table"] == "data"


def test_a_sheet_of_too_many_cells(make_book: MakeBook) -> None:
    """It is refused with the way out before its cells fill the memory."""
    path = make_book()
    fault = Fault(path, "g.xlsx")
    assert WorkbookContents(path, "data", fault, lambda _: None, most_cells=100).columns
    with pytest.raises(OwnFileError, match="more than 98 cells") as error:
        WorkbookContents(path, "data", fault, lambda _: None, most_cells=98)
    assert "CSV" in error.value.hint


def test_the_cell_that_keeps_a_column_from_being_read(make_book: MakeBook, workers: Workers) -> None:
    """A date written as text, an error of a formula."""
    said = "record 1: the time '13/02/2024' is not ISO 8601, and the order of day and month is not known"
    with pytest.raises(HelioError, match=said):
        guess_description(make_book({"A2": "13/02/2024"}), workers, table="data")
    guess = guess_description(make_book({"B4": "#DIV/0!"}), workers, table="data")
    assert "not read: H [nT] is text: row 4 holds '#DIV/0!'." in guess.notes


def test_dates_and_clocks_in_two_columns(folder: Path, read: Read, workers: Workers) -> None:
    """Read together, as a person would; n/a is missing."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Date", "Time", "H"])
    for minute in range(10):
        sheet.append([datetime(2024, 1, 1), time(0, minute), "n/a" if minute == 3 else minute])
    book.save(folder / "g.xlsx")
    guess = guess_description(folder / "g.xlsx", workers)
    assert guess.document == {"time": {"columns": ["Date", "Time"]}, "columns": {"H": {}}}
    table = read(day(1), file="g.xlsx", time={"columns": ["Date", "Time"]}, columns={"H": {}})
    assert [str(each)[11:16] for each in table.time] == [f"00:{minute:02}" for minute in range(10)]
    assert [value if value == value else None for value in table.columns["H"]] == [0, 1, 2, None, 4, 5, 6, 7, 8, 9]


def test_a_first_sheet_without_records_names_the_others(make_book: MakeBook, workers: Workers) -> None:
    """Which sheet is meant is for a person to say."""
    with pytest.raises(OwnFileError, match="the sheet 'notes' holds no records") as error:
        guess_description(make_book(), workers)
    assert error.value.hint.endswith("--table: data.")


def test_a_zip_archive_is_no_workbook(folder: Path, workers: Workers) -> None:
    """Whatever the names in it; nothing is unpacked."""
    with zipfile.ZipFile(folder / "g.zip", "w") as archive:
        archive.writestr("../../evil.csv", "time,H\n2024-01-01,1\n")
    with pytest.raises(OwnFileError, match=r"a zip archive of '\.\./\.\./evil.csv', not a workbook"):
        guess_description(folder / "g.zip", workers)
    assert not list(folder.parent.rglob("evil.csv"))
