"""Brings what is asked of one mission to one dataset where one has it all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions, Topic
from helio_dagster.agent.drafting.curves import AnyChoice, measured
from helio_dagster.agent.drafting.dataset_choice import Choice, instead
from helio_dagster.agent.drafting.derived import INPUT_UNITS
from helio_dagster.agent.drafting.own_cadences import say_cadences
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.quantities import MOMENTS, OF_THE_ORBIT
from helio_dagster.domain.planetary import id_in_archive
from helio_dagster.domain.unit_conversion import can_convert

_RELEASE = re.compile(r"(?<=[A-Za-z])\d(?=_)")
"""The number of a release in the id of a dataset: `OMNI_HRO2_1MIN`."""
MadeInAnother = Callable[[Target, str, Assumptions], Choice | None]
"""A moment from another dataset, made of what that has of it; what is assumed is added to the list."""
_MERGED = ("OMNI",)
"""Sources whose datasets are made of one another: what one holds is no worse than what another does."""


def of_one_dataset(choices: Sequence[AnyChoice], preferences: Preferences, assumptions: Assumptions) -> list[AnyChoice]:
    """The choices, those of a mission taken from one dataset that one of them has already, and that is not coarser than any.

    So values of one cadence stand beside each other, and meet each other without a tolerance. What a request names stays.
    """
    found = _of_one_orbit(_of_one_release(choices, assumptions), assumptions)
    if preferences.cadence or preferences.instrument or preferences.mode:
        for who in _MERGED:
            say_cadences(who, found, assumptions)
        return found
    for who in dict.fromkeys(choice.target.who for choice in found):
        theirs = [each for choice in found if choice.target.who == who for each in measured(choice)]
        taken = None if any(_is_named(each.target, preferences) for each in theirs) else _together(theirs)
        if taken is None:
            if who in _MERGED:
                found = _of_densest(theirs, found, assumptions)
                say_cadences(who, found, assumptions)
            continue
        found = [_replaced(choice, taken) for choice in found]
        for old, new in taken.items():
            _say_anew(old, new, assumptions)
        home = next(iter(taken.values())).offer.dataset
        text = f"{home} has all that is asked for of {who}, in one cadence."
        assumptions.say(text, Topic("mission", who), Topic("dataset", id_in_archive(home)))
    return found


def _is_named(target: Target, preferences: Preferences) -> bool:
    """Whether a request says of a quantity alone whose instrument or which mode it is of."""
    own = [each for each in preferences.own if (each.mission, each.quantity) == (target.mission, target.quantity)]
    return any(each.instrument or each.mode for each in own)


def of_plotted(choices: Sequence[AnyChoice], plotted: Sequence[str], assumptions: Assumptions) -> list[AnyChoice]:
    """The choices, those that a dataset which is drawn already holds as well taken from it, the first such one."""
    taken: dict[Choice, Choice] = {}
    for each in (one for choice in choices for one in measured(choice)):
        if each.target.dataset is None and each.offer.dataset not in plotted:
            same = next((found for home in plotted if (found := _of(home, each)) is not None), None)
            if same is not None:
                taken[each] = same
                _say_anew(each, same, assumptions)
    return [_replaced(choice, taken) for choice in choices]


def _of_one_release(choices: Sequence[AnyChoice], assumptions: Assumptions) -> list[AnyChoice]:
    """The choices, those of releases of one dataset taken from that which is chosen first: not HRO beside HRO2 of OMNI."""
    taken: dict[Choice, Choice] = {}
    homes: dict[str, str] = {}
    for each in (one for choice in choices for one in measured(choice)):
        home = homes.setdefault(_RELEASE.sub("", each.offer.dataset), each.offer.dataset)
        same = _of(home, each) if home != each.offer.dataset and each.target.dataset is None else None
        if same is not None and same.offer.cadence == each.offer.cadence:
            taken[each] = same
            _say_anew(each, same, assumptions)
    return [_replaced(choice, taken) for choice in choices]


def _of_one_orbit(choices: Sequence[AnyChoice], assumptions: Assumptions) -> list[AnyChoice]:
    """The choices, what is told of one spacecraft's place taken from the first dataset that has all of it."""
    found = list(choices)
    for who in dict.fromkeys(choice.target.who for choice in choices):
        theirs = [each for each in choices if isinstance(each, Choice) and each.target.who == who]
        theirs = [each for each in theirs if each.target.quantity in OF_THE_ORBIT and each.target.dataset is None]
        homes = {each.offer.dataset for each in theirs}
        if len(homes) < 2:
            continue
        ranked = [list(dict.fromkeys(one.offer.dataset for one in (each, *each.others))) for each in theirs]
        common = [home for home in ranked[0] if all(home in each for each in ranked)]
        if not common:
            continue
        used = {one.offer.dataset for each in choices if each not in theirs for one in measured(each)}
        home = min(common, key=lambda each: (each not in used, sum(order.index(each) for order in ranked)))
        taken = {each: one for each in theirs if (one := _of(home, each)) is not None}
        for old, new in taken.items():
            _say_anew(old, new, assumptions)
        found = [_replaced(choice, taken) for choice in found]
    return found


