"""Questions are counted by what they ask about."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from helio_dagster.agent.answers import Asked, NotUnderstood, Plan, Question
from helio_dagster.agent.conversation.questions import MOST_IN_ALL, is_same_topic, topic_of
from tests.unit.agent.conversation.paper_home import Talk
from tests.unit.agent.conversation.test_conversation import PIPELINE

Begin = Callable[..., Talk]


def not_understood(word: str) -> Asked:
    """A misunderstanding."""
    return Asked(NotUnderstood.of([word], "What do you mean?").question.model_copy(update={"about": [word]}))


def test_unrelated_misunderstandings_are_no_refusal(talk: Begin) -> None:
    """Each is the first question about its words."""
    words = ["blah", "foo", "bar", "baz"]
    spoken = talk([not_understood(word) for word in words])
    for word in words:
        (asked,) = [event for event in spoken.say(word) if event.stage == "clarify"]
        assert asked.facts["number"] == 1
    assert spoken.awaiting() == "answer"


def test_what_stays_unclear_after_three_questions_is_refused(talk: Begin) -> None:
    """Also where other things were asked about in between, and in other words."""
    spoken = talk([
        Asked(Question(text="In which frame do you want Bz of ACE?")),
        not_understood("blah"),
        Asked(Question(text="Which frame do you mean?")),
        Plan(PIPELINE, None),
        Asked(Question(text="Which frame: GSE or GSM?")),
        Asked(Question(text="In which frame?")),
    ])  # fmt: skip
    for said in ("ACE Bz", "blah", "that one", "the usual", "2023-01-02"):
        spoken.say(said)
    assert spoken.awaiting() == "answer"
    assert spoken.texts("that one", "error")[0].startswith("still unclear after 3 questions: In which frame?")
    assert spoken.awaiting() == "request"


def test_a_planner_that_asks_on_and_on_is_stopped(talk: Begin) -> None:
    """Whatever it asks about."""
    spoken = talk([not_understood(f"w{number}") for number in range(MOST_IN_ALL + 1)])
    for number in range(MOST_IN_ALL):
        spoken.say(f"say {number}")
    assert spoken.awaiting() == "answer"
    assert f"after {MOST_IN_ALL} questions" in spoken.texts("and now?", "error")[0]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("For which time?", "Which time range do you mean?", True),
        ("Which frame?", "In which frame do you want Bz of ACE?", True),
        ("Which frame of ACE?", "Which quantity of ACE?", False),
        ("I do not understand 'blah'.", "I do not understand 'foo'.", False),
        ("I do not understand 'blah'. What do you mean?", "What is 'blah'?", True),
        ("For which time?", "Which spacecraft?", False),
    ],
)
def test_a_topic_is_what_is_asked_about(one: str, other: str, is_same: bool) -> None:
    """Not the words of the request, and not how it is asked."""
    topics = [topic_of(Question(text=text), "ACE Bz blah") for text in (one, other)]
    assert is_same_topic(*topics) is is_same
