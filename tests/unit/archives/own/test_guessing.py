"""Guessed descriptions: layout, time, units, fill values; and where a guess would be a gamble."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helio_dagster.archives.own.guessing import guess_description, template_of
from helio_dagster.archives.own.headings import shared_name
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.resources.workers import Workers

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "plain": ("g.csv", "time,H\n2024-01-01,1\n2024-01-02,2\n", {"time": {"columns": ["time"]}, "columns": {"H": {}}}),
    "unit and fill": (
        "g.csv",
        "UT,H [nT],site\n2024-01-01,1,KIR\n2024-01-02,99999.9,KIR\n",
        {"time": {"columns": ["UT"]}, "columns": {"H [nT]": {"unit": "nT", "fill": [99999.9]}}},
    ),
    "seconds since 1970, not the year 1704": (
        "g.csv",
        "time,H\n1704067200,1\n1704067260,2\n",
        {"time": {"columns": ["time"], "format": "epoch_s"}, "columns": {"H": {}}},
    ),
    "a column without a name": (
        "g.csv",
        "time,,H\n2024-01-01,1,2\n2024-01-02,2,3\n",
        {"time": {"columns": ["time"]}, "columns": {"H": {}}},
    ),
    "semicolon and comma": (
        "g.csv",
        "time;H\n2024-01-01;1,5\n2024-01-02;2,5\n",
        {"text": {"delimiter": ";", "decimal": ","}, "time": {"columns": ["time"]}, "columns": {"H": {}}},
    ),
    "year, day and seconds without names": (
        "g.txt",
        "# site KIR\n2024 001 0 5.5\n2024 001 60 5.6\n",
        {
            "text": {"comment": "#", "delimiter": "space", "names": ["time", "column_2", "column_3", "column_4"]},
            "time": {"columns": ["time", "column_2", "column_3"], "format": "year_doy_seconds"},
            "columns": {"column_4": {}},
        },
    ),
    "date and time of day": (
        "g.tsv",
        "date\tut\tH\n2024-01-01\t00:00:00\t1\n2024-01-01\t00:01:00\t2\n",
        {"time": {"columns": ["date", "ut"]}, "columns": {"H": {}}},
    ),
    "a line of units": (
        "g.csv",
        "# site KIR\ntime,H,n\nUTC,(nT),(wb)\n2024-01-01,1,2\n2024-01-02,2,3\n",
        {
            "text": {"comment": "#", "skip": 3, "names": ["time", "H [nT]", "n"]},
            "time": {"columns": ["time"]},
            "columns": {"H [nT]": {"unit": "nT"}, "n": {}},
        },
    ),
    "IAGA-2002": (
        "kir20240101.dat",
        " Format                 IAGA-2002                                    |\n"
        " Station Name           Kiruna                                       |\n"
        "DATE       TIME         DOY     KIRX      KIRF   |\n"
        "2024-01-01 00:00:00.000 001     10684.13  99999.00\n2024-01-01 00:01:00.000 001     10684.20  99999.00\n",
        {
            "text": {"delimiter": "space", "skip": 3, "names": ["DATE", "TIME", "DOY", "KIRX", "KIRF"]},
            "time": {"columns": ["DATE", "TIME"]},
            "columns": {"KIRX": {"fill": [88888.0, 99999.0]}, "KIRF": {"fill": [88888.0, 99999.0]}},
        },
    ),
    "year, day and hour": (
        "omni.csv",
        "YEAR,DOY,HR,V\n2024,1,0,400\n2024,1,1,410\n",
        {"time": {"columns": ["YEAR", "DOY", "HR"], "format": "%Y %j %H"}, "columns": {"V": {}}},
    ),
    "year and day with a fraction": (
        "g.csv",
        "year,doy,H\n2024,32.0,1\n2024,32.5,2\n",
        {"time": {"columns": ["year", "doy"], "format": "year_doy"}, "columns": {"H": {}}},
    ),
    "a remark between records": (
        "g.csv",
        "time,H\n2024-02-01,1\n# power failure\n2024-02-02,2\n",
        {"text": {"comment": "#"}, "time": {"columns": ["time"]}, "columns": {"H": {}}},
    ),
    "year to minute": (
        "g.csv",
        "year,month,day,hour,minute,H\n2024,1,1,0,0,1\n2024,1,1,0,1,2\n",
        {"time": {"columns": ["year", "month", "day", "hour", "minute"], "format": "%Y %m %d %H %M"}, "columns": {"H": {}}},
    ),
    "a title": (
        "g.csv",
        "Kiruna, January\ntime,H\n2024-01-01,1\n2024-01-02,2\n",
        {"text": {"skip": 2, "names": ["time", "H"]}, "time": {"columns": ["time"]}, "columns": {"H": {}}},
    ),
    "bars, and the time last": (
        "g.csv",
        "a|b|c|when\n1|2|3|2024-01-01\n1|2|4|2024-01-02\n",
        {"text": {"delimiter": "|"}, "time": {"columns": ["when"]}, "columns": {"a": {}, "b": {}, "c": {}}},
    ),
    "YYYY to ss": (
        "g.csv",
        "YYYY,MM,DD,hh,mm,ss,H\n2024,1,1,0,0,0,1\n2024,1,1,0,0,1,2\n",
        {"time": {"columns": ["YYYY", "MM", "DD", "hh", "mm", "ss"], "format": "%Y %m %d %H %M %S"}, "columns": {"H": {}}},
    ),
    "a 29 is the day, the clock in the next column": (
        "g.csv",
        "Datum;Uhrzeit;H\n29.10.2003;00:00:00;1,5\n29.10.2003;00:01:00;2,5\n",
        {
            "text": {"delimiter": ";", "decimal": ","},
            "time": {"columns": ["Datum", "Uhrzeit"], "format": "%d.%m.%Y %H:%M:%S"},
            "columns": {"H": {}},
        },
    ),
    "a 29 behind the month, with the clock": (
        "g.csv",
        "when,H\n10/29/2003 00:00,1\n10/29/2003 00:01,2\n",
        {"time": {"columns": ["when"], "format": "%m/%d/%Y %H:%M"}, "columns": {"H": {}}},
    ),
    "days that their name says": (
        "g.csv",
        "MJD,H\n52941.0,1\n52941.5,2\n",
        {"time": {"columns": ["MJD"], "format": "mjd"}, "columns": {"H": {}}},
    ),
    "IAGA-2002 of two days, in which most records share their date": (
        "kir.dat",
        " Format                 IAGA-2002                                    |\n"
        "DATE       TIME         DOY     KIRX   |\n"
        + "".join(f"2024-01-0{day} {hour:02}:00:00.000 00{day}    10684.{hour:02}\n" for day in (1, 2) for hour in range(24)),
        {
            "text": {"delimiter": "space", "skip": 2, "names": ["DATE", "TIME", "DOY", "KIRX"]},
            "time": {"columns": ["DATE", "TIME"]},
            "columns": {"KIRX": {"fill": [88888.0, 99999.0]}},
        },
    ),
    "a line of units that repeat": (
        "g.csv",
        "time,Bx,By\n(UTC),(nT),(nT)\n2024-01-01T00:00Z,1,2\n2024-01-02T00:00Z,2,3\n",
        {
            "text": {"skip": 2, "names": ["time", "Bx [nT]", "By [nT]"]},
            "time": {"columns": ["time"]},
            "columns": {"Bx [nT]": {"unit": "nT"}, "By [nT]": {"unit": "nT"}},
        },
    ),
    "year, day and hour without names": (
        "g.lst",
        "".join(f"2024 {day:3} {hour:2} {4.5 + hour}\n" for day in (131, 132) for hour in range(24)),
        {
            "format": "csv",
            "text": {"delimiter": "space", "names": ["time", "column_2", "column_3", "column_4"]},
            "time": {"columns": ["time", "column_2", "column_3"], "format": "%Y %j %H"},
            "columns": {"column_4": {}},
        },
    ),
    "a clock of 12 hours": (
        "g.csv",
        "when,H\n10/29/2003 12:30 AM,1\n10/29/2003 12:30 PM,2\n",
        {"time": {"columns": ["when"], "format": "%m/%d/%Y %I:%M %p"}, "columns": {"H": {}}},
    ),
    "thousands, stars and a unit behind a comma": (
        "g.csv",
        'time,n,"p, hPa"\n2024-01-01,"1,234,567",1013\n2024-01-02,"234,567",***\n2024-01-03,"34,567",1012\n',
        {
            "text": {"thousands": ",", "missing": ["***"]},
            "time": {"columns": ["time"]},
            "columns": {"n": {}, "p, hPa": {"unit": "hPa"}},
        },
    ),
    "degrees": (
        "g.csv",
        "time,T [\u00b0C],dir [\u00b0]\n2024-01-01,1,2\n2024-01-02,2,3\n",
        {"time": {"columns": ["time"]}, "columns": {"T [\u00b0C]": {"unit": "\u00b0C"}, "dir [\u00b0]": {"unit": "\u00b0"}}},
    ),
    "nines less than twice as large as the others": (
        "g.csv",
        "time,F\n2024-01-01,53000.5\n2024-01-02,99999\n2024-01-03,53010.5\n",
        {"time": {"columns": ["time"]}, "columns": {"F": {"fill": [99999.0]}}},
    ),
    "milliseconds": (
        "g.csv",
        "epoch,H\n1704067200000,1\n1704067260000,2\n",
        {"time": {"columns": ["epoch"], "format": "epoch_ms"}, "columns": {"H": {}}},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_guessed(case: str, tmp_path: Path, workers: Workers) -> None:
    """Only what differs from the default is said."""
    name, text, expected = CASES[case]
    (tmp_path / name).write_text(text)
    assert guess_description(tmp_path / name, workers).document == expected


def test_parquet(tmp_path: Path, workers: Workers) -> None:
    """Times of the file's own type."""
    pd.DataFrame({"t": pd.date_range("2024-01-01", periods=3), "H": [1.0, 2, 3]}).to_parquet(tmp_path / "g.parquet")
    assert guess_description(tmp_path / "g.parquet", workers).document == {"time": {"columns": ["t"]}, "columns": {"H": {}}}


