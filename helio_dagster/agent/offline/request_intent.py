"""What a request wants: the quantities, what is done to them, and the words that are ignored or asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.assumptions import Assumption, mission_topics
from helio_dagster.agent.intent import Intent
from helio_dagster.agent.offline.conditional_exclusions import with_limited
from helio_dagster.agent.offline.conversions import ask_about_absolute_values, ask_about_conversions
from helio_dagster.agent.offline.described_data import with_described_data
from helio_dagster.agent.offline.detected_events import names_data, with_detected
from helio_dagster.agent.offline.foreign_instruments import ask_about_foreign
from helio_dagster.agent.offline.leftovers import settle_leftovers
from helio_dagster.agent.offline.meanings import Cadence, Filler, Layout, LeftOut, LimitedEvents, Mission
from helio_dagster.agent.offline.missing_members import ask_about_missing_members
from helio_dagster.agent.offline.own_instruments import own_instruments
from helio_dagster.agent.offline.paired_neighbours import with_what_is_beside
from helio_dagster.agent.offline.preferences import read_preferences
from helio_dagster.agent.offline.request_reader import understood
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.spacecraft_axes import ask_about_own_axes
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.offline.treated_parts import treated_apart
from helio_dagster.agent.offline.treatment import read_treatment
from helio_dagster.agent.offline.vague_requests import ask_about_epochs, ask_about_nothing, ask_which_storm
from helio_dagster.agent.offline.whole_results import in_order_of_words, read_whole_result, with_fitted_band
from helio_dagster.agent.targets import AnyTarget, DerivedTarget, Target
from helio_dagster.agent.treatments import Exclusions, Treatment
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers


class IntentReader:
    """Makes intents of requests that were taken apart.

    Parameters
    ----------
    offers
        What the catalog has.
    read
        Takes words of a request apart.
    """

    def __init__(self, offers: Offers, read: Callable[[str, datetime], Reading]) -> None:
        self._offers, self._read = offers, read

    def intent(self, reading: Reading) -> Intent:
        """What a request wants.

        Raises
        ------
        OpenQuestion
            It leaves open what is wanted.
        """
        _ask_first(reading, self._offers)
        parted = treated_apart(reading, self.targets_of_part, self._treatment_of_part)
        reading = parted.reading if parted is not None else reading
        reading = with_described_data(reading, understood(reading), self._offers)
        leftovers = settle_leftovers(reading, self._offers.catalog)
        reading = understood(reading)
        are_limited = bool(reading.all(LimitedEvents))
        is_of_the_limit = are_limited and not names_data(reading)
        targets = [] if is_of_the_limit else self._found(reading)
        questions = _questions(targets)
        preferences = read_preferences(reading, questions, own=own_instruments(reading, questions, self._offers))
        treatment = with_fitted_band(read_treatment(reading, preferences.cadence), read_whole_result(reading), reading)
        treatment = with_what_is_beside(treatment, reading, targets, self._found)
        if left_out := reading.all(LeftOut):
            treatment = replace(treatment, excluded=self._excluded(left_out, targets, reading.now))
        if are_limited:
            treatment = with_detected(reading, targets, treatment, read=self._read_part, find=self._all_of)
        if is_of_the_limit and treatment.detected is not None:
            targets = [treatment.detected.limited]
        is_ordered = any(each.is_ordered for each in reading.all(Layout))
        return Intent(
            tuple(in_order_of_words(targets, reading) if treatment.whole or is_ordered else targets),
            treatment=replace(treatment, dates=reading.dates, apart=parted.apart if parted else ()),
            preferences=preferences,
            assumptions=_assumed(reading),
            notes=(reading.time.note,) if reading.time and reading.time.note else (),
            leftovers=leftovers,
        )

    def targets(self, reading: Reading) -> list[AnyTarget]:
        """What a whole request asks for."""
        return self._found(understood(reading))

    def targets_of_part(self, part: Reading) -> list[AnyTarget]:
        """What a part of a longer request asks for."""
        return self._found(understood(part, is_whole=False))

    def _found(self, reading: Reading) -> list[AnyTarget]:
        return find_targets(reading, self._offers.catalog, self._offers.archive)

    def _read_part(self, words: str, now: datetime) -> Reading:
        return understood(self._read(words, now), is_whole=False)

    def _all_of(self, reading: Reading) -> list[AnyTarget]:
        """What a reading asks for, where every word of it is understood."""
        settle_leftovers(reading, self._offers.catalog)
        return self.targets_of_part(reading)

    def _treatment_of_part(self, part: Reading) -> Treatment:
        """What is done to a part of the request that is treated in its own way."""
        read = understood(part, is_whole=False)
        cadences = read.all(Cadence)
        treatment = read_treatment(read, cadences[0].length if cadences else None)
        return with_fitted_band(treatment, read_whole_result(read), read)

    def _excluded(self, left_out: Sequence[LeftOut], targets: Sequence[AnyTarget], now: datetime) -> Exclusions:
        """What is left out; of a condition, what it is about."""
        if len(left_out) > 1:
            raise OpenQuestion("The request leaves out times in two ways. Which one first? The other can be said afterwards.")
        excluded = left_out[0].excluded
        if not excluded.condition:
            return excluded
        return with_limited(excluded, targets, now, read=self._read_part, find=self._all_of)


def _ask_first(reading: Reading, offers: Offers) -> None:
    """Ask what is asked whatever the other words say; raises OpenQuestion."""
    ask_which_storm(reading)
    ask_about_missing_members(reading)
    ask_about_conversions(reading)
    ask_about_absolute_values(reading)
    ask_about_epochs(reading)
    ask_about_nothing(reading)
    ask_about_foreign(reading, offers.catalog, offers.archive)
    ask_about_own_axes(reading, offers)


def _assumed(reading: Reading) -> tuple[Assumption, ...]:
    """What was assumed in reading the words."""
    whose = [Assumption(each.note, mission_topics(each.name, each.member)) for each in reading.all(Mission)]
    notes = [each.note for each in reading.all(Filler)] + [each.note for each in reading.all(Cadence)]
    return tuple(each for each in [*whose, *map(Assumption, notes)] if each.text)


def _questions(targets: Sequence[AnyTarget]) -> list[Asked]:
    """What is to be found in the catalog for the targets."""
    whole = [each for each in targets if isinstance(each, Target)]
    parts = [needed for each in targets if isinstance(each, DerivedTarget) for _, needed in each.inputs]
    asked = [Asked(each.mission, each.quantity, each.species, each.member, each.dataset) for each in [*whole, *parts]]
    return list(dict.fromkeys(asked))
