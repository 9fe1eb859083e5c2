"""Asking a planner the requests of a file: what is counted, what is left out, what planners are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer, Refusal, Undo
from helio_dagster.agent.evaluation.evaluating import Contender, Evaluation
from helio_dagster.agent.evaluation.known_answers import Expectation
from helio_dagster.agent.evaluation.outcomes import Outcome, Spent
from helio_dagster.agent.evaluation.prices import price_usd
from helio_dagster.agent.evaluation.report import EvaluationReport
from helio_dagster.agent.evaluation.saved_names import SavedNames
from helio_dagster.agent.events import Event
from helio_dagster.agent.planner import Situation
from helio_dagster.domain.errors import HelioError, InputError, ModelLimit, ModelUnavailable
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
MODEL = "google:gemini-2.5-flash"
Reply = Callable[[Situation, SavedNames | None], Answer]


class Puppet:
    """A planner that answers as a function does."""

    name = MODEL

    def __init__(self, reply: Reply, side: SavedNames | None) -> None:
        self._reply, self._side = reply, side

    def answer(self, situation: Situation) -> Answer:
        """The function's answer."""
        return self._reply(situation, self._side)


def asked(reply: Reply, *requests: dict[str, Any], is_priced: bool = True) -> list[Outcome]:
    """What comes of the requests."""
    expectations = [Expectation.model_validate({"expect": "undo", "request": "undo", **each}) for each in requests]
    ticks: Iterator[float] = iter(range(1000))
    evaluation = Evaluation(expectations, {}, shipped_knowledge(), NOW, clock=lambda: next(ticks))
    return list(evaluation.ask(Contender(MODEL, lambda side: Puppet(reply, side), is_priced=is_priced)))


def spending(**facts: Any) -> Reply:
    """A reply that reports tokens twice."""

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        told = {"model": MODEL, "input_tokens": 1000, "cached_tokens": 400, "output_tokens": 100, "requests": 2, **facts}
        situation.tell(Event(stage="usage", text="", facts=told))
        situation.tell(Event(stage="note", text="", facts={"requests": 5}))
        situation.tell(Event(stage="usage", text="", facts=told))
        return Undo()

    return reply


def test_rounds_tokens_time_and_cost_are_added_up() -> None:
    """Of all usage events of an answer; the clock is read before and after."""
    (outcome,) = asked(spending(), {})
    price = price_usd(MODEL, input_tokens=1000, cached_tokens=400, output_tokens=100)
    assert price is not None
    assert outcome.spent == Spent(4, 2000, 800, 200, seconds=1.0, cost_usd=2 * price)


def test_cached_tokens_cost_less() -> None:
    """By the price list: they are part of those that were sent."""
    whole, cached = (price_usd(MODEL, input_tokens=1000, cached_tokens=number, output_tokens=0) for number in (0, 1000))
    assert whole is not None
    assert cached is not None
    assert Decimal(0) < cached < whole


@pytest.mark.parametrize("model", ["openai:a-model-of-mine", "scripted:talk.yaml", ""])
def test_a_model_without_a_price_has_no_known_cost(model: str) -> None:
    """Its cost is unknown, not zero; so is the sum."""
    outcomes = asked(spending(model=model), {}, {})
    assert [each.spent.cost_usd for each in outcomes] == [None, None]
    report = EvaluationReport("mine", [each.expectation for each in outcomes], {MODEL: outcomes})
    assert report.score(MODEL, None).spent.cost_usd is None


def test_a_server_of_ones_own_has_no_known_cost() -> None:
    """Whatever its model is called."""
    (outcome,) = asked(spending(), {}, is_priced=False)
    assert outcome.spent.cost_usd is None


def test_tokens_that_were_not_reported_are_not_free() -> None:
    """Then the cost is unknown."""
    (outcome,) = asked(spending(input_tokens=0, cached_tokens=0, output_tokens=0, is_least=True), {})
    assert (outcome.spent.cost_usd, outcome.spent.is_least) == (None, True)


def test_an_error_of_the_planner_is_a_failed_request_and_the_next_is_asked() -> None:
    """With what it said, and with what it had spent."""
    errors: list[HelioError] = [ModelLimit("too many look-ups", hint="Ask for less.")]

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        situation.tell(Event(stage="usage", text="", facts={"model": MODEL, "requests": 16, "input_tokens": 10}))
        if errors:
            raise errors.pop()
        return Undo()

    first, second = asked(reply, {}, {})
    assert (first.kind, first.judgement.verdict, first.spent.rounds) == ("", "failed", 16)
    assert first.judgement.faults == ("too many look-ups\n  Ask for less.",)
    assert second.judgement.verdict == "right"
    assert EvaluationReport("mine", [each.expectation for each in (first, second)], {MODEL: [first, second]}).exit_code == 1


