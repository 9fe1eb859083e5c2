"""Several times of a request: `|B| on 2003-10-29, 2004-11-08 and 21 Jan 2005` is a figure of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Asks, Compare, Filler, LeftOut, LimitedEvents, Statistic
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.request_times import blank, blanked, named_time
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.times.phrases import FoundSpan
from helio_dagster.domain.time_range import TimeRange

MOST_DATES = 24
_OF_ALL = (Asks, Compare, LeftOut, LimitedEvents, Pairing, Statistic)
"""What is one result of everything, and not one of each time."""


def with_several_dates(reading: Reading) -> Reading:
    """The reading with all its times, where they are a list of ranges that do not overlap; else as it is.

    Days that follow one another are one range.
    """
    if reading.time is None or reading.time.span is None or not (reading.unknown or _numbers_after(reading, reading.time)):
        return reading
    found = times_of(reading)
    spans = sorted((each.span for each in found if each.span is not None), key=lambda each: each.start)
    is_list = all(form("dates.joint").fullmatch(reading.request[one.last : other.first]) for one, other in pairwise(found))
    are_apart = all(one.stop <= other.start for one, other in pairwise(spans))
    if not 1 < len(spans) == len(found) <= MOST_DATES or not is_list or not are_apart:
        return reading
    is_of_a_month = days_before(reading.request, reading.time) or _days_after(reading)
    if is_of_a_month and all(one.stop == other.start for one, other in pairwise(spans)):
        whole = TimeRange(spans[0].start, spans[-1].stop)
        words = reading.request[found[0].first : found[-1].last]
        time = FoundSpan(found[0].first, found[-1].last, words, whole, f"The range is {whole}.")
        return replace(_without_times(reading, found), time=time)
    reading = _without_idle_exclusions(reading, spans)
    is_of_all = reading.has(*_OF_ALL)
    if is_of_all or any(each.operation == "superposed_epoch" for each in reading.all(Transform)):
        return reading
    places = tuple((each.first, each.last) for each in found)
    return replace(_without_times(reading, found), dates=tuple(spans), dated=places)


def times_of(reading: Reading) -> list[FoundSpan]:
    """The time of a request and those that stand after or before it, in their order."""
    if reading.time is None:
        return []
    found, text = [reading.time], reading.request
    for each in reading.of(LeftOut):
        text = blank(text, each.first, each.last)
    for _ in range(MOST_DATES):
        text = blanked(text, found[-1])
        time = named_time(text, reading.now)
        if time is None:
            break
        found.append(time)
    parts = [*_parts_of_its_year(reading, reading.time), *_numbers_after(reading, reading.time)]
    found = [each for each in found if not any(each.first < part.last and part.first < each.last for part in parts)]
    found += [*_days_of_its_month(reading, reading.time), *parts]
    return _days_after(reading) or sorted(found, key=lambda each: each.first)


def days_before(text: str, time: FoundSpan) -> re.Match[str] | None:
    """The days that are listed before a day of the same month: `3, 4 and` of `3, 4 and 5 April 2010`."""
    is_day = form("dates.days_of").match(text[time.first : time.last].strip(" ,"))
    return form("dates.days_before").search(text[: time.first]) if is_day else None


def _days_of_its_month(reading: Reading, time: FoundSpan) -> list[FoundSpan]:
    listed = days_before(reading.request, time)
    month = form("dates.days_of").match(reading.request[time.first : time.last].strip(" ,"))
    if listed is None or month is None or form("dates.numbered").search(reading.request[: listed.start()]):
        return []
    days = [*form("dates.a_day").finditer(listed[0])]
    found = [(day, named_time(f"{day[0]} {month['month']}", reading.now)) for day in days]
    return [_said(each, day, listed.start()) for day, each in found if each is not None]


def _parts_of_its_year(reading: Reading, time: FoundSpan) -> list[FoundSpan]:
    """The months or quarters that are listed before one of the same year: `January and` of `January and March 2008`."""
    of_year = form("dates.part_of").fullmatch(time.words.strip(" ,"))
    listed = form("dates.parts_before").search(reading.request[: time.first])
    found: list[FoundSpan] = []
    for each in reversed([*form("dates.a_part").finditer(listed[0])]) if of_year and listed else ():
        words = f"{each[0]} {of_year['year'] if of_year else ''}"
        part = named_time(words, reading.now)
        if part is None or part.span is None or part.words.strip() != words:
            break
        found.append(_said(part, each, listed.start() if listed else 0))
    return found


def _numbers_after(reading: Reading, time: FoundSpan) -> list[FoundSpan]:
    """The numbers that are listed behind a time with a number: `, 6 and 8` of `encounters 4, 6 and 8`."""
    text, number = reading.request, form("dates.named_number").search(time.words)
    listed = form("dates.numbers_after").match(text, time.last)
    if number is None or listed is None:
        return []
    before, numbers = text[: time.first + number.start("number")], [*form("dates.a_number").finditer(listed[0])]
    parts = [named_time(f"{before}{each[0]}{text[listed.end() :]}", reading.now) for each in numbers]
    found = [_said(part, each, time.last) for part, each in zip(parts, numbers, strict=True) if part and part.span]
    return found if len(found) == len(numbers) and all(part and part.first == time.first for part in parts) else []


def _said(time: FoundSpan, words: re.Match[str], start: int) -> FoundSpan:
    """A time as it is said by words of a part of the request that begins at `start`."""
    return replace(time, first=start + words.start(), last=start + words.end(), words=words[0])


def _days_after(reading: Reading) -> list[FoundSpan]:
    """The days that are listed after a month, if its year follows them: `April 3 and 5, 2010`."""
    match = form("dates.days_after").search(reading.request)
    if match is None or reading.time is None or not match.start() <= reading.time.last <= match.end():
        return []
    found = []
    for each in form("dates.a_day").finditer(match["days"]):
        time = named_time(f"{match['month']} {each[0]}, {match['year']}", reading.now)
        found += [_said(time, each, match.start("days"))] if time else []
    if not found:
        return []
    first = replace(found[0], first=min(reading.time.first, match.start()))
    return [first, *found[1:-1], replace(found[-1], last=match.end())]


def _without_times(reading: Reading, found: Sequence[FoundSpan]) -> Reading:
    """The reading without what its times are read of."""

    def is_free(at: int) -> bool:
        return not any(each.first <= at < each.last for each in found)

    return replace(
        reading,
        mentions=tuple(each for each in reading.mentions if is_free(each.first)),
        unknown=tuple(each for each in reading.unknown if is_free(each.first)),
    )


def _without_idle_exclusions(reading: Reading, dates: Sequence[TimeRange]) -> Reading:
    """The reading without times left out that lie in none of the dates, which says so: `3 and 5 April but not 4`."""

    def is_idle(mention: Mention) -> bool:
        meaning = mention.meaning
        spans = meaning.excluded.spans if isinstance(meaning, LeftOut) else ()
        return bool(spans) and not any(date.overlaps(each) for date in dates for each in spans)

    stated = {each: Filler(f"{each.words!r} lies in none of the dates.") for each in reading.mentions if is_idle(each)}
    return replace(reading, mentions=tuple(replace(each, meaning=stated.get(each, each.meaning)) for each in reading.mentions))
