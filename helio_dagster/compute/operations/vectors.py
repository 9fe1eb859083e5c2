"""Operations on vectors: magnitude and component."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import takewhile
from typing import Any

import numpy as np
from pydantic import StrictInt

from helio_dagster.compute.operations.columns import axis_letter, cartesian, data_unit, floats, scalar_meta
from helio_dagster.compute.operations.contract import NoOptions, Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.catalog_entry import has_names
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_NO_HALO = (timedelta(0), timedelta(0))
_LONGEST_SYMBOL = 2


class Magnitude(ShippedOperation[NoOptions]):
    """Euclidean length of a vector."""

    id = "magnitude"
    version = 1
    summary = "Length of a vector of three Cartesian components."
    reference = "|v| = sqrt(vx^2 + vy^2 + vz^2), the Euclidean norm; the same in every Cartesian frame."
    when = "Use it to get the strength of a field or the speed of a flow, or to compare spacecraft or frames."
    inputs = {"vector": Input(("vector",), "the vector; a fourth column that is its total is left out", columns=3)}
    output = "A series in the vector's unit, at its times; NaN where a component is."
    examples = (
        Example(
            inputs={"vector": ExampleTable(kind="vector", unit="nT", columns={"bx": (3, None), "by": (4, 1), "bz": (12, 1)})},
            expected={"result": (13, None)},
            unit="nT",
            source="5² + 12² = 13²",
        ),
    )
    options = NoOptions

    def halo(self, options: NoOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return _NO_HALO

    def _meta(self, inputs: Mapping[str, TableMeta], options: NoOptions, name: str) -> TableMeta:
        del options
        meta = inputs["vector"]
        columns = cartesian(meta, self.id)
        unit = data_unit(meta.model_copy(update={"columns": columns}))
        return scalar_meta(name, label=_length_label(meta, columns), unit=unit or meta.unit, frame=None, scale=meta)

    def _compute(self, inputs: Mapping[str, Table], options: NoOptions, meta: TableMeta) -> Table:
        del options
        table = inputs["vector"]
        x, y, z = (floats(table, column.name) for column in cartesian(table.meta, self.id))
        return Table(table.time, {meta.columns[0].name: np.sqrt(x * x + y * y + z * z)}, meta)


class ComponentOptions(Options):
    """Which component."""

    component: str | StrictInt
    """Column name or label, an axis letter such as x, y, z, r, t, n, or the position counted from 0."""


class Component(ShippedOperation[ComponentOptions]):
    """One column of a vector or spectrogram."""

    id = "component"
    version = 1
    summary = "One component of a vector, or one bin of a spectrogram, as a series."
    reference = "v_i, the i-th component; its frame stays that of the vector."
    when = "Use it to draw one component or one bin, or to give it to an operation that takes a series."
    inputs = {"vector": Input(("vector", "series", "spectrogram"), "the table that the column is taken from")}
    output = "A series in the column's unit and the vector's frame, at its times."
    examples = (
        Example(
            inputs={"vector": ExampleTable(kind="vector", unit="nT", columns={"bx": (1, 2), "by": (3, 4), "bz": (5, None)})},
            options={"component": "z"},
            expected={"result": (5, None)},
            unit="nT",
            source="the third column",
        ),
    )
    options = ComponentOptions

    def halo(self, options: ComponentOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return _NO_HALO

    def plain_options(self, inputs: Mapping[str, TableMeta], options: ComponentOptions) -> dict[str, Any]:
        """The column by its name."""
        return {"component": _find_component(inputs["vector"], options.component).name}

    def _meta(self, inputs: Mapping[str, TableMeta], options: ComponentOptions, name: str) -> TableMeta:
        meta = inputs["vector"]
        if not has_names(meta):
            return scalar_meta(name, label=str(options.component), unit=data_unit(meta), frame=meta.frame, scale=meta)
        column = _find_component(meta, options.component)
        return scalar_meta(name, label=column.label or column.name, unit=column.unit or meta.unit, frame=meta.frame, scale=meta)

    def _compute(self, inputs: Mapping[str, Table], options: ComponentOptions, meta: TableMeta) -> Table:
        table = inputs["vector"]
        column = _find_component(table.meta, options.component)
        return Table(table.time, {meta.columns[0].name: floats(table, column.name)}, meta)


def symbol_of(columns: Sequence[ColumnMeta]) -> str:
    """`B` of components labelled Bx, By, Bz: what they share, where it is as short as a symbol; else nothing."""
    labels = [column.label or column.name for column in columns]
    letters = takewhile(lambda at: len(set(at)) == 1, zip(*labels, strict=False))
    shared = "".join(at[0] for at in letters).rstrip(" _-<(")
    return shared if 0 < len(shared) <= _LONGEST_SYMBOL else ""


def _length_label(meta: TableMeta, columns: tuple[ColumnMeta, ...]) -> str:
    """`|B|` from components labelled Bx, By, Bz; else the vector's label between bars."""
    quantity = symbol_of(columns) or meta.label
    return f"|{quantity}|" if quantity else "magnitude"


def _find_component(meta: TableMeta, wanted: str | int) -> ColumnMeta:
    columns = [column for column in meta.columns if column.role == "data"]
    names = [column.name for column in columns]
    text = str(wanted).strip()
    if text.isdecimal() and text not in names:
        if int(text) < len(columns):
            return columns[int(text)]
        raise InputError(f"there is no component {text}: positions go from 0 to {len(columns) - 1}", hint=_listing(names))
    for matches in (
        [column for column in columns if column.name == text],
        [column for column in columns if column.label == text],
        [column for column in columns if text.lower() in (column.name.lower(), column.label.lower())],
        [column for column in columns if len(text) == 1 and axis_letter(column) == text.lower()],
    ):
        if len(matches) == 1:
            return matches[0]
    raise InputError(f"there is no component {text!r}", hint=_listing(names))


def _listing(names: list[str]) -> str:
    return f"The columns are {', '.join(names)}."
