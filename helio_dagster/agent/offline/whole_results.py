"""Which result of a whole range a request asks for: a lag, a spectrum, a histogram, intervals, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Asks, Cadence, Compare, Condition, Length, Mission, Per, Points
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import AnyTarget, Derived, DerivedTarget, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform, Treatment, WholeKind, WholeResult
from helio_dagster.catalog.choice.quantities import OF_THE_ORBIT
from helio_dagster.domain.time_range import format_duration

_CALLED: dict[WholeKind, str] = {
    "lag": "lag",
    "spectrum": "power spectrum",
    "histogram": "histogram",
    "frame": "minimum variance analysis",
    "hodogram": "hodogram",
    "scatter": "scatter plot",
    "joint": "2-D histogram",
    "intervals": "list of intervals",
    "crossings": "list of crossings",
    "jumps": "list of jumps",
    "extrema": "list of extreme values",
    "facts": "numbers",
}
_KINDS: dict[str, WholeKind] = {**{kind: kind for kind in _CALLED}, "slope": "spectrum"}
STATISTICS = {"mean": "mean", "median": "median", "min": "minimum", "max": "maximum", "std": "std"}
_FACTS = {**STATISTICS, "coverage": "coverage", "integral": "integral"}
COVERAGE = Asks("facts", (("statistics", "coverage"),))
"""`data coverage of`: the share of the range that has values."""
_TOGETHER = re.compile(r"(?:\b(?:and|while|with|when)\b|&)(?![^;]*\bor\b)", re.IGNORECASE)
_AGAINST = re.compile(r"versus|vs\.?|against", re.IGNORECASE)


_BELONG = {
    "lags": ("lag",),
    "lasting": ("intervals",),
    "apart": ("intervals", "extrema", "jumps"),
    "bins": ("histogram", "joint"),
    "cells": ("joint",),
}
_IDLE = frozenset(("fit", *_BELONG))
_FILTERED = re.compile(r"filter|(?:band|low|high)[- ]?pass|\bpassed\b|butterworth", re.IGNORECASE)
_EDGES = {"above_hz": "lowest", "below_hz": "highest"}


def read_whole_result(reading: Reading) -> WholeResult | None:
    """The result of the whole range that a request asks for; None if it asks for curves over time.

    Raises
    ------
    OpenQuestion
        It asks for two, or a condition is missing or there are two.
    """
    asked = reading.all(Asks)
    kinds = list(dict.fromkeys(_KINDS[each.kind] for each in asked if each.kind in _KINDS))
    options: dict[str, Any] = {name: value for each in asked for name, value in each.options}
    statistics = [str(value) for each in asked for name, value in each.options if name == "statistics"]
    options |= {"statistics": ",".join(dict.fromkeys(",".join(statistics).split(",")))} if statistics else {}
    words = {each.kind for each in asked}
    if not kinds and not words & _IDLE and _is_against_the_orbit(reading):
        kinds = ["scatter"]
    if not kinds:
        if words & _IDLE:
            raise _without_its(reading)
        return None
    if {"frame", "hodogram"} == set(kinds):
        kinds = ["frame"]  # which shows the hodogram too
    if {"intervals", "extrema"} == set(kinds):
        kinds = ["extrema"]  # `list the times of the minima below -100 nT`
    if len(kinds) > 1:
        names = " or the ".join(_CALLED[each] for each in kinds)
        raise OpenQuestion(f"I make one of these at a time. Do you want the {names}?")
    (kind,) = kinds
    if kind == "histogram" and _is_of_one_against_other(reading):
        kind = "joint"
    if kind == "facts":
        options["statistics"] = [_FACTS[each] for each in str(options.pop("statistics")).split(",")]
        if "coverage" in options["statistics"] and any(map(reading.all, (Averaging, Cadence, Per, Smoothing))):
            text = "The coverage is that of the data as they are in the whole range, not of averages, nor one for each bin."
            raise OpenQuestion(f"{text} Do you want that? Say the request without the averaging.")
    if kind == "spectrum" and (points := reading.all(Points)):
        options["points"] = points[0].count
    if kind in ("intervals", "extrema"):
        options |= _condition(reading)
    if kind == "intervals" and "apart" in options:
        options["merge"] = options.pop("apart")
    if kind == "jumps":
        options |= _jump(reading)
    has_fit = "slope" in words or (kind in ("spectrum", "scatter") and "fit" in words)
    if ("fit" in words and not has_fit) or any(each in words and kind not in _BELONG[each] for each in _BELONG):
        raise _without_its(reading)
    is_swapped = bool(options.pop("swapped", "")) or "behind" in words
    # of two the second comes first: what is behind lags, and a scatter plot or a 2-D histogram is of y against x
    return WholeResult(kind, options, has_fit=has_fit, is_swapped=is_swapped if kind == "lag" else kind in ("scatter", "joint"))


def with_fitted_band(treatment: Treatment, whole: WholeResult | None, reading: Reading) -> Treatment:
    """The treatment with the result.

    Frequencies given with a spectrum are those that are drawn, with its slope those of the fit; the data are filtered only
    where the request says so.
    """
    bands = [each for each in treatment.transforms if each.operation == "butterworth"]
    if whole is None and bands and not _FILTERED.search(reading.request):
        return _with_shown_band(treatment, bands)
    if whole is None or whole.kind != "spectrum" or not bands or (_FILTERED.search(reading.request) and not whole.has_fit):
        return replace(treatment, whole=whole)
    edges = {_EDGES[name]: value for band in bands for name, value in band.options.items() if name in _EDGES}
    left = tuple(each for each in treatment.transforms if each not in bands)
    if not whole.has_fit:
        if len(edges) < len(_EDGES):
            return replace(treatment, whole=whole)
        return replace(treatment, transforms=left, whole=replace(whole, shown=(edges["lowest"], edges["highest"])))
    return replace(treatment, transforms=left, whole=replace(whole, options={**whole.options, **edges}))


def _with_shown_band(treatment: Treatment, bands: Sequence[Transform]) -> Treatment:
    """The treatment in which frequencies of a spectrogram or a wavelet spectrum are those that are drawn."""
    edges = {name: float(value) for band in bands for name, value in band.options.items()}
    low, high = edges.get("above_hz"), edges.get("below_hz")
    spectra = [each for each in treatment.transforms if each.operation in ("spectrogram", "wavelet_power")]
    if low is None or high is None or len(spectra) != 1 or "shortest" in spectra[0].options:
        return treatment
    left = [each for each in treatment.transforms if each not in bands]
    if spectra[0].operation == "spectrogram":
        return replace(treatment, transforms=tuple(left), shown=(low, high))
    periods = {"shortest": format_duration(timedelta(seconds=1 / high)), "longest": format_duration(timedelta(seconds=1 / low))}
    wavelets = [replace(each, options={**each.options, **periods}) if each is spectra[0] else each for each in left]
    return replace(treatment, transforms=tuple(wavelets))


def in_order_of_words(targets: Sequence[AnyTarget], reading: Reading) -> list[AnyTarget]:
    """Two targets as they are named: by their missions where these differ, else by their quantities."""
    if len(targets) != 2:
        return sorted(targets, key=lambda target: _place(target, reading, is_by_mission=False))
    is_by_mission = targets[0].mission != targets[1].mission and all(
        any(isinstance(each.meaning, Mission) and each.meaning.name == target.mission for each in reading.mentions)
        for target in targets
    )
    return sorted(targets, key=lambda target: _place(target, reading, is_by_mission=is_by_mission))


def _place(target: AnyTarget, reading: Reading, *, is_by_mission: bool) -> int:
    for mention in reading.mentions:
        meaning = mention.meaning
        if is_by_mission and isinstance(meaning, Mission) and meaning.name == target.mission:
            return mention.first
        if not is_by_mission and isinstance(target, DerivedTarget) and meaning == target.derived:
            return mention.first
        if is_by_mission or not isinstance(meaning, Measured) or getattr(target, "axis", None) != meaning.axis:
            continue
        if getattr(target, "quantity", "") in meaning.quantities:
            return mention.first
    return len(reading.request)


def _is_against_the_orbit(reading: Reading) -> bool:
    """Whether one quantity of one spacecraft is asked for against where it is, as `speed against heliographic latitude`."""
    asked = [each.meaning for each in reading.mentions if isinstance(each.meaning, Measured | Derived)]
    place = asked[1].quantities if len(asked) == 2 and isinstance(asked[1], Measured) else ("position",)
    is_place = place[0] in OF_THE_ORBIT and place != ("position",)
    others = (Pairing, Transform, Averaging, Smoothing, Per)
    is_alone = len(reading.all(Mission)) == 1 and not reading.has(*others)
    return is_place and is_alone and _is_of_one_against_other(reading)


def _is_of_one_against_other(reading: Reading) -> bool:
    """Whether a histogram is of one quantity against another: two of the same are compared, each by itself."""
    quantities = {each.meaning for each in reading.mentions if isinstance(each.meaning, Measured | Derived)}
    is_against = any(_AGAINST.fullmatch(each.words.strip()) for each in reading.of(Compare))
    return is_against and len(quantities) == 2


def _condition(reading: Reading) -> dict[str, Any]:
    found = reading.all(Condition)
    if not found:
        text = "Intervals of what: above or below which value? Say it as in: where Bz is below -5 nT."
        raise OpenQuestion(text)
    lengths = {each.at_least for each in found if each.at_least}
    if len(found) > 1 and (each := _limits_of_each(reading)):
        together = found[-1].at_least if not found[0].at_least else ""
        return {"each": each, **({"at_least": together} if together else {})}
    if len(lengths) > 1:
        raise OpenQuestion("The request says how long a limit holds in two ways. Which one do you want?")
    sides = {each.side for each in found}
    if len(found) > 1 and (len(found) > 2 or len(sides) < 2 or found[0].unit != found[1].unit):
        raise OpenQuestion("The request names several limits. Which one do you want?")
    return {
        **{each.side: each.value for each in found},
        **({"at_least": lengths.pop()} if lengths else {}),
        **({"unit": found[0].unit} if found[0].unit else {}),
        **({"inclusive": "yes"} if any(each.is_inclusive for each in found) else {}),
    }


def _limits_of_each(reading: Reading) -> list[dict[str, Any]]:
    """Two limits, each of the quantity before it, that hold together, as in `speed above 700 and density below 3`."""
    meaningful = reading.of(Measured, Derived, Condition)
    kinds = [isinstance(each.meaning, Condition) for each in meaningful]
    if kinds != [False, True, False, True] or meaningful[0].meaning == meaningful[2].meaning:
        return []
    if _TOGETHER.search(reading.request[meaningful[1].last : meaningful[2].first]) is None:
        return []
    limits = [each.meaning for each in meaningful if isinstance(each.meaning, Condition)]
    between = range(meaningful[0].first, meaningful[2].first)
    if any(
        isinstance(each.meaning, Asks) and each.meaning.kind == "lasting" and each.first in between for each in reading.mentions
    ):
        raise OpenQuestion(
            "How long which limit holds is open. Say the length behind its limit, as in: below 0 for at least 3 hours."
        )
    return [
        {
            each.side: each.value,
            **({"at_least": each.at_least} if limits[0].at_least and each.at_least else {}),
            **({"unit": each.unit} if each.unit else {}),
            **({"inclusive": "yes"} if each.is_inclusive else {}),
        }
        for each in limits
    ]


def _jump(reading: Reading) -> dict[str, Any]:
    """How large a jump is, and the time that the levels before and after it are taken over."""
    sizes = [each for each in reading.all(Condition) if each.side == "above"]
    windows = [each.length for each in reading.all(Length) if each.role == "window"]
    if len(sizes) != 1 or len(windows) != 1:
        text = "How large is a jump, and over which time are the levels before and after it taken?"
        raise OpenQuestion(f"{text} Say it as in: jumps of more than 50 km/s over 10 minutes.")
    unit = {"unit": sizes[0].unit} if sizes[0].unit else {}
    return {"change": sizes[0].value, "window": format_duration(windows[0]), **unit}


def _without_its(reading: Reading) -> OpenQuestion:
    """The question for words that belong to a result which is not asked for."""
    idle = [each for each in reading.mentions if isinstance(each.meaning, Asks) and each.meaning.kind in (*_IDLE, "behind")]
    words = " and ".join(repr(each.words) for each in idle)
    return OpenQuestion(f"What is {words} of? Do you want it without?", [without(reading, idle)])
