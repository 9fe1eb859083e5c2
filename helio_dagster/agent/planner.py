"""What a planner is, and what it is told. What it may answer stands in `answers`; who calls it, in `conversation`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from helio_dagster.agent.answers import Answer, Question
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange

if TYPE_CHECKING:
    from helio_dagster.catalog.known import KnownCatalog
    from helio_dagster.catalog.searching import CatalogSearch
    from helio_dagster.compute.operations.contract import Operation


class Operations(Protocol):
    """The operations that a pipeline may name; `resources.operation_library` has the real ones."""

    def get(self, reference: str) -> Operation[Any]:
        """The operation that a pipeline names; InputError where there is none."""

    def all(self) -> Iterator[Operation[Any]]:
        """Shipped and saved operations."""


@dataclass(frozen=True)
class Knowledge:
    """What planners look things up in, offline. The operations are opened when first asked for: they bring pandas along."""

    catalog: KnownCatalog
    search: CatalogSearch
    operations: Operations


@dataclass(frozen=True)
class Utterance:
    """What was said in a conversation."""

    speaker: Literal["person", "helio"]
    text: str


MOST_QUESTIONS = 3
"""Questions about one request."""


@dataclass(frozen=True)
class OpenRequest:
    """A request that a question was asked about, and the question; `number` counts the questions asked so far."""

    request: str
    question: Question
    number: int


@dataclass(frozen=True)
class Current:
    """The pipeline on the table, saved or not, and the range it was planned or run for last."""

    file: PipelineFile
    span: TimeRange | None
    is_saved: bool


@dataclass(frozen=True)
class Situation:
    """All that a planner is told.

    `request` is what the person says now; where a question is open it is the answer to it, a choice given in full. `failure`
    tells, during a repair, which step failed and of what. `earlier` is what was said before, the oldest first, bounded.
    """

    request: str
    now: datetime
    open: OpenRequest | None = None
    current: Current | None = None
    earlier: tuple[Utterance, ...] = ()
    failure: str = ""
    tell: Tell = say_nothing


class Planner(Protocol):
    """Turns what a person says into a plan, an edit, a question or an answer."""

    @property
    def name(self) -> str:
        """How the planner is called in records, as `offline` or `google:…`."""

    def answer(self, situation: Situation) -> Answer:
        """Answer what the person says.

        Raises
        ------
        HelioError
            The planner cannot work: no key, no network, a model that answers rubbish, a limit reached.
        """
