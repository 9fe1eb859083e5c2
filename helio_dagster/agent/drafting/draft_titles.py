"""What drafts are called: the title of a pipeline, what its figure draws, and an average beside its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from helio_dagster.agent.drafting.curves import AnyChoice, Curve
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.operation_order import CLEANING, PAIRING_WORDS
from helio_dagster.agent.treatments import Treatment


def title_of_draft(choices: Sequence[AnyChoice], treatment: Treatment, results: Sequence[tuple[Treatment, str]] = ()) -> str:
    """The title: of whom, what, and what is done to it; of what is treated apart, one part after the other.

    Parameters
    ----------
    results
        What the results of the whole range are called, each with the treatment that it is of.
    """
    if treatment.apart:
        return _apart(choices, treatment, results)
    if treatment.beside:
        pair = [each for each in choices if each.target not in treatment.beside]
        beside = title_of_draft(
            [each for each in choices if each.target in treatment.beside], replace(treatment, pairing=None, beside=())
        )
        return f"{title_of_draft(pair, replace(treatment, beside=(), averaging=None, smoothing=None, transforms=()))}; {beside}"
    missions = list(dict.fromkeys(choice.target.who for choice in choices))
    quantities = list(dict.fromkeys(choice.target.words for choice in choices))
    asked = list(dict.fromkeys((choice.target.who, choice.target.words) for choice in choices))
    title = f"{listed(missions)} {listed(quantities)}"
    if len(asked) < len(missions) * len(quantities):
        title = listed([f"{mission} {words}" for mission, words in asked])
    if treatment.pairing is not None:
        title = f"{title}, {PAIRING_WORDS[treatment.pairing.operation]}"
    return title + "".join(f", {words}" for words in _done(treatment))


def _done(treatment: Treatment) -> list[str]:
    """What is done to quantities, in the order in which it is done."""
    averages = []
    if treatment.averaging is not None:
        methods = listed([spoken_method(each.method) for each in treatment.averagings])
        averages.append(f"{spoken(treatment.averaging.length)} {methods}")
    if mean := mean_length(treatment):
        averages.append(f"{mean} running mean")
    cleaned = [each.words for each in treatment.transforms if each.operation == CLEANING]
    return [*cleaned, *averages, *(each.words for each in treatment.transforms if each.operation != CLEANING)]


def _apart(choices: Sequence[AnyChoice], treatment: Treatment, results: Sequence[tuple[Treatment, str]]) -> str:
    """Of whom and what, and behind it what is done to which: `OMNI AE and AL, 1-day maxima of AE, 1-day minima of AL`."""
    title = title_of_draft(choices, Treatment(pairing=treatment.pairing))
    several = len({choice.target.who for choice in choices}) > 1
    for own in treatment.each:
        of = [each.target for each in choices if own in treatment.each_of(each.target)]
        names = list(dict.fromkeys(f"{each.who} {each.words}" if several else each.words for each in of))
        done = [*_done(own), *(words for whose, words in results if whose == own)]
        title += "".join(f", {done_to(words, names)}" for words in done) if names else ""
    return title


def done_to(words: str, names: Sequence[str]) -> str:
    """What is done, and to which: `1-hour means of density`, `density despiked`."""
    return f"{listed(names)} {words}" if words.endswith("ed") else f"{words} of {listed(names)}"


def intent_of_figure(curves: Sequence[Curve], treatment: Treatment, panels: Sequence[Mapping[str, Any]]) -> str:
    """What the figure draws, from top to bottom; several quantities of one of the panels together."""
    is_by_mission = treatment.is_stacked and len({curve.choice.target.who for curve in curves}) > 1
    rows = {str(trace["data"]): row for row, panel in enumerate(panels) for trace in panel["traces"]}
    together: dict[object, list[str]] = {}
    for curve in curves:
        symbol = curve.symbol or curve.choice.target.words
        words = f"{symbol} of {curve.choice.target.who}" if is_by_mission else symbol
        together.setdefault(rows.get(curve.step, curve.step), []).append(words)
    shown = list(dict.fromkeys(listed(list(dict.fromkeys(words))) for words in together.values()))
    return f"Draw {shown[0]}" if len(shown) == 1 else f"From top to bottom: {', '.join(shown)}"


def mean_length(treatment: Treatment) -> str:
    """How long the running mean is, in words; empty where there is none."""
    smoothing = treatment.smoothing
    return spoken(smoothing.length) if smoothing is not None and smoothing.length is not None else ""


def average_words(treatment: Treatment) -> str:
    """What a curve over its data is: `10-minute mean`."""
    if mean := mean_length(treatment):
        return f"{mean} mean"
    if treatment.averaging is not None:
        return f"{spoken(treatment.averaging.length)} {spoken_method(treatment.averaging.method)}"
    return ", ".join(transform.words for transform in treatment.transforms)


def listed(words: Sequence[str]) -> str:
    """Words with commas and `and`."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