def test_a_model_that_cannot_be_asked_is_given_up_after_three_requests_in_a_row() -> None:
    """The others would only wait for it; an answer between them starts the count again."""
    heard: list[str] = []

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        heard.append(situation.request)
        if situation.request == "works":
            return Undo()
        raise ModelUnavailable("no network")

    outcomes = asked(reply, *({"request": word} for word in ("a", "b", "works", "c", "d", "e", "f", "works")))
    assert heard == ["a", "b", "works", "c", "d", "e"]
    assert [each.judgement.verdict for each in outcomes].count("failed") == 7
    assert outcomes[-1].judgement.faults[0].startswith("not asked: ")


def test_what_is_given_is_planned_offline_for_every_planner() -> None:
    """The pipeline is current, not saved, with its range; the planner itself is asked only the request."""
    heard: list[Situation] = []

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        heard.append(situation)
        return Undo()

    (outcome,) = asked(reply, {"given": "ACE |B| on 2003-10-29"})
    assert outcome.judgement.verdict == "right"
    (situation,) = heard
    assert situation.current is not None
    assert [step.id for step in situation.current.file.pipeline.steps] == ["b_gse", "b_mag", "overview"]
    assert (str(situation.current.span), situation.current.is_saved) == ("2003-10-29 to 2003-10-30", False)
    assert situation.now == NOW


def test_what_is_given_several_times_is_planned_once() -> None:
    """The same pipeline is current each time."""
    heard: list[Situation] = []

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        heard.append(situation)
        return Undo()

    asked(reply, *({"given": given} for given in ("ACE |B| on 2003-10-29", "ACE speed on 2003-10-29", "ACE |B| on 2003-10-29")))
    first, second, third = (situation.current for situation in heard)
    assert first is third
    assert first is not second


def test_what_is_given_and_is_no_plan_fails() -> None:
    """It is the file that is wrong, not the planner."""
    (outcome,) = asked(lambda *_: Undo(), {"given": "hello"})
    assert outcome.judgement.verdict == "failed"
    assert "makes no plan of what is given: 'hello'" in outcome.judgement.faults[0]


def test_saved_pipelines_are_found_by_name_and_title() -> None:
    """Best first; nothing can be loaded, and no archive is asked."""
    sides: list[SavedNames | None] = []

    def reply(_situation: Situation, side: SavedNames | None) -> Answer:
        sides.append(side)
        return Undo()

    asked(reply, {}, {"saved": {"storms": "Dst of storms", "ace_b": "ACE |B|"}})
    assert sides[0] is None
    assert sides[1] is not None
    assert sides[1].names() == ["ace_b", "storms"]
    assert [each.name for each in sides[1].find_pipelines("my ACE storms, dst")] == ["storms", "ace_b"]
    with pytest.raises(InputError, match="an evaluation runs and saves nothing"):
        sides[1].load("storms")


def test_a_repeated_request_is_typed_as_often() -> None:
    """Without a break."""
    heard: list[str] = []

    def reply(situation: Situation, _side: SavedNames | None) -> Answer:
        heard.append(situation.request)
        return Refusal(("Too long.",))

    asked(reply, {"request": "ab", "repeat": 3})
    assert heard == ["ababab"]


def test_sets_are_scored_apart() -> None:
    """With how many are right of each kind; the document has both and every answer."""
    outcomes = asked(
        lambda situation, _side: Undo() if situation.request == "undo" else Refusal(("No.",)),
        {"set": "tune"},
        {"set": "report"},
        {"set": "report", "request": "ACE", "expect": "information"},
    )
    report = EvaluationReport("mine.yaml", [each.expectation for each in outcomes], {MODEL: outcomes})
    assert report.parts == ["tune", "report"]
    assert report.score(MODEL, "tune").verdicts == {"right": 1}
    assert report.score(MODEL, "report").verdicts == {"right": 1, "asks": 1}
    assert report.score(MODEL, "report").right_of == {"undo": (1, 1), "information": (0, 1)}
    assert report.exit_code == 0
    document = report.to_document()
    assert document["planners"][0]["sets"]["report"]["asks"] == 1  # type: ignore[index, call-overload]
    assert document["requests"][2]["answers"][0]["faults"] == ["refusal, not information: No."]  # type: ignore[index, call-overload]


def test_an_evaluation_that_was_stopped_is_not_a_success() -> None:
    """What was asked is in the report."""
    outcomes = asked(lambda *_: Undo(), {}, {})
    report = EvaluationReport("mine", [each.expectation for each in outcomes], {MODEL: outcomes[:1]})
    assert (report.exit_code, report.score(MODEL, None).number) == (1, 1)
    assert len(report.to_document()["requests"][1]["answers"]) == 0  # type: ignore[index, call-overload, arg-type]
