"""Brings components and angles to one frame that are looked at together: of several spacecraft, or of one vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, topics_of
from helio_dagster.agent.drafting.curves import AnyChoice
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.own_cadences import Choose
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.agent.drafting.shape_and_frame import SAME_X
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.treatments import Treatment
from helio_dagster.catalog.choice.quantities import VECTORS


def in_one_frame(
    choices: Sequence[AnyChoice], treatment: Treatment, preferences: Preferences, assumptions: Assumptions, choose: Choose
) -> list[AnyChoice]:
    """The choices, those that depend on the frame in the same way turned into that of one of them: RTN, else GSM.

    Raises
    ------
    DraftQuestion
        They shall be compared, or share a panel, and cannot be brought to one frame.
    """
    found = list(choices)
    angles = {str(each.options.get("angle")) for each in treatment.transforms if each.operation == "direction"}
    for key_of in (_axis_of, _vector_of):
        lines = [each for each in found if isinstance(each, Choice) and _is_turned(each, angles, preferences)]
        for key in dict.fromkeys(map(key_of, lines)):
            alike = [each for each in lines if key_of(each) == key]
            for each, turned in _turned(alike, angles, treatment, preferences, assumptions, choose):
                found[found.index(each)] = turned
    return found


def _axis_of(choice: Choice) -> tuple[str, str | None]:
    return choice.target.quantity, choice.target.axis


def _vector_of(choice: Choice) -> tuple[str, str | None]:
    return choice.target.quantity, choice.target.who


def _turned(
    alike: Sequence[Choice],
    angles: Set[str],
    treatment: Treatment,
    preferences: Preferences,
    assumptions: Assumptions,
    choose: Choose,
) -> Iterator[tuple[Choice, AnyChoice]]:
    """Choices that stand in another frame than the others, each with what is in that of the others."""
    frames = list(dict.fromkeys(str(each.frame) for each in alike))
    are_x = {each.target.axis for each in alike} == {"x"} or angles == {"cone"}
    if len(frames) < 2 or (are_x and set(frames) <= SAME_X):
        return
    is_field = alike[0].target.quantity == "magnetic_field"
    frame = next((each for each in ("RTN", "GSM") if each in frames and is_field), frames[0])
    for each in alike:
        if each.frame == frame:
            continue
        try:
            (turned,) = choose(each.target, replace(preferences, frame=frame), assumptions)
        except DraftQuestion:
            if treatment.is_comparison or treatment.is_together:
                raise
            continue
        if isinstance(turned, Choice):
            assumptions.exchange(each.target, each.offer, turned.offer)
        assumptions.take_back(Topic("frame", str(each.frame)), *topics_of(each.target))
        yield each, turned


def _is_turned(choice: Choice, angles: set[str], preferences: Preferences) -> bool:
    """Whether what is drawn is one number of a vector that changes with the frame, which the request leaves open."""
    if choice.target.quantity not in VECTORS or choice.frame is None:
        return False
    if preferences.for_quantity(choice.target.mission, choice.target.quantity).frame is not None:
        return False
    return choice.target.axis is not None or (bool(angles) and choice.part == "as_is" and choice.offer.kind == "vector")
