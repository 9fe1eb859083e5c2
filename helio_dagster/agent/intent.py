"""What a person wants, as a planner understood it: the one thing that every planner hands to the drafter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.targets import AnyTarget
from helio_dagster.agent.treatments import Treatment
from helio_dagster.catalog.choice.offer import Mode
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.yaml.document import Value

OF_ONE = ("instrument", "frame", "cadence", "described", "mode")
"""What may be said of one quantity alone."""


@dataclass(frozen=True)
class Own:
    """What a request says of one quantity of a mission alone."""

    mission: str
    quantity: Quantity
    instrument: str | None = None
    frame: str | None = None
    cadence: timedelta | None = None
    described: tuple[str, ...] = ()
    mode: Mode | None = None


@dataclass(frozen=True)
class Preferences:
    """What a request says about all the data it asks for.

    `own` is what is said of one quantity alone; `in_gsm` are the angles that are taken in GSM if no frame is named; `described`
    are words that the catalog uses for some of the data: those with the most of them are taken; `spacing` is how far
    apart samples may be for what is made of them; `level` is that of processing, as `levels_of` of the catalog calls it.
    """

    frame: str | None = None
    cadence: timedelta | None = None
    instrument: str | None = None
    span: TimeRange | None = None
    own: tuple[Own, ...] = ()
    in_gsm: str = ""
    mode: Mode | None = None
    described: tuple[str, ...] = ()
    spacing: timedelta | None = None
    level: str | None = None

    def for_quantity(self, mission: str, quantity: Quantity) -> Preferences:
        """The preferences with what is said of this quantity of a mission alone."""
        found = replace(self, mode=None) if quantity in INDICES else self  # no index has a mode
        for each in self.own:
            if (each.mission, each.quantity) == (mission, quantity):
                own = {name: value for name in OF_ONE if (value := getattr(each, name))}
                found = replace(found, **own)
        return found


@dataclass(frozen=True)
class Wanted:
    """A quantity to fetch as a step: datasets that hold it, best first; a sample decides among them.

    `exclude` names a step of events: samples inside their intervals do not count.
    """

    id: str
    intent: str
    candidates: tuple[Fetch, ...]
    exclude: str | None = None

    def document(self, fetch: Fetch) -> dict[str, Value]:
        """The step as it stands in a pipeline file, with the fetch that was chosen."""
        excluded: dict[str, Value] = {"exclude": self.exclude} if self.exclude else {}
        return {"id": self.id, "intent": self.intent, **excluded, "fetch": fetch.model_dump()}


@dataclass(frozen=True)
class Windows:
    """Events that are the partitions of a pipeline: the step that lists them, and lengths before and after as `P1D`."""

    events: str
    before: str
    after: str


@dataclass(frozen=True)
class Stated:
    """A pipeline whose steps the planner names itself, as a language model does.

    Each of `steps` is a quantity to fetch, or a step as it stands in a pipeline file. If its partitions are events, `windows`
    says so.
    """

    title: str
    description: str
    steps: tuple[Wanted | Mapping[str, Any], ...]
    windows: Windows | None = None

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """What is to be fetched."""
        return tuple(step for step in self.steps if isinstance(step, Wanted))


@dataclass(frozen=True)
class Intent:
    """What is wanted: data of missions, what is done with them, when, and which words were left over.

    The data and what is done with them are either `targets` with a `treatment`, from which the drafter makes the steps, or
    `stated` steps. `leftovers` are words that change nothing and are shown as ignored; a planner asks about all others.
    """

    targets: tuple[AnyTarget, ...] = ()
    stated: Stated | None = None
    treatment: Treatment = field(default_factory=Treatment)
    preferences: Preferences = Preferences()
    assumptions: tuple[Assumption, ...] = ()
    notes: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
