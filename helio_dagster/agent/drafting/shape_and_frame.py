"""Which of the offers can be shown in the shape and frame asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import WHOLE_VECTOR, Assumptions, Topic
from helio_dagster.agent.drafting.lone_components import TURNED, composed_vectors
from helio_dagster.agent.drafting.places import TO_AND_FROM_RTN
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.targets import Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.catalog.choice.offers import rank_of
from helio_dagster.catalog.choice.parameter_words import KEY_PARAMETERS
from helio_dagster.catalog.choice.quantities import VECTORS

SAME_X = {"GSE", "GSM"}
"""Frames with one X axis, towards the Sun."""


def of_shape(found: Sequence[Offer], target: Target, preferences: Preferences, assumptions: Assumptions) -> list[Offer]:
    """The offers that can be shown in the way asked for."""
    if target.quantity not in VECTORS:
        return list(found)
    vectors = [each for each in found if each.kind == "vector"]
    lone = [each for each in found if is_lone(each)]
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
            assumptions.say(f"The vector is composed of {names}: {target.who} is catalogued with single components.")
            return composed
    if vectors:
        by_hand = [each for each in found if each.is_by_hand]
        has_own = preferences.frame is not None or any(each.kind == "vector" for each in by_hand)
        if target.shape is None and by_hand and not has_own:
            vectors = []
        else:
            if target.shape is None:
                text = f"The components of the {quantity} are shown, because the request names no magnitude of it."
                assumptions.say(text, WHOLE_VECTOR)
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
    assumptions.say(f"{target.who} is catalogued with the magnitude of the {quantity}{only}.")
    return lone


def _by_hand_first(offers: Sequence[Offer], order: Sequence[Offer]) -> list[Offer]:
    """Vectors made by hand, else the offers in the catalog's order."""
    by_hand = [each for each in offers if each.is_by_hand and each.kind == "vector"]
    return [*by_hand, *(each for each in order if each in offers and each not in by_hand)]


def is_lone(offer: Offer) -> bool:
    """Whether an offer is the length of a vector, and not one of its components."""
    return offer.kind == "series" and offer.axis is None


def _with_axis(found: Sequence[Offer], target: Target, preferences: Preferences, assumptions: Assumptions) -> list[Offer]:
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
    unframed = [each for each in found if each.axis == target.axis and each.frame is None]
    if unframed and preferences.frame is None and not any(each.frame or each.kind == "vector" for each in found):
        assumptions.say(f"In which frame {symbol} of {target.who} stands is not in the catalog.")
        return unframed
    if not fitting:
        quantity = target.name
        text = f"{target.who} has no {symbol} that I know."
        if not is_rtn and any(each.kind == "vector" and each.frame == "RTN" for each in found):
            text = f"The {quantity} of {target.who} is catalogued in RTN, where there is no {symbol}. Which one do you want?"
            raise DraftQuestion(text, [Remedy("quantity", f"{letter}{axis}", target.quantity) for axis in "rtn"])
        if any(each.kind == "vector" and each.frame is None for each in found):
            text = (
                f"The {quantity} of {target.who} is catalogued as a vector in a frame that I do not know: no {symbol} to tell."
            )
        raise DraftQuestion(text, [Remedy("quantity", f"{quantity} vector", target.quantity)])
    frames = list(dict.fromkeys(str(each.frame) for each in by_hand or fitting))
    usual = [frame for frame in frames if frame in ("GSE", "GSM")]
    if preferences.frame is None and not is_rtn and target.axis != "x" and len(usual or frames) > 1:
        frame = "GSM" if target.quantity == "magnetic_field" else "GSE"
        if frame not in usual:
            text = f"In which frame do you want {symbol} of {target.mission}?"
            raise DraftQuestion(text, [Remedy("frame", f"in {frame}") for frame in usual or frames])
        why = " and OMNI is about the magnetosphere" if target.mission == "OMNI" and frame == "GSM" else ""
        assumptions.say(f"{symbol} is taken in {frame}, because the request names no frame{why}.", Topic("frame", frame))
        return [each for each in fitting if each.frame == frame]
    return fitting


def in_usual_frame(
    fitting: Sequence[Offer],
    target: Target,
    preferences: Preferences,
    assumptions: Assumptions,
    *,
    is_placed: Callable[[], bool],
) -> list[Offer]:
    """Offers in the frame asked for, else in the usual one; what has no frame stays.

    `is_placed` says whether the spacecraft's positions can be had, by which vectors are rotated into and out of RTN.
    """
    with_frame = [each for each in fitting if each.kind == "vector" or each.axis]
    if not with_frame or (target.quantity not in VECTORS and fitting[0].kind != "vector"):
        return list(fitting)
    frames = list(dict.fromkeys(str(each.frame) for each in with_frame if each.frame))
    if preferences.frame is not None:
        kept = [each for each in with_frame if each.frame == preferences.frame]
        turned = [each for each in with_frame if each.kind == "vector" and each.frame in TURNED]
        better = [each for each in turned if not KEY_PARAMETERS.search(each.dataset)]
        if kept and not (better and preferences.frame in TURNED and _are_first_looks(kept, target)):
            return kept
        along_x = [each for each in with_frame if target.axis == each.axis == "x" and {each.frame, preferences.frame} <= SAME_X]
        if along_x:
            text = f"Its X in {preferences.frame} is that of {along_x[0].frame}: the axis is the same."
            assumptions.say(text, Topic("frame", str(along_x[0].frame)))
            return along_x
        if preferences.frame in TURNED and turned:
            first = min(better or turned, key=rank_of(fitting)).frame
            return [each for each in better or turned if each.frame == first]
        in_rtn = [
            each
            for each in with_frame
            if each.kind == "vector"
            and ({each.frame, preferences.frame} & {"RTN"})
            and {each.frame, preferences.frame} <= {"RTN", *TO_AND_FROM_RTN}
        ]
        if in_rtn and target.axis is None and is_placed():
            first = min(in_rtn, key=rank_of(fitting)).frame
            return [each for each in in_rtn if each.frame == first]
        quantity = target.name
        text = f"The {quantity} of {target.mission} is not catalogued in {preferences.frame}. In which frame do you want it?"
        raise DraftQuestion(text, [Remedy("frame", f"in {frame}") for frame in frames])
    if target.shape == "magnitude":
        return sorted(fitting, key=lambda each: (not each.is_by_hand, fitting.index(each)))
    best = min(with_frame, key=rank_of(fitting))
    in_gsm = [each for each in with_frame if each.frame == "GSM" and (each.dataset == best.dataset or not best.is_by_hand)]
    if preferences.in_gsm and in_gsm and target.axis is None:
        assumptions.say(taken_in_gsm(preferences.in_gsm), Topic("frame", "GSM"))
        return in_gsm
    if len(frames) > 1:
        assumptions.say(f"{best.frame} is used, because the request names no frame.", Topic("frame", str(best.frame)))
    return [each for each in with_frame if each.frame == best.frame]


def _are_first_looks(offers: Sequence[Offer], target: Target) -> bool:
    """Whether a whole vector is in this frame in key parameters alone, where better data can be rotated and none are named."""
    is_field = target.quantity in ("magnetic_field", "velocity") and target.axis is None and target.dataset is None
    return is_field and all(KEY_PARAMETERS.search(each.dataset) for each in offers)


def taken_in_gsm(what: str) -> str:
    """That an angle is taken in GSM, in which the request does not ask for it."""
    return f"The {what} is taken in GSM, because the request names no frame."


_LETTERS = {"magnetic_field": "B", "velocity": "V", "electric_field": "E", "position": "R"}
