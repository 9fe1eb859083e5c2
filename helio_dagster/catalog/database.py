"""The catalog at rest: one SQLite file with a full-text index, written whole and read in place."""

from __future__ import annotations

import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from helio_dagster.catalog.assembling import parameter_facts
from helio_dagster.catalog.deriving import DERIVATION, MASTER, find_granularity, find_nature, suggest_grain
from helio_dagster.catalog.facts import DatasetFacts, Derived, ParameterFacts
from helio_dagster.catalog.instruments import instrument_names
from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.neighbours import spectrum_unit, with_cadences
from helio_dagster.catalog.planetary import with_vectors
from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.fine_duration import duration_from_seconds
from helio_dagster.domain.planetary import PDS_ARCHIVE
from helio_dagster.storage.atomic import atomic_path

SCHEMA = 1
_SHELF = 16
"""Datasets packed together: neighbours by id share most of their words."""
_TABLES = """
PRAGMA page_size = 1024;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE dataset (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL COLLATE NOCASE, ranking TEXT NOT NULL);
CREATE TABLE shelf (number INTEGER PRIMARY KEY, entries BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(id, mission, label, instrument, quantities, names, descriptions, content='',
  tokenize="porter unicode61 tokenchars '+'", detail=column, columnsize=0);
"""
_MOST_ROWS = 6
"""Parameters that are looked at closely for one hit of a search."""
_INSERT_WORDS = (
    "INSERT INTO words (rowid, id, mission, label, instrument, quantities, names, descriptions) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_FACTS = ("archive", "mission", "label", "instrument", "instrument_type", "category", "pi", "doi", "acknowledgement", "notes")


class CatalogDatabase:
    """A catalog file, open for reading.

    Raises
    ------
    StorageError
        It is missing, damaged, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not path.is_file():
                raise sqlite3.DatabaseError("the file is missing")
            self.connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, check_same_thread=False)
            meta = dict(self.connection.execute("SELECT key, value FROM meta"))
            if meta.get("schema") != str(SCHEMA):
                raise sqlite3.DatabaseError(f"its layout is {meta.get('schema')}, not {SCHEMA}")
        except sqlite3.DatabaseError as error:
            hint = "Delete it: the catalog that ships with the package is used then. If it is that one, reinstall the package."
            raise StorageError(f"the catalog {path} cannot be read: {error}", hint=hint) from error
        self.meta: Mapping[str, str] = meta

    def dataset(self, name: str) -> DatasetFacts | None:
        """A dataset with all its parameters; its name in any case."""
        found = self.connection.execute("SELECT number FROM dataset WHERE id = ?", [name]).fetchone()
        return self.numbered(found[0]) if found else None

    def numbered(self, number: int, words: Sequence[str] | None = None) -> DatasetFacts:
        """The dataset of a row; with `words`, only the parameters whose descriptions contain the most of them."""
        name, facts, rows = self._shelf(number // _SHELF)[number % _SHELF]
        places: Iterable[int] = range(len(rows))
        if facts["archive"] == PDS_ARCHIVE:  # vectors are made of parameters in a row
            return _read(name, facts, with_vectors([self._parameter(number, place) for place in places]))
        if words is not None and len(rows) > _MOST_ROWS:
            described = self._texts(number)
            places = sorted(range(len(rows)), key=lambda place: -sum([word in described[place] for word in words]))[:_MOST_ROWS]
        return _read(name, facts, [self._parameter(number, place) for place in places])

    @lru_cache(maxsize=32768)  # noqa: B019 - a planner looks at the same parameters again and again, and deriving takes 0.3 ms
    def _parameter(self, number: int, place: int) -> ParameterFacts:
        return _parameter(self._shelf(number // _SHELF)[number % _SHELF][2][place], self._spectra(number))

    @lru_cache(maxsize=512)  # noqa: B019 - it takes all parameters of a dataset, each of which asks for it
    def _spectra(self, number: int) -> str:
        return spectrum_unit((row[0], row[2]) for row in self._shelf(number // _SHELF)[number % _SHELF][2])

    @lru_cache(maxsize=512)  # noqa: B019 - every search looks for its words in them
    def _texts(self, number: int) -> list[str]:
        return [f"{row[0]} {row[1]}".casefold() for row in self._shelf(number // _SHELF)[number % _SHELF][2]]

    @lru_cache(maxsize=64)  # noqa: B019 - databases live as long as the process
    def _shelf(self, number: int) -> list[Any]:
        (packed,) = self.connection.execute("SELECT entries FROM shelf WHERE number = ?", [number]).fetchone()
        entries: list[Any] = json.loads(zlib.decompress(packed))
        return entries

    @cached_property
    def lengths(self) -> Sequence[int]:
        """Of each dataset in order of number, how many words name it and how many describe its parameters."""
        (packed,) = self.connection.execute("SELECT entries FROM shelf WHERE number = -1").fetchone()
        found = array("H")
        found.frombytes(zlib.decompress(packed))
        return found

    def names(self) -> list[str]:
        """The ids of all datasets."""
        return [name for (name,) in self.connection.execute("SELECT id FROM dataset ORDER BY number")]

    def describes(self, word: str, *, with_datasets: bool = False) -> bool:
        """Whether a parameter of any dataset, or also a dataset, is named or described with a word, in any of its forms."""
        plain = "".join(letter for letter in word if letter.isalnum())
        query, where = "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", "" if with_datasets else "{names descriptions}: "
        return bool(plain) and self.connection.execute(query, [f'{where}"{plain}"']).fetchone() is not None

    def mission_counts(self) -> dict[str, dict[str, int]]:
        """Mission to archive to its number of datasets."""
        found: dict[str, dict[str, int]] = {}
        for (text,) in self.connection.execute("SELECT ranking FROM dataset"):
            mission, _, archive = json.loads(text)[:3]
            found.setdefault(mission, {}).setdefault(archive, 0)
            found[mission][archive] += 1
        return found

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


def packaged_path() -> Path:
    """The file that ships with the package."""
    with as_file(files(__package__).joinpath("catalog.sqlite")) as path:
        return path


def write_database(path: Path, datasets: Iterable[DatasetFacts], meta: Mapping[str, str]) -> None:
    """Write a catalog, whole or not at all; equal content gives equal bytes."""
    with atomic_path(path) as temporary:
        temporary.unlink(missing_ok=True)
        with closing(sqlite3.connect(temporary)) as connection:
            connection.executescript(_TABLES)
            connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(_complete(meta).items()))
            ordered = sorted(datasets, key=lambda one: (one.archive, one.dataset))
            for number, each in enumerate(ordered):
                ranking = json.dumps(_ranking(each), separators=(",", ":"))
                connection.execute("INSERT INTO dataset VALUES (?, ?, ?)", [number, each.dataset, ranking])
                connection.execute(_INSERT_WORDS, [number, *_words(each)])
            lengths = array("H", (min(len(" ".join(part).split()), 65_535) for each in ordered for part in _lengthy(each)))
            connection.execute("INSERT INTO shelf VALUES (-1, ?)", [zlib.compress(lengths.tobytes(), 9)])
            for first in range(0, len(ordered), _SHELF):
                shelf = _pack([_row(each) for each in ordered[first : first + _SHELF]])
                connection.execute("INSERT INTO shelf VALUES (?, ?)", [first // _SHELF, shelf])
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            connection.commit()
            connection.execute("VACUUM")


def _complete(meta: Mapping[str, str]) -> dict[str, str]:
    return {**meta, "schema": str(SCHEMA), "derivation": str(DERIVATION)}


def _row(each: DatasetFacts) -> list[Any]:
    """What is stored of a dataset: what was said, the cadence, and the mission; all else is derived again when read."""
    facts: dict[str, Any] = {name: getattr(each, name) for name in _FACTS if getattr(each, name)}
    facts |= {name: moment.isoformat() for name in ("start", "stop") if (moment := getattr(each, name)) is not None}
    if each.is_current:
        facts["is_current"] = True
    if each.cadence is not None and each.cadence_from is not None:
        facts["cadence"] = [each.cadence.total_seconds(), each.cadence_from.source, each.cadence_from.certainty]
    rows = [_parameter_row(one) for one in each.parameters]
    return [each.dataset, facts, rows]


def _parameter_row(one: ParameterFacts) -> list[Any]:
    row = [one.name, one.description, one.given_unit, list(one.size), one.kind[:1], one.fill, one.depend_1]
    row += [derived.value if derived and derived.source == MASTER else None for derived in (one.display, one.frame)]
    while row[-1] in (None, []):
        row.pop()
    return row


def _ranking(each: DatasetFacts) -> list[Any]:
    """What ranking looks at; read by `searching.Standing`."""
    counts: dict[str, int] = {}
    for parameter in each.parameters:
        if parameter.quantity is not None:
            counts[parameter.quantity.value] = counts.get(parameter.quantity.value, 0) + 1
    frames = sorted({one.frame.value for one in each.parameters if one.frame is not None})
    cadence = each.cadence.total_seconds() if each.cadence else None
    share = {name: count for name, count in counts.items() if name not in ("quality", "uncertainty")}
    dates = [moment.date().isoformat() if moment else "" for moment in (each.start, each.stop)]
    return [
        each.mission,
        each.category,
        each.archive,
        cadence,
        int(each.is_current),
        *dates,
        frames,
        share,
        len(each.parameters),
    ]


def _words(each: DatasetFacts) -> tuple[str, ...]:
    mission = next((one for one in missions() if one.name == each.mission), None)
    names = ", ".join(mission.names) if mission else ""
    called = [other for name, others in instrument_names() if name in each.instrument.split(", ") for other in (name, *others)]
    quantities = dict.fromkeys(str(one.quantity) for one in each.parameters if one.quantity)
    return (
        f"{each.dataset} {each.dataset.replace('_', ' ').replace('-', ' ')}",
        names,
        each.label,
        f"{each.instrument} {' '.join(called)}",
        " ".join(quantities),
        _distinct(one.name for one in each.parameters),
        _distinct(one.description for one in each.parameters),
    )


def _lengthy(each: DatasetFacts) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts that name a dataset, and those of its parameters: their length decides what a word in them is worth."""
    name, _, label, instrument, quantities, names, descriptions = _words(each)
    return (name, label, instrument), (quantities, names, descriptions)


def _distinct(texts: Iterable[str]) -> str:
    """Each word once: how often a family of parameters repeats a word says nothing."""
    return " ".join(dict.fromkeys(word for text in texts for word in text.replace("_", " ").split()))


def _read(name: str, facts: Mapping[str, Any], parameters: Sequence[ParameterFacts]) -> DatasetFacts:
    stated = facts.get("cadence")
    cadence = duration_from_seconds(stated[0]) if stated else None
    return DatasetFacts(
        dataset=name,
        **{each: facts.get(each, "") for each in _FACTS},
        start=_moment(facts.get("start")),
        stop=_moment(facts.get("stop")),
        cadence=cadence,
        cadence_from=Derived(f"{stated[0]:g} s", *stated[1:]) if stated else None,
        granularity=find_granularity(cadence, name),
        grain=suggest_grain(cadence, name),
        parameters=with_cadences(facts.get("label", ""), parameters),
        is_current=facts.get("is_current", False),
        nature=find_nature(name, facts.get("label", ""), facts.get("category", "science")),
    )


def _parameter(row: list[Any], spectra: str) -> ParameterFacts:
    keys = ("name", "description", "units", "size", "type", "fill", "depend_1", "display", "frame")
    padded = [*row, *[None] * (len(keys) - len(row))]
    found = dict(zip(keys, padded, strict=True)) | {"type": "integer" if padded[4] == "i" else "double"}
    return parameter_facts(found, spectra)


def _pack(value: object) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), sort_keys=isinstance(value, dict)).encode(), 9)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).astimezone(UTC) if text else None
