"""A partition's lines in fewer samples: the extremes of each block of records, with its gaps; and such partitions in a row.

What is kept of a partition does not depend on what is drawn, so that it can be stored beside the table (`storage/level_files`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.record_times import bounds_ns, middles_ns
from helio_dagster.domain.table import Table
from helio_dagster.figures.gaps import Reach, breaks_between, is_gap_between, median_cadence_ms, reach_of

BLOCKS = (64, 1024)
"""Records of a block, of the finest level first."""
FORMAT = 1
"""Increase whenever the same table gives other levels."""
_EDGE = 5
"""Records at each end of a partition by which the step to its neighbour is judged."""

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Overview:
    """The samples that are kept of one column over a range, in order of time.

    Parameters
    ----------
    time_ms
        float64, shape (kept,), milliseconds since 1970-01-01 UTC.
    values
        float32 or float64, shape (kept,), finite.
    record
        int64, shape (kept,): which record of the range each is.
    is_break
        bool, shape (kept,): whether the line is interrupted before it.
    samples, not_positive
        How many finite values the range has, and how many of these are not positive.
    is_about
        Whether these two are only right to within a block, as the range cuts a partition.
    """

    time_ms: NDArray[np.float64]
    values: NDArray[np.floating]
    record: NDArray[np.int64]
    is_break: NDArray[np.bool_]
    samples: int
    not_positive: int
    is_about: bool = False


def levels_of(table: Table) -> Arrays:
    """All levels of a partition's table, as named arrays.

    Of each block of records a column keeps its lowest and highest value, and the lowest positive one for logarithmic axes; of
    each stretch without a gap, the first and last. Gaps shorter than a block lasts are closed.
    """
    time_ms, reach = middles_ns(table) / 1e6, reach_of(table)
    start, stop, is_known = bounds_ns(table)
    ends = np.r_[0 : min(_EDGE, len(table)), max(0, len(table) - _EDGE) : len(table)]
    cadence_ms = median_cadence_ms(time_ms)
    found: Arrays = {
        "records": np.array(len(table)),
        "cadence_ms": np.array(cadence_ms),
        "ends_ms": time_ms[ends],
        "reach_ms": np.array([start[[0, -1]], stop[[0, -1]]], dtype=np.float64) / 1e6 if len(table) else np.zeros((2, 2)),
        "is_known": is_known[[0, -1]] if len(table) else np.zeros(2, dtype=np.bool_),
    }
    for name, values in table.columns.items():
        if values.dtype.kind not in "fiub":
            continue
        floats: NDArray[np.floating] = values.astype(np.float32 if values.dtype == np.float32 else np.float64, copy=False)
        for block in BLOCKS:
            kept = _column_level(time_ms, floats, reach, block, block * cadence_ms)
            found |= {f"{block}/{name}/{part}": array for part, array in kept.items()}
    return found


def _column_level(
    time_ms: NDArray[np.float64], values: NDArray[np.floating], reach: Reach | None, block: int, resolution_ms: float
) -> Arrays:
    is_shown = np.isfinite(values)
    valid = np.flatnonzero(is_shown)
    breaks = breaks_between(time_ms, valid, reach)
    breaks = breaks[~(time_ms[valid[breaks]] - time_ms[valid[breaks - 1]] < resolution_ms)]
    segment_first = valid[np.r_[0, breaks]] if len(valid) else valid
    segment_last = valid[np.r_[breaks - 1, len(valid) - 1]] if len(valid) else valid
    count = -(-len(values) // block)
    blocks = np.full((count, block), np.nan, dtype=values.dtype)
    blocks.ravel()[: len(values)] = np.where(is_shown, values, np.nan)
    offset = np.arange(count) * block
    low, high = _extreme(blocks, np.argmin, np.inf) + offset, _extreme(blocks, np.argmax, -np.inf) + offset
    with np.errstate(invalid="ignore"):
        is_not_positive = blocks <= 0
        positive = _extreme(np.where(is_not_positive, np.nan, blocks), np.argmin, np.inf) + offset
    record = np.unique(np.concatenate([segment_first, segment_last, low, high, positive]))
    record = record[record < len(values)]
    record = record[is_shown[record]]
    return {
        "record": record.astype(np.uint32),
        "time_ms": time_ms[record],
        "values": values[record],
        "is_break": np.isin(record, segment_first[1:]),
        "valid": np.isfinite(blocks).sum(axis=1).astype(np.uint16),
        "not_positive": is_not_positive.sum(axis=1).astype(np.uint16),
    }


def _extreme(blocks: NDArray[np.floating], of: Callable[..., NDArray[np.intp]], instead: float) -> NDArray[np.intp]:
    """Place of the lowest or highest value of each block; of one without a value, any place."""
    return of(np.where(np.isnan(blocks), instead, blocks), axis=1)


def block_ms(levels: Mapping[str, NDArray[Any]], block: int) -> float:
    """How long a block of a partition lasts, in milliseconds, from `levels_of`; NaN of a single record."""
    return block * float(levels["cadence_ms"])


def joined_overview(
    parts: Sequence[Mapping[str, NDArray[Any]]], name: str, block: int, bounds_ms: tuple[float, float]
) -> Overview:
    """One column over consecutive partitions, each from `levels_of`, of what is in `[start, stop)`."""
    pieces: list[Overview] = []
    first_record, before = 0, None
    for part in parts:
        records = int(part["records"])
        if not records:
            continue
        piece = _piece(part, name, block, bounds_ms)
        if len(piece.record):
            is_break = piece.is_break.copy()
            is_break[0] = before is None or _is_interrupted(*before, part, piece)
            pieces.append(
                Overview(
                    piece.time_ms,
                    piece.values,
                    piece.record + first_record,
                    is_break,
                    piece.samples,
                    piece.not_positive,
                    piece.is_about,
                )
            )
            before = (part, piece)
        elif before is not None:
            before = (part, piece)  # a partition of fills alone is a gap
        first_record += records
    return Overview(
        _concatenated([piece.time_ms for piece in pieces], np.float64),
        _concatenated([piece.values for piece in pieces], np.float32),
        _concatenated([piece.record for piece in pieces], np.int64),
        _concatenated([piece.is_break for piece in pieces], np.bool_),
        sum(piece.samples for piece in pieces),
        sum(piece.not_positive for piece in pieces),
        any(piece.is_about for piece in pieces),
    )


def _piece(part: Mapping[str, NDArray[Any]], name: str, block: int, bounds_ms: tuple[float, float]) -> Overview:
    """What lies in the range of one partition."""
    kept = {
        each: part[f"{block}/{name}/{each}"] for each in ("record", "time_ms", "values", "is_break", "valid", "not_positive")
    }
    time_ms, record = kept["time_ms"].astype(np.float64), kept["record"].astype(np.int64)
    first, last = np.searchsorted(time_ms, bounds_ms, side="left")
    inside = slice(int(first), int(last))
    is_cut = last - first < len(time_ms)
    blocks = slice(int(record[first]) // block, int(record[last - 1]) // block + 1) if last > first else slice(0, 0)
    return Overview(
        time_ms[inside],
        kept["values"][inside],
        record[inside],
        kept["is_break"][inside].astype(np.bool_),
        int(kept["valid"][blocks].astype(np.int64).sum()),
        int(kept["not_positive"][blocks].astype(np.int64).sum()),
        is_about=bool(is_cut),
    )


def _is_interrupted(
    last: Mapping[str, NDArray[Any]], earlier: Overview, first: Mapping[str, NDArray[Any]], later: Overview
) -> bool:
    """Whether a line is broken from one partition to the next: by a fill at their ends, or by missing records."""
    if not len(earlier.record) or earlier.record[-1] != int(last["records"]) - 1 or later.record[0] != 0:
        return True
    ends = [each["ends_ms"].astype(np.float64) for each in (last, first)]
    times = np.concatenate([ends[0][-_EDGE:], ends[1][:_EDGE]])
    reach = None
    if last["is_known"][1] and first["is_known"][0]:
        (start, stop) = (
            np.array([each["reach_ms"][edge][place] for each, place in ((last, 1), (first, 0))], dtype=np.float64)
            for edge in (0, 1)
        )
        reach = Reach(start, stop, np.ones(2, dtype=np.bool_))
    cadences = np.array([each["cadence_ms"] for each in (last, first)], dtype=np.float64)
    return is_gap_between(times, len(ends[0][-_EDGE:]), cadences, reach)


def _concatenated(arrays: Sequence[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=kind)
