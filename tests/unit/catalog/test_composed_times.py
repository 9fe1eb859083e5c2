"""Time phrases that are put together: parts of periods, lengths counted from something, ends of different kinds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_time

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
OCTOBER = TimeRange(datetime(2003, 10, 1, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("for the last three weeks of 2004", "2004-12-11 to 2005-01-01"),
        ("the first 3 weeks of May 2015", "2015-05-01 to 2015-05-22"),
        ("the final 2 weeks of May 2004", "2004-05-18 to 2004-06-01"),
        ("the first six months of 2012", "2012-01-01 to 2012-07-01"),
        ("the last 6 hours of 29 October 2003", "2003-10-29T18:00Z to 2003-10-30"),
        ("the third week of May 2004", "2004-05-15 to 2004-05-22"),
        ("the fifth day of May 2015", "2015-05-05 to 2015-05-06"),
        ("the 2nd half of 2004", "2004-07-01 to 2005-01-01"),
        ("the last three days of the first week of May 2004", "2004-05-05 to 2004-05-08"),
        ("the first 3 days of the Halloween storm", "2003-10-28 to 2003-10-31"),
        ("the last day of February 2004, 9-12 UT", "2004-02-29T09:00Z to 2004-02-29T12:00Z"),
        ("hours 06-09 on 29 Oct 2003", "2003-10-29T06:00Z to 2003-10-29T09:00Z"),
        ("for the 48 hours following 2015-03-17T04:45", "2015-03-17T04:45Z to 2015-03-19T04:45Z"),
        ("twenty-four hours after 2003-10-29 06:11", "2003-10-29T06:11Z to 2003-10-30T06:11Z"),
        ("half an hour before 2003-10-29 06:00", "2003-10-29T05:30Z to 2003-10-29T06:00Z"),
        ("1.5 days before 2003-10-29", "2003-10-27T12:00Z to 2003-10-29"),
        ("the month before March 2015", "2015-02-01 to 2015-03-01"),
        ("two days before the Gannon storm", "2024-05-08 to 2024-05-10"),
        ("the week after the Halloween storm", "2003-11-01 to 2003-11-08"),
        ("±36 hours around 2003-11-20 18:00 UT", "2003-11-19T06:00Z to 2003-11-22T06:00Z"),
        ("+/- 36 h around the Gannon storm", "2024-05-08T12:00Z to 2024-05-14T12:00Z"),
        ("36 hours either side of 2003-11-20 18:00", "2003-11-19T06:00Z to 2003-11-22T06:00Z"),
        ("2003-11-20 18:00 ± 36 h", "2003-11-19T06:00Z to 2003-11-22T06:00Z"),
        ("2003-10-29 06:11 -6h to +12h", "2003-10-29T00:11Z to 2003-10-29T18:11Z"),
        ("within 2 days of 20 November 2003", "2003-11-18 to 2003-11-23"),
        ("48-hour window centred on 2003-11-20 18:00", "2003-11-19T18:00Z to 2003-11-21T18:00Z"),
        ("from 6 hours before to 2 days after 2003-11-20 18:00", "2003-11-20T12:00Z to 2003-11-22T18:00Z"),
        ("from 2 days before the Gannon storm to 3 days after it", "2024-05-08 to 2024-05-16"),
        ("for the 48 hours before and the 24 hours after 2003-10-29 06:11", "2003-10-27T06:11Z to 2003-10-30T06:11Z"),
        ("from 2003-10-29 06:11 for 48 hours", "2003-10-29T06:11Z to 2003-10-31T06:11Z"),
        ("2003-10-29 03:00 to 6 hours later", "2003-10-29T03:00Z to 2003-10-29T09:00Z"),
        ("the Gannon storm and the two days after it", "2024-05-10 to 2024-05-15"),
        ("from two days before the Gannon storm until 2024-05-12", "2024-05-08 to 2024-05-12"),
        ("from the second quarter of 2000 to the end of 2002", "2000-04-01 to 2003-01-01"),
        ("from the second half of March to the end of April 2015", "2015-03-16 to 2015-05-01"),
        ("the second half of 2004 through the first quarter of 2005", "2004-07-01 to 2005-04-01"),
        ("from 15 March 2015 to the end of the month", "2015-03-15 to 2015-04-01"),
        ("from 28 October to the Halloween storm", "2003-10-28 to 2003-11-01"),
        ("28 October to 2 November 2003 18:00", "2003-10-28 to 2003-11-02T18:00Z"),
        ("since 5 hours before 2026-03-01", "2026-02-28T19:00Z to 2026-03-10"),
        ("Carrington rotations 2106 to 2108", "2011-01-20T09:20Z to 2011-04-12T08:24Z"),
    ],
)
def test_a_phrase_of_several_times_names_its_range_and_itself(phrase: str, expected: str) -> None:
    """It is read whole."""
    request = f"ACE and Wind magnetic field {phrase}"
    found = find_span(request, NOW)
    assert found is not None
    assert (str(found.span), found.words) == (expected, phrase)


@pytest.mark.parametrize(
    ("phrase", "answers"),
    [
        ("from mid-March to early May 2015", ["2015-03-11 to 2015-05-11", "2015-03-01 to 2015-06-01"]),
        ("in early Nov 2021", ["2021-11-01 to 2021-11-11", "2021-11-01 to 2021-12-01"]),
        ("the end of 2002", ["2002-01-01 to 2003-01-01"]),
        ("the first days of May 2004", ["2004-05-01 to 2004-05-04", "2004-05-01 to 2004-06-01"]),
        ("36 hours around 2003-11-20 18:00", ["2003-11-19T06:00Z to 2003-11-22T06:00Z", "2003-11-20 to 2003-11-21T12:00Z"]),
        ("two days before the St Patrick's Day storm", ["2013-03-15 to 2013-03-17", "2015-03-15 to 2015-03-17"]),
        ("the last week of November", ["2025-11-24 to 2025-12-01", "2024-11-24 to 2024-12-01", "2023-11-24 to 2023-12-01"]),
        ("28 to 29 October", ["2025-10-28 to 2025-10-30", "2024-10-28 to 2024-10-30", "2023-10-28 to 2023-10-30"]),
        ("the 2 days before 5 May", ["2025-05-03 to 2025-05-05", "2024-05-03 to 2024-05-05", "2023-05-03 to 2023-05-05"]),
        ("the 2 days before 03/04/2023", ["2023-03-02 to 2023-03-04", "2023-04-01 to 2023-04-03"]),
        ("10 May ± 3 days", ["2025-05-07 to 2025-05-14", "2024-05-07 to 2024-05-14", "2023-05-07 to 2023-05-14"]),
        ("30 December to 2 January", ["2025-12-30 to 2026-01-03", "2024-12-30 to 2025-01-03", "2023-12-30 to 2024-01-03"]),
    ],
)
def test_what_is_not_exact_is_a_question_whose_answers_say_all(phrase: str, answers: list[str]) -> None:
    """Each answer, put in place of the words, names the range that it should."""
    request = f"ACE speed {phrase}"
    found = find_span(request, NOW)
    assert found is not None
    assert found.span is None
    assert found.question
    again = [find_span(request.replace(found.words, choice), NOW) for choice in found.choices]
    assert [str(each and each.span) for each in again] == answers


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("smoothed over 3 hours from 2003-10-29 to 2003-10-31", "from 2003-10-29 to 2003-10-31"),
        ("every 3 hours before 2003-10-29", "2003-10-29"),
        ("a few days before 2003-10-29", "2003-10-29"),
        ("36 hours on 2003-11-20", "on 2003-11-20"),
        ("two days before mid-March 2015", "mid-March 2015"),
        ("10 May 2024 and 3 days after the shock", "10 May 2024"),
        ("3 hours averages after 2003-10-29", "2003-10-29"),
        ("the month of October 2003, 5 November", "the month of October 2003"),
    ],
)
def test_a_length_of_something_else_is_left_over(request_text: str, words: str) -> None:
    """What reads the request then asks about it."""
    found = find_span(request_text, NOW)
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("the first five weeks of May 2004", "is not a range"),
        ("1000000 years before 2004-01-01", "not a date"),
        ("1.5 months before 2004-01-01", "whole months"),
        ("999999 weeks after 2004-01-01", "out of range"),
    ],
)
def test_a_length_that_cannot_be_is_an_error(phrase: str, words: str) -> None:
    """It says what is out of range."""
    with pytest.raises(InputError, match=words):
        find_span(phrase, NOW)


UNITS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7), "h": timedelta(hours=1)}
FORMS = {
    "the {n} {unit}s following {at}": (0, 1),
    "{n} {unit}s after {at}": (0, 1),
    "{n} {unit}s starting at {at}": (0, 1),
    "from {at} for {n} {unit}s": (0, 1),
    "{at} to {n} {unit}s later": (0, 1),
    "{n}-{unit} period before {at}": (-1, 0),
    "the {n} {unit}s prior to {at}": (-1, 0),
    "±{n} {unit}s around {at}": (-1, 1),
    "{at} +/- {n} {unit}s": (-1, 1),
    "{n} {unit}s on either side of {at}": (-1, 1),
    "from {n} {unit}s before to {n} {unit}s after {at}": (-1, 1),
    "from {n} {unit}s before {at} until {n} {unit}s after it": (-1, 1),
}
DATED = ("{:%Y-%m-%d %H:%M}", "{:%Y-%m-%dT%H:%MZ}", "{:%d %B %Y %H:%M}", "{:%H:%M on %d %b %Y}", "{:%B %d, %Y at %H:%M UT}")


@given(
    st.datetimes(datetime(1965, 1, 1), datetime(2090, 1, 1)),
    st.integers(2, 400),
    st.sampled_from(sorted(UNITS.keys() - {"h"})),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(DATED),
)
def test_every_way_of_counting_from_a_moment_means_the_same(
    moment: datetime, count: int, unit: str, form: str, date: str
) -> None:
    """By the arithmetic of the calendar alone."""
    phrase = form.format(n=count, unit=unit, at=date.format(moment))
    found = find_span(f"density {phrase}, please", NOW)
    assert found is not None
    exact = moment.replace(second=0, microsecond=0, tzinfo=UTC)
    before, after = FORMS[form]
    assert found.span == TimeRange(exact + before * count * UNITS[unit], exact + after * count * UNITS[unit])
    assert found.words == phrase


@given(st.integers(1965, 2090), st.integers(1, 4), st.sampled_from(["hour", "day", "week"]), st.booleans(), st.booleans())
def test_so_many_units_of_a_year_are_so_long(year: int, count: int, unit: str, is_last: bool, in_words: bool) -> None:
    """They touch the end of the year that is named."""
    number = ("one", "two", "three", "four")[count - 1] if in_words else count
    found = find_span(f"Kp for the {'last' if is_last else 'first'} {number} {unit}{'s' * (count > 1)} of {year}", NOW)
    assert found is not None
    assert found.span is not None
    assert found.span.duration == count * UNITS[unit]
    edge = datetime(year + is_last, 1, 1, tzinfo=UTC)
    assert (found.span.stop if is_last else found.span.start) == edge


@given(st.datetimes(datetime(1965, 1, 1), datetime(2090, 1, 1)), st.integers(0, 3), st.sampled_from(["{:%d %b}", "{:%B %d}"]))
def test_a_missing_year_is_that_of_the_range_beside_it(day: datetime, length: int, form: str) -> None:
    """A day of the range is that day; of another month it is asked about."""
    start = day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=UTC)
    span = TimeRange(start - timedelta(days=length), start + timedelta(days=length + 1))
    found = find_span(form.format(day), NOW, span)
    assert found is not None
    assert found.span == TimeRange(start, start + timedelta(days=1))
    other = find_span(form.format(day + timedelta(days=100)), NOW, span)
    assert other is not None
    assert other.span is None


def test_a_part_of_a_month_takes_the_year_beside_it() -> None:
    """As a day does; in a range of several such months it is asked which."""
    found = find_span("the last week of October", NOW, OCTOBER)
    assert found is not None
    assert str(found.span) == "2003-10-25 to 2003-11-01"
    several = find_span("the last week of October", NOW, TimeRange(datetime(2000, 1, 1, tzinfo=UTC), OCTOBER.stop))
    assert several is not None
    assert several.span is None


def test_a_vague_time_says_in_what_it_lies() -> None:
    """So that an exact one within it can be taken instead."""
    found = find_span("late October 2003", NOW)
    assert found is not None
    assert found.hull == OCTOBER


def test_a_leading_phrase_begins_with_the_sentence() -> None:
    """A longer one further on is not taken for it."""
    found = find_span("29 Oct 2003 in the whole of October 2003", NOW, is_leading=True)
    assert found is not None
    assert (found.first, format_time(found.span.start) if found.span else "") == (0, "2003-10-29")
    assert find_span("or so, October 2003", NOW, is_leading=True) is None
