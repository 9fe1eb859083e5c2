"""Whether what is asked for goes together: panels, pairs, units, frames."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.drafting.curves import AnyChoice, DerivedChoice, can_give, measured, unit_of
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.drafting.operation_order import PAIRING_WORDS
from helio_dagster.agent.drafting.orbits import ORBIT_UNITS
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.treatments import Treatment
from helio_dagster.domain.units import divide_units


def check_arrangement(choices: Sequence[AnyChoice], treatment: Treatment, preferences: Preferences) -> None:
    """Check that the choices can be drawn and treated as asked.

    Raises
    ------
    DraftQuestion
        They cannot, or a word would have no effect.
    """
    kinds = {(choice.target.words, isinstance(choice, Choice) and choice.part) for choice in choices}
    are_lines = all(isinstance(choice, DerivedChoice) or choice.is_line for choice in choices)
    if treatment.is_together and len(choices) > 1 and not (are_lines and (len(kinds) == 1 or _have_one_unit(choices))):
        remedy = Remedy("layout", "in separate panels")
        text = (
            "These have no axis in common."
            if are_lines
            else "I plan no curves over a spectrogram; a pipeline file may have both."
            if any(isinstance(each, Choice) and each.offer.kind == "spectrogram" for each in choices)
            else "A vector has a panel of its own, with its components."
        )
        raise DraftQuestion(f"{text} Do you want separate panels?", [remedy], is_small=are_lines, reason=text)
    _check_pairs(choices, treatment)
    _check_units(choices, treatment)
    has_spectrogram = any(isinstance(choice, Choice) and choice.offer.kind == "spectrogram" for choice in choices)
    if (treatment.smoothing or treatment.averaging) and has_spectrogram:
        text = "I do not average spectrograms, so there are no means of them: their energies may vary in time."
        raise DraftQuestion(f"{text} Leave the average out?", [Remedy("average")])
    offers = [each.offer for choice in choices for each in measured(choice)]
    if preferences.frame is not None and not any(offer.frame for offer in offers):
        text = f"Nothing you ask for has a frame, so {preferences.frame} changes nothing."
        raise DraftQuestion(f"{text} Leave it out?", [Remedy("frame")], is_small=True, reason=text)
    if treatment.is_comparison and len(kinds) < 2 and len({choice.target.who for choice in choices}) < 2:
        raise DraftQuestion(f"What do you want to compare {choices[0].target.mission} with?")


def _have_one_unit(choices: Sequence[AnyChoice]) -> bool:
    """Whether all can be drawn over one axis as they are."""
    units = {unit_of(choice) for choice in choices}
    return len(units) == 1 and units != {""}


def _check_pairs(choices: Sequence[AnyChoice], treatment: Treatment) -> None:
    """Ask for the two curves of an operation of two, if there are more, fewer, or others; one angle of a vector is a line."""
    if treatment.pairing is None:
        return
    choices = [each for each in choices if each.target not in treatment.beside]
    is_angle = treatment.pairing.operation == "angle_between"
    has_angle = sum(each.operation == "direction" for each in treatment.transforms) == 1
    are_lines = all(
        isinstance(each, DerivedChoice) or each.is_line or (has_angle and each.offer.kind == "vector") for each in choices
    )
    if len(choices) == 2 and (is_angle or are_lines):
        return
    shown = " and ".join(f"{choice.target.who} {choice.target.words}" for choice in choices[:4])
    words = PAIRING_WORDS[treatment.pairing.operation]
    if is_angle:
        raise DraftQuestion(f"An angle is between two vectors; there is {shown}. Between which two do you want it?")
    raise DraftQuestion(f"A {words} is of two numbers; there is {shown}. Of which two do you want it?")


def _check_units(choices: Sequence[AnyChoice], treatment: Treatment) -> None:
    """Ask if a unit is not that of anything asked for, or a sum is not what people call so."""
    are_orbits = treatment.is_orbit and any(choice.target.words == "position" for choice in choices)
    for unit in treatment.units:
        if are_orbits and unit in ORBIT_UNITS:
            continue
        units = list(dict.fromkeys(unit_of(choice) for choice in choices))
        if any(each.operation == "derivative" for each in treatment.transforms):
            units += [divide_units(each, "s") for each in units]
        if not any(can_give(each, unit) for each in units):
            shown = " and ".join(f"the {choice.target.words} in {unit_of(choice) or 'no unit'}" for choice in choices[:3])
            text = f"Nothing here can be given in {unit}: I have {shown}. As it is?"
            raise DraftQuestion(text, [Remedy("unit", which=unit)])
    targets = [choice.target for choice in choices if isinstance(choice, Choice)]
    if treatment.averaging is not None and treatment.averaging.method == "sum":
        for target in targets:
            if target.quantity in ("kp", "ap"):
                text = f"{target.words} is of three hours and repeated every hour here: sums would be three times too large."
                remedy = Remedy("sum", f"{spoken(treatment.averaging.length)} means")
                raise DraftQuestion(f"{text} Do you want means?", [remedy])