def of_one_instrument(
    inputs: Sequence[tuple[str, Choice]], assumptions: Assumptions, made_in_another: MadeInAnother
) -> tuple[tuple[str, Choice], ...]:
    """The inputs of an operation, its plasma moments taken from one dataset that one of them has already, where it has all.

    `made_in_another` gives a moment from another dataset that holds it otherwise: its speed as a velocity, say.
    """
    moments = [each for _, each in inputs if each.target.quantity in MOMENTS]
    for home in dict.fromkeys(each.offer.dataset for each in moments):
        said = Assumptions()
        taken = {each: _of(home, each) or made_in_another(each.target, home, said) for each in moments}
        if len({each.offer.dataset for each in moments}) < 2 or not all(taken.values()):
            continue
        made = []
        for name, each in inputs:
            new = taken.get(each) or each
            _say_anew(each, new, assumptions)
            made.append((name, new))
        for gone in {each.offer.dataset for _, each in inputs} - {each.offer.dataset for _, each in made}:
            assumptions.take_back(Topic("dataset", id_in_archive(gone)))
        assumptions.add(said.records)
        return tuple(made)
    return tuple(inputs)


def _of(home: str, choice: Choice) -> Choice | None:
    """The choice, or another that means the same, of a dataset."""
    needed = INPUT_UNITS.get(choice.target.quantity, choice.offer.unit)
    same = (each for each in (choice, *choice.others) if each.offer.dataset == home and each.part == choice.part)
    return next((instead(choice, each) for each in same if can_convert(each.offer.unit, needed)), None)


def _say_anew(old: Choice, new: Choice, assumptions: Assumptions) -> None:
    """Say of another choice what was said of the one that it takes the place of."""
    assumptions.exchange(old.target, old.offer, new.offer)


def _together(theirs: Sequence[Choice]) -> dict[Choice, Choice] | None:
    """Each choice with that of the same dataset for all; None where there is none, or they are of one already."""
    homes = {each.offer.dataset: each.offer.cadence for each in theirs}
    if len(homes) < 2 or any(each.target.dataset is not None for each in theirs):
        return None
    for home, cadence in homes.items():
        if cadence is None or any(other is None or other < cadence for other in homes.values()):
            continue
        pairs = {
            each: next((one for one in (each, *each.others) if one.offer.dataset == home and one.part == each.part), None)
            for each in theirs
        }
        if all(each is not None for each in pairs.values()):
            return {each: one for each, one in pairs.items() if one is not None}
    return None


def _of_densest(theirs: Sequence[Choice], choices: Sequence[AnyChoice], assumptions: Assumptions) -> list[AnyChoice]:
    """The choices, those that the densest dataset among them holds too taken from it; the others stay."""
    known = {each.offer.cadence: each.offer.dataset for each in reversed(theirs) if each.offer.cadence is not None}
    if any(each.target.dataset is not None for each in theirs) or not known:
        return list(choices)
    taken = {each: one for each in theirs if (one := _of(known[min(known)], each)) is not None and one is not each}
    for old, new in taken.items():
        _say_anew(old, new, assumptions)
    return [_replaced(choice, taken) for choice in choices]


def _replaced(choice: AnyChoice, taken: dict[Choice, Choice]) -> AnyChoice:
    if isinstance(choice, Choice):
        return taken.get(choice, choice)
    return replace(choice, inputs=tuple((name, taken.get(each, each)) for name, each in choice.inputs))
