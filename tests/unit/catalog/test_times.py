"""Time phrases inside sentences."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from astropy.coordinates import GeocentricTrueEcliptic, get_sun
from astropy.time import Time
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.times.phrases import find_span, read_range
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("for 2023-01-02", "2023-01-02 to 2023-01-03"),
        ("on January 2nd, 2023", "2023-01-02 to 2023-01-03"),
        ("on the 2nd of January 2023", "2023-01-02 to 2023-01-03"),
        ("29.10.2003", "2003-10-29 to 2003-10-30"),
        ("in 2017 September", "2017-09-01 to 2017-10-01"),
        ("on 2003 Oct 29", "2003-10-29 to 2003-10-30"),
        ("the first week of May 2024", "2024-05-01 to 2024-05-08"),
        ("in the first half of 2012", "2012-01-01 to 2012-07-01"),
        ("the last quarter of 2012", "2012-10-01 to 2013-01-01"),
        ("during the second half of March 2015", "2015-03-16 to 2015-04-01"),
        ("the last three days of February 2024", "2024-02-27 to 2024-03-01"),
        ("04/13/2023", "2023-04-13 to 2023-04-14"),
        ("2003-302", "2003-10-29 to 2003-10-30"),
        ("in October 2003", "2003-10-01 to 2003-11-01"),
        ("in 2003", "2003-01-01 to 2004-01-01"),
        ("2003-2005", "2003-01-01 to 2006-01-01"),
        ("May 10-13 2024", "2024-05-10 to 2024-05-14"),
        ("May 10–13, 2024", "2024-05-10 to 2024-05-14"),
        ("10-13 May 2024", "2024-05-10 to 2024-05-14"),
        ("May 10 through 13, 2024", "2024-05-10 to 2024-05-14"),
        ("from May 10 to May 13 2024", "2024-05-10 to 2024-05-14"),
        ("1 to 5 March 2013", "2013-03-01 to 2013-03-06"),
        ("from 14 to 17 July 2012", "2012-07-14 to 2012-07-18"),
        ("between 3 and 5 May 2003", "2003-05-03 to 2003-05-06"),
        ("between March 3 and March 5, 2003", "2003-03-03 to 2003-03-06"),
        ("from 30 December to 2 January 2024", "2023-12-30 to 2024-01-03"),
        ("22 and 23 June 2015", "2015-06-22 to 2015-06-24"),
        ("2015-06-22 and 23", "2015-06-22 to 2015-06-24"),
        ("2023-01-02 until 2023-01-05", "2023-01-02 to 2023-01-05"),
        ("May 30 - June 2 2024", "2024-05-30 to 2024-06-03"),
        ("Dec 30 - Jan 2, 2024", "2023-12-30 to 2024-01-03"),
        ("from 2023-01-02 to 2023-01-05", "2023-01-02 to 2023-01-05"),
        ("2023-01-02 through 2023-01-05", "2023-01-02 to 2023-01-06"),
        ("2023-01-02 to 2023-01-05 inclusive", "2023-01-02 to 2023-01-06"),
        ("between 2023-01-02 and 2023-01-05", "2023-01-02 to 2023-01-05"),
        ("2003-10-29 06:00 to 12:00", "2003-10-29T06:00Z to 2003-10-29T12:00Z"),
        ("from 6:00 to 12:00 UT on 2003-10-29", "2003-10-29T06:00Z to 2003-10-29T12:00Z"),
        ("2003-10-29T06:00 until 2003-10-30T06:00", "2003-10-29T06:00Z to 2003-10-30T06:00Z"),
        ("October through December 2003", "2003-10-01 to 2004-01-01"),
        ("last week", "2026-03-03 to 2026-03-10"),
        ("over the last 3 days", "2026-03-07 to 2026-03-10"),
        ("yesterday", "2026-03-09 to 2026-03-10"),
        ("since 2026-03-01", "2026-03-01 to 2026-03-10"),
        ("during the Halloween storm of 2003", "2003-10-28 to 2003-11-01"),
        ("Bastille Day event", "2000-07-14 to 2000-07-17"),
        ("the St. Patrick’s Day storm 2015", "2015-03-17 to 2015-03-19"),
        ("the Gannon storm", "2024-05-10 to 2024-05-13"),
        ("Mother's Day storm of May 2024", "2024-05-10 to 2024-05-13"),
        ("DOY 131-133 2024", "2024-05-10 to 2024-05-13"),
        ("2024 DOY 131-133", "2024-05-10 to 2024-05-13"),
        ("2024/131", "2024-05-10 to 2024-05-11"),
        ("2003.10.29", "2003-10-29 to 2003-10-30"),
        ("20031029", "2003-10-29 to 2003-10-30"),
        ("on day 10 of 1996", "1996-01-10 to 1996-01-11"),
        ("2012-03-07 to 09", "2012-03-07 to 2012-03-09"),
        ("8 Sept 2015, 9-12 UT", "2015-09-08T09:00Z to 2015-09-08T12:00Z"),
        ("1996-12-10 0600-0900", "1996-12-10T06:00Z to 1996-12-10T09:00Z"),
        ("2008-11-03 00-06", "2008-11-03 to 2008-11-03T06:00Z"),
        ("26 feb 2008 from 04:30 for 1 hour", "2008-02-26T04:30Z to 2008-02-26T05:30Z"),
        ("from 2020 until now", "2020-01-01 to 2026-03-10"),
        ("2012-03-07..2012-03-10", "2012-03-07 to 2012-03-10"),
        ("day 15 of May 1997", "1997-05-15 to 1997-05-16"),
        ("8 Sept 2015 9am to 3pm", "2015-09-08T09:00Z to 2015-09-08T15:00Z"),
        ("2003-10-29 0600-1200 UT", "2003-10-29T06:00Z to 2003-10-29T12:00Z"),
        ("between 10:00 and 14:00 on the 26th of January 2001", "2001-01-26T10:00Z to 2001-01-26T14:00Z"),
        ("29 Oct 5:00 to 30 Oct 9:00 2003", "2003-10-29T05:00Z to 2003-10-30T09:00Z"),
        ("on 22 June 2015 22:00 to 04:00 UT", "2015-06-22T22:00Z to 2015-06-23T04:00Z"),
        ("in January and February 2008", "2008-01-01 to 2008-03-01"),
        ("Q1 2012", "2012-01-01 to 2012-04-01"),
        ("2012 Q4", "2012-10-01 to 2013-01-01"),
        ("in summer 2015", "2015-06-01 to 2015-09-01"),
        ("29. Oktober 2003", "2003-10-29 to 2003-10-30"),
        ("vom 28. bis 31. Oktober 2003", "2003-10-28 to 2003-11-01"),
        ("du 28 au 31 octobre 2003", "2003-10-28 to 2003-11-01"),
        ("29 de octubre de 2003", "2003-10-29 to 2003-10-30"),
        ("at 06:00 on 2003-10-29", "2003-10-29T05:00Z to 2003-10-29T07:00Z"),
        ("2003-10-29T06:00", "2003-10-29T05:00Z to 2003-10-29T07:00Z"),
        ("between 15:00 on 10 Oct 2024 and 06:00 on 11 Oct 2024", "2024-10-10T15:00Z to 2024-10-11T06:00Z"),
        ("from 3pm on 10 Oct to 6am on 11 Oct 2024", "2024-10-10T15:00Z to 2024-10-11T06:00Z"),
        ("15:00 UT on 31 Dec 2024 to 06:00 the next day", "2024-12-31T15:00Z to 2025-01-01T06:00Z"),
        ("zwischen 15:00 am 10. Oktober 2024 und 06:00 am 11. Oktober 2024", "2024-10-10T15:00Z to 2024-10-11T06:00Z"),
        ("8 Sept 2015, 090030-120015 UT", "2015-09-08T09:00:30Z to 2015-09-08T12:00:15Z"),
        ("8 Sept 2015, 9:00:05-12 UT", "2015-09-08T09:00:05Z to 2015-09-08T12:00Z"),
        ("del 28 al 31 de octubre de 2003", "2003-10-28 to 2003-11-01"),
        ("entre el 28 y el 31 de octubre de 2003", "2003-10-28 to 2003-11-01"),
        ("desde el 28 de octubre hasta el 2 de noviembre de 2003", "2003-10-28 to 2003-11-03"),
        ("entre le 28 et le 31 octobre 2003", "2003-10-28 to 2003-11-01"),
        ("in February this year", "2026-02-01 to 2026-03-01"),
        ("on 5 February last year", "2025-02-05 to 2025-02-06"),
        ("Q1 of last year", "2025-01-01 to 2025-04-01"),
        ("octubre del año pasado", "2025-10-01 to 2025-11-01"),
        ("last March", "2025-03-01 to 2025-04-01"),
        ("last February", "2026-02-01 to 2026-03-01"),
        ("this March", "2026-03-01 to 2026-04-01"),
        ("last summer", "2025-06-01 to 2025-09-01"),
        ("during solar cycle 24", "2008-12-01 to 2019-12-01"),
    ],
)
def test_a_phrase_names_its_range_and_itself(phrase: str, expected: str) -> None:
    """The range is resolved, and exactly the words that name it are marked."""
    request = f"ACE and Wind magnetic field {phrase} please"
    found = find_span(request, NOW)
    assert found is not None
    assert (str(found.span), found.words) == (expected, phrase)
    assert request[found.first : found.last] == phrase


@pytest.mark.parametrize(
    ("phrase", "choices"),
    [
        ("03/04/2023", 2),
        ("May 10", 3),
        ("May 10-13", 3),
        ("February 29", 3),
        ("around 2003-10-29", 3),
        ("around March 2015", 1),
        ("winter 2015", 2),
        ("29 Oct 5:00 to 30 Oct 9:00", 3),
        ("9-12 UT on 29 Oct", 3),
        ("DOY 131", 3),
        ("the week of 17 March 2015", 2),
        ("from 2003-10-29", 2),
        ("the St Patrick's Day storm", 2),
        ("last few days", 2),
    ],
)
def test_an_ambiguous_phrase_is_a_question_with_answers_that_work(phrase: str, choices: int) -> None:
    """Every offered answer, put in place of the words, names a range."""
    request = f"ACE speed {phrase}"
    found = find_span(request, NOW)
    assert found is not None
    assert found.span is None
    assert found.question
    assert len(found.choices) == choices
    for choice in found.choices:
        answered = find_span(request.replace(found.words, choice), NOW)
        assert answered is not None
        assert answered.span is not None


@pytest.mark.parametrize(
    "request_text",
    ["ACE magnetic field", "10-minute mean of |B|", "AC_H0_MFI", "16-second data", "Mars", "at 5 au", "2003-10-29x", ""],
)
def test_other_numbers_are_no_times(request_text: str) -> None:
    """Durations, ids and cadences are left to others."""
    assert find_span(request_text, NOW) is None


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("the Carrington event", "before the space age"),
        ("in 1859", "outside 1900"),
        ("2023-02-30", "28 days"),
        ("the fourth half of 2012", "is not a range"),
        ("the first fifty days of May 2012", "is not a range"),
        ("31 June 2023", "30 days"),
        ("from 2023-01-05 to 2023-01-02", "not after"),
        ("2003-10-29 06:00 EST", "Times are UTC"),
        ("PSP encounter 99", "no known encounter 99"),
        ("Juno perijove 99", "no known perijove 99"),
    ],
)
def test_a_time_that_cannot_be_is_an_error(phrase: str, words: str) -> None:
    """Dates that do not exist are refused, not left out."""
    with pytest.raises(InputError, match=words):
        find_span(f"Dst {phrase}", NOW)


def test_two_separate_times_leave_one_over() -> None:
    """Only one phrase is taken; the other stays for the reader to complain about."""
    found = find_span("ACE on 2023-01-02 and 2023-03-04", NOW)
    assert found is not None
    assert found.words == "on 2023-01-02"


def test_a_last_day_that_is_included_is_said() -> None:
    """A person sees through which day it goes, and how to leave it out."""
    found = find_span("Wind plasma beta, 1 to 5 March 2013", NOW)
    assert found is not None
    assert found.note == "Through 2013-03-05, which is included; `2013-03-01 to 2013-03-05` leaves it out."


def test_days_that_do_not_follow_each_other_are_no_range() -> None:
    """`3 and 7 May` are two days: the second is left over."""
    found = find_span("ACE on 3 and 7 May 2003", NOW)
    assert found is not None
    assert found.words == "7 May 2003"


NUMBERED = ("{:%Y-%m-%d}", "{:%Y-%j}", "{:%Y/%m/%d}")
SPOKEN = ("{:%B %d, %Y}", "{:%d %b %Y}", "{:%b. %d %Y}")


@given(st.dates(date(1960, 1, 1), date(2100, 1, 1)), st.sampled_from(NUMBERED + SPOKEN), st.integers(1, 40), st.booleans())
def test_every_way_of_writing_a_range_means_the_same(first: date, form: str, length: int, through: bool) -> None:
    """`A through B` includes B in every spelling; `A to B` includes it where the month has its name, as people speak."""
    last = first + timedelta(days=length)
    word = "through" if through else "to"
    found = find_span(f"density {form.format(first)} {word} {form.format(last)}", NOW)
    assert found is not None
    assert found.span is not None
    assert found.span.start.date() == first
    assert found.span.stop.date() == last + timedelta(days=1 if through or form in SPOKEN else 0)


@pytest.mark.parametrize("text", ["9" * 5000, "CR" + "9" * 5000, "May " + "1" * 5000])
def test_numbers_beyond_reason_are_no_times_and_no_failures(text: str) -> None:
    """Python refuses to read integers of that length."""
    found = find_span(text, NOW)
    assert found is None


def test_an_encounter_is_of_the_mission_that_is_named() -> None:
    """Every mission counts its own: without Parker Solar Probe's name, a number says nothing."""
    found = find_span("PSP magnetic field for encounter 4", NOW)
    assert found is not None
    assert str(found.span) == "2020-01-24 to 2020-02-04"
    assert "Parker Solar Probe" in found.note
    assert find_span("MESSENGER magnetic field for encounter 4", NOW) is None


