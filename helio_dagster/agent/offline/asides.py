"""Parts of a request that name nothing: clauses that only tell why something is wanted, years in the names of models."""

from __future__ import annotations

import re
from collections.abc import Callable

from helio_dagster.agent.offline.forms import form, ways

Span = tuple[int, int]


def find_circumstances(text: str, is_free: Callable[[str], bool]) -> list[Span]:
    """Where the clauses stand that only tell why, from first to last: `we lost two days of data`, `for a figure in chapter 3`.

    Parameters
    ----------
    text
        The request.
    is_free
        Whether words name no data, no time and nothing that is done to them: what names any is never left out.
    """
    found = [match.span() for match in form("asides.idle").finditer(text)]
    for name in ("clauses", "purposes", "days"):
        found += [match.span() for match in form(f"asides.{name}").finditer(text) if is_free(match[0])]
    merged: list[Span] = []
    for first, last in sorted(found):
        if merged and first < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def without_model_years(text: str) -> str:
    """The text with spaces in place of a model's year and `et al.`, so that everything else keeps its place."""
    for way in ways("asides.model"):
        text = way.sub(_bare, text)
    return text


def _bare(match: re.Match[str]) -> str:
    return f"{' ' * len(match['open'])}{match['name']}".ljust(len(match[0]))
