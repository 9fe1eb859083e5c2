"""What shipped operations add to the contract: arithmetic in this process. Saved ones have code, in `code_operation`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Generic

from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.contract import Operation, OptionsT
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.domain.time_range import TimeRange


class ShippedOperation(Operation[OptionsT], Generic[OptionsT]):
    """An operation that comes with the package."""

    origin = "shipped"

    def apply(self, inputs: Mapping[str, Table], options: OptionsT, window: TimeRange, name: str) -> Table:
        """Result of the arithmetic inside a partition; see `Operation.apply`."""
        meta = self.result_meta({key: table.meta for key, table in inputs.items()}, options, name)
        if not meta.columns or not len(inputs[next(iter(self.inputs))]):
            return Table.empty(meta)
        return self._compute(inputs, options, meta).clip(window)

    @abstractmethod
    def _compute(self, inputs: Mapping[str, Table], options: OptionsT, meta: TableMeta) -> Table:
        """Arithmetic; the first input has records."""

    def _values(self, inputs: Mapping[str, Table], name: str) -> list[Floats]:
        """The columns of an input in the unit it must convert to, float64, shape (record,) each."""
        return self.inputs[name].values(inputs[name], operation_id=self.id)
