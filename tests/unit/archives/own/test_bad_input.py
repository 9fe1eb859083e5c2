"""Files that cannot be read as described: one clear message each, with file, line, and what to do."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from helio_dagster.domain.errors import HelioError, OwnFileError
from helio_dagster.domain.table import Table
from tests.unit.archives.own.conftest import MakeArchive
from tests.unit.archives.own.days import day

Read = Callable[..., Table]


def _zip_that_climbs() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("../../evil.csv", "time,H\n2024-01-01,1\n")
    return made.getvalue()


GOOD = "2024-01-01T00:00:00,1\n"
CASES: dict[str, tuple[bytes, dict[str, Any], str, str]] = {
    "encoding": ("time,H\n2024-01-01,1\n2024-01-02,1 °\n".encode("latin-1"), {}, "g.csv, line 3: it is not UTF-8", "latin-1"),
    "utf-16": ("time,H\n2024-01-01,1\n".encode("utf-16"), {}, "g.csv: it is encoded as UTF-16", "Save it as UTF-8"),
    "zero byte": (b"time,H\n2024-01-01,1\n2024-01-02,\0\n", {}, "g.csv, line 3: it holds a zero byte", "binary"),
    "decimal comma": (
        b"time;H\n2024-01-01;1,5\n",
        {"text": {"delimiter": ";"}},
        "line 2: the H '1,5' is not a number",
        "decimal: ','",
    ),
    "decimal comma between commas": (
        b"time,H\n2024-01-01,1,5\n",
        {},
        "line 2: it has 3 fields, and the file 2 columns",
        "decimal comma",
    ),
    "too few fields": (b"time,H\n2024-01-01,1\n2024-01-01T01:00\n", {}, "line 3: it has 1 fields", "cut off"),
    "mixed zones": (b"time,H\n2024-01-01T00:00Z,1\n2024-01-01T01:00,1\n", {}, "line 3: mixed time zones", "UTC"),
    "two-digit year": (b"time,H\n24-01-01,1\n", {}, "line 2: the time '24-01-01' has a year of two digits", "four digits"),
    "leap second": (
        b"time,H\n2024-01-01,1\n2016-12-31T23:59:60,1\n",
        {},
        "line 3: the time '2016-12-31T23:59:60' is in a leap second",
        "remove",
    ),
    "day or month": (b"time,H\n01/02/2024,1\n", {}, "line 2: the time '01/02/2024' is not ISO 8601", "`format` under `time`"),
    "no time": (b"time,H\n2024-01-01,1\n,1\n", {}, "line 3: the record has no time", "Remove the line"),
    "impossible date": (b"time,H\n2023-02-29,1\n", {}, "line 2: the time '2023-02-29' is not ISO 8601", "2024-02-01T12:00:00"),
    "milliseconds as seconds": (
        b"time,H\n1704067200000,1\n",
        {"time": {"columns": "time", "format": "epoch_s"}},
        "line 2: the time '1704067200000' is outside 1900 to 2200",
        "milliseconds",
    ),
    "duplicates that differ": (
        b"time,H\n2024-01-01,1\n2024-01-01T01:00,2\n2024-01-01,3\n",
        {},
        "g.csv, lines 2 and 4: two records of 2024-01-01T00:00:00.000 differ",
        "duplicates: first",
    ),
    "missing column": (b"time,Hx\n2024-01-01,1\n", {}, "line 1: it has no column 'H'", "Hx"),
    "repeated column": (b"time,H,H\n2024-01-01,1,2\n", {}, "line 1: two columns are called 'H'", "Rename"),
    "not a number": (b"time,H\n2024-01-01,abc\n", {}, "line 2: the H 'abc' is not a number", "NaN"),
    "open quotation mark": (
        b'time,H\n2024-01-01,"1\n2024-01-02,2\n',
        {},
        "line 2: a quotation mark is not closed",
        "Write each record on one line",
    ),
    "empty file": (b"", {}, "g.csv: the file is empty", "leave it out"),
    "a zip that climbs out": (_zip_that_climbs(), {}, "g.csv: it is a zip archive", "Unpack it"),
    "gzip": (gzip.compress(b"time,H\n"), {}, "g.csv: it is compressed by gzip", "gunzip"),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(64), {}, "g.csv: it is an HDF5", "format: hdf5"),
    "utf-32": ("time,H\n2024-01-01,1\n".encode("utf-32"), {}, "g.csv: it is encoded as UTF-32", "Save it as UTF-8"),
    "zeros alone behind the names": (b"time,H\n" + bytes(9_000_000), {}, "line 2: it holds a zero byte", "cut off"),
    "a remark": (b"time,H\n2024-01-01,1\n# gap\n", {}, "line 3: the time '# gap' is not a time", "comment: '#'"),
    "day 367": (
        b"year,doy,H\n2024,1.25,1\n2024,367.5,2\n",
        {"time": {"columns": ["year", "doy"], "format": "year_doy"}},
        "line 3: '2024 367.5' is no day",
        "Correct",
    ),
    "utf-16 without a mark": ("time,H\n2024-01-01,1\n".encode("utf-16-le"), {}, "every other byte is zero", "Save it as UTF-8"),
    "carriage returns": (b"time,H\r2024-01-01,1\r", {}, "line 1: its lines end in carriage returns", "line feeds"),
    "zeros at the end": (GOOD.join(["time,H\n", ""]).encode() + bytes(999), {}, "line 3: it holds a zero byte", "cut off"),
    "cut off": (b"time,H,D\n2024-01-01T00:00,1,2\n2024-01-01T01:0", {}, "line 3: it has 1 fields, and the file 3", "cut off"),
    "web page": (b"<!DOCTYPE html><html><body>404</body></html>\n", {}, "g.csv: it is a web page", "Download"),
    "json": (b'{"time": ["2024-01-01"], "H": [1]}\n', {}, "g.csv: it is JSON", "CSV"),
    "thousands": (b'time,H\n2024-01-01,"20,123.5"\n', {}, "line 2: the H '20,123.5' is not a number", "between thousands"),
    "fortran": (b"time,H\n2024-01-01,1.5D+02\n", {}, "line 2: the H '1.5D+02' is not a number", "write E"),
    "stars": (b"time,H\n2024-01-01,******\n", {}, "line 2: the H '******' is not a number", "leave the field empty"),
    "JSON in a list": (b'[{"time": "2024-01-01", "H": 1}]\n', {}, "g.csv: it is JSON", "Write it as CSV"),
    "a label": (b"PDS_VERSION_ID = PDS3\r\nRECORD_TYPE = STREAM\r\n", {}, "g.csv: it is a label of PDS3", "the table"),
    "hourly values": (b"DST2405*01  X220   0   0-118-116\n", {}, "exchange format of the World Data", "IAGA-2002"),
    "points between thousands": (b"time,H\n2024-01-01,20.123.456\n", {}, "line 2: the H '20.123.456'", "thousands: '.'"),
    "narrow spaces": (b"time,H\n2024-01-01,20\xe2\x80\xaf123\n", {}, "line 2: the H '20\\u202f123'", "without spaces"),
    "minus of typography": ("time,H\n2024-01-01,\u22121.5\n".encode(), {}, "line 2: the H '\u22121.5'", "keyboard"),
    "quotation marks of typography": ("time,H\n\u201c2024-01-01\u201d,1\n".encode(), {}, "line 2: the time", "keyboard"),
    "unit in each field": (b"time,H\n2024-01-01,0.5 nT\n", {}, "line 2: the H '0.5 nT' is not a number", "NAME [nT]"),
    "names once more": (b"time,H\n2024-01-01,1\ntime,H\n", {}, "line 3: the time 'time' has no digits", "names of the columns"),
    "no date of a database": (b"time,H\n0000-00-00 00:00:00,1\n", {}, "line 2: the time '0000-00-00", "Remove the record"),
    "another language's month": (b"time,H\n01-Okt-2024,1\n", {}, "names its month 'Okt'", "in English"),
    "truth values": (b"time,H\n2024-01-01,true\n", {}, "line 2: the H 'true' is not a number", "1 and 0"),
    "hexadecimal": (b"time,H\n2024-01-01,0x1F\n", {}, "line 2: the H '0x1F' is not a number", "decimal number"),
    "below a limit": (b"time,H\n2024-01-01,<5\n", {}, "line 2: the H '<5' is not a number", "It is a limit"),
    "with its uncertainty": ("time,H\n2024-01-01,5\u00b12\n".encode(), {}, "line 2: the H '5\u00b12'", "uncertainty a column"),
    "year 24": (b"time,H\n0024-01-01,1\n", {}, "line 2: the time '0024-01-01' is outside 1900 to 2200", "Check the year"),
    "an offset of 25 hours": (b"time,H\n2024-01-01T00:00+25:00,1\n", {}, "offset from UTC that no clock has", "Correct"),
    "pdf": (b"%PDF-1.7\nabc\n", {}, "g.csv: it is a PDF document", "CSV"),
    "a line in a field": (
        b'time,H,remark\n2024-01-01,1,x\n2024-01-01T01:00,2,"a\nb"\n2024-01-01T02:00,3,y\n',
        {},
        "line 3: a field goes on over several lines",
        "Write each record on one line",
    ),
    "infinity": (b"time,H\n2024-01-01,1\n2024-01-01T01:00,-inf\n", {}, "line 3: the H '-inf' is not a number", "no infinities"),
    "hour 24": (b"time,H\n2024-01-01T24:00:00,1\n", {}, "line 2: the time '2024-01-01T24:00:00' is hour 24", "next day"),
    "zone in letters": (b"time,H\n2024-01-01 00:00 CET,1\n", {}, "names its zone by letters", "in place of CET"),
    "day 366": (
        b"time,H\n2024-366,1\n2023-366,1\n",
        {"time": {"columns": "time", "format": "%Y-%j"}},
        "line 3: the time '2023-366' is a day that its year does not have",
        "Correct the line",
    ),
    "12-hour clock": (
        b"time,H\n2024-01-01 03:00 PM,1\n",
        {},
        "line 2: the time '2024-01-01 03:00 PM' is on a clock of 12",
        "%I:%M %p",
    ),
    "julian dates": (b"time,H\n2460310.5,1\n", {}, "line 2: the time '2460310.5' is a bare number, as Julian", "format: jd"),
    "days of spreadsheets": (
        b"time,H\n45292.5,1\n",
        {},
        "line 2: the time '45292.5' is a bare number, as days",
        "dates as text",
    ),
    "year and day": (b"time,H\n2024001,1\n", {}, "line 2: the time '2024001' is a bare number, as years", "'%Y%j'"),
    "week date": (b"time,H\n2024-W01-1,1\n", {}, "line 2: the time '2024-W01-1' is a week date", "%G-W%V-%u"),
    "minute 60": (
        b"time,H\n2024-01-01T00:60:00,1\n",
        {},
        "line 2: the time '2024-01-01T00:60:00' has a minute beyond",
        "next hour",
    ),
    "hour 25": (
        b"time,H\n2024-01-01T25:00:00,1\n",
        {},
        "line 2: the time '2024-01-01T25:00:00' has an hour beyond",
        "next day",
    ),
    "a tab in one line": (b"time,H\n2024-01-01,1\n2024-01-02\t2\n", {}, "line 3: the time '2024-01-02", "by the same mark"),
    "semicolons": (b"time;H\n2024-01-01;1\n", {}, "line 1: it has no column 'time'", "delimiter: ';'"),
    "more than a double": (b"time,H\n2024-01-01,1e400\n", {}, "line 2: the H '1e400' is not a number", "larger than a double"),
    "sqlite": (b"SQLite format 3\0" + bytes(84), {}, "g.csv: it is an SQLite database", "sqlite3 -csv"),
    "git lfs": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\n",
        {},
        "g.csv: it is a pointer of Git LFS",
        "git lfs pull",
    ),
    "a merge in progress": (
        b"time,H\n2024-01-01,1\n<<<<<<< HEAD\n",
        {},
        "line 3: the time '<<<<<<< HEAD' is a mark",
        "remove the marks",
    ),
    "no parquet": (b"PAR1 and then nothing", {"format": "parquet"}, "g.csv: it is not a Parquet file", "written to the end"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_content_is_named(case: str, folder: Path, read: Read) -> None:
    """The file, the line where there is one, and what to do."""
    content, given, problem, hint = CASES[case]
    (folder / "g.csv").write_bytes(content)
    with pytest.raises(OwnFileError, match=re.escape(problem)) as caught:
        read(**given)
    assert hint in caught.value.hint
    assert caught.value.where == str(folder / "g.csv")


@pytest.mark.parametrize("digits", ["\u0661\u0662", "\uff11\uff12", "12.0"])
def test_digits_of_other_scripts_are_digits(digits: str, folder: Path, read: Read) -> None:
    """Arabic and full-width ones, as Unicode gives their values."""
    (folder / "g.csv").write_text(f"time,H\n2024-01-01,{digits}\n", encoding="utf-8")
    assert read().columns["H"].tolist() == [12.0]


def test_nothing_is_unpacked(folder: Path, read: Read) -> None:
    """A zip's files are not written anywhere."""
    (folder / "g.csv").write_bytes(_zip_that_climbs())
    with pytest.raises(OwnFileError):
        read()
    assert not list(folder.parent.rglob("evil.csv"))


