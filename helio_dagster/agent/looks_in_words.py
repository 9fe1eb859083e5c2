"""How a figure looks where that is not as usual, in words: a line for each panel, for the whole figure and for its paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from helio_dagster.agent.drafting.draft_panels import has_usual_colors
from helio_dagster.domain.figure import Axis, Figure, Panel, Trace
from helio_dagster.domain.figure_marks import Mark, Place
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.printing import Printing
from helio_dagster.domain.time_range import format_time

_MOST_MARKS = 3
_DASHES = {"dash": "dashed", "dot": "dotted", "dashdot": "dash-dotted", "longdash": "long dashes"}
_AXES = {"x": "x axis", "y": "y axis", "z": "colours"}
_SWITCHES = {
    "letters": ("lettered panels", "no letters"),
    "title": ("with its title", "no title"),
    "footer": ("a footer", "no footer"),
}
"""How switching on and off is reported."""


def tell_looks(pipeline: Pipeline) -> Iterator[str]:
    """Colours, scales, limits, ways of drawing and marks that are not usual, to be seen before a figure is drawn."""
    for step in pipeline.steps:
        yield from _of_figure(step.figure) if step.figure is not None else ()


def _of_figure(figure: Figure) -> Iterator[str]:
    for number, panel in enumerate(figure.panels, start=1):
        if told := looks_of(panel, is_alone=len(figure.panels) == 1):
            yield f"panel {number}: {told}"
    whole = [f"colours of lines {figure.palette}"] if figure.palette else []
    whole += [f"colours of values {figure.colormap}"] if figure.colormap else []
    whole += ["one scale of colours for all panels"] if figure.color_bar else []
    if whole:
        yield ", ".join(whole)
    if figure.print is not None and (paper := printing_in_words(figure.print)):
        yield f"on paper: {paper}"


def looks_of(panel: Panel, *, is_alone: bool = False) -> str:
    """How one panel looks, as far as that is not as usual."""
    return "; ".join(_of_panel(panel, is_alone=is_alone))


def printing_in_words(printing: Printing) -> str:
    """How a figure is put on paper: `85 mm wide, no title`."""
    return ", ".join(_setting(key, value) for key, value in printing.model_dump(mode="json", exclude_unset=True).items())


def _setting(key: str, value: str | bool | int) -> str:
    if key in _SWITCHES and isinstance(value, bool):
        return _SWITCHES[key][not value]
    if key in ("width", "height"):
        return f"{value} {'wide' if key == 'width' else 'high'}"
    return f"{value} dots per inch" if key == "dpi" else f"{key} {value}"


def _of_panel(panel: Panel, *, is_alone: bool) -> Iterator[str]:
    has_own_colors = not has_usual_colors([trace.color for trace in panel.traces])
    for trace in panel.traces:
        if told := list(_of_trace(trace, has_color=has_own_colors)):
            yield f"{trace.label or trace.data} {', '.join(told)}"
    axes: Mapping[str, Axis] = {"x": panel.x, "y": panel.y, "z": panel.z}
    for name, axis in axes.items():
        told = [axis.scale] if axis.scale is not None else []
        ends = zip(("from", "to"), axis.range or (None, None), strict=True)
        told += [f"{word} {end:g}" for word, end in ends if end is not None]
        if told:
            yield f"{_AXES[name]} {' '.join(told)}"
    marks = [_of_mark(each) for each in panel.marks]
    more = [f"{len(marks) - _MOST_MARKS} more marks"] if len(marks) > _MOST_MARKS + 1 else []
    yield from [*marks[: _MOST_MARKS if more else None], *more]
    if not is_alone and panel.height != 1:
        yield f"{panel.height:g} times as high"


def _of_trace(trace: Trace, *, has_color: bool) -> Iterator[str]:
    if has_color and trace.color is not None:
        yield trace.color
    if trace.draw in ("points", "steps"):
        yield f"as {trace.draw}"
    elif trace.marker is not None:
        yield f"with {trace.marker}s"
    if trace.dash is not None:
        yield _DASHES.get(trace.dash, trace.dash)
    if trace.width is not None:
        yield f"{trace.width:g} px wide"


def _of_mark(mark: Mark) -> str:
    text = f" {mark.text!r}" if mark.text else ""
    if mark.slope is not None:
        return f"line of slope {mark.slope}{text}"
    if mark.is_text:
        return f"text{text}"
    place = mark.x if mark.y is None else mark.y
    at = f"x = {_place(place)}" if mark.y is None and not mark.is_timed else _place(place)
    kind = [mark.color or "", _DASHES.get(mark.dash or "", mark.dash or ""), "band" if isinstance(place, tuple) else "line"]
    return f"{' '.join(filter(None, kind))}{text} at {at}"


def _place(place: Place | tuple[Place, Place] | None) -> str:
    if isinstance(place, tuple):
        return f"{_place(place[0])} to {_place(place[1])}"
    return format_time(place) if isinstance(place, datetime) else f"{place:g}"
