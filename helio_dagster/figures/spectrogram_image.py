"""From a spectrogram's table to an image: flux averaged into at most 1,440 columns of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.gaps import find_gaps, median_cadence_ms
from helio_dagster.figures.spectrogram_bins import BinGrid, fixed_grid, varying_grid

MAX_COLUMNS = 1440
_CHUNK_RECORDS = 20_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FluxImage:
    """An image of flux over time and bins.

    Parameters
    ----------
    time_edges_ms
        float64, shape (column + 1,), increasing, milliseconds since 1970-01-01 UTC.
    bin_edges
        float64, shape (bin + 1,), increasing, in the bin axis' unit.
    flux
        float64, shape (bin, column), in the table's unit; NaN where there is no value.
    columns
        Columns that hold records; the others are gaps.
    """

    time_edges_ms: Floats
    bin_edges: Floats
    flux: Floats
    columns: int


def flux_image(table: Table, scale: Scale, span: TimeRange, *, columns: int = MAX_COLUMNS) -> FluxImage | None:
    """The image of a spectrogram.

    Records are averaged in linear flux, over what is valid, into equal stretches of the span where there are more records
    than columns. A column covers its records and half the way to its neighbours; a gap in time is a column of NaN.

    Parameters
    ----------
    table
        A spectrogram, already clipped to the span.
    scale
        Scale of the bin axis.
    columns
        Most columns to make.

    Returns
    -------
    FluxImage or None
        None without records or usable bins.
    """
    if not len(table):
        return None
    grid = _grid(table, scale)
    if grid is None:
        return None
    time_ms = table.time.astype("datetime64[ns]").astype(np.int64) / 1e6
    start_ms, stop_ms = (float(edge.astype(np.int64)) / 1e6 for edge in span.bounds_ns())
    firsts = _column_starts(time_ms, start_ms, stop_ms, columns)
    flux = _column_means(table, grid, firsts)
    edges, is_gap = _time_edges(time_ms, firsts, start_ms, stop_ms)
    image = np.full((flux.shape[1], len(is_gap)), np.nan)
    image[:, ~is_gap] = flux.T
    return FluxImage(edges, grid.edges, image, len(firsts))


def fixed_bin_edges(table: Table, scale: Scale) -> Floats | None:
    """Edges of a spectrogram's fixed bins, known even without records; None where they vary or none can be shown."""
    if table.meta.bins is None or not table.meta.bins.is_fixed:
        return None
    grid = fixed_grid(np.asarray(table.meta.bins.centers, dtype=np.float64), scale, 0)
    return grid.edges if grid is not None else None


def _grid(table: Table, scale: Scale) -> BinGrid | None:
    bins = table.meta.bins
    if bins is not None and bins.is_fixed:
        return fixed_grid(np.asarray(bins.centers, dtype=np.float64), scale, len(table))
    if table.meta.bin_names:
        centers = np.column_stack([table.columns[name] for name in table.meta.bin_names]).astype(np.float64)
        return varying_grid(centers, scale)
    return fixed_grid(np.arange(1.0, len(table.meta.data_names) + 1), scale, len(table))


def _column_starts(time_ms: Floats, start_ms: float, stop_ms: float, columns: int) -> NDArray[np.intp]:
    """First record of each column: every record by itself while they are few, else those of equal stretches."""
    if len(time_ms) <= columns:
        return np.arange(len(time_ms), dtype=np.intp)
    number = np.floor((time_ms - start_ms) / (stop_ms - start_ms) * columns)
    return np.flatnonzero(np.diff(number, prepend=-1.0) > 0).astype(np.intp)


def _column_means(table: Table, grid: BinGrid, firsts: NDArray[np.intp]) -> Floats:
    """Mean flux over valid records, shape (column, bin); worked through in chunks to bound the memory."""
    names = table.meta.data_names
    count = len(table)
    sums = np.zeros((len(firsts), grid.sources.shape[1]))
    counts = np.zeros_like(sums)
    for start in range(0, count, _CHUNK_RECORDS):
        stop = min(start + _CHUNK_RECORDS, count)
        raw = np.column_stack([table.columns[name][start:stop] for name in names]).astype(np.float64)
        sources = grid.sources[grid.layout_of_record[start:stop]]
        flux = np.take_along_axis(raw, np.maximum(sources, 0), axis=1)
        is_valid = np.isfinite(flux) & (sources >= 0)
        first = int(np.searchsorted(firsts, start, side="right")) - 1
        last = int(np.searchsorted(firsts, stop, side="left"))
        begins = np.maximum(firsts[first:last] - start, 0)
        sums[first:last] += np.add.reduceat(np.where(is_valid, flux, 0.0), begins, axis=0)
        counts[first:last] += np.add.reduceat(is_valid.astype(np.float64), begins, axis=0)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def _time_edges(time_ms: Floats, firsts: NDArray[np.intp], start_ms: float, stop_ms: float) -> tuple[Floats, NDArray[np.bool_]]:
    """Edges of the columns with a column for each gap between them, and which columns are gaps."""
    cadence = median_cadence_ms(time_ms)
    half = cadence / 2 if np.isfinite(cadence) else (stop_ms - start_ms) / 200
    lasts = np.append(firsts[1:], len(time_ms)) - 1
    gap_after = np.isin(firsts[1:], find_gaps(time_ms))
    ends, begins = time_ms[lasts[:-1]], time_ms[firsts[1:]]
    middle = (ends + begins) / 2
    edges = [max(start_ms, time_ms[0] - half)]
    is_gap: list[bool] = []
    for index, has_gap in enumerate(gap_after):
        is_gap.append(False)
        if has_gap:
            edges += [ends[index] + half, begins[index] - half]
            is_gap.append(True)
        else:
            edges.append(middle[index])
    is_gap.append(False)
    edges.append(min(stop_ms, time_ms[-1] + half))
    return np.array(edges), np.array(is_gap)
