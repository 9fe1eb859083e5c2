"""The coordinate frame that a label names in words, where it is not one that all archives abbreviate alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from helio_dagster.domain.frames import find_frame

_SPELT = (
    ("PC", re.compile(r"\bplanetocentric\b", re.IGNORECASE)),
    ("MSO", re.compile(r"\b(?:mars|mercury)[- ]solar[- ]orbital\b|\bsun[- ]state\b", re.IGNORECASE)),
    ("VSO", re.compile(r"\bvenus[- ]solar[- ]orbital\b", re.IGNORECASE)),
    ("PAYLOAD", re.compile(r"\bpayload\b", re.IGNORECASE)),
    ("KRTP", re.compile(r"\bKRTP\b")),
    ("KSM", re.compile(r"\bKSM\b")),
    ("KSO", re.compile(r"\bKSO\b")),
    ("JSO", re.compile(r"\bJSO\b")),
    ("JSE", re.compile(r"\bJSE\b")),
    ("JSM", re.compile(r"\bJSM\b")),
    ("SYSTEM III", re.compile(r"\bsystem[- ](?:III|3)\b", re.IGNORECASE)),
    ("SUN-STATE", re.compile(r"\bSS coordinate", re.IGNORECASE)),
)


def frame_of_fields(names_and_descriptions: Iterable[tuple[str, str]]) -> str | None:
    """The frame that all of some fields are in; None where one names none, or another."""
    found: set[str | None] = {_frame(name, description) for name, description in names_and_descriptions}
    return found.pop() if len(found) == 1 else None


def _frame(name: str, description: str) -> str | None:
    text = f"{name} {' '.join(description.split())}"
    spelt = [frame for frame, words in _SPELT if words.search(text)]
    if spelt:
        return spelt[0] if len(set(spelt)) == 1 else None
    return find_frame(name, {"CATDESC": " ".join(description.split())}).frame
