"""What the shades and bars around the curves of a panel are: quartiles, percentiles, uncertainties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from helio_dagster.domain.table import ColumnMeta, TableMeta
from helio_dagster.figures import look

_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?%")
_QUARTILES = ("25", "75")
UNCERTAINTY = "± uncertainty"


def spread_words(column: ColumnMeta, meta: TableMeta) -> str:
    """What lies around a column, in plain text; empty where nothing does or nothing is known of it."""
    if column not in meta.columns:
        return ""
    names = meta.companions(column.name)
    labels = {each.name: each.label for each in meta.columns}
    ends = [labels[names[role]] for role in ("lower", "upper") if role in names]
    if len(ends) == len(_QUARTILES):
        return range_words(ends)
    return UNCERTAINTY if "uncertainty" in names else ""


def range_words(ends: Sequence[str]) -> str:
    """What lies between two columns with these labels; empty where one has none, or both have the same."""
    if len(ends) != len(_QUARTILES) or not all(ends) or ends[0] == ends[1]:
        return ""
    found = [_PERCENT.fullmatch(end) for end in ends]
    low, high = ((each[1] if each else "") for each in found)
    if (low, high) == _QUARTILES:
        return "quartiles"
    return f"percentiles {low} to {high}" if low and high else f"{ends[0]} to {ends[1]}"


def spread_labels(spreads: Iterable[tuple[str, bool, str]]) -> list[tuple[str, str]]:
    """Text and colour of the labels that name spreads: one for all where they are alike.

    Parameters
    ----------
    spreads
        Of each curve with a spread: its words, whether it is drawn as bars, and the colour of the curve.
    """
    named = [(f"{'bars' if is_bars else 'shade'}: {words}", color) for words, is_bars, color in spreads if words]
    texts = {text for text, _ in named}
    if len(named) > 1 and len(texts) == 1:
        return [(named[0][0], look.QUIET)]
    return list(dict.fromkeys(named))
