"""Numbers as text: which words mean that there is none, and what to do with what is not a number."""

from __future__ import annotations

import re

import pandas as pd

from helio_dagster.domain.own_files import TextLayout

MISSING_WORDS = frozenset(("", "nan", "na", "n/a", "#n/a", "null", "none", "-nan", "-", "--", "---"))
"""In small letters, what says in any table that there is no value."""


_DASHES = tuple("\u2010\u2011\u2012\u2013\u2014\u2212")
_QUOTES = tuple("\u2018\u2019\u201c\u201d\u201e\u00ab")


def is_missing(values: pd.Series) -> pd.Series:
    """Which texts say that there is no value."""
    return values.str.strip().str.casefold().isin(MISSING_WORDS)


def plain_numbers(values: pd.Series, layout: TextLayout) -> pd.Series:
    """Texts as programs write numbers: without marks between thousands, with a decimal point, none where the layout says so."""
    if layout.missing:
        values = values.mask(values.str.strip().isin([each.strip() for each in layout.missing]))
    if layout.thousands:
        mark, point = re.escape(layout.thousands), re.escape(layout.decimal)
        grouped = values.str.fullmatch(rf"\s*[+-]?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?\s*").fillna(False)
        values = values.where(~grouped, values.str.replace(layout.thousands, "", regex=False))
    return values.str.replace(",", ".", regex=False) if layout.decimal == "," else values


def are_grouped(values: pd.Series, mark: str, point: str) -> bool:
    """Whether texts are numbers with a mark between thousands, and one of them for sure: 1,234 alone may be a decimal comma."""
    text, mark, point = values.dropna().str.strip(), re.escape(mark), re.escape(point)
    groups = rf"[+-]?\d{{1,3}}({mark}\d{{3}})"
    are_all = text.str.fullmatch(rf"{groups}*({point}\d*)?|[+-]?\d+({point}\d*)?").all()
    return bool(are_all and text.str.fullmatch(rf"{groups}{{2,}}({point}\d*)?|{groups}+{point}\d*").any())


NO_NUMBER = "Correct it; a missing value is an empty field or NaN, or what `missing` under `text` names."


def number_hint(text: str) -> str:
    """What to do with a text that is not a number."""
    stripped = text.strip()
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", stripped) and ("." in stripped or stripped.count(",") > 1):
        return "Give `thousands: ','` under `text`, or write numbers without commas between thousands."
    if re.fullmatch(r"[+-]?\d+,\d+", stripped):
        return "If the comma is the decimal sign, give `decimal: ','` under `text`."
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)[dD][+-]?\d+", stripped):
        return "Fortran writes exponents of double precision with D: write E."
    if re.fullmatch(r"[+-]?inf(inity)?", stripped, re.IGNORECASE):
        return "Leave the field empty where there is no value: tables hold no infinities."
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?", stripped):
        return "Points between thousands are `thousands: '.'` under `text`, a decimal comma is `decimal: ','`."
    if re.fullmatch(r"[+-]?\d{1,3}([\s'\u2019_]\d{3})+([.,]\d*)?", stripped):
        return "Write numbers without spaces or other marks between thousands."
    if stripped[:1] in ("{", "["):
        return "It holds several values: write each into a column of its own."
    if stripped[:1] in _DASHES and stripped[1:2].isdigit():
        return "Its minus sign is a dash of typography: write the hyphen of the keyboard (-)."
    if stripped[:1] in _QUOTES:
        return 'Its quotation marks are those of typography: write " or leave them out.'
    if stripped.casefold() in ("true", "false", "yes", "no"):
        return "Write 1 and 0."
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", stripped):
        return "Write it as a decimal number."
    if stripped[:1] in ("<", ">", "\u2264", "\u2265"):
        return "It is a limit, not a value: leave the field empty, or give limits a column of their own."
    if "\u00b1" in stripped or "+/-" in stripped or "+-" in stripped:
        return "Give the uncertainty a column of its own."
    if found := re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*(\D{1,12})", stripped):
        return f"Write numbers alone; the unit may stand behind the name of the column: NAME [{found[3].strip()}]."
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+", stripped):
        return "It is larger than a double holds (1.8e308): correct it, or leave the field empty."
    if stripped and set(stripped) == {"*"}:
        remedy = f"give `missing: [{stripped!r}]` under `text`, or leave the field empty."
        return f"Fortran writes stars where a number does not fit: {remedy}"
    return NO_NUMBER
