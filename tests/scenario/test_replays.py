"""Saved pipelines over other ranges: the same file, the same bytes, with a model or without."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from helio_dagster.launch.home import Home
from tests.scenario.processes import surroundings
from tests.scenario.scripts import ace_plan, call, code_plan
from tests.scenario.talking import Chat

Begin = Callable[..., Chat]
Script = Sequence[dict[str, Any]] | None
ACE = "ACE magnetic field magnitude for 2003-10-29"
NAME = "ace_magnetic_field_magnitude"
STORM = call("replay", name=None, time_words="the Gannon storm")


def planners(*script: dict[str, Any]) -> pytest.MarkDecorator:
    """The same conversation with the offline planner, and with a model that replies so, after a plan of |B| of ACE."""
    model = pytest.param([ace_plan(), *script], marks=pytest.mark.nightly)  # by day the tests of models alone
    return pytest.mark.parametrize("script", [None, model], ids=["offline", "model"])


@planners(STORM)
def test_another_storm_replays_the_same_file(chat: Begin, script: Script) -> None:
    """Nothing is edited; and run again, nothing is made."""
    talk = chat(script)
    talk.agree(ACE)
    before = talk.text(NAME)
    again = talk.say("the Gannon storm instead")
    assert again.status == "success"
    assert talk.text(NAME) == before
    assert again.counts["b_mag"] == (3, 0)
    assert talk.say("run").counts["b_mag"] == (0, 3)


@planners(call("replay", name=NAME, time_words="2003-11-01 to 2003-11-08"))
def test_another_range_in_two_homes_gives_the_same_bytes(chat: Begin, script: Script) -> None:
    """Tables and figures: the conversation was had twice, in two folders."""
    made = []
    for _ in range(2):
        talk = chat(script)
        talk.agree(ACE)
        done = talk.say(f"run {NAME} for 2003-11-01 to 2003-11-08")
        assert done.counts["overview"][0] == 7 or done.counts["b_mag"] == (7, 0)
        made.append((talk.tables(), talk.pages()))
    assert made[0] == made[1]
    tables, pages = made[0]
    assert len(pages) == 2
    assert sum("b_mag" in path for path in tables) == 8


def test_a_model_and_the_offline_planner_make_the_same_data(chat: Begin) -> None:
    """The tables come of the steps, not of who planned them."""
    tables = []
    for script in (None, [ace_plan()]):
        talk = chat(script)
        talk.agree(ACE)
        tables.append(talk.tables())
    assert tables[0] == tables[1]


@planners(call("replay", name=NAME, time_words="2003-10-30"))
def test_a_saved_pipeline_is_found_by_its_words(chat: Begin, script: Script) -> None:
    """In a conversation that has never heard of it."""
    first = chat()
    first.agree(ACE)
    first.close()
    later = chat(script[1:] if script else None, folder=first.folder)
    done = later.say("run my ACE magnetic field magnitude for 2003-10-30")
    assert done.status == "success", done.text("error") + done.text("clarify")
    assert done.counts["b_mag"] == (1, 0)
    assert later.saved == [NAME]


@planners(call("replay", name=None, time_words="2003-10-30"))
def test_a_draft_is_laid_for_another_time(chat: Begin, script: Script) -> None:
    """Before its approval nothing is run; the file is the same."""
    talk = chat(script)
    before = talk.say(ACE).card["yaml"]
    again = talk.say("for 2003-10-30 instead")
    assert (again.card["start"], again.card["yaml"], again.awaiting, talk.runs) == ("2003-10-30", before, "approval", 0)


def test_a_replay_of_what_is_not_there_offers_what_is(chat: Begin) -> None:
    """A name that is nearly right leads to the saved one, and nothing is run."""
    talk = chat()
    talk.agree(ACE)
    runs = talk.runs
    asked = talk.say("run my Cassini overview for January 2024")
    assert asked.status in ("question", "refused")
    assert talk.runs == runs


def test_what_a_model_planned_is_replayed_without_one(chat: Begin) -> None:
    """`helio run` in another process and another home: the same tables, and no package of a model's client is imported."""
    talk = chat([code_plan("return b.abs().max(axis=1)")])
    talk.agree("largest component of the ACE field for 2003-10-29")
    file = talk.settings.pipelines / "ace_largest_component.yaml"
    other = talk.folder / "other"
    other.mkdir()
    script = (
        "import json, sys\n"
        "from helio_dagster.cli.edge import run_app\n"
        f"code = run_app(['run', {str(file)!r}, '2003-10-29'])\n"
        "clients = {'openai', 'anthropic', 'pydantic_ai', 'google.genai', 'helio_dagster.agent.planner'}\n"
        "print(json.dumps([code, sorted(clients & set(sys.modules))]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=other,
        env=surroundings(other),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        check=False,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [0, []], done.stdout + done.stderr
    replayed = Chat(other)
    assert replayed.tables() == talk.tables()


def test_a_saved_pipeline_passes_the_check(chat: Begin) -> None:
    """The approved file has no problem, and no note that it was changed since."""
    talk = chat()
    talk.agree(ACE)
    talk.agree("make |B| red")
    home = Home(talk.settings)
    assert sorted(home.files) == [NAME]
    assert home.open(NAME)[0].approved is not None
