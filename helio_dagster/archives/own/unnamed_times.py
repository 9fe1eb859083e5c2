"""Years, days and hours in columns without names, by their values: 2024 131 5 or 2024 5 10 5 30."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from helio_dagster.archives.own.guess import fault_of, repeats

_UNNAMED = re.compile(r"column_\d+")
_YEAR = r"\s*(19|20)\d\d\s*"
_WHOLE = r"\s*\d{1,3}\s*"
_DATES = (("%Y %m %d", ((1, 12), (1, 31))), ("%Y %j", ((1, 366),)))
_CLOCK = (("%H", 23), ("%M", 59), ("%S", 59))


def unnamed_parts(head: pd.DataFrame, names: Sequence[str]) -> list[tuple[list[str], str]]:
    """The ways of reading the first columns as a date and a clock that give most records a time of their own.

    Parameters
    ----------
    head
        The first records as text.
    names
        Its columns; only a file without a line of names has any to be guessed.

    Returns
    -------
    list of tuple of list and str
        Columns and format, shorter ones first; several where the next column may be part of the clock or a value.
    """
    if len(names) < 3 or names[0] != "time" or not all(map(_UNNAMED.fullmatch, names[1:])) or not _are(head, names[0], _YEAR):
        return []
    found = []
    for form, parts in _DATES:
        if not all(_lies_in(head, name, *limits) for name, limits in zip(names[1:], parts, strict=False)):
            continue
        columns = list(names[: 1 + len(parts)])
        found.append((columns, form))
        for (directive, largest), name in zip(_CLOCK, names[len(columns) :], strict=False):
            if not _lies_in(head, name, 0, largest):
                break
            columns, form = [*columns, name], f"{form} {directive}"
            found.append((columns, form))
    return [each for each in found if fault_of(head, *each) is None and not repeats(head, *each)]


def _lies_in(head: pd.DataFrame, name: str, low: int, high: int) -> bool:
    return _are(head, name, _WHOLE) and bool(pd.to_numeric(head[name]).between(low, high).all())


def _are(head: pd.DataFrame, name: str, pattern: str) -> bool:
    return bool(head[name].astype("string").str.fullmatch(pattern).fillna(False).all())
