"""The hook that mkdocs calls: draw the pictures of operations, kinds of results and the gallery, and put each on its page."""

from __future__ import annotations

import re
from functools import cache

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from pictures import gallery, results
from pictures.operations import WIDTH_PX, caption, draw_pictures

_PAGE = "operations.md"
_FOLDER = "operations-pictures"
_FIGURES_PAGE = "figures.md"
_FIGURES_FOLDER = "figures-pictures"
_GALLERY_PAGE = "gallery.md"
_GALLERY_FOLDER = "gallery-pictures"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pictures to the site's files; nothing is written into the sources."""
    for operation_id, png in _pictures().items():
        files.append(File.generated(config, f"{_FOLDER}/{operation_id}.png", content=png))
    for heading, png in _result_pictures().items():
        files.append(File.generated(config, f"{_FIGURES_FOLDER}/{heading.lower()}.png", content=png))
    for name, png in _gallery_pictures().items():
        files.append(File.generated(config, f"{_GALLERY_FOLDER}/{name}.png", content=png))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put each picture below the summary of its operation, or of its kind of result."""
    del config, files
    if page.file.src_uri == _FIGURES_PAGE:
        return insert_results(markdown, list(_result_pictures()))
    if page.file.src_uri == _GALLERY_PAGE:
        return insert_gallery(markdown, list(_gallery_pictures()))
    return insert_pictures(markdown, list(_pictures())) if page.file.src_uri == _PAGE else markdown


def insert_pictures(markdown: str, operation_ids: list[str]) -> str:
    """The page of operations with a picture and its caption below the summary of each of these operations."""
    for operation_id in operation_ids:
        picture = f"![{operation_id}: inputs and result]({_FOLDER}/{operation_id}.png){{ width={WIDTH_PX} loading=lazy }}"
        below = rf"\g<0>{picture}\n<br>*{caption(operation_id)}*\n\n"
        markdown, count = re.subn(rf"^## {operation_id}\n\n.+\n\n", below, markdown, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{_PAGE} has no section {operation_id}; write it anew")
    return markdown


def insert_results(markdown: str, headings: list[str]) -> str:
    """The page of figures with a picture below the first paragraph of each of these headings."""
    for heading in headings:
        picture = f"![{heading}]({_FIGURES_FOLDER}/{heading.lower()}.png){{ width={WIDTH_PX} loading=lazy }}"
        markdown, count = re.subn(rf"^## {heading}\n\n.+\n\n", rf"\g<0>{picture}\n\n", markdown, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{_FIGURES_PAGE} has no section {heading}; write it anew")
    return markdown


def insert_gallery(markdown: str, names: list[str]) -> str:
    """The gallery with the picture of each of these pipelines below the paragraph that names its file."""
    for name in names:
        picture = f"![{name}]({_GALLERY_FOLDER}/{name}.png){{ width={WIDTH_PX} loading=lazy }}"
        markdown, count = re.subn(
            rf"^`examples/figures/{name}\.yaml`(?:.+\n)+", rf"\g<0>\n{picture}\n", markdown, flags=re.MULTILINE
        )
        if count != 1:
            raise ValueError(f"{_GALLERY_PAGE} has no paragraph for {name}")
    return markdown


@cache
def _gallery_pictures() -> dict[str, bytes]:
    """Pipeline to PNG, run and drawn once a process."""
    return dict(gallery.draw_pictures())


@cache
def _result_pictures() -> dict[str, bytes]:
    """Heading to PNG, drawn once a process."""
    return dict(results.draw_pictures())


@cache
def _pictures() -> dict[str, bytes]:
    """Operation to PNG, drawn once a process."""
    return dict(draw_pictures())
