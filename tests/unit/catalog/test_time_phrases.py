"""Time phrases inside sentences."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.time_phrases import find_span
from helio_dagster.domain.errors import InputError

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
        ("from 2003 to 2005", 2),
        ("October to December 2003", 2),
        ("2003-10-29T06:00", 2),
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


@pytest.mark.parametrize("request_text", ["ACE magnetic field", "10-minute mean of |B|", "AC_H0_MFI", "16-second data", ""])
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
        ("the first fifty days of 2012", "is not a range"),
        ("31 June 2023", "30 days"),
        ("from 2023-01-05 to 2023-01-02", "not after"),
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
