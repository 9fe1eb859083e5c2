"""Whose a dataset of a HAPI server is, by its id alone: servers that use the ids of CDAWeb, or names of spacecraft."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from helio_dagster.catalog.missions import find_mission, mission_of
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.hapi_servers import HAPI_PREFIX, KNOWN_SERVERS, server_url

_WITH_IDS_OF_CDAWEB = ("cdaweb", "csa")
_WITH_NAMES = ("sscweb", "amda")
"""Servers whose ids are, or begin with, what a spacecraft is called: `ace`, `mms1`, `tha-fgm-all`."""


@cache
def server_of(archive: str) -> str:
    """The short name of a server, which a URL may mean too; empty where it has none."""
    with suppress(InputError):
        url = server_url(archive) if archive.startswith(HAPI_PREFIX) else ""
        return next((name for name, known in KNOWN_SERVERS.items() if known == url), "")
    return ""


def owner_on_server(archive: str, dataset: str) -> str:
    """The mission that a server's dataset is of; empty where its id does not tell."""
    server = server_of(archive)
    if server in _WITH_IDS_OF_CDAWEB:
        mission = mission_of(dataset.partition("@")[0])
        return mission.name if mission is not None else ""
    if server in _WITH_NAMES:
        with suppress(InputError):
            return find_mission(dataset.partition("-")[0]).name
    return ""
