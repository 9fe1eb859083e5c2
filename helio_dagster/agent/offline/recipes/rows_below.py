"""Requests for rows of a spacecraft's position below a plot: the plan of the rest, the position, and its rows in the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.forms import form, ways
from helio_dagster.agent.offline.recipes.own_positions import Planned, shown
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_text import pipeline_steps, pipeline_to_document
from helio_dagster.domain.yaml.document import Value


def with_rows_below(request: str, now: datetime, planned: Planned) -> Plan | None:
    """The plan of a request that ends in a position, or the distance from the Sun, under the plot; None where it does not.

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
    said = {name: words or "" for name, words in match.groupdict().items()}
    distance = said.get("distance")
    asked = f"{_spacecraft(base)} {distance}" if distance else _position(said, base)
    place = planned(f"{asked} {when}".strip())
    joined = _joined(base.pipeline, place.pipeline, () if distance else ("0", "1", "2"))
    return Plan(joined, base.span, tuple(dict.fromkeys((*base.notes, *place.notes))), base.ignored)


def _position(said: Mapping[str, str], base: Plan) -> str:
    """A request for the position that the words of a form say: whose, in which frame and unit."""
    frame = said["frame"] or said["other"] or said["third"]
    who = said["who"] if said["who"] and not form("rows_below.itself").fullmatch(said["who"]) else _spacecraft(base)
    named = said["unit"] or said["length"]
    is_near_earth = frame.lower() in ("gse", "gsm", "sm", "geo")
    unit = " in km" if named.lower() == "km" else " in R_E" if named or is_near_earth else ""
    return f"{who} position{f' in {frame.upper()}' if frame else ''}{unit}"


def _spacecraft(plan: Plan) -> str:
    """Of whom a plan is: the first spacecraft that its intent names."""
    return next((each.who for each in plan.intent.targets), "") if plan.intent is not None else ""


def _joined(base: Pipeline, place: Pipeline, components: Sequence[str]) -> Pipeline:
    """The first pipeline with the steps of the second, which are rows below its figures: their components, if any."""
    document = pipeline_to_document(base)
    kept, figures = _parts(document)
    others, _ = _parts(pipeline_to_document(place))
    known = {step.id for step in base.steps}
    parts: list[dict[str, Value]] = [{"component": each} for each in components] or [{}]
    rows: list[Value] = [{"data": name, **part} for name in shown(place) for part in parts]
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