@pytest.mark.parametrize(
    ("request_text", "words", "perihelion"),
    [
        ("perihelion 5 of Solar Orbiter", "perihelion 5", "2024-04-04"),
        ("the field of SolO around its fifth perihelion", "fifth perihelion", "2024-04-04"),
        ("Solar Orbiter beside PSP encounter 5", "encounter 5", "2020-06-07"),
    ],
)
def test_a_perihelion_is_of_the_mission_beside_it(request_text: str, words: str, perihelion: str) -> None:
    """The mission stays a word of its own, and the note says which day was taken."""
    found = find_span(request_text, NOW)
    assert found is not None
    assert found.words == words
    assert perihelion in found.note


def test_a_perihelion_of_either_of_two_missions_is_none() -> None:
    """Both are named, and neither stands beside it."""
    assert find_span("the field of Solar Orbiter and PSP for encounter 5", NOW) is None


def test_the_latest_month_is_said() -> None:
    """`last March` in March may be two: the note says which was taken."""
    found = find_span("Dst last March", NOW)
    assert found is not None
    assert found.note == "Last March is taken as 2025-03-01 to 2025-04-01."


@pytest.mark.parametrize("request_text", ["this may be a storm", "the last may count", "ACE Q1", "summer"])
def test_a_part_of_a_year_without_its_year_is_no_time(request_text: str) -> None:
    """Nothing says which one."""
    assert find_span(request_text, NOW) is None


