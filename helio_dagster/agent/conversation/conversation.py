"""A conversation: turn what a person says into a plan, an approval, a run or an edit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from helio_dagster.agent import answers
from helio_dagster.agent.conversation.approval import Approvals
from helio_dagster.agent.conversation.command_handler import Obedience
from helio_dagster.agent.conversation.commands import is_number, read_choice, read_command, read_model
from helio_dagster.agent.conversation.drafts import Desk
from helio_dagster.agent.conversation.questions import Questions
from helio_dagster.agent.conversation.runner import Runner
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.planner import Current, Planner, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.agent.session import Outcome, Session, Usage
from helio_dagster.domain.errors import HelioError, InputError

Doable = answers.Plan | answers.Edits | answers.Replay | answers.Fork | answers.Undo | answers.Keep
LONGEST_SAID = 4000
"""Maximum number of characters in one message."""


class Conversation:
    """One person's conversation about one home.

    Parameters
    ----------
    planner
        Interprets what the person says.
    side
        Fetches, runs and saves.
    session
        What was said and decided so far; changed in place.
    keep
        Saves the session; called at every step that must not be lost.
    clock
        Gives the current time, timezone-aware.
    person
        Name of the approver.
    tell
        Hears every event as it happens.
    choose_planner
        Gives the planner for the name of a model, or for `offline`; without it the planner stays.
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
        choose_planner: Callable[[str], Planner] | None = None,
    ) -> None:
        self.session = session
        self.outcome: Outcome = "answered"
        self._planner, self._keep, self._clock, self._tell = planner, keep, clock, tell
        self._events: list[Event] = []
        self._choose_planner, self._began = choose_planner, clock()

        def keep_it() -> None:
            keep(session)

        self._questions = Questions(session, tell=self._heard)
        self._desk = Desk(side, session, tell=self._heard, keep=keep_it, clock=clock)
        approvals = Approvals(side, session, tell=self._heard, keep=keep_it, clock=clock, person=person)
        self._runner = Runner(side, session, tell=self._heard, keep=keep_it, clock=clock)
        self._obedience = Obedience(session, self._desk, approvals, self._runner, tell=self._heard)

    @property
    def planner_name(self) -> str:
        """The name of the planner."""
        return self._planner.name

    @property
    def plan_text(self) -> str | None:
        """The YAML text of the plan, or else of the current saved pipeline, for editing; None if there is neither."""
        try:
            current = self._desk.current()
        except InputError:
            return None
        return current.file.text if current else None

    def say(self, text: str) -> list[Event]:
        """Process what a person says, up to the point where the person must answer.

        Returns
        -------
        list of Event
            All events of this turn; the last one says what is awaited next.

        Raises
        ------
        StorageError
            The session itself cannot be saved; failures of a plan, a save or a run are reported as events.
        """
        self._events, self._began = [], self._clock()
        self.session.note("person", text, self._began)
        self.session.unanswered = text[:LONGEST_SAID]
        self._keep(self.session)
        try:
            self.outcome = self._hear(text)
        except HelioError as error:
            self._fail(error)
        return self._finish()

    def edited(self, text: str) -> list[Event]:
        """Take the plan as the person has edited its YAML text."""
        self._events, self._began = [], self._clock()
        self.session.note("person", "(edited the plan's file)", self._clock())
        self.session.asked = None
        try:
            self.outcome = self._desk.edited(text)
        except HelioError as error:
            self._fail(error)
        return self._finish()

    def recall(self) -> list[Event]:
        """Repeat what a continued conversation awaits: its question, plan or failure, or an interrupted run."""
        self._events, session = [], self.session
        try:
            if session.asked is not None:
                self.outcome = self._desk.waiting()
            elif session.draft is not None:
                self.outcome = self._desk.show()
            elif session.failed is not None:
                self.outcome = self._runner.offer()
            else:
                self._runner.tell_table()
                if session.unanswered and not (session.table and session.table.is_running):
                    self._say("note", f"Your last message was not answered: {session.unanswered}")
        except HelioError as error:
            self._fail(error)
        return self._events

    def broke(self, error: Exception) -> list[Event]:
        """Say that a turn ended with a bug of ours; the conversation goes on."""
        self._events = []
        problem = f"That was a bug in helio: {type(error).__name__}: {error}"
        hint = "The conversation goes on: say it in other words. `helio logs` shows the traceback, for a report."
        self._say("error", f"{problem:.400}\n  {hint}", problem=problem, hint=hint)
        self.outcome = "failed"
        return self._finish()

    def stopped(self) -> list[Event]:
        """Say how to go on after a turn was cut off with Ctrl-C; what was finished is kept."""
        was_running = any(event.stage == "run" for event in self._events)
        self._events = []
        if was_running:
            self._say("note", "Stopped. What is finished is kept. Say `retry` to go on, or say something else.")
        else:
            self._say("note", "Stopped. Say it again, or say something else.")
        self.outcome = "partial" if was_running else "failed"
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
        used.is_least |= bool(event.facts.get("is_least"))

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._heard(Event(stage=stage, text=text, facts=facts))

    def _fail(self, error: HelioError) -> None:
        self._say("error", str(error), problem=error.problem, hint=error.hint)
        self.outcome = "refused" if isinstance(error, InputError) else "failed"

    def _finish(self) -> list[Event]:
        spoken = [event.text for event in self._events if event.stage in ("clarify", "information", "error", "plan")]
        if spoken:
            self.session.note("helio", spoken[-1], self._clock())
        self.session.unanswered = ""
        self._keep(self.session)
        seconds = round((self._clock() - self._began).total_seconds(), 3)
        session = self.session
        self._say("done", "", status=self.outcome, awaiting=session.awaiting, session=session.id, seconds=seconds)
        return self._events

    def _hear(self, text: str) -> Outcome:
        if not text.strip():
            raise InputError("the message is empty", hint="Say what you want to see: ACE magnetic field for 2023-01-02.")
        if len(text) > LONGEST_SAID:
            raise InputError(f"that is longer than {LONGEST_SAID:,} characters", hint="Say it in a few sentences.")
        model = read_model(text)
        if model is not None:
            return self._choose(model)
        command = read_command(text)
        if command is not None:
            done = self._obedience.obey(command, text)
            if done is not None:
                return done
        choices = self.session.asked.choices if self.session.asked else []
        if is_number(text) and (choices or self.session.asked is None) and read_choice(text, choices) == text:
            told = f"There are {len(choices)} choices: say the number of one, or use other words."
            self._say("note", told if choices else "There are no numbered choices now.")
            return self._desk.waiting()
        return self._plan(read_choice(text, choices))

    def _choose(self, model: str) -> Outcome:
        """Say which planner plans, or plan with another from now on."""
        if model and self._choose_planner is None:
            raise InputError("the planner of this conversation is fixed", hint="Begin another one: helio chat --model NAME")
        if model and self._choose_planner is not None:
            self._planner = self._choose_planner(model)
        self._say("note", f"The planner is {self.planner_name}.", planner=self.planner_name)
        return self._desk.waiting()

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
                return self._questions.ask(text, answer)
            case answers.Refusal():
                self._say("error", "\n".join(answer.notes), hint=answer.notes[-1] if len(answer.notes) > 1 else "")
                session.asked = None
                return "refused"
        if isinstance(answer, answers.Plan) and answer.span is None:
            return self._questions.ask_time(text)
        session.asked = None
        outcome = self._follow(answer)
        if session.draft is not None:
            looked = [event.text for event in self._events if event.stage == "candidate"]
            session.draft.looked = list(dict.fromkeys([*session.draft.looked, *looked]))
        return outcome

    def _follow(self, answer: Doable) -> Outcome:
        """Carry out a planner's answer that is neither a question nor text."""
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
                return self._obedience.take_back()
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
            raise InputError("there is no current pipeline", hint="Say what you want to see, or run a saved one by name.")
        self._desk.drop_draft()
        return self._runner.run(name, answer.span)

    def _current(self) -> Current | None:
        """The current pipeline: the draft, else the saved one; None if its file is missing or invalid."""
        try:
            return self._desk.current()
        except InputError as error:
            self._say("note", f"{error} It is no longer the current pipeline.")
            self.session.table = None
            return None
