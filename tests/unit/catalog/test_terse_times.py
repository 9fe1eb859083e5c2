"""Terse spellings of times: short years, dates in one word, hours behind a date, arrows, and ranges the wrong way round."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.times.phrases import find_span, read_range
from helio_dagster.domain.errors import InputError

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("98-04-30", "1998-04-30 to 1998-05-01"),
        ("days 12-15 sep 2017", "2017-09-12 to 2017-09-16"),
        ("day 12 to 15 sep 2017", "2017-09-12 to 2017-09-16"),
        ("days 131-133 2024", "2024-05-10 to 2024-05-13"),
        ("on 91-03-24", "1991-03-24 to 1991-03-25"),
        ("98-04-30 to 98-05-08", "1998-04-30 to 1998-05-08"),
        ("98-04-30 through 98-05-08", "1998-04-30 to 1998-05-09"),
        ("98-04-30T06:00 to 98-04-30T09:00", "1998-04-30T06:00Z to 1998-04-30T09:00Z"),
        ("May '98", "1998-05-01 to 1998-06-01"),
        ("in '98", "1998-01-01 to 1999-01-01"),
        ("from '97 to '98", "1997-01-01 to 1999-01-01"),
        ("from '97 to '03", "1997-01-01 to 2004-01-01"),
        ("28 oct 2021 1500-1700", "2021-10-28T15:00Z to 2021-10-28T17:00Z"),
        ("1997-02-06 0810-0825", "1997-02-06T08:10Z to 1997-02-06T08:25Z"),
        ("26 jan 2001 1000-1100 UT", "2001-01-26T10:00Z to 2001-01-26T11:00Z"),
        ("98-04-30 1500-1700", "1998-04-30T15:00Z to 1998-04-30T17:00Z"),
        ("26feb2008", "2008-02-26 to 2008-02-27"),
        ("26-Feb-2008", "2008-02-26 to 2008-02-27"),
        ("26.Feb.2008", "2008-02-26 to 2008-02-27"),
        ("26feb2008 to 28feb2008", "2008-02-26 to 2008-02-29"),
        ("26feb2008-28feb2008", "2008-02-26 to 2008-02-29"),
        ("1/2011", "2011-01-01 to 2011-02-01"),
        ("11/2011 to 02/2012", "2011-11-01 to 2012-03-01"),
        ("2002-03-18 14:30 til 15:30", "2002-03-18T14:30Z to 2002-03-18T15:30Z"),
        ("xmas eve 2014", "2014-12-24 to 2014-12-25"),
        ("March 2022 (10 to 14)", "2022-03-10 to 2022-03-15"),
        ("26feb2008..28feb2008", "2008-02-26 to 2008-02-29"),
        ("26-Feb-2008T06:00 to 26-Feb-2008T09:00", "2008-02-26T06:00Z to 2008-02-26T09:00Z"),
        ("26-FEB-2008 04:30-05:30", "2008-02-26T04:30Z to 2008-02-26T05:30Z"),
        ("12..15 sep 2017", "2017-09-12 to 2017-09-16"),
        ("sep 12..15 2017", "2017-09-12 to 2017-09-16"),
        ("doy 200..300 1996", "1996-07-18 to 1996-10-27"),
        ("1996 doy 200..300", "1996-07-18 to 1996-10-27"),
        ("DOY 200-300, 1996", "1996-07-18 to 1996-10-27"),
        ("8 thru 13 May 1999", "1999-05-08 to 1999-05-14"),
        ("1999-05-08 thru 05-13", "1999-05-08 to 1999-05-14"),
        ("1999-05-08 - 05-13", "1999-05-08 to 1999-05-13"),
        ("1999-05-08 to 05-13", "1999-05-08 to 1999-05-13"),
        ("1999-05-08/05-13", "1999-05-08 to 1999-05-13"),
        ("1999-05-08 06:00 to 05-13 12:00", "1999-05-08T06:00Z to 1999-05-13T12:00Z"),
        ("5 nov 2018 12h -> 6 nov 12h", "2018-11-05T12:00Z to 2018-11-06T12:00Z"),
        ("2018-11-05 → 2018-11-07", "2018-11-05 to 2018-11-07"),
        ("2018-11-05->2018-11-07", "2018-11-05 to 2018-11-07"),
        ("jun 22 12h - jun 23 12h 2015", "2015-06-22T12:00Z to 2015-06-23T12:00Z"),
        ("5 nov 2018 10-11h", "2018-11-05T10:00Z to 2018-11-05T11:00Z"),
        ("2018-11-05, 0-6h", "2018-11-05 to 2018-11-05T06:00Z"),
        ("from 20 Dec to 5 Jan 2004", "2003-12-20 to 2004-01-06"),
        ("from 12 Oct to 8 Aug 1995", "1994-10-12 to 1995-08-09"),
        ("Nov 2003 to Feb 2004", "2003-11-01 to 2004-03-01"),
        ("Nov to Oct 2004", "2003-11-01 to 2004-11-01"),
    ],
)
def test_a_terse_phrase_names_its_range_and_itself(phrase: str, expected: str) -> None:
    """The range, and the words that it stands in, are found in the midst of a sentence."""
    found = find_span(f"ACE and Wind magnetic field {phrase} please", NOW)
    assert found is not None
    assert (str(found.span), found.words) == (expected, phrase)


@pytest.mark.parametrize(
    "request_text",
    [
        *["31-03-24", "04-30-98", "10-98-04-30", "98-04-30-7", "98-13-30", "98.04.30", "'98 keV", "in 'ACE'", "it is '03"],
        *[
            "in '98 keV' of ACE",
            "in '03",
            "4..8 keV",
            "0.1..0.5 Hz",
            "05-13",
            "x26feb2008",
            "26feb2008x",
            "26ju\u0131n2008",
            "26\u017fep2008",
            "B -> E",
        ],
    ],
)
def test_what_may_be_something_else_is_no_time(request_text: str) -> None:
    """Years need four digits wherever two may be a day, and numbers joined by points need the name of a month."""
    assert find_span(request_text, NOW) is None


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("Wind field '98", "'98"),
        ("10-13-Feb-2008", ""),
        ("2004 26-Feb-2008", "26-Feb-2008"),
        ("26feb2008 and March", "26feb2008"),
        ("1999-05-08 thru 13-05", "1999-05-08"),
        ("1999-05-08 to 05-13-2", "1999-05-08"),
        ("2008-02-26 -> encounter", "2008-02-26"),
        ("2015-10-16 13:05-13:08: |B|", "2015-10-16 13:05-13:08"),
        ("2015-10-16 13:05:07-13:08:09: |B|", "2015-10-16 13:05:07-13:08:09"),
    ],
)
def test_what_is_not_read_is_left_over(request_text: str, words: str) -> None:
    """A phrase that cannot be read whole leaves words for the reader to ask about."""
    found = find_span(request_text, NOW)
    assert (found.words if found is not None else "") == words


@pytest.mark.parametrize(
    ("phrase", "problem"),
    [
        ("98-02-30", "28 days"),
        ("30feb2008", "29 days"),
        ("28 oct 2021 1000-1160", "minutes"),
        ("1997-02-06 1999-2000", "19:99"),
        ("12 oct 1995 to 8 oct", "not after"),
        ("1999-05-08 to 05-02", "not after"),
    ],
)
def test_a_terse_time_that_cannot_be_is_an_error(phrase: str, problem: str) -> None:
    """Dates that do not exist and ranges that end before they begin are refused."""
    with pytest.raises(InputError, match=problem):
        find_span(f"Dst {phrase}", NOW)


@pytest.mark.parametrize(
    "phrase", ["from 12 oct to 8 oct 1995", "12-8 oct 1995", "12 to 8 October 1995", "Oct 12 to Oct 8, 1995"]
)
def test_days_the_wrong_way_round_are_a_question(phrase: str) -> None:
    """Almost a year is offered after the days in their order, never taken."""
    found = find_span(f"ACE speed {phrase}", NOW)
    assert found is not None
    assert found.span is None
    assert found.words == phrase
    assert found.choices == ("1995-10-08 to 1995-10-13", "1994-10-12 to 1995-10-09")


def test_days_the_wrong_way_round_without_a_year_are_a_question() -> None:
    """The year beside them is taken for the answer; without one, several are offered."""
    year = read_range("1995", NOW)
    found = find_span("12 oct 06:00 to 8 oct 09:00", NOW, year)
    assert found is not None
    assert found.choices == ("1995-10-08T09:00Z to 1995-10-12T06:00Z",)
    alone = find_span("12 oct to 8 oct", NOW)
    assert alone is not None
    assert alone.choices[0] == "2025-10-08 to 2025-10-13"


TERSE = ("{:%d%b%Y}", "{:%d-%b-%Y}", "{:%d-%B-%Y}", "{:%d.%b.%Y}")


@given(
    st.dates(date(1960, 1, 1), date(2100, 1, 1)), st.sampled_from(TERSE), st.integers(1, 40), st.sampled_from(["to", "thru"])
)
def test_dates_in_one_word_mean_the_same(first: date, form: str, length: int, word: str) -> None:
    """The last day counts, as it does with the name of a month in words of its own."""
    last = first + timedelta(days=length)
    found = find_span(f"density {form.format(first)} {word} {form.format(last)}", NOW)
    assert found is not None
    assert found.span is not None
    assert (found.span.start.date(), found.span.stop.date()) == (first, last + timedelta(days=1))


@given(st.dates(date(1950, 1, 1), date(1999, 12, 31)), st.integers(0, 40))
def test_years_of_two_digits_are_of_the_last_century(first: date, length: int) -> None:
    """`yy-mm-dd` is what it is with `19` before it, and `mm-dd` after it is of its year."""
    last = first + timedelta(days=length)
    short = find_span(f"density {first:%y-%m-%d} through {last:%y-%m-%d}", NOW) if last.year < 2000 else None
    written = find_span(f"density {first:%Y-%m-%d} thru {last:%m-%d}", NOW) if last.year == first.year else None
    for found in (short, written):
        if found is not None:
            assert found.span is not None
            assert (found.span.start.date(), found.span.stop.date()) == (first, last + timedelta(days=1))


def test_a_day_that_the_year_before_lacks_is_not_offered_in_it() -> None:
    """1999 has no 29 February."""
    found = find_span("density 29 Feb to 01 Feb 2000", NOW)
    assert found is not None
    assert found.choices == ("2000-02-01 to 2000-03-01",)


@given(st.dates(date(1960, 1, 1), date(2100, 1, 1)), st.integers(1, 31), st.sampled_from([" to ", "-", " through "]))
def test_no_two_days_of_a_year_become_almost_a_year_silently(last: date, back: int, joint: str) -> None:
    """Days up to a month apart, the later first, are asked about in the year that is given once."""
    first = last + timedelta(days=back)
    if first.year == last.year:
        found = find_span(f"density {first:%d %b}{joint}{last:%d %b %Y}", NOW)
        assert found is not None
        assert found.span is None
        assert found.choices[0] == f"{last} to {first + timedelta(days=1)}"