@given(st.text(max_size=40))
def test_any_sentence_is_answered(request_text: str) -> None:
    """No sentence makes the search fail in another way."""
    with suppress(InputError):
        find_span(request_text, NOW)


@pytest.mark.parametrize(
    ("request_text", "words", "left"),
    [
        ("Geomagnetic storm of 20 November 2003: ACE |B|", "Geomagnetic storm of 20 November 2003", " ACE |B|"),
        ("ACE |B| during the great storm of 2003-11-20", "during the great storm of 2003-11-20", "ACE |B| "),
    ],
)
def test_the_storm_of_a_day_is_that_day(request_text: str, words: str, left: str) -> None:
    """And it is told."""
    found = find_span(request_text, NOW)
    assert found is not None
    assert (found.words, str(found.span)) == (words, "2003-11-20 to 2003-11-21")
    assert request_text[: found.first] + request_text[found.last :] == left
    assert "is taken as 2003-11-20 to 2003-11-21" in found.note


def test_the_storm_of_a_year_is_no_range() -> None:
    """Which one is not known: the words stay, and are asked about."""
    found = find_span("Kp for the largest storm of 2017", NOW)
    assert found is not None
    assert "storm" not in found.words


ADDED = (
    "DOY 12",
    "6-9 UT",
    "and March",
    "EST",
    "Q3",
    "07:30",
    "2004",
    "not",
    "mission day 4",
    "+- 2 days",
    "of",
    "10 nT",
    "bis",
    "/",
    "±2 days",
    "two weeks before",
    "the first week of",
    "for 3 hours",
    "early",
    "and the following day",
    "-6h to +12h",
    "few days after",
    "to the end of",
    "-> 05-13",
    "'98",
    "1..3 nT",
    "5:00 to 9:00",
    "Q1 and",
    "January and",
    "1er",
    "de 9h à 12h",
    "erste Woche im",
    "the maximum of",
    "1990s",
)
WHOLE = (
    "the last three weeks of 2004",
    "36 hours either side of 2003-11-20 18:00",
    "two days before the Gannon storm",
    "the second quarter of 2000 to the end of 2002",
    "29 October 2003",
    "2003-10-29",
    "2003-10",
    "DOY 131-133 2024",
    "8 Sept 2015, 9-12 UT",
    "Q1 2012",
    "last week",
    "98-04-30",
    "26-Feb-2008",
    "12..15 sep 2017",
    "1999-05-08 thru 05-13",
    "5 nov 2018 12h -> 6 nov 12h",
    "in '98",
    "29 Oct 5:00 to 9:00 2003",
    "Q1-Q3 2012",
    "8. September 2015 von 9 bis 12 Uhr",
)


