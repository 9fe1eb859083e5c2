"""Which offer of the catalog answers a target, and what is assumed in choosing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Literal

from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, topics_of
from helio_dagster.agent.drafting.likely_offers import likely_offer, why_taken
from helio_dagster.agent.drafting.lone_components import composed_vectors, lone_axes
from helio_dagster.agent.drafting.nothing_measured import no_such
from helio_dagster.agent.drafting.places import Place, place_of
from helio_dagster.agent.drafting.product_levels import of_level
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.reaching_offers import reaching
from helio_dagster.agent.drafting.shape_and_frame import in_usual_frame, is_lone, of_shape, taken_in_gsm
from helio_dagster.agent.drafting.whose import computed_of, for_its_cadence, speed_of, whose, why_used
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.descriptors import best_described, describing
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.catalog.choice.quantities import OF_THE_ORBIT, VECTORS
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.planetary import id_in_archive

Part = Literal["as_is", "magnitude", "component"]
_MAGNITUDE = Topic("operation", "magnitude")

_SAME_CADENCE = 0.05
"""Data are of the cadence asked for if theirs differs by no more than this share of it: 15.36 s are `15 sec`."""


@dataclass(frozen=True)
class Choice:
    """An offer, and what is shown of it: as it is, its magnitude, or one component; `others` would do as well.

    `into` is the frame that it is rotated to, where the catalog has none in the frame asked for, by the `place` of the
    spacecraft if one of the two is RTN. `along` is the parallel temperature where the offer is the perpendicular one, and the
    temperature is made of both.
    """

    target: Target
    offer: Offer
    part: Part
    others: tuple[Choice, ...] = ()
    into: str | None = None
    place: Place | None = None
    along: Offer | None = None

    @property
    def frame(self) -> str | None:
        """The frame of what is shown."""
        return self.into or self.offer.frame

    @property
    def is_line(self) -> bool:
        """Whether it is one line, which can share a panel with another."""
        return self.part != "as_is" or self.offer.kind == "series"

    def fetch(self, archive: str) -> Fetch:
        """The fetch of it."""
        return self.offer.fetch(archive)


def instead(choice: Choice, other: Choice) -> Choice:
    """Another choice in place of one, which it keeps among those that would do as well."""
    return (
        other if other is choice else replace(other, others=tuple(each for each in (choice, *choice.others) if each != other))
    )


def choose(target: Target, preferences: Preferences, *, offers: Offers, assumptions: Assumptions) -> list[Choice]:
    """The offers that answer a target, two choices for a vector with its magnitude; what was assumed is added to `assumptions`.

    Raises
    ------
    DraftQuestion
        The mission has no such quantity, frame or shape.
    """
    with assumptions.about(*topics_of(target)):
        return _chosen(target, preferences, offers, assumptions)


def _chosen(target: Target, preferences: Preferences, offers: Offers, assumptions: Assumptions) -> list[Choice]:
    preferences = preferences.for_quantity(target.mission, target.quantity)
    asked = Asked(
        target.mission,
        target.quantity,
        target.species,
        target.member,
        target.dataset,
        preferences.instrument,
        target.parameter,
        preferences.cadence,
        preferences.mode,
    )
    found = overlapping(offers.find(asked, span=preferences.span), preferences.span)
    if not found or not _has_frame(found, preferences.frame) or (target.axis and not _has_axis(found, target.axis)):
        found = overlapping(offers.find(asked, span=preferences.span, all_datasets=True), preferences.span)
    if found and not any(_is_close(each, preferences) for each in found):
        of_all = overlapping(offers.find(asked, span=preferences.span, all_datasets=True), preferences.span)
        found = of_all if any(_is_close(each, preferences) for each in of_all) else found
    if not found and preferences.instrument:  # the catalog may call it so in words alone: `fluxgate`
        of_any = overlapping(
            offers.find(replace(asked, instrument=None), span=preferences.span, all_datasets=True), preferences.span
        )
        if describing([preferences.instrument], of_any, offers.catalog, offers.archive):
            found = best_described([preferences.instrument], of_any, offers.catalog, offers.archive)
    if preferences.level is not None:
        everything = overlapping(offers.find(asked, span=preferences.span, all_datasets=True), preferences.span)
        found = of_level(everything, target, preferences, offers, assumptions)
    if not found and target.shape != "scalar" and (likely := likely_offer(target, asked, preferences, offers)):
        assumptions.say(why_taken(likely, target, offers))
        is_length = target.shape == "magnitude" or target.quantity == "speed"
        part: Part = "component" if target.axis else "magnitude" if likely.kind == "vector" and is_length else "as_is"
        if part == "magnitude" and target.quantity == "speed":
            assumptions.say(speed_of(target), _MAGNITUDE)
        return [Choice(target, likely, part)]
    if not found and target.quantity == "ion_flux" and not target.dataset:
        energetic = replace(target, quantity="energetic_protons")
        if overlapping(offers.find(replace(asked, quantity="energetic_protons"), span=preferences.span), preferences.span):
            assumptions.say(f"The ions are the energetic protons that {target.who} measures.")
            return choose(energetic, preferences, offers=offers, assumptions=assumptions)
    if not found:
        raise no_such(target, preferences, offers)
    if target.quantity == "position" and preferences.frame is None:  # in RTN a position is its distance and nothing else
        found = [each for each in found if each.frame != "RTN"] or found
    found = _as_described(found, target, preferences, offers, assumptions)
    if (frame := _with_the_same_x(found, target, preferences)) is not None:
        assumptions.say(
            f"The x axes of GSE and GSM are the same: Bx of {target.who} is that in {frame}.", Topic("frame", frame)
        )
        preferences = replace(preferences, frame=frame)
    if target.parameter is not None and target.shape is not None and all(each.kind != "vector" for each in found):
        text = f"{target.parameter} of {target.dataset} is not a vector, and has no {target.shape}. Is it wanted as it is?"
        raise DraftQuestion(text, [Remedy("shape")])
    if target.axis is None and target.shape != "magnitude" and target.quantity in VECTORS:
        whole = replace(target, shape="vector") if preferences.frame is not None and target.shape is None else target
        frame, vectors = preferences.frame, [each for each in found if each.kind == "vector"]
        if frame is None and preferences.in_gsm and not vectors and any(each.axis and each.frame == "GSM" for each in found):
            frame = "GSM"
            assumptions.say(taken_in_gsm(preferences.in_gsm), Topic("frame", frame))
        axes = lone_axes(found, whole, frame)
        if composed := list(composed_vectors(found, whole, frame)):
            names = ", ".join(composed[0].parts)
            assumptions.say(f"The vector is composed of {names}: {target.who} is catalogued with single components.")
            found = [*composed, *(each for each in found if each.kind != "vector" and each.axis is None)]
        elif axes:
            text = f"{target.who} is catalogued with single components of the {target.name}: all are shown."
            assumptions.say(text)
            each = [replace(target, axis=offer.axis, shape=None, dataset=offer.dataset) for offer in axes]
            shown = [choose(part, preferences, offers=offers, assumptions=assumptions) for part in each]
            if target.dataset is None:
                assumptions.say(why_used(axes[0], target, preferences), Topic("dataset", id_in_archive(axes[0].dataset)))
            return [choice for part in shown for choice in part]
    fitting = of_shape(found, target, preferences, assumptions)

    def is_placed() -> bool:
        return place_of(target, preferences, offers) is not None

    ranked = in_usual_frame(fitting, target, preferences, assumptions, is_placed=is_placed)
    ranked = reaching(ranked, target, preferences.span, offers)
    ranked = _dense_enough(ranked, target, preferences, assumptions)
    best = ranked[0]
    assumptions.say_of(target, best, partial(whose, target=target, offers=offers))
    parts = _parts(target, best)
    if "magnitude" in parts:
        with assumptions.about(_MAGNITUDE):
            assumptions.say_of(target, best, partial(computed_of, target=target, found=found))
    into = preferences.frame if best.kind == "vector" and best.frame != preferences.frame else None
    if parts == ("magnitude",):
        into = None
    elif into is not None:
        quantity = target.name
        text = f"The {quantity} of {target.who} is catalogued in {best.frame} and is rotated into {into}."
        assumptions.say(text, Topic("operation", "transform_frame"), Topic("frame", into))
    place = place_of(target, preferences, offers) if into is not None and "RTN" in (into, best.frame) else None
    if place is not None:
        text = f"R, T and N are those of the position of {target.who}, from {place.source}."
        assumptions.say(text, Topic("operation", "transform_frame"))
    turned = {part: None if part == "magnitude" else into for part in parts}
    return [
        Choice(
            target,
            best,
            part,
            _others(target, part, best, ranked, turned[part], place),
            turned[part],
            place if turned[part] else None,
        )
        for part in parts
    ]


def _as_described(
    found: list[Offer], target: Target, preferences: Preferences, offers: Offers, assumptions: Assumptions
) -> list[Offer]:
    """The offers that the catalog describes with the most of the words given; it is said where that narrows them."""
    words = describing(preferences.described, found, offers.catalog, offers.archive) if target.parameter is None else []
    kept = best_described(words, found, offers.catalog, offers.archive) if words else found
    if len(kept) < len(found):
        assumptions.say(f"{' and '.join(map(repr, words))} is taken as what the {target.name} is called in the catalog.")
    return kept


def _has_frame(found: Sequence[Offer], frame: str | None) -> bool:
    return frame is None or any(each.frame == frame for each in found)


def _with_the_same_x(found: Sequence[Offer], target: Target, preferences: Preferences) -> str | None:
    """The frame in which single components have the x that is asked for in GSM or GSE, where they have it in the other only.

    Both frames have the line from the Earth to the Sun as their x axis (Hapgood 1992, Planet. Space Sci. 40, 711,
    doi:10.1016/0032-0633(92)90012-D).
    """
    frames = {"GSM": "GSE", "GSE": "GSM"}
    if target.axis != "x" or target.quantity != "magnetic_field" or preferences.frame not in frames:
        return None
    other = frames[preferences.frame]
    if any(each.kind == "vector" or (each.axis == "x" and each.frame == preferences.frame) for each in found):
        return None
    return other if any(each.axis == "x" and each.frame == other for each in found) else None


def _has_axis(found: Sequence[Offer], axis: str) -> bool:
    return any(each.axis == axis or (each.kind == "vector" and each.frame is not None) for each in found)


def _dense_enough(offers: Sequence[Offer], target: Target, preferences: Preferences, assumptions: Assumptions) -> list[Offer]:
    """The offers, those of the cadence asked for first, else in their order."""
    cadence = preferences.cadence
    if cadence is None:
        usual = offers[0]

        def by_need(each: Offer) -> tuple[timedelta, bool, bool, bool]:
            """Those that are close enough first, of these the ones that surely are, then what is most like the usual one."""
            if not _is_close(each, preferences):
                return each.cadence or timedelta(0), False, False, False
            return timedelta(0), each.cadence is None, each.dataset != usual.dataset, each.kind != usual.kind

        if not _is_close(offers[0], preferences):
            offers = sorted(offers, key=by_need)
            if offers[0].dataset == usual.dataset and offers[0].has_own_cadence:
                assumptions.say_of(target, offers[0], for_its_cadence, is_reason=True)
        if target.dataset is None:
            assumptions.say_of(target, offers[0], lambda offer: [why_used(offer, target, preferences)], is_reason=True)
        return list(offers)
    equal = [each for each in offers if each.cadence is not None and abs(each.cadence - cadence) <= _SAME_CADENCE * cadence]
    is_named_in = offers[0].cadence is not None  # of some missions the catalog does not tell how dense the best data are
    finer = [each for each in offers if (each.cadence < cadence if each.cadence is not None else not is_named_in)]
    finer.sort(key=lambda each: not each.is_by_hand)
    if not equal and not finer and target.quantity in OF_THE_ORBIT:
        assumptions.say(f"The {target.name} is as dense as it is known: {offers[0].label}.")
        return list(offers)
    if not equal and not finer:
        raise DraftQuestion(
            f"No dataset of {target.mission} that I know has so short a cadence. Do you want {offers[0].label}?",
            [Remedy("cadence")],
        )
    return [*equal, *finer] if is_named_in else [each for each in offers if each in equal or each in finer]


def _is_close(offer: Offer, preferences: Preferences) -> bool:
    """Whether samples are close enough together for what is made of them, as far as the catalog tells."""
    return preferences.spacing is None or offer.cadence is None or offer.cadence <= preferences.spacing


def _parts(target: Target, offer: Offer) -> tuple[Part, ...]:
    if offer.kind != "vector":
        return ("as_is",)
    if target.axis:
        return ("component",)
    if target.quantity == "speed" or target.shape == "magnitude":
        return ("magnitude",)
    return ("as_is", "magnitude") if target.shape == "both" else ("as_is",)


def _others(
    target: Target, part: Part, best: Offer, ranked: Sequence[Offer], into: str | None, place: Place | None
) -> tuple[Choice, ...]:
    """Other offers that mean the same: a vector in the same frame, a number where it was one."""
    found = []
    for offer in ranked:
        if offer == best or offer.quantity != best.quantity:
            continue
        other = part if offer.kind == "vector" else "as_is"
        is_number = offer.kind == "series" and offer.axis is None and best.axis is None
        is_alike = offer.kind == best.kind and (part == "magnitude" or is_number or offer.frame == best.frame)
        if is_alike or (part == "magnitude" and is_lone(offer)):
            found.append(Choice(target, replace(offer), other, into=into, place=place if into else None))
    return tuple(found)
