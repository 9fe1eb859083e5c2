"""What a CDAS service lists of a dataset, as facts, and how they join with those already known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from helio_dagster.archives.cdas.messages import DatasetDescription, VariableDescription, message_time
from helio_dagster.archives.cdf.credit import find_doi
from helio_dagster.archives.cdf.master import MasterDescription
from helio_dagster.catalog.assembling import Described, all_parameter_facts, assemble
from helio_dagster.catalog.deriving import MASTER
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts

_LONG, _SHORT = 2000, 400
_MOST_PARAMETERS = 4000
_GONE = re.compile(r" ?Not listed by the archive since \d{4}-\d\d-\d\d\.")
_INSTRUMENT_TYPES = {  # CDAWeb's words, and the catalog's where they are others
    "activity indices": "indices",
    "electric fields (space)": "efield",
    "ephemeris/attitude/ancillary": "ephemeris",
    "ground-based magnetometers, riometers, sounders": "ground_mag",
    "housekeeping": "engineering",
    "imaging and remote sensing (itm/earth)": "imaging_itm",
    "imaging and remote sensing (magnetosphere/earth)": "imaging_mag",
    "imaging and remote sensing (sun)": "imaging_sun",
    "magnetic fields (space)": "mag",
    "particles (space)": "particles",
    "plasma and solar wind": "plasma",
    "radio and plasma waves (space)": "waves",
}


def join_listed(known: DatasetFacts | None, listed: DatasetDescription, now: datetime) -> DatasetFacts:
    """The facts of a listed dataset: what the listing says now, what was known where it says nothing, the known parameters."""
    span = listed.time_interval
    words = Described(
        dataset=known.dataset if known else listed.id,
        archive="cdaweb",
        label=_line(listed.label, _SHORT) or (known.label if known else ""),
        instrument_type=known.instrument_type if known else _instrument_type(listed.instrument_type),
        start=message_time(span.start) if span else "",
        stop=message_time(span.end) if span else "",
        pi=_line(listed.pi_name, _SHORT) or (known.pi if known else ""),
        doi=find_doi(_line(listed.doi, _SHORT)) or (known.doi if known else ""),
        acknowledgement=known.acknowledgement if known else "",
        notes=_notes(listed) or (_without_mark(known.notes) if known else ""),
    )
    facts = assemble(words, known.parameters if known else (), now)
    if known is None:
        return facts
    if span is None:
        facts = replace(facts, start=known.start, stop=known.stop, is_current=known.is_current)
    if known.cadence_from is not None and known.cadence_from.source == MASTER:
        facts = _with_cadence(facts, known)
    return facts


def has_changed(known: DatasetFacts, now_listed: DatasetFacts) -> bool:
    """Whether the archive describes a dataset otherwise than before: a longer time range alone is not a change."""
    before, after = ([" ".join(text.split()) for text in (each.label, each.pi, each.doi)] for each in (known, now_listed))
    notes = _without_mark(known.notes)
    return before != after or (notes != "" and notes != now_listed.notes)


def join_master(facts: DatasetFacts, master: MasterDescription, now: datetime) -> DatasetFacts:
    """The facts of a dataset whose master was read: that gives the parameters, the terms of use, often the cadence."""
    terms = dict.fromkeys(text for each in (master.acknowledgement, master.rules_of_use) if (text := _line(each, _LONG)))
    words = Described(
        dataset=facts.dataset,
        archive=facts.archive,
        label=facts.label,
        instrument_type=facts.instrument_type,
        start=facts.start.isoformat() if facts.start else "",
        stop=facts.stop.isoformat() if facts.stop else "",
        pi=facts.pi or _line(master.pi, _SHORT),
        doi=facts.doi or find_doi(_line(master.doi, _SHORT)),
        acknowledgement=" ".join(terms),
        notes=facts.notes,
        resolution=_line(master.resolution, 40),
    )
    return assemble(words, _parameters(master), now)


def with_variables(facts: DatasetFacts, variables: Iterable[VariableDescription]) -> DatasetFacts:
    """The facts of a dataset without a master, with the names and descriptions that the service lists of its variables."""
    rows = [
        {"name": name, "description": _line(one.long_description or one.short_description, _SHORT)}
        for one in list(variables)[:_MOST_PARAMETERS]
        if (name := _line(one.name, _SHORT))
    ]
    return replace(facts, parameters=_distinct(rows))


def mark_gone(known: DatasetFacts, now: datetime) -> DatasetFacts:
    """A dataset that is no longer listed: it stays, for pipelines that use it, and its notes say since when."""
    if _GONE.search(known.notes):
        return known
    return replace(known, notes=f"{known.notes} Not listed by the archive since {now.date().isoformat()}.".strip())


def _parameters(master: MasterDescription) -> tuple[ParameterFacts, ...]:
    rows: list[dict[str, Any]] = []
    for one in master.parameters[:_MOST_PARAMETERS]:
        row = {
            "name": _line(one.name, _SHORT),
            "description": _line(one.description, _SHORT),
            "units": _line(one.unit, 80),
            "size": one.size,
            "type": one.kind,
            "fill": one.fill[:80] if one.fill else None,
            "depend_1": _line(one.depend_1 or "", _SHORT) or None,
            "display": _line(one.display, 80),
            "frame": _line(one.frame, 80),
        }
        rows += [row] if row["name"] else []
    return _distinct(rows)


def _distinct(rows: Iterable[dict[str, Any]]) -> tuple[ParameterFacts, ...]:
    first = {row["name"]: row for row in reversed(list(rows))}
    return tuple(all_parameter_facts(list(reversed(first.values()))))


def _with_cadence(facts: DatasetFacts, known: DatasetFacts) -> DatasetFacts:
    return replace(
        facts, cadence=known.cadence, cadence_from=known.cadence_from, granularity=known.granularity, grain=known.grain
    )


def _instrument_type(given: list[str]) -> str:
    word = _line(given[0], _SHORT).casefold() if given else ""
    return _INSTRUMENT_TYPES.get(word) or re.sub(r"[^a-z0-9]+", "_", word).strip("_")


def _notes(listed: DatasetDescription) -> str:
    """The notes, and where to read more: links, and descriptions in other forms."""
    links = [f"{one.title or one.text}: {one.url}".removeprefix(": ") for one in listed.dataset_link if one.url]
    more = [f"{one.type}: {one.value}".removeprefix(": ") for one in listed.additional_metadata if one.value]
    return _line(" ".join(_without_mark(text) for text in (listed.notes, *links, *more) if text.strip()), _LONG)


def _without_mark(notes: str) -> str:
    return _GONE.sub("", notes).strip()


def _line(text: str, limit: int) -> str:
    """A text from elsewhere in one line: no control characters, no more than `limit` characters."""
    plain = "".join(character if character.isprintable() else " " for character in text[: 8 * limit])
    return " ".join(plain.split())[:limit].strip()
