"""The result of an evaluation: verdicts and what they took, by planner and set, for people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from helio_dagster.agent.evaluation.known_answers import Expectation, Expected, Part
from helio_dagster.agent.evaluation.outcomes import Outcome, Spent
from helio_dagster.agent.evaluation.verdicts import Verdict
from helio_dagster.domain.yaml.document import Value

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Score:
    """How often each verdict was reached, and what the answers took."""

    verdicts: Mapping[Verdict, int]
    spent: Spent

    right_of: Mapping[Expected, tuple[int, int]]
    """Kind of answer that is expected to how many are right, and how many were asked."""

    @property
    def number(self) -> int:
        """How many requests were asked."""
        return sum(self.verdicts.values())

    def to_document(self) -> dict[str, Value]:
        """The score as JSON has it."""
        spent = self.spent
        return {
            "requests": self.number,
            **{verdict: self.verdicts.get(verdict, 0) for verdict in VERDICTS},
            "kinds": {kind: {"requests": number, "right": right} for kind, (right, number) in self.right_of.items()},
            "rounds": spent.rounds,
            "input_tokens": spent.input_tokens,
            "cached_tokens": spent.cached_tokens,
            "output_tokens": spent.output_tokens,
            "is_least": spent.is_least,
            "cost_usd": None if spent.cost_usd is None else float(spent.cost_usd),
            "seconds": round(spent.seconds, 3),
        }


def score(outcomes: Sequence[Outcome]) -> Score:
    """The score of some outcomes."""
    counts = Counter(each.judgement.verdict for each in outcomes)
    asked = Counter(each.expectation.expect for each in outcomes)
    right = Counter(each.expectation.expect for each in outcomes if each.judgement.verdict == "right")
    right_of = {kind: (right[kind], number) for kind, number in asked.items()}
    return Score(counts, sum((each.spent for each in outcomes), Spent()), right_of)


@dataclass(frozen=True)
class EvaluationReport:
    """What came of the requests; `outcomes` is planner to outcomes in the order of the requests, fewer if it was stopped."""

    file: str
    requests: Sequence[Expectation]
    outcomes: Mapping[str, Sequence[Outcome]]

    @property
    def parts(self) -> list[Part | None]:
        """The sets of the requests; None are those without one."""
        found = {each.part for each in self.requests}
        return [part for part in (*get_args(Part), None) if part in found]

    @property
    def exit_code(self) -> int:
        """1 where a planner gave no answer to a request, else 0: a wrong answer is a result."""
        is_whole = all(len(outcomes) == len(self.requests) for outcomes in self.outcomes.values())
        has_failed = any(each.judgement.verdict == "failed" for outcomes in self.outcomes.values() for each in outcomes)
        return 1 if has_failed or not is_whole else 0

    def score(self, planner: str, part: Part | None) -> Score:
        """The score of a planner in one set."""
        return score([each for each in self.outcomes[planner] if each.expectation.part == part])

    def to_document(self) -> dict[str, Value]:
        """The document that `helio eval --json` prints."""
        return {
            "file": self.file,
            "planners": [self._planner_document(name) for name in self.outcomes],
            "requests": [self._request_document(place, each) for place, each in enumerate(self.requests)],
        }

    def _planner_document(self, name: str) -> dict[str, Value]:
        sets: dict[str, Value] = {part or "none": self.score(name, part).to_document() for part in self.parts}
        return {"planner": name, **score(self.outcomes[name]).to_document(), "sets": sets}

    def _request_document(self, place: int, expectation: Expectation) -> dict[str, Value]:
        answers: list[Value] = []
        for name, outcomes in self.outcomes.items():
            if place < len(outcomes):
                outcome = outcomes[place]
                judgement, spent = outcome.judgement, outcome.spent
                answers.append(
                    {
                        "planner": name,
                        "verdict": judgement.verdict,
                        "answer": outcome.kind or None,
                        "faults": list(judgement.faults),
                        "rounds": spent.rounds,
                        "seconds": round(spent.seconds, 3),
                    }
                )
        return {
            "request": expectation.request,
            "given": expectation.given,
            "set": expectation.part,
            "expect": expectation.expect,
            "answers": answers,
        }
