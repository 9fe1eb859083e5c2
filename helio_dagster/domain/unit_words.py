"""Units that a person asks for, in their many spellings."""

from __future__ import annotations

import re

from helio_dagster.domain.units import normalize_unit

_PER_VOLUME = (
    r"(?:1|#)?/(?:cm|m)\^?3|(?:#|1)?/cc|(?:particles )?(?:cm|m)(?:\^|\*\*)?\^?\{?-3\}?|(?:cm|m)[⁻]³"
    "|(?:particles )?per (?:cc|cubic (?:centi)?met(?:er|re)s?)"
)
_PER_SECOND = r"(?:k|c)?m/s(?:ec)?|(?:k|c)?m s\^?-1|(?:kilo|centi)?met(?:er|re)s? per second"
COMPOSED_UNITS = rf"{_PER_VOLUME}|{_PER_SECOND}|[mu]?V/m|rad/s"
_PLAIN = r"(?-i:[npumk]?T|[npu]?Pa|[MkG]?eV|nPa|[mk]?Hz|[kM]?K|[GTM]W|nanotesla|[um]?G|R_?E)"
_SPELLED = "(?:nano|micro)?teslas?|kelvins?|(?:kilo)?electron[- ]?volts?|(?:nano)?pascals?|gauss|earth radii|radians?|degrees?"
_OF_SUN = r"solar radi(?:i|us)|radii of the sun|(?-i:R_?s(?:un)?|R_S)"
_OF_PLANETS = {
    "R_J": r"(?:jupiter|jovian) radi(?:i|us)|radii of jupiter|(?-i:R_?J(?:up)?)",
    "R_Sat": r"(?:saturn|kronian) radi(?:i|us)|radii of saturn|(?-i:R_?Sat(?:urn)?)",
    "R_Mars": r"(?:mars|martian) radi(?:i|us)|radii of mars|(?-i:R_?Mars)",
}
_SHORT = "(?-i:T|K|G|Pa|W|m|km|V/m|AU|Re|rad|deg)"
UNIT_LEAD = "(?:(?:in|into|to|as|using|with)(?: the)?(?: units?(?: of)?)? |units? (?:of )?)"
_SAID = (
    (re.compile(_OF_SUN, re.IGNORECASE), "R_S"),
    *((re.compile(words, re.IGNORECASE), unit) for unit, words in _OF_PLANETS.items()),
    (re.compile(r"(?:particles )?per cubic centimet(?:er|re)s?|per cc", re.IGNORECASE), "cm^-3"),
    (re.compile(r"(?:particles )?per cubic met(?:er|re)s?", re.IGNORECASE), "m^-3"),
    (re.compile(r"kilomet(?:er|re)s? per second", re.IGNORECASE), "km/s"),
    (re.compile(r"centimet(?:er|re)s? per second", re.IGNORECASE), "cm/s"),
    (re.compile(r"met(?:er|re)s? per second", re.IGNORECASE), "m/s"),
    (re.compile(r"kilo ?electron[- ]?volts?", re.IGNORECASE), "keV"),
    (re.compile(r"electron[- ]?volts?", re.IGNORECASE), "eV"),
    (re.compile(r"microteslas?", re.IGNORECASE), "uT"),
    (re.compile("gauss", re.IGNORECASE), "G"),
    (re.compile("degrees?", re.IGNORECASE), "deg"),
    (re.compile(r"#?(?:1)?/(cm|m)\^?3|/cc"), ""),
)
_RATE = re.compile(r"(?P<unit>\S+) ?(?:/|per) ?(?P<time>s(?:ec(?:ond)?)?|min(?:ute)?|h(?:r|our)?|day)", re.IGNORECASE)
_TIMES = {"s": "s", "m": "min", "h": "h", "d": "d"}
UNIT_WORDS = f"(?:{COMPOSED_UNITS}|{_PLAIN}|{_SPELLED}|{_OF_SUN}|{'|'.join(_OF_PLANETS.values())}|{_SHORT})"
"""A pattern of a unit behind a number."""


def read_unit(words: str) -> str:
    """The unit that is called so, in its printed form."""
    phrase = " ".join(words.split())
    for pattern, unit in _SAID:
        if unit and pattern.fullmatch(phrase):
            return unit
    rate = _RATE.fullmatch(phrase)
    if rate is not None:
        return f"{read_unit(rate['unit'])}/{_TIMES[rate['time'][0].lower()]}"
    return normalize_unit(phrase.removeprefix("particles "))
