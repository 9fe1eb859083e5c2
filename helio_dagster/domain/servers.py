"""The servers that a person has given names, so that commands can use the homes that they serve."""

from __future__ import annotations

import re

from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

VARIABLE = "HELIO_SERVERS"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")


def read_servers(text: str) -> dict[str, str]:
    """Addresses by name, from `name=http://host:port` with spaces between.

    Raises
    ------
    InputError
        A name or an address cannot be one.
    """
    found: dict[str, str] = {}
    for entry in text.split():
        name, _, address = entry.partition("=")
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r:.80} is not a name for a server", where=VARIABLE, hint="Use letters, digits and . _ -")
        if fault := address_fault(address):
            hint = "Give the address that helio serve prints, such as http://centre.example:3000."
            raise InputError(f"the address of server {name} cannot be used: {fault}", where=VARIABLE, hint=hint)
        found[name] = address.rstrip("/")
    return found


def address_of(server: str, servers: dict[str, str]) -> str:
    """The address of a server that is given by its name or by the address itself.

    Raises
    ------
    InputError
        No server has that name, or the address cannot be used.
    """
    if "://" not in server:
        if server in servers:
            return servers[server]
        hint = (
            remedy(server, list(servers), what="servers")
            if servers
            else (f'Give its address, or name it in your own settings file: [servers] {server:.40} = "http://host:3000".')
        )
        raise InputError(f"no server is named {server!r:.80}", where="--on", hint=hint)
    if fault := address_fault(server):
        raise InputError(f"{server!r:.200} is not the address of a server: {fault}", where="--on")
    return server.rstrip("/")
