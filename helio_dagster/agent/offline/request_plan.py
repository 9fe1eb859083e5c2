"""A request that was read, made a plan: targets, choices, samples, draft."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion, Plan
from helio_dagster.agent.candidates import choose_candidate
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.offline.arrangement import ask_about_arrangement
from helio_dagster.agent.offline.bin_statistics import with_statistics
from helio_dagster.agent.offline.catalog_suggestions import with_suggestions
from helio_dagster.agent.offline.comparisons import without_the_missing
from helio_dagster.agent.offline.curves import AnyChoice, DerivedChoice, measured
from helio_dagster.agent.offline.dataset_choice import Choice, choose
from helio_dagster.agent.offline.meanings import (
    Cadence,
    Filler,
    Frame,
    Instrument,
    Mission,
    Transform,
)
from helio_dagster.agent.offline.named_parameters import with_named_parameters
from helio_dagster.agent.offline.nothing_measured import NothingMeasured
from helio_dagster.agent.offline.one_dataset import of_one_dataset
from helio_dagster.agent.offline.open_words import ask_about_words
from helio_dagster.agent.offline.operation_words import IN_GSM
from helio_dagster.agent.offline.pipeline_draft import draft_pipeline
from helio_dagster.agent.offline.preferences import Preferences
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.offline.spoken_request import say
from helio_dagster.agent.offline.targets import AnyTarget, DerivedTarget, Target, find_targets
from helio_dagster.agent.offline.treatment import read_treatment, to_the_radial
from helio_dagster.agent.offline.whereabouts import heliographic, of_the_spacecraft
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.choice.instruments import bind_instruments
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE, Quantity
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.unit_conversion import can_convert

_MOST_SAMPLED = 4


class RequestPlanner:
    """Makes plans of requests.

    Parameters
    ----------
    offers
        What the catalog has.
    side
        Takes samples of candidates; without one the catalog's order counts.
    """

    def __init__(self, offers: Offers, side: RunSide | None) -> None:
        self._offers = offers
        self._side = side

    def read(self, request: str, now: datetime) -> Reading:
        """The request taken apart, the names of parameters in it understood; raises as `read_request`, and OpenQuestion."""
        return with_named_parameters(read_request(request, now), self._offers.catalog, self._offers.archive)

    def plan(self, reading: Reading, now: datetime, tell: Tell = say_nothing, *, samples: bool = True) -> Plan:
        """The plan.

        Raises
        ------
        OpenQuestion
            A word, a mission, a quantity, a frame, a length is missing or not understood.
        """
        try:
            return self._plan(reading, now, tell, samples=samples)
        except (NotUnderstood, NothingMeasured) as asked:
            raise with_suggestions(asked, reading, self._offers) from None

    def _plan(self, reading: Reading, now: datetime, tell: Tell, *, samples: bool) -> Plan:
        ask_about_words(reading)
        reading = of_the_spacecraft(to_the_radial(with_statistics(reading)))
        targets = find_targets(reading, self._offers.catalog, self._offers.archive)
        preferences = read_preferences(reading, bound=self._bound(reading, targets))
        treatment = read_treatment(reading, preferences.cadence)
        assumptions = [each.note for each in reading.all(Mission) if each.note]
        assumptions += [each.note for each in reading.all(Filler) if each.note]
        targets = heliographic(targets, self._offers, preferences.span, assumptions)
        targets = self._of_one_dataset(targets, preferences, assumptions)
        try:
            choices = [choice for target in targets for choice in self.choices(target, preferences, assumptions)]
        except NothingMeasured as nothing:
            raise without_the_missing(reading, targets, nothing) from None
        choices = of_one_dataset(choices, preferences, assumptions)
        ask_about_arrangement(reading, choices, treatment, preferences)
        span = reading.time.span if reading.time else None
        notes = self._time_notes(reading, span, choices, now)
        if samples and span is not None and self._side is not None:
            choices = self._sampled(choices, span, assumptions, tell)
        pipeline = draft_pipeline(choices, treatment, archive=self._offers.archive, assumptions=assumptions)
        return Plan(pipeline, span, tuple(notes))

    def _bound(self, reading: Reading, targets: Sequence[AnyTarget]) -> tuple[tuple[str, Quantity, str], ...]:
        """Several instruments, each with what it measures; nothing where there is one, or where that is not clear."""
        instruments = [each.name for each in reading.all(Instrument)]
        if len(instruments) < 2:
            return ()
        whole = [each for each in targets if isinstance(each, Target)]
        parts = [needed for each in targets if isinstance(each, DerivedTarget) for _, needed in each.inputs]
        questions = [Asked(each.mission, each.quantity, each.species, each.member, each.dataset) for each in [*whole, *parts]]
        span = reading.time.span if reading.time else None
        bound = bind_instruments(self._offers, list(dict.fromkeys(questions)), instruments, span=span)
        if not bound.is_clear:
            return ()
        return tuple((each.mission, each.quantity, each.instrument) for each in bound.questions if each.instrument)

    def _of_one_dataset(
        self, targets: Sequence[AnyTarget], preferences: Preferences, assumptions: list[str]
    ) -> list[AnyTarget]:
        """The targets, those for several components of one vector told to take them from one dataset."""
        found: list[AnyTarget] = list(targets)
        parts = [each for each in targets if isinstance(each, Target) and each.axis and each.dataset is None]
        for key in dict.fromkeys((each.who, each.quantity) for each in parts):
            group = [each for each in parts if (each.who, each.quantity) == key]
            try:
                chosen = [self.choices(each, preferences, [])[0] for each in group]
            except OpenQuestion:
                continue
            offers = [each.offer for each in chosen if isinstance(each, Choice)]
            if len({(offer.dataset, offer.frame) for offer in offers}) < 2:
                continue
            for offer in offers:
                pinned = [replace(each, dataset=offer.dataset) for each in group]
                if self._is_of_one_frame(pinned, preferences):
                    found = [replace(each, dataset=offer.dataset) if each in group else each for each in found]
                    assumptions.append(f"{offer.dataset} ({offer.label}) is used, which has all the components.")
                    break
        return found

    def _is_of_one_frame(self, targets: Sequence[Target], preferences: Preferences) -> bool:
        """Whether all components are there, in one frame."""
        try:
            chosen = [choice for each in targets for choice in self.choices(each, preferences, [])]
        except OpenQuestion:
            return False
        return len({choice.frame for choice in chosen if isinstance(choice, Choice)}) == 1

    def choices(self, target: AnyTarget, preferences: Preferences, assumptions: list[str]) -> list[AnyChoice]:
        """What answers a target; the inputs of a derived quantity are chosen one by one, vectors in the same frame."""
        if not isinstance(target, DerivedTarget):
            return list(choose(target, preferences, offers=self._offers, assumptions=assumptions))
        if (catalogued := self._catalogued(target, preferences)) is not None:
            assumptions.append(f"The {target.words} is the archive's own, not computed.")
            return list(choose(catalogued, preferences, offers=self._offers, assumptions=assumptions))
        given = preferences
        if target.derived.operation in IN_GSM:
            if preferences.frame not in (None, "GSM"):
                raise OpenQuestion(f"The {target.words} takes the field in GSM, not in {preferences.frame}. Is GSM meant?")
            given = replace(preferences, frame="GSM")
        inputs: list[tuple[str, Choice]] = []
        for name, needed in target.inputs:
            has_frame = needed.shape == "vector" or needed.axis is not None
            own = given if has_frame else replace(given, frame=None)
            choice, *more = choose(needed, own, offers=self._offers, assumptions=assumptions)
            if more:
                raise OpenQuestion(
                    f"{needed.who} has no {needed.words} as a vector, which the {target.words} needs. What do you want?"
                )
            choice = _fit_to_be_input(choice, {each.offer.dataset for _, each in inputs}, target, assumptions)
            if has_frame and choice.frame is not None:
                given = replace(given, frame=choice.frame)
            inputs.append((name, choice))
        return [DerivedChoice(target, tuple(inputs))]

    def _catalogued(self, target: DerivedTarget, preferences: Preferences) -> Target | None:
        """The target for what a mission's science data have already, and need not be computed."""
        quantity = _CATALOGUED.get(target.derived.operation)
        if quantity is None or target.derived.options:
            return None
        instrument = preferences.for_quantity(target.mission, quantity).instrument
        asked = Asked(target.mission, quantity, member=target.member, instrument=instrument)
        found = overlapping(self._offers.find(asked, span=preferences.span), preferences.span)
        return (
            Target(target.mission, quantity, member=target.member)
            if any(not MINOR.search(each.dataset) for each in found)
            else None
        )

    def _sampled(self, choices: Sequence[AnyChoice], span: TimeRange, assumptions: list[str], tell: Tell) -> list[AnyChoice]:
        """The choices with those candidates that have data; each parameter is sampled once."""
        settled: dict[tuple[str, str], Choice] = {}
        found: list[AnyChoice] = []
        for choice in choices:
            if isinstance(choice, Choice):
                found.append(self._settled(choice, span, settled, assumptions, tell))
            else:
                inputs = [(name, self._settled(each, span, settled, assumptions, tell)) for name, each in choice.inputs]
                found.append(replace(choice, inputs=tuple(inputs)))
        return found

    def _settled(
        self, choice: Choice, span: TimeRange, settled: dict[tuple[str, str], Choice], assumptions: list[str], tell: Tell
    ) -> Choice:
        key = (choice.offer.dataset, choice.offer.parameter)
        candidates = [choice, *choice.others][:_MOST_SAMPLED]
        same = next((each for each in candidates if key in settled and each.offer == settled[key].offer), None)
        if same is not None:
            return same
        fetches = [each.fetch(self._offers.archive) for each in candidates]
        chosen = choose_candidate(fetches, span, self._side, tell)
        taken = candidates[fetches.index(chosen.fetch)]
        assumptions += [*chosen.passed_over, *([chosen.reason] if chosen.passed_over or taken is not choice else [])]
        if taken is not choice:
            _forget(choice.offer, taken, assumptions)
        settled[key] = taken
        return taken

    def _time_notes(self, reading: Reading, span: TimeRange | None, choices: Sequence[AnyChoice], now: datetime) -> list[str]:
        """Notes on the range; a question where nothing of what is asked for can lie in it."""
        if span is None:
            return ["No time range is named: add one, or give it to `helio run`."]
        notes = [reading.time.note] if reading.time and reading.time.note else []
        is_demo = self._offers.archive == DEMO_ARCHIVE
        if not is_demo and span.start >= now:
            raise OpenQuestion(f"{span} is in the future. Which time do you mean?")
        if not is_demo and span.stop > now + timedelta(days=1):
            notes.append(f"{format_time(span.stop)} is in the future: there are no data yet after today.")
        for offer in dict.fromkeys(each.offer for choice in choices for each in measured(choice)):
            notes += _offer_notes(offer, span)
        return list(dict.fromkeys(notes))


