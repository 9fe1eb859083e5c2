"""How often two series have which pair of values, over a whole window."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, model_validator

from helio_dagster.compute.operations.arithmetic import MatchOptions
from helio_dagster.compute.operations.columns import Floats
from helio_dagster.compute.operations.examples import Example, ExampleTable
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.compute.operations.pairing import axis_column, matched
from helio_dagster.compute.operations.results import count_column, fact, map_meta, map_table
from helio_dagster.compute.operations.shipped import WindowOperation
from helio_dagster.domain.table import BinAxis, Scale, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.domain.units import divide_units

MOST_BINS = 500
_LABELS = {"count": "number of samples", "density": "probability density", "share": "share of the samples"}


def _ascending(edges: tuple[float, ...]) -> tuple[float, ...]:
    if any(low >= high for low, high in pairwise(edges)):
        raise ValueError("the numbers must ascend")
    return edges


_Bins = Annotated[int, Field(ge=1, le=MOST_BINS)]
_Range = Annotated[tuple[float, float], AfterValidator(_ascending)]
_Edges = Annotated[tuple[float, ...], Field(min_length=2, max_length=MOST_BINS + 1), AfterValidator(_ascending)]


class Histogram2dOptions(MatchOptions):
    """The bins along each axis, and what is given of them. Of each axis give `edges`, or a number of bins, a range, a scale."""

    x_bins: _Bins | None = None
    """Number of bins along x, 1 to 500; 50 where neither this nor `x_edges` is given."""
    y_bins: _Bins | None = None
    """The same along y."""
    x_range: _Range | None = None
    """Lower and upper end of the bins along x, in the unit of x; by default the least and the greatest value of the pairs."""
    y_range: _Range | None = None
    """The same along y, in the unit of y."""
    x_edges: _Edges | None = None
    """The edges along x themselves, ascending, in the unit of x; what lies outside is not counted."""
    y_edges: _Edges | None = None
    """The same along y, in the unit of y."""
    x_scale: Scale = "linear"
    """`linear`: bins of equal width; `log`: of equal ratio, where values that are not above zero are not counted."""
    y_scale: Scale = "linear"
    """The same along y."""
    result: Literal["count", "density", "share"] = "count"
    """`count`: pairs in each cell; `density`: their share of all counted pairs over the area of the cell, so that the volume is
    1; `share`: their share of the pairs in the same bin of x, so that each column adds up to 1."""

    @model_validator(mode="after")
    def _has_one_choice(self) -> Histogram2dOptions:
        for axis in ("x", "y"):
            edges, limits = getattr(self, f"{axis}_edges"), getattr(self, f"{axis}_range")
            if edges is not None and (limits is not None or getattr(self, f"{axis}_bins") is not None):
                raise ValueError(f"{axis}_edges says all of {axis}_bins and {axis}_range. Give one or the other")
            lowest = next((each[0] for each in (edges, limits) if each is not None), 1.0)
            if getattr(self, f"{axis}_scale") == "log" and lowest <= 0:
                raise ValueError(f"bins of equal ratio along {axis} cannot begin at {lowest:g}. Begin above zero")
        return self


class Histogram2d(WindowOperation[Histogram2dOptions]):
    """Joint distribution of two series."""

    id = "histogram_2d"
    version = 1
    summary = "2-D histogram of two series: pairs of samples that meet in time, counted in bins of both values, as a map."
    when = "Use it for the joint distribution of many samples; of few, scatter shows each. For one quantity use histogram."
    reference = (
        "n_jk = number of pairs (x, y)(t) = (x(t), y(t')), t' the sample of y nearest to t, with e_j <= x < e_(j + 1) and "
        "f_k <= y < f_(k + 1), the last bins with their upper edge; density = n_jk / (n width_j width_k), share = "
        "n_jk / sum_k n_jk (the histogram of Pearson 1895, doi:10.1098/rsta.1895.0010, over two values)."
    )
    inputs = {
        "x": Input(("series",), "what is along the horizontal axis; it gives the times", columns=1),
        "y": Input(("series",), "what is along the vertical axis: the sample nearest to each time of x counts", columns=1),
    }
    output = (
        "A map over x and y with the edges of its bins; beside a density or share the count. A share is NaN where its bin of x "
        "has no pair; without a valid pair the map is empty. Both samples of a pair lie inside the window."
    )
    options = Histogram2dOptions
    examples = (
        Example(
            inputs={
                "x": ExampleTable(unit="nT", columns={"b": (1, 1, 3, 4, None, 2)}),
                "y": ExampleTable(unit="km/s", columns={"v": (10, 30, 30, 40, 10, None)}),
            },
            options={"x_edges": (0, 2, 4), "y_edges": (0, 20, 40)},
            expected={"x": (1, 1, 3, 3), "y": (10, 30, 10, 30), "y_upper": (20, 40, 20, 40), "count": (1, 1, 0, 2)},
            window=(0, 600),
            seconds=(0, 0, 0, 0),
            units={"x": "nT", "x_lower": "nT", "y": "km/s", "count": ""},
            source="by hand; the fourth pair lies on both last edges",
        ),
        Example(
            inputs={
                "x": ExampleTable(unit="nT", columns={"b": (1, 2, 50, 0)}),
                "y": ExampleTable(unit="nT", columns={"v": (1, 3, 3, 3)}),
            },
            options={"x_bins": 3, "x_range": (1, 1000), "x_scale": "log", "y_edges": (0, 2, 4), "result": "share"},
            expected={
                "x_upper": (10, 10, 100, 100, 1000, 1000),
                "share": (0.5, 0.5, 0, 1, None, None),
                "count": (1, 1, 0, 1, 0, 0),
            },
            window=(0, 600),
            seconds=(0, 0, 0, 0, 0, 0),
            units={"share": ""},
            source="by hand: decades of x; the last x is not above zero",
        ),
    )

    def _meta(self, inputs: Mapping[str, TableMeta], options: Histogram2dOptions, name: str) -> TableMeta:
        del name
        x, y = (axis_column(self, inputs[axis], axis) for axis in ("x", "y"))
        first = BinAxis(label=x.label, unit=x.unit, scale=options.x_scale)
        second = BinAxis(label=y.label, unit=y.unit, scale=options.y_scale)
        words = _LABELS[options.result]
        unit = divide_units(divide_units("", x.unit), y.unit) if options.result == "density" else ""
        columns = fact(options.result, words, unit)
        if options.result != "count":
            columns += count_column("count", _LABELS["count"])
        label = f"{words.capitalize()}, {y.label} against {x.label}"
        return map_meta(label, ("x", "y"), (first, second), columns, unit=unit)

    def _dtypes(self, meta: TableMeta) -> Mapping[str, str]:
        return {**meta.dtypes, "count": "int64"}

    def _compute_window(
        self, inputs: Mapping[str, Table], options: Histogram2dOptions, meta: TableMeta, window: TimeRange
    ) -> Table:
        (x,), (y,) = (matched(self, inputs, axis, options.tolerance) for axis in ("x", "y"))
        is_pair = np.isfinite(x) & np.isfinite(y)
        is_pair &= (x > 0) | (options.x_scale == "linear")
        is_pair &= (y > 0) | (options.y_scale == "linear")
        x, y = x[is_pair], y[is_pair]
        if not len(x):
            return Table.empty(meta, self._dtypes(meta))
        x_edges, y_edges = _edges(x, options, "x"), _edges(y, options, "y")
        count = _count(x, y, x_edges, y_edges)
        columns: dict[str, NDArray[np.generic]] = {"count": count.ravel()}
        if options.result == "density":
            area = np.outer(np.diff(x_edges), np.diff(y_edges))
            columns["density"] = (count / (max(int(count.sum()), 1) * area)).ravel()
        elif options.result == "share":
            of_column = count.sum(axis=1, keepdims=True)
            columns["share"] = np.where(of_column > 0, count / np.maximum(of_column, 1), np.nan).ravel()
        return map_table(window, (x_edges, y_edges), columns, meta)


def _edges(values: Floats, options: Histogram2dOptions, axis: Literal["x", "y"]) -> Floats:
    """Edges of the bins along an axis, ascending, shape (bin + 1,)."""
    given: tuple[float, ...] | None = getattr(options, f"{axis}_edges")
    if given is not None:
        return np.array(given, dtype=np.float64)
    scale: Scale = getattr(options, f"{axis}_scale")
    low, high = getattr(options, f"{axis}_range") or (float(np.min(values)), float(np.max(values)))
    if low == high and scale == "log":
        low, high = low / 1.5, high * 1.5
    elif low == high:
        half = max(abs(low) * 1e-6, 0.5)
        low, high = low - half, high + half
    spaced = np.geomspace if scale == "log" else np.linspace
    return np.asarray(spaced(low, high, (getattr(options, f"{axis}_bins") or 50) + 1), dtype=np.float64)


def _count(x: Floats, y: Floats, x_edges: Floats, y_edges: Floats) -> NDArray[np.int64]:
    """Pairs in each cell, int64, shape (bin of x, bin of y)."""
    is_inside = (x >= x_edges[0]) & (x <= x_edges[-1]) & (y >= y_edges[0]) & (y <= y_edges[-1])
    j, k = (
        np.minimum(np.searchsorted(edges, values[is_inside], side="right") - 1, len(edges) - 2)
        for values, edges in ((x, x_edges), (y, y_edges))
    )
    width = len(y_edges) - 1
    cells = np.bincount(j * width + k, minlength=(len(x_edges) - 1) * width)
    return cells.astype(np.int64).reshape(-1, width)