@pytest.mark.parametrize("text", ["date,H\n01/02/2024,1\n02/02/2024,2\n", "a,b\n1,2\n3,4\n", "t,H\n24-01-01,1\n24-01-02,1\n"])
def test_a_gamble_is_left_to_a_person(text: str, tmp_path: Path, workers: Workers) -> None:
    """Day or month, no time at all, years of two digits."""
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(InputError, match="no column is a time for sure") as caught:
        guess_description(tmp_path / "g.csv", workers)
    assert "--time-format" in caught.value.hint


def test_an_hour_without_a_name_that_may_have_minutes_behind_it_is_asked_about(tmp_path: Path, workers: Workers) -> None:
    """Both ways of reading are named; neither is taken."""
    (tmp_path / "g.txt").write_text("".join(f"2024 131 {hour:2} 30 5.5\n" for hour in range(24)))
    with pytest.raises(InputError, match="no column is a time for sure") as caught:
        guess_description(tmp_path / "g.txt", workers)
    assert "'%Y %j %H', or " in caught.value.hint
    assert "'%Y %j %H %M'" in caught.value.hint


def test_parquet_with_its_times_as_an_index(tmp_path: Path, workers: Workers) -> None:
    """What pandas calls the index is a column of the file."""
    times = pd.date_range("2024-01-01", periods=3, freq="h", tz="UTC", name="t")
    pd.DataFrame({"H": [1.0, 2.0, 3.0], "site": ["a"] * 3}, index=times).to_parquet(tmp_path / "g.parquet")
    assert guess_description(tmp_path / "g.parquet", workers).document == {"time": {"columns": ["t"]}, "columns": {"H": {}}}


