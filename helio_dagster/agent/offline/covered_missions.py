"""A time in which nothing of a spacecraft is catalogued: it is asked about before anything else of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Edits, Fork, OpenQuestion, Replay
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.planner import Current
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.time_range import TimeRange, format_time


def ask_about_uncovered(span: TimeRange | None, missions: Sequence[Mission], catalog: KnownCatalog, archive: str) -> None:
    """Ask for another time where no measurements of a mission lie in the range; of one member of a fleet nothing is asked.

    Raises
    ------
    OpenQuestion
        It says when the mission has data.
    """
    if span is None:
        return
    for mission in missions:
        extents = [] if mission.member else _extents(mission.name, catalog, archive)
        if not extents or any(start < span.stop and (stop is None or span.start < stop) for start, stop in extents):
            continue
        first, stops = min(start for start, _ in extents), [stop for _, stop in extents if stop is not None]
        last = max(stops) if len(stops) == len(extents) else None
        raise _which_time([_told(mission.name, first, last, span)])


def ask_about_fork(answer: Answer | None, span: TimeRange | None, offers: Offers) -> None:
    """Ask for another time where a change makes the same of a mission without data in the range, its own or the one drawn.

    Raises
    ------
    OpenQuestion
        It says when the mission has data.
    """
    if isinstance(answer, Fork):
        ask_about_uncovered(answer.span or span, [Mission(answer.mission)], offers.catalog, offers.archive)


def with_times_told(answer: Answer | None, current: Current, offers: Offers) -> Answer | None:
    """A change of the range, which says what has no data in the new one.

    Raises
    ------
    OpenQuestion
        Nothing that is drawn has data then.
    """
    if not isinstance(answer, Replay | Edits) or answer.span is None:
        return answer
    file = apply_edits(current.file, answer.edits) if isinstance(answer, Edits) else current.file
    fetches = {step.fetch.dataset: step.fetch.archive for step in file.pipeline.steps if step.fetch and step.fetch.dataset}
    told = [_without_data(archive or "", name, answer.span, offers.catalog) for name, archive in fetches.items()]
    lacking = [each for each in told if each]
    if lacking and len(lacking) == len(told):
        raise _which_time(lacking)
    return replace(answer, notes=(*answer.notes, *lacking)) if lacking else answer


def _without_data(archive: str, dataset: str, span: TimeRange, catalog: KnownCatalog) -> str:
    """When a dataset has data, where none are in a range; empty where it has some, or that is not known."""
    start, stop = catalog.extent(archive, dataset)
    if start is None or (start < span.stop and (stop is None or span.start < stop)):
        return ""
    return _told(dataset, start, stop, span)


def _told(name: str, start: datetime, stop: datetime | None, span: TimeRange) -> str:
    until = f" to {format_time(stop)}" if stop is not None else " on"
    return f"{name} has data from {format_time(start)}{until}, none for {span}."


def _which_time(lacking: Sequence[str]) -> OpenQuestion:
    question = OpenQuestion(f"{' '.join(lacking)} Which time do you mean?")
    question.is_about_time = True
    return question


def _extents(mission: str, catalog: KnownCatalog, archive: str) -> list[tuple[datetime, datetime | None]]:
    """When each dataset of a mission has data; empty where one of them may have data at any time."""
    found: list[tuple[datetime, datetime | None]] = []
    for name in catalog.names(archive):
        owner = mission_of(name)
        if owner is None or owner.name != mission:
            continue
        facts = catalog.facts(archive, name)
        if facts is not None and (facts.nature != "measured" or not facts.is_fetchable):
            continue
        start, stop = catalog.extent(archive, name)
        if start is None:
            return []
        found.append((start, stop))
    return found
