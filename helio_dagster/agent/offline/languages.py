"""Requests in German, French or Spanish: recognized, and their plain words translated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files

from helio_dagster.catalog.times.phrases import find_span

_SMALL = {
    "German": "der die das den dem des ein eine einen und oder von vom zum zur am im für mit während zeige zeig mir bitte ich "
    "möchte wie war zwischen bis ohne nicht",
    "French": "le la les un une des du de et ou pour avec pendant montre montrez moi je voudrais au aux sur entre dans champ "
    "par vitesse sans",
    "Spanish": "el los las un una del de y o para con durante muestra muéstrame quiero por entre en campo velocidad sin",
}
_ENGLISH = "the of and for in on at with from to show plot me please during between by over is was what"


def language_of(request: str) -> str:
    """`German`, `French` or `Spanish` if a request is written in it; empty otherwise."""
    words = set(re.findall(r"(?<![\w/-])[^\W\d_]+(?![\w/])", request.casefold()))
    counts = {name: sum(word in small.split() for word in words) for name, small in _SMALL.items()}
    best = max(counts, key=lambda name: counts[name])
    english = sum(word in _ENGLISH.split() for word in words)
    return best if counts[best] >= 2 and counts[best] > english else ""


def is_english(request: str) -> bool:
    """Whether a request has small words of English, and no more of another language."""
    words = re.findall(r"[a-z]+", request.casefold())
    return not language_of(request) and any(word in _ENGLISH.split() for word in words)


def translated(request: str, now: datetime) -> str | None:
    """A request in another language with its plain words in English, its time as it is; None if it is English.

    Raises
    ------
    InputError
        It names a time that cannot be.
    """
    language = language_of(request)
    if not language:
        return None
    time = find_span(request, now)
    words = _glossary()[language]
    pattern = re.compile(rf"(?<![\w|])(?:{'|'.join(map(re.escape, words))})(?![\w|])", re.IGNORECASE)
    parts = [request] if time is None else [request[: time.first], request[time.first : time.last], request[time.last :]]
    parts[::2] = [pattern.sub(lambda match: words[match[0].casefold()], _plain(part)) for part in parts[::2]]
    return " ".join("".join(parts).split())


def _plain(text: str) -> str:
    """The text without accents, which many people leave out."""
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


@cache
def _glossary() -> Mapping[str, Mapping[str, str]]:
    """Language to its words, the longest first, and their English."""
    found: dict[str, dict[str, str]] = {}
    words: dict[str, str] = {}
    for line in (files(__package__) / "words/foreign.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = found.setdefault(line.strip("[]"), {})
        elif line.strip() and not line.startswith("#"):
            foreign, _, english = line.partition(" =")
            words |= dict.fromkeys(_plain(foreign).split("|"), english.strip())
    return {name: dict(sorted(each.items(), key=lambda pair: -len(pair[0]))) for name, each in found.items()}
