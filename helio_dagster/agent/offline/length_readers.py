"""What words for lengths of time and for frequencies mean: of averages, windows and filters, around events, between samples."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from helio_dagster.agent.offline.meanings import Cadence, Condition, Meaning, Unclear
from helio_dagster.agent.treatments import BinMethod, Smoothing, Transform
from helio_dagster.catalog.times.lengths import LONGEST, count_lengths, read_length
from helio_dagster.catalog.times.spoken_events import SUPERPOSED
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.time_words import NUMBER_WORDS

Read = Callable[[re.Match[str]], Meaning]
_METHODS: tuple[BinMethod, ...] = ("mean", "median", "min", "max", "std", "sum")
_ONE = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
_CALENDAR = "Calendar months and years have no one length, and bins here have. Which bins do you want?"
_WAVELET, _PASS = re.compile("wavelet", re.IGNORECASE), re.compile(r"pass|filter|butterworth", re.IGNORECASE)
_FILTER = re.compile(r"pass|filter|butterworth|spectr|\bpsd\b", re.IGNORECASE)
_OPPOSITE = {"above_hz": "below_hz", "below_hz": "above_hz"}
_SPECTRUM = re.compile(r"slope|spectr|\bpsd\b", re.IGNORECASE)


def of_length(make: Callable[[timedelta, re.Match[str]], Meaning]) -> Read:
    """What a length of time means, made by `make`; a question where it is none."""

    def read(match: re.Match[str]) -> Meaning:
        one = match.groupdict().get("one")
        length = _ONE[one.lower()] if one else read_length(match)
        return make(length, match) if is_sound(length) else no_length(match)

    return read


def smoothing(match: re.Match[str]) -> Meaning:
    """A running mean, with its length where one is said."""
    if not match.groupdict().get("unit"):
        return Smoothing(None)
    length = read_length(match)
    return Smoothing(length) if is_sound(length) else no_length(match)


def method_of(match: re.Match[str]) -> BinMethod:
    """The statistic that words for bins name."""
    named = match.groupdict()
    return "count" if named.get("count_of") else next((method for method in _METHODS if named.get(method)), "mean")


def calendar(match: re.Match[str]) -> Meaning:
    """Bins of nearly a month, or a day; what is taken of them is said beside it where the match does not."""
    is_per = re.match(r"(?:per|each|every|for|in|over|of|by)\b", match[0], re.IGNORECASE) is not None
    kind = re.sub(r"^(?:calendar[- ])?\w+[- ]?", "", " ".join(match[0].split()), flags=re.IGNORECASE) or "means"
    forms = ("per 27 days", "per 30 days", "per day") if is_per else tuple(f"{each} {kind}" for each in _BINS)
    return Unclear(_CALENDAR, forms)


_BINS = ("27-day", "30-day", "daily")


def both_sides(match: re.Match[str]) -> Meaning:
    """`12 hours on either side`, of the events of a superposed epoch."""
    length = read_length(match)
    if not SUPERPOSED.search(match.string) or not is_sound(length):
        return Unclear(f"What is {match[0]!r} around? Give the first and the last time instead.", ())
    reach = format_duration(length)
    return Transform("superposed_epoch", "superposed epoch", {"before": reach, "after": reach})


def _two_lengths(match: re.Match[str]) -> tuple[timedelta, timedelta] | None:
    unit = match["unit2"] or match["unit1"]  # `two days before and five after`
    if not (match["count1"] and match["count2"] and unit):
        return None
    first, second = (
        count_lengths(str(NUMBER_WORDS.get(match[f"count{at}"].lower(), match[f"count{at}"])), match[f"unit{at}"] or unit)
        for at in (1, 2)
    )
    return first, second


def periods(match: re.Match[str]) -> Meaning:
    """`periods from 1 to 10 hours`, of wavelets."""
    lengths = _two_lengths(match)
    if lengths is None or not timedelta(0) < lengths[0] < lengths[1]:
        return Unclear(f"{match[0]!r} is not a range of periods. Which one do you mean?", ())
    shortest, longest = map(format_duration, lengths)
    return Transform("wavelet_power", "wavelet power", {"shortest": shortest, "longest": longest})


def reach(match: re.Match[str]) -> Meaning:
    """How far before and after each event."""
    lengths = _two_lengths(match)
    if lengths is None:
        return Unclear(f"How far before and after the events is {match[0]!r}?", ())
    before, after = map(format_duration, lengths)
    return Transform("superposed_epoch", "superposed epoch", {"before": before, "after": after})


def rate(match: re.Match[str]) -> Meaning:
    """`5 vectors per second`: how dense the data shall be."""
    rate = float(match["rate"] or match["rate2"] or match["rate3"])
    return Cadence(timedelta(seconds=1 / rate)) if rate > 0 else Unclear(f"{match[0]!r} is not a rate. What do you mean?", ())


def is_sound(length: timedelta) -> bool:
    """Whether a length is one that data are treated over."""
    return timedelta(0) < length <= LONGEST


def no_length(match: re.Match[str]) -> Unclear:
    """The question for a length that is too short or too long."""
    return Unclear(f"{match[0]!r} is too short or longer than {LONGEST.days} days. What do you mean?", ())


def _in_hz(unit: str) -> float:
    """A unit of frequencies in Hz: `mHz` is a thousandth, `MHz` a million."""
    return {"m": 1e-3, "k": 1e3, "K": 1e3, "M": 1e6}.get(unit[0], 1.0) if len(unit) > 2 else 1.0


def band(match: re.Match[str]) -> Meaning:
    """`band-pass 1 to 5 mHz`, `high-pass above 1 mHz`: the frequencies that a filter lets pass."""
    part = match.groupdict()
    edges = {}
    for name, option in (("low", "above_hz"), ("high", "below_hz")):
        if part.get(name):
            unit = part.get(f"{name}_unit") or part.get("high_unit") or part.get("low_unit")
            if not unit:
                return Unclear(f"In which unit is {match[0]!r}: Hz or mHz?", (f"{match[0]} Hz", f"{match[0]} mHz"))
            if unit[0] in "sm" and not unit.endswith(("hz", "Hz")):  # a period: the shorter is of the higher frequency
                period = float(part[name]) * (60 if unit[0] == "m" else 1)
                edges[_OPPOSITE[option]] = float(f"{1 / period:.6g}") if period else 0.0
            else:
                edges[option] = float(part[name]) * _in_hz(unit)
    if not all(edges.values()) or edges.get("above_hz", 0.0) >= edges.get("below_hz", float("inf")):
        return Unclear(f"{match[0]!r} lets nothing pass: the first frequency must be above 0 and the second above it.", ())
    if len(edges) == 2 and _WAVELET.search(match.string) and not _PASS.search(match.string):
        shortest, longest = (timedelta(seconds=1 / edges[name]) for name in ("below_hz", "above_hz"))
        return Transform(
            "wavelet_power", "wavelet power", {"shortest": format_duration(shortest), "longest": format_duration(longest)}
        )
    return Transform("butterworth", "filtered", edges)


def band_limits(match: re.Match[str]) -> Meaning:
    """`between 1 and 5 mHz` apart from the word that names the filter."""
    part = match.groupdict()
    if not (part.get("high_unit") or part.get("low_unit")):
        low, high = part.get("low"), part.get("high")
        if low and high and _SPECTRUM.search(match.string):
            return Transform("butterworth", "filtered", {"above_hz": float(low), "below_hz": float(high)})  # its axis is in Hz
        if bool(low) == bool(high) or _FILTER.search(match.string):
            return Unclear(f"What is {match[0]!r}?", ())
        return Condition("above", float(low)) if low else Condition("below", float(high or 0))
    return band(match)


def cutoff(match: re.Match[str]) -> Meaning:
    """`at 0.5 mHz`: the frequency of a low-pass or high-pass filter that is named elsewhere."""
    frequency = float(match["cut"]) * _in_hz(match["cut_unit"])
    ways = [
        edge
        for words, edge in (("low", "below_hz"), ("high", "above_hz"))
        if re.search(rf"\b{words}[- ]?pass", match.string, re.I)
    ]
    if len(ways) != 1 or frequency <= 0:
        return Unclear(f"What is {match[0]!r}?", ())
    return Transform("butterworth", "filtered", {ways[0]: frequency})
