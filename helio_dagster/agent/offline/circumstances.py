"""Clauses that only tell why something is wanted: `we lost two days of beacon data`, `for a figure in chapter 3`."""

from __future__ import annotations

from collections.abc import Callable

from helio_dagster.agent.offline.forms import form

Span = tuple[int, int]


def find_circumstances(text: str, is_free: Callable[[str], bool]) -> list[Span]:
    """Where the clauses stand that only tell why, from first to last.

    Parameters
    ----------
    text
        The request.
    is_free
        Whether words name no data, no time and nothing that is done to them: what names any is never left out.
    """
    found = [match.span() for match in form("circumstances.asides").finditer(text)]
    for name in ("clauses", "purposes", "days"):
        found += [match.span() for match in form(f"circumstances.{name}").finditer(text) if is_free(match[0])]
    return _merged(found)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for first, last in sorted(spans):
        if merged and first < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged
