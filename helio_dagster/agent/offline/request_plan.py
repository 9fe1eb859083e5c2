"""A request that was read, made an intent, and drafted; what the drafter asks becomes a question in the person's words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.drafting.assumptions import Assumption, mission_topics
from helio_dagster.agent.drafting.drafter import Drafter
from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.intent import Intent
from helio_dagster.agent.offline.alternatives import alternatives
from helio_dagster.agent.offline.bin_statistics import with_statistics
from helio_dagster.agent.offline.catalog_suggestions import named_exactly, with_suggestions
from helio_dagster.agent.offline.clauses import with_lone_magnetometers, without_idle_magnetometers
from helio_dagster.agent.offline.conditional_exclusions import with_limited
from helio_dagster.agent.offline.conversions import ask_about_conversions
from helio_dagster.agent.offline.described_data import with_described_data
from helio_dagster.agent.offline.detected_events import as_intervals, is_only_a_list, names_data, of_the_limit, with_detected
from helio_dagster.agent.offline.draft_questions import in_words, of_parts, spoken_question, with_what_is_unknown, without_it
from helio_dagster.agent.offline.encounter_words import with_encounter, without_dated_occasions
from helio_dagster.agent.offline.foreign_instruments import ask_about_foreign
from helio_dagster.agent.offline.joined_instruments import by_each_instrument, of_both
from helio_dagster.agent.offline.languages import translated
from helio_dagster.agent.offline.leftovers import corrected, corrected_closely, settle_leftovers
from helio_dagster.agent.offline.listed_members import with_members_named
from helio_dagster.agent.offline.lone_lengths import with_lone_lengths
from helio_dagster.agent.offline.meanings import Cadence, Filler, Heading, Instrument, Layout, LeftOut, LimitedEvents, Mission
from helio_dagster.agent.offline.measured_spectra import with_measured_spectra
from helio_dagster.agent.offline.missing_members import ask_about_missing_members
from helio_dagster.agent.offline.misspelt_missions import misspelt_missions
from helio_dagster.agent.offline.named_instruments import with_named_instruments
from helio_dagster.agent.offline.named_parameters import with_named_parameters
from helio_dagster.agent.offline.obstacles import obstacle
from helio_dagster.agent.offline.only import with_only
from helio_dagster.agent.offline.own_instruments import own_instruments
from helio_dagster.agent.offline.paired_neighbours import with_what_is_beside
from helio_dagster.agent.offline.panel_counts import ask_about_panels, with_components_apart
from helio_dagster.agent.offline.particle_moments import (
    particles_by_instrument,
    with_particles_of_moments,
    with_those_of_the_instrument,
)
from helio_dagster.agent.offline.particles import with_particles
from helio_dagster.agent.offline.picked_data import with_picked_data
from helio_dagster.agent.offline.picked_items import with_picked_items
from helio_dagster.agent.offline.preferences import read_preferences
from helio_dagster.agent.offline.request_reading import Mention, Reading, read_request
from helio_dagster.agent.offline.result_words import with_component_named
from helio_dagster.agent.offline.results_in_words import with_whole_results
from helio_dagster.agent.offline.retracted import without_retracted
from helio_dagster.agent.offline.server_data import ServerData
from helio_dagster.agent.offline.several_dates import with_several_dates
from helio_dagster.agent.offline.shared_nouns import with_nouns_shared
from helio_dagster.agent.offline.slashes import with_slashes_read
from helio_dagster.agent.offline.spacecraft_axes import ask_about_own_axes
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.offline.treated_parts import treated_apart
from helio_dagster.agent.offline.treatment import read_treatment, to_the_radial
from helio_dagster.agent.offline.unknown_operations import NoOperation, with_nearest
from helio_dagster.agent.offline.unwanted import with_unwanted
from helio_dagster.agent.offline.vague_requests import ask_about_epochs, ask_about_nothing, ask_which_storm
from helio_dagster.agent.offline.weekdays import without_weekdays
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.offline.whereabouts import (
    of_omni,
    of_the_named_member,
    of_the_spacecraft,
    with_solar_wind_of_omni,
)
from helio_dagster.agent.offline.whole_results import in_order_of_words, read_whole_result, with_fitted_band
from helio_dagster.agent.offline.wording import reworded, without
from helio_dagster.agent.planner import Operations
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.targets import AnyTarget, DerivedTarget, Target
from helio_dagster.agent.treatments import Exclusions, Treatment
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.errors import InputError

_FIRST_SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Z])")
_MOST_TRIED = 3
"""Parameters of a name that are tried."""


class RequestPlanner:
    """Makes plans of requests.

    Parameters
    ----------
    offers
        What the catalog has.
    side
        Takes samples of candidates; without one the catalog's order counts.
    operations
        What a name of an operation is compared with that there is not.
    """

    def __init__(self, offers: Offers, side: RunSide | None, operations: Operations) -> None:
        self._offers, self._operations = offers, operations
        self.drafter = Drafter(offers, side)
        self.server_data = ServerData(offers.catalog)

    def read(self, request: str, now: datetime) -> Reading:
        """The request taken apart, the names of parameters in it understood; raises as `read_request`, and OpenQuestion."""
        words = without_retracted(request)
        dated = without_weekdays(words.request, now)
        listed = with_slashes_read(dated.request)
        text = with_component_named(with_members_named(with_nouns_shared(listed.request)))
        names = self.server_data.of_request(text)
        read = of_the_named_member(read_request(text, now, names, has_events=True))
        if read.all(LimitedEvents) and is_only_a_list(read):
            read = of_the_named_member(read_request(as_intervals(text, read), now, names))
        read = replace(
            read,
            mentions=(
                *(Mention(Filler(note), 0, 0, "") for note in (*words.notes, *dated.notes, *listed.notes)),
                *read.mentions,
            ),
        )
        named = with_named_parameters(read, self._offers.catalog, self._offers.archive)
        named = with_named_instruments(named, self._offers.catalog, self._offers.archive)
        named = with_particles(with_particles_of_moments(named, self._offers), self._offers)
        named = with_measured_spectra(named, self._offers)
        if (renamed := particles_by_instrument(named, self._offers)) and corrected(named) is None:
            again = self.read(reworded(named, renamed), now)
            notes = [f"{mention.words.strip()!r} is taken as {name}." for mention, name in renamed.items() if name.strip()]
            remarks = [Mention(Filler(note), 0, 0, "") for note in notes]
            return replace(again, mentions=(*remarks, *again.mentions))
        named = without_dated_occasions(with_encounter(with_those_of_the_instrument(named, self._offers)))
        return with_several_dates(
            with_lone_magnetometers(with_lone_lengths(with_only(with_unwanted(without_idle_magnetometers(named)))))
        )

    def plan(self, reading: Reading, now: datetime, tell: Tell = say_nothing, *, samples: bool = True) -> Plan:
        """The plan; misspelt words are corrected, and it says so.

        Raises
        ------
        OpenQuestion
            A word, a mission, a quantity, a frame, a length is missing or not understood.
        """
        notes: tuple[str, ...] = ()
        english = translated(reading.request, reading.now) if reading.unknown else None
        if english is not None and not (read := self.read(english, reading.now)).unknown:
            reading, notes = read, (f"Read as: {english}",)
        for words, name in misspelt_missions(reading).items():
            reading = self.read(reading.request.replace(words, name, 1), reading.now)
            notes = (*notes, f"{words!r} is read as {name!r}.")
        if fixed := corrected(reading):
            reading, notes = self.read(fixed.request, reading.now), (*notes, *fixed.notes)
        if (both := self._by_each(reading, now)) is not None:
            request, note = both
            plan = self.plan(self.read(request, reading.now), now, tell, samples=samples)
            return replace(plan, notes=(*notes, note, *plan.notes))
        if (one := self._of_alternatives(reading, now, tell, samples=samples)) is not None:
            return replace(one, notes=(*notes, *one.notes))
        try:
            plan = self._of_named_data(reading, now, tell, samples=samples)
        except NotUnderstood as asked:
            if (fixed := corrected_closely(reading, self._offers.catalog)) is not None:
                read = self.read(fixed.request, reading.now)
                if len(read.unknown) < len(reading.unknown):
                    with suppress(OpenQuestion):
                        plan = self.plan(read, now, tell, samples=samples)
                        return replace(plan, notes=(*notes, *fixed.notes, *plan.notes))
            if (known := self._of_what_is_known(reading, now, tell, samples=samples)) is not None:
                return replace(known, notes=(*notes, *known.notes))
            suggested = with_suggestions(asked, reading, self._offers)
            if isinstance(asked, NoOperation):
                raise with_nearest(asked, self._operations) from None
            in_the_way = None if suggested.remarks else obstacle(asked, reading, lambda request: self._drafted(request, now))
            raise in_the_way or suggested from None
        except NothingMeasured as nothing:
            if (again := of_parts(reading, nothing)) is not None:
                plan = self.plan(self.read(again, reading.now), now, tell, samples=samples)
                return replace(
                    plan,
                    notes=(
                        *notes,
                        f"{_FIRST_SENTENCE.split(nothing.question.text)[0]} It is computed from the two densities.",
                        *plan.notes,
                    ),
                )
            question = without_it(reading, self._targets(reading), nothing)
            raise question or with_suggestions(in_words(nothing, reading), reading, self._offers) from None
        except DraftQuestion as asked:
            raise with_what_is_unknown(spoken_question(reading, asked), reading) from None
        if (apart := with_components_apart(reading, plan)) is not None:
            with suppress(OpenQuestion):
                plan = self.plan(self.read(apart, reading.now), now, tell, samples=samples)
                return replace(plan, notes=(*notes, *plan.notes))
        ask_about_panels(reading, plan)
        return replace(plan, notes=(*notes, *plan.notes))

    def _of_what_is_known(self, reading: Reading, now: datetime, tell: Tell, *, samples: bool) -> Plan | None:
        """The plan of an instrument's data where all other words bear no meaning and are ignored; None where it has none."""
        unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading)]
        is_named_in = bool(reading.all(Mission) and reading.all(Instrument))
        if not unknown or not is_named_in or any(is_weighty(each, reading, self._offers.catalog) for each in unknown):
            return None
        try:
            plan = self.plan(self.read(without(reading, unknown), reading.now), now, tell, samples=samples)
        except (OpenQuestion, InputError):
            return None
        return replace(plan, ignored=(*(each.words for each in unknown), *plan.ignored))

    def _of_named_data(self, reading: Reading, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """The plan; where no quantity is said, of the parameter that the catalog has for the instrument and the words."""
        try:
            return self.drafter.draft(self.intent(reading), now, tell, samples=samples)
        except OpenQuestion as asked:
            later: OpenQuestion = asked
            for request, note in self._named_by_the_catalog(asked, reading):
                try:
                    plan = self.plan(self.read(request, reading.now), now, tell, samples=samples)
                    return replace(plan, notes=(note, *plan.notes))
                except NotUnderstood:
                    continue
                except OpenQuestion as question:
                    if isinstance(asked, NothingMeasured):
                        again = question.question.model_copy(update={"text": f"{question.question.text} ({note})"})
                        question.question, later = again, question
            raise later from None

    def _named_by_the_catalog(self, asked: OpenQuestion, reading: Reading) -> Iterator[tuple[str, str]]:
        """The request with parameters that the catalog has for words of it, and what to say of each; raises OpenQuestion."""
        if isinstance(asked, NotUnderstood):
            yield from islice(named_exactly(asked, reading, self._offers), _MOST_TRIED)
        if (picked := with_picked_data(asked, reading, self._offers)) is not None:
            yield picked
        elif isinstance(asked, NotUnderstood | NothingMeasured) and not asked.is_about_time:
            missing = asked.missing if isinstance(asked, NothingMeasured) else ()
            if (items := with_picked_items(reading, partial(self._alone, reading.now), missing)) is not None:
                yield items

    def _alone(self, now: datetime, request: str) -> Plan | None:
        """The plan of a request as the catalog alone makes it; None where it has none."""
        try:
            return self.plan(self.read(request, now), now, samples=False)
        except (OpenQuestion, InputError):
            return None

    def _of_alternatives(self, reading: Reading, now: datetime, tell: Tell, *, samples: bool) -> Plan | None:
        """The plan of the first of two alternatives that has one; None where the request names no two, or none has."""
        for each in alternatives(reading, lambda request: self.read(request, reading.now)):
            try:
                plan = self.plan(self.read(each.request, reading.now), now, tell, samples=samples)
            except (OpenQuestion, InputError):
                continue
            assumed = [*plan.pipeline.assumptions, each.note]
            return replace(plan, pipeline=plan.pipeline.model_copy(update={"assumptions": assumed}))
        return None

    def _by_each(self, reading: Reading, now: datetime) -> tuple[str, str] | None:
        """The request for the parameters of each of several instruments, and a note; None where it names no such list."""
        try:
            plans = {name: self._drafted(request, now) for name, request in by_each_instrument(reading, self._offers).items()}
        except (OpenQuestion, DraftQuestion):
            return None
        return of_both(reading, plans) if plans else None

    def _drafted(self, request: str, now: datetime) -> Plan:
        """The plan of a request as the catalog alone makes it; raises as the drafter does."""
        return self.drafter.draft(self.intent(self.read(request, now)), now, samples=False)

    def intent(self, reading: Reading) -> Intent:
        """What a request wants.

        Raises
        ------
        OpenQuestion
            It leaves open what is wanted.
        """
        ask_which_storm(reading)
        ask_about_missing_members(reading)
        ask_about_conversions(reading)
        ask_about_epochs(reading)
        ask_about_nothing(reading)
        ask_about_foreign(reading, self._offers.catalog, self._offers.archive)
        ask_about_own_axes(reading, self._offers)
        parted = treated_apart(reading, self._part_targets, self._part_treatment)
        reading = parted.reading if parted is not None else reading
        reading = with_described_data(reading, understood(reading), self._offers)
        leftovers = settle_leftovers(reading, self._offers.catalog)
        reading = understood(reading)
        are_limited = bool(reading.all(LimitedEvents))
        is_of_the_limit = are_limited and not names_data(reading)
        targets = [] if is_of_the_limit else find_targets(reading, self._offers.catalog, self._offers.archive)
        questions = _questions(targets)
        preferences = read_preferences(reading, questions, own=own_instruments(reading, questions, self._offers))
        assumed = [Assumption(each.note, mission_topics(each.name, each.member)) for each in reading.all(Mission)]
        notes = [each.note for each in reading.all(Filler)] + [each.note for each in reading.all(Cadence)]
        assumed += map(Assumption, notes)
        of_time = (reading.time.note,) if reading.time and reading.time.note else ()
        treatment = with_fitted_band(read_treatment(reading, preferences.cadence), read_whole_result(reading), reading)
        treatment = with_what_is_beside(
            treatment, reading, targets, lambda part: find_targets(part, self._offers.catalog, self._offers.archive)
        )
        if left_out := reading.all(LeftOut):
            treatment = replace(treatment, excluded=self._excluded(left_out, targets, reading.now))
        if are_limited:
            treatment = with_detected(
                reading,
                targets,
                treatment,
                read=lambda words, when: understood(self.read(words, when), is_whole=False),
                find=self._all_of,
            )
        if is_of_the_limit and treatment.detected is not None:
            targets = [treatment.detected.limited]
        whole, treatment = treatment.whole, replace(treatment, dates=reading.dates, apart=parted.apart if parted else ())
        is_ordered = any(each.is_ordered for each in reading.all(Layout))
        targets = in_order_of_words(targets, reading) if whole or is_ordered else targets
        return Intent(
            tuple(targets),
            treatment=treatment,
            preferences=preferences,
            assumptions=tuple(each for each in assumed if each.text),
            notes=of_time,
            leftovers=leftovers,
        )

    def _excluded(self, left_out: Sequence[LeftOut], targets: Sequence[AnyTarget], now: datetime) -> Exclusions:
        """What is left out; of a condition, what it is about."""
        if len(left_out) > 1:
            raise OpenQuestion("The request leaves out times in two ways. Which one first? The other can be said afterwards.")
        excluded = left_out[0].excluded
        if not excluded.condition:
            return excluded
        return with_limited(
            excluded,
            targets,
            now,
            read=lambda words, when: understood(self.read(words, when), is_whole=False),
            find=self._all_of,
        )

    def _all_of(self, reading: Reading) -> list[AnyTarget]:
        """What a reading asks for, where every word of it is understood."""
        settle_leftovers(reading, self._offers.catalog)
        return find_targets(understood(reading, is_whole=False), self._offers.catalog, self._offers.archive)

    def _part_targets(self, part: Reading) -> list[AnyTarget]:
        return find_targets(understood(part, is_whole=False), self._offers.catalog, self._offers.archive)

    def _part_treatment(self, part: Reading) -> Treatment:
        """What is done to a part of the request that is treated in its own way."""
        read = understood(part, is_whole=False)
        cadences = read.all(Cadence)
        treatment = read_treatment(read, cadences[0].length if cadences else None)
        return with_fitted_band(treatment, read_whole_result(read), read)

    def _targets(self, reading: Reading) -> list[AnyTarget]:
        return find_targets(understood(reading), self._offers.catalog, self._offers.archive)


def _questions(targets: Sequence[AnyTarget]) -> list[Asked]:
    """What is to be found in the catalog for the targets."""
    whole = [each for each in targets if isinstance(each, Target)]
    parts = [needed for each in targets if isinstance(each, DerivedTarget) for _, needed in each.inputs]
    asked = [Asked(each.mission, each.quantity, each.species, each.member, each.dataset) for each in [*whole, *parts]]
    return list(dict.fromkeys(asked))


def understood(reading: Reading, *, is_whole: bool = True) -> Reading:
    """The reading with what belongs together brought together; the limit of a longer request is not a whole one."""
    read = with_solar_wind_of_omni(with_statistics(with_whole_results(reading)))
    read = of_the_limit(of_the_spacecraft(to_the_radial(read)))
    return of_omni(read, has_limit=is_whole)
