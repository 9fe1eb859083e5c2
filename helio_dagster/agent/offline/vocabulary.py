"""The words that the offline planner knows, from `words/terms.txt`; `term_readers` makes a meaning of a match."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from typing import Literal

from helio_dagster.agent.offline.term_readers import Read, reader
from helio_dagster.catalog.instruments import instrument_pattern
from helio_dagster.catalog.mission_words import mission_pattern
from helio_dagster.catalog.times.lengths import LENGTH, UNIT_NAMES
from helio_dagster.domain.frames import FRAMES
from helio_dagster.domain.unit_words import COMPOSED_UNITS, UNIT_LEAD, UNIT_WORDS

_TURNABLE = ("GSE", "GSM", "GEO", "GEI", "J2000", "HCI", "HAE", "HEEQ", "HEE")


@dataclass(frozen=True)
class Term:
    """A pattern of words, and what a match of it means."""

    pattern: re.Pattern[str]
    meaning: Read


@cache
def vocabulary() -> tuple[Term, ...]:
    """Every term; of several that match at a place the longest counts, then the earlier one."""
    defined = _definitions()
    terms: list[Term] = []
    read: Read | None = None
    for head, body in _heads([*_lines("terms.txt"), *_unsupported()]):
        if head.startswith("define "):
            continue
        read = reader(*shlex.split(head)) if head else read
        assert read is not None  # noqa: S101 - our own file
        terms.append(Term(_compiled(_plain(_filled(body, defined))), read))
    return tuple(terms)


def _marked(name: str, mark: str = "") -> list[list[str]]:
    """The words of each line of a file that begins with a mark, or with none of `=`, `+` and `-`."""
    lines = [line.split() for line in _lines(name)]
    return [line[1:] if mark else line for line in lines if (line[0] if line[0] in ("=", "+", "-") else "") == mark]


@cache
def _words(name: str, mark: str = "") -> frozenset[str]:
    return frozenset(word for line in _marked(name, mark) for word in line)


@cache
def place_words(place: Literal["at_earth", "elsewhere"]) -> re.Pattern[str]:
    """The words of `words/places.txt` for a place."""
    bodies: dict[str, list[str]] = {}
    named = ""
    for head, body in _heads(_lines("places.txt")):
        named = head or named
        bodies.setdefault(named, []).append(body)
    return _compiled("|".join(map(_plain, bodies[place])))


@cache
def _definitions() -> Mapping[str, str]:
    """The patterns that lines of `words/terms.txt` define, by their names."""
    defined = _given()
    for head, body in _heads(_lines("terms.txt")):
        if head.startswith("define "):
            defined[head.removeprefix("define ")] = f"(?:{_plain(_filled(body, defined))})"
    return defined


def _heads(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What stands before and behind `:=` in each line; nothing before it in a line that goes on with the one above."""
    for line in lines:
        head, separator, body = line.partition(" := ")
        if line[0].isspace():
            yield "", line.strip()
        else:
            assert separator, line  # noqa: S101 - our own file
            yield head, body


@cache
def weighty_senses() -> Mapping[str, str]:
    """The words of `words/weighty.txt`, each with its sense: the first word of those that can stand for one another."""
    alone = {word: word for word in _words("weighty.txt")}
    return alone | {word: line[0] for line in _marked("weighty.txt", "=") for word in line}


@cache
def weighty_words() -> frozenset[str]:
    """The words of `words/weighty.txt`, but those that count or rank."""
    return frozenset(weighty_senses())


@cache
def shared_senses() -> frozenset[str]:
    """The senses of words that can stand for one another: negations, comparisons, `only`."""
    return frozenset(line[0] for line in _marked("weighty.txt", "="))


counting_words = partial(_words, "weighty.txt", "+")
"""The words of `words/weighty.txt` that count or rank."""
ordinary_words = partial(_words, "ordinary.txt")
"""The words of `words/ordinary.txt`, which no plan depends on."""
words_of_occasions = partial(_words, "remarks.txt")
"""The words of `words/remarks.txt`."""
words_of_quantities = partial(_words, "of_quantities.txt")
"""The words of `words/of_quantities.txt`."""
words_of_operations = partial(_words, "of_operations.txt")
"""The nouns of `words/of_operations.txt` that name an operation with the word before them."""
names_of_operations = partial(_words, "of_operations.txt", "=")
"""Those that name one alone."""
plain_kinds = partial(_words, "of_operations.txt", "-")
"""Those that name none before such a noun."""
sound_words = partial(_words, "misspelt.txt", "=")
"""Words that are like one of `words/misspelt.txt` and are no misspelt ones."""


@cache
def spelt_words() -> tuple[str, ...]:
    """The words of `words/misspelt.txt`, which misspelt ones are corrected to."""
    return tuple(word for line in _marked("misspelt.txt") for word in line)


@cache
def known_words() -> frozenset[str]:
    """The words, of five letters or more, that stand in the terms as they are written."""
    found = re.findall(r"(?<![\w\\])([a-z]{5,})(?![\w(\[*+])(\??)", "\n".join(_lines("terms.txt")), re.IGNORECASE)
    return frozenset(each.casefold() for word, is_open in found for each in ([word, word[:-1]] if is_open else [word]))


def _lines(name: str) -> list[str]:
    """The lines of a file of words, without remarks."""
    lines = (files(__package__) / "words" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _unsupported() -> Iterator[str]:
    """The lines of `words/unsupported.txt` as those of terms: a kind stands for its sentence, which names the words."""
    kinds: dict[str, str] = {}
    for line in _lines("unsupported.txt"):
        kind, _, rest = line.partition(" ")
        if kind == "kind":
            name, _, sentence = rest.partition(" ")
            kinds[name] = sentence
        else:
            yield f"unclear first is_kind=yes {kinds[kind]} {rest}" if kind in kinds else f"unclear first {line}"


def _given() -> dict[str, str]:
    """Patterns that come from elsewhere than the file of terms."""
    frames = sorted((frame.lower() for frame in FRAMES if frame not in ("HG", "SM")), key=len, reverse=True)
    others = [frame for frame in FRAMES if frame not in ("HG", "SM", *_TURNABLE)]
    return {
        "LENGTH": LENGTH,
        "UNIT_NAMES": UNIT_NAMES,
        "MISSIONS": mission_pattern(),
        "INSTRUMENTS": f"(?:{instrument_pattern()})",
        "FRAMES": f"{'|'.join(frames)}|(?-i:SM)",
        "OTHER_FRAMES": "|".join(others),
        "UNIT": rf"(?:{UNIT_WORDS}(?!-[A-Z]))",
        "UNIT_COMPOSED": COMPOSED_UNITS,
        "UNIT_LEAD": UNIT_LEAD,
    }


def _filled(pattern: str, defined: Mapping[str, str]) -> str:
    return re.sub(r"\{([A-Z_]+)\}", lambda match: defined[match[1]], pattern)


def _plain(pattern: str) -> str:
    """Parentheses that do not capture."""
    return re.sub(r"(?<!\\)\((?!\?)", "(?:", pattern)


def _compiled(pattern: str) -> re.Pattern[str]:
    spaced = pattern.replace(" ", r"\s+")
    before = "" if pattern.startswith(("/", "-")) else r"(?<![\w|])"
    return re.compile(rf"{before}(?:{spaced})(?![\w|])", re.IGNORECASE)