def test_a_header_alone_is_no_data(folder: Path, read: Read) -> None:
    """That is a true answer, not an error."""
    (folder / "g.csv").write_text("time,H\n")
    assert read().status == "empty"


def test_columns_that_change_between_files(folder: Path, make_archive: MakeArchive) -> None:
    """The order of columns may change, but a column that is read must be there."""
    (folder / "a1.csv").write_text("time,H,D\n2024-01-01,1,9\n")
    (folder / "a2.csv").write_text("D,H,time\n9,2,2024-01-02\n")
    (folder / "a3.csv").write_text("time,Hcomp\n2024-01-03,3\n")
    one, two = make_archive(file="a?.csv").fetch("", "", [day(1), day(2)])
    assert {type(each.error) for each in (one, two)} == {OwnFileError}
    assert "a3.csv, line 1: it has no column 'H'" in str(one.error)
    (folder / "a3.csv").unlink()
    found = [each.table for each in make_archive(file="a?.csv").fetch("", "", [day(1), day(2)])]
    assert [list(table.columns["H"]) for table in found if table] == [[1], [2]]


def test_a_file_that_changes_during_the_read(folder: Path, make_archive: MakeArchive) -> None:
    """What is read must be what was indexed."""
    path = folder / "g.csv"
    path.write_text("time,H\n2024-01-01,1\n2024-01-02,2\n")
    archive = make_archive()
    windows = [day(1), day(2)]

    def change(*_: object) -> None:
        path.write_text("time,H\n2024-01-01,7\n2024-01-02,2\n")

    one, two = archive.fetch("", "", windows, report=change)
    assert "g.csv changed while it was read" in str(one.error)
    assert two.error is None


