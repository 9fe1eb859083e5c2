"""Operations of arithmetic: difference, ratio, scale."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

import numpy as np
from pydantic import AfterValidator

from helio_dagster.compute.operations.columns import Floats, axis_letter, data_unit, floats, like_meta
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_matching import nearest_records
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.units import divide_units, is_same_unit, normalize_unit

_LONGEST = timedelta(days=31)


def _bounded(length: timedelta) -> timedelta:
    if length > _LONGEST:
        raise ValueError("a duration up to P31D is needed")
    return length


class MatchOptions(Options):
    """How the two time bases meet."""

    tolerance: Annotated[Duration, AfterValidator(_bounded)] = timedelta(minutes=1)
    """How far apart samples may meet, an ISO 8601 duration such as PT1M, up to P31D."""


class _Paired(ShippedOperation[MatchOptions]):
    """An operation on `a` and the nearest sample of `b`, at the times of `a`."""

    inputs = {
        "a": Input(("series", "vector"), "what gives the times"),
        "b": Input(("series", "vector"), "of which the sample nearest to each time of a counts"),
    }
    options = MatchOptions

    def halo(self, options: MatchOptions) -> tuple[timedelta, timedelta]:
        """The tolerance on both sides."""
        return options.tolerance, options.tolerance

    def _pairs(self, inputs: Mapping[str, Table], options: MatchOptions) -> list[tuple[Floats, Floats]]:
        """Each data column of `a` beside the matching values of `b`, NaN where none is near enough."""
        a, b = inputs["a"], inputs["b"]
        wanted = a.meta.data_names
        if not len(b):
            return [(floats(a, name), np.full(len(a), np.nan)) for name in wanted]
        index, is_near = nearest_records(a, b, tolerance_ns=duration_ns(options.tolerance))
        matched = [np.where(is_near, floats(b, name)[index], np.nan) for name in b.meta.data_names]
        if len(matched) == 1:
            matched *= len(wanted)
        return [(floats(a, name), values) for name, values in zip(wanted, matched, strict=True)]


class Difference(_Paired):
    """`a - b`."""

    id = "difference"
    version = 1
    summary = "a minus b, at the times of a, each with the nearest sample of b."
    when = "Use it to compare two spacecraft, a measurement with a model, or a series with its mean."
    reference = "d(t) = a(t) - b(t'), t' the sample of b nearest to t (the earlier of two equally near)."
    output = "The kind and unit of a at its times; the frame of both. NaN where b has no valid sample near enough."
    examples = (
        Example(
            inputs={
                "a": ExampleTable(unit="nT", columns={"a": (1, 2, 3)}),
                "b": ExampleTable(unit="nT", columns={"b": (0.5, 0.25)}, seconds=(0, 65)),
            },
            options={"tolerance": "PT10S"},
            expected={"result": (0.5, 1.75, None)},
            unit="nT",
            source="a minus the sample of b at most ten seconds away",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: MatchOptions, name: str) -> TableMeta:
        del options
        a, b = inputs["a"], inputs["b"]
        if not b.columns:
            return like_meta(a, name, label=a.label)
        if a.kind != b.kind:
            raise ComputeError(f"a is a {a.kind}, b a {b.kind}", hint="Take one component, or the magnitude, first.")
        _check_columns(a, b)
        unit_a, unit_b = data_unit(a), data_unit(b)
        if not is_same_unit(unit_a, unit_b):
            hint = "Bring one to the unit of the other with the operation scale (factor and unit)."
            raise ComputeError(f"a is in {unit_a or 'no unit'}, b in {unit_b or 'no unit'}", hint=hint)
        meta = like_meta(a, name, label=_joined(a, "−", b, name), unit=unit_a)
        return meta.model_copy(update={"frame": shared_frame(a, b), "scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: MatchOptions, meta: TableMeta) -> Table:
        pairs = self._pairs(inputs, options)
        columns = {name: a - b for name, (a, b) in zip(meta.data_names, pairs, strict=True)}
        return Table(inputs["a"].time, columns, meta)


class Ratio(_Paired):
    """`a / b`."""

    id = "ratio"
    version = 1
    summary = "a divided by b, at the times of a, each with the nearest sample of b; a vector may be divided by a series."
    when = (
        "Use it to get a share, a normalized field or a gradient between two spacecraft, or to divide a vector by its length."
    )
    reference = "r(t) = a(t) / b(t'), t' the sample of b nearest to t (the earlier of two equally near); NaN where b is 0."
    output = "The kind of a at its times, in the quotient of the units. NaN where b is 0 or has no valid sample near enough."
    examples = (
        Example(
            inputs={
                "a": ExampleTable(unit="nT", columns={"a": (1, 2, 3)}),
                "b": ExampleTable(unit="s", columns={"b": (0.5, 0, None)}),
            },
            expected={"result": (2, None, None)},
            unit="nT/s",
            source="1 / 0.5; division by 0 and by a fill",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: MatchOptions, name: str) -> TableMeta:
        del options
        a, b = inputs["a"], inputs["b"]
        if not b.columns:
            return like_meta(a, name, label=a.label, unit="")
        if a.kind == "series" and b.kind == "vector":
            raise ComputeError(
                "a series cannot be divided by a vector", hint="Take one component, or the magnitude, of b first."
            )
        if len(b.data_names) > 1:
            _check_columns(a, b)
        unit = divide_units(data_unit(a), data_unit(b))
        meta = like_meta(a, name, label=_joined(a, "/", b, name), unit=unit)
        frame = a.frame if b.kind == "series" and b.frame is None else shared_frame(a, b)
        return meta.model_copy(update={"frame": frame, "scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: MatchOptions, meta: TableMeta) -> Table:
        columns = {}
        for name, (a, b) in zip(meta.data_names, self._pairs(inputs, options), strict=True):
            quotient = np.full(len(a), np.nan)
            np.divide(a, b, out=quotient, where=b != 0)
            columns[name] = quotient
        return Table(inputs["a"].time, columns, meta)


class ScaleOptions(Options):
    """Factor, offset and the unit that they lead to."""

    factor: float = 1.0
    """Multiplies every value."""
    offset: float = 0.0
    """Is added after the factor, in the unit of the result."""
    unit: str | None = None
    """Unit of the result; the input's where not given."""


