"""A vector made of three series, as of archives that store each component by itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import Paired
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.units import is_same_unit


class ComposeVectorOptions(Options):
    """The frame of the components."""

    frame: str | None = None
    """Coordinate frame that all three are given in; that of the inputs where not given."""


class ComposeVector(Paired[ComposeVectorOptions]):
    """Three series as the Cartesian components of one vector."""

    id = "compose_vector"
    version = 1
    summary = "A vector of three series that hold its Cartesian components."
    reference = "v = (first, second, third); record by record, nothing is computed. X of GSE is X of GSM, so either is taken."
    when = "Use it if the archive stores each component by itself and an operation takes the vector."
    inputs = {
        "first": Input(("series",), "the component along X, or R", columns=1),
        "second": Input(("series",), "the component along Y, or T", columns=1),
        "third": Input(("series",), "the component along Z, or N", columns=1),
    }
    output = "A vector in the components' unit and frame, at the times of the first; NaN where one of the three has no value."
    examples = (
        Example(
            inputs={
                "first": ExampleTable(unit="nT", frame="GSE", columns={"bx": (3, None)}),
                "second": ExampleTable(unit="nT", frame="GSE", columns={"by": (4, 1)}),
                "third": ExampleTable(unit="nT", frame="GSE", columns={"bz": (12, 1)}),
            },
            expected={"bx": (3, None), "by": (4, None), "bz": (12, None)},
            unit="nT",
            source="the three columns beside each other; a record without one of them is not a vector",
        ),
    )
    options = ComposeVectorOptions

    def _meta(self, inputs: Mapping[str, TableMeta], options: ComposeVectorOptions, name: str) -> TableMeta:
        given = [inputs[each] for each in self.inputs]
        columns = [_column(meta, each) for each, meta in zip(self.inputs, given, strict=True)]
        known = [(column, meta) for column, meta in zip(columns, given, strict=True) if meta.columns]
        units = [column.unit or meta.unit for column, meta in known]
        if not all(is_same_unit(units[0], unit) for unit in units):
            listed = ", ".join(unit or "none" for unit in units)
            raise ComputeError(
                f"{self.id} needs components of one unit, not {listed}", hint="Bring them to one unit with the operation scale."
            )
        given_frames = [meta.frame for meta in given]
        if {given_frames[0], *given_frames[1:]} == {"GSE", "GSM"} and len(set(given_frames[1:])) == 1:
            given_frames[0] = given_frames[1]  # GSE and GSM have X in common
        frames = list(dict.fromkeys(frame for frame in (options.frame, *given_frames) if frame is not None))
        if len(frames) > 1:
            hint = "Take the three components of one vector in one frame."
            raise ComputeError(f"{self.id} needs components in one frame, not {' and '.join(frames)}", hint=hint)
        names = [column.name for column in columns]
        if len(set(names)) < len(names):
            names = [f"{place}_{each}" for place, each in enumerate(names, start=1)]
        made = tuple(
            ColumnMeta(name=each, label=column.label or column.name, unit=units[0])
            for each, column in zip(names, columns, strict=True)
        )
        frame = frames[0] if frames else None
        return TableMeta(kind="vector", columns=made, label=name, unit=units[0], frame=frame, scale=given[0].scale)

    def _compute(self, inputs: Mapping[str, Table], options: ComposeVectorOptions, meta: TableMeta) -> Table:
        values = [self._matched(inputs, name, options)[0] for name in self.inputs]
        is_whole = ~np.isnan(values).any(axis=0)
        columns = {column.name: np.where(is_whole, each, np.nan) for column, each in zip(meta.columns, values, strict=True)}
        return Table(inputs["first"].time, columns, meta)


def _column(meta: TableMeta, name: str) -> ColumnMeta:
    """The one column of an input, or one of the input's name where a partition of it is missing."""
    return next((column for column in meta.columns if column.role == "data"), ColumnMeta(name=name))
