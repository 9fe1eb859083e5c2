"""Cuts of a spectrogram: its values over its bins at a time, or averaged over a range, as curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.amounts import counted
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Panel
from helio_dagster.domain.figure_kinds import Cut
from helio_dagster.domain.record_times import bounds_ns, stamps_ns
from helio_dagster.domain.table import BinAxis, ColumnMeta, Scale, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.gaps import median_cadence_ms
from helio_dagster.figures.intervals import time_words
from helio_dagster.figures.markup import unit_codes_removed
from helio_dagster.figures.panels import bin_scale, lowest_of, quantity_of_unit
from helio_dagster.figures.spectrogram_image import flux_image

_DATE = len("2003-10-29 ")
_AXIS, _VALUE = "bin", "value"
_REACH = 1.5
"""How far a record counts, in cadences, where it does not say how far it reaches."""

Floats = NDArray[np.float64]


def as_curves(panel: Panel, metas: Mapping[str, TableMeta], path: str) -> tuple[Panel, Mapping[str, TableMeta]]:
    """A panel with a cut as the panel of curves that it is, with the metadata of these; any other as it is.

    Raises
    ------
    FigureError
        What is to be cut is not a spectrogram, or in part.
    """
    if panel.cut is None:
        return panel, metas
    for index, trace in enumerate(panel.traces):
        meta, where = metas[trace.data], f"{path}.traces[{index}]"
        if trace.component is not None:
            hint = "Remove `component`; to draw one bin over time, draw it in a panel without a cut."
            raise FigureError("a cut is through all bins", where=f"{where}.component", hint=hint)
        if meta.columns and meta.kind != "spectrogram":
            raise FigureError(
                f"{trace.data} is not a spectrogram, so it has no bins to cut through",
                where=f"{where}.data",
                hint="Cut through a parameter that has a bin axis such as energy or pitch angle.",
            )
    cut = {trace.data: curve_meta(metas[trace.data], "linear") for trace in panel.traces}
    return panel.model_copy(update={"cut": None}), {**metas, **cut}


def curve_meta(meta: TableMeta, scale: Scale) -> TableMeta:
    """The metadata of a cut; without columns where nothing is known of the spectrogram.

    Parameters
    ----------
    scale
        Of the bins.
    """
    if not meta.columns:
        return meta
    bins = meta.bins or BinAxis()
    label = unit_codes_removed(bins.label) or quantity_of_unit(bins.unit)
    first = next(column for column in meta.columns if column.role == "data")
    unit = meta.unit or first.unit
    columns = (
        ColumnMeta(name=_AXIS, label=label, unit=bins.unit, role="axis"),
        ColumnMeta(name=_VALUE, label=meta.label or first.label, unit=unit),
    )
    axis = BinAxis(label=label, unit=bins.unit, scale=scale)
    found = TableMeta(kind="curve", columns=columns, label=meta.label, unit=unit, scale=meta.scale, bins=axis)
    return found.model_copy(update={"frame": meta.frame, "synthetic": meta.synthetic})


def cut_table(table: Table, cut: Cut) -> Table:
    """The curves of a spectrogram that is clipped to the figure's range already: one for each time, or one average.

    An average is over the valid values of each bin. Where the bins vary, it is over common bins, as an image shows them.
    """
    if not table.meta.columns:
        return table
    lowest = [lowest_of(table.columns[name]) for name in table.meta.bin_names]
    scale = bin_scale(table.meta.bins or BinAxis(), lowest)
    meta = curve_meta(table.meta, scale)
    data = [table.columns[name] for name in table.meta.data_names]
    if meta.scale == "linear" and not any(bool((values < 0).any()) for values in data):
        meta = meta.model_copy(update={"scale": "log"})  # as the colours of a spectrogram
    pieces = _records(table, cut) if cut.times else _average(table, cut, scale)
    times, places, values = [], [], []
    for time, centers, shown in pieces:
        order = np.argsort(centers, kind="stable")
        kept = order[np.isfinite(centers[order])]
        times.append(np.full(len(kept), time, dtype="datetime64[ns]"))
        places.append(centers[kept])
        values.append(shown[kept])
    if not times:
        return Table.empty(meta)
    columns = {_AXIS: np.concatenate(places), _VALUE: np.concatenate(values)}
    return Table(np.concatenate(times), columns, meta)


def cut_words(cut: Cut, tables: Mapping[str, Table]) -> Iterator[str]:
    """What is cut, where the curves do not say it: the time of a single record, or the range of an average; what is missing."""
    known = [table for table in tables.values() if table.meta.columns]
    for moment in cut.times:
        if known and not any(len(_nearest(table, moment)) for table in known):
            yield f"no record at {moment:%Y-%m-%d %H:%M:%S} UTC"
    if len(cut.times) == 1:
        found = [table.time[_nearest(table, cut.times[0])] for table in known]
        times = np.unique(np.concatenate(found)) if found else np.empty(0, "datetime64[ns]")
        if len(times) == 1:
            yield f"record of {time_words(times.astype('datetime64[s]'))[0]} UTC"
    if not cut.times and known:
        parts = [_inside(table, cut) for table in known]
        count = max(len(part) for part in parts)
        if count:
            first, last = (np.array([end(part.time) for part in parts if len(part)]) for end in (np.min, np.max))
            begin, end = time_words(np.array([first.min(), last.max()]).astype("datetime64[s]"))
            yield f"{begin} to {end.removeprefix(begin[:_DATE])} UTC".replace("  ", " ")  # the lower of two lines
            yield f"mean of {counted(count, 'record')},"


def _records(table: Table, cut: Cut) -> Iterator[tuple[np.datetime64, Floats, Floats]]:
    """Time, centers and values of the record of each time, each once."""
    places = [place for moment in cut.times for place in _nearest(table, moment).tolist()]
    for place in dict.fromkeys(places):
        values = np.array([table.columns[name][place] for name in table.meta.data_names], dtype=np.float64)
        yield table.time[place], _centers(table, place), values


def _nearest(table: Table, moment: datetime) -> NDArray[np.intp]:
    """The record that a time is in, else the nearest within one and a half cadences; empty without one."""
    if not len(table):
        return np.empty(0, dtype=np.intp)
    at = int(moment.timestamp() * 1e6) * 1000
    start, stop, is_known = bounds_ns(table)
    inside = np.flatnonzero((start <= at) & (at < stop) & is_known)
    if len(inside):
        return inside[:1]
    stamps = stamps_ns(table)
    place = int(np.argmin(np.abs(stamps - at)))
    cadence = median_cadence_ms(stamps / 1e6)
    reach = _REACH * cadence * 1e6 if np.isfinite(cadence) else np.inf
    return np.array([place] if abs(stamps[place] - at) <= reach else [], dtype=np.intp)


def _inside(table: Table, cut: Cut) -> Table:
    return table.clip(TimeRange(cut.start, cut.stop)) if cut.start is not None and cut.stop is not None else table


def _centers(table: Table, place: int) -> Floats:
    bins = table.meta.bins
    if bins is not None and bins.is_fixed:
        return np.asarray(bins.centers, dtype=np.float64)
    if table.meta.bin_names:
        return np.array([table.columns[name][place] for name in table.meta.bin_names], dtype=np.float64)
    return np.arange(1.0, len(table.meta.data_names) + 1)


def _average(table: Table, cut: Cut, scale: Scale) -> Iterator[tuple[np.datetime64, Floats, Floats]]:
    """The mean of the records of a range."""
    part = _inside(table, cut)
    if not len(part):
        return
    names = part.meta.bin_names
    is_same = all(_is_constant(part.columns[name]) for name in names)
    if is_same:
        values = np.array([part.columns[name] for name in part.meta.data_names], dtype=np.float64)
        known = np.isfinite(values)
        counts = known.sum(axis=1)
        sums = np.where(known, values, 0.0).sum(axis=1)
        yield part.time[0], _centers(part, 0), np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
        return
    first, last = (datetime.fromisoformat(f"{np.datetime_as_string(part.time[place], unit='us')}+00:00") for place in (0, -1))
    image = flux_image(part, scale, TimeRange(first, max(last, first)), columns=1) if last > first else None
    if image is None:
        yield from _records(part, Cut(at=first))
        return
    low, high = image.bin_edges[:-1], image.bin_edges[1:]
    yield part.time[0], np.sqrt(low * high) if scale == "log" else (low + high) / 2, image.flux[:, 0]


def _is_constant(values: NDArray[np.floating]) -> bool:
    return bool(((values == values[0]) | (np.isnan(values) & np.isnan(values[0]))).all())
