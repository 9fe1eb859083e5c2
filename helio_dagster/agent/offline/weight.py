"""Whether a word that is not understood could change what is wanted, or only tells about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from helio_dagster.agent.offline.beside_times import stands_beside_time
from helio_dagster.agent.offline.meanings import Filler, Heading, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import (
    asking_verbs,
    light_verbs,
    ordinary_words,
    weighty_words,
    words_of_data,
    words_of_occasions,
    words_of_quantities,
)
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.unit_words import UNIT_WORDS

_PLANETS = frozenset(
    ["mercury", "venus", "mars", "jupiter", "saturn", "uranus", "neptune", "pluto", "moon", "comet", "asteroid"]
)
_NAMES = re.compile(r"^[B-HJ-Zb-hj-z]$|[A-Z]{2,}|^[a-z][A-Z]|[A-Za-z]+[_-]?\d|\w\+|[α-ωΑ-Ω]|[/*^=<>%±]")
UNIT = re.compile(rf"{UNIT_WORDS}")
_AS_WHAT = re.compile(r"\b(?:in|into|as)\s+(?:an?\s+|the\s+)?$", re.IGNORECASE)
"""What follows could be a unit, a frame or a look."""
_AND = re.compile(r"(?:\band|&)\s+(?:also\s+|the\s+|its\s+)?$", re.IGNORECASE)
_AGAINST = re.compile(r"\b(?:vs\.?|versus|against)\s+(?:the\s+|its\s+)?$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:and|&|vs\.?|versus|against)\s+(?:the\s+|its\s+)?", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:on|for|during|from|at|since|until|over|through)\s+(?:an?\s+|the\s+)?$", re.IGNORECASE)
"""What follows could be a time, if none is understood."""
_ORDERED, _OBJECT = (
    re.compile(r"\s*(?:please|then|and|now)?\s*", re.IGNORECASE),
    re.compile(r"\s+(?:the|this|these|all)\b", re.IGNORECASE),
)
"""Between which a request says what is to be done: `whiten the density`."""
_ON_A_DAY = re.compile(r"\bon (?:[a-z'’-]+ ){0,3}$", re.IGNORECASE)
_TO_THE_YEAR = re.compile(r"(?:\s+[a-z'’-]+){0,3},?\s*", re.IGNORECASE)
"""Around words that may be a day which is not known: `on christmas eve 2016`."""
_REMARK = re.compile(r"\(([^()]*)\)")
_CIRCUMSTANCE = re.compile(
    r"\b(?:around|during|amid|near|past|beyond|behind|close to|over|across|(?:up|down)stream of)\s+(?:(?:the|its|an?)\s+)?"
    r"[a-z'-]+(?:\s+[a-z'-]+){0,3}",
    re.IGNORECASE,
)
"""Words that tell at what a spacecraft was, once the time is said otherwise: `around the termination shock`."""
_WHOSE = re.compile(r"\bof\s+(?:the\s+)?$", re.IGNORECASE)
"""What follows could be whose the data are."""
_ARTICLES = frozenset(("a", "an", "the", "some", "this", "its", "me", "us"))
_PARTED = re.compile(r"[:;!?]|\.\s")
_NAME = re.compile(r"[A-Z][a-z]{2,}(?:-[A-Z][a-z]+)*")
_DONE = re.compile(r"[a-z]{3,}ed", re.IGNORECASE)
_TOP, _BOTTOM = re.compile(r"\((?:top|upper)\b", re.IGNORECASE), re.compile(r"\((?:bottom|lower)\b", re.IGNORECASE)
_TRANSPARENT = re.compile(
    "and|&|with|together with|along with|as well as|plus|the|its|their|spacecraft|both|also|of", re.IGNORECASE
)
"""Words between a quantity and another one listed with it."""
_LISTING = frozenset(("and", "&", "with", "together with", "along with", "as well as", "plus"))


def is_weighty(mention: Mention, reading: Reading, catalog: KnownCatalog) -> bool:
    """Whether a word could change what is wanted.

    A number, a unit, an abbreviation, a negation, a limit or a comparison could; so could a planet where no spacecraft is
    named, a time where none is understood, another quantity listed with one, and what follows `in` or `as`. Beside a
    quantity, on either side, a name could and a word that makes another quantity of it, as `neutral density`; behind one also
    a word that the catalog has for parameters, as in `temperature anisotropy`, or that says what is done to it, as
    `whitened`. So could the object of a verb such as `apply`, and a word that a list or `versus` joins to a quantity behind
    it. Any other word only tells about it, and an ordinary one does wherever it stands.
    """
    words = mention.words
    folded = words.casefold()
    if isinstance(mention.meaning, Heading) or folded in ordinary_words():
        return False
    if _is_object(mention, reading):
        return True
    if stands_beside_time(mention, reading):
        return True
    known = weighty_words() | words_of_data()
    if any(part in known for part in re.split("[-/]", folded)) or any(letter.isdigit() for letter in words):
        return True
    if _NAMES.search(words) is not None or UNIT.fullmatch(words) is not None:
        return True
    if folded in _PLANETS:
        return not reading.all(Mission)
    before = reading.request[: mention.first]
    if (
        _is_joined_to_a_quantity(mention, reading)
        or may_be_a_unit(mention, reading)
        or _AND.search(before)
        or _AGAINST.search(before)
        or (reading.time is None and _WHEN.search(before))
    ):
        return True
    time = reading.time.first if reading.time is not None else -1
    if time >= mention.last and _ON_A_DAY.search(before) and _TO_THE_YEAR.fullmatch(reading.request[mention.last : time]):
        return True
    if _ORDERED.fullmatch(before) and _OBJECT.match(reading.request, mention.last):
        return True
    if in_circumstance(mention, reading) or _in_remark(mention, reading):
        return False
    if _is_a_name(mention) and _WHOSE.search(before):
        return True
    is_somebody = _is_a_name(mention) or (_NAME.fullmatch(words) is not None and not reading.all(Mission))
    if (folded in words_of_quantities() or is_somebody) and _is_beside_a_quantity(mention, reading):
        return True
    return (_DONE.fullmatch(words) is not None or catalog.describes(words)) and _follows_a_quantity(mention, reading)


def _is_object(mention: Mention, reading: Reading) -> bool:
    """Whether a word is what a verb such as `apply` or `provide` has for its object: `apply the calibration`."""
    before = re.findall(r"[\w'’-]+|[^\w\s]", reading.request[: mention.first].casefold())
    while before and before[-1] in _ARTICLES:
        before.pop()
    if not before or before[-1] not in light_verbs() | asking_verbs():
        return False
    return before[-1] in light_verbs() or any(each.words.casefold() == before[-1] for each in reading.unknown)


def _is_joined_to_a_quantity(mention: Mention, reading: Reading) -> bool:
    """Whether a word is listed before a quantity and does not tell about another one: `pageviews and Dst`."""
    joined = _JOINED.match(reading.request, mention.last)
    if joined is None:
        return False
    measured = [each for each in reading.mentions if isinstance(each.meaning, Measured | Derived)]
    return any(each.first == joined.end() for each in measured) and not any(each.last < mention.first for each in measured)


def is_remark(phrase: Sequence[Mention], reading: Reading) -> bool:
    """Whether words only tell the occasion, once the time is said otherwise: `starlink storm`, `TS crossing`."""
    folded = [each.words.casefold().strip("'’") for each in phrase]
    is_occasion = folded[-1] in words_of_occasions() or folded[-1].removesuffix("s") in words_of_occasions()
    turns = weighty_words() | words_of_data()
    return (
        is_occasion
        and reading.time is not None
        and reading.time.span is not None
        and not any(part in turns or re.match(r"[\d<>=±]", part) for word in folded for part in re.split("[-/]", word))
    )


def may_be_a_unit(mention: Mention, reading: Reading) -> bool:
    """Whether a word stands where a unit, a frame or a look is named: `in furlongs`."""
    return _AS_WHAT.search(reading.request[: mention.first]) is not None


def in_circumstance(mention: Mention, reading: Reading) -> bool:
    """Whether a word tells at what a spacecraft was, once the time is said otherwise: `around the termination shock`."""
    match = next((each for each in _CIRCUMSTANCE.finditer(reading.request) if each.start() <= mention.first < each.end()), None)
    if match is None or reading.time is None:
        return False
    starts = [each.first for each in reading.mentions if not isinstance(each.meaning, Filler)]
    first = min((at for at in [*starts, reading.time.first] if at >= match.start()), default=match.end())
    return mention.first < first


def _in_remark(mention: Mention, reading: Reading) -> bool:
    """Whether a word stands in parentheses in which nothing means anything."""
    match = next((each for each in _REMARK.finditer(reading.request) if each.start() <= mention.first < each.end()), None)
    if match is None:
        return False
    bottom, top = _BOTTOM.search(reading.request), _TOP.search(reading.request)
    is_turned = bottom is not None and top is not None and bottom.start() < top.start()
    inside = [each for each in reading.mentions if match.start() <= each.first < match.end()]
    return not is_turned and all(isinstance(each.meaning, Filler) for each in inside)


def _is_a_name(mention: Mention) -> bool:
    """Whether a word is written like a name, and not because a sentence begins with it."""
    return mention.first > 0 and _NAME.fullmatch(mention.words) is not None


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

    return list(takewhile(lambda each: _PARTED.search(between(each)) is None, side))


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
    """Whether the next mention that means something is a quantity, with nothing but words of a list between."""
    for each in beside:
        if isinstance(each.meaning, Measured | Derived):
            return not is_listed
        if each not in reading.unknown and not (isinstance(each.meaning, Filler) and _TRANSPARENT.fullmatch(each.words)):
            return False
        is_listed = is_listed and each.words.casefold() not in _LISTING
    return False
