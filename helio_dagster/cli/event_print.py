"""Print the events of a conversation for people. `chat` prints them as JSON for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helio_dagster.agent.answers import ignored_line
from helio_dagster.cli.inline_pictures import show_picture
from helio_dagster.cli.struck_words import struck_line
from helio_dagster.domain.amounts import counted

if TYPE_CHECKING:
    from rich.status import Status

    from helio_dagster.agent.events import Event
    from helio_dagster.cli.console import Console

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
_HIDDEN = frozenset(("done", "time", "look_up"))
_SET_OFF = frozenset(("clarify", "plan", "repair", "information"))
"""Events for a person to decide on or read, printed after an empty line."""
_COLORS = {"error": "red", "repair": "yellow", "clarify": "bold", "information": "cyan", "suggestion": "green", "usage": "dim"}
_WORKING = {
    "candidate": "looking at the data",
    "note": "working",
    "approval": "working",
    "run": "running",
    "step_created": "trying the steps",
    "step_tested": "working",
}
"""What happens after an event, if that may take a while."""
_MOST_SOURCES = 6


class EventPrinter:
    """Prints events to standard output, including errors, which are part of the conversation; or to standard error.

    `is_verbose`, which may be changed any time, shows what a planner does: requests, look-ups, and how long each took.
    `console` is another place to print to.
    """

    def __init__(self, *, to_error: bool = False, is_verbose: bool = False, console: Console | None = None) -> None:
        from helio_dagster.cli.console import Console

        self._console = console or Console(is_error=to_error)
        self._status: Status | None = None
        self.is_verbose = is_verbose
        self._is_working = False

    def __call__(self, event: Event) -> None:
        """Print one event; progress is one line on a terminal, which the next event takes away."""
        if self.is_verbose and (detail := _detail(event)):
            self.close()
            self._console.print(f"  · {detail}", style="dim", soft_wrap=True)
        if event.stage == "progress":
            self._show(event.text)
            return
        if event.stage == "done":
            self._is_working = False
            self.close()
        if event.stage in _HIDDEN or not event.text or _goes_without_saying(event):
            return
        self.close()
        self._print(event)
        if self._is_working and event.stage in _WORKING and event.facts.get("decision") != "awaited":
            self._show(_WORKING[event.stage])

    def begin(self) -> None:
        """Show that work is going on, until the turn is done."""
        self._is_working = True
        self._show("working")

    def close(self) -> None:
        """Remove the progress line."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _print(self, event: Event) -> None:
        lead = _LEADS.get(event.stage, "")
        mark = "✗ " if event.facts.get("passed") is False else "✓ " if event.facts.get("passed") is True else ""
        if event.facts.get("check") == "all" and not event.facts["passed"]:
            mark = "  "
        if event.stage in _SET_OFF:
            self._console.print()
        first, *others = event.text.splitlines()
        ignored = event.facts.get("ignored") or ()
        for line in (f"{lead}{mark}{first}", *(f"{' ' * len(lead)}{line}" for line in others)):
            if ignored and line.strip() == ignored_line(ignored):
                self._console.print(
                    "  ", struck_line(self._console, str(event.facts.get("request", "")), ignored), sep="", soft_wrap=True
                )
                continue
            self._console.print(line, style=_COLORS.get(event.stage), soft_wrap=True)
        if event.stage == "run" and event.facts.get("png"):
            show_picture(Path(str(event.facts["png"])), self._console)
        for number, choice in enumerate(event.facts.get("choices", ()), start=1):
            numbered = f"  {number}. {choice}" if event.stage == "clarify" else f"  - {choice}"
            self._console.print(numbered, soft_wrap=True)
        if event.stage == "information" and event.facts.get("sources"):
            self._print_sources([str(source) for source in event.facts["sources"]])

    def _print_sources(self, sources: list[str]) -> None:
        for source in sources[:_MOST_SOURCES]:
            self._console.print(f"  source: {source}", soft_wrap=True)
        if len(sources) > _MOST_SOURCES:
            self._console.print(f"  and {len(sources) - _MOST_SOURCES} more sources")
        self._console.print("  (a text answer: no data were made)")

    def _show(self, text: str) -> None:
        from rich.text import Text

        if not self._console.is_terminal:
            return
        if self._status is None:
            self._status = self._console.status(Text(text, style="dim"))
            self._status.start()
        else:
            self._status.update(Text(text, style="dim"))


def _detail(event: Event) -> str:
    """What only `--verbose` shows; empty for other events."""
    facts = event.facts
    if event.stage == "look_up" or (event.stage == "progress" and facts.get("state") in ("asked", "answered")):
        return event.text
    if event.stage == "usage" and "seconds" in facts:
        rounds, look_ups = counted(facts["requests"], "round"), counted(facts["tool_calls"], "look-up")
        return f"{facts['model']}: {rounds}, {look_ups}, {facts['seconds']:.1f} s"
    if event.stage == "time":
        return f"time range: {event.text}"
    return f"{facts['seconds']:.1f} s" if event.stage == "done" and "seconds" in facts else ""


def _goes_without_saying(event: Event) -> bool:
    """Whether another line covers this check: the summary of those that passed, or the failure of an input."""
    if event.stage != "check" or event.facts.get("check") == "all":
        return False
    return bool(event.facts.get("passed")) or "follows_from" in event.facts
