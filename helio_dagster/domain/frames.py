"""Which coordinate frame a parameter is given in, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Certainty = Literal["stated", "named", "described", "unknown"]

FRAMES = (
    *("GSE", "GSM", "GSEQ", "SM", "GEO", "GEI", "GCI", "GCE", "J2000"),
    *("HCI", "HEE", "HEEQ", "HAE", "HGI", "HG", "RTN", "MSO", "VSO", "HEZ"),
    *("SSE", "SSL", "DSL", "DSE", "DMPA", "BCS", "DBCS", "FAC", "MFA", "SCS", "SRF", "MGSE"),
)
"""Frames known by their abbreviation, in upper case."""

# only abbreviations that no English word or instrument name ends with
_SUFFIXES = "GSEQ|GSE|GSM|GEI|GEO|GCI|RTN|HCI|HEEQ|HEE|HAE|MSO|VSO|SSL|DSL|DMPA"

_NAMED = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(FRAMES, key=len, reverse=True))})(?![A-Za-z])", re.IGNORECASE)
_SUFFIXED = re.compile(rf"(?<![A-Za-z])(?:[A-Z]{{1,7}}?|[bvepxyzr]|[A-Z][a-z]{{1,3}})({_SUFFIXES})(?:[a-z]|[XYZ])?(?![A-Za-z])")
_SUFFIXED_LOWER = re.compile(rf"(?<![A-Za-z])[bvepxyzr][xyz]?({_SUFFIXES.lower()})(?![A-Za-z])")
_DESCRIBED = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(FRAMES, key=len, reverse=True))})(?![A-Za-z])")
_SPELT = (
    ("GSE", re.compile(r"\bgeocentric solar[- ]ecliptic", re.IGNORECASE)),
    ("GSM", re.compile(r"\bgeocentric solar[- ]magnetosph", re.IGNORECASE)),
    ("SE", re.compile(r"\b(?:s/c|spacecraft)[- ]cente?red solar[- ]ecliptic", re.IGNORECASE)),
)
"""Frames in words; `SE` has the axes of the ecliptic and the Sun as seen from the spacecraft."""
_OF_GOOD_QUALITY = re.compile(r"(?<=[a-z])Q(?![A-Za-z])")
"""How THEMIS marks what holds only good quality: `velocity_gseQ` is in GSE, not in the solar equatorial frame GSEQ."""
_STATED = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,15}")


@dataclass(frozen=True)
class FrameFinding:
    """A coordinate frame, or None, and where the archive says so.

    `stated`: an attribute made for it; `named`: the parameter's or its components' names; `described`: its description in
    words; `unknown`: nowhere, or two frames in one place.
    """

    frame: str | None
    certainty: Certainty


_UNKNOWN = FrameFinding(None, "unknown")


def find_frame(name: str, attributes: Mapping[str, object], labels: Iterable[str] = ()) -> FrameFinding:
    """The coordinate frame of a parameter.

    Parameters
    ----------
    name
        The parameter's name: `BGSEc`, `mms1_fgm_b_gse_brst_l2`.
    attributes
        Its ISTP attributes; `COORDINATE_SYSTEM`, `TENSOR_FRAME`, `LABLAXIS`, `FIELDNAM` and `CATDESC` are looked at.
    labels
        The labels of its components: `Bx GSE`.

    Returns
    -------
    FrameFinding
        The frame in upper case (`GSE`), or the attribute's own word where it is none of `FRAMES`.
    """
    for key in ("COORDINATE_SYSTEM", "TENSOR_FRAME"):
        stated = _stated(attributes.get(key))
        if stated:
            return FrameFinding(stated, "stated")
    for text in (name, " ; ".join(labels), _text(attributes.get("LABLAXIS"))):
        found = _named(text)
        if found:
            return FrameFinding(found.pop(), "named") if len(found) == 1 else _UNKNOWN
    for text in (_text(attributes.get("FIELDNAM")), _text(attributes.get("CATDESC"))):
        found = _matches(_DESCRIBED, text) or {frame for frame, words in _SPELT if words.search(text)}
        if found:
            return FrameFinding(found.pop(), "described") if len(found) == 1 else _UNKNOWN
    return _UNKNOWN


def _stated(value: object) -> str:
    """`GSE>Geocentric Solar Ecliptic` as `GSE`; text that names no frame (`sensor`, blank) as nothing."""
    word = _text(value).split(">")[0].strip()
    found = _matches(_NAMED, word)
    if len(found) == 1:
        return found.pop()
    is_frame = _STATED.fullmatch(word) and word.casefold() not in ("none", "sensor", "scalar", "na", "n-a", "unknown")
    return word if is_frame and not found else ""


def _named(text: str) -> set[str]:
    words = _OF_GOOD_QUALITY.sub("", text.replace("_", " "))
    return _matches(_NAMED, words) | _matches(_SUFFIXED, words) | _matches(_SUFFIXED_LOWER, words)


def _matches(pattern: re.Pattern[str], text: str) -> set[str]:
    return {match[1].upper() for match in pattern.finditer(text)}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
