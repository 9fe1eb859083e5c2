"""A statistic and the stretch of time that it is taken of, given apart in a sentence, brought together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.offline.meanings import Asks, Cadence, Filler, Length, Meaning, Per, Statistic
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, BinMethod, Pairing, Smoothing, Transform

_LISTED = re.compile(r"\s*(?:,|,?\s*(?:and|&|plus))\s*(?:(?:the|a)\s+)?", re.IGNORECASE)
_COVERAGE = Asks("facts", (("statistics", "coverage"),))
_MOVING: dict[BinMethod, str] = {"median": "median", "min": "minimum", "max": "maximum"}
"""Statistics of a moving window, and what they are called."""


def with_statistics(reading: Reading) -> Reading:
    """The reading in which `maximum … per day` is one average over bins, and `median … with a 1-hour window` a moving one.

    Raises
    ------
    OpenQuestion
        A statistic has no stretch of time, a stretch no statistic, or there are several.
    """
    reading = _of_the_same_bins(_listed_with_moving(reading))
    statistics, stretches = reading.of(Statistic), reading.of(Per)
    spread, bins = [each for each in reading.of(Transform) if _is_spread(each)], reading.of(Length)
    if len(spread) == len(bins) == 1 and isinstance(bins[0].meaning, Length) and bins[0].meaning.role == "bin":
        return _merged(reading, [*spread, *bins], Averaging(bins[0].meaning.length, "std"))
    if not statistics and not stretches:
        return reading
    if len(statistics) > 1 or len({each.meaning for each in stretches}) > 1:
        words = " and ".join(repr(each.words) for each in (*statistics, *stretches))
        each_alone = [without(reading, [each for each in statistics if each != kept]) for kept in statistics]
        raise OpenQuestion(f"The request names {words}. Which one do you want?", each_alone)
    if not statistics:
        return _with_each(reading, stretches)
    (statistic,) = statistics
    assert isinstance(statistic.meaning, Statistic)  # noqa: S101 - chosen so
    method = statistic.meaning.method
    if stretches:
        return _merged(reading, [statistic, *stretches], Averaging(_length(stretches[0]), method))
    return _of_lengths(reading, statistic, method)


def _of_the_same_bins(reading: Reading) -> Reading:
    """The reading in which `mean and maximum per day` and `daily mean and maximum` are averages over the same bins."""
    statistics = [each for each in reading.mentions if isinstance(each.meaning, Statistic) or _is_spread(each)]
    stretches = reading.of(Per)
    bins = [each for each in reading.of(Length) if isinstance(each.meaning, Length) and each.meaning.role == "bin"]
    lengths = {_length(each) for each in stretches} | {each.meaning.length for each in bins if isinstance(each.meaning, Length)}
    if len(statistics) > 1 and not are_of_the_same(reading, statistics):
        return reading
    if len(statistics) > 1 and len(lengths) == 1 and not reading.all(Averaging):
        (length,) = lengths
        return _replaced(reading, {each: Averaging(length, _method(each)) for each in statistics}, [*stretches, *bins])
    new: dict[Mention, Averaging] = {}
    before: Mention | None = None
    for each in (one for one in reading.mentions if not isinstance(one.meaning, Filler)):
        known = new.get(before, before.meaning) if before is not None else None
        is_listed = before is not None and _LISTED.fullmatch(reading.request[before.last : each.first]) is not None
        if is_listed and isinstance(known, Averaging) and each in statistics:
            new[each] = Averaging(known.length, _method(each))
        before = each
    return _replaced(reading, new, []) if new else reading


def are_of_the_same(reading: Reading, statistics: Sequence[Mention]) -> bool:
    """Whether statistics are of the same quantities; `mean of the speed and maximum of the density` are not."""
    first, last = statistics[0], statistics[-1]
    named = reading.of(Measured, Derived)
    between = any(first.last <= each.first < last.first for each in named)
    return not (between and any(each.first >= last.last for each in named))


def _method(mention: Mention) -> BinMethod:
    """The statistic that a mention is; a spread is a standard deviation."""
    return mention.meaning.method if isinstance(mention.meaning, Statistic) else "std"


def _replaced(reading: Reading, new: Mapping[Mention, Meaning], dropped: Sequence[Mention]) -> Reading:
    """The reading with other meanings of some mentions, and without others."""
    mentions = [replace(each, meaning=new.get(each, each.meaning)) for each in reading.mentions if each not in dropped]
    return reading.rewritten(mentions)


def _listed_with_moving(reading: Reading) -> Reading:
    """The reading in which `running median, minimum and maximum` are all moving: what is listed has one window."""
    mentions = list(reading.mentions)
    last: int | None = None
    for place, each in enumerate(reading.mentions):
        if isinstance(each.meaning, Filler):
            continue
        is_listed = last is not None and _LISTED.fullmatch(reading.request[last : each.first]) is not None
        last = None
        if is_listed and isinstance(each.meaning, Statistic) and each.meaning.method in _MOVING:
            method = each.meaning.method
            moving = Transform("rolling_statistic", f"moving {_MOVING[method]}", {"statistic": method})
            mentions[place] = replace(each, meaning=moving)
        meaning = mentions[place].meaning
        if isinstance(meaning, Transform) and meaning.operation == "rolling_statistic":
            last = each.last
    if mentions == list(reading.mentions):
        return reading
    return reading.rewritten(mentions)


def _of_lengths(reading: Reading, statistic: Mention, method: BinMethod) -> Reading:
    """A statistic whose stretch is given by a window, a bin or a cadence elsewhere in the sentence."""
    takes_lengths = any(each.operation != "rolling_statistic" for each in reading.all(Transform)) or reading.all(Pairing)
    lengths = [] if takes_lengths else reading.of(Length)
    cadences = reading.of(Cadence)
    for mention in lengths:
        assert isinstance(mention.meaning, Length)  # noqa: S101 - chosen so
        if mention.meaning.role == "bin":
            return _merged(reading, [statistic, mention], Averaging(mention.meaning.length, method))
        is_verb = statistic.words.lower().startswith("averag") and "window" not in mention.words.lower()
        if mention.meaning.role == "window" and method == "mean" and is_verb:
            return _merged(reading, [statistic, mention], Averaging(mention.meaning.length, method))
        if mention.meaning.role == "window" and method == "mean":
            return _merged(reading, [statistic, mention], Smoothing(mention.meaning.length))
        if mention.meaning.role == "window" and method in _MOVING:
            moving = Transform("rolling_statistic", f"moving {_MOVING[method]}", {"statistic": method})
            return _merged(reading, [statistic], moving)
    if len(cadences) == 1:
        return _merged(reading, [statistic, *cadences], Averaging(_length(cadences[0]), method))
    if method == "mean" and reading.has(Averaging, Smoothing):
        return _merged(reading, [statistic], None)
    choices = [reworded(reading, {statistic: f"{bins} {spoken_method(method)}"}) for bins in ("hourly", "daily")]
    what = "Over which bins are the means" if method == "mean" else f"Of which bins are the {spoken_method(method)}"
    raise OpenQuestion(f"{what} wanted?", choices)


def _with_each(reading: Reading, stretches: Sequence[Mention]) -> Reading:
    """A stretch whose statistic is the spread, or that of an average beside it; else it must be said what is wanted of each."""
    length = _length(stretches[0])
    if asked := [each for each in reading.of(Asks) if each.meaning != _COVERAGE]:
        text = f"One {asked[0].words.strip()!r} is made of the whole range, and none for each {spoken(length)} bin."
        raise OpenQuestion(
            f"{text.replace('1-', '')} Do you want that of the whole range?", [without(reading, list(stretches))]
        )
    if any(each.operation in ("welch", "minimum_variance") and "bin" not in each.options for each in reading.all(Transform)):
        return _merged(reading, list(stretches), Length("bin", length))
    spread = [each for each in reading.of(Transform) if _is_spread(each)]
    if len(spread) == 1:
        return _merged(reading, [*spread, *stretches], Averaging(length, "std"))
    if any(each.length == length for each in reading.all(Averaging)):
        return _merged(reading, list(stretches), None)
    words = spoken(length).replace("-", " ").removeprefix("1 ")
    rest = dict.fromkeys(stretches[1:], "")
    choices = [reworded(reading, {**rest, stretches[0]: f"{spoken(length)} {each}"}) for each in ("means", "minima", "maxima")]
    raise OpenQuestion(f"What of each {words} is wanted: the mean, the minimum, the maximum?", choices)


def _is_spread(mention: Mention) -> bool:
    """Whether a standard deviation is meant whose window is not said with it."""
    return isinstance(mention.meaning, Transform) and mention.meaning.options == {"statistic": "std"}


def _merged(reading: Reading, parts: Sequence[Mention], meaning: Meaning | None) -> Reading:
    """The reading with one meaning at the place of several mentions, or without them."""
    whole = [] if meaning is None else [replace(parts[0], meaning=meaning)]
    mentions = [each for each in reading.mentions if each not in parts]
    ordered = sorted([*mentions, *whole], key=lambda each: each.first)
    return reading.rewritten(ordered)


def _length(mention: Mention) -> timedelta:
    assert isinstance(mention.meaning, Per | Cadence)  # noqa: S101 - chosen so
    return mention.meaning.length
