"""A time in which nothing of a spacecraft is catalogued: it is asked about before anything else of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from helio_dagster.agent.answers import Answer, Fork, OpenQuestion
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of
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
        until = f" to {format_time(max(stops))}" if len(stops) == len(extents) else " on"
        text = f"{mission.name} has data from {format_time(first)}{until}, none for {span}. Which time do you mean?"
        question = OpenQuestion(text)
        question.is_about_time = True
        raise question


def ask_about_fork(answer: Answer | None, span: TimeRange | None, offers: Offers) -> None:
    """Ask for another time where a change makes the same of a mission without data in the range, its own or the one drawn.

    Raises
    ------
    OpenQuestion
        It says when the mission has data.
    """
    if isinstance(answer, Fork):
        ask_about_uncovered(answer.span or span, [Mission(answer.mission)], offers.catalog, offers.archive)


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
