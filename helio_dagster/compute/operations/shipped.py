"""What shipped operations add to the contract: arithmetic in this process. Saved ones have code, in `code_operation`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Generic

import numpy as np

from helio_dagster.compute.one_nan import with_one_nan
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Operation, OptionsT
from helio_dagster.domain.coverage import valid_times
from helio_dagster.domain.sample_demand import WARNINGS
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


class _Shipped(Operation[OptionsT], Generic[OptionsT]):
    origin = "shipped"

    def _has_records(self, inputs: Mapping[str, Table]) -> bool:
        """Whether there is anything to compute from."""
        return len(inputs[next(iter(self.inputs))]) > 0

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        """Column of the result to its dtype where it is not float64."""
        return meta.dtypes

    def _warned(self, result: Table, inputs: Mapping[str, Table], options: OptionsT) -> Table:
        """The result, with what was too sparse for it and why else numbers are missing."""
        demands = [each for each in self.sample_demands(options) if each.input in inputs]
        said = [each.unmet for each in demands if not each.is_met_by(valid_times(inputs[each.input]))]
        said = said or list(self._reasons(inputs, result, options))
        if not said:
            return result
        attributes = {**result.meta.attributes, WARNINGS: list(dict.fromkeys(said))}
        return replace(result, meta=result.meta.model_copy(update={"attributes": attributes}))

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: OptionsT) -> Iterator[str]:
        """Why numbers of a result are missing though there were samples, such as that spacecraft lie in a plane."""
        del inputs, result, options
        yield from ()

    def _values(self, inputs: Mapping[str, Table], name: str) -> list[Floats]:
        """The columns of an input in the unit it must convert to, float64, shape (record,) each."""
        return self.inputs[name].values(inputs[name], operation_id=self.id)


class ShippedOperation(_Shipped[OptionsT], Generic[OptionsT]):
    """An operation that comes with the package and gives a record for each time."""

    def apply(self, inputs: Mapping[str, Table], options: OptionsT, window: TimeRange, name: str) -> Table:
        """Result of the arithmetic inside a partition; see `Operation.apply`."""
        meta = self.result_meta({key: table.meta for key, table in inputs.items()}, options, name)
        if not meta.columns or not self._has_records(inputs):
            return Table.empty(meta, self._dtypes(meta))
        result = with_one_nan(self._compute(inputs, options, meta))
        result = self._with_extents(result, inputs[next(iter(self.inputs))]).clip(window)
        return self._warned(result, inputs, options)

    def _with_extents(self, result: Table, first: Table) -> Table:
        """The result with the extents of the first input's records, where these differ from record to record."""
        extents = first.extents
        if extents is None or result.meta.extent is not None or self.marks_records or not self._keeps_extents(result.meta):
            return result
        places = np.searchsorted(first.time, result.time)
        return result.with_extents(extents.take(places.astype(np.intp)))

    @abstractmethod
    def _compute(self, inputs: Mapping[str, Table], options: OptionsT, meta: TableMeta) -> Table:
        """Arithmetic; the first input has records."""


class WindowOperation(_Shipped[OptionsT], Generic[OptionsT]):
    """A shipped operation that gives one result for the whole window: a curve, facts, points.

    The rows of curves and facts stand at the window's start; facts say in a column of role `stop` where it stops.
    """

    is_of_window = True

    def halo(self, options: OptionsT) -> tuple[timedelta, timedelta]:
        """Nothing outside the window is read."""
        del options
        return timedelta(0), timedelta(0)

    def apply(self, inputs: Mapping[str, Table], options: OptionsT, window: TimeRange, name: str) -> Table:
        """Result over the whole window; see `Operation.apply`. Without a record of the first input it is empty."""
        meta = self.result_meta({key: table.meta for key, table in inputs.items()}, options, name)
        inside = {key: table.clip(window) for key, table in inputs.items()}
        if not meta.columns or not self._has_records(inside):
            return Table.empty(meta, self._dtypes(meta))
        return self._warned(with_one_nan(self._compute_window(inside, options, meta, window)), inside, options)

    @abstractmethod
    def _compute_window(self, inputs: Mapping[str, Table], options: OptionsT, meta: TableMeta, window: TimeRange) -> Table:
        """Arithmetic over the window; the first input has records, all lie inside it."""
