"""A spectrogram as records over one axis, so that what takes a bin of distributions takes one of spectrograms, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta

_VALUES, _CENTERS = "values", "centers"


def meta_as_records(meta: TableMeta) -> TableMeta:
    """The metadata of a spectrogram as those of data over one axis; any others as they are."""
    if meta.kind != "spectrogram" or meta.bins is None:
        return meta
    bins, size = meta.bins, len(meta.data_names)
    axis = RecordAxis(
        name="bin",
        size=size,
        label=bins.label,
        unit=bins.unit,
        scale=bins.scale,
        values=bins.centers,
        column=None if bins.is_fixed else _CENTERS,
    )
    companion = () if bins.is_fixed else (ColumnMeta(name=_CENTERS, label=bins.label, unit=bins.unit, role="bin"),)
    columns = (ColumnMeta(name=_VALUES, label=meta.label, unit=meta.unit), *companion)
    return meta.model_copy(update={"kind": "nd", "columns": columns, "bins": None, "axes": (axis,), "attributes": {}})


def as_records(table: Table) -> Table:
    """A spectrogram as data over one axis, shape (record, bin); any other table as it is."""
    meta = meta_as_records(table.meta)
    if meta is table.meta:
        return table
    plain = table.with_extents(None)
    columns = {_VALUES: _stacked(plain, table.meta.data_names)}
    if meta.axes[0].column is not None:
        columns[_CENTERS] = _stacked(plain, table.meta.bin_names)
    return replace(plain, columns=columns, meta=meta)


def _stacked(table: Table, names: tuple[str, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.stack([table.columns[name].astype(np.float64) for name in names], axis=1)
