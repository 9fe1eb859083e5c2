"""Data that the archives of the catalog lack and a HAPI server's snapshot has: they are offered before a request is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from helio_dagster.agent.answers import NotUnderstood, OpenQuestion
from helio_dagster.agent.drafting.questions import NothingMeasured
from helio_dagster.agent.offline.meanings import Dataset, Heading, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.server_clauses import PLAIN_SERVERS, SERVER, data_words, edited_clauses
from helio_dagster.agent.offline.vocabulary import weighty_words
from helio_dagster.agent.offline.weight import is_a_name
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.server_choice import OnServer, find_on_server, in_words_of_servers
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, SERVER_TITLES, split_qualified
from helio_dagster.domain.time_words import NUMBER_WORDS

_MOST_FITTING, _MOST_NAMED = 30, 3
"""Words that more datasets hold tell nothing; and how many datasets and parameters a question names."""
_ASKING = re.compile(r"(?<=[.;?])\s[^.;?]*\?$")
"""The last sentence of a text that asks something."""
_OPEN = frozenset(("solar", "the", "of"))
"""Words that may stand among those that are ignored: `total solar irradiance`."""
_REMARK = re.compile(r"\([^()]*\)")


@dataclass
class _Server:
    """A server that is asked for what a request lacks; `picks` are what it has, each with the words that were looked for."""

    archive: str
    database: CatalogDatabase
    reading: Reading
    gaps: Sequence[str]
    are_whole: bool
    picks: list[tuple[str, OnServer]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What a request calls it."""
        server = self.archive.removeprefix(HAPI_PREFIX)
        return SERVER_TITLES[server] if server in PLAIN_SERVERS else self.archive

    def request(self, parameter: str = "") -> str:
        """The request with the server named in the clauses that lack something, and a parameter of what it has."""
        self.picks.clear()
        return edited_clauses(self.reading.request, self.reading.time, lambda clause: self._from_here(clause, parameter))

    def _from_here(self, clause: str, parameter: str) -> str | None:
        if not any(gap in clause for gap in self.gaps) or SERVER.search(clause):
            return None
        clause = _REMARK.sub(" ", clause)
        for each in self.reading.mentions:  # a server may have data of GOES, and not say of which one
            if isinstance(each.meaning, Mission) and each.meaning.member:
                clause = clause.replace(each.words, each.meaning.name)
        data, _, _ = data_words(clause)
        if not _names_data(data, self.gaps):
            return None
        if self.are_whole and set(data.split()) - {word for gap in self.gaps for word in gap.split()} - _OPEN:
            return None
        pick = find_on_server(self.archive, self.database, data, self.reading.time.span if self.reading.time else None)
        if pick.sort == "nothing" or pick.fitting > _MOST_FITTING or not pick.share:
            return None
        self.picks.append((data, pick))
        return " ".join(f"{clause} {parameter} from {self.name}".split())


def or_from_a_server(asked: OpenQuestion, reading: Reading, servers: Mapping[str, CatalogDatabase]) -> OpenQuestion:
    """The question whether a server's data are wanted, in place of one that says there are none; that one if no server has any.

    A server has them that holds every word for data in the clause that has no answer.

    Parameters
    ----------
    asked
        The question that a request leads to.
    reading
        The request.
    servers
        Archive to its snapshot.
    """
    is_there = any(SERVER.search(each) for each in asked.question.choices) or bool(reading.all(Dataset))
    gaps = [] if is_there or asked.remarks else [each.words for each in _gaps(asked, reading)]
    return _of_servers(asked, gaps, reading, servers) or asked


def ask_about_ignored(ignored: Sequence[str], reading: Reading, servers: Mapping[str, CatalogDatabase]) -> None:
    """Ask whether a server's data are wanted, where a plan ignores a clause that names them: `TSI and OMNI F10.7`.

    Raises
    ------
    OpenQuestion
        A server has them.
    """
    is_of_servers = in_words_of_servers(reading.request) != reading.request
    is_name = any(is_a_name(word) for each in ignored for word in each.split())
    if not (is_name or is_of_servers) or reading.all(Dataset):
        return
    asked = OpenQuestion(f"The archives of the catalog have no {' and '.join(map(repr, ignored))}.")
    if (there := _of_servers(asked, ignored, reading, servers, are_whole=True)) is not None:
        raise there


def _of_servers(
    asked: OpenQuestion,
    gaps: Sequence[str],
    reading: Reading,
    servers: Mapping[str, CatalogDatabase],
    *,
    are_whole: bool = False,
) -> OpenQuestion | None:
    """The question for the first server that has what is missing; `are_whole` are clauses of which nothing is understood."""
    for archive, database in servers.items() if gaps else ():
        held = {each.name for each in reading.all(Mission)} & {*database.mission_counts()}
        server = _Server(archive, database, reading, gaps, are_whole)
        choice = server.request()
        if server.picks and not (held and isinstance(asked, NothingMeasured)):  # of these the drafter has looked there
            return _question(asked, server, choice)
    return None


def _names_data(data: str, gaps: Sequence[str]) -> bool:
    """Whether words can name data: none counts or turns anything, and one that is not understood is more than a letter."""
    words = in_words_of_servers(data).casefold().split()
    if any(not re.search("[a-z]", word) for word in words) or {*words} & (weighty_words() | NUMBER_WORDS.keys()):
        return False
    return any(re.search("[A-Za-z]{2}", gap) for gap in gaps if gap in data)


def _gaps(asked: OpenQuestion, reading: Reading) -> Iterator[Mention]:
    """The words for which a request has no answer."""
    if isinstance(asked, NotUnderstood):
        yield from (each for each in reading.unknown if not isinstance(each.meaning, Heading))
    missing = {*asked.missing} if isinstance(asked, NothingMeasured) else set()
    for each in reading.mentions:
        match each.meaning:
            case Unclear(is_first=True):
                yield each
            case Measured() if missing & {*each.meaning.quantities}:
                yield each


def _question(asked: OpenQuestion, server: _Server, choice: str) -> OpenQuestion:
    """What the server has, with a choice for each parameter that may be meant."""
    picks, told = list(server.picks), _ASKING.sub("", asked.question.text)
    short = server.archive.removeprefix(HAPI_PREFIX)
    title = SERVER_TITLES.get(short, server.archive)
    lacking = next((pick for _, pick in picks if pick.sort == "no parameters"), None)
    if lacking is not None:
        refresh = f"`helio catalog refresh --hapi {short}` asks for them; then ask again."
        text = (
            f"{told} {title} has {_names(lacking)}, whose parameters are not in the snapshot. {refresh} What else do you want?"
        )
        return OpenQuestion(text, asked.question.choices)
    names = " and ".join(f"{_names(pick)} for {data!r}" for data, pick in picks)
    series = [f" Of which {each.name} they are is not said there." for each in server.reading.all(Mission) if each.member]
    also = next((pick.also for _, pick in picks if pick.also), ())
    choices = [server.request(each) for each in (picks[0][1].parameter, *also)][:_MOST_NAMED] if also else [choice]
    text = f"{told} {title} has {names}.{''.join(series[:1])} Do you want that?"
    return OpenQuestion(text, [*choices, *asked.question.choices], reason=f"{told} {title} has {names}.")


def _names(pick: OnServer) -> str:
    """What is named of a pick: its dataset and those that would do as well."""
    own = pick.facts.dataset if pick.facts else ""
    return " and ".join(split_qualified(each)[1] for each in (own, *pick.others)[:_MOST_NAMED])