def test_duplicates_that_differ_may_be_chosen_from(folder: Path, read: Read) -> None:
    """The first or the last in the file."""
    (folder / "g.csv").write_text("time,H\n2024-01-01,1\n2024-01-01,3\n2024-01-01,2\n")
    assert list(read(duplicates="first").columns["H"]) == [1]
    assert list(read(duplicates="last").columns["H"]) == [2]


def test_a_file_named_after_another_day(folder: Path, read: Read) -> None:
    """Its records would never be found."""
    (folder / "g_20240101.csv").write_text("time,H\n2024-01-01,1\n2024-01-09,1\n")
    with pytest.raises(OwnFileError, match=r"named after .* and has records of 2024-01-09"):
        read(file="g_{%Y}{%m}{%d}.csv")


def test_there_is_no_file(folder: Path, read: Read) -> None:
    """That is an error, not a gap."""
    with pytest.raises(OwnFileError, match=r"there is no file g\.csv") as caught:
        read()
    assert str(folder) in caught.value.hint


def test_files_outside_are_not_read(folder: Path, tmp_path: Path, read: Read) -> None:
    """Neither by their whole path nor through a link, unless a setting names their folder."""
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "g.csv").write_text("time,H\n2024-01-01,1\n")
    (folder / "link.csv").symlink_to(outside / "g.csv")
    for file in (str(outside / "g.csv"), "link.csv", "/etc/passwd", "~/.bashrc", "/etc/nothing"):
        with pytest.raises(OwnFileError, match="outside the folders that pipelines may read") as caught:
            read(file=file)
        assert "HELIO_OWN_FILES" in caught.value.hint
    assert len(read(file="link.csv", allowed=(outside,))) == len(read(file=str(outside / "g.csv"), allowed=(outside,))) == 1


