"""What a panel is: over time, of curves, of points, a map, or facts; and what cannot share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Axis, Panel, Trace
from helio_dagster.domain.table import ColumnMeta, Kind, Table, TableMeta
from helio_dagster.figures.markup import name_as_label

Form = Literal["time", "curve", "map", "points", "facts", "orbit", "polar", "calendar", "each"]
_FORM_OF_KIND: dict[Kind, Form] = {"curve": "curve", "map": "map", "points": "points", "facts": "facts"}
_KINDS_OF_FORM: dict[Form, tuple[Kind, ...]] = {
    "time": ("series", "vector"),
    "curve": ("curve",),
    "map": ("map",),
    "points": ("points",),
    "facts": ("facts",),
    "orbit": ("vector", "points"),
    "polar": ("vector", "points"),
    "calendar": ("series", "vector", "facts"),
    "each": ("series", "vector"),
}
_KINDS_ASKED_FOR: tuple[Literal["orbit", "polar", "calendar"], ...] = ("orbit", "polar", "calendar")
OWN_AXES: tuple[Form, ...] = ("curve", "map", "points", "orbit", "polar", "calendar", "each")
"""Panels that have a horizontal axis of their own."""
_WORDS: dict[Form, str] = {
    "time": "over time",
    "curve": "a curve over an axis of its own",
    "map": "a map over two axes of its own",
    "points": "points, one value over another",
    "orbit": "an orbit",
    "polar": "a map of longitudes",
    "calendar": "a calendar",
    "each": "over time",
}


def refuse_records(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> None:
    """Refuse data with several axes beside time, which no panel shows; raises FigureError."""
    for index, trace in enumerate(panel.traces):
        meta = metas.get(trace.data)
        if meta is not None and meta.kind == "nd":
            axes = ", ".join(axis.label or axis.name for axis in meta.axes)
            raise FigureError(
                f"{trace.data} has several axes beside time: {axes}",
                where=f"{path}.traces[{index}].data",
                hint="Draw a step that takes axes away: energy_spectrogram, pitch_angle_spectrogram, slice or reduce.",
            )


def trace_form(trace: Trace, meta: TableMeta) -> Form:
    """What a trace asks of its panel. Facts are drawn over time where the trace says how: `draw: points` or `line`."""
    form = _FORM_OF_KIND.get(meta.kind, "time")
    return "time" if form == "facts" and trace.draw in ("line", "points") else form


def is_event_trace(trace: Trace, meta: TableMeta) -> bool:
    """Whether a trace is drawn as shaded intervals: events of which neither a column nor a way to draw is asked for."""
    return meta.kind == "events" and trace.component is None and trace.draw is None


def panel_form(panel: Panel, metas: Sequence[TableMeta], path: str) -> Form:
    """What a panel is, by the tables of its traces; those without columns are unknown and do not count.

    Facts go with curves and points, whose fits they are; alone they are a table of text.

    Raises
    ------
    FigureError
        The traces cannot share a panel, or the panel has a horizontal axis of its own over time.
    """
    for kind in _KINDS_ASKED_FOR:
        if getattr(panel, kind) is not None:
            return kind
    known = [(index, trace) for index, (trace, meta) in enumerate(zip(panel.traces, metas, strict=True)) if meta.columns]
    forms = {index: trace_form(trace, metas[index]) for index, trace in known}
    leading = next(((forms[index], trace) for index, trace in known if forms[index] != "facts"), None)
    form: Form = leading[0] if leading else "facts" if known else "time"
    for index, trace in known:
        where = f"{path}.traces[{index}]"
        if forms[index] == "facts" and leading and form == "time":
            raise FigureError(
                f"{trace.data} holds facts, and {leading[1].data} is over time",
                where=f"{where}.data",
                hint="Write `draw: points` to show the facts over time, or give them a separate panel.",
            )
        if leading and forms[index] not in (form, "facts"):
            raise FigureError(
                f"{leading[1].data} is {_WORDS[form]}, and {trace.data} is {_WORDS[forms[index]]}",
                where=f"{where}.data",
                hint=f"Put {trace.data} into a separate panel.",
            )
    if panel.each is not None and form == "time":
        form = "each"
    if len(known) == len(metas):
        _check_x(panel, form, path)
    return form


def _check_x(panel: Panel, form: Form, path: str) -> None:
    if panel.x == Axis() or form in OWN_AXES:
        return
    problem = "a table of facts has no axes" if form == "facts" else "a panel over time shares the figure's time axis"
    raise FigureError(problem, where=f"{path}.x", hint="Remove `x`; it belongs to panels of curves, points or a map.")


def known_tables(panel: Panel, tables: Mapping[str, Table], form: Form) -> dict[str, Table]:
    """The tables of a panel; where nothing is known of one, an empty table like the others': no data is not an error."""
    metas = [tables[trace.data].meta for trace in panel.traces]
    like = next((meta for meta in metas if meta.kind in _KINDS_OF_FORM[form]), None)
    found = {}
    for trace in panel.traces:
        table = tables[trace.data]
        if not table.meta.columns:
            meta = _meta_like(like, trace, form).model_copy(update={"synthetic": table.meta.synthetic})
            table = Table.empty(meta, meta.dtypes)
        found[trace.data] = table
    return found


def _meta_like(like: TableMeta | None, trace: Trace, form: Form) -> TableMeta:
    if like is None or not like.columns:
        label = trace.label or name_as_label(trace.component or trace.data)
        column = ColumnMeta(name=trace.component or trace.data, label=label)
        return TableMeta(kind=_KINDS_OF_FORM[form][0], columns=(column,))
    if form in ("points", "facts"):
        return like
    first = next(column for column in like.columns if column.role == "data")
    named = first.model_copy(update={"name": trace.component}) if trace.component else first
    axes = tuple(column for column in like.columns if column.role == "axis")
    return like.model_copy(update={"kind": _KINDS_OF_FORM[form][0], "columns": (*axes, named), "label": ""})
