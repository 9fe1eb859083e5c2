"""A change of what is plotted, said again in words that the readers of edits know."""

from __future__ import annotations

import re

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.figure_edits import is_whole_vector
from helio_dagster.agent.offline.plotted_figure import Line, PlottedFigure
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.domain.pipeline_edit import Edit, EditPipeline
from helio_dagster.domain.time_range import TimeRange

_LINE = "(?:lines?|curves?|traces?)"
_OWNED = re.compile(rf"(?:the )?\b(?P<owner>[\w-]+)'s?(?: {_LINE})?(?: colou?r)?(?= |$)", re.IGNORECASE)
_LINES_COLOR = re.compile(rf"\b{_LINE}'s? colou?r\b", re.IGNORECASE)
_ADDED = r"(?P<verb>(?:(?:and|also|add|plus|show|plot|draw|include|with|me)\b[ ,]*)*)"
_MAGNITUDE = "(?:its|the|their) (?:magnitude|length|strength|absolute value)"
_LENGTH = re.compile(rf"{_ADDED}{_MAGNITUDE}(?P<too>(?:,? (?:too|as well|also))?)", re.IGNORECASE)
_INSTEAD = re.compile(
    rf"(?:(?:show|plot|draw|use|only|just|me)\b ?)*(?:\|b\||{_MAGNITUDE})"
    r"(?: (?:instead|only)(?: of (?:the )?(?:components?|vector))?)?",
    re.IGNORECASE,
)
_FRAMED = re.compile(
    r"(?:(?:show|plot|draw|use|make|change|turn|rotate|put|now)\b ?)*(?:(?:it|that|this|them|the (?:field|vector))\b ?)?"
    r"(?:(?:in|into|to|use) )?(?P<frame>GSE|GSM|SM|RTN|HEE|HCI|MSO|VSO|GEO|GEI)(?: (?:coordinates|frame))?(?: instead)?",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"(?:please )?(?:run|do|make|update|refresh|schedule|replay|repeat) (?:it|this|that)(?: automatically| again)? "
    r"(?:(?:every|each) (?P<unit>hour|day|night|morning|week|month)|(?P<word>hourly|daily|nightly|weekly|monthly))",
    re.IGNORECASE,
)
_NEVER = re.compile(r"(?:remove|drop|stop|turn off|switch off|cancel) (?:the|its|this) schedule", re.IGNORECASE)
_SCHEDULES = {
    **dict.fromkeys(("hour", "hourly"), "0 * * * *"),
    **dict.fromkeys(("day", "night", "morning", "daily", "nightly"), "daily"),
    **dict.fromkeys(("week", "weekly"), "weekly"),
    **dict.fromkeys(("month", "monthly"), "monthly"),
}


def said_plainly(text: str, plotted: PlottedFigure) -> str:
    """The sentence without possessives of what is plotted, and with the quantity that `its magnitude` is of."""
    owners = {word.lower() for line in plotted.lines for word in (*line.missions, line.trace.label or "", line.trace.data)}

    def owner(match: re.Match[str]) -> str:
        return match["owner"] if match["owner"].lower() in owners else match[0]

    text = _OWNED.sub(owner, _LINES_COLOR.sub("line", text))
    length = _LENGTH.fullmatch(text)
    if length is not None and (length["verb"] or length["too"]) and _draws_fields(plotted):
        return "add |B|"
    return text


def instead_of_the_field(text: str, plotted: PlottedFigure) -> tuple[str, str] | None:
    """Two sentences, where the magnitude is to be drawn in place of the one field that is; None where it is no such change."""
    match = _INSTEAD.fullmatch(text)
    is_said = match is not None and re.search(r"\b(?:instead|only|just)\b", text, re.IGNORECASE)
    if not is_said or len(plotted.lines) != 1 or not _draws_fields(plotted):
        return None
    return "add |B|", f"remove {plotted.lines[0].trace.data}"


def ask_for_frame(text: str, plotted: PlottedFigure, span: TimeRange | None) -> None:
    """Offer the request of which another frame comes, where a sentence asks what is drawn in one.

    Raises
    ------
    OpenQuestion
        It does: other data are fetched for it, so it is another plan.
    """
    match = _FRAMED.fullmatch(text)
    if match is None:
        return
    frame, when = match["frame"].upper(), str(span) if span else ""
    said = list(dict.fromkeys(name for line in plotted.lines if (name := _directed(line, plotted))))
    if not said:
        raise OpenQuestion(f"Nothing that is drawn has a direction, so it is the same in {frame}. What do you want to change?")
    choices = [f"{each} in {frame} {when}".strip() for each in said]
    raise OpenQuestion(f"In {frame} other data are plotted: that is a new plan. Which one do you want?", choices)


def _directed(line: Line, plotted: PlottedFigure) -> str:
    """What people call a line that depends on the frame; empty for others."""
    if len(line.missions) != 1 or len(line.quantities) != 1:
        return ""
    if is_whole_vector(line):
        return f"{line.missions[0]} {QUANTITY_WORDS[line.quantities[0]]}"
    steps = [step for step in plotted.upstream(line.trace.data) if step.compute and step.compute.operation == "component"]
    if line.quantities != ("magnetic_field",) or not steps or not steps[-1].compute:
        return ""
    return f"{line.missions[0]} B{steps[-1].compute.options.get('component', '')}"


def read_schedule(text: str) -> list[Edit] | None:
    """The edit that has a pipeline run by itself, or no more; None where the sentence is none."""
    match = _EVERY.fullmatch(text)
    if match is not None:
        schedule = _SCHEDULES[(match["unit"] or match["word"]).lower()]
        return [EditPipeline(kind="edit_pipeline", changes={"schedule": schedule})]
    return [EditPipeline(kind="edit_pipeline", changes={"schedule": None})] if _NEVER.fullmatch(text) else None


def _draws_fields(plotted: PlottedFigure) -> bool:
    """Whether all that is drawn are magnetic fields by their components."""
    return bool(plotted.lines) and all(
        line.quantities == ("magnetic_field",) and is_whole_vector(line) for line in plotted.lines
    )
