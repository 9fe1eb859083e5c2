"""Bins of a spectrogram: edges from centers, and one common axis for bins that vary per record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Scale

MAX_COMMON_BINS = 96
_FEWEST_COMMON_BINS = 8
_FEWEST_EDGES = 3
_LARGEST_ANGLE = 180.0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BinGrid:
    """The bins of an image.

    Parameters
    ----------
    edges
        float64, shape (bin + 1,), increasing, in the axis' unit.
    sources
        intp, shape (layout, bin): for each layout of the records' bins, the column that fills a bin; -1 where none does.
    layout_of_record
        intp, shape (record,): the layout of each record.
    """

    edges: Floats
    sources: NDArray[np.intp]
    layout_of_record: NDArray[np.intp]


def fixed_grid(centers: Floats, scale: Scale, record_count: int) -> BinGrid | None:
    """The grid of one set of centers: ascending, without NaN, repeated centers or, on a log axis, centers up to zero.

    Parameters
    ----------
    centers
        float64, shape (column,), in any order.

    Returns
    -------
    BinGrid or None
        None where no center can be shown.
    """
    usable = _usable(centers, scale)
    if not len(usable):
        return None
    edges = bin_edges(centers[usable], scale)
    return BinGrid(edges, usable[None, :], np.zeros(record_count, dtype=np.intp))


def varying_grid(centers: Iterable[Floats], scale: Scale) -> BinGrid | None:
    """One grid for bins that differ from record to record.

    Where only one layout of bins occurs it is kept; several are mapped onto at most 96 common bins, as fine as the finest
    layout, by which bin of the record holds the common bin's middle.

    Parameters
    ----------
    centers
        Of consecutive records, in one piece or several: float64, shape (record, column) each.
    """
    layouts, layout_of_record = _distinct_layouts(centers)
    usable = [_usable(layout, scale) for layout in layouts]
    known = [index for index, columns in enumerate(usable) if len(columns)]
    if not known:
        return None
    edges = [bin_edges(layouts[index][usable[index]], scale) for index in known]
    common = edges[0] if len(known) == 1 else _common_edges(edges, scale)
    middles = np.sqrt(common[:-1] * common[1:]) if scale == "log" else (common[:-1] + common[1:]) / 2
    sources = np.full((len(layouts), len(middles)), -1, dtype=np.intp)
    for index, own in zip(known, edges, strict=True):
        place = np.searchsorted(own, middles, side="right") - 1
        inside = (place >= 0) & (place < len(own) - 1)
        sources[index, inside] = usable[index][place[inside]]
    return BinGrid(common, sources, layout_of_record)


def bin_edges(centers: Floats, scale: Scale) -> Floats:
    """Edges halfway between ascending centers, geometrically on a log axis; the outer bins are as wide as their neighbours.

    Parameters
    ----------
    centers
        float64, shape (bin,), increasing, positive on a log axis.

    Returns
    -------
    float64, shape (bin + 1,)
    """
    places = np.log(centers) if scale == "log" else centers
    if len(places) == 1:
        half = 0.1 if scale == "log" else max(abs(float(places[0])) * 0.05, 0.5)
        edges = np.array([places[0] - half, places[0] + half])
    else:
        between = (places[:-1] + places[1:]) / 2
        edges = np.concatenate([[2 * places[0] - between[0]], between, [2 * places[-1] - between[-1]]])
    return np.exp(edges) if scale == "log" else edges


def whole_angles(edges: Floats, label: str, unit: str) -> Floats:
    """Edges, shape (bin + 1,), of which the outermost are at 0 and 180 degrees, where an axis of pitch angles ends about there.

    The outer bins are as wide as halfway to their neighbours: beyond the angles that there are, or short of them.
    """
    if "pitch" not in label.casefold() or not unit.casefold().startswith("deg") or len(edges) < _FEWEST_EDGES:
        return edges
    whole = edges.copy()
    if edges[0] < (edges[1] - edges[0]) / 2:
        whole[0] = 0.0
    if edges[-1] > _LARGEST_ANGLE - (edges[-1] - edges[-2]) / 2:
        whole[-1] = _LARGEST_ANGLE
    return whole if (np.diff(whole) > 0).all() else edges


def _usable(centers: Floats, scale: Scale) -> NDArray[np.intp]:
    """Columns in ascending order of their centers; of repeated centers the first."""
    is_usable = np.isfinite(centers) & (centers > 0 if scale == "log" else True)
    columns = np.flatnonzero(is_usable)
    _, first = np.unique(centers[columns], return_index=True)
    return columns[first]


def _distinct_layouts(pieces: Iterable[Floats]) -> tuple[list[Floats], NDArray[np.intp]]:
    """The different rows of the pieces in order of appearance, and which of them each record has."""
    number_of: dict[bytes, int] = {}
    layouts: list[Floats] = []
    of_records: list[NDArray[np.intp]] = []
    for centers in pieces:
        changes = np.ones(len(centers), dtype=bool)
        same = (centers[1:] == centers[:-1]) | (np.isnan(centers[1:]) & np.isnan(centers[:-1]))
        changes[1:] = ~same.all(axis=1)
        starts = np.flatnonzero(changes)
        numbers = np.empty(len(starts), dtype=np.intp)
        for place, record in enumerate(starts):
            layout = np.ascontiguousarray(centers[record])
            key = layout.tobytes()
            if key not in number_of:
                number_of[key] = len(layouts)
                layouts.append(layout)
            numbers[place] = number_of[key]
        of_records.append(numbers[np.cumsum(changes) - 1])
    return layouts, np.concatenate(of_records) if of_records else np.empty(0, dtype=np.intp)


def _common_edges(edges: list[Floats], scale: Scale) -> Floats:
    """Even bins over all layouts, as fine as the typical bin of the finest of them, at most 96."""
    places = [np.log(own) if scale == "log" else own for own in edges]
    low, high = min(own[0] for own in places), max(own[-1] for own in places)
    finest = min(float(np.median(np.diff(own))) for own in places)
    count = int(np.clip(np.ceil((high - low) / finest), _FEWEST_COMMON_BINS, MAX_COMMON_BINS))
    common = np.linspace(low, high, count + 1)
    return np.exp(common) if scale == "log" else common
