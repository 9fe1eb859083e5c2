"""What a plan assumes: lines that people read, each with what it is about, so that it goes when that goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from helio_dagster.agent.targets import AnyTarget, Target
from helio_dagster.catalog.choice.offer import Offer
from helio_dagster.domain.planetary import id_in_archive

Kind = Literal["operation", "option", "mission", "quantity", "frame", "dataset", "unit", "shape"]


class Topic(NamedTuple):
    """What a line is about, and is true only as long as the pipeline has it.

    A quantity is that of a mission. An option is that of an operation, and open: the line goes once somebody says it.
    """

    kind: Kind
    name: str


WHOLE_VECTOR = Topic("shape", "vector")


@dataclass(frozen=True)
class Assumption:
    """A line, and all that it is about."""

    text: str
    about: tuple[Topic, ...] = ()


Say = Callable[[Offer], Iterable[str]]
"""The lines that are said of an offer."""


@dataclass(frozen=True)
class _Said:
    """Lines as they were said, together; of the `offer` that answers a `target`, `say` says them of another one."""

    records: tuple[Assumption, ...]
    topics: tuple[Topic, ...] = ()
    target: Target | None = None
    offer: Offer | None = None
    say: Say | None = None
    is_reason: bool = False


class Assumptions:
    """Collects what is assumed while a plan is drafted."""

    def __init__(self) -> None:
        self._said: list[_Said] = []
        self._topics: tuple[Topic, ...] = ()

    @property
    def records(self) -> tuple[Assumption, ...]:
        """All that holds, in the order in which it was said; what holds for several reasons is there for each."""
        return tuple(dict.fromkeys(record for said in self._said for record in said.records))

    @contextmanager
    def about(self, *topics: Topic) -> Iterator[None]:
        """All that is said within is about these, too."""
        before, self._topics = self._topics, (*self._topics, *topics)
        try:
            yield
        finally:
            self._topics = before

    def say(self, text: str, *topics: Topic) -> None:
        """Add a line, and what it is about."""
        self._said.append(_Said((Assumption(text, (*self._topics, *topics)),)))

    def add(self, records: Iterable[Assumption]) -> None:
        """Add lines that were said elsewhere."""
        self._said += [_Said((each,)) for each in records]

    def say_of(self, target: Target, offer: Offer, say: Say, *, is_reason: bool = False) -> None:
        """Add what is said of the offer that answers a target; `is_reason` where it says why that one was taken."""
        said = _Said((), self._topics, target, offer, say, is_reason=is_reason)
        self._said.append(_of_offer(said, offer))

    def exchange(self, target: Target, old: Offer, new: Offer, *, keeps_reasons: bool = True) -> None:
        """Say of the offer that answers a target in the place of another one what was said of that."""
        said = [each for each in self._said if keeps_reasons or not (each.is_reason and _is_of(each, target, old))]
        self._said = [_of_offer(each, new) if _is_of(each, target, old) else each for each in said]
        if new.frame != old.frame and old.frame is not None:
            self.take_back(Topic("frame", old.frame), *topics_of(target))

    def take_back(self, *topics: Topic) -> None:
        """Drop the lines that are about all of these."""
        gone = {*topics}
        for place, said in enumerate(self._said):
            self._said[place] = replace(said, records=tuple(each for each in said.records if not gone <= {*each.about}))


def _is_of(said: _Said, target: Target, offer: Offer) -> bool:
    return (said.target, said.offer) == (target, offer)


def _of_offer(said: _Said, offer: Offer) -> _Said:
    topics = (*said.topics, Topic("dataset", id_in_archive(offer.dataset)))
    lines = said.say(offer) if said.say is not None else ()
    return replace(said, offer=offer, records=tuple(Assumption(each, topics) for each in lines))


def topics_of(target: AnyTarget) -> tuple[Topic, ...]:
    """What all is about that is said of a target."""
    whose = mission_topics(target.mission, target.member)
    return (*whose, quantity_topic(target.mission, target.quantity)) if isinstance(target, Target) else whose


def mission_topics(mission: str, member: str = "") -> tuple[Topic, ...]:
    """A mission, and the one of its spacecraft that is meant."""
    return tuple(Topic("mission", each) for each in dict.fromkeys((mission, f"{mission} {member}".strip())))


def quantity_topic(mission: str, quantity: str) -> Topic:
    """A quantity of a mission."""
    return Topic("quantity", f"{mission} {quantity}")


def open_options(operation: str, *names: str) -> tuple[Topic, ...]:
    """Options of an operation that a request leaves open."""
    return tuple(Topic("option", f"{operation}.{name}") for name in names)


def lines_of(records: Iterable[Assumption]) -> list[str]:
    """The lines as a pipeline has them, each once."""
    return list(dict.fromkeys(each.text for each in records))


def lines_about(records: Iterable[Assumption], *topics: Topic) -> set[str]:
    """The lines that are about one of these."""
    return {each.text for each in records if {*topics} & {*each.about}}
