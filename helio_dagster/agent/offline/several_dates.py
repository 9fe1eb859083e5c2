"""Several times of a request: `|B| on 2003-10-29, 2004-11-08 and 21 Jan 2005` is a figure of each."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from helio_dagster.agent.intent import Pairing, Transform
from helio_dagster.agent.offline.meanings import Asks, Compare, LeftOut, Statistic
from helio_dagster.agent.offline.request_reading import Reading, named_time
from helio_dagster.catalog.times.phrases import FoundSpan

MOST_DATES = 24
_JOINT = re.compile(r"[\s,;]*(?:(?:and|as well as|plus|&)\s+(?:on\s+|in\s+|for\s+)?)?", re.IGNORECASE)
_OF_ALL = (Asks, Compare, LeftOut, Pairing, Statistic)
"""What is one result of everything, and not one of each time."""


def with_several_dates(reading: Reading) -> Reading:
    """The reading with all its times, where they are a list of ranges that do not overlap; else as it is."""
    is_of_all = any(isinstance(each.meaning, _OF_ALL) for each in reading.mentions)
    is_of_all = is_of_all or any(each.operation == "superposed_epoch" for each in reading.all(Transform))
    if is_of_all or reading.time is None or reading.time.span is None or not reading.unknown:
        return reading
    found = _times(reading, reading.time)
    spans = sorted((each.span for each in found if each.span is not None), key=lambda each: each.start)
    is_list = all(_JOINT.fullmatch(reading.request[one.last : other.first]) for one, other in pairwise(found))
    are_apart = all(one.stop <= other.start for one, other in pairwise(spans))
    if not 1 < len(spans) == len(found) <= MOST_DATES or not is_list or not are_apart:
        return reading

    def is_free(at: int) -> bool:
        return not any(each.first <= at < each.last for each in found)

    return replace(
        reading,
        mentions=tuple(each for each in reading.mentions if is_free(each.first)),
        unknown=tuple(each for each in reading.unknown if is_free(each.first)),
        dates=tuple(spans),
    )


def _times(reading: Reading, first: FoundSpan) -> list[FoundSpan]:
    """The time of a request and those that stand after or before it, in their order."""
    found, text = [first], reading.request
    for _ in range(MOST_DATES):
        last = found[-1]
        text = f"{text[: last.first]}{' ' * (last.last - last.first)}{text[last.last :]}"
        time = named_time(text, reading.now)
        if time is None:
            break
        found.append(time)
    return sorted(found, key=lambda each: each.first)
