"""Texts and numbers as file formats want them: ASCII, times in ISO 8601, units as UDUNITS reads them."""

from __future__ import annotations

import unicodedata

import numpy as np

from helio_dagster.domain.table import Times
from helio_dagster.domain.units import unit_factors

_ASCII = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "—": "-",
        "µ": "u",
        "μ": "u",
        "°": " deg",
        "·": " ",
        "⋅": " ",
        "×": "x",
        "±": "+-",
        "…": "...",
        "α": "alpha",
        "β": "beta",
        "γ": "gamma",
        "δ": "delta",
        "ε": "epsilon",
        "θ": "theta",
        "λ": "lambda",
        "ν": "nu",
        "ρ": "rho",
        "σ": "sigma",
        "τ": "tau",
        "φ": "phi",
        "χ": "chi",
        "ψ": "psi",
        "ω": "omega",
        "Δ": "Delta",
        "Ω": "Omega",
        "‖": "||",
        "∥": "par",
        "⊥": "perp",
        "√": "sqrt ",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "≤": "<=",
        "≥": ">=",
        "→": "->",
    }
)
_NO_TEXT = frozenset(("Cc", "Cs", "Zl", "Zp"))
_UDUNITS = {"deg": "degree", "AU": "au", "R_E": "R_E", "G": "gauss", "counts": "count", "samples": "count", "%": "percent"}


def one_line(text: str) -> str:
    """A text without line breaks, other control characters and halves of characters: an archive may write anything."""
    return "".join(" " if unicodedata.category(letter) in _NO_TEXT else letter for letter in text)


def ascii_text(text: str) -> str:
    """A text in ASCII on one line: Greek letters spelt out, accents dropped, what is left replaced by question marks."""
    plain = unicodedata.normalize("NFKD", one_line(text).translate(_ASCII))
    without = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return without.encode("ascii", "replace").decode()


def iso_times(times: Times) -> list[str]:
    """Times of shape (record,) in ISO 8601 UTC, as short as they can be; blank where there is none."""
    texts = np.datetime_as_string(times, unit="ns")
    return ["" if text == "NaT" else f"{text.rstrip('0').rstrip('.')}Z" for text in texts]


def udunits(unit: str) -> str:
    """A unit as UDUNITS reads it: `cm^-3` is `cm-3`, `deg` is `degree`; what it does not know stays as it is.

    Empty for a pure number, which is `1` in CF.
    """
    factors = unit_factors(unit)
    if len(factors) == 1 and factors[0] == (unit, 1) and unit not in _UDUNITS:
        return unit
    return " ".join(_UDUNITS.get(symbol, symbol) + (str(power) if power != 1 else "") for symbol, power in factors)
