"""Misspelt words of a search, and the known words that were meant."""

from __future__ import annotations

import re
import sqlite3
from difflib import get_close_matches
from functools import cache

from helio_dagster.catalog.missions import missions

_SHORTEST = 5


def mend(query: str, connection: sqlite3.Connection) -> tuple[str, dict[str, str]]:
    """The query with words that are nowhere in the catalog replaced by the nearest ones that do; and those replacements."""
    instead: dict[str, str] = {}
    for word in dict.fromkeys(re.findall(r"[A-Za-z]{5,30}", query[:500])):
        if len(word) >= _SHORTEST and not _is_known(word.casefold(), connection):
            near = get_close_matches(word.casefold(), _lexicon(), n=1, cutoff=0.8)
            if near:
                instead[word] = near[0]
    for word, other in instead.items():
        query = re.sub(rf"\b{word}\b", other, query)
    return query, instead


def _is_known(word: str, connection: sqlite3.Connection) -> bool:
    if word in _lexicon():
        return True
    return connection.execute("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", [f'"{word}"']).fetchone() is not None


@cache
def _lexicon() -> tuple[str, ...]:
    """Words that people misspell: names of missions, and the field's vocabulary."""
    names = {word for mission in missions() for name in mission.names for word in re.findall("[a-z]{4,}", name)}
    return tuple(sorted(names | set(_FIELD.split())))


_FIELD = """
magnetic field magnetometer interplanetary magnitude velocity speed density temperature pressure proton electron alpha
helium energetic particle spectrum spectra spectrogram pitch angle distribution electric potential plasma moments
composition isotope cosmic solar wind radiation belts aurora auroral electrojet index indices geomagnetic ionosphere
thermosphere magnetosphere magnetosheath heliosphere waves chorus whistler radio burst neutral atoms imager photometer
waveform resolution ephemeris position
"""
