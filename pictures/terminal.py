"""Writes docs/terminal.svg: a conversation as a terminal shows it, taken from docs/transcripts.md, which a test repeats."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

DOCS = Path(__file__).parents[1] / "docs"
SVG = DOCS / "terminal.svg"
_COLUMNS = 104
_THEME = TerminalTheme(
    (250, 250, 250),
    (36, 41, 46),
    [
        (36, 41, 46),
        (179, 38, 30),
        (28, 125, 64),
        (138, 103, 0),
        (11, 110, 153),
        (138, 90, 158),
        (27, 124, 131),
        (110, 119, 129),
    ],
)
_STYLES = (
    (r"^(\$ |.*> )(?P<typed>.+)$", "bold blue"),
    (r"^  (?P<word>time|fetch|compute|figure|ahead|change|rest)  ", "cyan"),
    (r"^  (?:assumed|note) .*$", "#6e7781"),
    (r"^next: .*$", "#6e7781"),
    (r"^  ✓ .*$", "green"),
    (r"^(?P<title>\S.*)   \[.*\]$", "bold"),
)
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", "Liberation Mono", Menlo, Consolas, monospace; \
font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def storm_lines(page: str) -> list[str]:
    """The first and the last turn of the transcript's storm, with an ellipsis for what lies between."""
    found = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    if found is None:
        raise ValueError("docs/transcripts.md holds no conversation")
    lines = [line for line in found[1].splitlines() if not line.startswith("session ")]
    first = next(place for place, line in enumerate(lines) if line.startswith("say> "))
    last = next(place for place, line in enumerate(lines) if line.startswith("say> the Gannon storm"))
    return [*lines[:first], "…", *lines[last:]]


def terminal_svg(lines: list[str]) -> str:
    """The lines as a picture that loads nothing: no font, no address."""
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines:
        text = Text(line)
        for pattern, style in _STYLES:
            if found := re.match(pattern, line):
                group = next(iter(found.groupdict()), 0)
                text.stylize(style, *found.span(group))
        console.print(text, highlight=False, soft_wrap=False)
    return console.export_svg(title="helio chat", theme=_THEME, code_format=_FORMAT, unique_id="helio", font_aspect_ratio=0.602)


if __name__ == "__main__":
    SVG.write_text(terminal_svg(storm_lines((DOCS / "transcripts.md").read_text(encoding="utf-8"))), encoding="utf-8")
    sys.stdout.write(f"{SVG}: {SVG.stat().st_size:,} bytes\n")
