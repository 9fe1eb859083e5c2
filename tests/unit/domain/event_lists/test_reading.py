"""Lists of events in the forms in which they are published; what pandas and astropy write is the second opinion."""

from __future__ import annotations

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from astropy.io.votable import parse_single_table
from astropy.io.votable.tree import Resource, TableElement, VOTableFile
from astropy.table import Table as AstropyTable

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.event_lists.reading import read_list_text
from helio_dagster.domain.event_table import EventTableError, ReadEvents, list_text, read_listed

STARTS = ["2003-10-29T06:11Z", "2022-05-26T20:10Z"]
STOPS = ["2003-10-30T03:00Z", "2022-05-28T01:10Z"]
ICMECAT = pd.DataFrame(
    {
        "icmecat_id": ["ICME_Wind_MOESTL_20220526_01", "ICME_Wind_NASA_20031029_01"],
        "sc_insitu": ["Wind", "Wind"],
        "icme_start_time": STARTS[::-1],
        "mo_start_time": ["2022-05-27T01:10Z", "2003-10-29T11:00Z"],
        "mo_end_time": STOPS[::-1],
        "mo_sc_heliodistance": [1.0, 0.99],
        "mo_bmax": [12.3, np.nan],
        "mo_density_mean": [5.5, 1.5],
    }
)
EVENTS = [
    (STARTS[0], STARTS[0], STOPS[0], (5.5, -1e31), "a"),
    (STARTS[1], STARTS[1], STOPS[1], (6.5, 7.5), "b"),
]
HAPI = {
    "HAPI": "3.2",
    "parameters": [
        {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": 20},
        {"name": "peak", "type": "isotime", "units": "UTC", "fill": None, "length": 20},
        {"name": "stopTime", "type": "isotime", "units": "UTC", "fill": None, "length": 20},
        {"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "size": [2]},
        {"name": "id", "type": "string", "units": None, "fill": "", "length": 8},
    ],
    "data": EVENTS,
}
AMDA = """\
# Name : strong_shocks;
# Creation Date : 2013-06-05T09:12:01;
# Description : shocks at L1, by eye;
2003-10-29T06:11:00 2003-10-30T03:00:00
2022-05-26T20:10:00 2022-05-28T01:10:00
"""


def read(text: str, **columns: str) -> ReadEvents:
    """The list in a file."""
    return read_listed(list_text(text, "lists/x.txt", **columns))


def votable() -> str:
    """A time table as AMDA writes it, written by astropy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # AMDA's names have blanks
        rows = AstropyTable({"Start Time": STARTS, "Stop Time": STOPS, "density": [1.5, 2.5]})
        file = VOTableFile()
        file.resources.append(Resource())
        table = TableElement.from_table(file, rows)
        file.resources[0].tables.append(table)
        marks = (("TimeIntervalStart", "time.start"), ("TimeIntervalStop", "time.end"), ("n", None))
        for field, (name, ucd) in zip(table.fields, marks, strict=True):
            field.ID, field.ucd = name, ucd
        table.fields[2].unit = "cm-3"
        table.format = "tabledata"
        written = io.BytesIO()
        file.to_xml(written)
    return written.getvalue().decode()


def hapi_csv() -> str:
    """The same answer as CSV with header."""
    described = json.dumps({**HAPI, "data": None}, indent=1)
    header = "".join(f"#{line}\n" for line in described.splitlines())
    rows = [f"{a},{b},{c},{x},{y},{name}\n" for a, b, c, (x, y), name in EVENTS]
    return header + "".join(rows)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (ICMECAT.to_csv(), "HELIO4CAST ICMECAT (CSV)"),
        (ICMECAT.to_csv(index=False, sep=";"), "HELIO4CAST ICMECAT (CSV with semicolons)"),
        (ICMECAT.to_json(), "HELIO4CAST ICMECAT (JSON columns)"),
        (ICMECAT.to_json(orient="records"), "HELIO4CAST ICMECAT (JSON records)"),
        (ICMECAT.to_json(orient="split"), "HELIO4CAST ICMECAT (JSON by rows)"),
        (AMDA, "AMDA time table"),
        (AMDA.replace("\n", "\r\n"), "AMDA time table"),
        (votable(), "VOTable"),
        (json.dumps(HAPI), "HAPI JSON"),
        (hapi_csv(), "HAPI CSV"),
        ("".join(f"{a}\t{b}\n" for a, b in zip(STARTS, STOPS, strict=True)), "start and stop a line"),
        ("".join(f"{a}, {b}, storm\n" for a, b in zip(STARTS, STOPS, strict=True)), "start and stop a line"),
        (
            "".join(f"{a[:10]} {a[11:]} {b[:10]} {b[11:]} a storm, big\n" for a, b in zip(STARTS, STOPS, strict=True)),
            "start and stop a line",
        ),
        ("start stop label\n" + "".join(f"{a} {b} x\n" for a, b in zip(STARTS, STOPS, strict=True)), "start and stop a line"),
        ("2003-302T06:11Z 2003-303T03:00Z\n2022-146T20:10Z 2022-148T01:10Z\n", "start and stop a line"),
    ],
)
def test_each_form_gives_the_same_events(text: str, form: str) -> None:
    """Its start and stop, in order of time, and it says which form it took."""
    found = read(text)
    assert f"read as {form}: 2 events" in found.summary
    stop = found.table.meta.role_name("stop") or next(name for name in found.table.columns if name.lower() == "stop")
    assert found.table.time.tolist() == np.array([each[:-1] for each in STARTS], "datetime64[ns]").tolist()
    assert found.table.columns[stop].tolist() == np.array([each[:-1] for each in STOPS], "datetime64[ns]").tolist()


def test_icmecat_columns_have_units_and_an_id() -> None:
    """As its header file says; what is not known is NaN, and the index of pandas is no column."""
    table = read(ICMECAT.to_csv()).table
    units = {column.name: column.unit for column in table.meta.columns}
    assert (units["mo_bmax"], units["mo_density_mean"], units["mo_sc_heliodistance"]) == ("nT", "cm^-3", "AU")
    assert table.meta.role_name("id") == "icmecat_id"
    assert np.isnan(table.columns["mo_bmax"][0])
    assert table.columns["mo_bmax"][1] == 12.3
    assert len(table.columns) == len(ICMECAT.columns) - 1


def test_named_columns_are_taken() -> None:
    """The magnetic obstacle instead of the whole ICME; in any case."""
    found = read(ICMECAT.to_json(), start="MO_start_time", stop="mo_end_time", id_column="icmecat_id")
    assert str(found.table.time[0]) == "2003-10-29T11:00:00.000000000"
    assert "icme_start_time" in found.table.columns
    with pytest.raises(EventTableError, match="no column 'mo_stop_time'") as caught:
        read(ICMECAT.to_json(), stop="mo_stop_time")
    assert "mo_start_time" in caught.value.hint


def test_hapi_fills_are_missing_and_arrays_are_columns() -> None:
    """With the unit of the parameter."""
    for text in (json.dumps(HAPI), hapi_csv()):
        table = read(text).table
        assert np.isnan(table.columns["B_1"][0])
        assert table.columns["B_0"].tolist() == [5.5, 6.5]
        assert {column.name: column.unit for column in table.meta.columns}["B_0"] == "nT"
        assert table.columns["id"].tolist() == ["a", "b"]


def test_a_votable_is_read_as_astropy_reads_it() -> None:
    """Values and units of the other columns."""
    table = read(votable()).table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = parse_single_table(io.BytesIO(votable().encode()))
    assert table.columns["density"].tolist() == theirs.array["n"].tolist()
    assert {column.name: column.unit for column in table.meta.columns}["density"] == "cm^-3"


def test_the_order_of_rows_does_not_matter() -> None:
    """Also of those that begin at one time."""
    rows = ["2003-10-29,2003-10-31,b", "2003-10-29,2003-10-30,c", "2003-10-29,2003-10-30,a", "2001-01-01,2001-01-02,d"]
    found = [read("start,stop,name\n" + "\n".join(some)).table for some in (rows, rows[::-1])]
    assert [each.columns["name"].tolist() for each in found] == [["d", "a", "c", "b"]] * 2


@pytest.mark.parametrize(
    "times",
    [
        "2003/10/29 06:11:00 2003/10/30 03:00:00",
        "2003 10 29 06 11 00 2003 10 30 03 00 00",
        "2003-10-29 06:11:00 2003-10-30 03:00:00",
        "2003-302 06:11:00 2003-303 03:00",
    ],
)
def test_times_in_parts_are_read_whole(times: str) -> None:
    """With the separators that AMDA's help names; a time of day after a day of the year belongs to it."""
    for label in ("", " shock"):
        table = read(times + label + "\n").table
        assert str(table.time[0]) == "2003-10-29T06:11:00.000000000"
        assert str(table.columns["stop"][0]) == "2003-10-30T03:00:00.000000000"


def test_days_of_the_year_in_an_amda_table_are_refused() -> None:
    """AMDA counts them from 0, others from 1: neither is guessed."""
    with pytest.raises(EventTableError, match="counts from 0") as caught:
        read(AMDA.replace("2022-05-26T20:10:00", "2022-145T20:10:00"))
    assert caught.value.hint


def test_an_amda_catalog_names_its_columns() -> None:
    """In comments, as AMDA's help describes them: id, name, size and type."""
    listed = read_list_text(
        "# Test catalog; \n# Name: by_eye; \n# Creation Date: 2019-09-01T08:11:53;\n"
        "# Parameter 1: id:speed; name:Shock speed; size:1; type:float;\n"
        "# Parameter 2: id:mach; name:Mach number; size:1; type:int; \n"
        "2003-10-29T06:11:00 2003-10-30T03:00:00 1850.5 3\n2022-05-26T20:10:00 2022-05-28T01:10:00 520 2\n"
    )
    assert (listed.form, listed.names) == ("AMDA catalog", ["start", "stop", "speed", "mach"])
    assert listed.columns[2].label == "Shock speed"
    assert [list(cells[2:]) for _, cells in listed.rows] == [["1850.5", "3"], ["520", "2"]]


def test_times_without_a_zone_are_utc_and_said() -> None:
    """Dates need none; with a zone nothing is said, and other zones are converted."""
    assert "taken as UTC" in read(AMDA).summary
    assert "taken as UTC" not in read("2003-10-29 2003-10-30\n").summary
    zoned = read("2003-10-29T06:00+02:00 2003-10-30T00:00Z\n")
    assert "taken as UTC" not in zoned.summary
    assert str(zoned.table.time[0]) == "2003-10-29T04:00:00.000000000"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("<html/>", "not a VOTable"),
        ("<VOTABLE><RESOURCE>", "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><VOTABLE>&a;</VOTABLE>', "document type or entities"),
        ("<VOTABLE><RESOURCE><TABLE><FIELD name='t'/><DATA><BINARY/></DATA></TABLE></RESOURCE></VOTABLE>", "as BINARY"),
        ("<VOTABLE><RESOURCE><TABLE><FIELD name='t'/></TABLE></RESOURCE></VOTABLE>", "no row"),
        ("[]", "no event"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": 5}', "not a list of events"),
        ('{"a": {"0": 1}, "b": {"1": 1}}', "different rows"),
        ('[{"start": 1067407860000}]', "not a time"),
        ('[{"start": [1]}]', "itself a list"),
        ('{"parameters": [{"name": "Time"}], "data": [["2003-10-29", 5]]}', "2 values"),
        ('{"parameters": [{"name": "Time"}], "data": []}', "no event"),
        ("#{}\n2003-10-29\n", "names no parameters"),
        ("2003-10-29 2003-10-30\nlater on\n", "'later on' is not an event"),
        ("2003-10-29 2003-10-30\n2003-11-29 2003-11-28\n", "stop is not after"),
        ("2003-10-29 2003-10-30\n2003-10-29 2003-10-30\n", "same event as in line 1"),
        ("2003-10-29 2003-10-30\n2003-13-29 2003-10-30\n", "'2003-13-29' in column 'start' is not a time"),
    ],
)
def test_what_is_no_list_is_said(text: str, words: str) -> None:
    """With the line or row, and what to do."""
    with pytest.raises(EventTableError, match=words) as caught:
        read(text)
    assert caught.value.hint
    assert caught.value.where


def test_a_file_that_is_no_text_is_refused() -> None:
    """With the line of the first control character."""
    with pytest.raises(InputError, match="line 2 holds a control character"):
        read("start\n2003-10-29\x00\n")
