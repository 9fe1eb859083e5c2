"""Writes a catalog again that was made with older rules: what archives said stays, what is derived follows today's rules.

Facts are derived whenever they are read; what is kept of them in the file is what a search ranks by, and cadences.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.deriving import DERIVATION, find_cadence
from helio_dagster.catalog.facts import DatasetFacts


def is_derived_now(database: CatalogDatabase) -> bool:
    """Whether what a catalog's search ranks by was derived with today's rules."""
    return database.meta.get("derivation") == str(DERIVATION)


def derive_anew(database: CatalogDatabase, into: Path) -> None:
    """Write what a catalog holds, derived with today's rules; `into` may be its own path.

    Raises
    ------
    StorageError
        The file cannot be written.
    """
    datasets = [_with_cadence_of_now(each) for name in database.names() if (each := database.dataset(name)) is not None]
    write_database(into, datasets, database.meta)


def _with_cadence_of_now(facts: DatasetFacts) -> DatasetFacts:
    """The dataset with the cadence that its words give, unless the archive itself stated one."""
    if facts.cadence_from is None or facts.cadence_from.certainty == "stated":
        return facts
    found = find_cadence(facts.dataset, facts.label, [each.description for each in facts.parameters])
    return replace(facts, cadence=found[0] if found else None, cadence_from=found[1] if found else None)