class Scale(ShippedOperation[ScaleOptions]):
    """A linear change of every value."""

    id = "scale"
    version = 1
    summary = "factor * value + offset, in a unit of your choice: unit conversion, calibration, change of sign."
    reference = "y = factor * x + offset."
    when = "Use it to change a unit, a calibration or a sign, or to state a unit that is missing."
    inputs = {"series": Input(("series", "vector", "spectrogram"), "what is changed, column by column")}
    output = "The input's kind, frame and times, in the unit given."
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="degC", columns={"v": (0, 26.85, None)})},
            options={"offset": 273.15, "unit": "K"},
            expected={"result": (273.15, 300, None)},
            unit="K",
            source="T/K = t/°C + 273.15, BIPM SI brochure (2019)",
        ),
    )
    options = ScaleOptions

    def halo(self, options: ScaleOptions) -> tuple[timedelta, timedelta]:
        """None: each record is computed by itself."""
        del options
        return timedelta(0), timedelta(0)

    def _meta(self, inputs: Mapping[str, TableMeta], options: ScaleOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        scaled = like_meta(
            meta, name, label=meta.label or name, unit=None if options.unit is None else normalize_unit(options.unit)
        )
        keeps_sign = options.factor > 0 and options.offset == 0
        return scaled if keeps_sign else scaled.model_copy(update={"scale": "linear"})

    def _compute(self, inputs: Mapping[str, Table], options: ScaleOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        data = set(table.meta.data_names)
        columns = {
            new.name: floats(table, old.name) * options.factor + options.offset if old.name in data else table.columns[old.name]
            for new, old in zip(meta.columns, table.meta.without_extent.columns, strict=True)
        }
        return Table(table.time, columns, meta)


def _check_columns(a: TableMeta, b: TableMeta) -> None:
    """Columns meet by position; their number and, where labels give them, their axes must agree."""
    columns_a = [column for column in a.columns if column.role == "data"]
    columns_b = [column for column in b.columns if column.role == "data"]
    if len(columns_a) != len(columns_b):
        hint = "Take one component, or the magnitude, of both first."
        raise ComputeError(f"a has {len(columns_a)} columns, b has {len(columns_b)}", hint=hint)
    for first, second in zip(columns_a, columns_b, strict=True):
        axes = {axis_letter(first), axis_letter(second)}
        if len(columns_a) > 1 and len(axes) == 2 and "" not in axes:
            raise ComputeError(f"{first.name} of a would meet {second.name} of b", hint="Take one component of each first.")


def shared_frame(a: TableMeta, b: TableMeta, *, names: tuple[str, str] = ("a", "b")) -> str | None:
    """The frame of both; None where one is unknown.

    Raises
    ------
    ComputeError
        They differ.
    """
    if a.frame is not None and b.frame is not None and a.frame != b.frame:
        hint = "Fetch both in the same frame, bring one to the other with the operation transform_frame, or compare magnitudes."
        raise ComputeError(f"{names[0]} is in the frame {a.frame}, {names[1]} in {b.frame}", hint=hint)
    return a.frame if a.frame == b.frame else None


def _joined(a: TableMeta, sign: str, b: TableMeta, name: str) -> str:
    """Label of a combination; the step's id where it would be no label any more, as in a long chain of them."""
    label = f"{a.label or 'a'} {sign} {b.label or 'b'}"
    return label if len(label) <= LONGEST_LABEL else name


LONGEST_LABEL = 60
"""Characters of a label that still fit beside a panel."""
