"""Operations and statistics that are of the whole range, because a request names no stretches of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Compare,
    Condition,
    Filler,
    Length,
    Mission,
    Per,
    Points,
    Shape,
    Statistic,
    Unclear,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.whole_results import STATISTICS
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, BinMethod, Pairing, Smoothing, Transform

_ONE_CROSSING = timedelta(hours=6)
_WHAT = (Measured, Derived, Mission, Shape)
_BY_OPERATION = {"welch": "spectrum", "minimum_variance": "frame"}
"""Operations that are over the whole range where no bins are named."""


def with_whole_results(reading: Reading) -> Reading:
    """The reading in which a spectrum without bins and a statistic without stretches are those of the whole range.

    Raises
    ------
    OpenQuestion
        A condition stands without saying what shall be done with what meets it.
    """
    reading = _with_speeds(_with_one_correlation(_without_extremes_within(reading)))
    changed = dict(_by_operation(reading)) | dict(_by_statistic(reading))
    mentions = tuple(changed.get(each, each) for each in reading.mentions)
    made = reading.rewritten(mentions) if changed else reading
    conditions = made.of(Condition)
    is_asked_first = any(each.is_first for each in made.all(Unclear))
    if conditions and not is_asked_first and not any(each.kind in ("intervals", "jumps", "extrema") for each in made.all(Asks)):
        lasts = all(isinstance(each.meaning, Condition) and each.meaning.at_least for each in conditions)
        if lasts or form("whole_range.listed").match(made.request):  # no value lasts, but an interval does
            asked_for = replace(conditions[0], last=conditions[0].first, words="", meaning=Asks("intervals"))
            return replace(made, mentions=(*made.mentions, asked_for), heard=reading.heard or reading.mentions)
        words, choices = _quoted(reading, conditions)
        if form("whole_range.of_energy").search(words):
            asked = "name the spacecraft, and electrons, protons or ions, or the parameter"
            raise OpenQuestion(f"I can choose no channel for {words!r} here: {asked}.")
        text = f"A limit makes intervals and picks out no values. Do you want the intervals {words!r}, or all values?"
        raise OpenQuestion(text, choices)
    return made


def _with_one_correlation(reading: Reading) -> Reading:
    """The reading in which a correlation without a window is that of the whole range: `r` of the line through the points."""
    others = {each.kind for each in reading.all(Asks)} - {"scatter", "fit"}
    pairings = [each for each in reading.mentions if each.meaning == Pairing("rolling_correlation")]
    has_stretches = reading.has(Length, Per)
    if not pairings or others or has_stretches or form("whole_range.moving").search(reading.request):
        return reading
    first, fit = pairings[0], Filler("The correlation is that of the whole range: r of the line through the points.")
    found = [replace(first, meaning=each) for each in (Asks("scatter"), Asks("fit"), fit)]
    mentions = [part for each in reading.mentions for part in (found if each is first else [each]) if part not in pairings[1:]]
    return reading.rewritten(mentions)


def _with_speeds(reading: Reading) -> Reading:
    """The reading in which the velocity is the speed where a result takes one number of it."""
    if not {each.kind for each in reading.all(Asks)} & {"scatter", "joint", "histogram", "intervals", "extrema", "jumps"}:
        return reading
    plain = Measured(("velocity",))
    if plain not in reading.all(Measured) or reading.all(Shape):
        return reading
    note = Filler("The velocity is taken as the speed, its magnitude.")
    mentions = [
        part
        for each in reading.mentions
        for part in (
            [replace(each, meaning=Measured(("speed",))), replace(each, meaning=note)] if each.meaning == plain else [each]
        )
    ]
    return reading.rewritten(mentions)


def _quoted(reading: Reading, conditions: Sequence[Mention]) -> tuple[str, list[str]]:
    """The words of a condition with what it is of, and the request for its intervals, and for all values."""
    limit = conditions[0]
    joints = [each for each in reading.of(Filler) if form("whole_range.while").fullmatch(each.words)]
    joint = next((each for each in reversed(joints) if each.first < limit.first), None)
    if joint is None:
        return limit.words, [reworded(reading, {}, first="intervals where"), without(reading, conditions)]
    words = reading.request[joint.first : limit.last]
    return words, [reworded(reading, {**dict.fromkeys(conditions, ""), joint: "and"})]


def _by_operation(reading: Reading) -> list[tuple[Mention, Mention]]:
    if reading.has(Per) or any(each.role == "bin" for each in reading.all(Length)):
        return []
    found = []
    for mention in reading.mentions:
        meaning = mention.meaning
        if not isinstance(meaning, Transform) or "bin" in meaning.options or meaning.operation not in _BY_OPERATION:
            continue
        if meaning.operation == "minimum_variance" and not _is_of_the_whole(mention, reading):
            continue
        is_method = mention.words.casefold() == "welch" and not (reading.all(Points) or _is_named_besides(mention, reading))
        if meaning.operation == "welch" and (is_method or reading.has(Length)):
            continue
        found.append((mention, replace(mention, meaning=Asks(_BY_OPERATION[meaning.operation]))))
    return found


def _is_named_besides(mention: Mention, reading: Reading) -> bool:
    """Whether a spectrum is named in other words, too: `spectrum of …, by Welch's method`."""
    return any(
        isinstance(each.meaning, Transform) and each.meaning.operation == "welch"
        for each in reading.mentions
        if each != mention
    )


def _is_of_the_whole(mention: Mention, reading: Reading) -> bool:
    """Whether minimum variance is that of the whole range: an analysis, or so short a range that it has no bins."""
    span = reading.span
    is_short = span is not None and span.duration < _ONE_CROSSING
    is_said = form("whole_range.of_the_whole").search(reading.request) is not None
    return is_short or is_said or mention.words.casefold().endswith(("analysis", "mva"))


def _without_extremes_within(reading: Reading) -> Reading:
    """The reading without the extreme of a result that has one: `lag of the maximum cross-correlation`."""
    results = [each for each in reading.of(Asks, Pairing) if form("whole_range.result").search(each.words)]
    within = [
        each
        for each in reading.mentions
        if each.meaning == Statistic("max")
        and any(
            form("whole_range.before").fullmatch(reading.request[each.last : result.first])
            for result in results
            if result.first >= each.last
        )
    ]
    if not within or not any(each.kind == "lag" for each in reading.all(Asks)):
        return reading
    mentions = tuple(each for each in reading.mentions if each not in within and not isinstance(each.meaning, Pairing))
    return reading.rewritten(mentions)


def _as_statistic(mention: Mention, reading: Reading) -> BinMethod | None:
    """The statistic that a mention is of the whole range; a standard deviation is one where no window is named."""
    meaning = mention.meaning
    if isinstance(meaning, Statistic):
        return meaning.method
    is_std = (
        isinstance(meaning, Transform) and meaning.operation == "rolling_statistic" and meaning.options == {"statistic": "std"}
    )
    is_listed = reading.has(Statistic)
    return (
        "std" if is_std and is_listed and not re.match("moving|running|rolling|sliding", mention.words, re.IGNORECASE) else None
    )


def _by_statistic(reading: Reading) -> list[tuple[Mention, Mention]]:
    """Statistics without a stretch of time: numbers of the whole range."""
    others = (Per, Length, Cadence, Averaging, Smoothing, Transform, Pairing, Compare)
    found = {each: method for each in reading.mentions if (method := _as_statistic(each, reading))}
    statistics, methods = list(found), list(found.values())
    is_beside = {each.kind for each in reading.all(Asks)} in ({"histogram"}, {"histogram", "bins"})
    is_of_bins = reading.has(Per, Length, Averaging)
    if is_beside and not is_of_bins and all(each in STATISTICS for each in methods):
        beside = Asks("beside", (("statistics", ",".join(STATISTICS[each] for each in dict.fromkeys(methods))),))
        return [(each, replace(each, meaning=beside)) for each in statistics]
    if (
        not statistics
        or any(each.kind != "facts" for each in reading.all(Asks))
        or any(isinstance(each.meaning, others) for each in reading.mentions if each not in found)
    ):
        return []
    if any(method not in STATISTICS for method in methods) or not all(
        _is_of_what_follows(each, reading) for each in statistics
    ):
        return []
    whole = Asks("facts", (("statistics", ",".join(dict.fromkeys(methods))),))
    return [(each, replace(each, meaning=whole)) for each in statistics]


def _is_of_what_follows(statistic: Mention, reading: Reading) -> bool:
    """Whether `largest` is said of a quantity, and not of a storm; nouns such as `maximum` may stand anywhere."""
    if form("whole_range.adjective").fullmatch(statistic.words.strip()) is None:
        return True
    after = [each for each in reading.mentions if each.first >= statistic.last and isinstance(each.meaning, _WHAT)]
    before = [
        each for each in reading.mentions if each.last <= statistic.first and isinstance(each.meaning, Measured | Derived)
    ]
    if (
        before
        and form("whole_range.behind").fullmatch(reading.request[before[-1].last : statistic.first])
        and form("whole_range.when").match(reading.request)
    ):
        return True  # `when was Dst lowest`
    return bool(after) and form("whole_range.between").fullmatch(reading.request[statistic.last : after[0].first]) is not None
