"""How wide a line of our markup is, and texts cut or wrapped to fit a width."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from html import unescape

from helio_dagster.figures.markup import SPACE, escape

_NARROW = frozenset("ijl|.,:;'!()[] ftI/·")
_WIDE = frozenset("mwM%")
_WIDEST = frozenset("W@")
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
    if letter in _WIDEST:
        return 0.98
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
    words = SPACE.sub(" ", text).strip().split(" ")
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
