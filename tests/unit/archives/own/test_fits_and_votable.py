"""FITS tables and VOTables of one's own, written by astropy: the values that astropy reads, and headers that lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from astropy.table import Table as AstropyTable
from astropy.time import Time

from helio_dagster.archives.own.guessing import guess_description
from helio_dagster.domain.errors import InputError, OwnFileError
from helio_dagster.domain.table import Table
from helio_dagster.resources.workers import Workers
from tests.unit.archives.own.days import day

Read = Callable[..., Table]
UTC_HOURS = np.datetime64("2024-01-01") + np.arange(48) * np.timedelta64(3600, "s")


@pytest.fixture
def flux(folder: Path) -> Path:
    """Two days of hours in Terrestrial Time since a day of 1998, with vectors, integers with a null, and texts."""
    reference = Time(50814.0, format="mjd", scale="tt")
    seconds = (Time(UTC_HOURS, scale="utc").tt - reference).to_value("s")
    columns = [
        fits.Column("TIME", "D", unit="s", array=seconds),
        fits.Column("B", "3E", unit="nT", array=np.arange(144, dtype="f4").reshape(48, 3)),
        fits.Column("COUNTS", "I", null=-9, array=np.where(np.arange(48) == 5, -9, np.arange(48)).astype("i2")),
        fits.Column("QUALITY", "4A", array=["good"] * 48),
    ]
    made = fits.BinTableHDU.from_columns(columns, name="RATE")
    made.header["MJDREFI"], made.header["MJDREFF"], made.header["TIMESYS"] = 50814, 0.0, "TT"
    fits.HDUList([fits.PrimaryHDU(np.zeros((4, 4))), fits.BinTableHDU.from_columns(columns[:1], name="GTI"), made]).writeto(
        folder / "g.fits"
    )
    for key, value in (("TSCAL3", 0.5), ("TZERO3", 10.0)):
        fits.setval(folder / "g.fits", key, value=value, ext=2)
    return folder / "g.fits"


def test_a_table_in_terrestrial_time(flux: Path, read: Read) -> None:
    """The second day's vectors, at the UTC that astropy's leap seconds give."""
    columns = {f"B_{place}": {"unit": "nT"} for place in (1, 2, 3)}
    table = read(day(2), file="g.fits", table="RATE", time={"columns": "TIME"}, columns=columns)
    assert (table.time == UTC_HOURS[24:].astype("datetime64[ns]")).all()
    assert np.column_stack([*table.columns.values()]).tolist() == np.arange(144).reshape(48, 3)[24:].tolist()


def test_scaled_numbers_and_nulls(flux: Path, read: Read) -> None:
    """A null is missing; a table may be named by its number."""
    table = read(day(1), file="g.fits", table="2", time={"columns": "TIME"}, columns={"COUNTS": {}})
    expected = np.arange(24) * 0.5 + 10
    expected[5] = np.nan
    np.testing.assert_allclose(table.columns["COUNTS"], expected)


def test_the_proposal_of_a_fits_file(flux: Path, workers: Workers) -> None:
    """Of the first table; the reference is written as a date on its clock."""
    with fits.open(flux, mode="update") as hdus:
        del hdus["GTI"]
    guess = guess_description(flux, workers)
    assert guess.groups == [["B_1", "B_2", "B_3"], ["COUNTS"]]
    assert guess.notes[0] == "time: TIME, seconds since 1998-01-01 00:00:00.000000 TT, by the file's own attributes"


HEADERS = {
    "more records than bytes": ("NAXIS2", 10**15, "claims 1,000,000,000,000,000 records of 26 bytes"),
    "other width": ("NAXIS1", 8, "its columns make records of 26 bytes, and NAXIS1 says 8"),
    "negative": ("NAXIS2", -5, "NAXIS2 in the table's header is -5"),
    "no type": ("TFORM2", "9223372036854775807E", "TFORM2 in the table's header is"),
    "no clock": ("TIMESYS", "TDB", "TIMESYS is TDB, which is not read"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_header_that_lies(case: str, flux: Path, read: Read) -> None:
    """One message; nothing of the size it claims is allocated."""
    key, value, problem = HEADERS[case]
    content = flux.read_bytes()
    place = content.index(f"{key:8}=".encode(), content.index(b"'RATE    '") - 2880)
    card = f"{key:8}= {value!r:>20}".ljust(80).encode()
    flux.write_bytes(content[:place] + card + content[place + 80 :])
    with pytest.raises(OwnFileError, match=problem):
        read(day(1), file="g.fits", table="2", time={"columns": "TIME"}, columns={"COUNTS": {}})


AXES = {
    "of exabytes": {"NAXIS": "2", "NAXIS1": str(1 << 61), "NAXIS2": str(1 << 61)},
    "a thousand axes": {"NAXIS": "999"},
    "of a negative length": {"NAXIS": "2", "NAXIS1": "-8"},
    "counted in words": {"NAXIS": "'many'"},
    "of groups beyond counting": {"NAXIS": "1", "NAXIS1": "8", "GCOUNT": str(1 << 61), "PCOUNT": str(1 << 61)},
}


@pytest.mark.parametrize("case", AXES)
def test_absurd_axes_before_the_table(case: str, flux: Path, read: Read) -> None:
    """An image whose header claims what cannot be: one message, or the table behind it is not found; nothing is allocated."""
    cards = {"SIMPLE": "T", "BITPIX": "8", **AXES[case]}
    header = "".join(f"{key:8}= {value:>20}".ljust(80) for key, value in cards.items()) + "END".ljust(80)
    content = flux.read_bytes()
    primary = header.ljust(2880).encode()
    flux.write_bytes(primary + content[2880:])
    with pytest.raises(OwnFileError, match=r"g\.fits") as error:
        read(day(1), file="g.fits", table="2", time={"columns": "TIME"}, columns={"COUNTS": {}})
    assert error.value.hint


def test_a_table_is_chosen_for_the_proposal(flux: Path, workers: Workers) -> None:
    """By its name or number; a name that is not there is answered with those that are."""
    for table in ("RATE", "2"):
        assert guess_description(flux, workers, table=table).document["table"] == table
    with pytest.raises(OwnFileError, match="no binary table 'RATES'") as error:
        guess_description(flux, workers, table="RATES")
    assert "RATE" in error.value.hint


@pytest.mark.parametrize("form", ["tabledata", "binary2"])
def test_a_votable(folder: Path, read: Read, workers: Workers, form: str) -> None:
    """Times as text, units by the file; a masked value is missing."""
    made = AstropyTable({"obstime": UTC_HOURS.astype(str), "H": np.ma.masked_equal(np.arange(48.0), 3)}, units={"H": "nT"})
    made.write(folder / "g.vot", format="votable", tabledata_format=form)
    table = read(day(1), file="g.vot", time={"columns": "obstime"})
    assert np.isnan(table.columns["H"][3])
    assert np.delete(table.columns["H"], 3).tolist() == [*range(3), *range(4, 24)]
    guess = guess_description(folder / "g.vot", workers)
    assert guess.document == {"time": {"columns": ["obstime"]}, "columns": {"H": {"unit": "nT"}}}


def test_days_of_a_votable_that_their_name_says(folder: Path, workers: Workers) -> None:
    """A number called MJD is one where it can be."""
    made = AstropyTable({"mjd": 52941 + np.arange(4) / 4, "H": np.arange(4.0)}, units={"mjd": "d", "H": "nT"})
    made.write(folder / "g.vot", format="votable")
    guess = guess_description(folder / "g.vot", workers)
    assert guess.document == {"time": {"columns": ["mjd"], "format": "mjd"}, "columns": {"H": {"unit": "nT"}}}


def test_arrays_of_varying_length_are_named(folder: Path, workers: Workers) -> None:
    """In a FITS table and in a VOTable: they are not called texts, and not read."""
    arrays = np.empty(2, dtype=object)
    arrays[:] = [np.array([1.0]), np.array([1.0, 2.0])]
    columns = [fits.Column("MJD", "D", unit="mjd", array=[60341.0, 60342.0]), fits.Column("H", "PD()", array=arrays)]
    fits.BinTableHDU.from_columns(columns).writeto(folder / "g.fits")
    AstropyTable({"obstime": UTC_HOURS[:2].astype(str), "H": arrays}).write(folder / "g.vot", format="votable")
    for name in ("g.fits", "g.vot"):
        with pytest.raises(InputError, match="no column of numbers") as error:
            guess_description(folder / name, workers)
        assert "H has arrays of varying length" in error.value.hint


def test_a_votable_with_a_time_system(folder: Path, read: Read) -> None:
    """Days since MJD 0 in TT: noon of the 1st of January is 69.184 s later there."""
    days = float(Time("2024-01-01T12:00:00", scale="utc").tt.mjd)
    (folder / "g.vot").write_text(f"""<?xml version="1.0"?>
