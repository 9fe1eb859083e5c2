"""`only` beside what is wanted, which asks for nothing else: `only ACE speed`, `ACE speed only`."""

from __future__ import annotations

import re

from helio_dagster.agent.offline.meanings import Condition, Dataset, Filler, Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured

_WANTED = (Measured, Derived, Mission, Dataset, Instrument)
_BEFORE = re.compile(r"\s+(?:the\s+)?", re.IGNORECASE)
_BEHIND = re.compile(r"\s*(?:$|[,;:.])")


def with_only(reading: Reading) -> Reading:
    """The reading with the word understood, where no limit is named that it may be of."""
    if reading.has(Condition):
        return reading
    unknown = [each for each in reading.unknown if each.words.casefold() == "only" and _is_beside(each, reading)]
    note = "Nothing else is drawn, as the request says."
    return reading.with_meanings([Mention(Filler(note), each.first, each.last, each.words) for each in unknown])


def _is_beside(only: Mention, reading: Reading) -> bool:
    """Whether the word stands right before what is wanted, or right behind it at the end of its clause."""
    text = reading.request
    wanted = reading.of(*_WANTED)
    if any(_BEFORE.fullmatch(text[only.last : each.first]) for each in wanted):
        return True
    at_time = reading.time is not None and not text[only.last : reading.time.first].strip() and only.last < reading.time.first
    is_last = at_time or _BEHIND.match(text[only.last :]) is not None
    return is_last and any(each.last < only.first and not text[each.last : only.first].strip() for each in wanted)
