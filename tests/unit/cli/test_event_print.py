"""How a model's progress looks at a terminal, and that it is not seen elsewhere."""

from __future__ import annotations

import io

from helio_dagster.agent.events import Event
from helio_dagster.cli.console import Console
from helio_dagster.cli.event_print import EventPrinter

ERASED = "\x1b[2K"


def progress(characters: int) -> Event:
    """A model that writes."""
    return Event(stage="progress", text=f"m is writing: [b]{characters} characters so far")


def printed(*events: Event, is_terminal: bool, is_verbose: bool = False) -> str:
    """All that was written."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=is_terminal, width=100, _environ={"TERM": "xterm"})
    tell = EventPrinter(console=console, is_verbose=is_verbose)
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


def check(step: str, name: str, *, passed: bool, **facts: object) -> Event:
    """A check."""
    return Event(stage="check", text=f"{step}: {name}", facts={"step": step, "check": name, "passed": passed, **facts})


def test_of_checks_what_failed_and_the_sum_are_printed() -> None:
    """A failure that follows from another one goes without saying."""
    text = printed(
        check("b_gse", "coverage", passed=False),
        check("b_mag", "coverage", passed=False, follows_from="b_gse"),
        check("b_gse", "values", passed=True),
        Event(stage="check", text="1 of 3 checks passed", facts={"check": "all", "passed": False}),
        is_terminal=False,
    )
    assert text == "  ✗ b_gse: coverage\n    1 of 3 checks passed\n"


def test_a_question_is_set_off_with_its_choices_below() -> None:
    """It is the last thing that is shown, after its notes."""
    text = printed(
        Event(stage="note", text="I read English."),
        Event(stage="clarify", text="For which time?", facts={"choices": ["last 7 days", "2003"], "number": 1}),
        Event(stage="done", text="", facts={"status": "question"}),
        is_terminal=False,
    )
    assert text == "note: I read English.\n\nFor which time?\n  1. last 7 days\n  2. 2003\n"


def test_a_person_sees_that_something_goes_on() -> None:
    """From when something was said until the turn is done."""
    out = io.StringIO()
    tell = EventPrinter(console=Console(file=out, force_terminal=True, width=100, _environ={"TERM": "xterm"}))
    tell.begin()
    tell(Event(stage="note", text="that was it"))
    tell(Event(stage="done", text=""))
    tell(Event(stage="note", text="afterwards"))
    text = out.getvalue()
    assert text.count("working") >= 2
    assert "working" not in text[text.index("afterwards") :]
    assert text.endswith("afterwards\n")


def test_verbose_shows_what_the_planner_does() -> None:
    """Requests, look-ups, rounds and durations stay on the screen; without it none of them is shown."""
    events = (
        Event(stage="progress", text="m is asked", facts={"state": "asked"}),
        Event(stage="look_up", text="search_catalog(words='ACE'): 12 characters in 0.01 s"),
        Event(stage="usage", text="m: 9 tokens", facts={"model": "m", "requests": 2, "tool_calls": 1, "seconds": 3.2}),
        Event(stage="done", text="", facts={"status": "answered", "seconds": 3.4}),
    )
    assert printed(*events, is_terminal=False, is_verbose=True).splitlines() == [
        "  · m is asked",
        "  · search_catalog(words='ACE'): 12 characters in 0.01 s",
        "  · m: 2 rounds, 1 look-up, 3.2 s",
        "  m: 9 tokens",
        "  · 3.4 s",
    ]
    assert printed(*events, is_terminal=False).splitlines() == ["  m: 9 tokens"]


def plan(ignored: list[str]) -> Event:
    """A card of a plan that ignores words."""
    facts = {"ignored": ignored, "request": "shiny ACE  field, as shiny as can be"}
    return Event(stage="plan", text=f"ACE field\n  Ignored: {', '.join(ignored)}\n  time     2023", facts=facts)


def test_ignored_words_are_struck_out_on_a_terminal() -> None:
    """Wherever they stand in the request, as whole words; elsewhere they are listed."""
    text = printed(plan(["shiny", "as can be"]), is_terminal=True)
    assert "  request  \x1b[9mshiny\x1b[0m ACE field, as \x1b[9mshiny\x1b[0m \x1b[9mas can be\x1b[0m" in text
    assert "Ignored" not in text
    assert "  Ignored: shiny, as can be\n" in printed(plan(["shiny", "as can be"]), is_terminal=False)


def test_ignored_words_that_are_not_found_are_listed_on_a_terminal_too() -> None:
    """Rather than that nothing is said of them."""
    assert "Ignored: gleaming" in printed(plan(["gleaming"]), is_terminal=True)
