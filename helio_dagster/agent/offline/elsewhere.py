"""Data that the catalog's own datasets lack and the snapshot of a HAPI server has: what is denied is looked for there first."""

from __future__ import annotations

from collections.abc import Mapping

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.choice.server_choice import in_words_of_servers
from helio_dagster.catalog.database import CatalogDatabase
from helio_dagster.catalog.hapi.snapshots import search_servers
from helio_dagster.catalog.mission_words import read_mission
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, SERVER_TITLES

_LEAST_WORDS = 3
"""Of the spacecraft and of what is asked for, so that no server is named for one word that it happens to have."""


def on_a_server(reading: Reading, denied: Mention, servers: Mapping[str, CatalogDatabase]) -> OpenQuestion | None:
    """The question whether a server's data are wanted, where these are said not to be known; None where no server has them.

    Parameters
    ----------
    reading
        The request.
    denied
        The words of which the catalog has nothing.
    servers
        Archive to its snapshot.
    """
    meaning = denied.meaning
    if not isinstance(meaning, Unclear) or not meaning.denied:
        return None
    whose = [name for each in reading.mentions if (name := _fleet(each))]
    said = in_words_of_servers(denied.words).split()
    query = " ".join(dict.fromkeys([*whose, *(word for word in said if search_servers(servers, word, count=1))]))
    hits = search_servers(servers, query) if len(query.split()) >= _LEAST_WORDS else []
    if not whose or not hits:
        return None
    server = hits[0].dataset.archive.removeprefix(HAPI_PREFIX)
    title = SERVER_TITLES.get(server, server)
    names = " and ".join(each.dataset.dataset for each in hits if each.dataset.archive == hits[0].dataset.archive)
    text = f"I know no {meaning.denied} in the archives of the catalog, but {title} has {names}. Do you want that?"
    when = reading.time.words if reading.time is not None else ""
    return OpenQuestion(text, [f"{query} from {title} {when}"])


def _fleet(mention: Mention) -> str:
    """What a mention names as the owner of data, a series such as GOES without the number of one; else empty."""
    if isinstance(mention.meaning, Mission):
        return "" if mention.meaning.member else mention.meaning.name
    is_several = isinstance(mention.meaning, Unclear) and bool(read_mission(mention.words).several)
    return mention.words if is_several else ""
