"""The fonts of pictures: which are installed, how wide their letters are, and the letters of an SVG embedded in it."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from html import unescape
from io import BytesIO

from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, findfont

_FAMILIES = ("Liberation Sans", "Arial", "Helvetica", "Nimbus Sans", "DejaVu Sans")
"""Names of fonts; each letter is taken from the first that is installed and has it. Matplotlib brings the last along."""

_TEXT = re.compile(r"<text\b[^>]*>.*?</text>", re.DOTALL)
_BOLD = re.compile(r"font-weight: (?:700|bold)")
_TAG = re.compile(r"<[^>]*>")
_UNKNOWN_EM = 0.6
_DROPPED = ["FFTM"]
"""Tables of fonts that hold nothing of letters."""


def width_em(text: str, *, is_bold: bool) -> float:
    """Width of a line of text in parts of its size."""
    return sum(_letter_em(letter, is_bold=is_bold) for letter in text)


def embed_fonts(svg: bytes) -> bytes:
    """The SVG with the letters that it shows as `@font-face` rules: it looks the same where its fonts are not installed."""
    text = svg.decode()
    shown = _TEXT.findall(text)
    rules = []
    for is_bold in (False, True):
        parts = [part for part in shown if bool(_BOLD.search(part)) == is_bold]
        missing = {ord(letter) for part in parts for letter in unescape(_TAG.sub("", part)) if letter.isprintable()}
        for family, path in _installed(is_bold=is_bold):
            found = missing & set(_widths(path))
            if found:
                missing -= found
                rules.append(_rule(family, _subset(path, tuple(sorted(found))), is_bold=is_bold))
    style = f'<style type="text/css">{"".join(rules)}</style>'
    head, mark, rest = text.partition("<defs>")
    return f"{head}{mark}{style}{rest}".encode()


def installed_families() -> list[str]:
    """Names of those fonts that are here; one at least."""
    return [family for family, _ in _installed(is_bold=False)]


@cache
def _installed(*, is_bold: bool) -> tuple[tuple[str, str], ...]:
    """Family and file of the fonts that are here."""
    found = []
    for family in _FAMILIES:
        try:
            path = findfont(FontProperties(family=family, weight="bold" if is_bold else "normal"), fallback_to_default=False)
        except ValueError:
            continue
        found.append((family, str(path)))
    return tuple(found)


@cache
def _widths(path: str) -> dict[int, float]:
    """Letter's number to its width, of all letters of a font."""
    with TTFont(path, lazy=True) as font:
        per_em = font["head"].unitsPerEm
        metrics = font["hmtx"].metrics
        return {number: metrics[glyph][0] / per_em for number, glyph in font.getBestCmap().items()}


@cache
def _letter_em(letter: str, *, is_bold: bool) -> float:
    widths = (_widths(path).get(ord(letter)) for _, path in _installed(is_bold=is_bold))
    return next((width for width in widths if width is not None), _UNKNOWN_EM)


@cache
def _subset(path: str, letters: tuple[int, ...]) -> bytes:
    from fontTools.subset import Options, Subsetter  # a tenth of a second that pictures other than SVG need not wait for

    options = Options()
    options.recalc_timestamp, options.hinting, options.notdef_outline = False, False, True
    options.layout_features = ["kern"]
    options.drop_tables += _DROPPED
    with TTFont(path, recalcTimestamp=False) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=letters)
        subsetter.subset(font)
        font.flavor = "woff"
        stream = BytesIO()
        font.save(stream)
    return stream.getvalue()


def _rule(family: str, font: bytes, *, is_bold: bool) -> str:
    source = f"url(data:font/woff;base64,{b64encode(font).decode()}) format('woff')"
    return f"@font-face{{font-family:'{family}';font-weight:{'bold' if is_bold else 'normal'};src:{source}}}"
