"""The planner interface, and what a planner is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from helio_dagster.agent.answers import Answer, Question
from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.events import Tell, say_nothing
from helio_dagster.agent.intent import Intent
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import TimeRange

if TYPE_CHECKING:
    from helio_dagster.catalog.known import KnownCatalog
    from helio_dagster.catalog.searching import CatalogSearch
    from helio_dagster.compute.operations.contract import Operation


class Operations(Protocol):
    """The operations that a pipeline may name; `resources.operation_library` has the real ones."""

    def get(self, reference: str) -> Operation[Any]:
        """The operation that a pipeline names; InputError if there is none."""

    def all(self) -> Iterator[Operation[Any]]:
        """Shipped and saved operations."""


@dataclass(frozen=True)
class Knowledge:
    """What planners look things up in, offline. Operations are opened on first use, because they import pandas."""

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
    """The current pipeline, saved or not, the range it was last planned or run for, and the intent it was drafted of.

    `assumed` tells of its assumptions what they are about, where that is known.
    """

    file: PipelineFile
    span: TimeRange | None
    is_saved: bool
    intent: Intent | None = None
    assumed: tuple[Assumption, ...] = ()


@dataclass(frozen=True)
class Situation:
    """Everything that a planner is given.

    `request` is the person's message; with an open question it is the answer, with a numbered choice written out. `failure`
    says, during a repair, which step failed and why. `earlier` holds previous utterances, oldest first, up to a limit.
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
        """The planner's name in records, such as `offline` or `google:…`."""

    def answer(self, situation: Situation) -> Answer:
        """Answer what the person says.

        Raises
        ------
        HelioError
            The planner cannot work: no key, no network, an unusable answer from a model, a limit reached.
        """
