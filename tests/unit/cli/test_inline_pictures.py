"""Pictures in the terminal: what is written there, read back as the terminals read it."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from helio_dagster.cli.console import Console
from helio_dagster.cli.inline_pictures import codes, show_picture, sixels, way_of


def png(width: int = 40, height: int = 21) -> bytes:
    """A small picture in a few colours."""
    dots = np.zeros((height, width, 3), dtype=np.uint8)
    dots[5:15, 10:30] = (255, 0, 0)
    dots[:3] = (0, 0, 255)
    stream = io.BytesIO()
    Image.fromarray(dots).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("environment", "way"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "kitty"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "iterm2"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "iterm2"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm-kitty", "TMUX": "x,1,0"}, None),
        ({"TERM": "xterm-kitty", "HELIO_PICTURES": "none"}, None),
        ({"TERM": "xterm", "HELIO_PICTURES": "sixel"}, "sixel"),
    ],
)
def test_a_terminal_says_how_it_shows_pictures(environment: dict[str, str], way: str | None) -> None:
    """By its own variables, or by ours."""
    assert way_of(environment) == way


def test_kitty_gets_the_picture_in_parts() -> None:
    """Each at most 4,096 letters, all but the last with more to come; joined they are the PNG."""
    content = png() + bytes(range(256)) * 100
    parts = re.findall(r"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", codes(content, "kitty"))
    assert all(len(text) <= 4096 for _, text in parts)
    assert [head.endswith("m=1") for head, _ in parts] == [True] * (len(parts) - 1) + [False]
    assert parts[0][0].startswith("a=T,f=100")
    assert b64decode("".join(text for _, text in parts)) == content


def test_iterm_gets_the_picture_whole() -> None:
    """As a file that is shown in the line."""
    match = re.fullmatch(r"\x1b]1337;File=inline=1;size=(\d+);[^:]*:([A-Za-z0-9+/=]*)\x07", codes(png(), "iterm2"))
    assert match is not None
    assert b64decode(match[2]) == png()
    assert int(match[1]) == len(png())


def test_sixels_are_the_picture() -> None:
    """Read back by the rules of the VT340: six dots a letter, runs, colours, bands."""
    text = sixels(png())
    match = re.fullmatch(r'\x1bP0;1;0q"1;1;(\d+);(\d+)(.*)\x1b\\', text, re.DOTALL)
    assert match is not None
    width, height = int(match[1]), int(match[2])
    dots = np.zeros((height + 6, width, 3))
    palette: dict[int, tuple[float, ...]] = {}
    x = y = color = 0
    for token in re.finditer(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)", match[3]):
        if token[1]:
            palette[int(token[1])] = tuple(int(token[place]) * 2.55 for place in (2, 3, 4))
        elif token[5]:
            color = int(token[5])
        elif token[9]:
            x = 0
        elif token[10]:
            x, y = 0, y + 6
        else:
            count, letter = (int(token[6]), token[7]) if token[6] else (1, token[8])
            for bit in range(6):
                if (ord(letter) - 63) >> bit & 1:
                    dots[y + bit, x : x + count] = palette[color]
            x += count
    with Image.open(io.BytesIO(png())) as picture:
        wanted = np.asarray(picture.convert("RGB"), dtype=float)
    np.testing.assert_allclose(dots[:height], wanted, atol=3)


def test_nothing_is_written_where_there_is_no_terminal(tmp_path: Path) -> None:
    """A pipe gets text only, a missing file none at all."""
    (tmp_path / "a.png").write_bytes(png())
    for is_terminal, path, shown in ((False, "a.png", False), (True, "b.png", False), (True, "a.png", True)):
        stream = io.StringIO()
        console = Console(file=stream, force_terminal=is_terminal)
        assert show_picture(tmp_path / path, console, {"TERM": "xterm-kitty"}) == shown
        assert bool(stream.getvalue()) == shown
