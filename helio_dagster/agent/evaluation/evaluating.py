"""Ask one planner every request of a file, and judge what it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from helio_dagster.agent.answers import Answer, Plan
from helio_dagster.agent.evaluation.known_answers import Expectation
from helio_dagster.agent.evaluation.outcomes import Outcome, Spent
from helio_dagster.agent.evaluation.prices import price_usd
from helio_dagster.agent.evaluation.saved_names import SavedNames
from helio_dagster.agent.evaluation.verdicts import Judgement, failed, judge, kind_of
from helio_dagster.agent.events import Event
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Knowledge, Planner, Situation
from helio_dagster.domain.errors import HelioError, ModelRefused, ModelUnavailable
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline

MOST_OUTAGES = 3
"""How many requests in a row may fail because a model cannot be asked, before its other requests are left out."""


@dataclass(frozen=True)
class Contender:
    """A planner to evaluate.

    `plan_with` makes it for a home with saved pipelines, or for none. Without `is_priced` its tokens have no known price: its
    server is somebody's own.
    """

    name: str
    plan_with: Callable[[SavedNames | None], Planner]
    is_priced: bool = True


@dataclass(frozen=True)
class Evaluation:
    """Requests to ask planners.

    Parameters
    ----------
    requests
        What is asked, and what must come of it.
    lists
        The lists of parameters that the requests name.
    knowledge
        For the plans of `given` requests, which the offline planner makes, so that all planners change the same pipelines.
    now
        When the requests are asked.
    clock
        Monotonic clock in s.
    """

    requests: Sequence[Expectation]
    lists: Mapping[str, Sequence[str]]
    knowledge: Knowledge
    now: datetime
    clock: Callable[[], float] = time.monotonic

    def ask(self, contender: Contender) -> Iterator[Outcome]:
        """What comes of each request, one after the other."""
        planner, outages = contender.plan_with(None), 0
        for expectation in self.requests:
            if outages == MOST_OUTAGES:
                left_out = f"not asked: the {MOST_OUTAGES} requests before it could not be answered either"
                yield Outcome(expectation, "", Judgement("failed", (left_out,)), Spent())
                continue
            asked = planner
            if expectation.saved:
                asked = contender.plan_with(SavedNames(expectation.saved, self.knowledge))
            outcome, error = self._outcome(expectation, asked, is_priced=contender.is_priced)
            outages = outages + 1 if isinstance(error, ModelUnavailable | ModelRefused) else 0
            yield outcome

    def _outcome(self, expectation: Expectation, planner: Planner, *, is_priced: bool) -> tuple[Outcome, HelioError | None]:
        current = None
        if expectation.given is not None:
            current = self._current(expectation.given)
            if current is None:
                words = f"the offline planner makes no plan of what is given: {expectation.given!r}"
                return Outcome(expectation, "", Judgement("failed", (words,)), Spent()), None
        meter, began, error = _Meter(is_priced=is_priced), self.clock(), None
        answer: Answer | None = None
        try:
            answer = planner.answer(Situation(expectation.typed, self.now, current=current, tell=meter))
        except HelioError as raised:
            error = raised
        spent = replace(meter.spent, seconds=self.clock() - began)
        if answer is None:
            assert error is not None  # noqa: S101 - there is an answer or an error
            return Outcome(expectation, "", failed(error), spent), error
        judgement = judge(expectation, answer, self.lists, current.file if current else None)
        return Outcome(expectation, kind_of(answer), judgement, spent), None

    def _current(self, given: str) -> Current | None:
        """The pipeline of a `given` request, which is planned once; None if there is no plan."""
        if given not in self._planned:
            answer, current = self._offline.answer(Situation(given, self.now)), None
            if isinstance(answer, Plan):
                file = parse_pipeline(dump_pipeline(answer.pipeline), file=f"{answer.pipeline.name}.yaml")
                current = Current(file, answer.span, is_saved=False, intent=answer.intent, assumed=answer.assumed)
            self._planned[given] = current
        return self._planned[given]

    @cached_property
    def _planned(self) -> dict[str, Current | None]:
        return {}

    @cached_property
    def _offline(self) -> OfflinePlanner:
        return OfflinePlanner(self.knowledge)


class _Meter:
    """Adds up what the `usage` events of an answer say."""

    def __init__(self, *, is_priced: bool) -> None:
        self._is_priced = is_priced
        self.spent = Spent()

    def __call__(self, event: Event) -> None:
        if event.stage != "usage":
            return
        facts = event.facts
        tokens = {name: int(facts.get(name, 0)) for name in ("input_tokens", "cached_tokens", "output_tokens")}
        is_least = bool(facts.get("is_least"))
        if any(tokens.values()):
            cost = price_usd(str(facts.get("model", "")), **tokens) if self._is_priced else None
        else:
            cost = None if is_least else Decimal(0)
        self.spent += Spent(int(facts.get("requests", 0)), **tokens, cost_usd=cost, is_least=is_least)
