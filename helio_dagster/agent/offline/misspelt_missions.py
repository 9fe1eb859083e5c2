"""Misspelt names of missions that have several words, such as `Van Alen Probe B` and `Solar Orbitor`."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from helio_dagster.agent.offline.meanings import Dataset, Heading, Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.catalog.mission_words import mission_names

_WORD = re.compile(r"[^\s,;.!?()\[\]\"]+")
_ALIKE, _ALIKE_WORD, _SHORTEST = 0.85, 0.65, 3
_MORE = ("Van Allen Probes", "STEREO Ahead", "STEREO Behind")


def misspelt_missions(reading: Reading) -> dict[str, str]:
    """Words of the request, and the name of a mission that they are like; empty where another mission is understood."""
    named = reading.of(Mission, Dataset)
    unknown = {each.first for each in reading.unknown if not isinstance(each.meaning, Heading)}
    words = list(_WORD.finditer(reading.request))
    found: list[tuple[float, str, str]] = []
    for name in (*mission_names(), *_MORE):
        parts = name.split()
        for at in range(len(words) - len(parts) + 1) if len(parts) > 1 else ():
            window = words[at : at + len(parts)]
            phrase = [each[0] for each in window]
            if not any(each.start() in unknown for each in window) or not all(map(_is_like, phrase, parts)):
                continue
            first, last = window[0].start(), window[-1].end()
            is_free = all(
                isinstance(each.meaning, Mission) and each.meaning.name == name and first <= each.first < last for each in named
            )
            likeness = SequenceMatcher(None, " ".join(phrase).casefold(), name.casefold()).ratio()
            if is_free and likeness >= _ALIKE:
                found.append((likeness + len(parts), reading.request[first:last], name))
    best = max(found, default=None)
    return {best[1]: best[2]} if best is not None else {}


def _is_like(words: str, word: str) -> bool:
    """Whether a word is another one or like it; numbers and letters are themselves only."""
    one, other = words.casefold(), word.casefold()
    if one == other:
        return True
    if min(len(one), len(other)) < _SHORTEST or not one.isalpha() or one[0] != other[0]:
        return False
    return SequenceMatcher(None, one, other).ratio() >= _ALIKE_WORD
