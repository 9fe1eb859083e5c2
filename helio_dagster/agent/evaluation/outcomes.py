"""What came of asking one planner one request, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from helio_dagster.agent.evaluation.known_answers import Expectation
from helio_dagster.agent.evaluation.verdicts import Judgement


@dataclass(frozen=True)
class Spent:
    """What answers took.

    `rounds` are requests to a model; `input_tokens` include `cached_tokens`, which came from the provider's cache. `cost_usd`
    is None where the price is unknown. `is_least` says that a model did not report all of its tokens.
    """

    rounds: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost_usd: Decimal | None = Decimal(0)
    is_least: bool = False

    def __add__(self, other: Spent) -> Spent:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Spent(
            self.rounds + other.rounds,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
            (self.cost_usd or Decimal(0)) + (other.cost_usd or Decimal(0)) if known else None,
            self.is_least or other.is_least,
        )


@dataclass(frozen=True)
class Outcome:
    """The judgement of one planner's answer to one request; `kind` is the answer's, empty where there was none."""

    expectation: Expectation
    kind: str
    judgement: Judgement
    spent: Spent
