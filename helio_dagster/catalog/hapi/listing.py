"""What a HAPI server lists of a dataset, as facts of the catalog. Texts of servers become one short line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from helio_dagster.archives.hapi.isotime import parse_isotime
from helio_dagster.archives.hapi.messages import CatalogItem, Info, Parameter, flat
from helio_dagster.catalog.assembling import Described, all_parameter_facts, assemble
from helio_dagster.catalog.deriving import find_granularity, suggest_grain
from helio_dagster.catalog.facts import DatasetFacts, Derived
from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.reading import read_query
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import parse_duration

_LONG, _SHORT = 400, 120
_MOST_PARAMETERS = 4000
_SERVER = "server"
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)


def facts_of(archive: str, item: CatalogItem, info: Info, now: datetime) -> DatasetFacts:
    """The facts of a dataset that a server lists.

    Parameters
    ----------
    archive
        The server as pipelines name it, such as `hapi:vires`.
    item, info
        What the server says.
    now
        When it said so (aware).
    """
    rows = [_row(each) for each in info.parameters[1 : _MOST_PARAMETERS + 1] if each.type in ("double", "integer")]
    label = _line(item.title, _LONG) or _line(info.description, _LONG)
    return dataset_facts(archive, item.id, label, (info.start, info.stop), info.cadence, rows, now)


def dataset_facts(
    archive: str,
    dataset: str,
    label: str,
    dates: tuple[str, str],
    cadence: str,
    rows: Sequence[Mapping[str, Any]],
    now: datetime,
) -> DatasetFacts:
    """The facts of a dataset out of its id, title, first and last date and cadence in ISO 8601, and rows of parameters.

    What is not a date or a duration counts as not said.
    """
    words = Described(
        dataset=dataset,
        archive=archive,
        label=label or dataset,
        instrument_type="",
        start=_moment(dates[0]),
        stop=_moment(dates[1]),
    )
    facts = assemble(words, _distinct(rows), now)
    if facts.mission == "other":
        named = read_query(f"{dataset.replace('_', ' ').replace('-', ' ')} {label}").missions
        known = {each.name for each in missions()}
        facts = replace(facts, mission=next((name for name in named if name in known), "other"))
    length = _length(cadence)
    if length is None:
        return facts
    return replace(
        facts,
        cadence=length,
        cadence_from=Derived(f"{length.total_seconds():g} s", _SERVER, "stated"),
        granularity=find_granularity(length, dataset),
        grain=suggest_grain(length, dataset),
    )


def _row(parameter: Parameter) -> dict[str, Any]:
    units = next((str(each) for each in flat(parameter.units) if each), "")
    return {
        "name": _line(parameter.name, _SHORT),
        "description": _line(parameter.description, _LONG),
        "units": _line(units, 80),
        "size": parameter.size,
        "type": parameter.type,
        "fill": (parameter.fill or "")[:80] or None,
        "frame": _line(parameter.frame if isinstance(parameter.frame, str) else "", 80),
    }


def _distinct(rows: Iterable[Mapping[str, Any]]) -> list[Any]:
    first = {row["name"]: row for row in reversed(list(rows)) if row["name"]}
    return all_parameter_facts(list(reversed(first.values())))


def _moment(text: str) -> str:
    """A date as the catalog reads it; empty where it is none. HAPI's far dates mean that a dataset goes on."""
    try:
        return parse_isotime(text).isoformat()
    except ValueError:
        return ""


def _length(text: str) -> timedelta | None:
    try:
        return parse_duration(text) if text else None
    except InputError:
        return None


def _line(text: str, limit: int) -> str:
    without_breaks = _BREAK.sub(" ", text[: 8 * limit])
    plain = "".join(character if character.isprintable() else " " for character in without_breaks)
    return " ".join(plain.split())[:limit].strip()
