"""Which offer of the catalog answers a target, and what is assumed in choosing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from helio_dagster.agent.drafting.lone_components import TURNED, composed_vectors, lone_axes
from helio_dagster.agent.drafting.nothing_measured import no_such
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.whose import say_whose
from helio_dagster.agent.intent import Preferences, Target
from helio_dagster.catalog.choice.descriptors import best_described, describing
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping, rank_of
from helio_dagster.catalog.choice.quantities import VECTORS
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange

Part = Literal["as_is", "magnitude", "component"]


@dataclass(frozen=True)
class Choice:
    """An offer, and what is shown of it: as it is, its magnitude, or one component; `others` would do as well.

    `into` is the frame that it is rotated to, where the catalog has none in the frame asked for.
    """

    target: Target
    offer: Offer
    part: Part
    others: tuple[Choice, ...] = ()
    into: str | None = None

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


_SAME_X = {"GSE", "GSM"}
"""Frames with one X axis, towards the Sun."""


def instead(choice: Choice, other: Choice) -> Choice:
    """Another choice in place of one, which it keeps among those that would do as well."""
    return (
        other if other is choice else replace(other, others=tuple(each for each in (choice, *choice.others) if each != other))
    )


def choose(target: Target, preferences: Preferences, *, offers: Offers, assumptions: list[str]) -> list[Choice]:
    """The offers that answer a target, two choices for a vector with its magnitude; what was assumed is added to `assumptions`.

    Raises
    ------
    DraftQuestion
        The mission has no such quantity, frame or shape.
    """
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
    if not found and (likely := _likely(target, asked, preferences, offers)):
        assumptions.append(_taken(likely, target, offers))
        part: Part = "magnitude" if likely.kind == "vector" and target.shape == "magnitude" else "as_is"
        return [Choice(target, likely, part)]
    if not found:
        raise no_such(target, preferences, offers)
    found = _as_described(found, target, preferences, offers, assumptions)
    if target.parameter is not None and target.shape is not None and all(each.kind != "vector" for each in found):
        text = f"{target.parameter} of {target.dataset} is not a vector, and has no {target.shape}. Is it wanted as it is?"
        raise DraftQuestion(text, [Remedy("shape")])
    if target.axis is None and target.shape != "magnitude" and target.quantity in VECTORS:
        whole = replace(target, shape="vector") if preferences.frame is not None and target.shape is None else target
        frame, vectors = preferences.frame, [each for each in found if each.kind == "vector"]
        if frame is None and preferences.in_gsm and not vectors and any(each.axis and each.frame == "GSM" for each in found):
            frame = "GSM"
            assumptions.append(f"The {preferences.in_gsm} is taken in GSM, because the request names no frame.")
        axes = lone_axes(found, whole, frame)
        if composed := list(composed_vectors(found, whole, frame)):
            names = ", ".join(composed[0].parts)
            assumptions.append(f"The vector is composed of {names}: {target.who} is catalogued with single components.")
            found = [*composed, *(each for each in found if each.kind != "vector" and each.axis is None)]
        elif axes:
            text = f"{target.who} is catalogued with single components of the {target.name}: all are shown."
            assumptions.append(text)
            each = [replace(target, axis=offer.axis, shape=None, dataset=offer.dataset) for offer in axes]
            shown = [choose(part, preferences, offers=offers, assumptions=assumptions) for part in each]
            assumptions.append(f"{axes[0].dataset} ({axes[0].label}) is used, because the request names no dataset.")
            return [choice for part in shown for choice in part]
    fitting = _of_shape(found, target, preferences, assumptions)
    framed = _framed(fitting, target, preferences, assumptions)
    ranked = _dense_enough(framed, target, preferences, assumptions)
    best = ranked[0]
    say_whose(best, target, offers, assumptions)
    parts = _parts(target, best)
    if "magnitude" in parts:
        lone = next((each for each in found if _is_lone(each) and each.dataset == best.dataset), None)
        if lone is not None and best.quantity == "magnetic_field":
            assumptions.append(
                f"The magnitude is computed from {best.parameter}, not taken from the archive's {lone.parameter}."
            )
        elif target.quantity == "speed":
            assumptions.append(f"The speed at {target.mission} is the magnitude of its velocity.")
    into = preferences.frame if best.kind == "vector" and best.frame != preferences.frame else None
    if parts == ("magnitude",):
        into = None
    elif into is not None:
        quantity = target.name
        assumptions.append(f"The {quantity} of {target.who} is catalogued in {best.frame} and is rotated into {into}.")
    turned = {part: None if part == "magnitude" else into for part in parts}
    return [Choice(target, best, part, _others(target, part, best, ranked, turned[part]), turned[part]) for part in parts]


def _likely(target: Target, asked: Asked, preferences: Preferences, offers: Offers) -> Offer | None:
    """What may be meant where nothing surely is: by an instrument or in words that are named; None where nothing is."""
    if target.axis or not (asked.instrument or asked.dataset or preferences.described):
        return None
    found = [each for each in offers.likely(asked, span=preferences.span) if _covers(each, preferences.span)]
    words = describing(preferences.described, found, offers.catalog, offers.archive)
    lone = target.quantity in VECTORS and all(each.kind == "series" for each in found)
    if not found or (lone and not words):
        return None
    return best_described(words, found, offers.catalog, offers.archive)[0]


def _covers(offer: Offer, span: TimeRange | None) -> bool:
    return span is None or offer.share(span) > 0


def _taken(offer: Offer, target: Target, offers: Offers) -> str:
    """What was taken for a quantity, in the archive's words."""
    told = offers.catalog.describe(offers.archive, offer.dataset, offer.parameter)
    text = f" ({told.parameter})" if told and told.parameter else ""
    return f"{offer.parameter} of {offer.dataset}{text} is taken as the {target.words}: the catalog has nothing nearer."