def test_which_of_two_orders_is_asked_with_the_columns_to_give(tmp_path: Path, workers: Workers) -> None:
    """What the message says to write is accepted."""
    (tmp_path / "g.csv").write_text("date,ut,H\n01.02.2024,00:00,1\n02.02.2024,00:00,2\n")
    with pytest.raises(InputError, match="the order of day and month is not known") as caught:
        guess_description(tmp_path / "g.csv", workers)
    assert caught.value.hint == "Say which: --time 'date' --time 'ut' --time-format '%d.%m.%Y %H:%M' or '%m.%d.%Y %H:%M'."
    columns, form = ["date", "ut"], "%d.%m.%Y %H:%M"
    given = guess_description(tmp_path / "g.csv", workers, time=columns, time_format=form)
    assert given.document["time"] == {"columns": columns, "format": form}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "time,H\n2016-12-31T23:59:59,1\n2016-12-31T23:59:60,2\n",
            "g.csv, line 3: the time '2016-12-31T23:59:60' is in a leap",
        ),
        ("time,H\n2024-01-01T00:00Z,1\n\n2024-01-01T01:00,2\n", "g.csv, line 4: mixed time zones"),
        ("time,H\n2024-01-01,1\n2024-01-02,2\ntime,H\n2024-01-03,3\n", "g.csv, line 4: the time 'time' has no digits"),
        ("time,H\n2024-01-01,x\n2024-01-02,2\n", "no column of numbers beside its time; line 2: the H 'x' is not a number"),
        ("time,H\n45292.5,1\n45293.5,2\n", "line 2: the time '45292.5' is a bare number"),
        ("year,H\n2024.0847,1\n2024.0875,2\n", "line 2: the time '2024.0847' is a bare number, as decimal years are"),
        ("year,doy,thing\n2024,1,5\n2024,1,6\n", "no column is a time for sure"),
    ],
)
def test_what_keeps_a_file_from_being_read_is_named(text: str, said: str, tmp_path: Path, workers: Workers) -> None:
    """The first line that is not like those before it; what is no count of seconds is not taken for one."""
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(HelioError, match=re.escape(said)):
        guess_description(tmp_path / "g.csv", workers)


