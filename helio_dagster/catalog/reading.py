"""What the words of a search mean: missions, quantities, cadence, frame, and the words to look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from helio_dagster.catalog.deriving import read_length
from helio_dagster.catalog.missions import missions
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.frames import FRAMES
from helio_dagster.domain.time_range import LATEST, TimeRange

LONGEST_QUERY = 500
"""Characters that are read; what comes after adds nothing."""
_STOP_WORDS = """
a an and are at by data dataset datasets during event storm storms halloween patrick patricks st superstorm find for
from get give how in is measured measurement measurements me near of on observations observed or over per plot please
show spacecraft satellite mission probe than that the to using versus vs want what where which with i instrument level
product products
"""
_STOP = frozenset(_STOP_WORDS.split())
_NOUN_WORDS = """
wind fast image polar gold aim icon genesis galileo de sta the stp isis earth moon venus mars jupiter saturn mercury
solar c1 c2 c3 c4 v1 v2 ice step cluster parker
"""
_NOUNS = frozenset(_NOUN_WORDS.split())
"""Names of missions that are words, too: taken for the mission by how they are written, or by the words beside them."""
_NO_WIND = re.compile(
    r"\b(?:solar|neutral|thermospheric|stellar|slow|fast)[- ]wind|wind (?:speed|velocity|pressure|temperature|density)\b"
)


@dataclass(frozen=True)
class Asked:
    """A query, read.

    `words` are looked for, with what the glossary adds; `own` are the person's, with the pieces of ids; `plain` without those.
    `common` are among them and say next to nothing. `ids` look like parts of dataset ids. `beside` are those of `plain` that
    name neither a quantity nor a frame.
    """

    words: tuple[str, ...]
    own: tuple[str, ...]
    common: frozenset[str]
    plain: tuple[str, ...]
    missions: tuple[str, ...]
    quantities: tuple[str, ...]
    ids: tuple[str, ...]
    frames: frozenset[str]
    cadence_s: float | None
    is_high_resolution: bool
    wants_burst: bool
    wants_minor: bool
    wants_predicted: bool
    categories: frozenset[str]
    span: TimeRange | None
    beside: tuple[str, ...]


def read_query(query: str) -> Asked:
    """Read a query; whatever is in it, it is words and no syntax."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in query[:LONGEST_QUERY]).split())
    lowered = text.casefold()
    found, rest = _find_missions(text)
    span, rest = _find_span(rest)
    quantities, extra, named = _find_quantities(rest.casefold())
    length = read_length(rest)
    plain = tuple(
        dict.fromkeys(word for word in re.findall(r"[a-z0-9+]+", rest.casefold()) if word not in _STOP and len(word) < 40)
    )
    ids = (*re.findall(r"[a-z0-9-]+(?:_[a-z0-9-]+)+", lowered), *re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)+", rest.casefold()))
    ids = tuple(part for part in ids if "_" in part or len(part) > 5)
    own = tuple(dict.fromkeys([*plain, *(piece for part in ids for piece in re.split("[_-]", part) if piece)]))
    return Asked(
        words=tuple(dict.fromkeys([*own, *(word for word in extra if word not in _STOP)])),
        own=own,
        common=frozenset(("solar", "wind") if "solar wind" in lowered else ()),
        plain=plain,
        missions=found,
        quantities=quantities,
        ids=ids,
        frames=frozenset(word.upper() for word in plain if word.upper() in FRAMES and len(word) > 1),
        cadence_s=length.total_seconds() if length else None,
        is_high_resolution=bool(re.search(r"high[- ](?:time[- ])?(?:resolution|cadence)|full res|highest", lowered)),
        wants_burst=bool(re.search(r"\bburst( mode| data|\b)|brst", lowered)) and "radio burst" not in lowered,
        wants_minor=bool(re.search(r"key param|browse|prelim|quick ?look|prime param|\bk[01]\b|level 1|\bl1\b", lowered)),
        wants_predicted="predict" in lowered,
        categories=frozenset(_categories(lowered)),
        span=span,
        beside=tuple(word for word in plain if word not in named and word.upper() not in FRAMES),
    )


