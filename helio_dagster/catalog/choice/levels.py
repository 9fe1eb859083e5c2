"""Levels of products: how far the data of a dataset are processed, by its id and by what the catalog calls it."""

from __future__ import annotations

import re

LEVEL_WORDS = {"key": "key parameters", "browse": "browse data", "quick": "quick-look data"}
"""How kinds of products are called that have no number."""
_IN_IDS = re.compile(r"(?:^|[_-])L([0-4])[A-Z]?(?=[_-]|$)")
_IN_LABELS = re.compile(r"\b(?:level|lev\.?)[- ]?([0-4])[a-c]?\b|\bL([0-4])[a-c]?\b", re.IGNORECASE)
_KINDS = {
    "key": re.compile(r"(?:^|_)K[0-9](?=_|$)|\bkey[- ]parameters?\b", re.IGNORECASE),
    "browse": re.compile(r"(?:^|_)LB(?=_|$)|(?<![a-z])browse(?![a-z])", re.IGNORECASE),
    "quick": re.compile(r"(?:^|_)QL(?=_|$)|(?<![a-z])quick[- ]?look(?![a-z])", re.IGNORECASE),
}


def levels_of(dataset: str, label: str) -> frozenset[str]:
    """The levels of a dataset: `2`, or `key` and the like; empty where nothing tells. What its id tells counts alone."""
    by_id = set(_IN_IDS.findall(dataset.upper()))
    stated = by_id or {number for match in _IN_LABELS.findall(label) for number in match if number}
    kinds = {name for name, pattern in _KINDS.items() if pattern.search(f"{dataset} {label}")}
    return frozenset(stated | kinds)


def spoken_level(level: str) -> str:
    """`level 2`, `key parameters`."""
    return LEVEL_WORDS.get(level, f"level {level}")
