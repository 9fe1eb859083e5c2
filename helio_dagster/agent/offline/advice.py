"""What can be said instead of words that are not understood, from `words/advice.txt`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files


def advice(about: Iterable[str]) -> list[str]:
    """What can be said instead of the words that a question is about, each once; empty where nothing is known for them."""
    phrase = [_advice().get(word.casefold(), "") for words in about for word in words.split()]
    return list(dict.fromkeys(filter(None, phrase)))


@cache
def _advice() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in (files(__package__) / "words/advice.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith('"'):
            sentence, _, words = line.partition(" := ")
            found |= dict.fromkeys(words.split(), sentence.strip('"'))
    return found
