"""Where the spacecraft of a recipe is: by kernels of its mission, else by a dataset of the catalog."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.offline.recipes.vocabulary import RecipeStep
from helio_dagster.domain.bodies import find_body
from helio_dagster.domain.ephemeris import SPICE_ARCHIVE
from helio_dagster.domain.errors import InputError, UnknownDataset
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.yaml.document import Value

Planned = Callable[[str], Plan]
"""The plan of a request in words, or an OpenQuestion."""


def shown(pipeline: Pipeline) -> list[str]:
    """The steps that the figures of a pipeline draw, from top to bottom, each once."""
    figures = [step.figure for step in pipeline.steps if step.figure is not None]
    names = [str(trace.data) for figure in figures for panel in figure.panels for trace in panel.traces]
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class OwnPlace:
    """The plan of a spacecraft's positions, the step that gives them, what is assumed, and how far samples may be apart."""

    plan: Plan
    step: str
    assumed: str
    gap: str

    def reaching(self, step: RecipeStep) -> RecipeStep:
        """A step whose positions may be as far apart as these are."""
        return step.model_copy(update={"options": {**step.options, "position_gap": self.gap}})


def place_of(who: str, when: str, planned: Planned) -> OwnPlace:
    """Where a spacecraft is, on which the axes of RTN depend: by kernels where there are any, else by the catalog."""
    try:
        body = find_body(who, of_demo=False)
    except UnknownDataset:
        return _catalogued_place(who, when, planned)
    fetch: dict[str, Value] = {
        "archive": SPICE_ARCHIVE,
        "target": body.name,
        "observer": "SUN",
        "frame": "HCI",
        "cadence": "PT10M",
    }
    step: Value = {"id": "place", "intent": f"Position of {body.label} in HCI", "fetch": fetch}
    pipeline = Pipeline.model_validate(
        {"version": 1, "name": "place", "title": "Place", "partitions": "daily", "steps": [step]}
    )
    assumed = "R, T and N are those of the spacecraft's position, from SPICE kernels of its mission."
    return OwnPlace(Plan(pipeline, None), "place", assumed, "PT30M")


def _catalogued_place(who: str, when: str, planned: Planned) -> OwnPlace:
    try:
        plan = planned(f"{who} position in GSE {when}")
    except (OpenQuestion, InputError):
        plan = None
    drawn = shown(plan.pipeline) if plan is not None else []
    if plan is None or len(drawn) != 1:
        raise OpenQuestion(
            f"RTN needs the position of {who}, of which I know neither kernels nor a dataset. Which spacecraft do you want?"
        )
    sources = [step.fetch.dataset for step in plan.pipeline.steps if step.fetch is not None]
    assumed = f"R, T and N are those of the spacecraft's position, from {', '.join(dict.fromkeys(sources))}."
    return OwnPlace(plan, drawn[0], assumed, "PT2H")
