"""Requests for several quantities in LMN: their plan, its vectors turned into the axes of the field's minimum variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan, saying_again
from helio_dagster.agent.drafting.assembly import compute_of, name_of, step_of
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.recipes.own_positions import Planned, shown
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.pipeline import Pipeline, Step
from helio_dagster.domain.pipeline_text import pipeline_steps, pipeline_to_document
from helio_dagster.domain.yaml.document import Value

_FIELD = "b"
_CALLED = {_FIELD: "magnetic field", "e": "electric field"}
_KEEPING = (
    "resample",
    "rolling_mean",
    "rolling_statistic",
    "despike",
    "detrend",
    "butterworth",
    "convert_unit",
    "transform_frame",
)
_ASSUMED = (
    "L, M and N are those of the minimum variance analysis of the magnetic field over the whole range, which should hold one "
    "crossing; all vectors are turned into these axes. For axes that you know, give their matrix to the operation rotate."
)


def boundary_normal_plan(request: str, now: datetime, planned: Planned) -> Plan | None:
    """The plan of a request for a field and more in LMN; None where it is not one, or wants the field alone.

    Parameters
    ----------
    request, now
        The words, and when they are said.
    planned
        Plans what is left of them.

    Raises
    ------
    OpenQuestion
        The rest is not understood, or has fields of several spacecraft.
    """
    if not form("normals.phrase").search(request):
        return None
    rest = form("normals.each").sub("and ", form("normals.flow").sub("velocity", form("normals.phrase").sub(" ", request)))
    rest = " ".join(form("normals.from").sub("", rest).split()).strip(" ,")
    with saying_again("in LMN"):
        return _in_the_axes(rest, now, planned)


def _in_the_axes(rest: str, now: datetime, planned: Planned) -> Plan | None:
    """The plan of the rest with its vectors turned."""
    base = _in_one_frame(rest, now, planned)
    vectors = _vectors(base.pipeline)
    if not vectors or (len(shown(base.pipeline)) == 1 and [each.what for each in vectors.values()] == [_FIELD]):
        return None
    if not any(each.is_field for each in vectors.values()):
        base = _in_one_frame(f"magnetic field and {rest}", now, planned)
        vectors = _vectors(base.pipeline)
    fields = [step for step, each in vectors.items() if each.is_field]
    if len(fields) != 1:
        raise OpenQuestion("L, M and N are the axes of one spacecraft's field. Of which spacecraft do you want them?")
    return replace(base, pipeline=_turned(base.pipeline, fields[0], vectors), intent=None)


def _in_one_frame(rest: str, now: datetime, planned: Planned) -> Plan:
    """The plan, its vectors in one frame: in GSE where they would be in several."""
    base = planned(rest)
    found = find_span(rest, now)
    if len({each.frame for each in _vectors(base.pipeline).values()}) < 2 or found is None:
        return base
    return planned(f"{rest[: found.first].rstrip(' ,')} in GSE {rest[found.first :]}")


@dataclass(frozen=True)
class _Vector:
    """What a vector is, `b` or `electrons_velocity`, and its frame, as ids of steps say them."""

    what: str
    frame: str

    @property
    def is_field(self) -> bool:
        return self.what == _FIELD or self.what.endswith(f"_{_FIELD}")

    @property
    def words(self) -> str:
        return _CALLED.get(self.what) or self.what.replace("electrons", "electron").replace("_", " ")


def _vectors(pipeline: Pipeline) -> dict[str, _Vector]:
    """The steps that are drawn and give a vector in a frame."""
    steps = {step.id: step for step in pipeline.steps}
    found = {name: form("normals.vector").fullmatch(_root(steps, name)) for name in shown(pipeline)}
    return {
        name: _Vector(match["what"], match["frame"]) for name, match in found.items() if match and steps[name].over != "range"
    }


def _root(steps: Mapping[str, Step], name: str) -> str:
    """The step whose vector another one only averages, filters or turns."""
    compute = steps[name].compute if name in steps else None
    if compute is None or compute.operation not in _KEEPING:
        return name
    return _root(steps, next(iter(compute.step_inputs.values())))


def _turned(pipeline: Pipeline, field: str, vectors: Mapping[str, _Vector]) -> Pipeline:
    """The pipeline with its vectors along the axes of the field, each in the panel that it has, and the axes in numbers."""
    document = pipeline_to_document(pipeline)
    steps, axes = pipeline_steps(document), compute_of("minimum_variance_frame", {"vector": field})
    what = "L, M and N as the axes of maximum, intermediate and minimum variance of the field, and how sure N is"
    made = [step_of("axes", what, over="range", compute=axes)]
    turned = {name: name.replace(f"_{each.frame}", "_lmn", 1) for name, each in vectors.items()}
    for name, step in turned.items():
        rotated = compute_of("rotate", {"vector": name, "axes": "axes"})
        made.append(step_of(step, f"The {vectors[name].words} along L, M and N", over="range", compute=rotated))
    figures = [_redrawn(step, turned) for step in steps if "figure" in step]
    title = f"{pipeline.title} in LMN"
    document |= {
        "name": name_of(title),
        "title": title,
        "steps": [*(step for step in steps if "figure" not in step), *made, *figures],
        "assumptions": [*pipeline.assumptions, _ASSUMED],
    }
    return Pipeline.model_validate(document)


def _redrawn(step: dict[str, Value], turned: Mapping[str, str]) -> Value:
    """A figure with turned vectors in place of those that it draws, and the axes below."""
    figure = step["figure"]
    panels = figure["panels"] if isinstance(figure, dict) else []
    found: list[Value] = []
    for panel in panels if isinstance(panels, list) else []:
        if not isinstance(panel, dict):
            continue
        traces = [each for each in _list(panel["traces"]) if isinstance(each, dict)]
        names = [str(each["data"]) for each in traces]
        axis = panel.get("y")
        if any(name in turned for name in names) and isinstance(axis, dict) and "title" in axis:
            title = form("normals.any_frame").sub("LMN", str(axis["title"]))
            panel = {**panel, "y": {**axis, "title": title}}
        again: list[Value] = [{**each, "data": turned.get(str(each["data"]), each["data"])} for each in traces]
        found.append({**panel, "traces": again})
    plotted: Value = {**figure, "panels": [*found, {"traces": [{"data": "axes"}]}]} if isinstance(figure, dict) else figure
    return {**step, "intent": "Along L, M and N, and the axes in numbers", "figure": plotted}


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []
