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
        self._reused: set[str] = set()
        """Steps of which the last run made nothing anew: what was told of them still holds."""
        self._status: Status | None = None

    def __call__(self, event: Event) -> None:
        """Print one event; progress is one line on a terminal, which the next event takes away."""
        if event.stage == "progress":
            self._show(event.text)
            return
        self.close()
        if event.stage == "run" and "computed" in event.facts:
            is_reused = not event.facts["computed"] and not event.facts["failed"]
            (self._reused.add if is_reused else self._reused.discard)(str(event.facts["step"]))
        if event.stage == "check" and self._is_known(event):
            self._passed += 1
            return
        if self._passed and event.stage != "check":
            count, self._passed = self._passed, 0
            what = "order of times, fill, columns, the catalog's word, and what is unchanged"
            self._console.print(f"  ✓ {count} other checks passed: {what}", markup=False, soft_wrap=True)
        if event.stage not in _HIDDEN and event.text:
            self._print(event)

    def close(self) -> None:
        """Take the line of progress away."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _print(self, event: Event) -> None:
        lead = _LEADS.get(event.stage, "")
        mark = "✗ " if event.facts.get("passed") is False else "✓ " if event.facts.get("passed") is True else ""
        first, *others = event.text.splitlines()
        for line in (f"{lead}{mark}{first}", *(f"{' ' * len(lead)}{line}" for line in others)):
            self._console.print(line, markup=False, style=_COLORS.get(event.stage), soft_wrap=True)
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

    def _is_known(self, event: Event) -> bool:
        """Whether a check that passed need not be told: of what was there before, or of what nobody doubts."""
        is_telling = event.facts.get("check") in _TELLING_CHECKS and event.facts.get("step") not in self._reused
        return bool(event.facts.get("passed")) and not is_telling

    def _show(self, text: str) -> None:
        from rich.text import Text

        if not self._console.is_terminal:
            return
        if self._status is None:
            self._status = self._console.status(Text(text, style="dim"))
            self._status.start()
        else:
            self._status.update(Text(text, style="dim"))
