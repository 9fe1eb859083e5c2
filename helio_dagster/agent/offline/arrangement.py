"""Whether what is asked for goes together: panels, pairs, units, frames. What is chosen and drafted stands elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.curves import AnyChoice, DerivedChoice, measured, unit_of
from helio_dagster.agent.offline.dataset_choice import Choice
from helio_dagster.agent.offline.lengths import spoken
from helio_dagster.agent.offline.meanings import Averaging, Compare, Layout, Per, Smoothing, Statistic, Unit
from helio_dagster.agent.offline.preferences import Preferences
from helio_dagster.agent.offline.request_reading import Reading, replaced
from helio_dagster.agent.offline.spoken_request import say
from helio_dagster.agent.offline.treatment import PAIRING_WORDS, Treatment
from helio_dagster.domain.unit_conversion import can_convert

_SUMMING = (Averaging, Per, Statistic)


def ask_about_arrangement(
    reading: Reading, choices: Sequence[AnyChoice], treatment: Treatment, preferences: Preferences
) -> None:
    """Ask where the arrangement cannot be, or a word was understood and has no effect."""
    kinds = {(choice.target.words, isinstance(choice, Choice) and choice.part) for choice in choices}
    are_lines = all(isinstance(choice, DerivedChoice) or choice.is_line for choice in choices)
    if treatment.is_together and not (are_lines and len(kinds) == 1):
        raise OpenQuestion("These have no axis in common. Are separate panels wanted?", [_apart(reading)])
    _ask_about_pairs(choices, treatment, are_lines=are_lines)
    _ask_about_units(reading, choices, treatment)
    has_spectrogram = any(isinstance(choice, Choice) and choice.offer.kind == "spectrogram" for choice in choices)
    if (treatment.smoothing or treatment.averaging) and has_spectrogram:
        averages = [each for each in reading.mentions if isinstance(each.meaning, Averaging | Smoothing | Statistic | Per)]
        text = "I do not average spectrograms: their energies may vary in time. Leave the average out?"
        raise OpenQuestion(text, [each for each in (say(reading, averages),) if each])
    offers = [each.offer for choice in choices for each in measured(choice)]
    if preferences.frame is not None and not any(offer.frame for offer in offers):
        raise OpenQuestion(f"Nothing that is asked for has a frame; what is {preferences.frame} for?")
    if reading.all(Compare) and len(kinds) < 2 and len({choice.target.who for choice in choices}) < 2:
        raise OpenQuestion(f"What shall {choices[0].target.mission} be compared with?")


def _ask_about_pairs(choices: Sequence[AnyChoice], treatment: Treatment, *, are_lines: bool) -> None:
    """Ask of which two an operation of two is wanted, where there are more, fewer, or others."""
    if treatment.pairing is None:
        return
    is_angle = treatment.pairing.operation == "angle_between"
    if len(choices) == 2 and (is_angle or are_lines):
        return
    shown = " and ".join(f"{choice.target.who} {choice.target.words}" for choice in choices[:4])
    words = PAIRING_WORDS[treatment.pairing.operation]
    if is_angle:
        raise OpenQuestion(f"An angle is between two vectors; there is {shown}. Between which two is it wanted?")
    raise OpenQuestion(f"A {words} is of two numbers; there is {shown}. Of which two is it wanted?")


def _ask_about_units(reading: Reading, choices: Sequence[AnyChoice], treatment: Treatment) -> None:
    """Ask where a unit is not that of anything asked for, or a sum is not what people call so."""
    for unit in treatment.units:
        units = list(dict.fromkeys(unit_of(choice) for choice in choices))
        if not any(can_convert(each, unit) for each in units):
            shown = " and ".join(f"the {choice.target.words} in {unit_of(choice) or 'no unit'}" for choice in choices[:3])
            mentions = [each for each in reading.mentions if each.meaning == Unit(unit)]
            again = say(reading, mentions)
            raise OpenQuestion(f"Nothing here can be given in {unit}: I have {shown}. As it is?", [again] if again else [])
    targets = [choice.target for choice in choices if isinstance(choice, Choice)]
    if treatment.averaging is not None and treatment.averaging.method == "sum":
        for target in targets:
            if target.quantity in ("kp", "ap"):
                mentions = [each for each in reading.heard or reading.mentions if isinstance(each.meaning, _SUMMING)]
                again = say(reading, mentions, more=f"{spoken(treatment.averaging.length)} means")
                text = f"{target.words} is of three hours and repeated every hour here: sums would be three times too large."
                raise OpenQuestion(f"{text} Are means wanted?", [again] if again else [])


def _apart(reading: Reading) -> str:
    layout = next(mention for mention in reading.mentions if isinstance(mention.meaning, Layout))
    return replaced(reading.request, layout, "in separate panels")
