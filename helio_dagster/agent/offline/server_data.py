"""Data of HAPI servers that a request asks for by the server's name: `TSI from LISIRD`, `INTERMAGNET H of Boulder`.

The words become one name that the request alone knows; all else of it is read as usual, so that such data are averaged,
compared and drawn as others are.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from helio_dagster.agent.answers import Answer, Asked, OpenQuestion, Plan
from helio_dagster.agent.offline.meanings import Mission, Unclear
from helio_dagster.agent.offline.retracted import longest_at
from helio_dagster.agent.offline.server_clauses import CHANGE, SERVER, WORD, data_words, edited_clauses
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.server_choice import ELEMENTS, GROUND, OnServer, find_on_server
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.mission_words import read_mission
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, KNOWN_SERVERS, SERVER_TITLES, split_qualified
from helio_dagster.domain.time_range import TimeRange

_ALSO = {"ccmc": "iswa"}
_MOST_OTHERS = 3
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass
class ServerData:
    """What requests have asked of servers, by the names that stand for it in them.

    Parameters
    ----------
    catalog
        The catalog with its snapshots of servers.
    """

    catalog: KnownCatalog
    named: dict[str, Measured] = field(default_factory=dict)
    spoken: dict[str, str] = field(default_factory=dict)
    """Name to the words that it stands for."""
    taken: dict[str, str] = field(default_factory=dict)
    """Name to what the plan says of it."""

    def with_names(self, request: str, now: datetime) -> str:
        """The request with one name for the data of each server that it names; as it is where it names none.

        Raises
        ------
        OpenQuestion
            The server has no snapshot, or nothing in it fits.
        """
        if SERVER.search(request) is None:
            return request
        found = find_span(request, now)
        span = found.span if found else None

        def named(clause: str) -> str | None:
            match = SERVER.search(clause)
            return self._named_in(clause, match, span) if match is not None else None

        return edited_clauses(request, found, named)

    def restored(self, answer: Answer) -> Answer:
        """An answer with the words that were said in place of names."""
        if not self.spoken:
            return answer
        if isinstance(answer, Plan):
            fetched = {(step.fetch.archive, step.fetch.dataset) for step in answer.pipeline.steps if step.fetch is not None}
            taken = [
                self.taken[name] for name, meaning in self.named.items() if split_qualified(meaning.dataset or "") in fetched
            ]
            assumed = list(dict.fromkeys([*map(self._in_words, answer.pipeline.assumptions), *taken]))
            pipeline = answer.pipeline.model_copy(update={"assumptions": assumed})
            known = tuple(replace(each, text=self._in_words(each.text)) for each in answer.assumed)
            return replace(answer, pipeline=pipeline, notes=tuple(map(self._in_words, answer.notes)), assumed=known)
        if isinstance(answer, Asked):
            asked, choices = answer.question, [self._in_words(each) for each in answer.question.choices]
            question = asked.model_copy(update={"text": self._in_words(asked.text), "choices": choices})
            return replace(answer, question=question, notes=tuple(map(self._in_words, answer.notes)))
        return answer

    def _in_words(self, text: str) -> str:
        for name, words in self.spoken.items():
            text = text.replace(name, words)
        return text

    def of_request(self, request: str) -> Mapping[str, Measured]:
        """The names that stand in a request."""
        return {name: meaning for name, meaning in self.named.items() if name in request}

    def _named_in(self, clause: str, match: re.Match[str], span: TimeRange | None) -> str | None:
        """The clause with a name for what it asks of the server; None where the spacecraft that it names says enough."""
        given = match["given"] or match["name"].casefold()
        server, _, own = (given, "", "") if "://" in given else given.partition("/")
        if own and server == "cdaweb":  # which is asked by its own interface
            return " ".join(f"{clause[: match.start()]} of {own} {clause[match.end() :]}".split()).removeprefix("of ")
        archive = f"{HAPI_PREFIX}{_ALSO.get(server, server)}"
        title = SERVER_TITLES.get(archive.removeprefix(HAPI_PREFIX), archive)
        database = self._snapshot(archive, title)
        rest = f"{clause[: match.start()]} {own} {clause[match.end() :]}"
        data, before, behind = data_words(rest)
        if any(_is_only_there(word, database) for word in _missions(data)):
            return " ".join(rest.split())
        if not data:
            raise OpenQuestion(f"What do you want from {title}? `helio catalog search {title.lower()} ...` finds its datasets.")
        elements = [word for word in data.split() if word in (*ELEMENTS, "F")] if archive == GROUND else []
        others = " ".join(word for word in data.split() if word not in elements and word != "and")
        wanted = [f"{element} {others}" for element in elements] if len(elements) > 1 else [data]
        names = " and ".join(self._name(archive, title, database, each, span) for each in wanted)
        return " ".join(f"{before} {names} {behind}".split())

    def _name(self, archive: str, title: str, database: CatalogDatabase, data: str, span: TimeRange | None) -> str:
        """The name that stands for data of a server; a question where it has none."""
        pick = find_on_server(archive, database, data, span)
        said = f"{' '.join(data.split())} from {title}"
        if pick.sort != "found" or pick.facts is None:
            raise _not_found(pick, archive, title, database, said, span)
        name = _name_of(pick)
        axis = str(pick.component) if pick.component is not None else None
        self.named[name] = Measured(
            ("other",), axis=axis, dataset=pick.facts.dataset, parameter=pick.parameter, called=_called(pick, data, title)
        )
        self.spoken[name] = said
        alike = f"; {', '.join(pick.others[:_MOST_OTHERS])} would do as well" if pick.others else ""
        there = archive.removeprefix(HAPI_PREFIX)
        remedy = f"`helio catalog refresh --hapi {there}` asks for it"
        undated = f" From when to when it has data is not known here; {remedy}." if pick.facts.start is None else ""
        self.taken[name] = f"{pick.facts.dataset} {pick.parameter} is taken as {said!r}{alike}.{undated}"
        return name

    def _snapshot(self, archive: str, title: str) -> CatalogDatabase:
        database = self.catalog.servers.get(archive)
        if database is None:
            known = ", ".join(each.removeprefix(HAPI_PREFIX) for each in self.catalog.servers)
            there = archive.removeprefix(HAPI_PREFIX)
            is_known = there in KNOWN_SERVERS
            hint = f"`helio catalog refresh --hapi {there}` asks it and keeps that." if is_known else "No such server is known."
            raise OpenQuestion(f"I do not know what {title} has. {hint} I know of: {known}. Where else do you want them from?")
        return database


def ask_about_adding(request: str, named: str) -> None:
    """Ask where a change of a plan would add data of a server, which only a whole request does.

    Parameters
    ----------
    request, named
        The change as it was said, and with a name in place of a server's data.

    Raises
    ------
    OpenQuestion
        It is such a change.
    """
    if named != request and any(CHANGE.fullmatch(word) for word in WORD.findall(request)):
        example = "`OMNI F10.7 and TSI from LISIRD in 2010`"
        raise OpenQuestion(f"I add no data of a server to a plan. Say both in one request, as in {example}. What do you want?")


def _missions(words: str) -> list[str]:
    """The missions among words, by their names in the catalog."""
    found: list[str] = []
    at = 0
    while (word := WORD.search(words, at)) is not None:
        term = longest_at(words, word.start())
        if term is not None and isinstance(term[1], Mission):
            found.append(term[1].name)
        elif term is not None and isinstance(term[1], Unclear):
            found += read_mission(words[word.start() : term[0]].strip()).several
        at = max(term[0] if term else 0, word.end())
    return found


def _is_only_there(mission: str, database: CatalogDatabase) -> bool:
    """Whether a mission is one of a server's that the planner finds by its name: those of VirES."""
    return mission in database.mission_counts() and database.meta.get("archive") == f"{HAPI_PREFIX}vires"


