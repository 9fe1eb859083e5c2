"""Of the choices for what is wanted, those that have data: a sample of each decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from helio_dagster.agent.candidates import choose_candidate
from helio_dagster.agent.drafting.assumptions import Assumptions, topics_of
from helio_dagster.agent.drafting.curves import AnyChoice
from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.events import Tell
from helio_dagster.agent.run_side import RunSide
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.time_range import TimeRange

_MOST_SAMPLED = 4


@dataclass
class Samples:
    """Takes samples of choices in a range, each parameter once; `assumptions` are told what is taken, and why."""

    side: RunSide
    span: TimeRange
    offers: Offers
    assumptions: Assumptions
    tell: Tell
    settled: dict[tuple[str, str], Choice] = field(default_factory=dict)

    def of(self, choices: Sequence[AnyChoice]) -> list[AnyChoice]:
        """The choices with those candidates that have data."""
        return [self._with_data(choice) for choice in choices]

    def _with_data(self, choice: AnyChoice) -> AnyChoice:
        if isinstance(choice, Choice):
            return self._settled(choice)
        return replace(choice, inputs=tuple((name, self._settled(each)) for name, each in choice.inputs))

    def _settled(self, choice: Choice) -> Choice:
        key, assumptions = (choice.offer.dataset, choice.offer.parameter), self.assumptions
        candidates = [choice, *choice.others][:_MOST_SAMPLED]
        known = self.settled.get(key)
        same = next((each for each in candidates if known is not None and each.offer == known.offer), None)
        if same is not None:
            assumptions.exchange(choice.target, choice.offer, same.offer, keeps_reasons=same.offer == choice.offer)
            return same
        fetches = [each.fetch(self.offers.archive) for each in candidates]
        chosen = choose_candidate(fetches, self.span, self.side, self.tell)
        taken = candidates[fetches.index(chosen.fetch)]
        if taken is not choice:
            assumptions.exchange(choice.target, choice.offer, taken.offer, keeps_reasons=False)
        for text in (*chosen.passed_over, *([chosen.reason] if chosen.passed_over or taken is not choice else [])):
            assumptions.say(text, *topics_of(choice.target))
        self.settled[key] = taken
        return taken
