"""Ask a person questions before there is a plan: at most three about the same thing."""

from __future__ import annotations

import re

from helio_dagster.agent import answers
from helio_dagster.agent.conversation.context import Context
from helio_dagster.agent.planner import MOST_QUESTIONS
from helio_dagster.agent.session import Asked, Outcome
from helio_dagster.domain.errors import InputError

MOST_IN_ALL = 10
"""Questions about one request, whatever they ask about: a planner that asks on and on is stuck."""
_PLAIN = re.compile(
    r"a|about|again|all|also|an|and|any|are|as|at|be|by|can|choose|could|data|did|do|does|exactly|for|from|give|has"
    r"|have|how|i|in|is|it|its|me|mean|meant|not|of|on|one|or|over|please|say|shall|should|still|tell|that|the|there"
    r"|these|they|this|those|to|understand|use|want|wanted|was|we|were|what|when|where|which|whose|why|will|with"
    r"|would|you|your"
)
"""Words that do not say what a question is about."""


def ask(context: Context, text: str, asked: answers.Asked) -> Outcome:
    """Ask about what the person said; notes come first, the question last.

    Raises
    ------
    InputError
        The maximum number of questions about the same thing was asked.
    """
    session = context.session
    if asked.is_new:
        session.asked = None
    for note in asked.notes:
        context.say("note", note)
    request, before = request_about(context, text), session.asked.topics if session.asked else []
    topic = topic_of(asked.question, request)
    number = 1 + sum(is_same_topic(topic, each) for each in before)
    if number > MOST_QUESTIONS or len(before) >= MOST_IN_ALL:
        session.asked = None
        hint = "Say it in one sentence: spacecraft, quantity and time, such as ACE magnetic field for 2023-01-02."
        count = number - 1 if number > MOST_QUESTIONS else len(before)
        raise InputError(f"still unclear after {count} questions: {asked.question.text}", hint=hint)
    choices = list(asked.question.choices)
    topics, rest = [*before, topic], asked.question.rest
    session.asked = Asked(request=request, text=asked.question.text, choices=choices, number=number, topics=topics, rest=rest)
    context.say("clarify", asked.question.text, choices=choices, number=number)
    return "question"


def ask_time(context: Context, text: str) -> Outcome:
    """Ask for the time range of a plan."""
    about = request_about(context, text)
    choices = [f"{about} {words}" for words in ("last 7 days", "last 30 days", "during the Halloween storm")]
    return ask(context, text, answers.Asked(answers.Question(text="For which time?", choices=choices), ()))


def topic_of(question: answers.Question, request: str) -> str:
    """What a question asks about, as words: those that the planner names, else its own that do not stand in the request."""
    own = _words(question.text)
    return " ".join(sorted(_words(" ".join(question.about)) or own - _words(request) or own))


def is_same_topic(topic: str, other: str) -> bool:
    """Whether two questions ask about the same, perhaps in other words: more than half of the shorter one's are shared."""
    one, two = set(topic.split()), set(other.split())
    return topic == other or 2 * len(one & two) > min(len(one), len(two))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w|-]+", text.casefold()) if _PLAIN.fullmatch(word) is None}


def request_about(context: Context, text: str) -> str:
    """The original request, with the answers given since."""
    asked = context.session.asked
    if asked is None or asked.request in text:
        return text
    return text if text in asked.choices else f"{asked.request}, {text}"
