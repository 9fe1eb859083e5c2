"""A request that was read, made an intent, and drafted; what the drafter asks becomes a question in the person's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Protocol

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.drafting.drafter import Drafter
from helio_dagster.agent.drafting.questions import DraftQuestion, NothingMeasured
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.offline.alternatives import alternatives
from helio_dagster.agent.offline.catalog_suggestions import named_exactly, with_suggestions
from helio_dagster.agent.offline.draft_questions import in_words, of_parts, spoken_question, with_what_is_unknown, without_it
from helio_dagster.agent.offline.elsewhere import ask_about_ignored, or_from_a_server
from helio_dagster.agent.offline.joined_instruments import by_each_instrument, of_both
from helio_dagster.agent.offline.languages import translated
from helio_dagster.agent.offline.leftovers import corrected, corrected_closely
from helio_dagster.agent.offline.meanings import Heading, Instrument, Mission
from helio_dagster.agent.offline.misspelt_missions import misspelt_missions
from helio_dagster.agent.offline.obstacles import obstacle
from helio_dagster.agent.offline.panel_counts import ask_about_panels, with_components_apart
from helio_dagster.agent.offline.picked_data import with_picked_data
from helio_dagster.agent.offline.picked_items import with_picked_items
from helio_dagster.agent.offline.request_intent import IntentReader
from helio_dagster.agent.offline.request_reader import RequestReader
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.server_data import ServerData
from helio_dagster.agent.offline.unknown_operations import NoOperation, with_nearest
from helio_dagster.agent.offline.weight import is_weighty
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.planner import Operations
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.errors import InputError

_MOST_TRIED = 3
"""Parameters of a name that are tried."""


class _Again(Protocol):
    """Plans other words in the place of a request."""

    def __call__(self, request: str, *notes: str) -> Plan:
        """The plan, with notes that say what was put in place of what."""


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
        self._reader = RequestReader(offers)
        self._intents = IntentReader(offers, self.read)

    @property
    def server_data(self) -> ServerData:
        """Names for the data of HAPI servers."""
        return self._reader.server_data

    def read(self, request: str, now: datetime) -> Reading:
        """The request taken apart; raises as `RequestReader.read`."""
        return self._reader.read(request, now)

    def plan_or_ask(self, request: str, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        """The plan of a request as it is said; before data are said to be missing or ignored, servers are looked through.

        Raises
        ------
        OpenQuestion
            As `plan` does, or whether data of a server are wanted.
        """
        reading = self.read(request, now)
        servers = self._offers.catalog.servers if self._offers.archive == "cdaweb" else {}
        try:
            plan = self.plan(reading, tell, samples=samples)
        except OpenQuestion as asked:
            raise or_from_a_server(asked, reading, servers) from None
        ask_about_ignored(plan.ignored, reading, servers)
        return plan

    def plan(self, reading: Reading, tell: Tell = say_nothing, *, samples: bool = True) -> Plan:
        """The plan; misspelt words are corrected, and it says so.

        Raises
        ------
        OpenQuestion
            A word, a mission, a quantity, a frame, a length is missing or not understood.
        """
        reading, notes = self._well_spelt(reading)
        again = partial(self._anew, now=reading.now, tell=tell, samples=samples)
        if (both := self._by_each(reading)) is not None:
            plan = again(*both)
        elif (one := self._of_alternatives(reading, again)) is not None:
            plan = one
        else:
            plan = self._planned(reading, tell, again, samples=samples)
        return replace(plan, notes=(*notes, *plan.notes))

    def _anew(self, request: str, *notes: str, now: datetime, tell: Tell, samples: bool) -> Plan:
        plan = self.plan(self.read(request, now), tell, samples=samples)
        return replace(plan, notes=(*notes, *plan.notes))

    def _well_spelt(self, reading: Reading) -> tuple[Reading, tuple[str, ...]]:
        """The request in English, its words corrected, and what that changed."""
        notes: tuple[str, ...] = ()
        english = translated(reading.request, reading.now) if reading.unknown else None
        if english is not None and not (read := self.read(english, reading.now)).unknown:
            reading, notes = read, (f"Read as: {english}",)
        for words, name in misspelt_missions(reading).items():
            reading = self.read(reading.request.replace(words, name, 1), reading.now)
            notes = (*notes, f"{words!r} is read as {name!r}.")
        if fixed := corrected(reading):
            reading, notes = self.read(fixed.request, reading.now), (*notes, *fixed.notes)
        return reading, notes

    def _planned(self, reading: Reading, tell: Tell, again: _Again, *, samples: bool) -> Plan:
        """The plan of words that are spelt well; of others in their place where these have none."""
        try:
            plan = self._of_named_data(reading, tell, again, samples=samples)
        except NotUnderstood as asked:
            return self._of_words_left(asked, reading, again)
        except NothingMeasured as nothing:
            if (parts := of_parts(reading, nothing)) is not None:
                return again(parts, f"{nothing.reason} It is computed from the two densities.")
            question = without_it(reading, self._intents.targets(reading), nothing)
            raise question or with_suggestions(in_words(nothing, reading), reading, self._offers) from None
        except DraftQuestion as asked:
            raise with_what_is_unknown(spoken_question(reading, asked), reading) from None
        if (apart := with_components_apart(reading, plan)) is not None:
            with suppress(OpenQuestion):
                return again(apart)
        ask_about_panels(reading, plan)
        return plan

    def _of_words_left(self, asked: NotUnderstood, reading: Reading, again: _Again) -> Plan:
        """The plan where the words that are not understood are misspelt, or bear no meaning.

        Raises
        ------
        OpenQuestion
            They are neither: what is suggested for them, or what stands in the way of the rest.
        """
        fixed = corrected_closely(reading, self._offers.catalog)
        if fixed is not None and len(self.read(fixed.request, reading.now).unknown) < len(reading.unknown):
            with suppress(OpenQuestion):
                return again(fixed.request, *fixed.notes)
        if (known := self._of_what_is_known(reading, again)) is not None:
            return known
        suggested = with_suggestions(asked, reading, self._offers)
        if isinstance(asked, NoOperation):
            raise with_nearest(asked, self._operations) from None
        in_the_way = None if suggested.remarks else obstacle(asked, reading, partial(self._drafted, reading.now))
        raise in_the_way or suggested from None

    def _of_what_is_known(self, reading: Reading, again: _Again) -> Plan | None:
        """The plan of an instrument's data where all other words bear no meaning and are ignored; None where it has none."""
        unknown = [each for each in reading.unknown if not isinstance(each.meaning, Heading)]
        is_named_in = bool(reading.all(Mission) and reading.all(Instrument))
        if not unknown or not is_named_in or any(is_weighty(each, reading, self._offers.catalog) for each in unknown):
            return None
        with suppress(OpenQuestion, InputError):
            plan = again(without(reading, unknown))
            return replace(plan, ignored=(*(each.words for each in unknown), *plan.ignored))
        return None

    def _of_named_data(self, reading: Reading, tell: Tell, again: _Again, *, samples: bool) -> Plan:
        """The plan; where no quantity is said, of the parameter that the catalog has for the instrument and the words."""
        try:
            return self.drafter.draft(self._intents.intent(reading), reading.now, tell, samples=samples)
        except OpenQuestion as asked:
            later: OpenQuestion = asked
            for request, note in self._named_by_the_catalog(asked, reading):
                try:
                    return again(request, note)
                except NotUnderstood:
                    continue
                except OpenQuestion as question:
                    if isinstance(asked, NothingMeasured):
                        text = f"{question.question.text} ({note})"
                        question.question, later = question.question.model_copy(update={"text": text}), question
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

    def _of_alternatives(self, reading: Reading, again: _Again) -> Plan | None:
        """The plan of the first of two alternatives that has one; None where the request names no two, or none has."""
        for each in alternatives(reading, lambda request: self.read(request, reading.now)):
            with suppress(OpenQuestion, InputError):
                plan = again(each.request)
                assumed = [*plan.pipeline.assumptions, each.note]
                return replace(plan, pipeline=plan.pipeline.model_copy(update={"assumptions": assumed}))
        return None

    def _by_each(self, reading: Reading) -> tuple[str, str] | None:
        """The request for the parameters of each of several instruments, and a note; None where it names no such list."""
        requests = by_each_instrument(reading, self._offers)
        try:
            plans = {name: self._drafted(reading.now, request) for name, request in requests.items()}
        except (OpenQuestion, DraftQuestion):
            return None
        return of_both(reading, requests, plans) if plans else None

    def _alone(self, now: datetime, request: str) -> Plan | None:
        """The plan of a request as the catalog alone makes it; None where it has none."""
        with suppress(OpenQuestion, InputError):
            return self.plan(self.read(request, now), samples=False)
        return None

    def _drafted(self, now: datetime, request: str) -> Plan:
        """The plan of a request as the catalog alone makes it; raises as the drafter does."""
        return self.drafter.draft(self._intents.intent(self.read(request, now)), now, samples=False)
