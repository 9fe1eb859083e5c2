"""Text of units and labels as plotly shows it: escaped, with sub- and superscripts. Unit algebra belongs in `domain`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from html import escape as escape_html
from html import unescape

_MINUS = "−"
_NO_UNIT = frozenset({"", "1", "none", "unitless", "dimensionless", "n/a"})
_DEGREES = frozenset({"deg", "degree", "degrees"})
_IDL_CODE = re.compile(r"![EUDILN]")
_FACTOR = re.compile(r"(?P<symbol>[^\s^*/·]+?)\s*(?:\^|\*\*)?\s*\(?(?P<power>[+-]?\d+(?:\.\d+)?(?:/\d+)?)?\)?$")
_SUBSCRIPT = re.compile(r"(?<![\w/])([A-Za-z]{1,2})_([A-Za-z0-9]{1,4})(?![\w/])")
_COMPONENT = re.compile(r"(?<![\w/])([BVEJ])([xyzrtnXYZRTN])(?![\w/])|^([bvej])([xyzrtn])(?= |$)")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")

_NARROW = frozenset("ijl|.,:;'!()[] ftI/·")
_WIDE = frozenset("mwMW@%")


def escape(text: str) -> str:
    """Data text made inert: no markup, no links, no plotly templates, no line breaks.

    Plotly reads `<a href>`, `<b>` and others in any text, and `%{…}` in many places; both come out as letters.
    """
    flat = _SPACE.sub(" ", text).strip()
    return escape_html(flat, quote=False).replace("%{", "&#37;{")


def label_to_html(text: str) -> str:
    """A label with its subscripts set (`B_R`, `Bx GSE`), everything else escaped."""
    plain = unit_codes_removed(text)
    shown = escape(plain)
    shown = _SUBSCRIPT.sub(r"\1<sub>\2</sub>", shown)
    return _COMPONENT.sub(lambda found: "{}<sub>{}</sub>".format(*filter(None, found.groups())), shown)


def unit_codes_removed(text: str) -> str:
    """The text without IDL's positioning codes (`!E`, `!D`, `!N` …), which some archives put into labels."""
    return _IDL_CODE.sub("", text)


def unit_to_html(unit: str) -> str:
    """A unit with raised powers: `cm^-3` as cm<sup>−3</sup>, `km/s` as km s<sup>−1</sup>; empty for a pure number.

    Text that is not a product of powers is shown as it is, escaped.
    """
    text = _SPACE.sub(" ", unit).strip()
    if text.lower() in _NO_UNIT:
        return ""
    factors: list[str] = []
    for index, part in enumerate(text.split("/")):
        sign = 1 if index == 0 else -1
        for factor in re.split(r"[\s·]+|(?<!\*)\*(?!\*)", part.strip().strip("()")):
            shown = _factor_to_html(factor, sign)
            if shown is None:
                return escape(text)
            if shown:
                factors.append(shown)
    return " ".join(factors) or escape(text)


def _factor_to_html(factor: str, sign: int) -> str | None:
    """One factor, raised; empty for a bare 1, None when it is not a factor at all."""
    if factor in ("", "1"):
        return ""
    match = _FACTOR.match(factor)
    if match is None or "(" in match["symbol"] or ")" in match["symbol"]:
        return None
    symbol = "°" if match["symbol"].lower() in _DEGREES else escape(match["symbol"])
    power = match["power"]
    if power is not None and "^" not in factor and "*" not in factor and not symbol[-1:].isalpha():
        return None
    exponent = power or "1"
    if sign < 0:
        exponent = exponent[1:] if exponent.startswith("-") else f"-{exponent.lstrip('+')}"
    exponent = exponent.lstrip("+")
    return symbol if exponent == "1" else f"{symbol}<sup>{exponent.replace('-', _MINUS)}</sup>"


_NARROWEST_EM = 0.3 * 0.7
"""A narrow letter, raised."""
_MOST_PER_SHOWN = 4
"""Letters of plain text that become one of markup, at most: those of a tag are not shown."""


def width_px(shown: str, font_px: float) -> float:
    """Estimated width of one line of our markup in a sans font, in pixels; good to about a tenth."""
    total, scale = 0.0, 1.0
    for piece in re.split(r"(<[^>]+>|&[#\w]+;)", shown):
        if piece in ("<sub>", "<sup>"):
            scale = 0.7
        elif piece in ("</sub>", "</sup>"):
            scale = 1.0
        elif not piece.startswith("<"):
            total += scale * sum(_letter_em(letter) for letter in unescape(piece))
    return total * font_px


def _letter_em(letter: str) -> float:
    if letter in _NARROW:
        return 0.3
    if letter in _WIDE:
        return 0.86
    return 0.69 if letter.isupper() else 0.56


def shorten(text: str, limit_px: float, font_px: float, *, markup: Callable[[str], str] = escape) -> str:
    """Plain text cut to fit a width in pixels once `markup` has made it markup, with an ellipsis where it was cut.

    Of a text too long for any room only the beginning is looked at, and halved until it fits.
    """
    most = _MOST_PER_SHOWN * (1 + int(limit_px / (_NARROWEST_EM * font_px)))
    if len(text) <= most and width_px(markup(text), font_px) <= limit_px:
        return text
    lengths = range(min(len(text), most) + 1)
    fitting = bisect_right(lengths, limit_px, key=lambda length: width_px(markup(text[:length] + "…"), font_px))
    return text[: max(fitting - 1, 0)].rstrip() + "…"


def wrap(text: str, limit_px: float, font_px: float, *, lines: int) -> list[str]:
    """Plain text broken at spaces into at most `lines` lines of a width in pixels; the last is cut if need be."""
    words = _SPACE.sub(" ", text).strip().split(" ")
    rows: list[str] = [""]
    for index, word in enumerate(words):
        candidate = f"{rows[-1]} {word}".strip()
        if not rows[-1] or width_px(escape(candidate), font_px) <= limit_px:
            rows[-1] = candidate
        elif len(rows) < lines:
            rows.append(word)
        else:
            rows[-1] = " ".join([rows[-1], *words[index:]])
            break
    return [shorten(row, limit_px, font_px) for row in rows]
