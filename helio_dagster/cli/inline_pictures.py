"""Pictures of figures in a terminal that can show them: by the protocols of kitty and iTerm2, or as sixels."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from helio_dagster.cli.console import Console

Way = Literal["kitty", "iterm2", "sixel"]
_CHUNK = 4096
"""Letters of one escape code of kitty's, as its protocol limits them."""
_SIXEL_WIDTH = 900
_COLORS = 64


def show_picture(path: Path, console: Console, environment: Mapping[str, str] = os.environ) -> bool:
    """Show a PNG below what was printed, if this is a terminal that can; whether it was shown."""
    way = way_of(environment) if console.is_terminal and not console.is_dumb_terminal else None
    if way is None:
        return False
    try:
        png = path.read_bytes()
    except OSError:
        return False
    console.write_codes(codes(png, way) + "\n")
    return True


def way_of(environment: Mapping[str, str]) -> Way | None:
    """How a terminal shows pictures, by what it says of itself; HELIO_PICTURES decides where it is set, `none` for never.

    Inside tmux or screen, which keep these codes to themselves, there is none.
    """
    asked = environment.get("HELIO_PICTURES", "").strip().lower()
    for way in ("kitty", "iterm2", "sixel"):
        if asked == way:
            return way
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if asked or environment.get("TMUX") or terminal.startswith(("screen", "tmux")):
        return None
    if terminal in ("xterm-kitty", "xterm-ghostty") or program == "ghostty" or "KITTY_WINDOW_ID" in environment:
        return "kitty"
    if program in ("iTerm.app", "WezTerm") or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return "sixel" if terminal.startswith(("foot", "mlterm", "yaft", "contour")) else None


def codes(png: bytes, way: Way) -> str:
    """The escape codes that show a PNG, about as wide as the terminal."""
    if way == "sixel":
        return sixels(png)
    text = b64encode(png).decode()
    if way == "iterm2":
        return f"\x1b]1337;File=inline=1;size={len(png)};width=90%;preserveAspectRatio=1:{text}\x07"
    parts = [text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)]
    last = len(parts) - 1
    heads = ["a=T,f=100,q=2,", *[""] * last]
    shown = []
    for place, (head, part) in enumerate(zip(heads, parts, strict=True)):
        shown.append(f"\x1b_G{head}m={int(place < last)};{part}\x1b\\")
    return "".join(shown)


def sixels(png: bytes) -> str:
    """A PNG as sixels, in 64 colours and at most 900 dots wide."""
    from io import BytesIO

    import numpy as np
    from PIL import Image

    with Image.open(BytesIO(png)) as whole:
        picture = whole.convert("RGB")
    picture.thumbnail((_SIXEL_WIDTH, 10 * _SIXEL_WIDTH))
    reduced = picture.quantize(_COLORS)
    palette = np.array(reduced.getpalette()).reshape(-1, 3)[:_COLORS]
    dots = np.asarray(reduced)
    lines = []
    for top in range(0, len(dots), 6):
        band = dots[top : top + 6]
        rows = []
        for color in np.unique(band).tolist():
            bits = (band == color).astype(int) * (1 << np.arange(len(band)))[:, None]
            rows.append(f"#{color}{_packed((bits.sum(axis=0) + 63).tolist())}")
        lines.append("$".join(rows))
    colors = "".join(
        f"#{place};2;{';'.join(str(round(part / 2.55)) for part in color)}" for place, color in enumerate(palette.tolist())
    )
    return f'\x1bP0;1;0q"1;1;{dots.shape[1]};{dots.shape[0]}{colors}{"-".join(lines)}\x1b\\'


def _packed(codes_: list[int]) -> str:
    """Sixels with runs as `!count` and the letter."""
    found, at = [], 0
    while at < len(codes_):
        end = at
        while end < len(codes_) and codes_[end] == codes_[at]:
            end += 1
        letter, count = chr(codes_[at]), end - at
        found.append(f"!{count}{letter}" if count > 3 else letter * count)
        at = end
    return "".join(found)
