"""Takes components of a vector from one dataset: that of the whole vector, where it is asked for beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, topics_of
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.own_cadences import Choose
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import AnyTarget, Target
from helio_dagster.domain.planetary import id_in_archive


def of_one_vector(
    targets: Sequence[AnyTarget], preferences: Preferences, assumptions: Assumptions, choose: Choose
) -> list[AnyTarget]:
    """The targets, those for components of one vector told to take them from one dataset.

    Parameters
    ----------
    targets, preferences
        What is asked for, and how.
    assumptions
        To which it is added which dataset is used.
    choose
        Finds what answers a target.
    """
    found: list[AnyTarget] = list(targets)
    open_ones = [each for each in targets if isinstance(each, Target) and each.dataset is None]
    for key in dict.fromkeys((each.who, each.quantity) for each in open_ones if each.axis):
        alike = [each for each in open_ones if (each.who, each.quantity) == key and each.shape != "magnitude"]
        group = sorted(alike, key=lambda each: each.axis is not None)  # the whole vector leads
        try:
            chosen = [choose(each, preferences, Assumptions())[0] for each in group]
        except DraftQuestion:
            continue
        offers = [each.offer for each in chosen if isinstance(each, Choice)]
        if len({(offer.dataset, offer.frame) for offer in offers}) < 2:
            continue
        for offer in offers:
            pinned = [replace(each, dataset=offer.dataset) for each in group]
            if _is_of_one_frame(pinned, preferences, choose):
                found = [replace(each, dataset=offer.dataset) if each in group else each for each in found]
                text = f"{offer.dataset} ({offer.label}) is used, which has all the components."
                assumptions.say(text, *topics_of(group[0]), Topic("dataset", id_in_archive(offer.dataset)))
                break
    return found


def _is_of_one_frame(targets: Sequence[Target], preferences: Preferences, choose: Choose) -> bool:
    """Whether all components are there, in one frame."""
    try:
        chosen = [choice for each in targets for choice in choose(each, preferences, Assumptions())]
    except DraftQuestion:
        return False
    return len({choice.frame for choice in chosen if isinstance(choice, Choice)}) == 1