def _forget(old: Offer, taken: Choice, assumptions: list[str]) -> None:
    """Take back what was said of an offer that is not used after all."""
    said = (f"{old.dataset} (", f"The magnitude is computed from {old.parameter},")
    assumptions[:] = [each for each in assumptions if not each.startswith(said)]
    if taken.offer.frame != old.frame:
        assumptions[:] = [each for each in assumptions if not each.startswith(f"{old.frame} is used")]


_CATALOGUED: dict[str, Quantity] = {"dynamic_pressure": "pressure"}
"""Operations whose result some archives have."""
_NEEDED = {"magnetic_field": "nT", "density": "cm^-3", "speed": "km/s", "velocity": "km/s", "temperature": "K"}
"""What operations bring their inputs to."""


def _fit_to_be_input(choice: Choice, used: set[str], target: DerivedTarget, assumptions: list[str]) -> Choice:
    """The choice, or another that means the same: in a unit that can be converted, of a dataset that is used already."""
    needed = _NEEDED[choice.target.quantity]
    fitting = [each for each in (choice, *choice.others) if can_convert(each.offer.unit, needed)]
    if not fitting:
        unit = choice.offer.unit or "a unit that the catalog does not tell"
        text = f"{choice.offer.dataset} {choice.offer.parameter} is in {unit}, and the {target.words} needs {needed}."
        raise OpenQuestion(f"{text} Which other spacecraft or dataset do you mean?")
    by_hand = choice if choice.offer.is_by_hand and choice in fitting else None
    taken = by_hand or next((each for each in fitting if each.offer.dataset in used), fitting[0])
    if taken is not choice:
        old, new = choice.offer, taken.offer
        assumptions[:] = [each.replace(f"{old.dataset} ({old.label})", f"{new.dataset} ({new.label})") for each in assumptions]
        assumptions[:] = [each.replace(f"({old.parameter})", f"({new.parameter})") for each in assumptions]
    return taken


