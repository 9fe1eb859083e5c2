"""Lengths of time in the words of a request."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.time_words import NUMBER_WORDS

LONGEST = timedelta(days=31)
"""The longest window or bin that is understood."""
_UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_NAMED = {
    "hourly": timedelta(hours=1),
    "minutely": timedelta(minutes=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(days=7),
}
_COUNT = rf"(?:(?P<count>\d+(?:\.\d+)?)[\s-]*|(?P<word>half an?|an?|{'|'.join(NUMBER_WORDS)})[\s-]+)"
UNIT_NAMES = "ms(?:ecs?)?|milliseconds?|s(?:ec(?:ond)?s?)?|min(?:ute)?s?|h(?:(?:ou)?rs?)?|days?|(?<=-)hourly"
LENGTH = rf"{_COUNT}(?P<unit>{UNIT_NAMES})"
"""A pattern of `10 minutes`, `half an hour`, `5-min`, for `read_length`."""


def read_length(match: re.Match[str]) -> timedelta:
    """The length that a match of `LENGTH`, or of a group `named`, names."""
    parts = match.groupdict()
    if parts.get("named"):
        return read_named_length(parts["named"])
    if parts.get("count"):
        return count_lengths(parts["count"], parts["unit"])
    word = parts["word"].lower()
    number = 0.5 if word.startswith("half") else NUMBER_WORDS.get(word, 1)
    return number * read_named_length(parts["unit"])


def count_lengths(count: str, unit: str) -> timedelta:
    """So many of a unit: `0.0078125` and `seconds`; below a minute to the nanosecond, else to the microsecond."""
    size, number = read_named_length(unit), min(Fraction(count), Fraction(10**6))
    return duration_from_ns(round(number * duration_ns(size))) if size < timedelta(minutes=1) else float(number) * size


def read_named_length(word: str) -> timedelta:
    """What `hourly`, or the name of a unit, means."""
    folded = word.lower()
    return _NAMED[folded] if folded in _NAMED else _UNITS["ms" if folded.startswith(("ms", "milli")) else folded[0]]


def find_length(text: str) -> timedelta | None:
    """The length that a text is, and nothing else; None where it is another."""
    match = re.fullmatch(LENGTH, text.strip(), re.IGNORECASE)
    length = read_length(match) if match else timedelta(0)
    return length if timedelta(0) < length <= LONGEST else None
