"""Ranges written in every form that people use, in four languages: each reads back as the range that it was written of."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.time_range import TimeRange

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
HOURS = (
    "{from_}:00-{to}:00 UT on {day} {en} {year}",
    "{from_}-{to} UT, {day} {en} {year}",
    "{day} {en} {year}, {from_}-{to} UT",
    "{iso} {from_:02d}:00 to {to:02d}:00",
    "{iso} {from_:02d}00-{to:02d}00 UT",
    "{iso}T{from_:02d}:00 to {iso}T{to:02d}:00",
    "between {from_}:00 and {to}:00 on the {day}th of {en} {year}",
    "{day} {en} {from_}:00 to {to}:00 {year}",
    "{en} {day}, {from_}:00 to {to}:00, {year}",
    "{year} DOY {doy} {from_}:00-{to}:00",
    "zwischen {from_}:00 und {to}:00 am {day}. {de} {year}",
    "{day}. {de} {year} von {from_} bis {to} Uhr",
    "am {day}. {de} {year} zwischen {from_} und {to} Uhr",
    "entre {from_}h et {to}h le {day} {fr} {year}",
    "{day} {fr} {year}, de {from_}h à {to}h",
    "entre las {from_}:00 y las {to}:00 del {day} de {es} de {year}",
    "{day} de {es} de {year}, de {from_}:00 a {to}:00",
)
DAYS = (
    "{day}-{other} {en} {year}",
    "{en} {day} through {other}, {year}",
    "{day}. bis {other}. {de} {year}",
    "vom {day}. bis zum {other}. {de} {year}",
    "du {day} au {other} {fr} {year}",
    "del {day} al {other} de {es} de {year}",
    "{year} DOY {doy}-{other_doy}",
    "DOY {doy}-{other_doy} {year}",
    "{iso} through {other:02d}",
)
MONTHS_AND_QUARTERS = (
    ("{en} {year}", 1),
    ("{de} {year}", 1),
    ("{es} de {year}", 1),
    ("{year}-{month:02d}", 1),
    ("{en} and {en_next} {year}", 2),
    ("{en}-{en_next} {year}", 2),
    ("{en} to {en_next} {year}", 2),
    ("{de} und {de_next} {year}", 2),
    ("{es} y {es_next} de {year}", 2),
    ("Q{quarter} {year}", 3),
    ("{year} Q{quarter}", 3),
    ("Q{quarter} and Q{quarter_next} {year}", 6),
    ("Q{quarter}-Q{quarter_next} {year}", 6),
    ("Q{quarter} to Q{quarter_next} {year}", 6),
)


def _words(day: date) -> dict[str, object]:
    names = {language: of.split()[day.month - 1] for language, of in MONTHS.items()}
    return {"day": day.day, "year": day.year, "iso": f"{day}", "doy": day.timetuple().tm_yday, "month": day.month, **names}


def _read(words: str) -> TimeRange | None:
    """What a request for this time is for; its words must all be read."""
    found = find_span(f"density, {words}", NOW)
    assert found is not None, words
    assert found.words.strip(" ,") == words, found
    return found.span


def _range(start: datetime, stop: datetime) -> TimeRange:
    return TimeRange(start.replace(tzinfo=UTC), stop.replace(tzinfo=UTC))


@pytest.mark.parametrize("form", HOURS)
@given(day=st.dates(date(1970, 1, 1), date(2025, 12, 31)), first=st.integers(0, 22), data=st.data())
def test_hours_of_a_day(form: str, day: date, first: int, data: st.DataObject) -> None:
    """The day is said before or behind them, and the year perhaps last."""
    last = data.draw(st.integers(first + 1, 23))
    start = datetime(day.year, day.month, day.day)
    words = form.format(**_words(day), from_=first, to=last)
    assert _read(words) == _range(start + timedelta(hours=first), start + timedelta(hours=last))


@pytest.mark.parametrize("form", DAYS)
@given(first=st.dates(date(1970, 1, 1), date(2025, 12, 31)), data=st.data())
def test_days_of_a_month(form: str, first: date, data: st.DataObject) -> None:
    """The last one is meant, too."""
    days = ((first.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)).day
    last = first.replace(day=data.draw(st.integers(first.day, days)))
    words = form.format(**_words(first), other=last.day, other_doy=last.timetuple().tm_yday)
    start, stop = (datetime(each.year, each.month, each.day) for each in (first, last))
    assert _read(words) == _range(start, stop + timedelta(days=1))


@pytest.mark.parametrize(("form", "months"), MONTHS_AND_QUARTERS)
@given(year=st.integers(1970, 2024), part=st.integers(1, 12))
def test_months_and_quarters(form: str, months: int, year: int, part: int) -> None:
    """One, or two that follow each other in a year, whose number stands behind the last."""
    part = min(part, 11) if months < 3 else (part + 2) // 3 if months == 3 else min((part + 2) // 3, 3)
    month = part if months < 3 else 3 * part - 2
    following = {f"{name}_next": word for name, word in _words(date(year, min(month + 1, 12), 1)).items()}
    words = form.format(**_words(date(year, month, 1)), **following, quarter=part, quarter_next=part + 1)
    stop = year * 12 + month - 1 + months
    assert _read(words) == _range(datetime(year, month, 1), datetime(stop // 12, stop % 12 + 1, 1))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("1er mars 2012", "2012-03-01 to 2012-03-02"),
        ("primera semana de marzo de 2012", "2012-03-01 to 2012-03-08"),
        ("erste Woche im März 2012", "2012-03-01 to 2012-03-08"),
        ("segunda mitad de marzo de 2012", "2012-03-16 to 2012-04-01"),
        ("summer and autumn 2012", "2012-06-01 to 2012-12-01"),
        ("Sommer 2012", "2012-06-01 to 2012-09-01"),
        ("verano de 2012", "2012-06-01 to 2012-09-01"),
        ("hiver 2008/2009", "2008-12-01 to 2009-03-01"),
        ("midi le 7 mars 2012", "2012-03-07T11:00Z to 2012-03-07T13:00Z"),
        ("gestern", "2026-03-09 to 2026-03-10"),
        ("la semana pasada", "2026-03-03 to 2026-03-10"),
        ("in der letzten Woche", "2026-03-03 to 2026-03-10"),
        ("the 1990s", "1990-01-01 to 2000-01-01"),
        ("this year", "2026-01-01 to 2026-03-10"),
        ("this week", "2026-03-09 to 2026-03-10"),
        ("29 Oct 5:00 to 30 Oct 9:00 2003", "2003-10-29T05:00Z to 2003-10-30T09:00Z"),
    ],
)
def test_parts_of_years_and_words_of_other_languages(words: str, expected: str) -> None:
    """As people say them."""
    assert str(_read(words)) == expected


def test_encounters_that_follow_each_other_are_one_range() -> None:
    """And a note says from when to when."""
    found = find_span("PSP |B| during encounters 4 and 5", NOW)
    assert found is not None
    assert (found.words, str(found.span)) == ("during encounters 4 and 5", "2020-01-24 to 2020-06-13")


def test_the_last_month_of_a_range_of_quarters_is_said() -> None:
    """Of `Q1-Q3` that is September, with which the third quarter ends."""
    found = find_span("Q1-Q3 2012", NOW)
    assert found is not None
    assert found.note == "Through September 2012, which is included."


def test_the_maximum_of_a_solar_cycle_is_a_question() -> None:
    """It is neither the whole cycle nor the greatest value in it."""
    found = find_span("ACE |B|, the maximum of solar cycle 24", NOW)
    assert found is not None
    assert found.span is None
    assert str(found.hull) == "2008-12-01 to 2019-12-01"
    assert "from when to when" in found.question
