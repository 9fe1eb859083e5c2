"""An intent becomes a plan: datasets chosen, sampled, and made into a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.candidates import Chosen, choose_candidate
from helio_dagster.agent.drafting.arrangement import check_arrangement
from helio_dagster.agent.drafting.assembly import assemble
from helio_dagster.agent.drafting.assumptions import Assumptions, Topic, lines_of, topics_of
from helio_dagster.agent.drafting.covered_times import ask_about_silence, offer_notes, recent_notes
from helio_dagster.agent.drafting.curves import AnyChoice, DerivedChoice, measured
from helio_dagster.agent.drafting.dataset_choice import Choice, choose
from helio_dagster.agent.drafting.derived import CATALOGUED, IN_GSM, granted
from helio_dagster.agent.drafting.distances import with_distance
from helio_dagster.agent.drafting.fitting_inputs import choose_input, fit_to_be_input, made_in
from helio_dagster.agent.drafting.heliographic_position import heliographic
from helio_dagster.agent.drafting.named_inputs import of_named_datasets
from helio_dagster.agent.drafting.one_dataset import of_one_dataset, of_one_instrument
from helio_dagster.agent.drafting.one_frame import in_one_frame
from helio_dagster.agent.drafting.one_vector import of_one_vector
from helio_dagster.agent.drafting.open_range import open_if_not_over
from helio_dagster.agent.drafting.operation_order import needed_spacing
from helio_dagster.agent.drafting.own_cadences import choose_all, say_thin_bins
from helio_dagster.agent.drafting.pipelines import draft_pipeline
from helio_dagster.agent.drafting.questions import DraftQuestion, Remedy
from helio_dagster.agent.drafting.sampled_choices import Samples
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.intent import Intent, Preferences, Stated, Wanted
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.targets import AnyTarget, DerivedTarget, Target
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.catalog.choice.parameter_words import MINOR
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import Value

_NO_RANGE = "No time range is named: add one, or give it to `helio run`."
_ALL_EVENTS = "No time range is named: all events of the list are meant."
Check = Callable[[PipelineFile], None]
"""Raises if a draft has faults."""


def no_check(_file: PipelineFile) -> None:
    """Accepts every draft."""


def range_notes(pipeline: Pipeline, span: TimeRange | None) -> list[str]:
    """What is said where no time range is named."""
    if span is not None:
        return []
    return [_ALL_EVENTS if pipeline.lists_its_events else _NO_RANGE]


def as_file(pipeline: Pipeline) -> PipelineFile:
    """A pipeline as its file would be."""
    return parse_pipeline(dump_pipeline(pipeline), file=f"{pipeline.name}.yaml")


@dataclass(frozen=True)
class Settled:
    """Step id to what is fetched, and why."""

    fetches: Mapping[str, Fetch]
    reasons: tuple[str, ...]


class Drafter:
    """Drafts pipelines.

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
        self._chosen: dict[tuple[tuple[Fetch, ...], TimeRange | None], Chosen] = {}

    def draft(
        self, intent: Intent, now: datetime, tell: Tell = say_nothing, *, check: Check = no_check, samples: bool = True
    ) -> Plan:
        """The plan for an intent.

        Parameters
        ----------
        intent
            What is wanted.
        now
            The present.
        tell
            Receives a report on each sampled candidate.
        check
            Called with the draft before anything is sampled, and again if samples change it; it raises if there are faults.
        samples
            Whether samples decide among datasets.

        Raises
        ------
        DraftQuestion
            A mission does not have what is asked for, or something cannot be done as asked.
        pydantic.ValidationError
            A stated step is not allowed in a pipeline.
        """
        if intent.stated is not None:
            return self._stated(intent, intent.stated, now, tell, check)
        assumptions = Assumptions()
        assumptions.add(intent.assumptions)
        preferences = replace(intent.preferences, spacing=self._spacing(intent))
        targets = heliographic(intent.targets, self._offers, preferences.span, assumptions)
        targets = of_one_vector(targets, preferences, assumptions, self.choices)
        choices = choose_all(targets, preferences, assumptions, self.choices)
        choices = of_one_dataset(choices, preferences, assumptions)
        choices = in_one_frame(choices, intent.treatment, preferences, assumptions, self.choices)
        check_arrangement(choices, intent.treatment, preferences)
        limited = self._limited(intent, choices, assumptions)
        for own in intent.treatment.each:
            say_thin_bins(
                [each for each in choices if own in intent.treatment.each_of(each.target)], own.averaging, assumptions
            )
        dates = intent.treatment.dates
        notes = [*intent.notes]
        for span in dates or (preferences.span,):
            notes += [each for each in self._time_notes(span, [*choices, *limited], now) if each not in notes]
        if samples and preferences.span is not None and self._side is not None:
            found = Samples(self._side, preferences.span, self._offers, assumptions, tell).of([*choices, *limited])
            choices, limited = found[: len(choices)], found[len(choices) :]
        pipeline = draft_pipeline(
            choices,
            intent.treatment,
            archive=self._offers.archive,
            assumptions=assumptions,
            catalog=self._offers.catalog,
            limited=limited[0] if limited else None,
        )
        span = TimeRange(dates[0].start, dates[-1].stop) if dates else preferences.span
        pipeline = open_if_not_over(pipeline, span, now)
        notes += range_notes(pipeline, span)
        return Plan(pipeline, span, tuple(notes), intent.leftovers, intent=intent, assumed=assumptions.records)

    def _spacing(self, intent: Intent) -> timedelta | None:
        """How far apart samples may be: for numbers of each event, no farther than those that show when it is."""
        lengths = [needed_spacing(intent.treatment)]
        if intent.treatment.detected is not None and intent.treatment.detected.statistics:
            lengths += [each.offer.cadence for choice in self._limited(intent, [], Assumptions()) for each in measured(choice)]
        return min((each for each in lengths if each is not None), default=None)

    def _limited(self, intent: Intent, shown: Sequence[AnyChoice], assumptions: Assumptions) -> list[AnyChoice]:
        """What answers the quantity whose limit leaves out times or makes events; empty where none does."""
        excluded, detected = intent.treatment.excluded, intent.treatment.detected
        limited = detected.limited if detected is not None else excluded.limited if excluded is not None else None
        if limited is None:
            return []
        same = next((each for each in shown if detected is not None and each.target == limited), None)
        if same is not None:
            return [same]
        found = self.choices(limited, Preferences(span=intent.preferences.span), assumptions)
        return found[:1]

    def settle(self, wanted: Sequence[Wanted], span: TimeRange | None, tell: Tell) -> Settled:
        """The candidate to fetch for each step, by samples, and the reasons; the same candidates are sampled once."""
        fetches: dict[str, Fetch] = {}
        reasons: list[str] = []
        for each in wanted:
            key = (each.candidates, span)
            chosen = self._chosen.get(key) or choose_candidate(each.candidates, span, self._side, tell)
            self._chosen[key] = chosen
            fetches[each.id] = chosen.fetch
            reasons += [*chosen.passed_over, *([chosen.reason] if chosen.reason else [])]
        return Settled(fetches, tuple(reasons))

    def _stated(self, intent: Intent, stated: Stated, now: datetime, tell: Tell, check: Check) -> Plan:
        first = {each.id: each.candidates[0] for each in stated.wanted}
        check(as_file(self._assembled(stated, first, lines_of(intent.assumptions))))
        settled = self.settle(stated.wanted, intent.preferences.span, tell)
        pipeline = self._assembled(stated, settled.fetches, (*lines_of(intent.assumptions), *settled.reasons))
        if settled.fetches != first:
            check(as_file(pipeline))
        span = intent.preferences.span
        pipeline = open_if_not_over(pipeline, span, now)
        return Plan(pipeline, span, (*intent.notes, *range_notes(pipeline, span)), intent.leftovers)

    def _assembled(self, stated: Stated, fetches: Mapping[str, Fetch], assumptions: Sequence[str]) -> Pipeline:
        steps: list[Value] = [
            step.document(fetches[step.id]) if isinstance(step, Wanted) else dict(step) for step in stated.steps
        ]
        return assemble(
            stated.title,
            stated.description,
            steps,
            fetches=fetches.values(),
            assumptions=assumptions,
            catalog=self._offers.catalog,
            windows=stated.windows,
        )

    def choices(self, target: AnyTarget, preferences: Preferences, assumptions: Assumptions) -> list[AnyChoice]:
        """What answers a target; the inputs of a derived quantity are chosen one by one, vectors in the same frame."""
        if not isinstance(target, DerivedTarget):
            chosen = choose_input if target.shape == "scalar" else choose
            return list(chosen(target, preferences, offers=self._offers, assumptions=assumptions))
        with assumptions.about(*topics_of(target)):
            return self._inputs(target, preferences, assumptions)

    def _inputs(self, target: DerivedTarget, preferences: Preferences, assumptions: Assumptions) -> list[AnyChoice]:
        """What answers a derived quantity: the archive's own, or its inputs."""
        if (catalogued := self._catalogued(target, preferences)) is not None:
            assumptions.say(f"The {target.words} of {target.who} is the archive's own, not computed.")
            return list(choose(catalogued, preferences, offers=self._offers, assumptions=assumptions))
        target = with_distance(target, preferences, self._offers, assumptions)
        target = of_named_datasets(target, preferences, self._offers)
        given = preferences
        if target.derived.operation in IN_GSM:
            if preferences.frame not in (None, "GSM"):
                text = f"The {target.words} takes the field in GSM, not in {preferences.frame}. Do you mean GSM?"
                raise DraftQuestion(text, [Remedy("frame", "in GSM")])
            given = replace(preferences, frame="GSM")
        inputs: list[tuple[str, Choice]] = []
        for name, needed in target.inputs:
            has_frame = needed.shape == "vector" or needed.axis is not None
            own = given if has_frame else replace(given, frame=None)
            choice, *more = choose_input(needed, own, offers=self._offers, assumptions=assumptions)
            if more:
                raise DraftQuestion(
                    f"{needed.who} has no {needed.words} as a vector, which the {target.words} needs. What do you want?"
                )
            choice = fit_to_be_input(choice, {each.offer.dataset for _, each in inputs}, target, assumptions)
            if has_frame and choice.frame is not None:
                given = replace(given, frame=choice.frame)
            inputs.append((name, choice))
        for text in granted(target.derived, target.who):
            assumptions.say(text, Topic("operation", target.derived.operation))
        made_in_another = partial(made_in, preferences=replace(given, frame=None), offers=self._offers)
        return [DerivedChoice(target, of_one_instrument(inputs, assumptions, made_in_another))]

    def _catalogued(self, target: DerivedTarget, preferences: Preferences) -> Target | None:
        """The target for what a mission's science data have already, and need not be computed."""
        quantity = CATALOGUED.get(target.derived.operation)
        if quantity is None or target.derived.options:
            return None
        instrument = preferences.for_quantity(target.mission, quantity).instrument
        for dataset in target.datasets or (None,):
            asked = Asked(target.mission, quantity, "", target.member, dataset, instrument, mode=preferences.mode)
            found = self._offers.find(asked, span=preferences.span, all_datasets=dataset is not None)
            found = overlapping(found, preferences.span)
            if any(dataset is not None or not MINOR.search(each.dataset) for each in found):
                return Target(target.mission, quantity, dataset=dataset, member=target.member)
        return None

    def _time_notes(self, span: TimeRange | None, choices: Sequence[AnyChoice], now: datetime) -> list[str]:
        """Notes on the range; a question if nothing of what is asked for can lie in it."""
        if span is None:
            return []
        notes: list[str] = []
        is_demo = self._offers.archive == DEMO_ARCHIVE
        if not is_demo and span.start >= now:
            raise DraftQuestion(f"{span} is in the future. Which time do you mean?")
        if not is_demo and span.stop > now + timedelta(days=1):
            notes.append(f"{format_time(span.stop)} is in the future: there are no data yet after today.")
        chosen = [(each.offer, each.target) for choice in choices for each in measured(choice)]
        ask_about_silence(chosen, span)
        for offer, _ in chosen:
            notes += offer_notes(offer, span)
            notes += recent_notes(offer, self._offers.last_known(offer), span)
        return list(dict.fromkeys(notes))
