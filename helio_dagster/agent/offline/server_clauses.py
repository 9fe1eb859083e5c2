"""The clauses of a request that name data: which words of each are for data, and whether it names a HAPI server."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio_dagster.agent.offline.meanings import Dataset, Filler, Instrument, Mission, Shape, Unclear
from helio_dagster.agent.offline.request_times import blank
from helio_dagster.agent.offline.retracted import longest_at
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.server_choice import ELEMENTS
from helio_dagster.catalog.times.phrases import FoundSpan

PLAIN_SERVERS = ("amda", "ccmc", "intermagnet", "iswa", "lisird", "sscweb", "vires")
"""Servers whose names mean nothing else; others are named as `hapi:kyoto`."""
SERVER = re.compile(
    rf"(?:\b(?:from|by|via|at|on|of|in)\s+)?(?:the\s+)?(?<![\w/])(?:hapi:(?P<given>[^\s,;]+)|"
    rf"(?P<name>{'|'.join(PLAIN_SERVERS)})(?:'s)?(?!\w))(?:\s+(?:hapi\s+)?server)?(?:\s+(?:of|from|at|in)\b)?",
    re.IGNORECASE,
)
_JOIN = re.compile(
    r"\s*(?:,|;|\band\b|\bwith\b|\bvs\.?|\bversus\b|\bagainst\b|\bcompared? (?:with|to)\b|\bcompare\b)\s*", re.IGNORECASE
)
WORD = re.compile(r"[^\s,;!?()]+")
_LINK = re.compile(r"(?:of|from|at|in|by|the|for|on|data|station|observatory|index|only|alone|just)$", re.IGNORECASE)
_NOUN = re.compile(r"\s*(?:data|station|observatory|index)\b", re.IGNORECASE)
_ELEMENT = re.compile(rf"(?:.*\s)?[{''.join(ELEMENTS)}F]")
_ELEMENT_ALONE = re.compile(rf"(?:only |just )?(?:the )?[{''.join(ELEMENTS)}F](?: component)?(?: only| alone)?")
CHANGE = re.compile(r"(?:add|also|too|include|insert|overlay|replace|remove|drop|instead|now|please|it)$", re.IGNORECASE)
"""Words of changes to a plan: they stay what they are."""


def edited_clauses(request: str, time: FoundSpan | None, edit: Callable[[str], str | None]) -> str:
    """The request with some of its clauses in other words; the time stays where it is.

    Parameters
    ----------
    request, time
        The request, and the time in it.
    edit
        Other words for a clause, which it is given without the time; None leaves it as it is.
    """
    timeless = blank(request, time.first, time.last) if time else request
    edits = [(first, last, words) for first, last in _clauses(timeless) if (words := edit(timeless[first:last])) is not None]
    for first, last, words in reversed(edits):
        when = request[first:last][_time_in(timeless[first:last], request[first:last]) :] if time else ""
        inside = time is not None and first <= time.first and time.last <= last
        request = f"{request[:first]}{words}{' ' + when.strip() if inside and when.strip() else ''} {request[last:]}"
    return re.sub(r"\s+,", ",", " ".join(request.split()))


def _time_in(timeless: str, whole: str) -> int:
    """Where a clause's time begins."""
    return next((at for at, (one, other) in enumerate(zip(timeless, whole, strict=True)) if one != other), len(whole))


def _clauses(text: str) -> list[tuple[int, int]]:
    """Where the clauses of a request begin and end.

    A server's name alone belongs to the one before, an element alone to the next: `H of Boulder, INTERMAGNET` and `H and D of
    Boulder` are one clause each.
    """
    places: list[tuple[int, int]] = []
    at = 0
    for match in _JOIN.finditer(text):
        places.append((at, match.start()))
        at = match.end()
    places.append((at, len(text)))
    found: list[tuple[int, int]] = []
    for first, last in places:
        is_bare = SERVER.fullmatch(text[first:last].strip()) is not None
        is_bare = is_bare or (
            bool(found) and _ELEMENT_ALONE.fullmatch(text[first:last].strip()) is not None and _has_server(text, found[-1])
        )
        if found and (is_bare or _ELEMENT.fullmatch(text[found[-1][0] : found[-1][1]].strip())):
            found[-1] = (found[-1][0], last)
        elif text[first:last].strip():
            found.append((first, last))
    return found


def _has_server(text: str, place: tuple[int, int]) -> bool:
    return SERVER.search(text, *place) is not None


def data_words(text: str) -> tuple[str, str, str]:
    """The words that name data, and what stands before and behind them: what is done to them, and words that mean nothing."""
    kept: list[tuple[int, int, bool]] = []
    at = 0
    while (word := WORD.search(text, at)) is not None:
        term = longest_at(text, word.start())
        last = max(term[0], word.end()) if term is not None else word.end()
        is_data = term is None or isinstance(term[1], Measured | Derived | Mission | Instrument | Dataset | Unclear | Shape)
        is_data = is_data and not any(each.fullmatch(text[word.start() : last]) for each in (_LINK, CHANGE))
        kept.append((word.start(), last, is_data))
        at = last
    places = [place for place, (_, _, is_data) in enumerate(kept) if is_data]
    if not places:
        return "", text, ""
    first, last = places[0], places[-1]
    words = " ".join(text[start:stop] for start, stop, is_data in kept[first : last + 1] if is_data)
    words = re.sub(r"\s*(?:,|&|\band\b)\s*", " ", words)
    between = [
        text[start:stop]
        for start, stop, is_data in kept[first : last + 1]
        if not is_data and not _LINK.fullmatch(text[start:stop]) and not _is_filler(text, start)
    ]
    before = text[: kept[first][0]].rstrip()
    behind = " ".join([*between, _NOUN.sub("", text[kept[last][1] :]).strip()])
    return words, before, behind


def _is_filler(text: str, at: int) -> bool:
    term = longest_at(text, at)
    return term is not None and isinstance(term[1], Filler)
