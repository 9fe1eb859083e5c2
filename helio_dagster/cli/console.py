"""Tables, colors and progress on the terminal, using rich: text is printed literally, with its control characters shown."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.rule import Rule
from rich.segment import Segment
from rich.text import Text, TextType

from helio_dagster.cli.terminal import raw_stream
from helio_dagster.domain.visible_text import visible

_USUAL_WIDTH = 80
_WIDTH_OF_A_PIPE = 4096
"""Columns where there is no terminal: what is read by programs, or kept in a file, is not wrapped."""


class Console(RichConsole):
    """A console on standard output or standard error.

    Text is never interpreted as markup or emoji names, and numbers are not colored; colors are given as styles.
    """

    def __init__(self, *, is_error: bool = False, **options: Any) -> None:
        options.setdefault("file", raw_stream(is_error=is_error))
        super().__init__(markup=False, emoji=False, highlight=False, **options)
        if not self.is_terminal and "width" not in options and "COLUMNS" not in os.environ:
            self.width = _WIDTH_OF_A_PIPE

    def rule(self, title: TextType = "", **options: Any) -> None:
        """A line with a title, not longer than a usual terminal is wide."""
        self.print(Rule(title, **options), width=min(self.width, _USUAL_WIDTH))

    def render_str(self, text: str, **options: Any) -> Text:
        """The text of a line or table cell, cleaned before it is measured."""
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces to print. Everything passes through here, except rich's own control codes."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def write_codes(self, codes: str) -> None:
        """Write control codes of our own making as they are; nothing that a stranger wrote may be among them unencoded."""
        self.file.write(codes)
        self.file.flush()
