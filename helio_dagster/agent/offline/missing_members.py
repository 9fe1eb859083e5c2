"""Spacecraft of a fleet that there is not: `MMS5`, `Cluster 6`, `Voyager 3`."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Filler, Heading
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.fleets import fleets

_PLURAL = re.compile(r"(?<![\s-])s$")


def ask_about_missing_members(reading: Reading) -> None:
    """Ask which spacecraft of a fleet is meant, where the one named is none of it.

    Raises
    ------
    OpenQuestion
        Its choices are those that there are.
    """
    unknown = {each.first for each in reading.unknown if not isinstance(each.meaning, Heading)}
    for fleet, members in fleets().items():
        forms = {r"\d{1,2}" if member.isdecimal() else "[A-Z]" for member in members}
        pattern = rf"\b{fleet}[ -]?(?P<member>{'|'.join(forms)})\b"
        for match in re.finditer(pattern, reading.request, re.IGNORECASE):
            is_open = any(match.start() <= first < match.end() for first in unknown)
            if is_open and not _PLURAL.search(match[0]) and match["member"].upper() not in members:
                words = Mention(Filler(), match.start(), match.end(), match[0])
                names = list(dict.fromkeys(members.values()))
                text = f"I know no {match[0]}: there are {', '.join(names[:-1])} and {names[-1]}. Which one do you mean?"
                raise OpenQuestion(text, [reworded(reading, {words: name}) for name in names])