def _offer_notes(offer: Offer, span: TimeRange) -> list[str]:
    first, last = offer.start, offer.stop
    if first is None and last is None:
        return []
    known = (f"from {format_time(first)}" if first else "") + (f" to {format_time(last)}" if last else " on")
    if offer.share(span) <= 0:
        raise OpenQuestion(f"{offer.dataset} of {offer.mission} has data {known}, none for {span}. Which time do you mean?")
    if (first is not None and span.start < first) or (last is not None and span.stop > last):
        return [f"{offer.dataset} has data {known}; the rest of {span} will be empty."]
    return []


def read_preferences(reading: Reading, *, bound: tuple[tuple[str, Quantity, str], ...] = ()) -> Preferences:
    """What the request says about all it asks for; `bound` are its instruments where each has a quantity of its own."""
    frames, cadences, instruments = reading.all(Frame), reading.all(Cadence), reading.all(Instrument)
    sources = [str(each.options["from"]) for each in reading.all(Transform) if "from" in each.options]
    if len(frames) > 1:
        names = " or ".join(frame.name for frame in frames)
        named = [each for each in reading.mentions if isinstance(each.meaning, Frame)]
        choices = [say(reading, [each for each in named if each.meaning != frame]) for frame in frames]
        raise OpenQuestion(f"Which frame is wanted: {names}?", [each for each in choices if each])
    if len(cadences) > 1:
        raise OpenQuestion("The request names two cadences. Which one do you want?")
    if len(instruments) > 1 and not bound:
        raise OpenQuestion(f"Which instrument is wanted: {' or '.join(each.name for each in instruments)}?")
    return Preferences(
        frame=frames[0].name if frames else sources[0] if sources else None,
        cadence=cadences[0].length if cadences else None,
        instrument=instruments[0].name if instruments and not bound else None,
        span=reading.time.span if reading.time else None,
        request=say(reading) or reading.request.rstrip(" .?!"),
        time=reading.time.words if reading.time else "",
        bound=bound,
        in_gsm=" and ".join(dict.fromkeys(_angles_in_gsm(reading))),
    )


def _angles_in_gsm(reading: Reading) -> Iterator[str]:
    """The angles asked for that depend on the frame; a cone angle is the same in GSE and GSM."""
    for each in reading.all(Transform):
        if each.operation == "direction" and each.options.get("angle") in ("clock", "latitude", "longitude"):
            yield "clock angle" if each.options["angle"] == "clock" else str(each.options["angle"])
