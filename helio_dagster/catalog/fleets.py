"""Fleets: spacecraft that share a name and differ by a number or a letter, as the names of the catalog's missions say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from helio_dagster.catalog.missions import missions

_MEMBER = re.compile(r"(?P<fleet>[a-z][a-z -]+?[a-z])(?:[ -]?(?P<number>\d{1,2})|[ -](?P<letter>[a-f]|p\d))")


@cache
def fleets() -> Mapping[str, Mapping[str, str]]:
    """Each name of a fleet in lower case, to its missions by number, or by letter as a capital: `rbsp` has A and B."""
    found: dict[str, dict[str, str]] = {}
    for mission in missions():
        for name in mission.names:
            if match := _MEMBER.fullmatch(name):
                member = (match["number"] or match["letter"]).upper()
                found.setdefault(match["fleet"], {}).setdefault(member, mission.name)
    return {fleet: members for fleet, members in found.items() if len(set(members.values())) > 1}