def test_names_and_records_under_two_delimiters_are_said(tmp_path: Path, workers: Workers) -> None:
    """Both are named."""
    (tmp_path / "g.csv").write_text("time;H\n2024-01-01,1\n2024-01-02,2\n")
    with pytest.raises(HelioError, match=r"line 2: it has 2 fields(.|\n)*names are separated by ';'"):
        guess_description(tmp_path / "g.csv", workers)


def test_a_table_of_thousands_of_columns_is_not_guessed(tmp_path: Path, workers: Workers) -> None:
    """How many there are is said before any is read."""
    path = tmp_path / "g.csv"
    path.write_text("time," + ",".join(f"c{number}" for number in range(3000)) + "\n2024-01-01" + ",1" * 3000 + "\n")
    with pytest.raises(HelioError, match="it has 3,001 columns, and a guess looks at 2,000 at most"):
        guess_description(path, workers)


def test_no_records_and_no_numbers(tmp_path: Path, workers: Workers) -> None:
    """Each with its message."""
    (tmp_path / "g.csv").write_text("time,H\n")
    with pytest.raises(HelioError, match="holds no records"):
        guess_description(tmp_path / "g.csv", workers)
    (tmp_path / "g.csv").write_text("time,H\n2024-01-01,a\n2024-01-02,b\n")
    with pytest.raises(HelioError, match="no column of numbers"):
        guess_description(tmp_path / "g.csv", workers)


@pytest.mark.parametrize(
    ("paths", "template"),
    [
        (["a/g.csv"], "a/g.csv"),
        (["a/g_20240101.csv", "a/g_20240102.csv"], "a/g_{%Y}{%m}{%d}.csv"),
        (["2024/001_mag.csv", "2025/002_mag.csv"], "{%Y}/{%j}_mag.csv"),
        (["g2023.csv", "g2024.csv"], "g{%Y}.csv"),
        (["g1.csv", "g2.csv"], "g*.csv"),
    ],
)
def test_several_names_become_one_path(paths: list[str], template: str) -> None:
    """By the date in them, or else a star."""
    assert template_of(paths) == template


def test_names_with_nothing_in_common() -> None:
    """Are not one series."""
    with pytest.raises(InputError, match="differ in more than numbers"):
        template_of(["kir.csv", "tro.csv"])


UNITS_SAID = {
    "as helio exports it": "# frame: GSE\n# column Bx GSE [nT]: Bx GSE\n# column n [cm^-3]: density\n"
    "time,Bx GSE,By GSE,Bz GSE,n\n2024-01-01,1,2,3,4\n2024-01-02,1,2,3,5\n",
    "ECSV": "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: time, datatype: string}\n"
    "# - {name: Bx GSE, unit: nT, datatype: float64}\n"
    "# - {name: n, unit: 1 / cm3, datatype: float64}\n# schema: astropy-2.0\n"
    "time,Bx GSE,By GSE,Bz GSE,n\n2024-01-01,1,2,3,4\n2024-01-02,1,2,3,5\n",
}