def _as_described(
    found: list[Offer], target: Target, preferences: Preferences, offers: Offers, assumptions: list[str]
) -> list[Offer]:
    """The offers that the catalog describes with the most of the words given; it is said where that narrows them."""
    words = describing(preferences.described, found, offers.catalog, offers.archive) if target.parameter is None else []
    kept = best_described(words, found, offers.catalog, offers.archive) if words else found
    if len(kept) < len(found):
        assumptions.append(f"{' and '.join(map(repr, words))} is taken as what the {target.name} is called in the catalog.")
    return kept


def _has_frame(found: Sequence[Offer], frame: str | None) -> bool:
    return frame is None or any(each.frame == frame for each in found)


def _has_axis(found: Sequence[Offer], axis: str) -> bool:
    return any(each.axis == axis or (each.kind == "vector" and each.frame is not None) for each in found)


def _of_shape(found: Sequence[Offer], target: Target, preferences: Preferences, assumptions: list[str]) -> list[Offer]:
    """The offers that can be shown in the way asked for."""
    if target.quantity not in VECTORS:
        return list(found)
    vectors = [each for each in found if each.kind == "vector"]
    lone = [each for each in found if _is_lone(each)]
    if target.axis:
        return _with_axis(found, target, preferences, assumptions)
    quantity = target.name
    is_signed = quantity == "electric field" and bool(lone) and not vectors
    if is_signed and target.shape is None:
        return lone
    if is_signed:
        text = f"{target.who} is catalogued with one number for the {quantity}, neither its vector nor its magnitude."
        raise DraftQuestion(f"{text} Do you want that?", [Remedy("shape")])
    if target.shape == "magnitude":
        if fitting := _by_hand_first([*vectors, *lone], found):
            return fitting
        if composed := list(composed_vectors(found, replace(target, shape="vector"), preferences.frame)):
            names = ", ".join(composed[0].parts)
            assumptions.append(f"The vector is composed of {names}: {target.who} is catalogued with single components.")
            return composed
    if vectors:
        by_hand = [each for each in found if each.is_by_hand]
        has_own = preferences.frame is not None or any(each.kind == "vector" for each in by_hand)
        if target.shape is None and by_hand and not has_own:
            vectors = []
        else:
            if target.shape is None:
                assumptions.append(f"The components of the {quantity} are shown, because the request names no magnitude.")
            return vectors
    if target.shape is not None or not lone:
        parts = " and single components, not with a vector as one parameter" if any(each.axis for each in found) else " only"
        text = f"{target.who} is catalogued with the magnitude of the {quantity}{parts}. Do you want the magnitude?"
        if not lone:
            text = f"{target.who} is catalogued with single components of the {quantity} only. Which one do you want?"
            axes = sorted({each.axis for each in found if each.axis})
            letter = _LETTERS.get(target.quantity, "B")
            raise DraftQuestion(text, [Remedy("quantity", f"{letter}{axis}", target.quantity) for axis in axes])
        raise DraftQuestion(text, [Remedy("shape", "magnitude", target.quantity)])
    only = " only" if not any(each.axis for each in found) else ", and with single components, which are not shown"
    assumptions.append(f"{target.who} is catalogued with the magnitude of the {quantity}{only}.")
    return lone


