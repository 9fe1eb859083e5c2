"""Text of labels and units as plotly shows it: escaped, with subscripts and raised powers.

A unit is any product of powers here, also with the numbers that unit algebra does not take (`10^-22 W m^-2 Hz^-1`).
"""

from __future__ import annotations

import re
from html import escape as escape_html

_MINUS = "−"
_FIRST_WORD = re.compile(r"[A-Za-z]+(?![\w|^])")
_LETTERS_OF_WORD = 4
_NO_UNIT = frozenset({"", "1", "none", "unitless", "dimensionless", "n/a"})
_DEGREES = frozenset({"deg", "degree", "degrees"})
_IDL_CODE = re.compile(r"![EUDILN]")
_FACTOR = re.compile(r"(?P<symbol>[^\s^*/·]+?)\s*(?:\^|\*\*)?\s*\(?(?P<power>[+-]?\d+(?:\.\d+)?(?:/\d+)?)?\)?$")
_SUBSCRIPT = re.compile(r"(?<![\w/])([A-Za-z]{1,2})_([A-Za-z0-9]{1,4})(?![\w/])")
_COMPONENT = re.compile(r"(?<![\w/])([BVEJ])([xyzrtnXYZRTN])(?![\w/])|^([bvej])([xyzrtn])(?= |$)")
_POWER = re.compile(r"\^([+-]?\d+)")
_RAISED = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_AS_IT_IS = "\u2060"
"""After an underscore that sets no subscript; never shown."""
SPACE = re.compile(r"[\s\x00-\x1f\x7f]+")


def escape(text: str) -> str:
    """Data text made inert: no markup, no links, no plotly templates, no line breaks.

    Plotly reads `<a href>`, `<b>` and others in any text, and `%{…}` in many places; both come out as letters.
    """
    flat = SPACE.sub(" ", text).strip()
    return escape_html(flat, quote=False).replace("%{", "&#37;{")


def label_to_html(text: str) -> str:
    """A label with its subscripts set (`B_R`, `Bx GSE`), everything else escaped."""
    plain = unit_codes_removed(text)
    shown = escape(plain)
    shown = _SUBSCRIPT.sub(r"\1<sub>\2</sub>", shown)
    shown = _COMPONENT.sub(lambda found: "{}<sub>{}</sub>".format(*filter(None, found.groups())), shown)
    return shown.replace(_AS_IT_IS, "")


def name_as_label(name: str) -> str:
    """The id of a step or column as a label that is shown letter by letter: `b_gse` is not b with a subscript."""
    return name.replace("_", f"_{_AS_IT_IS}")


def capitalized(title: str) -> str:
    """A title with its first word's capital: `Frequency`; a symbol such as `n` or `|B|`, and a name with capitals, stay."""
    word = _FIRST_WORD.match(title)
    is_word = word is not None and word[0].islower() and (len(word[0]) >= _LETTERS_OF_WORD or " " in title.strip())
    return title[:1].upper() + title[1:] if is_word and len(word[0] if word else "") > 1 else title


def with_owner(title: str, owner: str) -> str:
    """`Wind |B|`: a title or label with whose data it is; one that names the spacecraft already stays."""
    is_said = not owner or re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", title, re.IGNORECASE)
    return title if is_said else f"{owner} {title}".strip()


def unit_codes_removed(text: str) -> str:
    """The text without IDL's positioning codes (`!E`, `!D`, `!N` …), which some archives put into labels."""
    return _IDL_CODE.sub("", text)


def unit_to_html(unit: str) -> str:
    """A unit with raised powers: `cm^-3` as cm<sup>−3</sup>, `km/s` as km s<sup>−1</sup>; empty for a pure number.

    Text that is not a product of powers is shown as it is, escaped.
    """
    text = SPACE.sub(" ", unit).strip()
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


def raised(unit: str) -> str:
    """A unit as plain text with its powers raised: `cm^-3` as cm⁻³."""
    return _POWER.sub(lambda found: found[1].translate(_RAISED), unit)


def _factor_to_html(factor: str, sign: int) -> str | None:
    """One factor, raised; empty for a bare 1, None when it is not a factor at all."""
    if factor in ("", "1"):
        return ""
    match = _FACTOR.match(factor)
    if match is None or "(" in match["symbol"] or ")" in match["symbol"]:
        return None
    symbol = "°" if match["symbol"].lower() in _DEGREES else _SUBSCRIPT.sub(r"\1<sub>\2</sub>", escape(match["symbol"]))
    power = match["power"]
    if power is not None and "^" not in factor and "*" not in factor and not symbol[-1:].isalpha():
        return None
    exponent = power or "1"
    if sign < 0:
        exponent = exponent[1:] if exponent.startswith("-") else f"-{exponent.lstrip('+')}"
    exponent = exponent.lstrip("+")
    return symbol if exponent == "1" else f"{symbol}<sup>{exponent.replace('-', _MINUS)}</sup>"
