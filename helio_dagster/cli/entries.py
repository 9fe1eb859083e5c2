"""Lists whose rows have a long text: short facts in columns, the text below them, wrapped between words. Tables are rich's."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from helio_dagster.cli.console import Console
from helio_dagster.domain.visible_text import visible

_BETWEEN = "  "
_INDENT = "    "


@dataclass(frozen=True)
class Entry:
    """One thing of a list: a cell for each title, the first its name, and texts that stand below them."""

    cells: tuple[str, ...]
    texts: tuple[str, ...] = ()


def print_entries(titles: Sequence[str], entries: Sequence[Entry]) -> None:
    """Print a list: as wide as the terminal where there is one, else without wrapping anything.

    Where the columns do not fit side by side, the cells of an entry follow each other without alignment.
    """
    console = Console()
    width = console.width if console.is_terminal else None
    for is_name, line in _lines(titles, entries, width):
        console.print(Text(line, style="bold" if is_name else ""), soft_wrap=True)


def _lines(titles: Sequence[str], entries: Sequence[Entry], width: int | None) -> Iterator[tuple[bool, str]]:
    """Each line, and whether it names what comes below it."""
    rows = [[" ".join(visible(cell).split()) for cell in each] for each in (titles, *(entry.cells for entry in entries))]
    widths = [max(cell_len(row[column]) for row in rows) for column in range(len(titles))]
    is_aligned = width is None or sum(widths) + len(_BETWEEN) * (len(widths) - 1) <= width
    if is_aligned:
        yield True, _aligned(rows[0], widths)
    for row, entry in zip(rows[1:], entries, strict=True):
        if is_aligned:
            yield True, _aligned(row, widths)
        else:
            yield from ((True, line) for line in wrapped(_BETWEEN.join(filter(None, row)), width, later=_INDENT))
        for text in entry.texts:
            yield from ((False, line) for line in wrapped(visible(text), width, first=_INDENT, later=_INDENT))


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (room - cell_len(cell)) for cell, room in zip(row, widths, strict=True))
    return _BETWEEN.join(padded).rstrip()


def wrapped(text: str, width: int | None, *, first: str = "", later: str = "") -> list[str]:
    """A text in lines of at most `width` columns, broken between words alone; one line where there is no width."""
    if width is None:
        return [first + " ".join(text.split())] if text.strip() else []
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