@given(st.sampled_from(WHOLE), st.sampled_from(ADDED), st.booleans())
def test_words_beside_a_time_never_change_it_silently(phrase: str, added: str, comes_first: bool) -> None:
    """What is added is a part of the phrase that was read, a question or an error, or is left for the reader to ask about."""
    alone = find_span(phrase, NOW)
    assert alone is not None
    text = f"{added} {phrase}" if comes_first else f"{phrase} {added}"
    with suppress(InputError):
        found = find_span(text, NOW)
        assert found is not None
        if found.span not in (None, alone.span):
            left = f"{text[: found.first]} {text[found.last :]}"
            assert set(added.split()) & set(found.words.split()) or set(phrase.split()) & set(left.split())


ROTATIONS = (1700, 1950, 2100, 2200, 2290)


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_a_carrington_rotation_begins_at_heliographic_longitude_zero(rotation: int) -> None:
    """The longitude of the central meridian, by astropy's Sun and the elements of Carrington, is 0 then to 0.05 degrees."""
    found = find_span(f"CR {rotation}", NOW)
    assert found is not None
    assert found.span is not None
    moment = Time(found.span.start.replace(tzinfo=None), scale="utc")
    node = np.radians(73.6667 + 1.3958333 * (moment.jd - 2396758) / 36525)
    longitude = get_sun(moment).transform_to(GeocentricTrueEcliptic(equinox=moment)).lon.rad - node
    central = np.degrees(np.arctan2(-np.sin(longitude) * np.cos(np.radians(7.25)), -np.cos(longitude)))
    turned = (central - (moment.jd - 2398220.0) * 360 / 25.38) % 360
    assert min(turned, 360 - turned) < 0.05


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May 10-13 2024", "2024-05-10 to 2024-05-14"),
        ("1 to 5 March 2013", "2013-03-01 to 2013-03-06"),
        ("ACE in 2003", None),
        ("PSP encounter 4", "2020-01-24 to 2020-02-04"),
        ("Juno perijove 1", "2016-08-26 to 2016-08-29"),
        ("Solar Orbiter encounter 3", "2023-04-05 to 2023-04-16"),
        ("solo perihelion 7", "2025-03-26 to 2025-04-06"),
    ],
)
def test_a_range_is_a_text_that_is_one_phrase(text: str, expected: str | None) -> None:
    """Words beside it make it none."""
    found = read_range(text, NOW)
    assert (str(found) if found else None) == expected


