"""Near names for a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

_FARTHEST_BEHIND = 0.1
"""How much less alike than the nearest name another may be and still be offered."""


def near_names(name: str, known: Iterable[str], *, count: int = 3) -> list[str]:
    """The known names most like `name`, best first, without regard to case.

    Parameters
    ----------
    name
        What was written.
    known
        The names that exist.
    count
        How many to give at most.
    """
    by_folded: dict[str, list[str]] = {}
    for candidate in dict.fromkeys(known):
        by_folded.setdefault(candidate.casefold(), []).append(candidate)
    found = get_close_matches(name.casefold(), by_folded, n=count, cutoff=0.6)
    likeness = [SequenceMatcher(None, folded, name.casefold()).ratio() for folded in found]
    near = [folded for folded, ratio in zip(found, likeness, strict=True) if ratio >= likeness[0] - _FARTHEST_BEHIND]
    return [candidate for folded in near for candidate in by_folded[folded]][:count]


def suggestion(name: str, known: Iterable[str]) -> str:
    """`Did you mean …?` with the nearest names, or the empty text where none is near."""
    near = near_names(name, known)
    if not near:
        return ""
    return f"Did you mean {' or '.join([', '.join(near[:-1]), near[-1]] if len(near) > 1 else near)}?"


def remedy(name: str, known: Iterable[str], *, what: str) -> str:
    """The nearest names; where none is near, all of them, as `<what>: a, b, c.`."""
    names = list(known)
    listed = f"{what[:1].upper()}{what[1:]}: {', '.join(names)}." if names else f"There are no {what}."
    return suggestion(name, names) or listed
