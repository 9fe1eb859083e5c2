"""Data of the level of processing that a request names, or the question which of those that there are is meant."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.levels import levels_of, spoken_level
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.planetary import archive_of

_MOST_NAMED = 3


def of_level(
    found: Sequence[Offer], target: Target, preferences: Preferences, offers: Offers, assumptions: Assumptions
) -> list[Offer]:
    """The offers of the level asked for; all of them, and a remark, where the catalog does not tell the level of any.

    Raises
    ------
    DraftQuestion
        There are others only.
    """
    level = preferences.level
    if level is None or not found:
        return list(found)
    levels = {offer: _levels(offer, offers) for offer in found}
    kept = [offer for offer in found if level in levels[offer]]
    if kept:
        assumptions.say(f"Datasets of {spoken_level(level)} are used, as the request says.")
        return kept
    others = sorted({each for known in levels.values() for each in known})
    if not others:
        assumptions.say(f"The catalog does not say whether the {target.name} of {target.who} is {spoken_level(level)}.")
        return list(found)
    having = {each: list(dict.fromkeys(offer.dataset for offer in found if each in levels[offer])) for each in others}
    available = " and ".join(f"{spoken_level(each)} ({_named(datasets)})" for each, datasets in having.items())
    text = (
        f"I know no {spoken_level(level)} of the {target.name} of {target.who}; the catalog has {available}. Which do you want?"
    )
    raise DraftQuestion(text, [Remedy("level", spoken_level(each)) for each in others])


def _levels(offer: Offer, offers: Offers) -> frozenset[str]:
    facts = offers.catalog.facts(archive_of(offer.dataset, offers.archive), offer.dataset)
    return levels_of(offer.dataset, f"{offer.label} {facts.label if facts else ''}")


def _named(datasets: Sequence[str]) -> str:
    return ", ".join(datasets[:_MOST_NAMED]) + (" …" if len(datasets) > _MOST_NAMED else "")
