"""Words that a person takes back, or wants another instead of: `Helios... sorry, PSP` is PSP, `Wind instead of ACE` is Wind."""

from __future__ import annotations

import re
from dataclasses import dataclass

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Filler, Meaning, Mission, Unclear
from helio_dagster.agent.offline.vocabulary import vocabulary

_FARTHEST = 60
Term = tuple[int, Meaning]
"""Where a term starts or ends, and what it means."""


@dataclass(frozen=True)
class Retracted:
    """A request without what was taken back, and which words these were."""

    request: str
    notes: tuple[str, ...]


def without_retracted(request: str) -> Retracted:
    """The request in which the later of two counts, where both are of one kind and the first was taken back."""
    notes: list[str] = []
    at = 0
    while (match := form("retracted.taken_back").search(request, at)) is not None:
        at = match.end()
        after = longest_at(request, match.end())
        before = ending_at(request, match.start())
        if after is None or before is None or not _is_alike(before[1], after[1]):
            continue
        gone, kept = request[before[0] : match.start()], request[match.end() : after[0]]
        notes.append(f"{gone!r} is taken back: {kept.strip()} is meant.")
        request = f"{request[: before[0]]}{request[match.end() :]}"
        at = before[0]
    return _without_replaced(request, notes)


def _without_replaced(request: str, notes: list[str]) -> Retracted:
    """The request without what another word of its kind stands instead of: `Wind instead of ACE`."""
    at = 0
    while (match := form("retracted.instead").search(request, at)) is not None:
        at = match.end()
        kept, gone = ending_at(request, match.start()), longest_at(request, match.end())
        if kept is not None and gone is not None and (not _is_alike(kept[1], gone[1]) or kept[1] == gone[1]):
            kept, gone = _whole(request, kept, match.end())
        if kept is None or gone is None or not _is_alike(kept[1], gone[1]) or kept[1] == gone[1]:
            continue
        words = request[match.end() : gone[0]]
        notes.append(f"{words!r} is left out: {request[kept[0] : match.start()].strip()} is wanted instead.")
        request = f"{request[: match.start()]}{request[gone[0] :]}"
        at = match.start()
    return Retracted(request, tuple(notes))


def _whole(request: str, kept: Term, at: int) -> tuple[Term | None, Term | None]:
    """Two phrases of one quantity by whose it is: `ACE speed` and `Wind speed` of `ACE speed rather than Wind speed`."""
    whose = ending_at(request, len(request[: kept[0]].rstrip()))
    for match, term in ((match, term) for term in vocabulary() if (match := term.pattern.match(request, at))):
        if whose is None or not isinstance(meaning := term.meaning(match), Mission | Unclear):
            continue
        last = match.end() + len(request[match.end() :]) - len(request[match.end() :].lstrip())
        if (gone := longest_at(request, last)) is not None and gone[1] == kept[1]:
            return whose, (gone[0], meaning)
    return None, None


def longest_at(request: str, at: int) -> tuple[int, Meaning] | None:
    """The end and the meaning of the longest term at a place."""
    found = [(match, term) for term in vocabulary() if (match := term.pattern.match(request, at))]
    if not found:
        return None
    match, term = max(found, key=lambda each: each[0].end())
    return match.end(), term.meaning(match)


def ending_at(request: str, last: int) -> tuple[int, Meaning] | None:
    """The first place from which a term reaches just to `last`, and what it means; small words do not count."""
    for start in (each.start() for each in re.finditer(r"(?<![\w|])[\w|]", request[:last])):
        if last - start > _FARTHEST:
            continue
        found = longest_at(request, start)
        if found is not None and found[0] == last and not isinstance(found[1], Filler):
            return start, found[1]
    return None


def _is_alike(before: Meaning, after: Meaning) -> bool:
    """Whether both are of one kind; a name of several spacecraft is one of a spacecraft."""
    if isinstance(after, Mission | Unclear) and isinstance(before, Mission | Unclear):
        return _is_mission(before) and _is_mission(after)
    return type(before) is type(after) and not isinstance(before, Filler)


def _is_mission(meaning: Meaning) -> bool:
    return isinstance(meaning, Mission) or (isinstance(meaning, Unclear) and meaning.sort in ("spacecraft", "name"))
