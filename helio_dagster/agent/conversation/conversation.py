"""A conversation: one turn after the other, each of which ends with a `done` event, however it was cut off."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from helio_dagster.agent.conversation import approval, drafts, runner
from helio_dagster.agent.conversation.command_handler import approve_and_run
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.conversation.messages import LONGEST_MESSAGE, handle_message, handle_request
from helio_dagster.agent.events import Event
from helio_dagster.agent.session import Outcome, Session
from helio_dagster.domain.errors import HelioError, InputError
from helio_dagster.domain.shortage import shortage_of
from helio_dagster.domain.time_range import TimeRange


class Conversation:
    """One person's conversation about one home.

    Parameters
    ----------
    context
        The planner, the run side, the session and the listener.
    """

    def __init__(self, context: Context) -> None:
        self.outcome: Outcome = "answered"
        self._context, self._began = context, context.clock()

    @property
    def session(self) -> Session:
        """What was said and decided so far."""
        return self._context.session

    @property
    def planner_name(self) -> str:
        """The name of the planner."""
        return self._context.planner.name

    @property
    def plan_text(self) -> str | None:
        """The YAML text to edit: an unfinished edit, the plan, or the current saved pipeline; None if there is none."""
        try:
            current = self._context.current()
        except InputError:
            return None
        return self.session.unfinished or (current.file.text if current else None)

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

        def handle() -> Outcome:
            self._context.keep()
            return handle_message(self._context, text)

        return self._turn(text, handle)

    def edited(self, text: str) -> list[Event]:
        """Take the plan as the person has edited its YAML text; a text that cannot be taken is kept for the next edit."""

        def handle() -> Outcome:
            self.session.asked = None
            try:
                return drafts.present_edited(self._context, text)
            finally:
                if self.session.unfinished:
                    self._context.say("note", "Your text is kept: `edit` opens it again.")

        return self._turn("(edited the plan's file)", handle)

    def propose(self, request: str) -> list[Event]:
        """Hand a request to the planner, as a program passes it on: it is never read as a command such as `approve`."""

        def handle() -> Outcome:
            self._context.keep()
            return handle_request(self._context, request)

        return self._turn(request, handle)

    def approve(self, digest: str) -> list[Event]:
        """Save the plan that was shown, without running it; refused where the plan is no longer the one with this digest."""

        def handle() -> Outcome:
            approval.require_shown(self._context, digest)
            self.session.asked = None
            approval.approve(self._context)
            return "success"

        return self._turn("(approved)", handle)

    def approve_and_run(self, digest: str) -> list[Event]:
        """Save the plan that was shown and run it; refused where the plan is no longer the one with this digest."""

        def handle() -> Outcome:
            approval.require_shown(self._context, digest)
            self.session.asked = None
            return approve_and_run(self._context)

        return self._turn("approve", handle)

    def take_up(self, name: str, span: TimeRange) -> list[Event]:
        """Make a saved pipeline the current one, to be run over a range; nothing is run yet."""

        def handle() -> Outcome:
            drafts.take_up(self._context, name, span)
            return "answered"

        return self._turn(f"run {name} for {span}", handle)

    def present_saved(self, name: str, span: TimeRange, remarks: tuple[str, ...]) -> list[Event]:
        """Show a saved pipeline for a range as a plan to approve."""
        return self._turn(f"run {name} for {span}", lambda: drafts.present_saved(self._context, name, span, remarks))

    def recall(self) -> list[Event]:
        """Repeat what a continued conversation awaits: its question, plan or failure, or an interrupted run."""
        context, session = self._context, self.session
        context.events = []
        try:
            if session.asked is not None:
                self.outcome = drafts.waiting(context)
            elif session.draft is not None:
                self.outcome = drafts.show(context)
            elif session.failed is not None:
                self.outcome = runner.offer_repair(context)
            else:
                runner.tell_table(context)
                if session.unanswered and not (session.table and session.table.is_running):
                    context.say("note", f"Your last message was not answered: {session.unanswered}")
        except HelioError as error:
            self._fail(error)
        return context.events

    def _turn(self, words: str, handle: Callable[[], Outcome]) -> list[Event]:
        context, session = self._context, self.session
        context.events, self._began = [], context.clock()
        session.note("person", words, self._began)
        session.unanswered = words[:LONGEST_MESSAGE]
        try:
            self.outcome = handle()
        except HelioError as error:
            self._fail(error)
        except BaseException as error:  # the end of a turn: Ctrl-C, a full disk, a bug; the caller decides what becomes of it
            self._cut_off(error)
            raise
        session.unanswered = ""
        self._finish()
        return context.events

    def _fail(self, error: HelioError) -> None:
        self._context.say("error", str(error), problem=error.problem, hint=error.hint)
        self.outcome = "refused" if isinstance(error, InputError) else "failed"

    def _cut_off(self, error: BaseException) -> None:
        """Say how to continue after a turn was cut off. Finished work is kept; a listener that has gone away is no error."""
        context = self._context
        is_running = any(event.stage == "run" for event in context.events)
        self.outcome = "partial" if is_running else "failed"
        with suppress(OSError):
            if isinstance(error, KeyboardInterrupt) and is_running:
                context.say("note", "Stopped. What is finished is kept. Say `retry` to continue, or say something else.")
            elif isinstance(error, KeyboardInterrupt):
                context.say("note", "Stopped. Say it again, or say something else.")
            elif isinstance(error, OSError) or shortage_of(error) is not None:
                context.say("error", str(shortage_of(error) or error), problem=str(error), hint="")
            else:
                problem = f"That was a bug in helio: {type(error).__name__}: {error}"
                hint = "The conversation continues: say it in other words. `helio logs` shows the traceback, for a report."
                context.say("error", f"{problem:.400}\n  {hint}", problem=problem, hint=hint)
        with suppress(OSError, HelioError):
            self._finish()

    def _finish(self) -> None:
        context, session = self._context, self.session
        spoken = [event.text for event in context.events if event.stage in ("clarify", "information", "error", "plan")]
        if spoken:
            session.note("helio", spoken[-1], context.clock())
        try:
            context.keep()
        finally:
            seconds = round((context.clock() - self._began).total_seconds(), 3)
            context.say("done", "", status=self.outcome, awaiting=session.awaiting, session=session.id, seconds=seconds)
