"""Ask a person questions before there is a plan: at most three per request."""

from __future__ import annotations

from helio_dagster.agent import answers
from helio_dagster.agent.events import Event, Stage, Tell
from helio_dagster.agent.planner import MOST_QUESTIONS
from helio_dagster.agent.session import Asked, Outcome, Session
from helio_dagster.domain.errors import InputError


class Questions:
    """Asks on behalf of a planner.

    Parameters
    ----------
    session
        Keeps the open question; changed in place.
    tell
        Receives the question.
    """

    def __init__(self, session: Session, *, tell: Tell) -> None:
        self._session, self._tell = session, tell

    def ask(self, text: str, asked: answers.Asked) -> Outcome:
        """Ask about what the person said; notes come first, the question last.

        Raises
        ------
        InputError
            The maximum number of questions was asked.
        """
        session = self._session
        if asked.is_new:
            session.asked = None
        number = (session.asked.number if session.asked else 0) + 1
        for note in asked.notes:
            self._say("note", note)
        if number > MOST_QUESTIONS:
            session.asked = None
            hint = "Say it in one sentence: spacecraft, quantity and time, such as ACE magnetic field for 2023-01-02."
            raise InputError(f"still unclear after {MOST_QUESTIONS} questions: {asked.question.text}", hint=hint)
        about = self._request_about(text)
        session.asked = Asked(request=about, text=asked.question.text, choices=asked.question.choices, number=number)
        self._say("clarify", asked.question.text, choices=list(asked.question.choices), number=number)
        return "question"

    def ask_time(self, text: str) -> Outcome:
        """Ask for the time range of a plan."""
        about = self._request_about(text)
        choices = [f"{about} {words}" for words in ("last 7 days", "last 30 days", "during the Halloween storm")]
        return self.ask(text, answers.Asked(answers.Question(text="For which time?", choices=choices), ()))

    def _request_about(self, text: str) -> str:
        """The original request, with the answers given since."""
        asked = self._session.asked
        if asked is None or asked.request in text:
            return text
        return text if text in asked.choices else f"{asked.request}, {text}"

    def _say(self, stage: Stage, text: str, **facts: object) -> None:
        self._tell(Event(stage=stage, text=text, facts=facts))
