"""Whether a change shows what its words say of panels and of fleets: where new lines stand, and of how many spacecraft."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.agent.answers import Answer, Edits
from helio_dagster.agent.offline.edits.forms import form, matched
from helio_dagster.agent.offline.edits.number_words import count_of
from helio_dagster.agent.offline.edits.plotted_figure import PlottedFigure
from helio_dagster.agent.offline.edits.slots import tokens_of
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.agent.planner import Current
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.pipeline_edit import apply_edits


def lost_layout(request: str, answer: Answer, current: Current) -> str:
    """The words of a layout that the lines which are added do not have; empty where they have it, or none are added."""
    words = {token.kind: request[token.first : token.last] for token in tokens_of(request)}
    beside = form("layout_kept.beside").search(request)
    if not isinstance(answer, Edits) or not (beside or words.keys() & {"together", "over", "apart"}):
        return ""
    drawn = {data for panel in _panels(current.file.pipeline) for data in panel}
    panels = _panels(apply_edits(current.file, answer.edits).pipeline)
    new = [panel - drawn for panel in panels if panel - drawn]
    if not new or not any(panel & drawn for panel in panels):
        return ""
    if beside is not None:
        return beside[0]
    is_shared = any(panel & drawn and panel - drawn for panel in panels) or any(len(each) > 1 for each in new)
    if is_shared:
        if matched("sharing.shared", request):
            return ""  # `with its own axis at the right`
        return words.get("apart", "") if not any(panel == panel - drawn for panel in panels) else ""
    return words.get("together", "") or words.get("over", "")


def lost_spacecraft(request: str, before: PlottedFigure, after: PlottedFigure, now: datetime) -> str:
    """The words for spacecraft that a change does not draw: `all four`, of which there are fewer, or a name beside new ones."""
    said = form("layout_kept.fleet").search(request)
    if said is not None:
        count = len(after.missions) if said["noun"] else most_drawn(after)
        if count < count_of(said["count"] or said["alone"] or "two"):
            return said[0]
    if {*after.missions} <= {*before.missions}:
        return ""
    drawn = (*before.missions, *after.missions)
    return next((each.name for each in read_request(request, now).all(Mission) if each.name not in drawn), "")


def most_drawn(drawn: PlottedFigure) -> int:
    """How many things of a kind a figure has: spacecraft, or lines, of which a vector is three."""
    return max(len(drawn.missions), sum(3 if line.is_whole_vector else 1 for line in drawn.lines))


def _panels(pipeline: Pipeline) -> list[set[str]]:
    """The data of each panel."""
    figures = [step.figure for step in pipeline.steps if step.figure is not None]
    return [{trace.data for trace in panel.traces} for figure in figures for panel in figure.panels]
