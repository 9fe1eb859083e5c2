"""Guess how the numbers of a table of text are written, and which of them stand for no value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from helio_dagster.archives.own.number_text import are_grouped, is_missing, number_hint, plain_numbers
from helio_dagster.archives.own.time_guess import place_of
from helio_dagster.domain.own_files import TextLayout

_SURELY_MISSING = 99_999.0
"""Of a column of nothing else."""
_LIKELY_MISSING = 88_888.0
"""From here on, what lies far outside the range of the others, if not far above them: a total field of 53,000 nT."""
_MOST_WORDS = 3


def with_marks(document: Mapping[str, Any], head: pd.DataFrame) -> tuple[dict[str, Any], list[str]]:
    """A description with the mark between thousands and the words for no value that the columns beside the time have.

    Parameters
    ----------
    document
        The description so far.
    head
        The first records as text, without the columns of the time.

    Returns
    -------
    tuple of dict and list of str
        The description, and what a person should know of it.
    """
    layout = TextLayout.model_validate(document.get("text", {}))
    texts = {str(name): head[name].astype("string") for name in head.columns if as_numbers(head[name], layout) is None}
    mark = "." if layout.decimal == "," else ","
    said: dict[str, Any] = {}
    notes = []
    if grouped := [name for name, values in texts.items() if are_grouped(values, mark, layout.decimal)]:
        said["thousands"] = mark
        notes.append(f"{', '.join(grouped)}: {mark!r} is taken for the mark between thousands")
    for name, values in texts.items():
        if name not in grouped and (words := _words_for_none(values, layout)):
            said["missing"] = sorted({*said.get("missing", []), *words})
            notes.append(f"{name}: {', '.join(map(repr, words))} is taken for no value")
    return {**document, **({"text": {**document.get("text", {}), **said}} if said else {})}, notes


def _words_for_none(values: pd.Series, layout: TextLayout) -> list[str]:
    """A few words without digits among numbers; empty where texts are anything else."""
    found = _parsed(values, layout)
    bad = _bad(values, found)
    words = sorted(set(values[bad].str.strip()))
    are_few = len(words) <= _MOST_WORDS and bad.sum() < found.notna().sum()
    return words if are_few and not any(re.search(r"\d", word) or word.casefold() in _TRUTHS for word in words) else []


_TRUTHS = ("true", "false", "yes", "no", "on", "off")


def as_numbers(values: pd.Series, layout: TextLayout) -> NDArray[np.float64] | None:
    """The first values of a column, float64, shape (record,), NaN for none; None where they are not all numbers."""
    if values.dtype.kind in "fiu":
        return values.to_numpy(dtype=np.float64)
    text = values.astype("string")
    found = _parsed(text, layout)
    return (
        None
        if _bad(plain_numbers(text, layout), found).any() or found.isna().all()
        else found.to_numpy(np.float64, na_value=np.nan)
    )


def why_no_numbers(head: pd.DataFrame, column: str, layout: TextLayout) -> tuple[str, str, str] | None:
    """Where a column is not a number, what stands there, and what to do; None where it says nothing."""
    text = head[column].astype("string")
    bad = _bad(plain_numbers(text, layout), _parsed(text, layout)).to_numpy(dtype=bool)
    if not bad.any():
        return None
    given = str(text.iloc[int(bad.argmax())])[:60]
    return place_of(head, int(bad.argmax())), f"the {column} {given!r} is not a number", number_hint(given)


def fill_of(values: NDArray[np.float64]) -> list[float]:
    """Values that stand for none: of nines or eights alone, or 1e31 with either sign, far from all others.

    Parameters
    ----------
    values
        The first values of a column, shape (record,), NaN for none.
    """
    distinct = np.unique(values[np.isfinite(values)])
    suspects = [
        value
        for value in distinct
        if abs(value) >= 99 and re.fullmatch(r"-?9+(\.9+)?|-?8{5,}(\.8+)?|-?1e\+3[01]", f"{value:.10g}")
    ]
    rest = distinct[~np.isin(distinct, suspects)]
    if not len(rest):
        return [float(value) for value in suspects if abs(value) >= _SURELY_MISSING]
    reach = np.abs(rest).max()
    far = max(1.2 * reach, reach + 3 * np.ptp(rest))
    return [
        float(value)
        for value in suspects
        if abs(value) > 2 * reach or (value < 0 <= rest.min()) or (value >= _LIKELY_MISSING and value > far)
    ]


def _parsed(text: pd.Series, layout: TextLayout) -> pd.Series:
    return pd.to_numeric(plain_numbers(text, layout), errors="coerce")


def _bad(text: pd.Series, found: pd.Series) -> pd.Series:
    return found.isna() & text.notna() & ~is_missing(text)
