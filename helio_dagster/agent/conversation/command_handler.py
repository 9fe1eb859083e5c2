"""Carry out a command if it has a meaning in the current state."""

from __future__ import annotations

from helio_dagster.agent.conversation.approval import Approvals
from helio_dagster.agent.conversation.commands import Command, asks_for_words, help_for, is_plain_yes
from helio_dagster.agent.conversation.drafts import Desk
from helio_dagster.agent.conversation.runner import Runner
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.session import Outcome, Session


class Obedience:
    """Carries out commands.

    Parameters
    ----------
    session
        Says what is awaited; changed in place.
    desk, approvals, runner
        Carry out the actions.
    tell
        Receives events.
    """

    def __init__(self, session: Session, desk: Desk, approvals: Approvals, runner: Runner, *, tell: Tell) -> None:
        self._session, self._desk, self._approvals, self._runner, self._tell = session, desk, approvals, runner, tell

    def obey(self, command: Command, text: str) -> Outcome | None:
        """Carry out a command if it has a meaning now; return None if it has none and the planner must answer."""
        session = self._session
        if command == "help":
            told = help_for(session.awaiting, has_table=session.draft is not None or session.table is not None)
            self._say("information", told, sources=[], makes_data=False)
            return self._desk.waiting()
        if command == "undo" and session.asked is None:
            return self.take_back()
        if command in ("show", "why") and (session.draft or session.table or session.asked is None):
            if command == "why":
                if session.awaiting == "repair":
                    return self._runner.explain_failure()
                self._desk.explain()
                return self._desk.waiting()
            shown = self._desk.show()
            return self._desk.waiting() if session.asked else shown
        if session.awaiting == "approval":
            if command in ("approve", "run"):
                return self._approve()
            if command in ("reject", "abort"):
                return self._desk.reject()
        elif session.awaiting == "repair":
            if command in ("retry", "run"):
                return self._runner.retry()
            if command == "skip":
                return self._runner.skip()
            if command in ("abort", "reject"):
                return self._runner.abort()
        elif session.awaiting == "answer":
            return self._instead_of_answering(command, text)
        elif session.awaiting == "request":
            if command in ("run", "retry") and session.table is not None:
                return self._runner.run(session.table.name, session.table.span)
            what = "Say what you want to see, or what to change." if session.table else "Say what you want to see first."
            self._say("note", f"Nothing is waiting for that. {what}")
            return "answered"
        return None

    def _instead_of_answering(self, command: Command, text: str) -> Outcome | None:
        """A command while a question is open: drop the question, approve the draft it is about, or repeat the question."""
        session = self._session
        if is_plain_yes(text) and session.asked is not None:
            choices = len(session.asked.choices)
            if choices == 1 or not (choices or asks_for_words(session.asked.text)):
                return None  # it answers the question, which is not whether to run the draft
            draft = " `approve` would take the plan as it is." if session.draft else ""
            told = "Which one? Say its number." if choices else "That does not answer the question."
            self._say("note", told + draft)
            return self._desk.waiting()
        if command in ("reject", "abort", "undo"):
            session.asked = None
            self._say("note", "The question is dropped.")
            return self._desk.waiting()
        if command in ("show", "why"):
            self._say("note", "There is no plan yet: answer the question first.")
            return self._desk.waiting()
        if command != "approve":
            return None
        if session.draft is not None:
            session.asked = None
            return self._approve()
        self._say("note", "There is no plan to approve yet.")
        return self._desk.waiting()

    def take_back(self) -> Outcome:
        """Undo the last change of the draft, or else the last approved change."""
        if self._session.draft is not None:
            return self._desk.take_back()
        table = self._approvals.take_back()
        return "answered" if table is None or table.span is None else self._runner.run(table.name, table.span)

    def _approve(self) -> Outcome:
        saved = self._approvals.approve()
        return "success" if saved.span is None else self._runner.run(saved.name, saved.span)

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._tell(Event(stage=stage, text=text, facts=facts))