@pytest.mark.parametrize("case", UNITS_SAID)
def test_units_in_remarks(case: str, tmp_path: Path, workers: Workers) -> None:
    """Those above the records; three columns of one unit alone are a vector, so that here none is."""
    (tmp_path / "g.csv").write_text(UNITS_SAID[case])
    guess = guess_description(tmp_path / "g.csv", workers)
    assert {name: each.get("unit") for name, each in guess.document["columns"].items()} == {
        "Bx GSE": "nT",
        "By GSE": None,
        "Bz GSE": None,
        "n": "cm^-3",
    }
    assert (guess.groups, guess.frames) == ([], {})


@pytest.mark.parametrize(
    ("names", "frame", "shared"),
    [
        (("B_x_gse", "B_y_gse", "B_z_gse"), "GSE", "B_gse"),
        (("Bx GSM", "By GSM", "Bz GSM"), "GSM", "B GSM"),
        (("VR_RTN", "VT_RTN", "VN_RTN"), "RTN", "V_RTN"),
        (("BX", "BY", "BZ"), None, "B"),
        (("Bz_gse", "By_gse", "Bx_gse"), None, "B_gse"),
        (("Bx_gse", "By_gse", "Vz_gse"), None, "_gse"),
    ],
)
def test_a_vector_is_known_by_its_components_and_their_frame(
    names: tuple[str, ...], frame: str | None, shared: str, tmp_path: Path, workers: Workers
) -> None:
    """In this order, in a row, of one unit; without a frame the columns stay apart."""
    head = ",".join(["time", *(f"{name} [nT]" for name in names), "n [cm^-3]"])
    (tmp_path / "g.csv").write_text(f"{head}\n2024-01-01,1,2,3,4\n2024-01-02,1,2,3,5\n")
    guess = guess_description(tmp_path / "g.csv", workers)
    whole = [f"{name} [nT]" for name in names]
    assert guess.groups == ([whole, ["n [cm^-3]"]] if frame else [])
    assert guess.frames == ({whole[0]: frame} if frame else {})
    assert shared_name(names) == shared


@pytest.mark.parametrize(
    ("names", "bins"),
    [
        (["10 keV", "20 keV", "40 keV", "80 keV", "160 keV"], {"unit": "keV", "scale": "log"}),
        (["P_1.5Hz", "P_2.5Hz", "P_3.5Hz", "P_4.5Hz", "P_5.5Hz"], {"unit": "Hz", "name": "P"}),
        (
            ["j 10 keV [counts]", "j 8 keV [counts]", "j 6 keV [counts]", "j 4 keV [counts]", "j 2 keV [counts]"],
            {"unit": "keV", "name": "j"},
        ),
        (["10 keV", "20 keV", "40 keV", "80 keV"], None),
        (["10 keV", "20 keV", "15 keV", "80 keV", "90 keV"], None),
        (["B1", "B2", "B3", "B4", "B5"], None),
        (["10 abc", "20 abc", "40 abc", "80 abc", "160 abc"], None),
    ],
)
def test_columns_named_by_bins_are_a_spectrogram(
    names: list[str], bins: dict[str, Any] | None, tmp_path: Path, workers: Workers
) -> None:
    """Five or more that differ in a number with a unit, in order; the other columns stay by themselves."""
    rows = "".join(f"2024-01-0{day},{','.join('1.5' for _ in names)},7\n" for day in (1, 2))
    (tmp_path / "g.csv").write_text(f"time,{','.join(names)},L\n{rows}")
    guess = guess_description(tmp_path / "g.csv", workers)
    if bins is None:
        assert guess.bins == {}
        return
    found = {key: value for key, value in guess.bins[names[0]].items() if key != "values"}
    assert found == bins
    assert guess.bins[names[0]]["values"] == [float(re.search(r"[\d.]+", each)[0]) for each in names]  # type: ignore[index]
    assert guess.groups == [names, ["L"]]


def test_units_in_the_metadata_of_parquet(tmp_path: Path, workers: Workers) -> None:
    """Of each field, as Arrow's own writers keep them."""
    table = pa.table({"t": pd.date_range("2024-01-01", periods=3), "H": [1.0, 2, 3]})
    schema = pa.schema([table.schema.field("t"), table.schema.field("H").with_metadata({"units": "nT"})])
    pq.write_table(table.cast(schema), tmp_path / "g.parquet")
    assert guess_description(tmp_path / "g.parquet", workers).document["columns"] == {"H": {"unit": "nT"}}
