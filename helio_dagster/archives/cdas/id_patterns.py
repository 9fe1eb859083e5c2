"""Patterns of dataset ids, as `idPattern` gives them: a part of regular expressions that is matched in bounded time.

Python's own engine tries every way to divide a text among nested repeats, which a pattern can make endless. Here all ways
are followed at once, one letter of the text after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from helio_dagster.domain.errors import InputError

_LONGEST = 200
_TOKEN = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}*+?|^$])([*+?]?)", re.DOTALL)
_FORM = "Use letters, `.`, `[…]`, `\\d`, `\\w`, `*`, `+`, `?` and `|`; no groups and no counts."


@dataclass(frozen=True)
class _Step:
    """One kind of letter, and how often it may occur."""

    is_letter: Callable[[str], bool]
    may_be_missing: bool
    may_repeat: bool


def id_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a whole id matches a pattern, without regard to case.

    Raises
    ------
    InputError
        The pattern is too long, or holds what is not understood here.
    """
    if len(pattern) > _LONGEST:
        raise InputError(f"a pattern of ids has at most {_LONGEST} letters", hint=_FORM)
    choices = [_steps(choice) for choice in pattern.removeprefix("^").removesuffix("$").split("|")]
    return lambda name: any(_is_match(steps, name) for steps in choices)


def _steps(pattern: str) -> list[_Step]:
    steps, place = [], 0
    while place < len(pattern):
        token = _TOKEN.match(pattern, place)
        if token is None:
            raise InputError(f"the pattern {pattern[:80]!r} is not understood from letter {place + 1} on", hint=_FORM)
        steps.append(_Step(_letter_test(token[1]), token[2] in ("*", "?") if token[2] else False, token[2] in ("*", "+")))
        place = token.end()
    return steps


def _letter_test(atom: str) -> Callable[[str], bool]:
    try:
        compiled = re.compile(atom, re.IGNORECASE | re.DOTALL)  # a single letter or class: nothing to repeat
    except re.error:
        raise InputError(f"{atom[:80]!r} is not a letter or a class of letters", hint=_FORM) from None
    return lambda letter: compiled.fullmatch(letter) is not None


def _is_match(steps: list[_Step], text: str) -> bool:
    """Follow all places in the pattern that the text so far may have led to."""
    places = _skipping({0}, steps)
    for letter in text:
        onward: set[int] = set()
        for place in places:
            if place < len(steps) and steps[place].is_letter(letter):
                onward.add(place + 1)
                if steps[place].may_repeat:
                    onward.add(place)
        places = _skipping(onward, steps)
    return len(steps) in places


def _skipping(places: set[int], steps: list[_Step]) -> set[int]:
    """These places, and those beyond steps that may be missing."""
    found = set(places)
    for place, step in enumerate(steps):
        if place in found and step.may_be_missing:
            found.add(place + 1)
    return found
