"""Labels and files that lie: one clear message each, and never a number that the file does not hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.pds.decode import decode
from helio_dagster.archives.pds.layout import LabelFault
from helio_dagster.archives.pds.worker import read_label
from helio_dagster.domain.errors import InputError, UnknownDataset
from tests.pds_files import Column, write_pds3, write_pds4

_TIMES = ["2016-240T00:00:00", "2016-240T00:00:01", "2016-240T00:00:02"]
_COLUMNS = [Column("TIME", _TIMES, "ASCII_Date_Time_DOY_UTC"), Column("B", ["  1.5", "  2.5", " -3.5"], unit="nT")]


def _read(label: Path, parameter: str = "B") -> list[float]:
    product = read_label(label, label.name)
    found: list[float] = decode(label.parent / product.tables[0].file, product, parameter).columns[parameter].tolist()
    return found


@pytest.mark.parametrize(
    ("told", "instead", "message"),
    [
        ("<records>3<", "<records>4<", "the label says 4 records of"),
        ("<records>3<", "<records>99999999999999<", "records of"),
        ("<records>3<", "<records>-3<", "cannot be"),
        ("<records>3<", "<records>three<", "records is 'three', which is not a whole number"),
        ("<records>3</records>", "", "records is missing"),
        ('<offset unit="byte">0<', '<offset unit="byte">9999999<', "begins at byte 10000000, and the file has"),
        ('<offset unit="byte">0<', '<offset unit="byte">-5<', "from byte -5 on, which cannot be"),
        ('<offset unit="byte">0<', '<offset unit="kilobyte">0<', "given in 'kilobyte', not in bytes"),
        ('<field_length unit="byte">5<', '<field_length unit="byte">-5<', "has -5 bytes"),
        ('<field_length unit="byte">5<', '<field_length unit="byte">5000<', "reaches to byte 5018, and a record has 25"),
        ('<field_location unit="byte">19<', '<field_location unit="byte">0<', "from byte 0 on, which cannot be"),
        ('<record_length unit="byte">25<', '<record_length unit="byte">0<', "records of 0 bytes, which cannot be"),
        ("<Record_Character>", "<Record_Other>", "sound XML"),
        ("<Product_Observational ", "<Other ", "sound XML"),
        ("</Product_Observational>", "", "the label is not sound XML"),
    ],
)
def test_numbers_that_cannot_be(tmp_path: Path, told: str, instead: str, message: str) -> None:
    """Counts, offsets and lengths that contradict the file or themselves are refused with what is wrong."""
    label = write_pds4(tmp_path, "b", _COLUMNS)
    text = label.read_text()
    assert told in text
    label.write_text(text.replace(told, instead))
    with pytest.raises(LabelFault, match=message):
        _read(label)


def test_an_entity_bomb_and_an_outside_entity(tmp_path: Path) -> None:
    """A document type is refused before anything in it is expanded or opened."""
    label = write_pds4(tmp_path, "b", _COLUMNS)
    body = label.read_text().partition("?>")[2].replace("<title>b", "<title>&c;")
    bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
    outside = '<!DOCTYPE x [<!ENTITY c SYSTEM "file:///etc/hostname">]>'
    for document_type in (bomb, outside):
        label.write_text(f'<?xml version="1.0"?>{document_type}{body}')
        with pytest.raises(LabelFault, match="defines a document type"):
            read_label(label, label.name)


def test_a_label_of_endless_depth(tmp_path: Path) -> None:
    """Deep nesting is refused, in XML and in ODL."""
    deep = tmp_path / "deep.xml"
    deep.write_text("<a>" * 5000)
    with pytest.raises(LabelFault, match="nested over"):
        read_label(deep, "deep.xml")
    odl = tmp_path / "deep.lbl"
    odl.write_text("PDS_VERSION_ID = PDS3\n" + "OBJECT = TABLE\n" * 5000)
    with pytest.raises(LabelFault, match="deep"):
        read_label(odl, "deep.lbl")


@pytest.mark.parametrize(
    ("told", "instead", "message"),
    [
        ("ROWS = 3", "ROWS = 30", "the label says 30 records"),
        ("ROWS = 3", "ROWS = -3", "cannot be"),
        ("BYTES = 5\r\n", "BYTES = 500\r\n", "reaches to byte"),
        ("START_BYTE = 19", "START_BYTE = -19", "cannot be"),
        ("END_OBJECT = TABLE\r\nEND\r\n", "", "cut off"),
        ('DATA_SET_ID = "JNO', "DATA_SET_ID = JNO", "where a keyword belongs"),
        ("ROWS = 3", "ROWS", "without a value"),
        ("INTERCHANGE_FORMAT = ASCII", "INTERCHANGE_FORMAT = EBCDIC", "'EBCDIC', which is not known"),
        ('^TABLE = "B.TAB"', "^OTHER = 1", "in which file its table is"),
    ],
)
def test_labels_of_pds3_that_cannot_be(tmp_path: Path, told: str, instead: str, message: str) -> None:
    """So are those of PDS3."""
    label = write_pds3(tmp_path, "B", [Column("TIME", _TIMES, "TIME"), Column("B", _COLUMNS[1].values, "ASCII_REAL")])
    text = label.read_bytes().decode()
    assert told in text
    label.write_bytes(text.replace(told, instead).encode())
    with pytest.raises(LabelFault, match=message):
        _read(label)


def test_a_record_length_that_counts_another_line_end(tmp_path: Path) -> None:
    """Where lines do not end where the label says, they are cut at their ends, if they then fit."""
    label = write_pds3(tmp_path, "B", [Column("TIME", _TIMES, "TIME"), Column("B", _COLUMNS[1].values, "ASCII_REAL")])
    data = tmp_path / "B.TAB"
    data.write_bytes(data.read_bytes().replace(b"\r\n", b"\n"))
    assert _read(label) == [1.5, 2.5, -3.5]
    data.write_bytes(data.read_bytes().replace(b" 2.5", b"2"))
    with pytest.raises(LabelFault, match="record 2 has 20 bytes"):
        _read(label)


@pytest.mark.parametrize("form", ["Character", "Delimited"])
def test_text_where_a_number_belongs(tmp_path: Path, form: str) -> None:
    """The record and field are named."""
    columns = [_COLUMNS[0], Column("B", ["  1.5", "trash", " -3.5"])]
    with pytest.raises(LabelFault, match="record 2 has 'trash' in the field 'B', which is not a number"):
        _read(write_pds4(tmp_path, "b", columns, form=form))


def test_a_delimited_record_that_is_short(tmp_path: Path) -> None:
    """A record with fewer fields than the label says is refused, not filled."""
    label = write_pds4(tmp_path, "b", _COLUMNS, form="Delimited")
    data = tmp_path / "b.csv"
    data.write_bytes(data.read_bytes().replace(b",2.5", b""))
    with pytest.raises(LabelFault, match=r"not the 2 fields of the label: .*Expected 2 columns, got 1"):
        _read(label)


def test_binary_numbers_of_another_length_than_their_type(tmp_path: Path) -> None:
    """A double of four bytes cannot be."""
    columns = [_COLUMNS[0], Column("B", np.zeros(3, dtype=">f8"))]
    label = write_pds4(tmp_path, "b", columns, form="Binary")
    label.write_text(label.read_text().replace("IEEE754MSBDouble", "IEEE754MSBSingle"))
    with pytest.raises(LabelFault, match="has 8 bytes, and IEEE754MSBSingle has 4"):
        _read(label)


def test_what_is_not_read_is_refused_by_name(tmp_path: Path) -> None:
    """A spacecraft's clock alone, years of two digits, columns described elsewhere, an unknown parameter, a text."""
    clock = write_pds4(tmp_path, "c", [Column("SCLK", ["1", "2"]), Column("B", ["1", "2"])])
    with pytest.raises(InputError, match="only 'SCLK', a clock of the spacecraft"):
        _read(clock)
    years = write_pds4(tmp_path, "y", [Column("YEAR", ["79"]), Column("DOY", ["9"]), Column("HOUR", ["9"]), Column("B", ["1"])])
    with pytest.raises(LabelFault, match="two digits, and the label does not say of which century"):
        _read(years)
    label = write_pds4(tmp_path, "b", [*_COLUMNS, Column("NOTE", ["x", "y", "z"], "ASCII_String")])
    with pytest.raises(UnknownDataset, match="no parameter BB") as unknown:
        _read(label, "BB")
    assert unknown.value.hint == "Did you mean B?"
    with pytest.raises(InputError, match="'NOTE' is text or a time, not a number"):
        _read(label, "NOTE")
    elsewhere = write_pds3(tmp_path, "E", [Column("TIME", _TIMES, "TIME")])
    elsewhere.write_text(elsewhere.read_text().replace("  COLUMNS = 1", '  ^STRUCTURE = "E.FMT"'))
    assert "described in another file, 'E.FMT'" in read_label(elsewhere, "E.LBL").problem
    image = write_pds4(tmp_path, "i", _COLUMNS)
    image.write_text(image.read_text().replace("Table_Character", "Array_2D_Image"))
    assert read_label(image, "i.xml").problem == "its data are Array_2D_Image, not a table"


@pytest.mark.parametrize("text", ["2016-366T25:00:00", "2015-366T00:00:00", "2016-240T00:00:61", "2016-13-01T00:00:00", "noon"])
def test_times_that_do_not_exist(tmp_path: Path, text: str) -> None:
    """A day or time that no calendar has is refused, with its record."""
    columns = [Column("TIME", ["2016-240T00:00:00", text], "ASCII_Date_Time_DOY_UTC"), Column("B", ["1", "2"])]
    with pytest.raises(LabelFault, match="record 2 has"):
        _read(write_pds4(tmp_path, "t", columns))