@pytest.mark.parametrize("file", ["../g.csv", "a/../../g.csv", "{%y}/g.csv", "{%q}.csv", "{%d}.csv", "a/**/g.csv"])
def test_paths_that_are_refused(file: str, make_archive: MakeArchive) -> None:
    """Before anything is read."""
    with pytest.raises(ValidationError, match=r"climb|two digits|not a field|without its year|\*\*"):
        make_archive(file=file)


def test_parquet_without_times_or_numbers(folder: Path, read: Read) -> None:
    """The record or column is named."""
    pd.DataFrame({"time": ["2024-01-01", "yesterday"], "H": [1.0, 2.0]}).to_parquet(folder / "g.parquet")
    with pytest.raises(HelioError, match="record 1: the time 'yesterday'"):
        read(file="g.parquet")
    pd.DataFrame({"time": pd.to_datetime(["2024-01-01"]), "H": ["x"]}).to_parquet(folder / "g.parquet")
    with pytest.raises(HelioError, match="'H' does not hold numbers"):
        read(file="g.parquet")
    pd.DataFrame({"time": pd.to_datetime(["2024-01-01"]), "D": np.ones(1)}).to_parquet(folder / "g.parquet")
    with pytest.raises(HelioError, match="no column 'H'"):
        read(file="g.parquet")
