"""Which columns of a table a trace draws, what they are called, and which component of a vector each is."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Trace
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.figures.colors import Role, series_role, vector_roles
from helio_dagster.figures.markup import unit_codes_removed

MAX_CHANNELS = 32
"""Columns that one trace may draw as lines."""


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
    roles = roles_of(numeric, numeric, meta)
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


def column_label(column: ColumnMeta, meta: TableMeta, *, alone: bool) -> str:
    """What a column is called: by its own label, by the table's where it is alone, else by its name."""
    label = column.label or (meta.label if alone else "") or column.name
    return unit_codes_removed(label)


def given_label(trace: Trace, label: str, *, alone: bool) -> str:
    """The label that the pipeline gives, before a column's own where there are several; else the column's."""
    if trace.label is None:
        return label
    return trace.label if alone else f"{trace.label} {label}"


def roles_of(columns: Sequence[ColumnMeta], numeric: Sequence[ColumnMeta], meta: TableMeta) -> list[Role | None]:
    """The component that each column is, by its place in a vector or by its label."""
    if meta.kind == "vector":
        roles = vector_roles([column.label or column.name for column in numeric])
        if roles is not None:
            by_name = dict(zip((column.name for column in numeric), roles, strict=True))
            return [by_name[column.name] for column in columns]
    if meta.kind != "series":
        return [None] * len(columns)
    return [
        series_role(column_label(column, meta, alone=len(numeric) == 1), meta.frame) or series_role(column.name, meta.frame)
        for column in columns
    ]
