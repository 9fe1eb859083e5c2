"""Data at times that are a fixed length later or earlier than those of their measurement: shift_time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from pydantic import model_validator

from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.columns import like_meta
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import Table, TableMeta


class ShiftTimeOptions(Options):
    """How far, and which way."""

    later: Length | None = None
    """How much later each sample stands, an ISO 8601 duration such as PT35M."""
    earlier: Length | None = None
    """How much earlier each sample stands, an ISO 8601 duration such as PT35M."""

    @model_validator(mode="after")
    def _has_one_way(self) -> ShiftTimeOptions:
        if (self.later is None) == (self.earlier is None):
            raise ValueError("give one of later and earlier, such as later: PT35M")
        return self


class ShiftTime(ShippedOperation[ShiftTimeOptions]):
    """Data shifted by a fixed length of time."""

    id = "shift_time"
    version = 2
    keeps_place = False
    summary = "The same values at times that are a fixed length later or earlier."
    when = (
        "Use it to lay data of one spacecraft over those of another with a delay that is known, such as the lag that "
        "cross_correlation gives. Do not use it where the delay changes with the flow: propagate computes it."
    )
    reference = "t' = t + later, or t' = t - earlier; values, unit and frame are as they were."
    inputs = {"series": Input(("series", "vector"), "what is shifted, column by column")}
    output = "The input's kind, unit and frame, one record per record of the input, which reaches as far around its time."
    options = ShiftTimeOptions
    keeps_times = False
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (1, 3, 5)}, seconds=(0, 60, 120))},
            options={"later": "PT1M"},
            expected={"result": (1, 3, 5)},
            seconds=(60, 120, 180),
            unit="nT",
            source="by hand",
        ),
    )

    def halo(self, options: ShiftTimeOptions) -> tuple[timedelta, timedelta]:
        """What is shifted into a window comes from before it, or from after it."""
        return options.later or timedelta(0), options.earlier or timedelta(0)

    def _keeps_extents(self, meta: TableMeta) -> bool:
        return bool(meta.columns)

    def _with_extents(self, result: Table, first: Table) -> Table:
        return result.with_extents(first.extents)

    def _meta(self, inputs: Mapping[str, TableMeta], _options: ShiftTimeOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        return like_meta(meta, name, label=meta.label or name)

    def _compute(self, inputs: Mapping[str, Table], options: ShiftTimeOptions, meta: TableMeta) -> Table:
        table = inputs["series"]
        shift_ns = duration_ns(options.later) if options.later is not None else -duration_ns(options.earlier or timedelta(0))
        times = (table.time.astype("datetime64[ns]").astype("int64") + shift_ns).astype("datetime64[ns]")
        pairs = zip(meta.data_names, table.meta.data_names, strict=True)
        return Table(times, {name: table.columns[source] for name, source in pairs}, meta)
