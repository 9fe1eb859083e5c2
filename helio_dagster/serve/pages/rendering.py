"""Render the page's templates as responses, with the policy that keeps scripts and styles of data out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, YamlLexer
from starlette.responses import HTMLResponse

from helio_dagster.launch.web.page_layout import POLICY, document

_FOLDER = Path(__file__).parent
STATIC = _FOLDER / "static"
_FRESH = {"Cache-Control": "no-store", "Content-Security-Policy": POLICY}
_LEXERS = {"yaml": YamlLexer, "python": PythonLexer}
LONGEST_CODE = 200_000
"""Characters that are highlighted; longer code is shown plain."""


def page(
    template: str,
    title: str,
    section: str,
    content: Mapping[str, Any],
    *,
    script: str = "",
    status: int = 200,
    is_watched: bool = False,
) -> HTMLResponse:
    """A page as HTML.

    Parameters
    ----------
    template
        Name of the file in `templates/`, which has what is inside `<main>`.
    title
        The page's title.
    section
        The part of the navigation that the page belongs to.
    content
        What the template shows. Every text is escaped, whoever wrote it.
    script
        Name of a module in `static/`.
    is_watched
        Whether the page carries the hash of what it shows, with which `changed.js` sees that it has become old.
    """
    body = _environment().get_template(template).render(title=title, **content)
    if is_watched:
        version = hashlib.sha256(body.encode()).hexdigest()[:16]
        body = f'<div id="changed" data-version="{version}" role="status" aria-live="polite"></div>\n{body}'
    text = document(title, body, section, script=f"/static/{script}" if script else "")
    return HTMLResponse(text, status_code=status, headers=_FRESH)


def highlighted(code: str, language: str) -> Markup:
    """Code as markup: spans with classes around escaped text."""
    if len(code) > LONGEST_CODE or language not in _LEXERS:
        return Markup("<pre>{}</pre>").format(code)
    lexer = _LEXERS[language](stripnl=False, ensurenl=False)
    spans = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return Markup('<pre class="code" tabindex="0">{}</pre>').format(Markup(spans))  # noqa: S704 - pygments escapes the code


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["code"] = highlighted
    made.filters["thousands"] = "{:,}".format
    return made
