"""Spacecraft of a fleet that there is not: `MMS5`, `Cluster 6`, `Voyager 3`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Filler, Heading
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.mission_words import mission_names

_PLURAL = re.compile(r"(?<![\s-])s$")
_MEMBER = re.compile(r"(?P<fleet>[A-Za-z][A-Za-z ]*[A-Za-z])(?P<gap>[ -]?)(?P<member>\d{1,2}|(?<=[ -])[A-F])")


def ask_about_missing_members(reading: Reading) -> None:
    """Ask which spacecraft of a fleet is meant, where the one named is none of it.

    Raises
    ------
    OpenQuestion
        Its choices are those that there are.
    """
    unknown = {each.first for each in reading.unknown if not isinstance(each.meaning, Heading)}
    for fleet, members in _fleets().items():
        form = r"\d{1,2}" if all(member.isdecimal() for member in members) else "[A-Z]"
        for match in re.finditer(rf"\b{re.escape(fleet)}[ -]?(?P<member>{form})\b", reading.request, re.IGNORECASE):
            is_open = any(match.start() <= first < match.end() for first in unknown)
            if is_open and not _PLURAL.search(match[0]) and match["member"].upper() not in members:
                words = Mention(Filler(), match.start(), match.end(), match[0])
                names = list(members.values())
                text = f"I know no {match[0]}: there are {', '.join(names[:-1])} and {names[-1]}. Which one do you mean?"
                raise OpenQuestion(text, [reworded(reading, {words: name}) for name in names])


@cache
def _fleets() -> Mapping[str, Mapping[str, str]]:
    """Each fleet's spacecraft, by their number or letter."""
    found: dict[str, dict[str, str]] = {}
    for name in mission_names():
        if match := _MEMBER.fullmatch(name):
            found.setdefault(match["fleet"], {})[match["member"]] = name
    return {fleet: members for fleet, members in found.items() if len(members) > 1}
