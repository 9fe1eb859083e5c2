"""Of what answers an input of a computed quantity, that which the operation can take."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions, topics_of
from helio_dagster.agent.drafting.dataset_choice import Choice, choose, instead
from helio_dagster.agent.drafting.derived import INPUT_UNITS
from helio_dagster.agent.drafting.questions import AlongAndAcross, DraftQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import DerivedTarget, Target
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.unit_conversion import can_convert


def choose_input(needed: Target, preferences: Preferences, *, offers: Offers, assumptions: Assumptions) -> list[Choice]:
    """What answers an input, as `choose` finds it; a temperature may be made of those along and across the field."""
    try:
        return choose(needed, preferences, offers=offers, assumptions=assumptions)
    except AlongAndAcross:
        return [of_along_and_across(needed, preferences, offers=offers, assumptions=assumptions)]


def of_along_and_across(needed: Target, preferences: Preferences, *, offers: Offers, assumptions: Assumptions) -> Choice:
    """A temperature made of those along and across the field, of one dataset; DraftQuestion where there is no such pair."""
    across = replace(needed, quantity="perpendicular_temperature", shape=None)
    (first, *_) = choose(across, preferences, offers=offers, assumptions=assumptions)
    along = replace(across, quantity="parallel_temperature", dataset=first.offer.dataset)
    (second, *_) = choose(along, preferences, offers=offers, assumptions=Assumptions())
    parts = f"{second.offer.parameter} along the field and {first.offer.parameter} across it"
    assumptions.say(f"The temperature of {needed.who} is (T_par + 2 T_perp)/3 of {parts}.", *topics_of(needed))
    return replace(first, target=needed, others=(), along=second.offer)


def made_in(needed: Target, home: str, assumptions: Assumptions, *, preferences: Preferences, offers: Offers) -> Choice | None:
    """What a dataset has of what is needed, a speed as the magnitude of a velocity and a temperature of its parts, too."""
    shape = "scalar" if needed.quantity == "temperature" else needed.shape
    with suppress(DraftQuestion):
        pinned = replace(needed, dataset=home, shape=shape)
        found = choose_input(pinned, preferences, offers=offers, assumptions=assumptions)
        unit = INPUT_UNITS.get(needed.quantity, found[0].offer.unit)
        if len(found) == 1 and can_convert(found[0].offer.unit, unit):
            return replace(found[0], target=needed)
    return None


def fit_to_be_input(choice: Choice, used: set[str], target: DerivedTarget, assumptions: Assumptions) -> Choice:
    """The choice, or another that means the same: in a unit that can be converted, of a dataset that is used already."""
    needed = INPUT_UNITS.get(choice.target.quantity, choice.offer.unit)
    fitting = [each for each in (choice, *choice.others) if can_convert(each.offer.unit, needed)]
    if not fitting:
        unit = choice.offer.unit or "a unit that the catalog does not tell"
        text = f"{choice.offer.dataset} {choice.offer.parameter} is in {unit}, and the {target.words} needs {needed}."
        raise DraftQuestion(f"{text} Which other spacecraft or dataset do you mean?")
    by_hand = choice if choice.offer.is_by_hand and choice in fitting else None
    taken = by_hand or next((each for each in fitting if each.offer.dataset in used), fitting[0])
    if taken is not choice:
        assumptions.exchange(choice.target, choice.offer, taken.offer)
    return instead(choice, taken)