def _by_hand_first(offers: Sequence[Offer], order: Sequence[Offer]) -> list[Offer]:
    """Vectors made by hand, else the offers in the catalog's order."""
    by_hand = [each for each in offers if each.is_by_hand and each.kind == "vector"]
    return [*by_hand, *(each for each in order if each in offers and each not in by_hand)]


def _is_lone(offer: Offer) -> bool:
    """Whether an offer is the length of a vector, and not one of its components."""
    return offer.kind == "series" and offer.axis is None


def _with_axis(found: Sequence[Offer], target: Target, preferences: Preferences, assumptions: list[str]) -> list[Offer]:
    """What has the axis: R, T, N in RTN, X, Y, Z elsewhere; its frame must be said where there are several."""
    is_rtn = target.axis in ("r", "t", "n")
    letter = _LETTERS.get(target.quantity, "B")
    symbol = f"{letter}{target.axis}"
    if preferences.frame is not None and is_rtn != (preferences.frame == "RTN") and (is_rtn or preferences.frame == "RTN"):
        axes = "xyz" if is_rtn else "rtn"
        text = f"{symbol} is not a component in {preferences.frame}, which has {', '.join(letter + axis for axis in axes)}."
        remedies = [Remedy("quantity", f"{letter}{axis}", target.quantity) for axis in axes]
        raise DraftQuestion(f"{text} Which one do you want?", remedies)
    vectors = [each for each in found if each.kind == "vector" and (each.frame == "RTN") == is_rtn and each.frame is not None]
    parts = [each for each in found if each.axis == target.axis and each.frame is not None]
    fitting = [each for each in found if each in vectors or each in parts]
    by_hand = [each for each in fitting if each.is_by_hand]
    if not fitting:
        quantity = target.name
        text = f"{target.who} has no {symbol} that I know."
        if any(each.kind == "vector" and each.frame is None for each in found):
            text = (
                f"The {quantity} of {target.who} is catalogued as a vector in a frame that I do not know: no {symbol} to tell."
            )
        raise DraftQuestion(text, [Remedy("quantity", f"{quantity} vector", target.quantity)])
    frames = list(dict.fromkeys(str(each.frame) for each in by_hand or fitting))
    usual = [frame for frame in frames if frame in ("GSE", "GSM")]
    if preferences.frame is None and "GSM" in frames and target.mission == "OMNI" and target.quantity == "magnetic_field":
        assumptions.append(f"{symbol} is taken in GSM, because the request names no frame and OMNI is about the magnetosphere.")
        return [each for each in fitting if each.frame == "GSM"]
    if preferences.frame is None and not is_rtn and target.axis != "x" and len(usual or frames) > 1:
        text = f"In which frame do you want {symbol} of {target.mission}?"
        raise DraftQuestion(text, [Remedy("frame", f"in {frame}") for frame in usual or frames])
    return fitting


