"""Fleets: spacecraft that share a name and differ by a number or a letter, as the names of the catalog's missions say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from helio_dagster.catalog.missions import find_mission, missions
from helio_dagster.catalog.opening import shipped_catalog

_MEMBER = re.compile(r"(?P<fleet>[a-z][a-z -]+?[a-z])(?:[ -]?(?P<number>\d{1,2})|[ -](?P<letter>[a-f]|p\d))")


_BY_ID = re.compile(r"(?:G|GOES|NOAA)0?([1-9]\d?)_|.*?_G0?([1-9]\d?)$")
_BY_LABEL = re.compile(r"(?:GOES[- ]?0?([1-9]\d?)|LANL (\d{4}))\b", re.IGNORECASE)


def member_of(dataset: str, label: str) -> str:
    """The number of a spacecraft in a series, by the dataset's id or else by its label: `G0` is not a number."""
    match = _BY_ID.match(dataset) or _BY_LABEL.search(label)
    return str(match[1] or match[2]) if match else ""


@cache
def series(mission: str) -> tuple[str, ...]:
    """The numbers of the spacecraft of a series that the catalog has data of, in order."""
    catalog, beginnings = shipped_catalog(), find_mission(mission).prefixes
    facts = [catalog.dataset(name) for name in catalog.names() if name.upper().startswith(beginnings)]
    found = {member_of(each.dataset.upper(), each.label) for each in facts if each is not None and each.is_fetchable}
    return tuple(sorted(found - {""}, key=int))


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
