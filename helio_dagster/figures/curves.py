"""The curves of a panel: which columns a trace draws, their labels and colours."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Trace
from helio_dagster.domain.record_times import stamps_ns
from helio_dagster.domain.table import ColumnMeta, Scale, Status, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import is_same_unit
from helio_dagster.figures import look
from helio_dagster.figures.colors import (
    COMPONENT_COLORS,
    DASHES,
    Role,
    channel_colors,
    color_of_unit,
    series_role,
    vector_roles,
)
from helio_dagster.figures.gaps import Reach, drawn_times_ms, level_ends_ms, reach_of
from helio_dagster.figures.long_table import LongTable
from helio_dagster.figures.markup import name_as_label, unit_codes_removed
from helio_dagster.figures.overview import Overview

MAX_CHANNELS = 32
"""Columns that one trace may draw as lines."""

DEFAULT_WIDTH_PX = 1.1
_SEVERAL = 2
Ends = NDArray[np.float64]
Style = Literal["line", "points"]


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    path
        Its trace in the pipeline, such as `figure.panels[0].traces[1]`.
    quantity
        What the archive calls it, plain text: for titles.
    label
        Plain text beside the panel.
    unit, frame, scale, table_label
        As the table says.
    time_ms
        float64, shape (record,), milliseconds since 1970-01-01 UTC: where each record's point stands.
    values
        Floats, shape (record,), in `unit`; NaN where there is no value.
    role
        Which component of a vector it is, where it is one.
    is_labelled
        Whether the pipeline gives the label, which is then taken as it is.
    marker
        Shape of its points; on a line, marks every sample.
    is_stepped
        Whether the line holds each value until the next.
    reach
        How far the records reach, where known.
    lower, upper
        Ends of the spread over time, shape (record,), NaN where there is none; None for a curve without.
    overview
        Of a long range: what `time_ms` and `values` are the kept samples of.
    """

    path: str
    reference: str
    quantity: str
    label: str
    unit: str
    frame: str | None
    scale: Scale
    table_label: str
    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    style: Style
    role: Role | None
    color: str | None
    width: float
    dash: str = "solid"
    is_labelled: bool = False
    marker: str | None = None
    is_stepped: bool = False
    reach: Reach | None = None
    lower: NDArray[np.floating] | None = None
    upper: NDArray[np.floating] | None = None
    overview: Overview | None = None

    @property
    def not_positive(self) -> int:
        """How many values are not positive."""
        return self.overview.not_positive if self.overview is not None else int((self.values <= 0).sum())

    @property
    def has_only_positive(self) -> bool:
        """Whether a logarithmic axis can show all of its values, of which there is at least one."""
        return not self.not_positive and self.status == "data"

    @property
    def status(self) -> Status:
        """`empty` without records, `all_fill` without a single value, else `data`."""
        if not len(self.values):
            return "empty" if self.overview is None else "all_fill"
        return "data" if np.isfinite(self.values).any() else "all_fill"


def curves_of_trace(
    trace: Trace, table: Table, path: str, span: TimeRange | None = None, *, spread: tuple[Ends, Ends] | None = None
) -> list[Curve]:
    """One curve for each column that the trace draws, not yet distinguished from other traces' curves.

    Over time, in a `span`, its points stand at the middles of what the records reach over.

    Raises
    ------
    FigureError
        The table has no such component, nothing to draw as a line, or too many columns.
    """
    numeric = numeric_columns(table)
    columns = drawn_columns(trace, numeric, table.meta, path)
    labels = [_column_label(column, table.meta, alone=len(numeric) == 1) for column in columns]
    roles = _roles(columns, numeric, table.meta)
    if table.meta.kind == "spectrogram" or (len(columns) > 1 and None in roles):
        colors: Sequence[str | None] = channel_colors(len(columns)) if len(columns) > 1 else [None]
    else:
        colors = [None] * len(columns)
    style: Style = "points" if trace.draw == "points" or (trace.draw is None and table.meta.kind == "events") else "line"
    placed = _placed(table, [column.name for column in columns], span, is_line=style == "line")
    return [
        Curve(
            path=path,
            reference=trace.data,
            quantity=label,
            label=_given_label(trace, label, alone=len(columns) == 1),
            unit=column.unit or table.meta.unit,
            frame=table.meta.frame,
            scale=table.meta.scale,
            table_label=unit_codes_removed(table.meta.label),
            time_ms=each.time_ms,
            values=each.values,
            style=style,
            role=role,
            color=trace.color or color,
            width=trace.width or DEFAULT_WIDTH_PX,
            is_labelled=trace.label is not None,
            dash=trace.dash or "solid",
            marker=trace.marker,
            is_stepped=trace.draw == "steps",
            reach=each.reach,
            overview=each.overview,
            lower=spread[0][each.records] if spread is not None else None,
            upper=spread[1][each.records] if spread is not None else None,
        )
        for column, label, role, color, each in zip(columns, labels, roles, colors, placed, strict=True)
    ]


