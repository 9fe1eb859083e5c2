"""Strike out the words of a request that a plan ignores, on a terminal that can."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from helio_dagster.agent.answers import ignored_line

if TYPE_CHECKING:
    from rich.text import Text

    from helio_dagster.cli.console import Console


def struck_line(console: Console, request: str, ignored: Sequence[str]) -> Text | str:
    """The request with the ignored words struck out; a line of plain text where nothing can be struck out."""
    from rich.text import Text

    if not console.is_terminal or console.is_dumb_terminal or not request:
        return ignored_line(ignored)
    line = Text(f"request  {' '.join(request.split())}")
    for words in ignored:
        pattern = r"\s+".join(re.escape(word) for word in words.split())
        if not line.highlight_regex(re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE), "strike"):
            return ignored_line(ignored)
    return line