def test_a_text_of_several_meanings_offers_each() -> None:
    """As START and STOP can be given."""
    with pytest.raises(InputError, match="Which day is '03/04/2023'") as caught:
        read_range("03/04/2023", NOW)
    assert caught.value.hint == "Write 2023-03-04 or 2023-04-03."


def test_a_range_of_months_in_words_includes_the_last() -> None:
    """As days named with their month do."""
    found = find_span("ACE |B|, October to December 2003", NOW)
    assert found is not None
    assert found.span == TimeRange(datetime(2003, 10, 1, tzinfo=UTC), datetime(2004, 1, 1, tzinfo=UTC))
    assert found.note == "Through December 2003, which is included."


def test_a_range_of_years_includes_the_last() -> None:
    """And says how to leave it out."""
    found = find_span("sunspot number from 1996 to 2008", NOW)
    assert found is not None
    assert str(found.span) == "1996-01-01 to 2009-01-01"
    assert found.note == "Through 2008, which is included; `1996-01-01 to 2008-01-01` leaves it out."


@pytest.mark.parametrize(
    ("words", "span", "note"),
    [
        (
            "2020-07-11 - 2020-07-12",
            "2020-07-11 to 2020-07-12",
            "2020-07-12 itself is not included; say `through` to include it.",
        ),
        (
            "2020-07-11 to 2020-07-12",
            "2020-07-11 to 2020-07-12",
            "2020-07-12 itself is not included; say `through` to include it.",
        ),
        ("14-16 July 2000", "2000-07-14 to 2000-07-17", "Through 2000-07-16, which is included"),
        ("May 8-13 2024", "2024-05-08 to 2024-05-14", "Through 2024-05-13, which is included"),
        ("1994-09 till 1995-08", "1994-09-01 to 1995-09-01", "Through August 1995, which is included."),
        ("2003-05 - 2003-07", "2003-05-01 to 2003-08-01", "Through July 2003, which is included."),
    ],
)
def test_whether_the_last_one_counts_is_said(words: str, span: str, note: str) -> None:
    """A dash and `to` mean the same: only days in numbers leave out the last, as START and STOP do."""
    found = find_span(f"ACE speed {words}", NOW)
    assert found is not None
    assert str(found.span) == span
    assert found.note.startswith(note)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dst on Christmas Day 2006", "2006-12-25 to 2006-12-26"),
        ("Dst on New Year's Eve 2012", "2012-12-31 to 2013-01-01"),
        ("Dst from Christmas 2006 to New Year's Day 2007", "2006-12-25 to 2007-01-02"),
        ("Dst through 2021", "2021-01-01 to 2022-01-01"),
        ("Dst throughout March 2015", "2015-03-01 to 2015-04-01"),
        ("Dst 2003-10-29, ± 2 days", "2003-10-27 to 2003-11-01"),
        ("Dst around 2 April 1976, plus minus 2 days", "1976-03-31 to 1976-04-05"),
        ("AE in the substorm of 2008-02-26, 03:00 to 07:00", "2008-02-26T03:00Z to 2008-02-26T07:00Z"),
    ],
)
def test_named_days_whole_years_and_reaches(text: str, expected: str) -> None:
    """Holidays are days like others, `through` a year is all of it, and a reach may stand behind a comma."""
    found = find_span(text, NOW)
    assert found is not None
    assert str(found.span) == expected


