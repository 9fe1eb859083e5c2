"""Units as labels write them, in the package's form."""

from __future__ import annotations

import re

from helio_dagster.domain.units import normalize_unit

_WORDS = (
    (re.compile(r"\bNANOTESLAS?\b|\bNT\b", re.IGNORECASE), "nT"),
    (re.compile(r"\bKM\b", re.IGNORECASE), "km"),
    (re.compile(r"\bSEC(?:OND)?S?\b", re.IGNORECASE), "s"),
    (re.compile(r"^(?:JOVIAN|JUPITER)[ _-]?RADI(?:I|US)$|^RJ$", re.IGNORECASE), "R_J"),
    (re.compile(r"^(?:SATURN|KRONIAN)[ _-]?RADI(?:I|US)$|^RS$", re.IGNORECASE), "R_S"),
    (re.compile(r"^(?:MARS|MARTIAN)[ _-]?RADI(?:I|US)$|^RM$", re.IGNORECASE), "R_M"),
    (re.compile(r"^UNK$|^NULL$|^N/?A$|^NONE$|^TICKS?$", re.IGNORECASE), ""),
)


def label_unit(text: str) -> str:
    """The normalized unit of a label's text: `NANOTESLA` as nT, `KM/SEC` as km/s, `N/A` as none."""
    plain = " ".join(text.split())
    for words, unit in _WORDS:
        plain = words.sub(unit, plain)
    return normalize_unit(plain)
