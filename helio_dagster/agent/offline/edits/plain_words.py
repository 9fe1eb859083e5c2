"""A follow-up without courtesy and without what it says of things that stay, in the words that its readers know."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.number_words import with_digits
from helio_dagster.agent.offline.short_forms import OF_CHANGES, written_out
from helio_dagster.catalog.times.changes import of_this_year
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.time_range import TimeRange

_DAY_ALONE = re.compile(
    r"\b(on|of|from|at|to|until|till|through|by) the (\d{1,2})(?:st|nd|rd|th)\b"
    r"(?! of\b|\s*(?:to|through|thru|until|till|and|-|–)\s*(?:the )?\d)",
    re.IGNORECASE,
)
_DAYS = timedelta(days=62)
_MONTH = timedelta(days=27)
_LONGEST_MONTH = 31


def with_dates(text: str, span: TimeRange) -> str:
    """A sentence in which `on the 12th` is the one such day of the range on the table, and `that year` its year."""
    text = re.sub(r"\b(?:of |in )?(?:the same|that) year\b", f"{span.start:%Y}", text, flags=re.IGNORECASE)
    text = _with_year(text, span)
    if span.duration > _DAYS:
        return text
    text = re.sub(r"^(?:and |now |for )*the (?=\d{1,2}(?:st|nd|rd|th)$)", "on the ", text, flags=re.IGNORECASE)
    days = [span.start + timedelta(days=each) for each in range(span.duration.days + 1)]

    def dated(match: re.Match[str]) -> str:
        of_month = [span.start + timedelta(days=each) for each in range(-_LONGEST_MONTH, _LONGEST_MONTH + 1)]
        of_month = [each for each in of_month if each.month == span.start.month and len(days) <= _LONGEST_MONTH]
        target = [each for each in days if each.day == int(match[2]) and each < span.stop]
        target = target or [each for each in of_month if each.day == int(match[2])]
        return f"{match[1]} {target[0]:%Y-%m-%d}" if len(target) == 1 else match[0]

    return _DAY_ALONE.sub(dated, text)


def without_old_time(text: str, span: TimeRange, now: datetime) -> str:
    """A sentence without the time that its new one takes the place of, where that is what is drawn: `2004 instead of 2003`."""
    match = matched("plain_words.old_time", text)
    if match is None:
        return text
    words = f"{match['old']} {span.start:%Y}" if matched("plain_words.part", match["old"]) else match["old"].strip()
    if (old := find_span(words, now)) is None or old.words.strip() != words:
        return text
    named = old.span or of_this_year(words, old, span)
    return str(match["new"]) if named is not None and named.overlaps(span) else text


def _with_year(text: str, span: TimeRange) -> str:
    """What is left out on days without their year is of the year of the range."""
    year = f"{span.start:%Y}"
    if year != f"{span.stop - timedelta(microseconds=1):%Y}" or re.search(r"\b[12]\d{3}\b", text):
        return text
    part = matched("plain_words.part", text)
    if part is not None and span.duration > (5 * _DAYS if part["of_year"] else _MONTH):
        return f"for {part['part']} {'of ' if part['of_year'] else ''}{year}"
    if matched("plain_words.left_out", text) is None:
        return text
    return form("plain_words.day").sub(lambda match: f"{match[0]} {year}", text)


def without_courtesy(request: str) -> str:
    """A sentence without words such as `please` and `could you` around it."""
    return form("plain_words.polite").sub("", request.strip(" .!?"))


def in_plain_words(request: str) -> str:
    """A sentence in the words that the readers of changes know."""
    text = re.sub(r"^(?:and|with) (?!now\b)", "also ", " ".join(request.split()).strip(" .!?"), flags=re.IGNORECASE)
    text = form("plain_words.as_it_is").sub("", text)
    text = form("plain_words.the_rest").sub("", form("plain_words.polite").sub("", text).strip(" .!?,"))
    text = form("plain_words.compared").sub(r"\g<what> ", with_digits(written_out(text, OF_CHANGES)))
    text = " ".join(text.split())
    return form("plain_words.taken_out").sub(r"remove \g<what>", text)