def test_through_a_day_is_no_whole_day() -> None:
    """It could be the end of something that nobody began."""
    found = find_span("Dst through 5 March 2015", NOW)
    assert found is not None
    assert "through" not in found.words


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("Halloween weekend 2021", "2021-10-29 to 2021-11-01"),
        ("the weekend of Halloween 2021", "2021-10-29 to 2021-11-01"),
        ("the weekend of 18 March 2015", "2015-03-20 to 2015-03-23"),
        ("Halloween 2021", "2021-10-31 to 2021-11-01"),
        ("Halloween 2003", "2003-10-28 to 2003-11-01"),
        ("Halloween", "2003-10-28 to 2003-11-01"),
        ("St Patrick's Day 2014", "2014-03-17 to 2014-03-18"),
        ("St Patrick's Day 2015", "2015-03-17 to 2015-03-19"),
        ("ides of March 2012", "2012-03-15 to 2012-03-16"),
        ("evening of 16 March 2015", "2015-03-16T18:00Z to 2015-03-17"),
        ("16 March 2015, in the morning", "2015-03-16T06:00Z to 2015-03-16T12:00Z"),
        ("the night of 2015-03-16", "2015-03-16T18:00Z to 2015-03-17T06:00Z"),
    ],
)
def test_days_with_names_and_their_parts(words: str, span: str) -> None:
    """A name of a day is that day unless a storm of that year is called so; parts of days and weekends are read whole."""
    found = find_span(f"ACE field, {words}", NOW)
    assert found is not None
    assert str(found.span) == span


def test_a_part_of_a_day_without_its_year_is_offered_for_several() -> None:
    """Each choice keeps the hours."""
    found = find_span("Wind speed on the evening of 16 March", datetime(2026, 11, 24, tzinfo=UTC))
    assert found is not None
    assert found.span is None
    assert found.choices[:2] == ("2026-03-16T18:00Z to 2026-03-17", "2025-03-16T18:00Z to 2025-03-17")
