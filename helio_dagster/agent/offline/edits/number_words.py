"""Values in words as numbers: `a line at zero`, `below minus fifty`, `from ten to one hundred nT`."""

from __future__ import annotations

import re

from helio_dagster.domain.time_words import NUMBER_WORDS
from helio_dagster.domain.unit_words import UNIT_WORDS

_TEENS = {"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ONES = {"zero": 0, **NUMBER_WORDS, **_TEENS}
_TIMES = {"hundred": 100, "thousand": 1000}
_SMALL = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(NUMBER_WORDS)}))?|{'|'.join(sorted(_ONES, key=len, reverse=True))})\b"
_NUMBER = rf"\d[\d.]*|(?:a|{_SMALL})\s+(?:{'|'.join(_TIMES)})\b(?:\s+(?:and\s+)?{_SMALL})?|{_SMALL}"
_VALUE = re.compile(
    rf"(?P<before>\b(?:at|to|above|below|over|under|than|between|from|by)\s+|(?<=\d )and\s+|[:=]\s*)?"
    rf"(?P<minus>\b(?:minus|negative)\s+)?\b(?P<number>{_NUMBER})"
    rf"(?=(?P<behind>\s*(?:$|[,;.)?!]|(?:and|to|in|for|on|with)\b|(?:{UNIT_WORDS})\b))|\b)",
    re.IGNORECASE,
)
"""A number where a value stands; `behind` is nothing where words follow of which it may be the count, as in `one panel`."""


def with_digits(text: str) -> str:
    """A sentence with the values in it as digits, a sign before them."""
    before = ""
    while text != before:  # `between minus five and five`
        before, text = text, _VALUE.sub(_in_digits, text)
    return text


def count_of(word: str) -> int:
    """The number that a word or digits say; 0 for other words."""
    return int(word) if word.isdecimal() else {**_ONES, **_TENS}.get(word.casefold(), 0)


def _in_digits(match: re.Match[str]) -> str:
    number, is_value = match["number"], match["before"] is not None and match["behind"] is not None
    if not match["minus"] and (not is_value or number[0].isdigit()):
        return match[0]
    digits = number if number[0].isdigit() else str(_count(number))
    return f"{match['before'] or ''}{'-' if match['minus'] else ''}{digits}"


def _count(words: str) -> int:
    """The number that words say: `one hundred and fifty`."""
    total = 0
    for word in re.split(r"[\s-]+", words.casefold()):
        total = max(total, 1) * _TIMES[word] if word in _TIMES else total + count_of(word)
    return total
