"""The snapshots of HAPI servers that a home has: its own, and those that ship with the package. None is asked for here."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from pathlib import Path

from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.reading import read_query
from helio_dagster.catalog.searching import CatalogSearch, Facets, Hit
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX

_log = logging.getLogger(__name__)

MOST_HITS = 5
"""Datasets of servers that a search shows beside those of the catalog."""
ARCHIVE, FROM, SNAPSHOT, REMARK = "archive", "from", "snapshot", "remark"  # keys of a snapshot's meta


@dataclass(frozen=True)
class HapiSnapshots:
    """What is known of HAPI servers without asking them.

    Parameters
    ----------
    folder
        The folder of the home's own snapshots, which come before those of the package.
    """

    folder: Path

    @cached_property
    def databases(self) -> Mapping[str, CatalogDatabase]:
        """Archive, such as `hapi:vires`, to its snapshot; one that is damaged is passed over with a warning."""
        found: dict[str, CatalogDatabase] = {}
        for path in (*sorted(self.folder.glob("*.sqlite")), *_packaged()):
            try:
                database = CatalogDatabase(path)
            except StorageError as error:
                _log.warning("%s; delete the file, or run `helio catalog refresh --hapi SERVER` again.", error.problem)
                continue
            found.setdefault(database.meta.get(ARCHIVE, ""), database)
        return {archive: found[archive] for archive in sorted(found) if archive.startswith(HAPI_PREFIX)}

    def place_of(self, dataset: str) -> tuple[CatalogDatabase, str]:
        """The snapshot that a name such as `hapi:vires/SW_OPER_MAGA_LR_1B` leads to, and the id in it.

        Raises
        ------
        InputError
            there is no snapshot of that server.
        """
        archive = max((each for each in self.databases if dataset.startswith(f"{each}/")), key=len, default=None)
        if archive is not None:
            return self.databases[archive], dataset.removeprefix(f"{archive}/")
        known = ", ".join(self.databases) or "none"
        hint = f"`helio catalog refresh --hapi {dataset.partition('/')[0]}` makes one. Snapshots: {known}."
        raise InputError(f"there is no snapshot of the server of {dataset!r:.120}", hint=hint)

    def search(self, query: str, *, facets: Facets | None = None, count: int = 5) -> list[Hit]:
        """The datasets whose texts hold every word of a query; see `search_servers`."""
        return search_servers(self.databases, query, facets=facets, count=count)


def search_servers(
    databases: Mapping[str, CatalogDatabase], query: str, *, facets: Facets | None = None, count: int = 5
) -> list[Hit]:
    """The datasets whose texts hold every word of a query, best first; a server's own name limits it to that server."""
    words = query.split()
    servers = {archive.removeprefix(HAPI_PREFIX): archive for archive in databases}
    named = {servers[each] for word in words if (each := word.casefold().removeprefix(HAPI_PREFIX)) in servers}
    rest = " ".join(word for word in words if word.casefold().removeprefix(HAPI_PREFIX) not in servers)
    plain = read_query(rest or query)
    hits: list[Hit] = []
    for archive, database in databases.items():
        if named and archive not in named:
            continue
        found = CatalogSearch(database).search(rest or query, facets=facets, count=40).hits
        hits += [hit for hit in found if _holds(hit, (*plain.plain, *plain.missions))]
    phrase = set(_tokens(rest))
    return sorted(
        hits,
        key=lambda hit: (
            -hit.score,
            -len(phrase.intersection(_tokens(hit.dataset.label))),
            hit.dataset.archive,
            hit.dataset.dataset,
        ),
    )[:count]


def holds_all(hit: Hit, query: str) -> bool:
    """Whether the texts of a dataset hold every word of a query."""
    asked = read_query(query)
    return _holds(hit, (*asked.plain, *asked.missions))


def snapshot_path(folder: Path, archive: str) -> Path:
    """Where a home keeps the snapshot of a server."""
    name = re.sub(r"[^a-z0-9.-]+", "_", archive.removeprefix(HAPI_PREFIX).casefold()).strip("_.")
    return folder / f"{name[:100]}.sqlite"


def _packaged() -> Iterator[Path]:
    with as_file(files(__package__)) as folder:
        yield from sorted(folder.glob("*.sqlite"))


def _holds(hit: Hit, words: tuple[str, ...]) -> bool:
    """Whether a dataset's texts hold all words, in the singular or plural: those of its parameters, too."""
    facts = hit.dataset
    parts = [facts.dataset, facts.label, facts.mission, facts.instrument]
    for each in facts.parameters:
        parts += [each.name, each.description, str(each.quantity or ""), str(each.frame or "")]
    held = {token.removesuffix("s") for token in _tokens(" ".join(parts))}
    return all(token.removesuffix("s") in held for word in words for token in _tokens(word) if not token.isdigit())


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.casefold())
