"""A scripted model over a true home: samples of the synthetic archive, code tried in the sandbox, saved pipelines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.agent.answers import Edits, Plan, Replay
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.scripted import ScriptedModel, ScriptedTurn
from helio_dagster.agent.model.settings import ModelName, ModelSettings
from helio_dagster.agent.planner import Current, Knowledge, Situation
from helio_dagster.catalog.opening import open_catalog
from helio_dagster.catalog.searching import CatalogSearch
from helio_dagster.conversing import open_conversation
from helio_dagster.domain.errors import ModelMisbehaved
from helio_dagster.domain.pipeline_text import dump_pipeline, parse_pipeline
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.run_side import HomeSide
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.sessions import SessionFiles
from helio_dagster.storage.settings import Settings

from .conftest import NOW

FETCH = {
    "kind": "fetch",
    "id": "b_gse",
    "intent": "ACE field",
    "candidates": [{"archive": "demo", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}],
}
FIGURE = {"kind": "figure", "id": "overview", "intent": "draw", "panels": [{"traces": [{"data": "elevation"}]}]}
REQUEST = "the elevation of the field at ACE on 2003-10-29"
GOOD = "x, y, z = (b.iloc[:, place] for place in range(3))\nreturn np.degrees(np.arctan2(z, np.hypot(x, y)))"
BAD = 'return np.degrees(np.arctan2(b["bz"], b["bx"]))'


def elevation(body: str) -> dict[str, Any]:
    """A reply with a plan whose one computation is this code."""
    step = {"kind": "code", "id": "elevation", "intent": "Elevation", "inputs": {"b": "b_gse"}, "code": body, "unit": "deg"}
    steps = [FETCH, step, FIGURE]
    args = {"title": "Elevation of the field at ACE", "time_words": "2003-10-29", "steps": steps}
    return {"calls": [{"tool": "submit_plan", "args": args}]}


class Site:
    """A home, and planners that speak for it."""

    def __init__(self, folder: Path) -> None:
        settings = Settings.from_environment({"HELIO_HOME": str(folder / "home")}, folder)
        self.home = Home(settings)
        self.workbench = Workbench(settings)
        self.side = HomeSide(self.home, self.workbench)
        search = CatalogSearch(open_catalog(settings))
        self.knowledge = Knowledge(self.home.catalog, search, self.home.operations)
        self.events: list[Event] = []

    def ask(self, turns: list[dict[str, Any]], request: str = REQUEST, current: Current | None = None) -> Any:
        """The answer, and the model that gave it."""
        model = ScriptedModel([ScriptedTurn.model_validate(turn) for turn in turns])
        settings = ModelSettings(ModelName("scripted", "test"))
        planner = ModelPlanner(self.knowledge, settings, archive="demo", side=self.side, model=model)
        return planner.answer(Situation(request, NOW, current=current, tell=self.events.append)), model

    def told(self, stage: str) -> list[dict[str, Any]]:
        """Facts of the events of a stage."""
        return [event.facts for event in self.events if event.stage == stage]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty home."""
    made = Site(tmp_path)
    yield made
    made.workbench.close()


def test_code_is_repaired_by_what_the_sandbox_says(site: Site, tmp_path: Path) -> None:
    """The candidate is sampled; the failing code goes back with its line and the columns that there are; nothing is saved."""
    answer, model = site.ask([elevation(BAD), elevation(GOOD)])
    assert isinstance(answer, Plan)
    assert answer.pipeline.step("elevation").compute.code.strip() == GOOD
    error = str(model.requests[1][-1])
    assert "line 1" in error
    assert "Bx" in error
    assert [facts["passed"] for facts in site.told("step_tested")] == [False, True]
    assert {facts["state"] for facts in site.told("candidate")} == {"data"}
    assert any("records in a sample" in each for each in answer.pipeline.assumptions)
    assert site.home.library.names() == []


def test_code_that_never_works_is_given_up(site: Site) -> None:
    """After three repairs, with what the last one said."""
    bodies = [f'return b["no_{place}"]' for place in range(5)]
    with pytest.raises(ModelMisbehaved, match="3 repairs") as caught:
        site.ask([elevation(body) for body in bodies])
    assert "no_3" in caught.value.hint


def test_chance_is_found_out(site: Site) -> None:
    """Code whose result depends on when it runs goes back."""
    chance = "import random\nreturn b.iloc[:, 0] * random.random()"
    _, model = site.ask([elevation(chance), elevation(GOOD)])
    assert len(model.requests) == 2


def test_a_saved_pipeline_is_found_refined_and_replayed(site: Site) -> None:
    """By words, by an edit of one step, by its name for another time."""
    planned, _ = site.ask([elevation(GOOD)])
    file = parse_pipeline(dump_pipeline(planned.pipeline), file=f"{planned.pipeline.name}.yaml")
    site.side.save(file)
    red = {"kind": "edit_step", "step": "overview", "changes": {"figure.panels[0].traces[0].color": "red"}}
    edits = {"calls": [{"tool": "submit_edits", "args": {"edits": [red]}}]}
    edited, _ = site.ask([edits], "make it red", Current(file, planned.span, is_saved=True))
    assert isinstance(edited, Edits)
    found = {"calls": [{"tool": "saved_pipelines", "args": {"words": "ACE elevation"}}]}
    again = {"calls": [{"tool": "replay", "args": {"name": file.pipeline.name, "time_words": "November 2003"}}]}
    replayed, model = site.ask([found, again], "run my ACE elevation for November 2003")
    assert isinstance(replayed, Replay)
    assert replayed.name == file.pipeline.name
    assert file.pipeline.name in str(model.requests[1][-1])


def test_a_conversation_keeps_what_it_exchanged_with_a_model(tmp_path: Path) -> None:
    """Beside the session; the folder of it is a model that answers the same again."""
    refused = {"calls": [{"tool": "refuse", "args": {"reasons": ["This is only a rehearsal."]}}]}
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps([refused]))
    settings = Settings.from_environment({"HELIO_HOME": str(tmp_path / "home")}, tmp_path)
    told: list[Event] = []
    for _ in range(2):
        kept = next(settings.sessions.glob("*.model"), None)
        environment = {"HELIO_MODEL": f"scripted:{script}" if kept is None else f"recorded:{kept}"}
        with open_conversation(settings, environment, archive="demo", person="me", tell=told.append) as conversation:
            conversation.say("plot the moon")
    files = SessionFiles(settings.sessions)
    first, second = (files.exchanges(each)[0].read_text() for each in files.ids())
    assert json.loads(first)["answer"] == json.loads(second)["answer"]
    assert sum("only a rehearsal" in event.text for event in told) == 2
