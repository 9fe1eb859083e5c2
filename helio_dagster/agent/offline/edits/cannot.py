"""What a figure cannot have, or not in such words, and what to say instead; they are lines of a data file."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


def why_not(text: str) -> str:
    """What is answered to a follow-up of `cannot.txt`; empty where it asks for nothing of the kind."""
    return next((told for told, pattern in _reasons() if pattern.search(text) is not None), "")


@cache
def _reasons() -> tuple[tuple[str, re.Pattern[str]], ...]:
    lines = files(__package__).joinpath("cannot.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" => ", 1) for line in lines if line and not line.startswith("#"))
    return tuple((told, re.compile(pattern, re.IGNORECASE)) for told, pattern in pairs)