def _framed(fitting: Sequence[Offer], target: Target, preferences: Preferences, assumptions: list[str]) -> list[Offer]:
    """Offers in the frame asked for, else in the usual one; what has no frame stays."""
    with_frame = [each for each in fitting if each.kind == "vector" or each.axis]
    if not with_frame or (target.quantity not in VECTORS and fitting[0].kind != "vector"):
        return list(fitting)
    frames = list(dict.fromkeys(str(each.frame) for each in with_frame if each.frame))
    if preferences.frame is not None:
        kept = [each for each in with_frame if each.frame == preferences.frame]
        if kept:
            return kept
        along_x = [
            each for each in with_frame if target.axis == each.axis == "x" and {each.frame, preferences.frame} <= _SAME_X
        ]
        if along_x:
            assumptions.append(f"Its X in {preferences.frame} is that of {along_x[0].frame}: the axis is the same.")
            return along_x
        turned = [each for each in with_frame if each.kind == "vector" and each.frame in TURNED]
        if preferences.frame in TURNED and turned:
            first = min(turned, key=rank_of(fitting)).frame
            return [each for each in turned if each.frame == first]
        quantity = target.name
        text = f"The {quantity} of {target.mission} is not catalogued in {preferences.frame}. In which frame do you want it?"
        raise DraftQuestion(text, [Remedy("frame", f"in {frame}") for frame in frames])
    if target.shape == "magnitude":
        return sorted(fitting, key=lambda each: (not each.is_by_hand, fitting.index(each)))
    best = min(with_frame, key=rank_of(fitting))
    in_gsm = [each for each in with_frame if each.frame == "GSM" and (each.dataset == best.dataset or not best.is_by_hand)]
    if preferences.in_gsm and in_gsm and target.axis is None:
        assumptions.append(f"The {preferences.in_gsm} is taken in GSM, because the request names no frame.")
        return in_gsm
    if len(frames) > 1:
        assumptions.append(f"{best.frame} is used, because the request names no frame.")
    return [each for each in with_frame if each.frame == best.frame]


def _dense_enough(offers: Sequence[Offer], target: Target, preferences: Preferences, assumptions: list[str]) -> list[Offer]:
    """The offers, those of the cadence asked for first, else in their order."""
    cadence = preferences.cadence
    if cadence is None:
        offers = sorted(offers, key=lambda each: not _is_close(each, preferences))
        if target.dataset is None:
            assumptions.append(f"{offers[0].dataset} ({offers[0].label}) is used, because the request names no dataset.")
        return list(offers)
    equal = [each for each in offers if each.cadence == cadence]
    is_told = offers[0].cadence is not None  # of some missions the catalog does not tell how dense the best data are
    finer = [each for each in offers if (each.cadence < cadence if each.cadence is not None else not is_told)]
    finer.sort(key=lambda each: not each.is_by_hand)
    if not equal and not finer:
        raise DraftQuestion(
            f"No dataset of {target.mission} that I know has so short a cadence. Do you want {offers[0].label}?",
            [Remedy("cadence")],
        )
    return [*equal, *finer] if is_told else [each for each in offers if each in equal or each in finer]


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


def _others(target: Target, part: Part, best: Offer, ranked: Sequence[Offer], into: str | None) -> tuple[Choice, ...]:
    """Other offers that mean the same: a vector in the same frame, a number where it was one."""
    found = []
    for offer in ranked:
        if offer == best or offer.quantity != best.quantity:
            continue
        other = part if offer.kind == "vector" else "as_is"
        is_number = offer.kind == "series" and offer.axis is None and best.axis is None
        is_alike = offer.kind == best.kind and (part == "magnitude" or is_number or offer.frame == best.frame)
        if is_alike or (part == "magnitude" and _is_lone(offer)):
            found.append(Choice(target, replace(offer), other, into=into))
    return tuple(found)


_LETTERS = {"magnetic_field": "B", "velocity": "V", "electric_field": "E", "position": "R"}
