"""A saved operation at work: the same contract as a shipped one, its arithmetic code that runs confined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from helio_dagster.compute.code_result import CodeResult
from helio_dagster.compute.operation_file import SAME, OperationFile, normalized_unit
from helio_dagster.compute.operations.columns import like_meta, scalar_meta
from helio_dagster.compute.operations.contract import Operation, Options
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.domain.errors import CodeError
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange, format_duration

if TYPE_CHECKING:
    from helio_dagster.sandbox.sandbox import Sandbox


class CodeOperation(Operation[Options]):
    """An operation out of a file.

    Parameters
    ----------
    file
        What it is and does.
    sandbox
        Gives where its code runs; without one it can be described and checked, not applied.
    """

    keeps_times = False

    def __init__(self, file: OperationFile, sandbox: Callable[[], Sandbox] | None = None) -> None:
        self.file = file
        self._sandbox = sandbox
        self.id, self.version, self.summary, self.when = file.id, file.version, file.summary, file.when
        self.reference, self.output, self.origin = file.reference, file.output.meaning, file.origin
        self.examples = tuple(file.examples)
        self.options = file.options_model()
        self.inputs = {
            name: Input(
                kinds=tuple(spec.kinds),
                meaning=spec.meaning,
                quantity=tuple(spec.quantity),
                unit=spec.unit,
                columns=spec.columns,
                frames=tuple(spec.frames),
            )
            for name, spec in file.inputs.items()
        }

    @property
    def identity(self) -> list[Any]:
        """Its id and version, and a hash of its file: one that was edited by hand is another one."""
        return [self.id, self.version, self.file.sha()]

    def confined_by(self, sandbox: Callable[[], Sandbox]) -> CodeOperation:
        """The same operation with a place to run."""
        return CodeOperation(self.file, sandbox)

    def halo(self, options: Options) -> tuple[timedelta, timedelta]:
        """As the file describes its options."""
        return self.file.reach(self.file.lookback, options), self.file.reach(self.file.lookahead, options)

    def apply(self, inputs: Mapping[str, Table], options: Options, window: TimeRange, name: str) -> Table:
        """Result of the code inside a partition; see `Operation.apply`, and `run_code` for what code can meet."""
        return self.run(inputs, options, window, name).table

    def run(self, inputs: Mapping[str, Table], options: Options, window: TimeRange, name: str) -> CodeResult:
        """The same with what the code printed."""
        if self._sandbox is None:
            raise TypeError(f"{self.id} has no place to run")
        meta = self.result_meta({key: table.meta for key, table in inputs.items()}, options, name)
        if not meta.columns or not len(inputs[next(iter(self.inputs))]):
            return CodeResult(Table.empty(meta), "", is_called=False)
        lookback, lookahead = self.halo(options)
        from helio_dagster.compute.code_step import run_code  # it imports pandas, for which a run need not wait

        found = run_code(
            self._sandbox(),
            self.file.code,
            self.code_inputs(inputs),
            window=window,
            lookback=lookback,
            lookahead=lookahead,
            unit=meta.unit,
            frame=meta.frame,
            name=name,
            options=self.code_options(options),
        )
        return CodeResult(self._as_declared(found.table, meta, window), found.printed)

    def code_inputs(self, inputs: Mapping[str, Table]) -> dict[str, Table]:
        """The inputs as the code gets them: in the units that it expects."""
        return {key: self._converted(key, inputs[key]) for key in self.inputs}

    def code_options(self, options: Options) -> dict[str, Any]:
        """The options as the code gets them: a duration is ISO 8601 text."""
        return {key: _plain(getattr(options, key)) for key in self.file.options}

    def _converted(self, name: str, table: Table) -> Table:
        """An input in the unit that the code expects; as it is where it expects none, or has no records."""
        demanded = self.inputs[name]
        if demanded.unit is None or not len(table):
            return table
        columns = demanded.used_columns(table.meta, operation_id=self.id)
        values = demanded.values(table, operation_id=self.id)
        metas = tuple(column.model_copy(update={"unit": demanded.unit}) for column in columns)
        meta = table.meta.model_copy(update={"columns": metas, "unit": demanded.unit})
        return Table(table.time, {column.name: each for column, each in zip(columns, values, strict=True)}, meta)

    def _as_declared(self, table: Table, meta: TableMeta, window: TimeRange) -> Table:
        if not len(table):
            return Table.empty(meta)
        extents, table = table.extents, table.with_extents(None)
        if len(table.columns) != len(meta.columns):
            returned = f"{len(table.columns)} columns ({', '.join(list(table.columns)[:8])})"
            raise CodeError(
                f"{self.id} returned {returned}, not {len(meta.columns)}",
                where=f"operation {self.file.reference_name}, {window}",
                hint=f"Its output says: {', '.join(meta.data_names[:8])}.",
            )
        values = [np.asarray(each) for each in table.columns.values()]
        return Table(
            table.time, {column.name: each for column, each in zip(meta.columns, values, strict=True)}, meta
        ).with_extents(extents)

    def _meta(self, inputs: Mapping[str, TableMeta], options: Options, name: str) -> TableMeta:
        del options
        first, said = inputs[next(iter(self.inputs))], self.file.output
        demanded = self.inputs[next(iter(self.inputs))].unit
        unit = normalized_unit(said.unit) if said.unit != SAME else demanded if demanded is not None else first.unit
        frame = first.frame if said.frame == SAME else said.frame
        if said.columns == [SAME]:
            return like_meta(first, name, label=name, unit=unit).model_copy(update={"frame": frame})
        if len(said.columns) < 2:
            return scalar_meta(name, label=name, unit=unit, frame=frame, scale=TableMeta(kind="series", columns=()))
        columns = tuple(ColumnMeta(name=each, label=each, unit=unit) for each in said.columns)
        return TableMeta(kind="vector", columns=columns, label=name, unit=unit, frame=frame)


def _plain(value: Any) -> Any:
    """An option as the code gets it."""
    return format_duration(value) if isinstance(value, timedelta) else value
