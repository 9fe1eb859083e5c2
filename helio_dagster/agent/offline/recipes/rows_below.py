"""Requests for rows of a spacecraft's position below a plot: the plan of the rest, the position, and its rows in the figure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.forms import form, ways
from helio_dagster.agent.offline.recipes.own_positions import Planned, shown
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_steps, pipeline_to_document
from helio_dagster.domain.yaml.document import Value


def with_rows_below(request: str, now: datetime, planned: Planned) -> Plan | None:
    """The plan of a request that ends in a position under the plot; None where it does not.

    Raises
    ------
    OpenQuestion
        The rest of the request, or the position, is not understood.
    """
    match = next(filter(None, (way.search(request) for way in ways("rows_below.rows"))), None)
    if match is None:
        return None
    rest = f"{request[: match.start()]}{request[match.end() :]}"
    found = find_span(rest, now)
    base = planned(rest)
    when = rest[found.first : found.last] if found else ""
    frame = match["frame"] or match["other"] or match["third"] or ""
    who = match["who"] if match["who"] and not form("rows_below.itself").fullmatch(match["who"]) else _spacecraft(base)
    named = match["unit"] or match["length"] or ""
    is_near_earth = frame.lower() in ("gse", "gsm", "sm", "geo")
    unit = "in km " if named.lower() == "km" else "in R_E " if named or is_near_earth else ""
    place = planned(f"{who} position {f'in {frame.upper()} ' if frame else ''}{unit}{when}".strip())
    return Plan(_joined(base.pipeline, place.pipeline), base.span, (*base.notes, *place.notes), base.ignored)


def _spacecraft(plan: Plan) -> str:
    """Of whom a plan is, by its title: `MMS1 magnetic field`."""
    return re.split(r" (?=[a-z])", plan.pipeline.title or "", maxsplit=1)[0]


def _joined(base: Pipeline, place: Pipeline) -> Pipeline:
    """The first pipeline with the steps of the position, whose components are rows below its figures."""
    document = pipeline_to_document(base)
    kept, figures = _parts(document)
    others, _ = _parts(pipeline_to_document(place))
    known = {step.id for step in base.steps}
    rows: list[Value] = [{"data": name, "component": part} for name in shown(place) for part in ("0", "1", "2")]
    for step in figures:
        figure = step["figure"]
        step["figure"] = {**figure, "below": rows} if isinstance(figure, dict) else figure
    steps: list[Value] = [*kept, *(step for step in others if step["id"] not in known), *figures]
    assumed = dict.fromkeys([*base.assumptions, *place.assumptions])
    return Pipeline.model_validate(document | {"steps": steps, "assumptions": list(assumed)})


def _parts(document: Mapping[str, Value]) -> tuple[list[dict[str, Value]], list[dict[str, Value]]]:
    """The steps of a pipeline: figures last, apart."""
    found = pipeline_steps(document)
    return [step for step in found if "figure" not in step], [step for step in found if "figure" in step]
