"""Unit texts of archives brought to one printed form, and their algebra.

The printed form joins symbols with spaces and writes exponents with `^`: `nT`, `cm^-3`, `cm^-2 keV^-1 s^-1 sr^-1`; a single
symbol over a single symbol keeps its slash: `km/s`. A scale comes first: `0.1 nT`. Symbols are in alphabetical order, so that
equal units are equal texts. A pure number has no symbol in heliophysics: `#/cc`, `N/cm3` and `particles cm^-3` are all `cm^-3`.
Text that is not a unit (`0=good, 1=bad`) is kept as it is and behaves as a symbol of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

_DIMENSIONLESS = frozenset(
    (
        *("", "none", "unitless", "dimensionless", "na", "n/a", "null", "number", "numbers", "#", "1", "-", "--", "."),
        *("fraction", "fractional", "ratio", "index", "flag", "text", "string", "unit", "units", "nounits", "undefined"),
    )
)

_ALIASES = {
    "1": "",
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "msecs", "millisec", "milliseconds", "millisecond"), "ms"),
    **dict.fromkeys(("usec", "microseconds"), "us"),
    **dict.fromkeys(("nsec", "nanoseconds"), "ns"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
    **dict.fromkeys(("degree", "degrees", "deg", "degs"), "deg"),
    **dict.fromkeys(("rad", "radian", "radians"), "rad"),
    **dict.fromkeys(("ster", "steradian", "steradians", "str", "sr", "st"), "sr"),
    **dict.fromkeys(("kelvin", "kelvins", "degk"), "K"),
    **dict.fromkeys(("celsius", "celcius", "degc"), "degC"),
    **dict.fromkeys(("nanotesla", "nanoteslas", "nt", "gamma", "gammas"), "nT"),
    **dict.fromkeys(("tesla", "teslas"), "T"),
    **dict.fromkeys(("gauss",), "G"),
    **dict.fromkeys(("pascal", "pascals"), "Pa"),
    **dict.fromkeys(("nanopascal", "nanopascals", "npa"), "nPa"),
    **dict.fromkeys(("volt", "volts"), "V"),
    **dict.fromkeys(("amp", "amps", "ampere", "amperes"), "A"),
    **dict.fromkeys(("millivolt", "millivolts"), "mV"),
    **dict.fromkeys(("hertz", "hz"), "Hz"),
    **dict.fromkeys(("kilometer", "kilometers", "kilometre", "kilometres", "kms", "km"), "km"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("centimeter", "centimeters"), "cm"),
    **dict.fromkeys(("re", "r_e", "earthradii", "earthradius"), "R_E"),
    **dict.fromkeys(("au",), "AU"),
    **dict.fromkeys(("ev", "electronvolt", "electronvolts"), "eV"),
    **dict.fromkeys(("kev",), "keV"),
    **dict.fromkeys(("count", "counts", "cnt", "cnts", "cts"), "counts"),
    **dict.fromkeys(("sample", "samples"), "samples"),
    **dict.fromkeys(("erg", "ergs"), "erg"),
    **dict.fromkeys(("percent", "pct"), "%"),
}

# a count of things is a pure number, but not below a slash: MeV/n is energy per nucleon
_COUNTED = frozenset(
    (
        *("#", "n", "no", "num", "p", "e", "number", "particle", "particles", "ion", "ions", "electron", "electrons"),
        *("proton", "protons", "photon", "photons", "ena", "enas"),
    )
)
_NUCLEON = frozenset(("n", "nuc", "nucl", "nucleon", "nucleons"))

_KNOWN = re.compile(
    r"[fpnumckMGTh]?(?:m|g|s|A|K|mol|T|Pa|V|W|J|eV|Hz|F|bar|G|ohm|rad)"
    r"|sr|deg|degC|C|min|h|d|erg|AU|amu|R_E|counts|samples|%|dB|pfu|sfu|u|nuc|e|p"
)

_NUMBER = re.compile(r"\d+\.\d+(?:e[+-]\d+)?|\de[+-]\d+")
"""A scale as it is printed, which stands among the symbols of a unit."""

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺µμ·⋅×−", "0123456789-+uu...-")
_PHRASES = (
    (re.compile(r"\bdeg(?:rees?|s)?\.?[\s_]*K\b", re.IGNORECASE), "K"),
    (re.compile(r"(?:\bdeg(?:rees?|s)?\.?|[°º])\s*C\b", re.IGNORECASE), "degC"),
    (re.compile(r"[°º]"), "deg"),
    (re.compile(r"^N(?:ewtons?)?\s*/\s*m\s*(?:\^|\*\*)?\s*2$"), "Pa"),
    (re.compile(r"^deg(?:rees?)?[\s_](?:north|east|[NE])$", re.IGNORECASE), "deg"),
    (re.compile(r"\bearth\s+radi(?:i|us)\b", re.IGNORECASE), "R_E"),
    (re.compile(r"\bSQcm\b"), "cm^2"),
    (re.compile(r"\bkm_s\b"), "km/s"),
    (re.compile(r"\bMev\b"), "MeV"),
    (re.compile(r"\bm[Vv]/[Mm]\b"), "mV/m"),
    (re.compile(r"\bV/M\b"), "V/m"),
    (re.compile(r"\bper\s+", re.IGNORECASE), "/"),
    (re.compile(r"\s*\(\s*\d+\s*-?\s*(?:s|sec|seconds?|min|minutes?|h|hr|hours?|days?)\s*\)$", re.IGNORECASE), ""),  # a cadence
)
_REMARKS = (
    r"\((?:all|good)\s+(?:q(?:'?s|uality|ualities)?|flags)\s*(?:\)|$)",  # which quality flags were let through
    r"\(>\s*\d+\)",  # the same, as a number
    r"\((?:w/o?|with(?:out)?|no)\s+(?:error\s*bars?|uncertaint(?:y|ies))\)",  # how it is drawn
    r"\(from\s+(?:fits?|moments?)\)",  # how it was found
    r"\(qual(?:itative)?\.?\s+(?:use\s+)?only\b[^()]*\)",
)
_NO_PART_OF_IT = re.compile("|".join(_REMARKS), re.IGNORECASE)
_FRAME_AFTER = re.compile(r"(?<=[A-Za-z0-9])\s+\(?(?:GSE|GSM|GEI|GEO|SM|DSL|SSL|SPG|RTN|HEE|HEEQ|MSO)\)?$")
_IDL_POWER = re.compile(r"!(?:E|U|A)\s*([+-]?\d+)\s*!N", re.IGNORECASE)
_IDL_FONT = re.compile(r"!(?:D[^!]*!N|N|\d)", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<open>\()|(?P<close>\))|(?P<slash>/)|(?P<times>[\s.*-]+)|(?P<symbol>[A-Za-z%#_]+|1(?!\d))(?P<power>\^?[+-]?\d+)?"
)
_SCALE = re.compile(r"(\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?:\^([+-]?\d+))?\s*(?=[A-Za-z#/(])")
_CLOSED_POWER = re.compile(r"\^?([+-]?\d+)")

_Powers = tuple[tuple[str, int], ...]


class _NotAUnit(ValueError):
    """The text follows no known way of writing units."""


@lru_cache(maxsize=4096)
def normalize_unit(text: str) -> str:
    """The one printed form of an archive's unit text.

    Parameters
    ----------
    text
        `UNITS` as the archive has it: `km/sec`, `#/cc`, `/cm**3`, `s!E-1!Ncm!E-2!N`, `Deg K`, blank.

    Returns
    -------
    str
        The normalized text, empty for a pure number. Factors on both sides stay (`eV/(cm^2-s-sr-eV)` says energy flux);
        text that is not a unit comes back with its white space collapsed.
    """
    plain = _without_remarks(text)
    if plain.casefold().strip("()[] ") in _DIMENSIONLESS:
        return ""
    try:
        return _print(_parse(plain))
    except _NotAUnit:
        return plain


def is_unit(text: str) -> bool:
    """Whether a text is a unit with a dimension, of symbols that are known; a pure number and other text are none."""
    symbols = [symbol for symbol, _ in unit_factors(text) if not is_scale(symbol)]
    return bool(symbols) and all(_KNOWN.fullmatch(symbol) for symbol in symbols)


def is_scale(symbol: str) -> bool:
    """Whether a symbol of a unit is a number: 0.1 in `0.1 nT`."""
    return _NUMBER.fullmatch(symbol) is not None


def without_scale(unit: str) -> str:
    """A unit without the number before it."""
    return _print((symbol, power) for symbol, power in unit_factors(unit) if not is_scale(symbol))


def is_same_unit(left: str, right: str) -> bool:
    """Whether two unit texts mean the same unit; `km` and `m` do not."""
    return _cancelled(unit_factors(left)) == _cancelled(unit_factors(right))


def multiply_units(left: str, right: str) -> str:
    """Unit of a product, factors that cancel left out."""
    return _print(_cancelled([*unit_factors(left), *unit_factors(right)]))


def divide_units(numerator: str, denominator: str) -> str:
    """Unit of a quotient; empty when both are the same."""
    return multiply_units(numerator, raise_unit(denominator, -1))


def raise_unit(unit: str, power: int) -> str:
    """Unit of a whole power: `raise_unit("nT", 2)` is `nT^2`."""
    return _print(_cancelled((symbol, exponent * power) for symbol, exponent in unit_factors(unit)))


def unit_factors(text: str) -> _Powers:
    """Symbols of a unit text with their exponents; a text that is not a unit is a symbol of its own."""
    plain = _without_remarks(text)
    if plain.casefold().strip("()[] ") in _DIMENSIONLESS:
        return ()
    try:
        return _parse(plain)
    except _NotAUnit:
        return ((plain, 1),)


def _without_remarks(text: str) -> str:
    """The text without what providers add to a unit in parentheses, and without a frame."""
    return _FRAME_AFTER.sub("", " ".join(_NO_PART_OF_IT.sub(" ", text).split()))


def _cancelled(factors: Iterable[tuple[str, int]]) -> _Powers:
    total: Counter[str] = Counter()
    for symbol, exponent in factors:
        total[symbol] += exponent
    return tuple(sorted((symbol, exponent) for symbol, exponent in total.items() if exponent))


def _print(factors: Iterable[tuple[str, int]]) -> str:
    factors = tuple(factors)
    if scales := [symbol if power == 1 else f"{symbol}^{power}" for symbol, power in factors if is_scale(symbol)]:
        return " ".join([*scales, _print(each for each in factors if not is_scale(each[0]))])
    above = sorted(_cancelled(f for f in factors if f[1] > 0), key=lambda f: f[0].casefold())
    below = sorted(_cancelled(f for f in factors if f[1] < 0), key=lambda f: f[0].casefold())
    if len(above) == len(below) == 1 and above[0][1] == 1 and below[0][1] == -1:
        return f"{above[0][0]}/{below[0][0]}"
    return " ".join(symbol if exponent == 1 else f"{symbol}^{exponent}" for symbol, exponent in (*above, *below))


def _parse(text: str) -> _Powers:
    """Factors of a unit text in reading order, same symbols not yet merged."""
    for phrase, unit in _PHRASES:
        text = phrase.sub(unit, text)
    text = _IDL_POWER.sub(r"^\1 ", text)
    text = _IDL_FONT.sub("", text).translate(_SUPERSCRIPTS)
    text = text.replace("**", "^").translate(str.maketrans("{[]}", "(())")).strip("$ ").replace("\\", "")
    text = re.sub(r"\^\s*\(\s*([+-]?\d+)\s*\)", r"^\1", text)
    scale = _SCALE.match(text)
    text = text[scale.end() :] if scale else text
    factors, position = _parse_product(text, 0, depth=0)
    if position != len(text):
        raise _NotAUnit(text)
    if (scale or factors != [(text, 1)]) and not all(_KNOWN.fullmatch(symbol) for symbol, _ in factors):
        raise _NotAUnit(text)
    return ((str(float(scale[1])), int(scale[2] or "1")), *factors) if scale else tuple(factors)


def _parse_product(text: str, position: int, *, depth: int) -> tuple[list[tuple[str, int]], int]:
    """Factors up to a closing parenthesis or the last character; what follows a slash without one is all below it.

    `1/cm^2-s-sr` and `1/cm^2 s sr` divide by all three, as archives mean it; a factor with a negative exponent
    (`#/cm^2 s^-1`) does not.
    """
    factors: list[tuple[str, int]] = []
    sign = 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _NotAUnit(text)
        position = match.end()
        if match["open"]:
            if depth > 3:
                raise _NotAUnit(text)
            inner, position = _parse_product(text, position, depth=depth + 1)
            power = _CLOSED_POWER.match(text, position)
            exponent, position = (int(power[1]), power.end()) if power else (1, position)
            factors += [(symbol, sign * exponent * own) for symbol, own in inner]
        elif match["close"]:
            if not depth:
                raise _NotAUnit(text)
            return factors, position
        elif match["slash"]:
            sign = -1
        elif match["symbol"]:
            factors += _symbol_factors(match["symbol"], int((match["power"] or "1").lstrip("^")), sign=sign)
    if depth:
        raise _NotAUnit(text)
    return factors, position


def _symbol_factors(symbol: str, exponent: int, *, sign: int) -> list[tuple[str, int]]:
    """One symbol with its exponent: aliases resolved, `cc` opened, counts above the slash dropped."""
    exponent = exponent if exponent < 0 else sign * exponent
    word = symbol.casefold()
    if word in _COUNTED:
        return [] if exponent > 0 else [("nuc" if word in _NUCLEON else word, exponent)]
    if word == "cc":
        return [("cm", 3 * exponent)]
    symbol = "nuc" if word in _NUCLEON else _ALIASES.get(word, symbol)
    return [(symbol, exponent)] if symbol else []
