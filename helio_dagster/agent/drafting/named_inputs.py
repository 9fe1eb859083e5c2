"""Inputs of a computed quantity from the datasets that a request names."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import DerivedTarget, Target
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers


def of_named_datasets(target: DerivedTarget, preferences: Preferences, offers: Offers) -> DerivedTarget:
    """The target, each input from a dataset that the request names where one has it; the others are chosen freely.

    Raises
    ------
    DraftQuestion
        A dataset that the request names has none of the inputs.
    """
    if not target.datasets:
        return target
    inputs = tuple((name, _of_named(needed, target, preferences, offers)) for name, needed in target.inputs)
    taken = {needed.dataset for _, needed in inputs}
    if idle := [each for each in target.datasets if each not in taken]:
        needs = ", ".join(needed.name for _, needed in inputs)
        text = f"The {target.words} is computed of {needs}, and I know none of these in {idle[0]}."
        raise DraftQuestion(f"{text} Which dataset or spacecraft do you mean?")
    return replace(target, inputs=inputs)


def _of_named(needed: Target, target: DerivedTarget, preferences: Preferences, offers: Offers) -> Target:
    for dataset in target.datasets:
        asked = Asked(target.mission, needed.quantity, needed.species, target.member, dataset)
        if offers.find(asked, span=preferences.span, all_datasets=True):
            return replace(needed, dataset=dataset)
    return replace(needed, lacking=target.datasets)
