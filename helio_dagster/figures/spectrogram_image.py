"""From a spectrogram's table to an image: flux averaged into at most 1,440 columns of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.record_times import Nanoseconds, bounds_ns
from helio_dagster.domain.table import Scale, Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.gaps import Reach, drawn_times_ms, find_gaps, median_cadence_ms
from helio_dagster.figures.long_table import LongTable, pieces_of
from helio_dagster.figures.spectrogram_bins import BinGrid, fixed_grid, varying_grid, whole_angles

MAX_COLUMNS = 1440
_CHUNK_RECORDS = 20_000
_SEEN_SHARE = 1 / 100
"""Share of the span from which on a regular pause between records is shown: some ten pixels. Narrower ones would be stripes."""

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
    records
        How many records were averaged.
    has_negative
        Whether any of their values is below zero.
    """

    time_edges_ms: Floats
    bin_edges: Floats
    flux: Floats
    columns: int
    records: int
    has_negative: bool


def flux_image(table: Table, scale: Scale, span: TimeRange, *, columns: int = MAX_COLUMNS) -> FluxImage | None:
    """The image of a spectrogram.

    Records are averaged in linear flux, over what is valid, into equal stretches of the span where there are more records
    than columns. A column covers what its records reach over; where that is unknown, its records and half the way to its
    neighbours. A gap in time is a column of NaN.

    Parameters
    ----------
    table
        A spectrogram, already clipped to the span; a long one is read partition by partition.
    scale
        Scale of the bin axis.
    columns
        Most columns to make.

    Returns
    -------
    FluxImage or None
        None without records or usable bins.
    """
    if not _rows(table):
        return None
    grid = _grid(table, scale, span)
    if grid is None:
        return None
    start_ms, stop_ms = (float(edge.astype(np.int64)) / 1e6 for edge in span.bounds_ns())
    read = _read(table, grid, span, _Steps(start_ms, stop_ms, columns, is_each=_rows(table) <= columns))
    if not len(read.time_ms):
        return None
    if not read.reach.is_known.all():
        edges, is_gap = _time_edges(read.time_ms, read.firsts, start_ms, stop_ms)
    else:
        edges, is_gap = _reached_edges(read.time_ms, read.reach, read.firsts, start_ms, stop_ms)
    image = np.full((read.flux.shape[1], len(is_gap)), np.nan)
    image[:, ~is_gap] = read.flux.T
    return FluxImage(edges, _ends(grid, table), image, len(read.firsts), len(read.time_ms), read.has_negative)


def fixed_bin_edges(table: Table, scale: Scale) -> Floats | None:
    """Edges of a spectrogram's fixed bins, shape (bin + 1,), known even without records.

    None where they vary or none can be shown.
    """
    if table.meta.bins is None or not table.meta.bins.is_fixed:
        return None
    grid = fixed_grid(np.asarray(table.meta.bins.centers, dtype=np.float64), scale, 0)
    return _ends(grid, table) if grid is not None else None


def _ends(grid: BinGrid, table: Table) -> Floats:
    """Edges of the bins; of pitch angles the whole half turn."""
    bins = table.meta.bins
    return grid.edges if bins is None else whole_angles(grid.edges, bins.label, bins.unit)


def _rows(table: Table) -> int:
    return table.rows if isinstance(table, LongTable) else len(table)


def _grid(table: Table, scale: Scale, span: TimeRange) -> BinGrid | None:
    bins, names = table.meta.bins, table.meta.bin_names
    if bins is not None and bins.is_fixed:
        return fixed_grid(np.asarray(bins.centers, dtype=np.float64), scale, _rows(table))
    if names:
        pieces = pieces_of(table, span, names)
        return varying_grid(
            (np.column_stack([each.columns[name] for name in names]).astype(np.float64) for each in pieces), scale
        )
    return fixed_grid(np.arange(1.0, len(table.meta.data_names) + 1), scale, _rows(table))


