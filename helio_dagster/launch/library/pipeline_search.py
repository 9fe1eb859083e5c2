"""Search a library's pipelines by words and by what they use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import missions
from helio_dagster.domain.did_you_mean import near_names
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.launch.library.dataset_facts import find_measured

_LONGEST_QUERY = 500
_SHORTEST_BEGINNING = 3
_BEGINNING = 0.5
"""Weight of a match with the beginning of a word, relative to the whole word."""
_SHORTEST_MISSPELT = 4
_ID = re.compile(r"[^\W_]+(?:[_@.:/+-]+[^\W_]+)+")
_MINOR = frozenset(
    ("a", "an", "and", "at", "for", "from", "in", "my", "of", "on", "or", "our", "run", "same", "show", "the", "to", "with")
)
_WEIGHTS = {"name": 4.0, "title": 3.0, "used": 3.0, "mission": 3.0, "instrument": 2.0, "step": 1.5, "text": 1.0}


@dataclass(frozen=True)
class Entry:
    """A pipeline in the search index: what it uses, and its words with their weights."""

    pipeline: Pipeline
    missions: tuple[str, ...]
    datasets: tuple[str, ...]
    operations: tuple[str, ...]
    words: Mapping[str, float]


@dataclass(frozen=True)
class Limits:
    """Requirements for every hit; None means no limit. An operation without a version matches any version."""

    mission: str | None = None
    dataset: str | None = None
    operation: str | None = None


@dataclass(frozen=True)
class Hit:
    """A pipeline that was found, its score, and the words it contains."""

    entry: Entry
    score: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """The hits, best first.

    `asked` are the words searched for; `instead` maps misspelt words to their corrections; `near` are names similar to a
    dataset or operation that no pipeline uses.
    """

    hits: tuple[Hit, ...]
    asked: tuple[str, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    near: tuple[str, ...] = ()


def describe(pipeline: Pipeline, catalog: KnownCatalog) -> Entry:
    """A pipeline with the catalog's description of the datasets it fetches."""
    fetches = [step.fetch for step in pipeline.steps if step.fetch is not None]
    operations = [step.compute.operation for step in pipeline.steps if step.compute and step.compute.operation]
    measured = [find_measured(fetch, catalog) for fetch in fetches]
    names = tuple(dict.fromkeys(each.mission for each in measured if each.mission))
    words: dict[str, float] = {}
    for kind, text in _texts(pipeline, fetches, operations, names):
        _add(words, text, _WEIGHTS[kind])
    for each in measured:
        _add(words, f"{each.instrument} {each.quantity}", _WEIGHTS["instrument"])
    datasets = tuple(dict.fromkeys(fetch.dataset for fetch in fetches))
    return Entry(pipeline, names, datasets, tuple(dict.fromkeys(operations)), words)


def search(entries: Sequence[Entry], query: str, limits: Limits | None = None) -> Found:
    """The pipelines within the limits that contain most of the words, best first; all of them without words.

    Parameters
    ----------
    entries
        The library.
    query
        Free words; short common ones are ignored, and a word in no pipeline is replaced by the nearest one that occurs.
    limits
        Requirements for every hit.
    """
    limits = limits or Limits()
    within = [entry for entry in entries if _is_within(entry, limits)]
    if not within:
        return Found((), near=_near(entries, limits))
    asked = [word for word in dict.fromkeys(_words(query[:_LONGEST_QUERY])) if word not in _MINOR]
    known = list(dict.fromkeys(word for entry in within for word in entry.words))
    instead: dict[str, str] = {}
    for word in asked:
        if (
            len(word) >= _SHORTEST_MISSPELT
            and not any(_counts(word, other) for other in known)
            and (near := near_names(word, known, count=1))
        ):
            instead[word] = near[0]
    target = tuple(instead.get(word, word) for word in asked)
    hits = [_hit(entry, target) for entry in within]
    most = max(len(hit.words) for hit in hits)
    best = [hit for hit in hits if len(hit.words) == most and (most or not asked)]
    return Found(tuple(sorted(best, key=lambda hit: (-hit.score, hit.entry.pipeline.name))), target, instead)


def _texts(
    pipeline: Pipeline, fetches: Iterable[Fetch], operations: Iterable[str], names: Iterable[str]
) -> Iterator[tuple[str, str]]:
    yield "name", pipeline.name
    yield "title", pipeline.title
    for fetch in fetches:
        yield (
            "used",
            f"{fetch.archive} {fetch.dataset.casefold()} {fetch.dataset} {fetch.parameter.casefold()} {fetch.parameter}",
        )
    for operation in operations:
        yield "used", f"{operation} {operation.partition('@')[0]}"
    called = {mission.name: mission.names for mission in missions()}
    for name in names:
        yield "mission", " ".join([name, *called.get(name, ())])
    for step in pipeline.nodes:
        yield "step", f"{step.id} {step.kind}"
        yield "text", step.intent
    yield "text", pipeline.description


def _add(words: dict[str, float], text: str, weight: float) -> None:
    """Count each word once, with its highest weight."""
    for word in _words(text):
        words[word] = max(weight, words.get(word, 0.0))


def _words(text: str) -> list[str]:
    """Words of a text in lower case; ids whole and split into parts."""
    folded = text.casefold()
    return [*re.findall(r"[^\W_]+", folded), *_ID.findall(folded)]


def _counts(asked: str, word: str) -> float:
    if asked == word:
        return 1.0
    return _BEGINNING if len(asked) >= _SHORTEST_BEGINNING and word.startswith(asked) else 0.0


def _hit(entry: Entry, asked: Iterable[str]) -> Hit:
    worth = {word: max((_counts(word, each) * value for each, value in entry.words.items()), default=0.0) for word in asked}
    return Hit(entry, round(sum(worth.values()), 2), tuple(word for word, value in worth.items() if value))


def _is_within(entry: Entry, limits: Limits) -> bool:
    operations = {name for each in entry.operations for name in (each, each.partition("@")[0])}
    return (
        (limits.mission is None or limits.mission in entry.missions)
        and (limits.dataset is None or limits.dataset.casefold() in {name.casefold() for name in entry.datasets})
        and (limits.operation is None or limits.operation in operations)
    )


def _near(entries: Iterable[Entry], limits: Limits) -> tuple[str, ...]:
    """Names used in the library that are similar to those asked for."""
    used = list(entries)
    datasets = [name for entry in used for name in entry.datasets]
    operations = [name for entry in used for name in entry.operations]
    pairs = ((limits.dataset, datasets), (limits.operation, operations))
    return tuple(name for asked, known in pairs if asked and asked not in known for name in near_names(asked, known))
