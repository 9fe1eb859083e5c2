"""Turns that are cut off wherever a planner or a home is asked: each leaves a `done` event and a session to go on with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer, Edits, Fork, Keep, Replay
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.conversation import Conversation
from helio_dagster.agent.events import Event, say_nothing
from helio_dagster.agent.planner import Situation
from helio_dagster.agent.session import Session, parse_session
from helio_dagster.domain.errors import ArchiveUnavailable, HelioError, ModelLimit, ModelUnavailable, StorageError
from tests.unit.agent.conversation.paper_home import NOW, ListPlanner, PaperHome
from tests.unit.agent.conversation.test_conversation import DAY, OTHER, PLAN, RED, coded

EDIT = "(edit)"
SCRIPT: list[tuple[str, Answer | None]] = [
    ("ACE field on 2023-01-02", PLAN),
    (EDIT, None),
    ("save b_mag as operation longer", Keep("b_mag", "longer")),
    ("approve", None),
    ("retry", None),
    ("what is the maximum of the field magnitude?", None),
    ("how many gaps are there?", None),
    ("make |B| red", Edits((RED,))),
    ("approve", None),
    ("undo", None),
    ("the Halloween storm instead", Replay(OTHER)),
    ("the same for Wind", Fork("Wind")),
    ("call it storm_watch", None),
    ("reject", None),
]
ERRORS: list[BaseException] = [
    KeyboardInterrupt(),
    ModelUnavailable("the provider does not answer"),
    ModelLimit("the budget is used up"),
    ArchiveUnavailable("the archive does not answer"),
    StorageError("the disk is full"),
    OSError(28, "No space left on device"),
    MemoryError(),
    ZeroDivisionError("division by zero"),
]
CUTTING = tuple(type(error) for error in ERRORS)


@dataclass
class Faults:
    """Counts the calls of a planner and a run side, and raises at one of them: before it does anything, or after."""

    at: int | None = None
    error: BaseException = field(default_factory=KeyboardInterrupt)
    is_after: bool = False
    count: int = 0

    def call(self, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call a method, or cut it off."""
        self.count += 1
        is_here = self.count == self.at
        if is_here and not self.is_after:
            raise self.error
        result = method(*arguments, **named)
        if is_here:
            raise self.error
        return result


class FaultyHome:
    """A home on paper whose calls are counted."""

    def __init__(self, home: PaperHome, faults: Faults) -> None:
        self._home, self._faults = home, faults

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._home, name)
        return lambda *arguments, **named: self._faults.call(method, *arguments, **named)


class FaultyPlanner:
    """A planner whose calls are counted."""

    name = "faulty"

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self.answers: list[Answer] = []

    def answer(self, situation: Situation) -> Answer:
        """The answer that is set."""
        given: Answer = self._faults.call(ListPlanner(list(self.answers)).answer, situation)
        return given


@dataclass
class Played:
    """A conversation that was played to its end."""

    conversation: Conversation
    home: PaperHome
    turns: list[list[Event]]
    kept: list[str]
    raised: int


def play(faults: Faults) -> Played:
    """Say all of the script, whatever happens in between."""
    home = PaperHome(failing=[("b_mag", "it broke")])
    planner, heard, kept = FaultyPlanner(faults), [], []
    turns: list[list[Event]] = []
    raised = 0

    def save(session: Session) -> None:
        faults.call(lambda: kept.append(session.model_dump_json()))

    session = Session(id="20240601-120000", created=NOW, changed=NOW)
    side: Any = FaultyHome(home, faults)
    conversation = Conversation(Context(planner, side, session, save, lambda: NOW, "ada", lambda event: heard.append(event)))
    for text, answer in SCRIPT:
        planner.answers = [answer] if answer is not None else [PLAN]
        heard.clear()
        try:
            if text == EDIT:
                conversation.edited(coded(conversation.plan_text or ""))
            else:
                conversation.say(text)
        except CUTTING as error:
            raised += error is faults.error
        turns.append(list(heard))
    return Played(conversation, home, turns, kept, raised)


def calls() -> int:
    """How many calls a conversation makes that nothing cuts off."""
    undisturbed = Faults()
    play(undisturbed)
    return undisturbed.count


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.slow
def test_each_turn_is_done_however_it_was_cut_off(is_after: bool) -> None:
    """A listener hears `done` once and last in every turn; by day one error for every sixth call."""
    for place in range(1 + is_after, calls() + 1, 6):
        assert_done(Faults(place, ERRORS[place // 6 % len(ERRORS)], is_after))


@pytest.mark.nightly
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("is_after", [False, True])
def test_each_turn_is_done_whatever_cut_it_off(error: BaseException, is_after: bool) -> None:
    """Every error at every call."""
    for place in range(1, calls() + 1):
        assert_done(Faults(place, error, is_after))


def assert_done(faults: Faults) -> None:
    """Play the script, and go on with the session that was kept."""
    played = play(faults)
    for turn in played.turns:
        assert [event.stage for event in turn].count("done") == 1, (faults, turn)
        assert turn[-1].stage == "done", (faults, turn)
    assert played.raised <= 1
    kept = parse_session(played.kept[-1], where="kept")
    went_on = Conversation(Context(ListPlanner([PLAN]), played.home, kept, say_kept, lambda: NOW, "ada", say_nothing))
    went_on.recall()
    assert went_on.say("help")[-1].facts["status"] in ("answered", "approval", "repair", "question")


def say_kept(_session: Session) -> None:
    """Keep nothing."""


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelUnavailable("gone"), ZeroDivisionError("division by zero")])
def test_what_cut_a_turn_off_is_told(error: BaseException) -> None:
    """In the turn that it cut off, before `done`; what is our bug or Ctrl-C goes on to the caller."""
    played = play(Faults(2, error))  # the planner's first call comes after the session is kept
    told = played.turns[0][-2]
    assert told.stage == ("note" if isinstance(error, KeyboardInterrupt) else "error")
    assert played.raised == (not isinstance(error, HelioError))


def test_a_plan_that_nobody_has_seen_cannot_be_approved() -> None:
    """Ctrl-C while the plan is estimated, before its card is shown: the next yes approves nothing."""
    home = PaperHome()
    faults = Faults()
    side: Any = FaultyHome(home, faults)
    session = Session(id="20240601-120000", created=NOW, changed=NOW)
    conversation = Conversation(Context(ListPlanner([PLAN]), side, session, say_kept, lambda: NOW, "ada", say_nothing))
    faults.at = 4  # names, names, check, estimate
    with pytest.raises(KeyboardInterrupt):
        conversation.say("ACE field on 2023-01-02")
    assert home.estimates == 0
    conversation.say("approve")
    assert (home.files, home.runs) == ({}, [])


def test_a_save_that_was_cut_off_after_the_file_was_written_is_completed() -> None:
    """The same word settles it: nothing is written twice, and the run follows."""
    home = PaperHome()
    faults = Faults(is_after=True)
    side: Any = FaultyHome(home, faults)
    session = Session(id="20240601-120000", created=NOW, changed=NOW)
    conversation = Conversation(Context(ListPlanner([PLAN]), side, session, say_kept, lambda: NOW, "ada", say_nothing))
    conversation.say("ACE field on 2023-01-02")
    faults.count, faults.at = 0, 2  # names, save
    with pytest.raises(KeyboardInterrupt):
        conversation.say("approve")
    text = home.files["ace_field"].text
    conversation.say("approve")
    assert (home.files["ace_field"].text, home.runs) == (text, [("ace_field", DAY)])
