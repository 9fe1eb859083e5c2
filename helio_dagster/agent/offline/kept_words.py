"""Whether a choice keeps what a request said in numbers: one that drops a number, a time or a unit is not offered."""

from __future__ import annotations

import re
from datetime import datetime

from helio_dagster.catalog.mission_words import mission_pattern
from helio_dagster.catalog.times.lengths import UNIT_NAMES
from helio_dagster.catalog.times.phrases import FoundSpan, find_span
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.unit_words import UNIT_WORDS

_NUMBER = re.compile(
    rf"(?<![\w./])(?<!\w[-+])\d+(?:\.\d+)?(?=(?:{UNIT_NAMES}|{UNIT_WORDS}|[kMG]?eV|m?Hz)?(?![\w/.]\w|\w))", re.IGNORECASE
)
_ANY = re.compile(r"\d+(?:\.\d+)?")
_MOST_TIMES = 12
_OF_TIME = re.compile(
    r"\b(?:solstice|equinox|perihelion|aphelion|perijove|storm|substorm|inclusive|exclusive|spring|summer|autumn|fall|winter|dawn"
    r"|dusk|noon|midnight|morning|afternoon|evening|sunrise|sunset|half|quarter|first|second|third|last|every|each|per)\b",
    re.IGNORECASE,
)
"""Words that limit a time; one that a choice drops is not in it by another way either, unless it names a range in digits."""


def keeps_numbers(choice: str, request: str, now: datetime) -> bool:
    """Whether a choice has the numbers of a request, and a time that is, or lies in, the one that was said.

    Numbers in names of spacecraft do not count, since another one may be offered; a time may be written in another way.
    """
    said, rest = _times(request, now)
    kept, _ = _times(choice, now)
    wholes, parts = ([each.span or each.hull for each in times] for times in (said, kept))
    if said and not any(whole is None or part is None or whole.overlaps(part) for whole in wholes for part in parts):
        return False
    return set(_NUMBER.findall(_without_names(rest))) <= set(_ANY.findall(choice))


def keeps_times(choice: str, request: str, now: datetime) -> bool:
    """Whether a choice has the words that limit the time of a request, or names the range that they are taken for."""
    said = {each.casefold() for each in _OF_TIME.findall(request)}
    missing = said - {each.casefold() for each in _OF_TIME.findall(choice)}
    asked, kept = _times(request, now)[0], _times(choice, now)[0]
    inside = {each.casefold() for time in asked for each in _OF_TIME.findall(time.words)}
    return not missing - (inside if kept else set())


def _times(text: str, now: datetime) -> tuple[list[FoundSpan], str]:
    """The times that a text names, and the text without them."""
    found: list[FoundSpan] = []
    while len(found) < _MOST_TIMES and (time := _time(text, now)) is not None:
        found.append(time)
        text = f"{text[: time.first]} {text[time.last :]}"
    return found, text


def _without_names(text: str) -> str:
    return re.sub(rf"(?<!\w)(?:{mission_pattern()})(?!\w)", " ", text, flags=re.IGNORECASE)


def _time(text: str, now: datetime) -> FoundSpan | None:
    try:
        return find_span(text, now)
    except InputError:
        return None
