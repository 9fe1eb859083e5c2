"""Datasets, parameters and what narrows a search, as documents of `--json` and of the HTTP interface have them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.deriving import quantities
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.missions import find_mission
from helio_dagster.catalog.searching import Facets
from helio_dagster.domain.did_you_mean import remedy, suggestion
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.time_range import parse_duration
from helio_dagster.domain.time_words import parse_span


def hit_as_json(hit: Any) -> dict[str, Any]:
    """A found dataset, as `--json` prints it."""
    facts = facts_as_json(hit.dataset)
    kept = ("dataset", "archive", "label", "mission", "start", "stop", "cadence_s", "grain", "fetchable", "why_not")
    parameters = [parameter_as_json(each) for each in hit.parameters]
    return {name: facts[name] for name in kept} | {"score": hit.score, "covers": hit.covers, "parameters": parameters}


def facts_as_json(facts: DatasetFacts) -> dict[str, Any]:
    """The facts of a dataset, without its parameters."""
    plain = (
        "dataset",
        "archive",
        "label",
        "mission",
        "instrument",
        "instrument_type",
        "category",
        "pi",
        "doi",
        "acknowledgement",
    )
    return {
        **{name: getattr(facts, name) for name in plain},
        "notes": facts.notes,
        "start": _text(facts.start),
        "stop": _text(facts.stop),
        "cadence_s": facts.cadence.total_seconds() if facts.cadence else None,
        "cadence_from": asdict(facts.cadence_from) if facts.cadence_from else None,
        "granularity": asdict(facts.granularity),
        "grain": asdict(facts.grain),
        "fetchable": facts.is_fetchable,
        "why_not": facts.why_not,
    }


def parameter_as_json(each: ParameterFacts) -> dict[str, Any]:
    """The facts of a parameter."""
    return asdict(each)


def find_dataset(name: str, database: CatalogDatabase) -> DatasetFacts:
    """What is known of a dataset; UnknownDataset, with the nearest names, if there is none."""
    found = database.dataset(name)
    if found is None:
        hint = suggestion(name, database.names()) or "`helio catalog search` finds datasets by words."
        raise UnknownDataset(f"the catalog has no dataset {name!r:.80}", hint=hint)
    return found


def read_facets(
    now: datetime,
    *,
    mission: str | None = None,
    quantity: str | None = None,
    frame: str | None = None,
    cadence: str | None = None,
    during: str | None = None,
    everything: bool = False,
) -> Facets:
    """What narrows a search, from words; InputError, with what there is, for words that name nothing."""
    if quantity is not None and quantity.casefold() not in quantities():
        hint = remedy(quantity, quantities(), what="quantities")
        raise InputError(f"there is no quantity {quantity!r:.60}", hint=hint)
    return Facets(
        mission=find_mission(mission).name if mission else None,
        quantity=quantity.casefold() if quantity else None,
        frame=frame,
        longest_cadence=parse_duration(cadence) if cadence else None,
        span=parse_span(during, None, now) if during else None,
        everything=everything,
    )


def _text(moment: datetime | None) -> str | None:
    from helio_dagster.domain.time_range import format_time

    return format_time(moment.replace(microsecond=0)) if moment else None