class _Placed(NamedTuple):
    """Points of a curve: where they stand, how far their records reach, and of what they were chosen; `records` they are of."""

    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    reach: Reach | None = None
    overview: Overview | None = None
    records: NDArray[np.intp] | slice = slice(None)


def _placed(table: Table, names: Sequence[str], span: TimeRange | None, *, is_line: bool) -> list[_Placed]:
    """The points of some columns; a line in a span shorter than the records has two of each, as its levels."""
    if isinstance(table, LongTable) and span is not None:
        none = np.empty(0)
        reach = Reach(none, none, none.astype(np.bool_)) if table.has_reach else None
        found = [table.overview(name, span) for name in names]
        return [_Placed(each.time_ms, each.values, reach, each) for each in found]
    values = [_floats(table.columns[name]) for name in names]
    if span is None:
        return [_Placed(stamps_ns(table) / 1e6, each) for each in values]
    levels = level_ends_ms(table, span) if is_line else None
    if levels is None:
        time_ms, reach = drawn_times_ms(table, span), reach_of(table)
        return [_Placed(time_ms, each, reach) for each in values]
    low, high = levels
    records = np.repeat(np.arange(len(table)), 2)
    reach = Reach(low[records], high[records], (high > low)[records])
    return [_Placed(np.stack(levels, axis=1).ravel(), each[records], reach, records=records) for each in values]


def told_apart(curves: Sequence[Curve], spacecraft: Mapping[str, str] | None = None) -> tuple[Curve, ...]:
    """The curves of one panel with distinct labels, colours and dashes.

    Where lines come from several spacecraft, labels name it (`spacecraft` says whose a reference is); where one quantity comes
    from several steps of one, they name the step. Components keep their colours, and several vectors in
    one panel differ in their dashes; anything else takes the colourway.
    """
    named = _named(_in_one_writing(curves), spacecraft or {})
    open_curves = [curve for curve in named if curve.color is None]
    roles = Counter(curve.role for curve in open_curves)
    is_each_role_once = None not in roles and max(roles.values(), default=0) == 1
    columns = Counter(curve.path for curve in open_curves)
    are_vectors = None not in roles and min(columns.values(), default=0) > 1
    dash_of = {path: DASHES[index % len(DASHES)] for index, path in enumerate(columns)}
    taken = {curve.color for curve in named}
    free = [color for color in look.COLORWAY if color not in taken] or list(look.COLORWAY)
    dressed: list[Curve] = []
    used = 0
    for curve in named:
        if curve.color is not None:
            dressed.append(curve)
        elif curve.role is not None and (len(named) == 1 or is_each_role_once):
            dressed.append(replace(curve, color=COMPONENT_COLORS[curve.role]))
        elif curve.role is not None and are_vectors:
            dressed.append(
                replace(
                    curve, color=COMPONENT_COLORS[curve.role], dash=curve.dash if curve.dash != "solid" else dash_of[curve.path]
                )
            )
        elif len(named) == 1:
            dressed.append(replace(curve, color=color_of_unit(curve.unit)))
        else:
            dressed.append(replace(curve, color=free[used % len(free)]))
            used += 1
    return tuple(dressed)


def _in_one_writing(curves: Sequence[Curve]) -> list[Curve]:
    """The same curves, each unit written as where it comes first: `nT^2/Hz` and `nT^2 Hz^-1` are one."""
    units = list(dict.fromkeys(curve.unit for curve in curves))
    first = {unit: next(other for other in units if other == unit or is_same_unit(other, unit)) for unit in units}
    return [curve if curve.unit == first[curve.unit] else replace(curve, unit=first[curve.unit]) for curve in curves]


