"""The README's picture of a terminal is the conversation of docs/transcripts.md, which a scenario test repeats."""

from __future__ import annotations

import re
from pathlib import Path

from pictures.terminal import storm_lines, terminal_svg

DOCS = Path(__file__).parents[3] / "docs"


def test_the_picture_is_made_from_the_transcript() -> None:
    """After a change: `make terminal`."""
    lines = storm_lines((DOCS / "transcripts.md").read_text(encoding="utf-8"))
    assert lines[0].startswith("$ helio chat")
    assert (DOCS / "terminal.svg").read_text(encoding="utf-8") == terminal_svg(lines)


def test_the_picture_loads_nothing() -> None:
    """No font, no address, no script; the one URL names the format."""
    svg = (DOCS / "terminal.svg").read_text(encoding="utf-8")
    assert re.findall(r"https?://[^\"\s]+", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"@font-face|@import|<script|href", svg)
    assert len(svg.encode()) < 60_000
