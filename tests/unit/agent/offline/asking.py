"""Asking the offline planner in tests: requests, changes of a pipeline on the table, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from helio_dagster.agent.answers import Answer, Asked, Edits, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, OpenRequest, Situation
from helio_dagster.agent.run_side import RunSide
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_check import Findings, examine_pipelines
from helio_dagster.domain.pipeline_edit import apply_edits
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


def ask(request: str, archive: str = "cdaweb", *, side: RunSide | None = None) -> Answer:
    """The planner's answer as of a fixed day."""
    return _answer(request, archive) if side is None else _answer_anew(request, archive, side)


def _answer_anew(request: str, archive: str, side: RunSide | None = None) -> Answer:
    return OfflinePlanner(shipped_knowledge(), archive, side).answer(Situation(request, NOW))


_answer = cache(_answer_anew)
"""Many changes are of the same few plans, which nobody alters: answers are frozen."""


def planned(request: str, archive: str = "cdaweb", *, side: RunSide | None = None) -> Pipeline:
    """The pipeline of a request that must have one; it reads back from its file and passes the check."""
    answer = ask(request, archive, side=side)
    assert isinstance(answer, Plan), answer
    assert checked(on_the_table(answer).file) == Findings()
    return answer.pipeline


def on_the_table(plan: Plan) -> Current:
    """A plan as it lies on the table."""
    file = parse_pipeline(dump_pipeline(plan.pipeline), file=f"{plan.pipeline.name}.yaml")
    assert file.pipeline == plan.pipeline
    return Current(file, plan.span, is_saved=False, intent=plan.intent, assumed=plan.assumed)


def checked(file: PipelineFile) -> Findings:
    """What is wrong with a pipeline by itself."""
    return examine_pipelines({file.pipeline.name: file}, get_operation, shipped_knowledge().catalog)


def refine(given: str, request: str, archive: str = "cdaweb") -> Answer:
    """The answer to a request while the plan of another is on the table."""
    before = ask(given, archive)
    assert isinstance(before, Plan), before
    planner = OfflinePlanner(shipped_knowledge(), archive)
    return planner.answer(Situation(request, NOW, current=on_the_table(before)))


def replied(given: str, request: str, said: str) -> Answer:
    """The answer to what a person says to the question that a change of a plan led to."""
    before, asked = ask(given), refine(given, request)
    assert isinstance(before, Plan), before
    assert isinstance(asked, Asked), asked
    planner = OfflinePlanner(shipped_knowledge())
    return planner.answer(Situation(said, NOW, current=on_the_table(before), open=OpenRequest(request, asked.question, 1)))


def edited(given: str, request: str) -> Pipeline:
    """The pipeline that a change leads to; it passes the check."""
    before = ask(given)
    assert isinstance(before, Plan), before
    answer = refine(given, request)
    assert isinstance(answer, Edits), answer
    file = apply_edits(on_the_table(before).file, list(answer.edits))
    assert checked(file).problems == []
    return file.pipeline


def complete(request: str, said: str) -> Answer:
    """The answer to what a person says to the question that a request led to."""
    asked = ask(request)
    assert isinstance(asked, Asked), asked
    planner = OfflinePlanner(shipped_knowledge())
    return planner.answer(Situation(said, NOW, open=OpenRequest(request, asked.question, 1)))


def chain(pipeline: Pipeline) -> list[str]:
    """Each step as `id=dataset/parameter` or `id=operation(input)`."""
    shown = []
    for step in pipeline.steps:
        if step.fetch:
            shown.append(f"{step.id}={step.fetch.dataset}/{step.fetch.parameter}")
        elif step.compute:
            given = ",".join([*step.compute.step_inputs.values(), *(str(value) for value in step.compute.options.values())])
            shown.append(f"{step.id}={step.compute.operation}({given})")
    return shown


def panels(pipeline: Pipeline) -> list[str]:
    """What each panel draws."""
    figure = pipeline.steps[-1].figure
    assert figure is not None
    return ["+".join(trace.data for trace in panel.traces) for panel in figure.panels]


def drawn_at(pipeline: Pipeline, place: Sequence[int]) -> dict[str, object]:
    """The trace at a panel and a place in it, as its file has it."""
    figure = pipeline.steps[-1].figure
    assert figure is not None
    return figure.panels[place[0]].traces[place[1]].model_dump(exclude_none=True)
