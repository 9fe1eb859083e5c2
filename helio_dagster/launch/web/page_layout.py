"""What every page for people has around its content: head, links to the other parts, and the policy of what it may load."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from html import escape

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""No script or style stands in a page, so none that comes with data can run."""
STYLESHEET = "/static/helio.css"
SECTIONS = (
    ("talk", "/", "Talk"),
    ("figures", "/figures/", "Figures"),
    ("catalog", "/catalog/", "Catalog"),
    ("pipelines", "/pipelines/", "Pipelines"),
    ("settings", "/settings/", "Settings"),
    ("dagster", "/dagster/", "Dagster"),
)
"""The parts of the page: name, address, title."""
has_dagster: ContextVar[bool] = ContextVar("has_dagster", default=False)
"""Whether Dagster's own UI is served beside the page that answers this request: only then the page links to it."""


def document(title: str, body: str, section: str = "figures", *, script: str = "") -> str:
    """An HTML page; `body` is markup, the title text, `script` the address of a module of ours."""
    here = {section: ' aria-current="page"'}
    links = "".join(f'<li><a href="{address}"{here.get(name, "")}>{words}</a></li>' for name, address, words in _shown())
    module = f'<script type="module" src="{script}"></script>\n' if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<title>{escape(title)} · helio</title>\n<link rel="stylesheet" href="{STYLESHEET}">\n'
        '<link rel="icon" href="/static/helio.svg" type="image/svg+xml">\n'
        f"{module}</head>\n<body>\n"
        '<a class="skip" href="#content">Skip to the content</a>\n'
        f'<header class="bar"><a class="brand" href="/">helio</a><nav aria-label="Main"><ul>{links}</ul></nav></header>\n'
        f'<main id="content" tabindex="-1">\n{body}\n</main>\n</body>\n</html>\n'
    )


def _shown() -> Sequence[tuple[str, str, str]]:
    return [each for each in SECTIONS if each[0] != "dagster" or has_dagster.get()]


def scrolled(table: str, name: str) -> str:
    """A table, as markup of what is inside it, that a narrow page scrolls by itself: with the keyboard too, hence its name."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}"><table>{table}</table></div>'
