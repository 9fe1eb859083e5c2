"""Facts of a dataset out of what an archive says of it: raw words in, everything derived added. Reads and writes nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from helio_dagster.catalog.deriving import (
    MASTER,
    find_cadence,
    find_category,
    find_display,
    find_granularity,
    find_nature,
    find_parameter_frame,
    find_quantity,
    read_length,
    suggest_grain,
)
from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts
from helio_dagster.catalog.instruments import instruments_of
from helio_dagster.catalog.missions import mission_of
from helio_dagster.catalog.neighbours import given_by, spectrum_unit, with_cadences
from helio_dagster.domain.units import normalize_unit

_CURRENT_WITHIN = timedelta(days=200)


@dataclass(frozen=True)
class Described:
    """What an archive says of a dataset, before anything is derived."""

    dataset: str
    archive: str
    label: str
    instrument_type: str
    start: str
    stop: str
    pi: str = ""
    doi: str = ""
    acknowledgement: str = ""
    notes: str = ""
    collection: str | None = None
    resolution: str = ""


def assemble(words: Described, parameters: Sequence[ParameterFacts], snapshot: datetime) -> DatasetFacts:
    """The facts of a dataset; `snapshot` is when the archive said so."""
    mission = mission_of(words.dataset, words.collection)
    stated = read_length(words.resolution)
    cadence_facts = find_cadence(words.dataset, words.label, [each.description for each in parameters])
    if stated is not None:
        cadence_facts = stated, Derived(f"{stated.total_seconds():g} s", MASTER, "stated")
    cadence = cadence_facts[0] if cadence_facts else None
    stop = _moment(words.stop)
    category = find_category(words.dataset, words.label, words.instrument_type)
    return DatasetFacts(
        dataset=words.dataset,
        archive=words.archive,
        label=_without_people(words.label, words.pi),
        mission=mission.name if mission else "other",
        instrument=", ".join(instruments_of(words.dataset)),
        instrument_type=words.instrument_type,
        start=_moment(words.start),
        stop=stop,
        cadence=cadence,
        cadence_from=cadence_facts[1] if cadence_facts else None,
        granularity=find_granularity(cadence, words.dataset),
        grain=suggest_grain(cadence, words.dataset),
        category=category,
        pi=words.pi,
        doi=words.doi,
        acknowledgement=words.acknowledgement,
        notes=words.notes,
        parameters=with_cadences(words.label, parameters),
        is_current=stop is not None and snapshot - stop < _CURRENT_WITHIN,
        nature=find_nature(words.dataset, words.label, category),
    )


def all_parameter_facts(rows: Sequence[Mapping[str, Any]]) -> list[ParameterFacts]:
    """The facts of a dataset's parameters; see `parameter_facts`."""
    shared = spectrum_unit((str(row["name"]), str(row.get("units") or "").strip()) for row in rows)
    return [parameter_facts(row, shared) for row in rows]


def parameter_facts(row: Mapping[str, Any], spectra: str = "") -> ParameterFacts:
    """The facts of a parameter out of `name`, `description`, `units`, `size`, `type`, `fill`; `spectra` is its spectra's unit.

    `depend_1`, `display` and `frame` are there where a master states them.
    """
    name, description, given = str(row["name"]), _one_line(row.get("description")), str(row.get("units") or "").strip()
    unit = given_by(name, given, spectra)
    size = tuple(int(count) for count in row.get("size") or ())
    size = () if size == (1,) else size
    quantity = find_quantity(name, description, (unit, _unit(unit)), size)
    return ParameterFacts(
        name=name,
        description=description,
        given_unit=given,
        unit=_unit(unit),
        size=size,
        kind=str(row.get("type") or "double"),
        fill=None if row.get("fill") is None else str(row["fill"]),
        quantity=quantity,
        frame=find_parameter_frame(name, description, quantity.value if quantity else None, row.get("frame") or ""),
        display=find_display(size, quantity.value if quantity else None, row.get("display") or ""),
        depend_1=row.get("depend_1"),
    )


@cache
def _unit(given: str) -> str:
    return normalize_unit(given)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC) if "T" in text else _day(text)
    except ValueError:
        return None


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _without_people(label: str, pi: str) -> str:
    """The label without its last part, where that names the investigator whom another column names."""
    title = _one_line(label)
    first = re.escape(pi.split(",")[0].strip())
    cut = re.split(rf"\s+-+\s+(?={first})" if first else r"(?!)", title)
    return cut[0].strip() or title


def _one_line(text: object) -> str:
    return re.sub(r"\s+", " ", str(text or "").replace("--->", " ")).strip()
