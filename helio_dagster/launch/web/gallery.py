"""The page `/figures/`: every drawn figure of a home with its picture, newest first, by step."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from pathlib import Path

from helio_dagster.domain.span_key import span_of
from helio_dagster.storage.figure_files import FigureFiles

POLICY = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
"""The page has no script and needs none."""
MOST_OF_A_STEP = 60
"""Figures of one step that are shown; a person who looks for an older one opens its address."""

_STYLE = """
body { margin: 24px auto; max-width: 1180px; padding: 0 16px; font: 15px/1.4 sans-serif; color: #222; }
h1 { font-size: 22px; } h2 { font-size: 16px; margin: 28px 0 8px; } p, small { color: #5a646b; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 18px; list-style: none; padding: 0; }
img { width: 100%; border: 1px solid #dadddf; } a { color: #08618b; } small { display: block; }
.bare { display: block; padding: 40px 0; text-align: center; border: 1px solid #dadddf; }
"""


def gallery_page(files: FigureFiles) -> str:
    """The page as HTML. It reads the names and times of the files, nothing of their content."""
    steps = [(_step_name(stem), _pages(paths)) for stem, paths in files.by_stem().items()]
    drawn = sorted(((name, pages) for name, pages in steps if pages), key=lambda step: _time_of(step[1][0]), reverse=True)
    body = "\n".join(_section(name, pages) for name, pages in drawn)
    nothing = "" if drawn else "<p>No figure was drawn yet. <code>helio run</code> a pipeline with a figure.</p>\n"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Figures</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Figures</h1>\n"
        f'<p><a href="/">Assets and runs in Dagster</a></p>\n{nothing}{body}\n</body>\n</html>\n'
    )


def _step_name(stem: str) -> str:
    """`pipeline/step`, as the person knows it; a name with two underscores of its own is shown as it is."""
    return stem.replace("__", "/") if stem.count("__") == 1 else stem


def _pages(paths: list[Path]) -> list[Path]:
    """The pages among a step's files, the last drawn first."""
    return sorted((path for path in paths if path.suffix == ".html"), key=_time_of, reverse=True)


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # deleted meanwhile


def _section(name: str, pages: list[Path]) -> str:
    shown = "\n".join(_item(page) for page in pages[:MOST_OF_A_STEP])
    more = len(pages) - MOST_OF_A_STEP
    rest = f"\n<p>{more:,} older ones are not shown.</p>" if more > 0 else ""
    return f"<h2>{escape(name)}</h2>\n<ul>\n{shown}\n</ul>{rest}"


def _item(page: Path) -> str:
    picture = page.with_suffix(".png")
    link = escape(page.name, quote=True)
    span = span_of(_span_key(page))
    shown = escape(str(span) if span is not None else page.stem)
    if picture.is_file():
        inside = f'<img src="{escape(picture.name, quote=True)}" alt="{shown}" loading="lazy">'
        files = f' · <a href="{escape(picture.name, quote=True)}">PNG</a>'
    else:
        inside, files = '<span class="bare">no picture: no browser was found</span>', ""
    drawn = datetime.fromtimestamp(_time_of(page), UTC)
    return (
        f'<li><a href="{link}">{inside}</a><a href="{link}">{shown}</a>'
        f"<small>drawn {drawn:%Y-%m-%d %H:%M} UTC{files}</small></li>"
    )


def _span_key(page: Path) -> str:
    return "_".join(page.stem.split("_")[-2:])
