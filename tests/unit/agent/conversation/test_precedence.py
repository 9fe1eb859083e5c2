"""Commands in every state: what decides on a plan or a failure is carried out whatever is asked, and reaches no planner."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from helio_dagster.agent.answers import Asked, Edits, Plan, Question, Replay
from helio_dagster.agent.session import Asked as OpenQuestion
from helio_dagster.agent.session import Pending
from tests.unit.agent.conversation.paper_home import PaperHome, Talk
from tests.unit.agent.conversation.test_conversation import DAY, PIPELINE, PLAN, RED, saved

Begin = Callable[..., Talk]
COMMANDS = ("approve", "retry", "skip", "abort", "run", "reject", "undo", "show", "why", "help", "edit")
QUESTIONS = {
    "choices": Asked(Question(text="Which frame?", choices=["in GSE", "in RTN"])),
    "yes or no": Asked(Question(text="Shall I smooth it?")),
}


def failing_home() -> PaperHome:
    """A home whose next run fails at a step."""
    home = saved()
    home.failing = [("b_mag", "it broke")]
    return home


STATES: dict[str, Callable[[Begin], Talk]] = {
    "nothing": lambda begin: begin([]),
    "draft": lambda begin: said(begin([PLAN]), "ACE field on 2023-01-02"),
    "saved": lambda begin: said(begin([Replay(DAY, "ace_field")], saved()), "run my ACE field for 2023-01-02"),
    "failed": lambda begin: said(begin([Replay(DAY, "ace_field")], failing_home()), "run my ACE field for 2023-01-02"),
    "mending": lambda begin: said(
        begin([Replay(DAY, "ace_field"), Edits((RED,))], failing_home()), "run my ACE field for 2023-01-02", "make it red"
    ),
}
PENDING: dict[str, Pending] = {
    "nothing": "request", "draft": "approval", "saved": "request", "failed": "repair", "mending": "approval"
}  # fmt: skip
DECIDED = {
    "draft": {"approve", "run", "abort"},
    "saved": {"run", "retry"},
    "failed": {"retry", "run", "skip", "abort"},
    "mending": {"approve", "run", "abort"},
}
"""What each command for approval and repair may decide; `reject` and `undo` drop the question."""


def said(spoken: Talk, *texts: str) -> Talk:
    """The conversation after these messages."""
    for text in texts:
        spoken.say(text)
    return spoken


def reached(begin: Begin, state: str, question: str = "") -> Talk:
    """A conversation in a state, with a question open."""
    spoken = STATES[state](begin)
    if question:
        asked = QUESTIONS[question].question
        spoken.conversation.session.asked = OpenQuestion(request="x", text=asked.text, choices=asked.choices)
    return spoken


def traces(spoken: Talk, command: str) -> dict[str, object]:
    """What a command does to a conversation, apart from what it says about the time."""
    runs = len(spoken.home.runs)
    events = [(event.stage, event.text) for event in spoken.say(command) if event.stage != "time"]
    session = spoken.session
    return {
        "events": events,
        "runs": spoken.home.runs[runs:],
        "files": {name: file.text for name, file in spoken.home.files.items()},
        "session": session.model_dump(include={"draft", "table", "failed", "asked"}),
        "outcome": spoken.conversation.outcome,
    }


@pytest.mark.parametrize(("state", "question"), [*product(STATES, ["", *QUESTIONS])])
def test_no_command_reaches_a_planner(talk: Begin, state: str, question: str) -> None:
    """Whatever is pending and asked, a planner would be told of a command; here none is, and each turn is done."""
    for command in COMMANDS:
        spoken = reached(talk, state, question)
        heard = len(spoken.planner.told)
        events = spoken.say(command)
        assert len(spoken.planner.told) == heard, command
        assert events[-1].stage == "done"
        assert len(events) > 1, command


@pytest.mark.parametrize(("state", "question"), [*product(DECIDED, QUESTIONS)])
def test_a_decision_wins_over_an_open_question(talk: Begin, state: str, question: str) -> None:
    """It does just what it does where nothing is asked, and the question is gone."""
    for command in DECIDED[state]:
        assert traces(reached(talk, state, question), command) == traces(reached(talk, state), command), command


@pytest.mark.parametrize(("state", "question"), [*product(STATES, QUESTIONS)])
def test_what_decides_nothing_leaves_the_question_open(talk: Begin, state: str, question: str) -> None:
    """It is repeated; `reject`, `undo`, and an `abort` without anything else to abort, drop it and nothing more."""
    for command in set(COMMANDS) - DECIDED.get(state, set()):
        spoken = reached(talk, state, question)
        session = spoken.conversation.session
        before = (session.draft, session.failed, dict(spoken.home.files), list(spoken.home.runs))
        events = spoken.say(command)
        assert (session.draft, session.failed, dict(spoken.home.files), list(spoken.home.runs)) == before
        assert spoken.session.pending == PENDING[state]
        is_dropped = command in ("reject", "undo", "abort") and "The question is dropped." in [each.text for each in events]
        is_repeated = spoken.session.asked is not None and events[-2].stage == "clarify"
        assert is_dropped != is_repeated, (command, [(event.stage, event.text) for event in events])


@pytest.mark.parametrize("state", STATES)
def test_an_edited_file_wins_over_an_open_question(talk: Begin, state: str) -> None:
    """It is shown for approval; where there is nothing to edit, that is said."""
    spoken = reached(talk, state, "choices")
    text = spoken.conversation.plan_text
    events = spoken.conversation.edited((text or "").replace("title: ACE field", "title: Mine"))
    assert spoken.session.asked is None
    assert (spoken.conversation.outcome == "approval") == (text is not None)
    assert any(event.stage == ("plan" if text else "error") for event in events)


def test_an_interrupted_run_is_continued_whatever_is_asked(talk: Begin) -> None:
    """`retry` after Ctrl-C, although a question about something else is open."""

    def press() -> None:
        raise KeyboardInterrupt

    home = PaperHome(on_run=press)
    spoken = talk([PLAN, Plan(PIPELINE, None)], home)
    spoken.say("ACE field on 2023-01-02")
    with pytest.raises(KeyboardInterrupt):
        spoken.say("approve")
    spoken.say("Wind field")
    assert spoken.awaiting() == "answer"
    home.on_run = None
    spoken.say("retry")
    assert (home.runs[-1], spoken.conversation.outcome) == (("ace_field", DAY), "success")
