"""Ways of saying something, by name: lines of data files, and the patterns that readers of requests and changes search with.

A line is `name | words`; several lines of one name are alternatives. In the words parentheses do not capture, and `{NAME}`
stands for what is `define`d above the line, or for what the program knows: colours, units, lengths of time, missions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from helio_dagster.agent.offline.edits.word_lists import word_lists
from helio_dagster.catalog.mission_words import mission_pattern
from helio_dagster.catalog.times.left_out import LIST_FILE
from helio_dagster.catalog.times.lengths import LENGTH, UNIT_NAMES
from helio_dagster.domain.own_files import FORMAT_OF_SUFFIX
from helio_dagster.domain.time_words import NUMBER_WORDS
from helio_dagster.domain.unit_words import UNIT_WORDS

_FILES = ("words/forms.txt", "edits/forms.txt")
"""Forms of new requests, and of changes."""
_PLAIN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|(?<!\(\?)\((?!\?)")
"""What is escaped, a set of letters, or a parenthesis that is not of a condition."""


@dataclass(frozen=True)
class Form:
    """A text in one of the ways of a name; a slot that this way does not have holds None."""

    match: re.Match[str]

    def __getitem__(self, slot: str) -> Any:
        return self.match.groupdict().get(slot)

    def span(self, slot: str) -> tuple[int, int]:
        """Where a slot stands."""
        return self.match.span(slot)


def matched(name: str, text: str) -> Form | None:
    """A whole text in the first way of a name that fits; None where none does."""
    return next((Form(found) for pattern in ways(name) if (found := pattern.fullmatch(text)) is not None), None)


@cache
def form(name: str) -> re.Pattern[str]:
    """All ways of a name as one pattern, to search with."""
    return re.compile("|".join(_forms()[name]), re.IGNORECASE)


@cache
def ways(name: str) -> tuple[re.Pattern[str], ...]:
    """Each way of a name as a pattern of its own."""
    return tuple(re.compile(words, re.IGNORECASE) for words in _forms()[name])


@cache
def rows(file: str, edges: tuple[str, str] = ("", "")) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What stands before and behind the bar of each line of a file; `edges` are patterns around all of the words."""
    texts = [(name, f"{edges[0]}(?:{words}){edges[1]}" if any(edges) else words) for name, words in _lines(file)]
    return tuple((name, re.compile(text, re.IGNORECASE)) for name, text in texts)


@cache
def _forms() -> Mapping[str, Sequence[str]]:
    """Name to its ways as patterns are written."""
    found: dict[str, list[str]] = {}
    for name, words in (line for file in _FILES for line in _lines(file)):
        found.setdefault(name, []).append(words)
    return found


def _lines(file: str) -> Iterator[tuple[str, str]]:
    """The name and the words of each line of a file."""
    defined = _known()
    for line in files(__package__).joinpath(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("define "):
            name, words = line.removeprefix("define ").split(" := ", 1)
            defined[name] = f"(?:{_written_out(words, defined)})"
        elif line and not line.startswith("#"):
            name, words = line.split(" | ", 1)
            yield name, _written_out(words, defined)


def _written_out(words: str, defined: Mapping[str, str]) -> str:
    text = _PLAIN.sub(lambda match: "(?:" if match[0] == "(" else match[0], words)
    return re.sub(r"\{([A-Z_]+)\}", lambda match: defined[match[1]], text)


def _known() -> dict[str, str]:
    """The words that the program knows by themselves, and those of each class of `edits/words.txt`, in a group each."""
    known = {
        "LENGTH": re.sub(r"\?P<\w+>", "?:", LENGTH),
        "READ_LENGTH": LENGTH,  # with the slots that `read_length` reads
        "LIST_FILE": LIST_FILE,
        "MISSIONS": mission_pattern(),
        "NUMBER_WORDS": "|".join(NUMBER_WORDS),
        "UNIT_NAMES": UNIT_NAMES,
        "UNIT_WORDS": UNIT_WORDS,
        "FILE_ENDINGS": "|".join(suffix[1:] for suffix in FORMAT_OF_SUFFIX),
        **{kind.upper(): _any(words) for kind, words in word_lists().items()},
    }
    known["COLOR"] = known["COLOR"].replace(r"\ ", "[- ]?")
    return {name: f"(?:{words})" for name, words in known.items()}


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word).replace("'", "['’]?") for word in sorted(words, key=len, reverse=True))
