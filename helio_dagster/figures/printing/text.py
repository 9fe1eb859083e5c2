"""Our markup (`B<sub>R</sub>`, `cm<sup>-3</sup>`, `<b>`, `<br>`) as lines of pieces, each of one size and height."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

_TAG = re.compile(r"(<[^>]*>)")
_BREAK = re.compile(r"<br\s*/?>|\n")
_SCRIPTS = {"<sub>": (0.7, -0.21), "<sup>": (0.7, 0.42)}
"""Size and height of what is lowered or raised, in parts of the line's size."""


@dataclass(frozen=True)
class Piece:
    """Letters of one size: `scale` of the line's, their baseline `rise` of the line's size above its own."""

    text: str
    scale: float = 1.0
    rise: float = 0.0


@dataclass(frozen=True)
class Line:
    """One line of text."""

    pieces: tuple[Piece, ...]
    is_bold: bool = False


def lines_of(shown: str) -> list[Line]:
    """The lines of a text in our markup. Only `sub`, `sup`, `b` and `br` mean something; other tags are left out."""
    return [_line(part) for part in _BREAK.split(shown)]


def _line(shown: str) -> Line:
    pieces: list[Piece] = []
    scale, rise = 1.0, 0.0
    for part in _TAG.split(shown):
        if part in _SCRIPTS:
            scale, rise = _SCRIPTS[part]
        elif part in ("</sub>", "</sup>"):
            scale, rise = 1.0, 0.0
        elif part and not part.startswith("<"):
            pieces.append(Piece(unescape(part), scale, rise))
    return Line(tuple(pieces), is_bold="<b>" in shown)
