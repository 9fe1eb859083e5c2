"""Which words name a statistic of each stretch of time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import timedelta

from helio_dagster.agent.intent import Averaging, BinMethod
from helio_dagster.agent.offline.lengths import LENGTH, LONGEST, read_length
from helio_dagster.agent.offline.meanings import Cadence, Meaning, Per, Statistic, Unclear

Read = Callable[[re.Match[str]], Meaning]

_METHODS: tuple[tuple[BinMethod, str], ...] = (
    ("mean", "averages?|averaged|means?|avg|bins?"),
    ("median", "medians?"),
    ("min", "minim(?:um|a)|lowest|smallest|mins?"),
    ("max", "maxim(?:um|a)|highest|greatest|largest|max"),
    ("std", "standard deviations?|std(?:[- ]?dev)?s?"),
    ("sum", "sums?"),
    ("count", "numbers? of (?:valid )?(?:samples|records|points)|(?:sample|record) counts?|counts?"),
)
_ALL = "|".join(pattern for _, pattern in _METHODS)
_KIND = f"(?P<kind>{_ALL})(?: values?)?"
_NAMED = "(?P<named>hourly|daily|minutely|weekly)"
_MONTHS = r"monthly|yearly|annual(?:ly)?|quarterly"
_EACH = "(?:per|each|every|(?:for|in|over|of) (?:each|every))"
_CALENDAR = "Calendar months and years have no one length, and bins here have. Which bins do you want?"


def bin_terms() -> Iterator[tuple[str, Read]]:
    """Pattern and meaning of each."""
    yield f"{LENGTH}[- ]{_KIND}", _averaging
    yield f"{_NAMED}[- ]{_KIND}", _averaging
    yield f"averaged {_NAMED}", _averaging
    link = "(?: (?:over|to|at|on|in|into|of))?(?: an?)?"
    bins = "(?:[- ](?:bins?|cadence|resolution|averages?|means?))?"
    yield f"(?:averaged|resampled?|binned){link} {LENGTH}{bins}", _averaging
    over = "|".join(pattern for method, pattern in _METHODS if method != "std")  # that of a moving window
    yield f"(?P<kind>{over}) (?:over|of) {LENGTH}", _averaging
    yield f"(?P<kind>{_ALL}) (?:(?:in|over) )?{_EACH} {LENGTH}(?:[- ](?:bins?|intervals?))?", _averaging
    yield f"(?:{_EACH}|by the|by) (?:{LENGTH}|(?P<one>minute|hour|day|week))(?:[- ](?:bins?|intervals?))?", _per
    for method, pattern in _METHODS:
        if method != "std":
            bare = {"mean": "averages?|averaged|means?", "min": "minim(?:um|a)|min(?= of)"}.get(method, pattern)
            yield bare, _always(Statistic(method))
    yield rf"{LENGTH}[- ](?:data|resolution|cadence|values?)", _cadence
    yield r"(?:(?P<count>\d+)|(?P<word>one|two|five|ten|half))-(?P<unit>s(?:ec(?:ond)?)?|min(?:ute)?|h(?:our)?)", _cadence
    yield f"{_NAMED}(?:[- ](?:data|resolution|values?))?", _cadence
    yield r"(?<=,\s)(?P<count>\d+)[-\s]?(?P<unit>s(?:ec(?:ond)?s?)?|min(?:ute)?s?)(?=\s*[.!?]?\s*$)", _cadence
    yield (
        f"(?:{_MONTHS})(?:[- ](?:{_KIND}))?|(?:{_EACH}|by the|by) (?:(?:calendar )?months?|years?|quarters?)",
        _of_the_calendar,
    )


def _always(meaning: Meaning) -> Read:
    return lambda _match: meaning


def _averaging(match: re.Match[str]) -> Meaning:
    length = read_length(match)
    return Averaging(length, _method(match.groupdict().get("kind") or "mean")) if _is_sound(length) else _no_length(match)


def _method(words: str) -> BinMethod:
    return next(method for method, each in _METHODS if re.fullmatch(each.replace(" ", r"\s+"), words, re.IGNORECASE))


def _per(match: re.Match[str]) -> Meaning:
    one = match["one"]
    length = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800}[one.lower()] if one else 0
    found = timedelta(seconds=length) if one else read_length(match)
    return Per(found) if _is_sound(found) else _no_length(match)


def _cadence(match: re.Match[str]) -> Meaning:
    length = read_length(match)
    return Cadence(length) if _is_sound(length) else _no_length(match)


def _of_the_calendar(match: re.Match[str]) -> Meaning:
    """Bins of nearly a month, or a day; what is taken of them is said beside it where the match does not."""
    kind = match["kind"]
    is_per = re.match(f"{_EACH}|by ", match[0], re.IGNORECASE) is not None
    words = "" if is_per else kind or "means"
    forms = ("per 27 days", "per 30 days", "per day") if is_per else tuple(f"{each} {words}" for each in _BINS)
    return Unclear(_CALENDAR, forms)


_BINS = ("27-day", "30-day", "daily")


def _is_sound(length: timedelta) -> bool:
    return timedelta(0) < length <= LONGEST


def _no_length(match: re.Match[str]) -> Meaning:
    return Unclear(f"{match[0]!r} is too short or longer than {LONGEST.days} days. What do you mean?", ())