def _find_missions(text: str) -> tuple[tuple[str, ...], str]:
    """The missions that are named, the most clearly named first, and the text without their names."""
    lowered = text.casefold()
    matches = [
        (match.start(), match.end(), mission)
        for name, mission in _names()
        if name in lowered
        for match in re.finditer(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", lowered)
        if _is_meant(text, match.start(), match.end(), name)
    ]
    longest = [
        each
        for each in matches
        if not any(o[0] <= each[0] and each[1] <= o[1] and o[1] - o[0] > each[1] - each[0] for o in matches)
    ]
    own = {mission for start, stop, mission in longest if len(_sharing()[lowered[start:stop]]) == 1}
    names = tuple(dict.fromkeys(mission for _, _, mission in longest if not own or mission in own))
    kept = "".join(
        " " if any(start <= place < stop for start, stop, _ in longest) else letter for place, letter in enumerate(text)
    )
    return names, kept


def _is_meant(text: str, start: int, stop: int, name: str) -> bool:
    if name not in _NOUNS:
        return True
    written, lowered = text[start:stop], text.casefold()
    if name == "wind":
        near = [match.span() for match in _NO_WIND.finditer(lowered)]
        inside = any(left <= start < right for left, right in near)
        return not inside or (written != "wind" and not re.search(r"(solar|neutral) $", lowered[:start]))
    if name == "polar":
        return not re.match(r" (cap|meso|cusp|region|orbit)", lowered[stop:])
    if name in ("fast", "image", "the", "step", "ice", "de", "sta", "c1", "c2", "c3", "c4", "aim", "icon", "gold"):
        return written.isupper() or (written.istitle() and name not in ("the", "de", "fast", "image"))
    return True


def _find_span(text: str) -> tuple[TimeRange | None, str]:
    """The range that a query names, also by a storm's name, and the text without it.

    What is unclear, no date, or relative to today (`last week`) names none: a search has no clock.
    """
    try:
        found = find_span(text, LATEST)
    except HelioError:
        return None, text
    if found is None or found.span is None or found.span.stop.year >= LATEST.year - 1:
        return None, text
    return found.span, f"{text[: found.first]} {text[found.last :]}"


def _find_quantities(text: str) -> tuple[tuple[str, ...], list[str], frozenset[str]]:
    """The quantities that are named, the words that the glossary adds, and those that name them."""
    quantities: dict[str, int] = {}
    extra: list[str] = []
    named: set[str] = set()
    for pattern, target, words in _glossary():
        match = pattern.search(text)
        if match:
            extra += words
            named.update(re.findall("[a-z0-9+]+", match[0]))
            for quantity in target:
                quantities[quantity] = min(quantities.get(quantity, 10_000), match.start() * 4 + (len(match[0]) < 4))
    return tuple(sorted(quantities, key=lambda each: quantities[each])), extra, frozenset(named)


def _categories(text: str) -> Iterator[str]:
    if re.search(r"orbit|ephemeris|attitude|trajectory|position|location|helio(?:centr|graph)ic|(?:from|to) the sun\b", text):
        yield "ephemeris"
    if re.search(r"housekeeping|engineering|temperature sensor|diagnostic", text):
        yield "housekeeping"
    if re.search(r"calibrat", text):
        yield "calibration"
    if re.search(r"\blinks?\b", text):
        yield "links"


@cache
def _names() -> tuple[tuple[str, str], ...]:
    return tuple((name, mission.name) for mission in missions() for name in mission.names)


@cache
def _sharing() -> dict[str, set[str]]:
    """A name to the missions that share it: a planet's to all that went there."""
    found: dict[str, set[str]] = {}
    for name, mission in _names():
        found.setdefault(name, set()).add(mission)
    return found


@cache
def _glossary() -> tuple[tuple[re.Pattern[str], tuple[str, ...], tuple[str, ...]], ...]:
    text = files(__package__).joinpath("glossary.txt").read_text(encoding="utf-8")
    rows = [line.rsplit(" | ", 2) for line in text.splitlines() if line and not line.startswith("#")]
    return tuple(
        (re.compile(pattern.strip()), tuple(each.strip() for each in target.split(",")), tuple(re.findall("[a-z0-9+]+", words)))
        for pattern, target, words in rows
    )
