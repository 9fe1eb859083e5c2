"""What a figure shows: panels, traces, axes. Part of the pipeline file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.figure_kinds import Calendar, Cut, Each, Orbit, Polar
from helio_dagster.domain.figure_marks import AxisRow, Dash, Mark, Spread
from helio_dagster.domain.palettes import Colormap, Palette
from helio_dagster.domain.pipeline_fields import Reference
from helio_dagster.domain.printing import Printing

RANGE_HINT = "Give two numbers, the lower one first, such as [1, 60]; `null` for an end that the data say."

PANEL_KINDS = ("orbit", "polar", "calendar", "cut", "each")
"""Keys of a panel that say how it shows its data, where that is not over time and not what the data are."""


Ends = tuple[float | None, float | None]
"""Lower and upper end of an axis; None for one that the data say."""

_LARGEST_END = 1e300


class _Strict(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Trace(_Strict):
    """One step's data in a panel."""

    data: Reference
    """Step to draw."""
    component: str | None = None
    """Draw only this column of it."""
    color: str | None = None
    """CSS colour."""
    label: str | None = None
    """Label beside the panel."""
    width: Annotated[float, Field(gt=0, le=10)] | None = None
    """Line width in pixels."""
    draw: Literal["line", "steps", "points", "spectrogram"] | None = None
    """How to draw; by the data's kind where not given. `steps` holds each value until the next."""
    dash: Dash | None = None
    """How the line is broken; it is whole, or what tells several vectors apart, where not given."""
    marker: Literal["circle", "square"] | None = None
    """Shape of points; without `draw`, marks every sample on the line."""
    error: Spread | None = None
    """One standard deviation: bars with `draw: points`, else a band around the line."""
    spread: tuple[Spread, Spread] | None = None
    """Lower and upper end of a spread, drawn as `error` is."""

    @model_validator(mode="after")
    def _check_spreads(self) -> Trace:
        if self.error is not None and self.spread is not None:
            raise ValueError("a trace has `error` or `spread`, not both")
        return self

    @property
    def spreads(self) -> list[tuple[str, Spread]]:
        """Where its spread is, by path inside the trace."""
        if self.error is not None:
            return [("error", self.error)]
        return [(f"spread[{index}]", each) for index, each in enumerate(self.spread or ())]

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A plain line says nothing of its look: the code versions of figures are made of this."""
        written: dict[str, Any] = write(self)
        optional = ("dash", "marker", "error", "spread")
        return {key: value for key, value in written.items() if value is not None or key not in optional}


class Axis(_Strict):
    """A panel's value axis, or a spectrogram's colour axis."""

    title: str | None = None
    """Title without unit; the unit is added from the data."""
    scale: Literal["linear", "log"] | None = None
    """By the data where not given."""
    range: Ends | None = None
    """Lower and upper end; by the data where not given. One of them may be `null`: `[0, null]` begins at zero."""

    @property
    def fault(self) -> str:
        """What is wrong with the range, whatever the data; nothing where it can be drawn."""
        if self.range is None:
            return ""
        given = [end for end in self.range if end is not None]
        if not given:
            return "neither end of the range is a number"
        low, high = (f"{end:g}" if end is not None else "the data" for end in self.range)
        if not all(abs(end) < _LARGEST_END for end in given) or given != sorted(set(given)):
            return f"the range from {low} to {high} holds nothing"
        if self.scale != "log" or given[0] > 0:
            return ""
        return f"a logarithmic axis cannot {'begin' if self.range[0] is not None else 'end'} at {given[0]:g}"


class Panel(_Strict):
    """One panel of a figure."""

    traces: Annotated[list[Trace], Field(min_length=1)]
    """What it shows."""
    x: Axis = Axis()
    """Horizontal axis of a panel of curves, points or a map; a panel over time shares the figure's time axis."""
    y: Axis = Axis()
    """Value axis (the bin axis for a spectrogram)."""
    z: Axis = Axis()
    """Colour axis of a spectrogram, of a map, or of points that a third value colours."""
    height: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Height relative to the other panels."""
    column: Annotated[int, Field(ge=1, le=4)] = 1
    """Its column, counted from 1 at the left; panels of one column are below each other."""
    marks: Annotated[tuple[Mark, ...], Field(max_length=100)] = ()
    """Lines, bands and texts in the panel."""
    orbit: Orbit | None = None
    """Draws positions as orbits in planes of their frame; `x`, `y` and `z` are then its coordinates."""

    polar: Polar | None = None
    """Draws positions about the Sun as a map of longitudes."""
    calendar: Calendar | None = None
    """Draws one step as a calendar of coverage, of a daily number, or of counts."""
    cut: Cut | None = None
    """Draws spectrograms as curves over their bins."""
    each: Each | None = None
    """Draws the panel once for each event of a list."""

    @model_validator(mode="after")
    def _check_kinds(self) -> Panel:
        given = [kind for kind in PANEL_KINDS if getattr(self, kind) is not None]
        if len(given) > 1:
            raise ValueError(f"a panel is one of {' and '.join(f'`{kind}`' for kind in given)}, not both")
        return self

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A panel over time says nothing of `x`, and none of a kind that it is not: code versions are made of this."""
        written: dict[str, Any] = write(self)
        for kind in PANEL_KINDS:
            if getattr(self, kind) is None:
                written.pop(kind, None)
        if self.x == Axis():
            written.pop("x", None)
        if not self.marks:
            written.pop("marks", None)
        if self.column == 1:
            written.pop("column", None)
        return written


class Figure(_Strict):
    """Stacked panels over a shared time axis."""

    panels: Annotated[list[Panel], Field(min_length=1)]
    """From top to bottom, in each column."""
    events: Reference | None = None
    """A table step whose rows are marked in every panel."""
    title: str | None = None
    """Title; the pipeline's where not given."""
    below: Annotated[tuple[AxisRow, ...], Field(max_length=12)] = ()
    """Rows of values below the time axis, such as a position."""
    color_bar: Literal["shared"] | None = None
    """Whether all spectrograms share one scale of colours; each has its own where not given."""
    palette: Palette | None = None
    """Colours of lines; the house's where not given."""
    colormap: Colormap | None = None
    """Colours of spectrograms, maps and points by a third value; viridis where not given."""
    print: Printing | None = None
    """How `helio figure` puts it on paper; the page is the same."""

    @model_validator(mode="after")
    def _check_columns(self) -> Figure:
        used = {panel.column for panel in self.panels}
        missing = next((number for number in range(1, max(used)) if number not in used), None)
        if missing is not None:
            raise ValueError(f"no panel is in column {missing}; columns are counted from 1 at the left")
        return self

    @property
    def traced(self) -> list[tuple[str, str]]:
        """The steps whose values its panels show, as (path inside the step, reference)."""
        found = []
        for row, panel in enumerate(self.panels):
            for index, trace in enumerate(panel.traces):
                at = f"figure.panels[{row}].traces[{index}]"
                found.append((f"{at}.data", trace.data))
                found += [(f"{at}.{name}.data", each.data) for name, each in trace.spreads if each.data is not None]
        return found

    @property
    def listed(self) -> list[tuple[str, str]]:
        """The lists of events that it has a panel for each of, as (path inside the step, reference)."""
        return [(f"figure.panels[{row}].each.events", each.each.events) for row, each in enumerate(self.panels) if each.each]

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A figure that nobody prints says nothing of it, nor one in the usual colours of these."""
        written: dict[str, Any] = write(self)
        for name in ("print", "color_bar", "palette", "colormap"):
            if getattr(self, name) is None:
                written.pop(name, None)
        if not self.below:
            written.pop("below", None)
        return written
