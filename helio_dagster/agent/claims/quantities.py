"""Quantities in words: each number of a text with its unit and its written precision."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import floor, log10

from helio_dagster.catalog.missions import find_mission
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.unit_words import UNIT_WORDS, read_unit

_TIME_UNITS = {
    "ms": r"milliseconds?|ms",
    "s": r"seconds?|secs?|s",
    "min": r"minutes?|mins?",
    "h": r"hours?|hrs?|h",
    "d": r"days?|d",
}
_BASE = r"(?:[npumk]?T|[npumk]?Pa|[MkG]?eV|[mkM]?Hz|[kM]?K|[mkGT]?W|R_?E|AU|[mk]?V|[cmk]?m|[mun]?s|min|h|deg|rad|sr|erg|J|cc)"
_POWER = r"(?:\^?-?\d)?"
_COMPOSED = rf"(?-i:{_BASE}{_POWER}(?:/{_BASE}{_POWER}| {_BASE}\^?-\d)+|1?/{_BASE}{_POWER}|{_BASE}\^?-?\d)"
_TIMES = "|".join(f"(?:{words})" for words in _TIME_UNITS.values())
_UNIT = rf"(?:{_COMPOSED}|{UNIT_WORDS}|{_TIMES}|%|percent|per cent|°|au)"
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.)\]|])[-+])?(?<![\w.])(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<part>\.\d+)?"
    r"(?:\s?[×x·*]\s?10\^(?P<power>[-+]?\d+)|e(?P<exponent>[-+]?\d+))?"
    r"(?: (?P<many>thousand|million|billion)\b)?"
    rf"(?P<unit>[ -]?{_UNIT}(?![\w^]))?(?P<tail>\w?)",
    re.IGNORECASE,
)
_NO_QUANTITY = re.compile(
    r"\b(?:at|near|around) 1 ?AU\b|https?://\S+|\bdoi:\s?\S+|\b10\.\d{4,}/\S+|^\s*\d{1,2}[.)](?=\s)"
    r"|\b(?:fig(?:ure|\.)?|tables?|sections?|eq(?:uation|\.)?|steps?|panels?|version|level|cycle|day|doy|channel|station|chapter)"
    r" \d+\b(?! ?(?:%|nT\b))",
    re.IGNORECASE | re.MULTILINE,
)
_JOINED = re.compile(r"\s*(?:±|-|to|and|or|,|/|through)\s*", re.IGNORECASE)
_HEDGE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|some|nearly|almost|ca\.?|circa)|~|≈)\s*$", re.IGNORECASE
)
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SPELLED = re.compile(rf"\b(?P<word>{'|'.join(_WORDS)})(?=[ -]{_UNIT}(?!\w))", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_SAME_SIGNS = str.maketrans({"−": "-", "–": "-", "—": " ", "\u2009": " ", "\u202f": " ", "\u00a0": " ", "µ": "u", "μ": "u"})
_MANY = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_SIGNIFICANT = 3
"""Rounding to so many digits is never an alteration."""
_YEARS = range(1950, 2100)


@dataclass(frozen=True)
class Quantity:
    """A number as it is written; `unit` is empty where none stands with it.

    `half` is half of the last written digit's place. `is_rough` is true after words such as `about`; `is_plus` for a written
    plus. Zeros at the end of a whole number may be rounding: `place` is the power of ten of its last other digit.
    """

    text: str
    value: float
    unit: str
    half: float
    place: int
    is_rough: bool = False
    is_plus: bool = False

    def tolerance(self, known: float) -> float:
        """How far a known value, in this unit, may be from the written one."""
        size = abs(self.value) or abs(known)
        third = (floor(log10(size)) if size else 0) - _SIGNIFICANT + 1
        rounded = max(self.half, 0.5 * 10.0 ** min(self.place, third))
        return max(rounded, 0.05 * abs(known)) if self.is_rough else rounded


def plain(text: str) -> str:
    """A text with one spelling of signs, powers and spaces; `10⁻⁹` becomes `10^-9`."""
    signs = text.translate(_SAME_SIGNS).replace("+/-", "±").replace("+-", "±")
    return re.sub("[⁻⁺⁰¹²³⁴-⁹]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), signs)


def quantities_in(text: str) -> list[Quantity]:
    """The quantities in a text without dates and times; what is part of a name, an address or a numbering is none."""
    words = _NO_QUANTITY.sub(lambda match: " " * len(match[0]), text)
    words = _SPELLED.sub(lambda match: str(_WORDS.index(match["word"].lower()) + 2), words)
    matches = list(_NUMBER.finditer(words))
    found: list[Quantity] = []
    unit, after = "", None
    for match in reversed(matches):  # the unit stands behind the last one of `5 to 7 nT`
        joined = after is not None and _JOINED.fullmatch(words[match.end("tail") : after.start()]) is not None
        own = _unit(match["unit"]) if match["unit"] else unit if joined else ""
        unit, after = own, match
        if not _is_name(words, match) and not (not own and _is_year(match)):
            found.append(_read(words, match, own))
    return found[::-1]


def _unit(words: str) -> str:
    phrase = words.strip(" -")
    for unit, names in _TIME_UNITS.items():
        if re.fullmatch(names, phrase, re.IGNORECASE):
            return unit
    if phrase == "°":
        return "deg"
    return "%" if phrase.lower() in ("%", "percent", "per cent") else "AU" if phrase == "au" else read_unit(phrase)


def _is_name(words: str, match: re.Match[str]) -> bool:
    """Whether the digits are part of a name: of a mission, dataset, parameter or step."""
    before, behind = words[: match.start()], words[match.end("tail") : match.end("tail") + 1]
    if match["tail"] or (behind == "_"):
        return True
    if re.search(r"[A-Za-z]-$|[A-Za-z_][/_]$", before):
        return True
    word = re.search(r"([A-Z][A-Za-z]+) $", before)
    if word is None or match["unit"] or match["part"]:
        return False
    try:
        return bool(find_mission(f"{word[1]} {match['digits']}"))
    except InputError:
        return False


def _is_year(match: re.Match[str]) -> bool:
    return len(match["digits"]) == 4 and not match["part"] and not match["sign"] and int(match["digits"]) in _YEARS


def _read(words: str, match: re.Match[str], unit: str) -> Quantity:
    whole, part = match["digits"].replace(",", ""), (match["part"] or "").removeprefix(".")
    factor = 10.0 ** int(match["power"] or match["exponent"] or 0) * _MANY.get((match["many"] or "").lower(), 1.0)
    scale = round(log10(factor))
    zeros = 0 if part else len(whole) - len(whole.rstrip("0"))
    sign = -1.0 if match["sign"] == "-" else 1.0
    found = Quantity(
        text=match[0].removesuffix(match["tail"]).strip(),
        value=sign * float(f"{whole}.{part or '0'}") * factor,
        unit=unit,
        half=0.5 * 10.0 ** (scale - len(part)),
        place=scale + zeros - len(part),
        is_rough=_HEDGE.search(words[: match.start()]) is not None,
        is_plus=match["sign"] == "+",
    )
    if unit and not match["unit"]:
        found = replace(found, text=f"{found.text} {unit}")
    return found
