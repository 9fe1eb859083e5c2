"""Whether a word that is not understood bears meaning: it could change what is wanted. Any other is ignored, and shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import takewhile

from helio_dagster.agent.offline.beside_times import stands_beside_time
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Asks, Dataset, Filler, Heading, Mission, Shape
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import (
    counting_words,
    ordinary_words,
    shared_senses,
    weighty_senses,
    weighty_words,
    words_of_occasions,
    words_of_quantities,
)
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.particle_channels import species_of_word
from helio_dagster.catalog.instruments import instrument_words
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.times.vocabulary import PARTS_OF_YEARS
from helio_dagster.compute.operation import OPERATION_IDS
from helio_dagster.domain.frames import FRAMES
from helio_dagster.domain.unit_words import UNIT_WORDS

_COUNTED = re.compile(r"\d|[<>=±%^|*+]|[α-ωΑ-Ω]|^[B-HJ-Zb-hj-z]$")
_NAME = re.compile(r"[A-Z]{2,}[\w-]*|[A-Z][a-z]{2,}(?:-[A-Z][a-z]+)*")
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9-]+")
UNIT = re.compile(rf"{UNIT_WORDS}")
_LISTING = frozenset(("and", "&", "with", "together with", "along with", "as well as", "plus"))


def is_weighty(mention: Mention, reading: Reading, catalog: KnownCatalog) -> bool:
    """Whether a word could change what is wanted.

    Those are numbers, single letters, units, frames, negations, limits and comparisons; what an operation does; particles; the
    names of instruments, and any name where no spacecraft is named; words of a time, and what stands in its place where none is
    understood. Beside a quantity they are also the words that make another quantity of it, as in `neutral density`, and behind
    it the name of what is computed of it, as in `temperature gradient`.
    """
    words = mention.words
    folded = words.casefold()
    if isinstance(mention.meaning, Heading) or folded in ordinary_words():
        return False
    if _is_in_remark(mention, reading):
        return False
    if _COUNTED.search(words) or _turns(folded, catalog) or _is_of_species(words) or UNIT.fullmatch(words):
        return True
    if may_be_a_unit(mention, reading) or stands_beside_time(mention, reading):
        return True
    before = reading.request[: mention.first]
    if form("weight.against").search(before) or (reading.time is None and form("weight.when").search(before)):
        return True
    if in_circumstance(mention, reading):
        return False
    if _names_data(mention, reading):
        return True
    is_head = form("weight.of").match(reading.request, mention.last) is not None  # `transform of Bz`
    if folded in words_of_quantities() and (is_head or _is_beside_a_quantity(mention, reading)):
        return True
    return folded in _method_words() and (is_head or _follows_a_quantity(mention, reading))


def _turns(folded: str, catalog: KnownCatalog) -> bool:
    """Whether a word, or a part of it, negates, limits, compares or counts, or is what an operation alone does."""
    parts = re.split("[-/]", folded)
    turning = weighty_words() | counting_words() - {"one"} | PARTS_OF_YEARS
    return any(part in turning or (part in _method_words() and not catalog.describes(part)) for part in parts)


@cache
def _method_words() -> frozenset[str]:
    """The words that operations are called by; those that the catalog has, too, may only tell about data."""
    return frozenset(word for name in OPERATION_IDS for word in name.split("_")) - words_of_occasions()


def _is_of_species(words: str) -> bool:
    """Whether each part of a word is an element or an ion: `Fe/O`."""
    return len(words) > 1 and all(species_of_word(part) for part in words.split("/"))


def _names_data(mention: Mention, reading: Reading) -> bool:
    """Whether a word is the name of an instrument, or any name where no spacecraft is named."""
    words = mention.words
    if _ABBREVIATION.fullmatch(words) and words in instrument_words():
        return True
    if not is_a_name(words) or reading.has(Mission, Dataset):
        return False
    return mention.first > 0 or _is_beside_a_quantity(mention, reading)


def is_a_name(words: str) -> bool:
    """Whether a word is written like a name: `Akebono`, `TIMED`."""
    return _NAME.fullmatch(words) is not None


def is_remark(phrase: Sequence[Mention], reading: Reading) -> bool:
    """Whether words only tell the occasion, once the time is said otherwise: `starlink storm`, `Titan flyby T32`."""
    folded = [each.words.casefold().strip("'’") for each in phrase]
    is_occasion = any(word in words_of_occasions() or word.removesuffix("s") in words_of_occasions() for word in folded)
    return (
        is_occasion
        and reading.time is not None
        and reading.time.span is not None
        and not any(
            part in weighty_words() or re.match(r"[\d<>=±]", part) for word in folded for part in re.split("[-/]", word)
        )
    )


def may_be_a_unit(mention: Mention, reading: Reading) -> bool:
    """Whether a word stands where a unit or frame is named, and looks like one: `in XYZ`, `in boundary-normal axes`."""
    if form("weight.as_what").search(reading.request[: mention.first]) is None:
        return False
    looks_so = mention.words.upper() in FRAMES or re.fullmatch(r"[A-Z]{2,5}", mention.words) is not None
    return looks_so or form("weight.of_a_frame").match(reading.request, mention.last) is not None


def in_circumstance(mention: Mention, reading: Reading) -> bool:
    """Whether a word tells at what a spacecraft was, once the time is said otherwise: `around the termination shock`."""
    match = _around(mention, reading, "weight.circumstance")
    if match is None or reading.time is None:
        return False
    starts = [each.first for each in reading.mentions if not isinstance(each.meaning, Filler)]
    first = min((at for at in [*starts, reading.time.first] if at >= match.start()), default=match.end())
    return mention.first < first


def _around(mention: Mention, reading: Reading, name: str) -> re.Match[str] | None:
    """The words of a form in which a mention stands."""
    found = form(name).finditer(reading.request)
    return next((each for each in found if each.start() <= mention.first < each.end()), None)


def _is_in_remark(mention: Mention, reading: Reading) -> bool:
    """Whether a word stands in parentheses in which nothing means, negates, limits, counts or orders anything."""
    match = _around(mention, reading, "weight.remark")
    if match is None or _COUNTED.search(match[0]):
        return False
    words = re.findall("[a-z]+", match[0].casefold())
    turns = any(each in counting_words() or weighty_senses().get(each) in shared_senses() for each in words)
    inside = [each for each in reading.mentions if match.start() <= each.first < match.end()]
    return not turns and all(isinstance(each.meaning, Filler) for each in inside)


def _is_beside_a_quantity(mention: Mention, reading: Reading) -> bool:
    """Whether a word, or those that it stands among, stands before or behind a quantity."""
    placed = _placed(reading)
    at = placed.index(mention)
    sides = (placed[:at][::-1], placed[at + 1 :])
    return any(_leads_to_a_quantity(_of_the_clause(mention, side, reading), reading) for side in sides)


def _of_the_clause(mention: Mention, side: Sequence[Mention], reading: Reading) -> list[Mention]:
    """What stands beside a word and is not parted from it by a colon or the end of a sentence."""

    def between(other: Mention) -> str:
        first, last = sorted((mention, other), key=lambda each: each.first)
        return reading.request[first.last : last.first]

    return list(takewhile(lambda each: form("weight.parted").search(between(each)) is None, side))


def _follows_a_quantity(mention: Mention, reading: Reading) -> bool:
    """Whether a word, or those that it stands among, follows a quantity or is listed with one."""
    placed = _placed(reading)
    at = placed.index(mention)
    return _leads_to_a_quantity(placed[:at][::-1], reading) or _leads_to_a_quantity(placed[at + 1 :], reading, is_listed=True)


def _placed(reading: Reading) -> list[Mention]:
    """All that a request says, in order."""
    time = [Mention(Filler(), reading.time.first, reading.time.last, reading.time.words)] if reading.time else []
    spans = {each.first: each for each in (*reading.mentions, *reading.unknown, *time)}
    return [spans[first] for first in sorted(spans)]


def _leads_to_a_quantity(beside: Sequence[Mention], reading: Reading, *, is_listed: bool = False) -> bool:
    """Whether the next mention that means something is a quantity or its result, with nothing but words of a list between."""
    for each in beside:
        if isinstance(each.meaning, Measured | Derived | Asks | Transform):
            return not is_listed
        if each not in reading.unknown and not (
            isinstance(each.meaning, Filler | Shape) and form("weight.transparent").fullmatch(each.words)
        ):
            return False
        is_listed = is_listed and each.words.casefold() not in _LISTING
    return False
