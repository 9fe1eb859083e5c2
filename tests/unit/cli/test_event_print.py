"""How a model's progress looks at a terminal, and that it is not seen elsewhere."""

from __future__ import annotations

import io

from rich.console import Console

from helio_dagster.agent.events import Event
from helio_dagster.cli.event_print import EventPrinter

ERASED = "\x1b[2K"


def progress(characters: int) -> Event:
    """A model that writes."""
    return Event(stage="progress", text=f"m is writing: [b]{characters} characters so far")


def printed(*events: Event, is_terminal: bool) -> str:
    """All that was written."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=is_terminal, width=100, _environ={"TERM": "xterm"})
    tell = EventPrinter(console=console)
    for event in events:
        tell(event)
    return out.getvalue()


def test_progress_is_a_line_that_is_taken_away() -> None:
    """The next event stands where it stood; the cursor is shown again. Names of models are no markup."""
    text = printed(progress(10), progress(20), Event(stage="note", text="that was it"), is_terminal=True)
    assert "[b]20 characters" in text
    after = text[text.rindex("characters so far") :]
    assert ERASED in after
    assert after.index(ERASED) < after.index("that was it")
    assert "\x1b[?25h" in after


def test_progress_is_not_printed_elsewhere() -> None:
    """In a file or a pipe there is no line to take away."""
    text = printed(progress(10), Event(stage="note", text="that was it"), is_terminal=False)
    assert text == "note: that was it\n"
