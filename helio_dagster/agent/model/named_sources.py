"""Check that what a model names exists: archives, datasets, parameters, sources of an answer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from helio_dagster.agent.model.turn import Turn
from helio_dagster.catalog.missions import find_mission
from helio_dagster.compute.function_docs import find_function
from helio_dagster.domain.catalog_entry import DEMO_ARCHIVE
from helio_dagster.domain.did_you_mean import near_names, remedy
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, KNOWN_SERVERS
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.domain.time_range import TimeRange, format_time

_MOST_NAMES = 12


def fault_of_fetch(turn: Turn, fetch: Fetch) -> str:
    """What is wrong with the names of a fetch; empty if they exist, as far as the catalog can tell."""
    catalog = turn.knowledge.catalog
    archives = _archives(turn)
    if fetch.archive not in archives:
        return f"archive {fetch.archive[:60]!r} is not allowed here; use {' or '.join(archives[:2])}"
    facts = catalog.facts(fetch.archive, fetch.dataset)
    if fetch.archive.startswith(HAPI_PREFIX) and (facts is None or not facts.parameters):
        return ""  # a server may have more than its snapshot
    if not catalog.has(fetch.archive, fetch.dataset) or (facts is not None and not facts.is_fetchable):
        near = near_names(fetch.dataset, catalog.names(fetch.archive))
        nearest = f"nearest: {', '.join(near)}" if near else "find one with search_catalog"
        return f"{fetch.archive} has no dataset {fetch.dataset!r} that can be fetched; {nearest}"
    known = catalog.parameter_names(fetch.archive, fetch.dataset)
    if known and fetch.parameter not in known and catalog.knows_all_parameters(fetch.archive, fetch.dataset):
        near = near_names(fetch.parameter, known) or known[:_MOST_NAMES]
        return f"{fetch.dataset} has no parameter {fetch.parameter!r}; it has {', '.join(near)}"
    return ""


def fault_of_extent(turn: Turn, fetch: Fetch, span: TimeRange | None) -> str:
    """Why a dataset cannot have data in a range; empty if it may."""
    if span is None:
        return ""
    first, last = turn.knowledge.catalog.extent(fetch.archive, fetch.dataset)
    if (first is not None and span.stop <= first) or (last is not None and span.start >= last):
        return f"{fetch.dataset} has data {_extent(first, last)}, none for {span}"
    return ""


def notes_of_extent(turn: Turn, fetches: Iterable[Fetch], span: TimeRange | None) -> tuple[str, ...]:
    """Notes on parts of a range that will be empty, as far as the catalog and the clock can tell."""
    if span is None:
        return ()
    notes = []
    if turn.archive != DEMO_ARCHIVE and span.stop > turn.situation.now + timedelta(days=1):
        notes.append(f"{format_time(span.stop)} is in the future: there are no data yet after today.")
    for fetch in dict.fromkeys(fetches):
        first, last = turn.knowledge.catalog.extent(fetch.archive, fetch.dataset)
        if (first is not None and span.start < first) or (last is not None and span.stop > last):
            notes.append(f"{fetch.dataset} has data {_extent(first, last)}; the rest of {span} will be empty.")
    return tuple(notes)


def fault_of_source(turn: Turn, name: str) -> str:
    """What is wrong with a source of an answer; empty if it exists."""
    catalog = turn.knowledge.catalog
    if any(catalog.has(archive, name) for archive in dict.fromkeys([turn.archive, "cdaweb", PDS_ARCHIVE])):
        return ""
    if turn.side is not None and name in turn.side.names():
        return ""
    for find in (turn.knowledge.operations.get, find_mission, find_function):
        try:
            find(name)
        except InputError:
            continue
        return ""
    known = [*catalog.names(turn.archive), *(operation.id for operation in turn.knowledge.operations.all())]
    return f"there is no source {name[:80]!r}. {remedy(name, known, what='sources') if near_names(name, known) else ''}".strip()


def _extent(first: datetime | None, last: datetime | None) -> str:
    begins = f"from {format_time(first)}" if first else ""
    return f"{begins} {f'to {format_time(last)}' if last else 'on'}".strip()


def _archives(turn: Turn) -> list[str]:
    """The archives that may be fetched from: ours, known servers, and those that the person or the pipeline names."""
    own = [turn.archive] if turn.archive == DEMO_ARCHIVE else list(dict.fromkeys([turn.archive, "cdaweb"]))
    known = (
        []
        if turn.archive == DEMO_ARCHIVE
        else [SPICE_ARCHIVE, PDS_ARCHIVE, *(f"{HAPI_PREFIX}{name}" for name in KNOWN_SERVERS)]
    )
    current = turn.situation.current
    steps = current.file.pipeline.steps if current is not None else []
    standing = [step.fetch.archive for step in steps if step.fetch is not None]
    words = [word.strip(".,;:!?()'\"") for text in turn.spoken for word in text.split() if HAPI_PREFIX in word]
    return [*own, *known, *standing, *words]
