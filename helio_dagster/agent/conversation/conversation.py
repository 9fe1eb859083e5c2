"""A conversation: what a person says becomes a plan, an approval, a run, an edit. How it is shown belongs to `cli`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from helio_dagster.agent import answers
from helio_dagster.agent.conversation.approval import Approvals
from helio_dagster.agent.conversation.commands import HELP, Command, is_plain_yes, read_choice, read_command
from helio_dagster.agent.conversation.desk import Desk
from helio_dagster.agent.conversation.runner import Runner
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.planner import MOST_QUESTIONS, Current, Planner, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Asked, Outcome, Session, Usage
from helio_dagster.domain.errors import HelioError, InputError

LONGEST_SAID = 4000
"""Characters of one message."""


class Conversation:
    """One person's conversation about one home.

    Parameters
    ----------
    planner
        Understands what is said.
    side
        Fetches, runs and saves.
    session
        What was said and decided so far; changed in place.
    keep
        Writes the session; called at every step that must not be lost.
    clock
        The present, aware.
    person
        Who approves.
    tell
        Hears every event as it happens.
    """

    def __init__(
        self,
        planner: Planner,
        side: RunSide,
        session: Session,
        *,
        keep: Callable[[Session], None],
        clock: Callable[[], datetime],
        person: str,
        tell: Tell,
    ) -> None:
        self.session = session
        self.outcome: Outcome = "answered"
        self._planner, self._keep, self._clock, self._tell = planner, keep, clock, tell
        self._events: list[Event] = []

        def keep_it() -> None:
            keep(session)

        self._desk = Desk(side, session, tell=self._heard, keep=keep_it, clock=clock)
        self._approvals = Approvals(side, session, tell=self._heard, keep=keep_it, clock=clock, person=person)
        self._runner = Runner(side, session, tell=self._heard, keep=keep_it, clock=clock)

    @property
    def planner_name(self) -> str:
        """How the planner is called."""
        return self._planner.name

    def say(self, text: str) -> list[Event]:
        """Hear what a person says, or answers, and do what follows, up to where the person must say more.

        Returns
        -------
        list of Event
            All that happened in this turn; what is awaited next stands in the last one.

        Raises
        ------
        StorageError
            The session itself cannot be kept; what a plan, a save or a run fails of is told as an event.
        """
        self._events = []
        self.session.note("person", text, self._clock())
        try:
            self.outcome = self._hear(text)
        except HelioError as error:
            self._fail(error)
        return self._finish()

    def edited(self, text: str) -> list[Event]:
        """Take the plan as the person has edited its YAML text."""
        self._events = []
        self.session.note("person", "(edited the plan's file)", self._clock())
        self.session.asked = None
        try:
            self.outcome = self._desk.edited(text)
        except HelioError as error:
            self._fail(error)
        return self._finish()

    def _heard(self, event: Event) -> None:
        self._events.append(event)
        if event.stage == "usage":
            self._count(event)
        self._tell(event)

    def _count(self, event: Event) -> None:
        used = self.session.usage.setdefault(str(event.facts.get("model", "")), Usage())
        for name in ("requests", "input_tokens", "output_tokens"):
            setattr(used, name, getattr(used, name) + int(event.facts.get(name, 0)))

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._heard(Event(stage=stage, text=text, facts=facts))

    def _fail(self, error: HelioError) -> None:
        self._say("error", str(error), problem=error.problem, hint=error.hint)
        self.outcome = "refused" if isinstance(error, InputError) else "failed"

    def _finish(self) -> list[Event]:
        spoken = [event.text for event in self._events if event.stage in ("clarify", "information", "error", "plan")]
        if spoken:
            self.session.note("helio", spoken[-1], self._clock())
        self._keep(self.session)
        self._say("done", "", status=self.outcome, awaiting=self.session.awaiting, session=self.session.id)
        return self._events

    def _hear(self, text: str) -> Outcome:
        if not text.strip():
            raise InputError("nothing was said", hint="Say what you want to see: ACE magnetic field for 2023-01-02.")
        if len(text) > LONGEST_SAID:
            raise InputError(f"that is longer than {LONGEST_SAID:,} characters", hint="Say it in a few sentences.")
        command = read_command(text)
        if command is not None:
            done = self._obey(command, text)
            if done is not None:
                return done
        if self.session.asked is not None:
            text = read_choice(text, self.session.asked.choices)
        return self._plan(text)

    def _obey(self, command: Command, text: str) -> Outcome | None:
        """Do what a command says where it has a meaning now; None where it has none and is left to the planner."""
        session = self.session
        if command == "help":
            self._say("information", HELP, sources=[], makes_data=False)
            return self._desk.waiting()
        if command == "undo":
            session.asked = None
            return self._take_back()
        if command == "show" and (session.draft or session.table):
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
            return self._obey_instead_of_answering(command, text)
        elif session.awaiting == "request":
            if command in ("run", "retry") and session.table is not None:
                return self._runner.run(session.table.name, session.table.span)
            self._say("note", "Nothing waits for that. Say what you want to see, or what to change.")
            return "answered"
        return None

    def _obey_instead_of_answering(self, command: Command, text: str) -> Outcome | None:
        """A command where a question is open: drop the question, approve the draft that it is about, or hear it again."""
        session = self.session
        if is_plain_yes(text) and session.asked is not None:
            if len(session.asked.choices) < 2:  # it answers the question, which is not whether to run the draft
                return None
            self._say("note", "That could be any of them: say its number.")
            return self._desk.waiting()
        if command in ("reject", "abort"):
            session.asked = None
            self._say("note", "The question is dropped.")
            return self._desk.waiting()
        if command != "approve":
            return None
        if session.draft is not None:
            session.asked = None
            return self._approve()
        self._say("note", "There is no plan to approve yet.")
        return self._desk.waiting()

    def _approve(self) -> Outcome:
        saved = self._approvals.approve()
        return "success" if saved.span is None else self._runner.run(saved.name, saved.span)

    def _take_back(self) -> Outcome:
        if self.session.draft is not None:
            return self._desk.take_back()
        table = self._approvals.take_back()
        return "answered" if table is None or table.span is None else self._runner.run(table.name, table.span)

    def _plan(self, text: str) -> Outcome:
        session = self.session
        situation = Situation(
            request=text,
            now=self._clock(),
            open=session.open,
            current=self._current(),
            earlier=session.utterances[:-1],
            failure=f"{session.failed.step}: {session.failed.error}" if session.failed else "",
            tell=self._heard,
        )
        answer = self._planner.answer(situation)
        match answer:
            case answers.Information():
                self._say("information", answer.text, sources=list(answer.sources), makes_data=False)
                return self._desk.waiting()
            case answers.Asked():
                return self._ask(text, answer)
            case answers.Refusal():
                self._say("error", "\n".join(answer.notes), hint=answer.notes[-1] if len(answer.notes) > 1 else "")
                session.asked = None
                return "refused"
        if isinstance(answer, answers.Plan) and answer.span is None:
            return self._ask_time(text)
        session.asked = None
        match answer:
            case answers.Plan():
                return self._desk.lay(answer)
            case answers.Edits():
                return self._desk.edit(answer)
            case answers.Fork():
                return self._desk.fork(answer)
            case answers.Replay():
                return self._replay(answer)
            case answers.Undo():
                return self._take_back()
            case answers.Keep():
                return self._desk.keep_operation(answer)

    def _replay(self, answer: answers.Replay) -> Outcome:
        session = self.session
        for note in answer.notes:
            self._say("note", note)
        if answer.name is None and session.draft is not None:
            return self._desk.retime(session.draft, answer.span)
        name = answer.name or (session.table.name if session.table else None)
        if name is None:
            raise InputError(
                "there is no pipeline on the table", hint="Say what you want to see, or run a saved one by its name."
            )
        self._desk.drop_draft()
        return self._runner.run(name, answer.span)

    def _current(self) -> Current | None:
        """The pipeline on the table: the draft, else the saved one; none where its file is gone or wrong."""
        try:
            return self._desk.current()
        except InputError as error:
            self._say("note", f"{error} It is no longer on the table.")
            self.session.table = None
            return None

    def _ask(self, text: str, asked: answers.Asked) -> Outcome:
        if asked.is_new:
            self.session.asked = None
        number = (self.session.asked.number if self.session.asked else 0) + 1
        for note in asked.notes:
            self._say("note", note)
        if number > MOST_QUESTIONS:
            self.session.asked = None
            hint = "Say it anew in one sentence: spacecraft, quantity and time, as ACE magnetic field for 2023-01-02."
            raise InputError(f"after {MOST_QUESTIONS} questions it is still open: {asked.question.text}", hint=hint)
        about = self._request_about(text)
        self.session.asked = Asked(request=about, text=asked.question.text, choices=asked.question.choices, number=number)
        self._say("clarify", asked.question.text, choices=list(asked.question.choices), number=number)
        return "question"

    def _request_about(self, text: str) -> str:
        """The request that is asked about: the first one, with what was answered since."""
        asked = self.session.asked
        if asked is None or asked.request in text:
            return text
        return text if text in asked.choices else f"{asked.request}, {text}"

    def _ask_time(self, text: str) -> Outcome:
        about = self._request_about(text)
        choices = [f"{about} {words}" for words in ("last 7 days", "last 30 days", "during the Halloween storm")]
        return self._ask(text, answers.Asked(answers.Question(text="For which time?", choices=choices), ()))