@dataclass(frozen=True)
class _Steps:
    """The columns of an image: one for every record while they are few, else equal stretches of the span."""

    start_ms: float
    stop_ms: float
    count: int
    is_each: bool

    def numbers(self, time_ms: Floats, before: int) -> NDArray[np.intp]:
        """The column of each record, of which so many were before them."""
        if self.is_each:
            return np.arange(before, before + len(time_ms), dtype=np.intp)
        place = np.floor((time_ms - self.start_ms) / (self.stop_ms - self.start_ms) * self.count)
        return np.clip(place, 0, self.count - 1).astype(np.intp)


@dataclass(frozen=True)
class _Read:
    """All records: their times and reach, the first record of each column, and the columns' mean flux, shape (column, bin)."""

    time_ms: Floats
    reach: Reach
    firsts: NDArray[np.intp]
    flux: Floats
    has_negative: bool


def _read(table: Table, grid: BinGrid, span: TimeRange, steps: _Steps) -> _Read:
    """Read the records once; worked through in chunks to bound the memory."""
    names = table.meta.data_names
    sums = np.zeros((steps.count, grid.sources.shape[1]))
    counts = np.zeros_like(sums)
    times: list[Floats] = []
    bounds: list[tuple[Nanoseconds, Nanoseconds, NDArray[np.bool_]]] = []
    numbers: list[NDArray[np.intp]] = []
    has_negative, before = False, 0
    for piece in pieces_of(table, span):
        times.append(drawn_times_ms(piece, span))
        bounds.append(bounds_ns(piece))
        numbers.append(steps.numbers(times[-1], before))
        for start in range(0, len(piece), _CHUNK_RECORDS):
            chunk = slice(start, min(start + _CHUNK_RECORDS, len(piece)))
            raw = np.column_stack([piece.columns[name][chunk] for name in names]).astype(np.float64)
            has_negative = has_negative or bool((raw < 0).any())
            sources = grid.sources[grid.layout_of_record[before + chunk.start : before + chunk.stop]]
            flux = np.take_along_axis(raw, np.maximum(sources, 0), axis=1)
            is_valid = np.isfinite(flux) & (sources >= 0)
            begins = np.flatnonzero(np.diff(numbers[-1][chunk], prepend=-1))
            columns = numbers[-1][chunk][begins]
            sums[columns] += np.add.reduceat(np.where(is_valid, flux, 0.0), begins, axis=0)
            counts[columns] += np.add.reduceat(is_valid.astype(np.float64), begins, axis=0)
        before += len(piece)
    if not times:
        none = np.empty(0)
        return _Read(none, Reach(none, none, none.astype(np.bool_)), none.astype(np.intp), sums, has_negative)
    start_ns, stop_ns, is_known = (np.concatenate([each[place] for each in bounds]) for place in range(3))
    firsts = np.flatnonzero(np.diff(np.concatenate(numbers), prepend=-1)).astype(np.intp)
    filled = np.concatenate(numbers)[firsts]
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)[filled]
    return _Read(np.concatenate(times), Reach(start_ns / 1e6, stop_ns / 1e6, is_known), firsts, means, has_negative)


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


def _reached_edges(
    time_ms: Floats, reach: Reach, firsts: NDArray[np.intp], start_ms: float, stop_ms: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Edges of columns as far as their records reach, with a column for each gap between them, and which columns are gaps.

    What is left between two records is a gap where another one has room in it: where one is missing, or where an instrument's
    regular pause is wide enough to be seen. A shorter rest, and an overlap, is halved.
    """
    is_gap = reach.has_room & (reach.between_ms >= _SEEN_SHARE * (stop_ms - start_ms))
    is_gap[find_gaps(time_ms, reach) - 1] = True
    ends, begins = reach.stop_ms[firsts[1:] - 1], reach.start_ms[firsts[1:]]
    halfway = np.clip((ends + begins) / 2, time_ms[firsts[1:] - 1], time_ms[firsts[1:]])
    edges, gaps = [reach.start_ms[0]], [False]
    for has_gap, end, begin, middle in zip(is_gap[firsts[1:] - 1], ends, begins, halfway, strict=True):
        edges += [end, begin] if has_gap else [middle]
        gaps += [True, False] if has_gap else [False]
    return np.clip([*edges, reach.stop_ms[-1]], start_ms, stop_ms), np.array(gaps)
