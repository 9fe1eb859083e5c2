"""Errands of the command line in a conversation: citations are told, others are named as a command that can be typed."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
import typer

from helio_dagster.agent.answers import Asked, Question, Replay
from helio_dagster.cli.app import app
from tests.unit.agent.conversation.paper_home import Talk
from tests.unit.agent.conversation.test_conversation import DAY, PLAN, saved

Begin = Callable[..., Talk]
REPLAY = "run my ACE field for 2023-01-02"
CITING = [
    "cite",
    "Cite it.",
    "how do I cite this?",
    "how should we cite the data?",
    "what should I cite?",
    "show me the citations",
]
TIMES = "2023-01-02 2023-01-03"
ERRANDS = {
    "export it as csv": f"export ace_field {TIMES} --format csv -o .",
    "please save the data as netCDF": f"export ace_field {TIMES} --format netcdf -o .",
    "download the results": f"export ace_field {TIMES} --format csv -o .",
    "status": f"status ace_field {TIMES}",
    "what is stale?": f"status ace_field {TIMES}",
    "can you verify it": f"verify ace_field {TIMES}",
    "bibtex": f"cite ace_field {TIMES} --bibtex",
    "bundle it": f"bundle ace_field {TIMES}",
    "as a notebook": f"notebook ace_field {TIMES}",
    "write a Python script": f"script ace_field {TIMES}",
    "has the data changed?": "drift ace_field",
}


@pytest.fixture(name="begin")
def _begin(talk: Begin) -> Begin:
    """Begins a conversation."""
    return talk


@pytest.fixture
def replayed(begin: Begin) -> Talk:
    """A conversation about a saved pipeline that was run."""
    talk = begin([Replay(DAY, "ace_field")], saved())
    talk.say(REPLAY)
    return talk


@pytest.mark.parametrize("text", CITING)
def test_citations_are_told(replayed: Talk, text: str) -> None:
    """Of the pipeline on the table, for its range."""
    assert replayed.texts(text, "information") == [f"What to cite for ace_field, {DAY}"]


@pytest.mark.parametrize(("text", "command"), ERRANDS.items())
def test_the_command_for_an_errand_is_said_and_can_be_typed(replayed: Talk, text: str, command: str) -> None:
    """The command line knows it, its options too."""
    (note,) = replayed.texts(text, "note")
    words = shlex.split(note.partition(": ")[2])
    assert shlex.join(words) == f"helio {command}"
    group = typer.main.get_command(app)
    found = getattr(group, "commands")[words[1]]  # noqa: B009 - not in typer's types
    options = {name for each in found.params for name in each.opts}
    assert {word for word in words if word.startswith("-")} <= options


@pytest.mark.parametrize("text", ["cite", "status", "export as csv"])
def test_without_a_pipeline_there_is_nothing_to_do_that_with(begin: Begin, text: str) -> None:
    """No planner is asked."""
    (note,) = begin([]).texts(text, "note")
    assert "no pipeline yet" in note


def test_a_plan_that_is_not_saved_is_approved_first(begin: Begin) -> None:
    """Its sources can be cited all the same; nothing is written."""
    talk = begin([PLAN])
    talk.say("ACE field on 2023-01-02")
    assert "not saved yet" in talk.texts("export it", "note")[0]
    assert talk.texts("cite", "information")[0].startswith("What to cite for")
    assert talk.session.draft is not None


@pytest.mark.parametrize("text", ["save it", "store it", "please write it", "check it"])
def test_to_save_a_plan_is_no_errand(begin: Begin, text: str) -> None:
    """That is for the planner."""
    talk = begin([PLAN, Asked(Question(text="What do you mean?"))])
    talk.say("ACE field on 2023-01-02")
    assert talk.texts(text, "clarify") == ["What do you mean?"]


def test_numbers_that_are_not_there_are_said_to_be_none(replayed: Talk) -> None:
    """And how to ask for one."""
    assert "computes no numbers" in replayed.texts("facts", "note")[0]
