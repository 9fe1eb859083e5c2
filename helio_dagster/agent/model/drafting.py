"""Turn a submitted plan into a pipeline file; name, grain and start are set here, not by the model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import ValidationError
from pydantic_ai import ModelRetry

from helio_dagster.agent.model.submissions import (
    CodeStep,
    DraftPlan,
    DraftStep,
    FetchStep,
    FigureStep,
    OperationStep,
    TableStep,
)
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.pipeline_text import PipelineFile, dump_pipeline, parse_pipeline
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.validation_messages import plain_faults
from helio_dagster.domain.yaml.document import Value, format_path

_LONGEST_NAME = 60


def draft_file(
    plan: DraftPlan, fetches: Mapping[str, Fetch], assumptions: Sequence[str], catalog: KnownCatalog
) -> PipelineFile:
    """The pipeline file for a plan.

    Parameters
    ----------
    plan
        The plan that the model submitted.
    fetches
        Id of a fetch step to its chosen candidate.
    assumptions
        Assumptions to record in addition to the plan's own.
    catalog
        Gives grains and start dates of datasets.

    Raises
    ------
    ModelRetry
        A step is not allowed in a pipeline.
    """
    document: dict[str, Value] = {
        "version": 1,
        "name": name_of(plan.title),
        "title": plan.title.strip(),
        "description": plan.description.strip(),
        "partitions": _grain(catalog, fetches).value,
        "assumptions": list(dict.fromkeys([*plan.assumptions, *assumptions])),
        "steps": [step_document(step, fetches) for step in plan.steps],
    }
    start = _start(catalog, fetches)
    if start is not None:
        document["start"] = format_time(start)
    try:
        pipeline = Pipeline.model_validate(document)
    except ValidationError as error:
        found = [f"{format_path(at.path)}: {at.problem}. {at.hint}".strip() for at in plain_faults(error, Pipeline)]
        raise ModelRetry("The plan is not valid:\n" + "\n".join(found[:12])) from None
    try:
        return parse_pipeline(dump_pipeline(pipeline), file=f"{pipeline.name}.yaml")
    except PipelineError as error:
        raise ModelRetry(f"The plan is not valid:\n{error}") from None


def name_of(title: str) -> str:
    """A pipeline's name from its title."""
    spelt = unicodedata.normalize("NFKD", title.replace("|B|", "magnetic field magnitude"))
    plain = re.sub(r"[^a-z0-9]+", "_", spelt.encode("ascii", "ignore").decode().lower()).strip("_")
    name = plain if re.match(r"[a-z]", plain) else f"pipeline_{plain}".strip("_")
    return name[:_LONGEST_NAME].strip("_")


def _grain(catalog: KnownCatalog, fetches: Mapping[str, Fetch]) -> Grain:
    """The longest grain among those that suit the datasets."""
    grains = []
    for fetch in fetches.values():
        entry, facts = catalog.dataset(fetch.archive, fetch.dataset), catalog.facts(fetch.archive, fetch.dataset)
        grains.append(entry.grain if entry else Grain(facts.grain.value) if facts else Grain.DAILY)
    return max(grains, key=lambda grain: grain.shortest, default=Grain.DAILY)


def _start(catalog: KnownCatalog, fetches: Mapping[str, Fetch]) -> datetime | None:
    """The first day of the datasets' data; None unless it is known for all of them."""
    starts = [catalog.start(fetch.archive, fetch.dataset) for fetch in fetches.values()]
    known = [start for start in starts if start is not None]
    if not known or len(known) < len(starts):
        return None
    return min(known).replace(hour=0, minute=0, second=0, microsecond=0)


def step_document(step: DraftStep, fetches: Mapping[str, Fetch]) -> Value:
    """A step as written in a pipeline file; a fetch uses its chosen candidate."""
    body: dict[str, Value] = {"id": step.id, "intent": step.intent}
    match step:
        case FetchStep():
            body["fetch"] = fetches[step.id].model_dump()
        case OperationStep():
            inputs: dict[str, Value] = dict(step.inputs)
            body["compute"] = {"operation": step.operation, "inputs": inputs, "options": step.options}
        case CodeStep():
            given = step.model_dump(include={"inputs", "lookback", "lookahead", "unit", "frame", "code"}, exclude_none=True)
            body["compute"] = given
        case TableStep():
            body["table"] = {"csv": step.csv, "source": step.source}
        case FigureStep():
            body["figure"] = step.model_dump(include={"panels", "events"}, exclude_none=True)
    return body
