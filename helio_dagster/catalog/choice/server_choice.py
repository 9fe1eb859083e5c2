"""Which dataset and parameter of a HAPI server words mean, where a request names the server: `TSI from LISIRD`.

Every word must be held by the id, the title or the parameter. Nothing is asked of the server.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, SERVER_TITLES, qualified
from helio_dagster.domain.time_range import TimeRange

ELEMENTS = {"H": ("hdzf", 0), "D": ("hdzf", 1), "X": ("xyzf", 0), "Y": ("xyzf", 1), "Z": ("xyzf", 2)}
"""Elements of the field on the ground: the orientation that has each, and its place in the vector."""
GROUND = "hapi:intermagnet"
_FIELD, _TOTAL = "Field_Vector", "Field_Magnitude"
_OF_GROUND = frozenset(("ground", "magnetometer", "magnetogram", "station", "observatory", "observatories"))
_CADENCES = frozenset(("1", "sec", "second", "seconds", "min", "minute", "minutes"))
_SORTS = frozenset(("definitive", "best", "available", "avail", "xyz", "hdz", "xyzf", "hdzf"))
"""What is said of data on the ground beside the observatory: the kind and the elements."""
_JOINING = frozenset(("at", "by", "for", "from", "of", "on", "the"))
_ASIDE = ("uncertainty", "quality")
_OF_PLACES = ("position", "latitude and longitude", "local time")
_MINOR = re.compile(
    r"prelim|quick|predict|forecast|historical|reconstruction|accuracy|precision|deviation|musil", re.IGNORECASE
)
_PARTS = re.compile(r"[A-Za-z]+|\d+")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
Sort = Literal["found", "no parameters", "several", "nothing"]


@dataclass(frozen=True)
class OnServer:
    """What words mean on a server.

    Parameters
    ----------
    sort
        Whether it is found, or the snapshot has no parameters of the dataset, several fit, or it has nothing that fits.
    facts
        The dataset; its name begins with the server.
    parameter
        The parameter's name; empty unless found.
    component
        Place of the component that is meant, from 0; None for the whole.
    words
        What it is called.
    others
        Other datasets that would do as well.
    also
        Other parameters of the dataset that the words fit as well.
    fitting
        How many datasets hold the words.
    share
        The share of the range in which it has data.
    missed
        Words that nothing fits.
    """

    sort: Sort
    facts: DatasetFacts | None = None
    parameter: str = ""
    component: int | None = None
    words: str = ""
    others: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    fitting: int = 1
    share: float = 0.0
    missed: tuple[str, ...] = ()


def in_words_of_servers(text: str) -> str:
    """Words of papers as servers say them."""
    for pattern, theirs in _server_words():
        text = pattern.sub(theirs, text)
    return text


@cache
def _server_words() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The lines of `server_words.txt`."""
    lines = files(__package__).joinpath("server_words.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.rpartition(" = ") for line in lines if line and not line.startswith("#")]
    return tuple((re.compile(rf"\b(?:{words})\b", re.IGNORECASE), theirs) for words, _, theirs in rows)


def find_on_server(archive: str, database: CatalogDatabase, words: str, span: TimeRange | None) -> OnServer:
    """The dataset and parameter of a server that words mean, with the most data in the range.

    Parameters
    ----------
    archive
        The server, such as `hapi:lisird`.
    database
        Its snapshot.
    words
        What is asked for.
    span
        The range it is asked for.
    """
    ids = [word for word in words.split() if database.dataset(word) is not None]
    rest = " ".join(word for word in words.split() if word not in ids)
    asked = [word for word in _PARTS.findall(in_words_of_servers(rest).replace("_", "")) if word not in _JOINING]
    if ids:
        return _in_dataset(_fact_of(archive, database, ids[0]), asked, words)
    if archive == GROUND:
        return _on_the_ground(archive, database, asked, span)
    wanted = list(dict.fromkeys(word.casefold() for word in asked))
    ranked: list[tuple[tuple[float, ...], int, DatasetFacts, ParameterFacts]] = []
    bare: list[tuple[float, DatasetFacts]] = []
    held_anywhere: set[str] = set()
    for facts in _all_of(archive, database):
        of_dataset = _tokens(
            f"{facts.dataset.partition('/')[2]} {facts.label} {facts.mission if facts.mission != 'other' else ''}"
        )
        held_anywhere |= of_dataset
        if not facts.parameters and all(word in of_dataset for word in wanted):
            bare.append((-_share(facts, span), facts))
        for place, parameter in enumerate(facts.parameters):
            if str(parameter.quantity) in _ASIDE and not any(word in str(parameter.quantity) for word in wanted):
                continue
            own = _tokens(f"{parameter.name} {parameter.description} {parameter.quantity or ''}")
            held_anywhere |= own
            if all(word in own or word in of_dataset for word in wanted):
                ranked.append((_standing(facts, parameter, wanted, span), place, facts, parameter))
    ranked.sort(key=lambda each: each[:2])
    best_share = -ranked[0][0][0] if ranked else 0.0
    if bare and (not ranked or min(bare, key=lambda each: each[0])[0] < -best_share):
        facts = min(bare, key=lambda each: each[0])[1]
        return OnServer("no parameters", facts, words=words, fitting=len(bare), share=_share(facts, span))
    if not ranked:
        return OnServer("nothing", words=words, missed=_as_asked(asked, {*wanted} - held_anywhere))
    standing, _, facts, parameter = ranked[0]
    alike = [each for own, _, each, _ in ranked[1:] if own[:2] == standing[:2] and each.cadence == facts.cadence]
    others = (each.dataset for each in alike if each.dataset != facts.dataset)
    also = tuple(each.name for own, _, same, each in ranked[1:] if same is facts and own == standing)
    fitting = len({each.dataset for _, _, each, _ in ranked})
    return OnServer("found", facts, parameter.name, None, words, tuple(dict.fromkeys(others)), also, fitting, best_share)


def _in_dataset(facts: DatasetFacts, asked: Sequence[str], words: str) -> OnServer:
    """The parameter of a dataset that is named: the one whose own words fit best, else all that are no place and no flag."""
    if not facts.parameters:
        return OnServer("no parameters", facts, words=words)
    named = [each.name for each in facts.parameters if each.name.replace("_", "").casefold() in map(str.casefold, asked)]
    if len(named) == 1:
        return OnServer("found", facts, named[0], words=words)
    for orientation, place in (ELEMENTS[each] for each in asked if each in ELEMENTS and facts.parameter(_FIELD) is not None):
        there = facts.dataset.endswith(orientation)
        return OnServer("found" if there else "nothing", facts if there else None, _FIELD, place, words, missed=tuple(asked))
    measured = [
        each for each in facts.parameters if each.quantity is not None and str(each.quantity) not in (*_ASIDE, *_OF_PLACES)
    ]
    measured = measured or list(facts.parameters)
    fits = {each.name: _tokens(f"{each.name} {each.description} {each.quantity or ''}") for each in measured}
    held = {name: sum(word.casefold() in own for word in asked) for name, own in fits.items()}
    best = [name for name, count in held.items() if count == max(held.values())]
    if asked:  # the whole field, where that is asked for
        best = [name for name in best if getattr(facts.parameter(name), "size", ()) == (3,)] or best
    return OnServer("found" if len(best) == 1 else "several", facts, best[0], words=words, also=tuple(best))


def _as_asked(asked: Sequence[str], missed: Collection[str]) -> tuple[str, ...]:
    """Words that nothing fits, as the request writes them."""
    return tuple(dict.fromkeys(word for word in asked if word.casefold() in missed))


def owner_of(facts: DatasetFacts, archive: str) -> str:
    """Whose data a server's dataset has: a mission, an observatory, else the server itself."""
    if facts.mission.casefold() in f"{facts.dataset} {facts.label}".casefold().replace("_", " "):
        return facts.mission
    if archive == GROUND:
        return _place_of(facts)
    server = archive.removeprefix(HAPI_PREFIX)
    return SERVER_TITLES.get(server, server)


def _place_of(facts: DatasetFacts) -> str:
    return facts.label.rpartition(" from ")[2].partition(" (")[0].partition(",")[0]


def _on_the_ground(archive: str, database: CatalogDatabase, asked: Sequence[str], span: TimeRange | None) -> OnServer:
    """An element of the field at an observatory; the whole vector where none is named."""
    element = next((word for word in asked if word in ELEMENTS or word == "F"), "")
    said = {word.casefold() for word in asked if word != element}
    place = (
        said - {"magnetic", "geomagnetic", "field", "component", "components", "vector", "magnitude", "b", "data"} - _OF_GROUND
    )
    seconds = {"second", "seconds", "sec"} & place
    kinds = {"definitive", "best", "avail"} & place
    place -= _CADENCES | _SORTS
    orientation = ELEMENTS[element][0] if element in ELEMENTS else "hdzf" if {"hdz", "hdzf"} & said else "xyzf"
    found: list[tuple[tuple[float, ...], DatasetFacts]] = []
    for facts in _all_of(archive, database):
        _, kind, cadence, oriented = facts.dataset.partition("/")[2].split("/")
        at = _tokens(facts.label.rpartition(" from ")[2])
        if oriented != orientation or not place or not place <= at or (kinds and not kinds & _tokens(kind)):
            continue
        if (cadence == "PT1S") == bool(seconds):
            found.append(((-round(_share(facts, span), 2), kind != "definitive" or facts.start is None, len(at)), facts))
    if not found:
        known = set().union(*(_tokens(each.label.rpartition(" from ")[2]) for each in _all_of(archive, database)))
        return OnServer("nothing", words=" ".join(asked), missed=_as_asked(asked, place - known))
    _, facts = min(found, key=lambda each: (*each[0], each[1].dataset))
    is_length = element == "F" or "magnitude" in said
    component = ELEMENTS[element][1] if element in ELEMENTS else None
    called = element or ("F" if is_length else "B")
    return OnServer("found", facts, _TOTAL if is_length else _FIELD, component, called, share=_share(facts, span))


def _all_of(archive: str, database: CatalogDatabase) -> Iterator[DatasetFacts]:
    for name in database.names():
        yield _fact_of(archive, database, name)


@lru_cache(maxsize=4096)
def _fact_of(archive: str, database: CatalogDatabase, name: str) -> DatasetFacts:
    facts = database.dataset(name)
    assert facts is not None  # noqa: S101 - it is one of the database's names
    return replace(facts, dataset=qualified(archive, name))


def _standing(
    facts: DatasetFacts, parameter: ParameterFacts, wanted: Sequence[str], span: TimeRange | None
) -> tuple[float, ...]:
    """What orders what fits: data in the range, what is not preliminary, words in the parameter's own name, its cadence."""
    own = _tokens(parameter.name)
    in_name = sum(word in own for word in wanted)
    minor = bool(_MINOR.search(f"{facts.dataset} {parameter.name}")) and not any(_MINOR.search(word) for word in wanted)
    return (
        -round(_share(facts, span), 2),
        float(minor),
        -float(in_name),
        float(facts.start is None),
        float(facts.cadence is None),
        float(len(own) - in_name),
    )


def _share(facts: DatasetFacts, span: TimeRange | None) -> float:
    """The share of a range that a dataset covers, as far as its dates are known; data that go on have no end."""
    if span is None:
        return 1.0
    start = max(span.start, facts.start) if facts.start else span.start
    stop = min(span.stop, facts.stop) if facts.stop and not facts.is_current else span.stop
    return max(0.0, (stop - start) / span.duration)


def _tokens(text: str) -> set[str]:
    """The words of a text, with the pieces of joined ones and what is left without underscores."""
    found = {word.casefold() for word in _PARTS.findall(text)}
    for whole in re.findall(r"[A-Za-z0-9_]+", text):
        found.add(whole.replace("_", "").casefold())
        found |= {piece.casefold() for piece in _PIECES.findall(whole)}
    return found | {word.removesuffix("s") for word in found if len(word) > 3}
