"""Writes docs/terminal.svg: a recorded conversation as a terminal shows it, from docs/transcripts.md, which a test repeats.

The recording is an SVG that moves by style rules alone: lines appear one after the other and the screen scrolls. A viewer that
plays none, or a person who asked for less motion, sees the first screen as it stands.
"""

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
_ROWS = 34
"""Lines that fit on the screen."""
_LINE_HEIGHT = 24.4
_TYPED, _TURN, _PRINTED, _REST = 2.0, 4.0, 0.9, 8.0
"""Seconds for a typed line, for reading before the next one is typed, for a printed line, and at the end."""
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
_HEIGHTS = (
    r'(viewBox="0 0 \S+ )([\d.]+)',
    r'(<rect x="0" y="0" width="[\d.]+" height=")([\d.]+)',
    r'(<rect fill="[^"]+" stroke=[^>]* height=")([\d.]+)',
)
"""Of the picture, of what is shown of the text, and of the window around it."""
_STYLES = (
    (r"^(\$ |[^>]*\w> )(?P<typed>.+)$", "bold blue"),
    (r"^  (?P<word>time|fetch|compute|figure|ahead|change|rest)  ", "cyan"),
    (r"^  (?:assumed|note|Suggested) .*$", "#6e7781"),
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
    """The whole conversation about the storm."""
    found = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    if found is None:
        raise ValueError("docs/transcripts.md holds no conversation")
    return [line for line in found[1].splitlines() if not line.startswith("session ")]


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
    svg = console.export_svg(title="helio chat", theme=_THEME, code_format=_FORMAT, unique_id="helio", font_aspect_ratio=0.602)
    return _moving(svg, lines)


def _moving(svg: str, lines: list[str]) -> str:
    """The picture with as many rows as the screen has, its lines appearing in turn."""
    whole = svg.count('<clipPath id="helio-line-') + 1
    over = max(0, whole - _ROWS) * _LINE_HEIGHT
    for pattern in _HEIGHTS:
        svg = re.sub(pattern, lambda match: f"{match[1]}{float(match[2]) - over:.1f}", svg, count=1)
    svg = re.sub(r'(<text class=")([^"]+)("[^>]* clip-path="url\(#helio-line-(\d+)\)")', r"\1\2 helio-l\4\3", svg)
    return svg.replace("</style>", f"{_motion(_moments(svg, lines))}</style>", 1)


def _moments(svg: str, lines: list[str]) -> list[float]:
    """When each printed row appears, in s; rows that a long line was folded into appear together."""
    rows = [len(line) // _COLUMNS + 1 for line in lines]
    moments: list[float] = []
    now = 0.0
    for line, count in zip(lines, rows, strict=True):
        is_typed = re.match(_STYLES[0][0], line) is not None
        now += (_TURN + _TYPED if moments else 0.0) if is_typed else _PRINTED
        moments += [now] * count
    return moments[: svg.count('<clipPath id="helio-line-') + 1]


def _motion(moments: list[float]) -> str:
    """The style rules: one delay a row, and a step of the screen for each row below the last."""
    rows = [f".helio-l{row} {{ animation: helio-show 1ms step-end {moment:.1f}s both }}" for row, moment in enumerate(moments)]
    total = moments[-1] + _REST
    steps = [
        f"{100 * moment / total:.3f}% {{ transform: translateY({-(row - _ROWS + 1) * _LINE_HEIGHT:.1f}px) }}"
        for row, moment in enumerate(moments)
        if row >= _ROWS
    ]
    scroll = f"@keyframes helio-scroll {{ 0% {{ transform: none }} {' '.join(steps)} }}" if steps else ""
    return "\n".join(
        [
            "@keyframes helio-show { from { opacity: 0 } to { opacity: 1 } }",
            scroll,
            "@media (prefers-reduced-motion: no-preference) {",
            *rows,
            f".helio-matrix {{ animation: helio-scroll {total:.1f}s step-end both }}",
            "}\n",
        ]
    )


if __name__ == "__main__":
    SVG.write_text(terminal_svg(storm_lines((DOCS / "transcripts.md").read_text(encoding="utf-8"))), encoding="utf-8")
    sys.stdout.write(f"{SVG}: {SVG.stat().st_size:,} bytes\n")
