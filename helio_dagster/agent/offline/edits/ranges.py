"""Ranges of time beside that of the plan on the table: two as one, and what is named of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.catalog.times.changes import of_this_year, read_change
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.time_range import TimeRange


def find_range(text: str, span: TimeRange | None, now: datetime) -> FoundSpan | None:
    """The time that a follow-up names, its last week and a day without its year those of the range on the table."""
    found = find_span(text, now) if text else None
    if found is None or span is None:
        return found
    if form("reader.of_the_range").search(f"{text[: found.first]}{found.words}") is not None:
        found = replace(found, span=read_change(f"only {found.words.strip()}", span, now) or found.span)
    if (near := of_this_year(text, found, span)) is not None:
        found = replace(found, span=near, note=f"{found.words.strip()} is taken as {near}.")
    return found


def both_ranges(one: TimeRange, other: TimeRange) -> TimeRange:
    """Two ranges as one.

    Raises
    ------
    OpenQuestion
        There is time between them.
    """
    whole = TimeRange(min(one.start, other.start), max(one.stop, other.stop))
    if whole.duration > one.duration + other.duration:
        text = f"{one} and {other} are apart, and a plan has one range. Do you want all of {whole}, or {other} alone?"
        raise OpenQuestion(text, [f"{whole}", f"{other}"])
    return whole
