"""Counts, units and clocks in sentences that change a time range, and a range moved by a length of time."""

from __future__ import annotations

import re
from datetime import datetime

from helio_dagster.catalog.times.counted import month_later
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.time_words import NUMBER_WORDS, UNIT_LENGTH, moment_period

COUNT = rf"(?:(?P<count>\d{{1,9}}|an?|one more|{'|'.join(NUMBER_WORDS)})(?:\s+more)?\s+)?"
UNIT = r"(?P<unit>second|minute|hour|day|week|month|year)s?"
POLITE = (
    r"(?:(?:and |now |please |show |show me |go to |try |what about |the |for |same |again |also |do |it |actually |"
    r"rather |can you |"
    r"could you |i want |let me see |give me |make it |make that |can we have |could we have |we need |i need |"
    r"what happened |how was it |let us see )*)"
)
_SHORT = (
    (re.compile(r"\bhalf an? (?:hour|hr)\b", re.I), "30 minutes"),
    (re.compile(r"\bhalf a day\b", re.I), "12 hours"),
    (re.compile(r"\b(?:an|one|1) (?:hour|hr) and a half\b|\b1\.5 (?:hours|hrs?)\b", re.I), "90 minutes"),
    (re.compile(r"(?<=\d )yrs?\b|(?<=\d)yrs?\b|(?<=\ba )yr\b", re.I), " years"),
    (re.compile(r"(?<=\d )wks?\b|(?<=\d)wks?\b|(?<=\ba )wk\b", re.I), " weeks"),
    (re.compile(r"(?<=\d )hrs?\b|(?<=\d)hrs?\b|(?<=\ban )hr\b", re.I), " hours"),
    (re.compile(r"(?<=\d )mins?\b|(?<=\d)mins?\b|(?<=\ba )min\b", re.I), " minutes"),
    (re.compile(r"\ba couple(?: of)?(?= )", re.I), "2"),
    (re.compile(r"\b(?:one|a|1) (?:full )?solar rotation(?: \(27 days\))?", re.I), "27 days"),
    (
        re.compile(r"\b(?:another|one more|an extra|an additional)(?= (?:second|minute|hour|day|week|month|year)\b)", re.I),
        "1 more",
    ),
    (re.compile(r"\s+(?:\(27 days\))", re.I), ""),
    (re.compile(r"\bat noon\b", re.I), "at 12:00"),
)
"""Short ways of saying lengths, as the patterns here read them; a rotation of the Sun seen from the Earth is 27 days."""


def in_full(text: str) -> str:
    """A sentence with its lengths as the patterns have them: `half an hr` as `30 minutes`."""
    for pattern, words in _SHORT:
        text = " ".join(pattern.sub(words, text).split())
    return text


def clock_on(day: datetime, clock: str) -> datetime:
    """The moment of a clock such as `6:11` on a day; InputError where it is none."""
    hours, _, rest = clock.partition(":")
    return moment_period(f"{day:%Y-%m-%d}", f"{int(hours):02d}:{rest or '00'}", "", clock).start


def number_of(text: str | None) -> int:
    """A count in figures or words; one where none is said."""
    word = (text or "one").lower()
    return int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 1)


def moved_by(span: TimeRange, count: int, unit: str) -> TimeRange:
    """A range later by a count of units, by calendar months and years; InputError where it is out of range."""
    if unit not in ("month", "year"):
        try:
            length = count * UNIT_LENGTH[unit]
            return TimeRange(span.start + length, span.stop + length)
        except OverflowError:
            raise InputError(f"{span} moved by {count} {unit}s is out of range", hint="Give a smaller number.") from None
    months = count * (12 if unit == "year" else 1)
    return TimeRange(month_later(span.start, months), month_later(span.stop, months))
