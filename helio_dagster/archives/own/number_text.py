"""Numbers as text: which words mean that there is none, and what to do with what is not a number."""

from __future__ import annotations

import re

import pandas as pd

_MISSING = frozenset(("", "nan", "na", "n/a", "null", "none", "-nan", "-", "--", "---"))


_DASHES = tuple("\u2010\u2011\u2012\u2013\u2014\u2212")
_QUOTES = tuple("\u2018\u2019\u201c\u201d\u201e\u00ab")


def is_missing(values: pd.Series) -> pd.Series:
    """Which texts say that there is no value."""
    return values.str.strip().str.casefold().isin(_MISSING)


def number_hint(text: str) -> str:
    """What to do with a text that is not a number."""
    stripped = text.strip()
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", stripped) and ("." in stripped or stripped.count(",") > 1):
        return "Write numbers without commas between thousands."
    if re.fullmatch(r"[+-]?\d+,\d+", stripped):
        return "If the comma is the decimal sign, give `decimal: ','` under `text`."
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)[dD][+-]?\d+", stripped):
        return "Fortran writes exponents of double precision with D: write E."
    if re.fullmatch(r"[+-]?inf(inity)?", stripped, re.IGNORECASE):
        return "Leave the field empty where there is no value: tables hold no infinities."
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+(,\d*)?", stripped):
        return "Write numbers without points between thousands. A decimal comma is `decimal: ','` under `text`."
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
        return "Fortran writes stars where a number does not fit: leave the field empty."
    return "Correct it; a missing value is an empty field or NaN."
