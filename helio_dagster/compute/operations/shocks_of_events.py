"""Parameters of each shock of a list: shock_parameters_of_events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.find_shocks import SIDES
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import times_ns
from helio_dagster.compute.operations.shipped import ShippedOperation
from helio_dagster.compute.operations.shock_sides import (
    INPUTS,
    Measured,
    SideOptions,
    check_frames,
    demands_of_sides,
    number_columns,
    numbers_of_shock,
    numbers_of_sides,
    why_unknown,
)
from helio_dagster.compute.operations.shocks import ShockParameters
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_from_ns, duration_ns
from helio_dagster.domain.sample_demand import SampleDemand
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_RATIOS = ("density_ratio", "field_ratio")
_TYPE = "type"


class ShocksOfEventsOptions(SideOptions):
    """What counts as either side of each shock, and by which normal."""

    sides: Literal["lengths", "columns"] = "lengths"
    """lengths: averages as `clear`, `longest` and `windows` say. columns: one average of each side, from upstream_start to
    upstream_stop and from downstream_start to downstream_stop of the list, so without uncertainties; what lies farther from
    the event than clear and longest together does not count."""


class ShockParametersOfEvents(ShippedOperation[ShocksOfEventsOptions]):
    """A list of shocks with their parameters as columns."""

    id = "shock_parameters_of_events"
    version = 1
    of_one_spacecraft = ("field", "velocity", "density", "temperature")
    gives_reasons = True
    summary = "The shocks of a list, such as that of find_shocks, with normal, theta_Bn, speed and Mach numbers of each."
    when = (
        "Use it for the parameters of many shocks in one list. For one shock use shock_parameters, or rankine_hugoniot, which "
        "fits one normal to all relations."
    )
    reference = f"At the start of each event: {ShockParameters.reference}"
    inputs = {"events": Input(("events",), "the shocks"), **INPUTS}
    output = (
        "The list's own rows and columns, and those of shock_parameters; ratios that the list has already stay. With upstream: "
        "auto, upstream is before a shock of type 1 and after one of type -1, where the list says it. NaN as in "
        "shock_parameters."
    )
    options = ShocksOfEventsOptions
    examples = (
        Example(
            inputs={
                "events": ExampleTable(kind="events", seconds=(300,), columns={"type": (1,)}),
                **ShockParameters.examples[0].inputs,
            },
            options={"windows": 1, "clear": "PT1M"},
            expected={
                "type": (1,),
                **{
                    name: values
                    for name, values in ShockParameters.examples[0].expected.items()
                    if name in ("normal_x", "theta_bn", "shock_speed", "alfven_mach", "density_ratio", "pairs")
                },
            },
            seconds=(300,),
            units={"shock_speed": "km/s", "theta_bn": "deg"},
            relative=1e-5,
            source="the example of shock_parameters",
        ),
    )

    def halo(self, options: ShocksOfEventsOptions) -> tuple[timedelta, timedelta]:
        """Clear and longest, on both sides."""
        reach = duration_from_ns(duration_ns(options.clear) + duration_ns(options.longest) + 1)
        return reach, reach

    def _is_known(self, inputs: Mapping[str, TableMeta]) -> bool:
        return all(meta.columns for meta in inputs.values())

    def sample_demands(self, options: ShocksOfEventsOptions) -> tuple[SampleDemand, ...]:
        """Those of the longest average on each side."""
        return demands_of_sides(options.longest)

    def _reasons(self, inputs: Mapping[str, Table], result: Table, options: ShocksOfEventsOptions) -> Iterator[str]:
        """Why shocks of the list have no normal or no speed, each reason once."""
        del inputs
        names = [column.name for column in number_columns() if column.name in result.columns]
        for row in range(len(result)):
            if why := why_unknown({name: float(result.columns[name][row]) for name in names}, options):
                yield f"of a shock {why}"

    def _meta(self, inputs: Mapping[str, TableMeta], options: ShocksOfEventsOptions, name: str) -> TableMeta:
        check_frames(inputs)
        events = inputs["events"]
        own = {column.name for column in events.columns}
        if options.sides == "columns" and (missing := [each for each in SIDES if each not in own]):
            hint = "Give such a list, as find_shocks makes one, or write sides: lengths."
            raise ComputeError(f"{self.id}: the list has no column {missing[0]!r}", hint=hint)
        added = [column for column in number_columns() if column.name not in own or column.name not in _RATIOS]
        if taken := [column.name for column in added if column.name in own]:
            hint = "Give it the list as it was found, without parameters of shocks."
            raise ComputeError(f"{self.id}: the events already have the column {taken[0]!r}", hint=hint)
        update = {"columns": (*events.columns, *added), "label": events.label or name, "attributes": {}}
        return events.model_copy(update={**update, "frame": inputs["field"].frame})

    def _compute(self, inputs: Mapping[str, Table], options: ShocksOfEventsOptions, meta: TableMeta) -> Table:
        events = inputs["events"]
        measured = {name: (times_ns(inputs[name]), self._values(inputs, name)) for name in INPUTS if len(inputs.get(name, ()))}
        found = list(_numbers(events, measured, options))
        columns: dict[str, NDArray[np.generic]] = dict(events.columns)
        for column in meta.columns[len(events.meta.columns) :]:
            columns[column.name] = _column(column, found)
        return Table(events.time.astype("datetime64[ns]"), columns, meta)


def _column(column: ColumnMeta, found: list[dict[str, float]]) -> NDArray[np.generic]:
    """The values of a column; what is not finite is NaN, a count that is missing 0."""
    if column.role == "count":
        return np.array([each.get(column.name, 0) for each in found], dtype=np.int64)
    values = np.array([each.get(column.name, np.nan) for each in found], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def _numbers(events: Table, measured: Measured, options: ShocksOfEventsOptions) -> Iterator[dict[str, float]]:
    """The numbers of each event."""
    kinds = events.columns[_TYPE].astype(np.float64) if _TYPE in events.columns else np.full(len(events), np.nan)
    reach = duration_ns(options.clear) + duration_ns(options.longest)
    for place, (at_ns, kind) in enumerate(zip(times_ns(events).tolist(), kinds.tolist(), strict=True)):
        if options.sides == "columns":
            edges = [int(events.columns[each][place].astype("datetime64[ns]").astype(np.int64)) for each in SIDES]
            inside = [min(max(edge, at_ns - reach), at_ns + reach) for edge in edges]
            yield numbers_of_sides(measured, (inside[0], inside[1]), (inside[2], inside[3]), options)
            continue
        upstream = options.upstream
        if upstream == "auto" and np.isfinite(kind) and kind != 0:
            upstream = "before" if kind > 0 else "after"
        yield numbers_of_shock(measured, at_ns, options, upstream)
