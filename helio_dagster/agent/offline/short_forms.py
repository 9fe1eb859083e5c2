"""Short ways of writing, `09:00~10:00` or `Kp x10`, written out before a request is read; they are lines of a data file."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

OF_CHANGES = "edits/short_forms.txt"
"""The forms of follow-ups alone."""
_MOST_LETTERS = 5_000


def written_out(request: str, file: str = "words/short_forms.txt") -> str:
    """The request with the short forms of a file written out; the same words where it has none, or is too long to search."""
    if len(request) > _MOST_LETTERS:
        return request
    text = request
    for pattern, words in _forms(file):
        text = pattern.sub(words, text)
    return text if text == request else " ".join(text.split())


@cache
def _forms(file: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    lines = (files(__package__) / file).read_text(encoding="utf-8").split("\n")
    pairs = [
        line.split(" => ", 1) if " => " in line else [line.removesuffix(" =>"), ""]
        for line in lines
        if line.strip() and line[0] != "#"
    ]
    return tuple((re.compile(pattern, re.IGNORECASE), words) for pattern, words in pairs)
