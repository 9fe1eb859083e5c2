"""What drafts are called: the title of a pipeline, what its figure draws, and an average beside its data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.curves import AnyChoice, Curve
from helio_dagster.agent.drafting.lengths import spoken, spoken_method
from helio_dagster.agent.drafting.operation_order import PAIRING_WORDS
from helio_dagster.agent.treatments import Treatment


def title_of_draft(choices: Sequence[AnyChoice], treatment: Treatment) -> str:
    """The title: of whom, what, and what is done to it; of what is treated apart, one part after the other."""
    if treatment.apart:
        return _apart(choices, treatment)
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
    if treatment.averaging is not None:
        methods = listed([spoken_method(each.method) for each in treatment.averagings])
        title += f", {spoken(treatment.averaging.length)} {methods}"
    if mean := mean_length(treatment):
        title += f", {mean} running mean"
    return title + "".join(f", {transform.words}" for transform in treatment.transforms)


def _apart(choices: Sequence[AnyChoice], treatment: Treatment) -> str:
    """The parts of what is treated apart, in the order of what is drawn; whose it is stands once where all is of one."""
    parts = [(own, [each for each in choices if own in treatment.each_of(each.target)]) for own in treatment.each]
    parts = sorted((each for each in parts if each[1]), key=lambda part: choices.index(part[1][0]))
    names = [title_of_draft(each, own) for own, each in parts]
    whose = list(dict.fromkeys(choice.target.who for choice in choices))
    first, *others = names
    if len(whose) == 1:
        others = [each.removeprefix(f"{whose[0]} ") for each in others]
    return "; ".join([first, *others])


def intent_of_figure(curves: Sequence[Curve], treatment: Treatment) -> str:
    """What the figure draws, from top to bottom."""
    is_by_mission = treatment.is_stacked and len({curve.choice.target.who for curve in curves}) > 1
    words = [(curve.symbol or curve.choice.target.words, curve.choice.target.who) for curve in curves]
    shown = list(dict.fromkeys(f"{symbol} of {who}" if is_by_mission else symbol for symbol, who in words))
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
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