def _named(curves: Sequence[Curve], spacecraft: Mapping[str, str]) -> list[Curve]:
    """Labels that say whose a curve is in a panel of several spacecraft, and which step it comes from where that leaves open.

    A given label stays as it is. It is left open where several steps of one spacecraft and unit are given no label, or one is
    given the same.
    """
    owners = {curve.reference: spacecraft.get(curve.reference, "") for curve in curves}
    if len({owner for owner in owners.values() if owner}) < _SEVERAL:
        owners = dict.fromkeys(owners, "")
    given = {curve.label for curve in curves if curve.is_labelled}
    steps_of: dict[tuple[str, str], set[str]] = {}
    for curve in curves:
        if not curve.is_labelled:
            steps_of.setdefault((curve.unit, owners[curve.reference]), set()).add(curve.reference)
    named = []
    for curve in curves:
        if curve.is_labelled:
            named.append(curve)
            continue
        owner = owners[curve.reference]
        label = _with_owner(curve.label, owner)
        is_open = len(steps_of[curve.unit, owner]) > 1 or label in given
        named.append(replace(curve, label=_with_step(label, curve) if is_open else label))
    return named


def _with_owner(label: str, owner: str) -> str:
    """`Wind |B|`; a label that names the spacecraft already stays."""
    return label if owner.casefold() in label.casefold() else f"{owner} {label}".strip()


def _with_step(label: str, curve: Curve) -> str:
    """The label with the step that the curve comes from, unless it is labelled so already."""
    if curve.label not in (curve.quantity, "") or curve.label == curve.reference:
        return label
    return f"{label} ({name_as_label(curve.reference)})" if label else curve.reference


def numeric_columns(table: Table) -> list[ColumnMeta]:
    """The columns of data and of counts that hold numbers."""
    return [column for column in table.meta.value_columns if table.columns[column.name].dtype.kind in "fiub"]


def drawn_columns(trace: Trace, numeric: list[ColumnMeta], meta: TableMeta, path: str) -> list[ColumnMeta]:
    """The columns that a trace draws as lines, of the `numeric` data columns of its table; FigureError where there are none."""
    if trace.component is not None:
        return [_find_component(trace.component, numeric, meta, path)]
    if not numeric:
        raise FigureError(
            f"{trace.data} holds no numbers to draw",
            where=f"{path}.data",
            hint="Give a table of events as the figure's `events`; a panel draws measurements.",
        )
    if len(numeric) > MAX_CHANNELS:
        raise FigureError(
            f"{trace.data} has {len(numeric)} columns, too many for lines",
            where=f"{path}.draw",
            hint=f"Choose one with `component` (such as {numeric[0].name}), or draw a spectrogram.",
        )
    return numeric


def _find_component(component: str, numeric: Sequence[ColumnMeta], meta: TableMeta, path: str) -> ColumnMeta:
    """The column named or labelled so, else the one component of a vector with this letter."""
    wanted = component.strip()
    exact = [column for column in numeric if wanted in (column.name, column.label)]
    alike = [column for column in numeric if wanted.lower() in (column.name.lower(), column.label.lower())]
    for found in (exact, alike):
        if len(found) == 1:
            return found[0]
    roles = _roles(numeric, numeric, meta)
    letters = {"x": "x", "r": "x", "y": "y", "t": "y", "z": "z", "n": "z", "total": "total", "magnitude": "total"}
    by_letter = [column for column, role in zip(numeric, roles, strict=True) if role and role == letters.get(wanted.lower())]
    if meta.kind == "vector" and len(by_letter) == 1:
        return by_letter[0]
    names = [column.name for column in numeric]
    near = difflib.get_close_matches(wanted, names, n=1)
    offer = f"Did you mean {near[0]}? " if near else ""
    shown = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    raise FigureError(
        f"{meta.label or 'the data'} has no component {component!r}",
        where=f"{path}.component",
        hint=f"{offer}It has: {shown or 'no numeric column'}.",
    )


def _column_label(column: ColumnMeta, meta: TableMeta, *, alone: bool) -> str:
    label = column.label or (meta.label if alone else "") or column.name
    return unit_codes_removed(label)


def _given_label(trace: Trace, label: str, *, alone: bool) -> str:
    if trace.label is None:
        return label
    return trace.label if alone else f"{trace.label} {label}"


def _roles(columns: Sequence[ColumnMeta], numeric: Sequence[ColumnMeta], meta: TableMeta) -> list[Role | None]:
    """The component that each column is, by its place in a vector or by its label."""
    if meta.kind == "vector":
        roles = vector_roles([column.label or column.name for column in numeric])
        if roles is not None:
            by_name = dict(zip((column.name for column in numeric), roles, strict=True))
            return [by_name[column.name] for column in columns]
    if meta.kind != "series":
        return [None] * len(columns)
    return [
        series_role(_column_label(column, meta, alone=len(numeric) == 1), meta.frame) or series_role(column.name, meta.frame)
        for column in columns
    ]


def _floats(values: NDArray[np.generic]) -> NDArray[np.floating]:
    return values.astype(np.float32 if values.dtype == np.float32 else np.float64, copy=False)
