"""What tests of the model's planner share: the packaged catalog, a run side with given answers, scripts in short form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from helio_dagster.agent.answers import Answer
from helio_dagster.agent.events import Event
from helio_dagster.agent.model.model_planner import ModelPlanner
from helio_dagster.agent.model.scripted import ScriptedModel, ScriptedTurn
from helio_dagster.agent.model.settings import ModelLimits, ModelName, ModelSettings
from helio_dagster.agent.planner import Current, Knowledge, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.assets.library import check_files
from helio_dagster.domain.inquiry import StepTrial
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_check import Findings
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.resources.operation_library import OperationLibrary
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.stand_in import StandInSide

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
DEMO = ModelSettings(ModelName("scripted", "test"))
FETCH = {
    "kind": "fetch",
    "id": "b_gse",
    "intent": "ACE magnetic field in GSE",
    "candidates": [{"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}],
}
MAGNITUDE = {"kind": "operation", "id": "b_mag", "intent": "|B|", "operation": "magnitude", "inputs": {"vector": "b_gse"}}
FIGURE = {"kind": "figure", "id": "overview", "intent": "Draw |B|", "panels": [{"traces": [{"data": "b_mag"}]}]}


def call(tool: str, **args: Any) -> dict[str, Any]:
    """A reply that is one call of a tool."""
    return {"calls": [{"tool": tool, "args": args}]}


def plan(*steps: dict[str, Any], time_words: str | None = "last week", **more: Any) -> dict[str, Any]:
    """A reply that hands in a plan; by default |B| of ACE."""
    given = {
        "title": "ACE magnetic field magnitude",
        "time_words": time_words,
        "steps": list(steps) or [FETCH, MAGNITUDE, FIGURE],
    }
    return call("submit_plan", **(given | more))


def code(body: str) -> dict[str, Any]:
    """A step whose code is to be tried."""
    return {"kind": "code", "id": "b_mag", "intent": "|B|", "inputs": {"b": "b_gse"}, "code": body, "unit": "nT"}


@dataclass(kw_only=True)
class Side(StandInSide):
    """A run side with given samples, trials and saved pipelines; running or writing is not there to be asked."""

    knowledge: Knowledge
    try_code: Callable[[str], bool | None] = lambda _: True
    """Told the code; raises what it fails of, or says whether it gave the same twice."""
    tried: list[str] = field(default_factory=list)

    def check(self, file: PipelineFile) -> Findings:
        """The true check."""
        return check_files({file.pipeline.name: file}, self.knowledge.catalog, self.knowledge.operations.get)

    def try_step(self, file: PipelineFile, step: str, span: TimeRange) -> StepTrial:
        """A trial as given."""
        self.tried.append(step)
        compute = file.pipeline.step(step).compute
        assert compute is not None
        assert compute.code is not None
        return StepTrial(step, f"{span.start:%Y-%m-%d}", 100, "", is_twice_the_same=self.try_code(compute.code))


@dataclass
class Talk:
    """One answer of a scripted planner, the model that gave it, and what was told meanwhile."""

    answer: Answer
    model: ScriptedModel
    events: list[Event]

    def told(self, stage: str) -> list[Event]:
        """The events of a stage."""
        return [event for event in self.events if event.stage == stage]

    def heard(self) -> str:
        """All that the model was sent, as one text."""
        return str(self.model.requests)


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Knowledge:
    """The packaged catalog, and the shipped operations."""
    shipped = shipped_knowledge()
    return Knowledge(shipped.catalog, shipped.search, OperationLibrary(tmp_path_factory.mktemp("operations")))


@pytest.fixture
def ask(knowledge: Knowledge) -> Callable[..., Talk]:
    """Ask a scripted planner: `ask(turns, request)`."""

    def asked(
        turns: list[dict[str, Any]],
        request: str,
        *,
        side: RunSide | None = None,
        archive: str = "cdaweb",
        limits: ModelLimits | None = None,
        events: list[Event] | None = None,
        small: ScriptedModel | None = None,
        **situation: Any,
    ) -> Talk:
        heard: list[Event] = [] if events is None else events
        model = scripted(turns)
        settings = ModelSettings(DEMO.planning, limits=limits or ModelLimits())
        planner = ModelPlanner(knowledge, settings, archive=archive, side=side, model=model, small=small)
        return Talk(planner.answer(Situation(request, NOW, tell=heard.append, **situation)), model, heard)

    return asked


@pytest.fixture
def current(knowledge: Knowledge) -> Current:
    """A pipeline on the table: |B| of ACE by code, and a figure of it."""
    return Current(
        pipeline_file(), TimeRange(datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC)), is_saved=True
    )


def scripted(turns: list[dict[str, Any]]) -> ScriptedModel:
    """A model with these replies."""
    return ScriptedModel([ScriptedTurn.model_validate(turn) for turn in turns])


def pipeline_file(name: str = "ace_b") -> PipelineFile:
    """A pipeline as it would be saved."""
    steps = [
        {"id": "b_gse", "fetch": {"archive": "cdaweb", "dataset": "AC_H0_MFI", "parameter": "BGSEc"}},
        {"id": "b_mag", "compute": {"inputs": {"b": "b_gse"}, "code": "return (b ** 2).sum(axis=1) ** 0.5", "unit": "nT"}},
        {"id": "overview", "figure": {"panels": [{"traces": [{"data": "b_mag"}]}]}},
    ]
    pipeline = Pipeline.model_validate({"version": 1, "name": name, "title": "ACE field", "steps": steps})
    return parse_pipeline(dump_pipeline(pipeline), file=f"{name}.yaml")
