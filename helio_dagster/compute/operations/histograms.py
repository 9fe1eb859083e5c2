"""How often a series has which value, over a whole window."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from helio_dagster.compute.operations.columns import Floats, data_unit
from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.results import curve_meta, curve_table, uncertain_fact
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import BinAxis, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import divide_units

MOST_BINS = 10_000


class HistogramOptions(Options):
    """The bins, and what is given of them. Give one of `bins`, `width` and `edges`; by default 50 bins."""

    bins: Annotated[int, Field(ge=1, le=MOST_BINS)] | None = None
    """Number of bins of equal width between the least and the greatest valid value, 1 to 10000."""
    width: Annotated[float, Field(gt=0)] | None = None
    """Width of a bin in the unit of the series; edges at its multiples."""
    edges: Annotated[tuple[float, ...], Field(min_length=2, max_length=MOST_BINS + 1)] | None = None
    """The edges themselves, ascending, in the unit of the series; what lies outside is not counted."""
    result: Literal["count", "density"] = "count"
    """`count`: samples in each bin; `density`: its share of the counted samples over its width, so that the area is 1."""

    @model_validator(mode="after")
    def _has_one_choice(self) -> HistogramOptions:
        if sum(each is not None for each in (self.bins, self.width, self.edges)) > 1:
            raise ValueError("bins, width and edges exclude each other. Give one of them")
        if self.edges is not None and any(low >= high for low, high in zip(self.edges, self.edges[1:], strict=False)):
            raise ValueError("edges must ascend")
        return self


class Histogram(WindowOperation[HistogramOptions]):
    """Distribution of the values of a window."""

    id = "histogram"
    version = 2
    summary = "Histogram of a series over a whole window: samples, or probability density, in bins of value."
    when = "Use it to see which values are usual. For a few numbers (mean, extremes) use facts_of."
    reference = (
        "n_k = number of valid samples with e_k <= v < e_(k + 1), the last bin with its upper edge; its uncertainty sqrt(n_k) "
        "for independent samples; density = n_k / (n width_k) (Pearson 1895, doi:10.1098/rsta.1895.0010)."
    )
    inputs = {"series": Input(("series",), "what is counted", columns=1)}
    output = "A curve over the middles of the bins in the unit of the series; without a valid sample it is empty."
    options = HistogramOptions
    examples = (
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0.5, 1, 1.5, 2, None, 4)})},
            options={"width": 1},
            expected={"value": (0.5, 1.5, 2.5, 3.5), "count": (1, 2, 1, 1)},
            window=(0, 600),
            seconds=(0, 0, 0, 0),
            units={"value": "nT", "count": ""},
            source="by hand; the greatest value lies on the last edge",
        ),
        Example(
            inputs={"series": ExampleTable(unit="nT", columns={"v": (0, 1, 1, 9)})},
            options={"edges": (0, 1, 3), "result": "density"},
            expected={"density": (1 / 3, 1 / 3)},
            window=(0, 600),
            seconds=(0, 0),
            unit="nT^-1",
            source="of three samples one in a bin of width 1, two in one of width 2",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: HistogramOptions, name: str) -> TableMeta:
        meta = inputs["series"]
        own = data_unit(meta)
        unit = divide_units("", own) if options.result == "density" else ""
        axis = BinAxis(label=meta.label or name, unit=own, scale=meta.scale)
        label = "Probability density" if options.result == "density" else "Number of samples"
        columns = uncertain_fact(options.result, label.lower(), unit)
        return curve_meta(f"{label} of {meta.label or name}", ("value", axis), columns, unit=unit, frame=meta.frame)

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, "count": "int64"}

    def _compute_window(
        self, inputs: Mapping[str, Table], options: HistogramOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        (values,) = self._values(inputs, "series")
        values = values[np.isfinite(values)]
        if not len(values):
            return Table.empty(meta, self._dtypes(meta))
        edges = self._edges(values, options)
        inside = values[(values >= edges[0]) & (values <= edges[-1])]
        place = np.minimum(np.searchsorted(edges, inside, side="right") - 1, len(edges) - 2)
        count = np.bincount(place, minlength=len(edges) - 1).astype(np.int64)
        scale = 1.0 / (max(len(inside), 1) * np.diff(edges)) if options.result == "density" else np.ones(len(count))
        columns = {
            "value": 0.5 * edges[:-1] + 0.5 * edges[1:],
            options.result: count if options.result == "count" else count * scale,
            f"{options.result}_uncertainty": np.sqrt(count) * scale,
        }
        return curve_table(window, columns, meta)

    def _edges(self, values: Floats, options: HistogramOptions) -> Floats:
        """Edges of the bins, ascending, shape (bin + 1,)."""
        if options.edges is not None:
            return np.array(options.edges, dtype=np.float64)
        least, greatest = float(np.min(values)), float(np.max(values))
        if options.width is not None:
            first, last = math.floor(least / options.width), math.ceil(greatest / options.width)
            last = max(last, first + 1)
            if last - first > MOST_BINS:
                problem = f"{self.id}: values from {least:g} to {greatest:g} need more than {MOST_BINS} bins"
                raise ComputeError(problem, hint="Give a larger width, or edges.")
            return np.asarray(np.arange(first, last + 1) * options.width, dtype=np.float64)
        if least == greatest:
            half = max(abs(least) * 1e-6, 0.5)
            least, greatest = least - half, greatest + half
        return np.asarray(np.linspace(least, greatest, (options.bins or 50) + 1), dtype=np.float64)