def _name_of(pick: OnServer) -> str:
    """A word of letters that stands for a pick, the same each time."""
    dataset = pick.facts.dataset if pick.facts else ""
    number = zlib.crc32(f"{dataset} {pick.parameter} {pick.component}".encode())
    letters = ""
    while number:
        number, place = divmod(number, len(_LETTERS))
        letters += _LETTERS[place]
    return f"serverdata{letters}"


def _called(pick: OnServer, data: str, title: str) -> str:
    """What a pick is called beside its owner: without the name of a mission that owns it."""
    if pick.facts is None or title == "INTERMAGNET":
        return pick.words
    owner = pick.facts.mission.casefold()
    return " ".join(word for word in data.split() if word.casefold() != owner) or data


def _not_found(
    pick: OnServer, archive: str, title: str, database: CatalogDatabase, said: str, span: TimeRange | None
) -> OpenQuestion:
    date = database.meta.get("snapshot", "")
    refresh = f"`helio catalog refresh --hapi {archive.removeprefix(HAPI_PREFIX)}`"
    if pick.sort == "several" and pick.facts is not None:
        choices = [f"{each} of {pick.facts.dataset}{f' {span}' if span else ''}" for each in pick.also]
        question = OpenQuestion(f"Which parameter of {pick.facts.dataset}?", choices)
        told = [each for name in pick.also if (each := pick.facts.parameter(name)) is not None]
        question.remarks = {
            choice: f"{each.name}: {each.description} ({each.quantity or pick.facts.label})"
            for choice, each in zip(choices, told, strict=True)
        }
        return question
    if pick.facts is not None:
        own = split_qualified(pick.facts.dataset)[1]
        return OpenQuestion(
            f"{title} has {own} for {said!r}, but its parameters are not in the snapshot of {date}. {refresh} asks for them; "
            "then ask again. What else do you want?"
        )
    missed = f" It has nothing called {' or '.join(map(repr, pick.missed))}." if pick.missed else ""
    return OpenQuestion(
        f"I find nothing for {said!r} among what {title} had on {date}.{missed} {refresh} asks it what it has now. "
        "What do you want?"
    )