<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE>
<TIMESYS ID="clock" timeorigin="MJD-origin" timescale="TT" refposition="GEOCENTER"/>
<TABLE><FIELD name="t" datatype="double" unit="d" ref="clock"/><FIELD name="H" datatype="double" unit="nT"/>
<DATA><TABLEDATA><TR><TD>{days!r}</TD><TD>1.5</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>""")
    table = read(day(1), file="g.vot", time={"columns": "t"})
    assert abs(table.time[0] - np.datetime64("2024-01-01T12:00:00", "ns")) <= np.timedelta64(2, "us")


STREAM = '<FIELD name="t" datatype="char" arraysize="*"/><DATA><BINARY><STREAM href="file:///etc/passwd"/></BINARY></DATA>'
BAD_XML = {
    "elsewhere": (f'<?xml version="1.0"?><VOTABLE><RESOURCE><TABLE>{STREAM}</TABLE></RESOURCE></VOTABLE>', "in another place"),
    "entities": (
        '<?xml version="1.0"?><!DOCTYPE V [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><VOTABLE>&b;</VOTABLE>',
        "defines a document type",
    ),
    "depth": ("<VOTABLE>" + "<RESOURCE>" * 500 + "</RESOURCE>" * 500 + "</VOTABLE>", "nested over 40 deep"),
    "cut off": ('<?xml version="1.0"?><VOTABLE><RESOURCE>', "not sound XML"),
    "no table": ('<?xml version="1.0"?><VOTABLE><RESOURCE/></VOTABLE>', "it holds no table"),
}


@pytest.mark.parametrize("case", BAD_XML)
def test_a_votable_that_is_not_read(case: str, folder: Path, read: Read) -> None:
    """One message, before a library acts on it."""
    text, problem = BAD_XML[case]
    (folder / "g.vot").write_text(text)
    with pytest.raises(OwnFileError, match=problem):
        read(day(1), file="g.vot", time={"columns": "t"})
