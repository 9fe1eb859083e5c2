"""Lists of words by class: colours, verbs, small words; they are lines of `words.txt`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def word_lists() -> dict[str, tuple[str, ...]]:
    """Class to its words or phrases."""
    lines = files(__package__).joinpath("words.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split(" | ", 1) for line in lines if not line.startswith("#"))
    return {kind: tuple(word.strip() for word in words.split(",")) for kind, words in rows}


def words_of(kind: str) -> tuple[str, ...]:
    """The words of a class of `words.txt`."""
    return word_lists()[kind]
