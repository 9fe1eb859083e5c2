"""The events of a conversation as a person reads them at the terminal. Programs get them as JSON from `chat`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from helio_dagster.agent.events import Event

_LEADS = {
    "candidate": "  ",
    "discover": "  ",
    "step_created": "  ",
    "step_tested": "  ",
    "run": "  ",
    "check": "  ",
    "note": "note: ",
    "suggestion": "next: ",
    "usage": "  ",
    "error": "",
}
_HIDDEN = frozenset(("done", "time"))
_COLORS = {"error": "red", "repair": "yellow", "clarify": "bold", "information": "cyan", "suggestion": "green", "usage": "dim"}


_TELLING_CHECKS = frozenset(("coverage", "values"))
"""Checks that are printed also where they pass; of the others the number is."""


_MOST_SOURCES = 6


class EventPrinter:
    """Prints events to standard output, errors too: they are part of what is said; or to standard error.

    `console` is another place to print to.
    """

    def __init__(self, *, to_error: bool = False, console: Console | None = None) -> None:
        from rich.console import Console

        self._console = console or Console(file=sys.stderr if to_error else sys.stdout, highlight=False)
        self._passed = 0
        self._status: Status | None = None

    def __call__(self, event: Event) -> None:
        """Print one event; progress is one line on a terminal, which the next event takes away."""
        if event.stage == "progress":
            self._show(event.text)
            return
        self._hide()
        if event.stage == "check" and event.facts.get("passed") and event.facts.get("check") not in _TELLING_CHECKS:
            self._passed += 1
            return
        if self._passed and event.stage != "check":
            count, self._passed = self._passed, 0
            self._console.print(
                f"  ✓ {count} other checks passed: order of times, fill, columns, the catalog's word", markup=False
            )
        if event.stage in _HIDDEN or not event.text:
            return
        lead = _LEADS.get(event.stage, "")
        mark = "✗ " if event.facts.get("passed") is False else "✓ " if event.facts.get("passed") is True else ""
        lines = event.text.splitlines()
        indented = [f"{lead}{mark}{lines[0]}", *(f"{' ' * len(lead)}{line}" for line in lines[1:])]
        style = _COLORS.get(event.stage)
        for line in indented:
            self._console.print(line, markup=False, style=style, soft_wrap=True)
        for number, choice in enumerate(event.facts.get("choices", ()), start=1):
            numbered = f"  {number}. {choice}" if event.stage == "clarify" else f"  - {choice}"
            self._console.print(numbered, markup=False, soft_wrap=True)
        if event.stage == "information":
            sources = list(event.facts.get("sources", ()))
            for source in sources[:_MOST_SOURCES]:
                self._console.print(f"  source: {source}", markup=False, soft_wrap=True)
            if len(sources) > _MOST_SOURCES:
                self._console.print(f"  and {len(sources) - _MOST_SOURCES} more sources", markup=False)
            self._console.print("  (an answer in words: no data were made)", markup=False)

    def _show(self, text: str) -> None:
        from rich.text import Text

        if not self._console.is_terminal:
            return
        if self._status is None:
            self._status = self._console.status(Text(text, style="dim"))
            self._status.start()
        else:
            self._status.update(Text(text, style="dim"))

    def _hide(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None
