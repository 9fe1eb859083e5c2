"""Several inputs at the times of the first: what all formulas of more than one input share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Operation, Options
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.time_matching import nearest_records
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

PairedT = TypeVar("PairedT", bound=Options)


class Paired(ShippedOperation[PairedT], Generic[PairedT]):
    """An operation whose inputs meet at the times of the first, each with its nearest sample within the tolerance."""

    def halo(self, options: PairedT) -> tuple[timedelta, timedelta]:
        """The tolerance on both sides, where there is one."""
        return _tolerance(options), _tolerance(options)

    def _matched(self, inputs: Mapping[str, Table], name: str, options: PairedT) -> list[Floats]:
        """Columns of an input in its needed unit, NaN where no sample is near enough; of a missing one as many as demanded."""
        return matched(self, inputs, name, _tolerance(options))


class Formula(Paired[PairedT], Generic[PairedT]):
    """A series from several inputs, record by record.

    Where the formula has no finite value, as for a division by 0 or the root of a negative number, the result is NaN.
    """

    unit: ClassVar[str]
    label: ClassVar[str]

    def _meta(self, inputs: Mapping[str, TableMeta], options: PairedT, name: str) -> TableMeta:
        del inputs, options
        column = ColumnMeta(name=name, label=self.label, unit=self.unit)
        return TableMeta(kind="series", columns=(column,), label=self.label, unit=self.unit)

    def _compute(self, inputs: Mapping[str, Table], options: PairedT, meta: TableMeta) -> Table:
        given = self._given(inputs, options)
        with np.errstate(all="ignore"):
            values = self._formula(given, options)
            values = np.where(np.isfinite(values), values, np.nan)
        return Table(inputs[next(iter(self.inputs))].time, {meta.columns[0].name: values}, meta)

    def _given(self, inputs: Mapping[str, Table], options: PairedT) -> dict[str, list[Floats]]:
        """What the formula is given: the columns of each input at the times of the first."""
        return {name: self._matched(inputs, name, options) for name in self.inputs if name in inputs}

    @abstractmethod
    def _formula(self, given: Mapping[str, list[Floats]], options: PairedT) -> Floats:
        """The formula; each input is its columns in the needed unit, float64, shape (record,), NaN where nothing is valid.

        An optional input that is not given is missing.
        """


def matched(operation: Operation[Any], inputs: Mapping[str, Table], name: str, tolerance: timedelta) -> list[Floats]:
    """Columns of an input at the times of the first, in the needed unit: each value that of the nearest sample.

    float64, shape (record of the first,) each. NaN where no sample is within the tolerance; of an input without records as many
    columns as are demanded.
    """
    table, first, demanded = inputs[name], inputs[next(iter(operation.inputs))], operation.inputs[name]
    if not len(table):
        return [np.full(len(first), np.nan) for _ in range(demanded.columns or 1)]
    index, is_near = nearest_records(first, table, tolerance_ns=duration_ns(tolerance))
    return [np.where(is_near, values[index], np.nan) for values in demanded.values(table, operation_id=operation.id)]


def axis_column(operation: Operation[Any], meta: TableMeta, axis: str) -> ColumnMeta:
    """The column `axis` of a result that has an input of that name along it; bare where nothing is known of the input."""
    if not meta.columns:
        return ColumnMeta(name=axis, label=axis)
    (column,) = operation.inputs[axis].used_columns(meta, operation_id=operation.id)
    return ColumnMeta(name=axis, label=meta.label or column.label or column.name, unit=column.unit or meta.unit)


def _tolerance(options: Options) -> timedelta:
    return options.tolerance if isinstance(options, MatchOptions) else timedelta(0)


def strength(columns: list[Floats]) -> Floats:
    """The length of a vector given by x, y and z, or the size of a series; their unit and shape, (record,)."""
    if len(columns) == 1:
        return np.abs(columns[0])
    x, y, z = columns
    return np.asarray(np.sqrt(x * x + y * y + z * z))
