"""How the size of differences grows with the lag between samples: structure_function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field

from helio_dagster.compute.even_means import log_spaced, slot_means, structure
from helio_dagster.compute.operations.averages import Length
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import count_column, curve_meta, curve_table, fact, times_ns
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.fine_duration import duration_ns
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import raise_unit

MOST_SLOTS = 2**24


class StructureFunctionOptions(Options):
    """Which power, and which lags."""

    order: Annotated[int, Field(ge=1, le=6)] = 2
    """The power of the differences, 1 to 6; the higher it is, the more samples it needs."""
    longest_lag: Length | None = None
    """The longest lag, an ISO 8601 duration such as PT1H; by default a tenth of the window."""
    cadence: Length | None = None
    """Length of the slots in which samples are averaged, and the shortest lag, an ISO 8601 duration such as PT1S; by default
    the median distance of valid samples."""
    per_decade: Annotated[int, Field(ge=1, le=50)] = 10
    """Lags per decade, 1 to 50, as far as they are whole numbers of slots."""
    min_pairs: Annotated[int, Field(ge=2)] = 10
    """Lags at which fewer pairs of slots meet give NaN."""


class StructureFunction(WindowOperation[StructureFunctionOptions]):
    """Mean power of differences over lag, with their flatness."""

    id = "structure_function"
    version = 1
    summary = "Structure function of a series or vector over a whole window: mean power of differences over lag, and flatness."
    when = (
        "Use it for the scaling of turbulence, with spectral_slope for its exponent: 2/3 of order 2 where the spectrum falls "
        "with -5/3. A flatness that grows towards short lags is intermittency. For the spectrum itself use power_spectrum."
    )
    reference = (
        "S_p(tau) = <|x(t + tau) - x(t)|^p>, of a vector the length of the difference; flatness <d^4> / <d^2>^2, 3 for a "
        "Gaussian series, 5/3 for a vector of three alike Gaussian components (Frisch 1995, Turbulence, chapter 8; Horbury "
        "and Balogh 1997, doi:10.5194/npg-4-185-1997)."
    )
    inputs = {"series": Input(("series", "vector"), "a series, or a vector whose difference vectors count")}
    output = "A curve over lag in s: structure function in the unit to the power of the order, flatness, number of pairs."
    options = StructureFunctionOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": tuple(range(0, 60, 3))}, seconds=tuple(range(20)))},
            options={"longest_lag": "PT4S", "per_decade": 5},
            expected={"lag": (1, 2, 3, 4), "structure": (9, 36, 81, 144), "flatness": (1, 1, 1, 1), "pairs": (19, 18, 17, 16)},
            window=(0, 20),
            seconds=(0, 0, 0, 0),
            unit="nT^2",
            units={"lag": "s", "structure": "nT^2"},
            source="by hand: all differences are 3 nT per s of lag",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: StructureFunctionOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        columns = self.inputs["series"].used_columns(meta, operation_id=self.id)
        units = {column.unit or meta.unit for column in columns}
        if len(units) > 1:
            raise ComputeError(f"{self.id}: the components have different units", hint="Take one with the operation component.")
        unit = raise_unit(next(iter(units)), options.order)
        named = (
            *fact("structure", f"structure function of order {options.order}", unit),
            *fact("flatness", "flatness"),
            *count_column("pairs", "number of pairs"),
        )
        axis = ("lag", BinAxis(label="Lag", unit="s", scale="log"))
        return curve_meta(f"Structure function of {meta.label or name}", axis, named, unit=unit, frame=meta.frame, scale="log")

    def _compute_window(
        self, inputs: Mapping[str, Table], options: StructureFunctionOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        at, values = times_ns(inputs["series"]), self._values(inputs, "series")
        is_valid = np.isfinite(values).all(axis=0)
        if is_valid.sum() < 2:
            return Table.empty(meta, self._dtypes(meta))
        at, values = at[is_valid], [each[is_valid] for each in values]
        cadence_ns = int(np.median(np.diff(at))) if options.cadence is None else duration_ns(options.cadence)
        count = int(at[-1] - at[0]) // cadence_ns + 1
        longest = count // 10 if options.longest_lag is None else duration_ns(options.longest_lag) // cadence_ns
        if count > MOST_SLOTS or longest < 1:
            raise ComputeError(
                f"{self.id}: {count} slots of {cadence_ns / 1e9:g} s hold no lags up to the longest, or are too many",
                hint="Give another cadence, another longest_lag or another range.",
            )
        lags = log_spaced(1, min(longest, count - 1), options.per_decade) if count > 1 else np.array([1])
        slots = [slot_means(at, each, int(at[0]), cadence_ns, count) for each in values]
        moments, flatness, pairs = structure(slots, lags, options.order)
        moments[pairs < options.min_pairs] = np.nan
        flatness[pairs < options.min_pairs] = np.nan
        columns = {"lag": lags * (cadence_ns / 1e9), "structure": moments, "flatness": flatness, "pairs": pairs}
        return curve_table(window, columns, meta)
