"""How far from definitive data are, by what their dataset and files are called, or what a file says of itself.

Words as archives use them: the key parameters (K0, K1) of ISTP missions are made for browsing (ISTP key parameters are
"quick-look" products); the low-latency data of Solar Orbiter (LL01 to LL03) are not for science; the geomagnetic indices and
observatories have real-time, provisional, quasi-definitive and definitive data (INTERMAGNET technical reference manual; World
Data Center for Geomagnetism, Kyoto). The documents could not be consulted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from helio_dagster.domain.table import MATURITIES, Maturity

_EDGE, _STOP = r"(?<![a-z0-9])", r"(?![a-z0-9])"
_WORDS: tuple[tuple[Maturity, str], ...] = (
    ("real-time", r"(?:near[-_ ]?)?real[-_ ]?time|nrt|rtsw"),
    ("quicklook", r"quick[-_ ]?look|ql|browse|k[0-2]|key parameters?|low[-_ ]?latency|ll0[1-3]"),
    ("preliminary", r"prelim(?:inary)?"),
    ("quasi-definitive", r"quasi[-_ ]?definitive"),
    ("provisional", r"provisional"),
)
_PATTERNS = tuple((maturity, re.compile(f"{_EDGE}(?:{pattern}){_STOP}")) for maturity, pattern in _WORDS)


def maturity_of(words: Iterable[str]) -> Maturity:
    """The least mature that any of the texts names; empty where none does."""
    found = {_maturity(text) for text in words}
    return min((each for each in found if each), key=MATURITIES.index, default="")


def _maturity(text: str) -> Maturity:
    """What one text says: `AC_K0_MFI`, `bou/provisional/PT1M/xyzf`, `…_ql_….cdf`."""
    plain = re.sub(r"[_/.@:]", " ", text.lower())
    return next((maturity for maturity, pattern in _PATTERNS if pattern.search(plain)), "")
