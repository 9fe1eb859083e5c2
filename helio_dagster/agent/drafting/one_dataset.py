"""Brings what is asked of one mission to one dataset where one has it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.curves import AnyChoice, measured
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.intent import Preferences


def of_one_dataset(choices: Sequence[AnyChoice], preferences: Preferences, assumptions: list[str]) -> list[AnyChoice]:
    """The choices, those of a mission taken from one dataset that one of them has already, and that is not coarser than any.

    So values of one cadence stand beside each other, and meet each other without a tolerance. What a request names stays.
    """
    found = list(choices)
    if preferences.cadence or preferences.instrument or preferences.mode:
        return found
    for who in dict.fromkeys(choice.target.who for choice in choices):
        theirs = [each for choice in found if choice.target.who == who for each in measured(choice)]
        taken = _together(theirs)
        if taken is None:
            continue
        found = [_replaced(choice, taken) for choice in found]
        for old, new in taken.items():
            before, after = old.offer, new.offer
            assumptions[:] = [
                text.replace(f"{before.dataset} ({before.label})", f"{after.dataset} ({after.label})").replace(
                    f"({before.parameter})", f"({after.parameter})"
                )
                for text in assumptions
            ]
        assumptions.append(f"{next(iter(taken.values())).offer.dataset} has all that is asked for of {who}, in one cadence.")
    return found


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


def _replaced(choice: AnyChoice, taken: dict[Choice, Choice]) -> AnyChoice:
    if isinstance(choice, Choice):
        return taken.get(choice, choice)
    return replace(choice, inputs=tuple((name, taken.get(each, each)) for name, each in choice.inputs))
