"""How far from the Sun a spacecraft is, for quantities that depend on it: measured where the catalog has it, else said."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import DerivedTarget, Target
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.domain.catalog_entry import Quantity

_AT_THE_EARTH = {"parker_spiral_angle": {"distance_au": 1.0}}
"""Operations that take the inputs distance and latitude, and the options that stand for these at the Earth."""
_PLACE: tuple[tuple[str, Quantity], ...] = (("distance", "solar_distance"), ("latitude", "heliographic_latitude"))
_FRAMES_OF_THE_EARTH = ("GSE", "GSM")


def with_distance(target: DerivedTarget, preferences: Preferences, offers: Offers, assumptions: Assumptions) -> DerivedTarget:
    """The target with the spacecraft's distance and latitude as inputs; at the Earth, where neither is known, at 1 AU.

    Raises
    ------
    DraftQuestion
        Nothing says where the spacecraft was.
    """
    operation = target.derived.operation
    if operation not in _AT_THE_EARTH:
        return target
    held = [(name, quantity) for name, quantity in _PLACE if _is_known(target, quantity, preferences, offers)]
    if ("distance", "solar_distance") not in held:
        if not any(_is_at_the_earth(target, each, offers) for each in ("position", "magnetic_field", "velocity")):
            text = f"The {target.words} depends on the distance from the Sun, and I know none of {target.who} over this time."
            raise DraftQuestion(f"{text} Which other spacecraft or time do you mean?")
        assumptions.say(f"{target.who} is taken to be 1 AU from the Sun, in the plane of its equator.")
        return replace(target, derived=replace(target.derived, options={**target.derived.options, **_AT_THE_EARTH[operation]}))
    if len(held) < len(_PLACE):
        assumptions.say(f"{target.who} is taken to be in the plane of the Sun's equator: its latitude is not catalogued.")
    places = tuple((name, Target(target.mission, quantity, member=target.member)) for name, quantity in held)
    return replace(target, inputs=(*target.inputs, *places))


def _is_known(target: DerivedTarget, quantity: Quantity, preferences: Preferences, offers: Offers) -> bool:
    asked = Asked(target.mission, quantity, member=target.member)
    return bool(overlapping(offers.find(asked, span=preferences.span), preferences.span))


def _is_at_the_earth(target: DerivedTarget, quantity: Quantity, offers: Offers) -> bool:
    """Whether data of a spacecraft are given in axes of the Earth."""
    found = offers.find(Asked(target.mission, quantity, member=target.member))
    return any(each.frame in _FRAMES_OF_THE_EARTH for each in found)
