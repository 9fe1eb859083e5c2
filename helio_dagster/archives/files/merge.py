"""One window's table out of the tables of its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from helio_dagster.archives.files.record_order import in_order_of_time
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.large_arrays import joined
from helio_dagster.domain.table import Table, joined_extents, marks_of, mismatch
from helio_dagster.domain.time_range import TimeRange


def merge_files(tables: Sequence[tuple[str, Table]], window: TimeRange) -> Table:
    """The records of some files inside `[start, stop)`, in order of time, times unique.

    Parameters
    ----------
    tables
        File name and table (sorted, unique), at least one; where two files hold a record of the same time, the earlier file's
        is kept. Files without records in the window do not count; the last that counts gives the metadata, and each record
        keeps its own extent.

    Raises
    ------
    ArchiveAnswerError
        The files' columns, units, frames or bins differ, so that they are not one series.
    """
    clipped = [(name, table.clip(window)) for name, table in tables]
    filled = [(name, table) for name, table in clipped if len(table)] or clipped[-1:]
    if len(filled) == 1:
        return filled[0][1]
    extents = joined_extents([table for _, table in filled])
    filled = [(name, table.with_extents(None)) for name, table in filled]
    last_name, last = filled[-1]
    for name, table in filled[:-1]:
        difference = mismatch(table.meta, last.meta)
        if difference:
            raise ArchiveAnswerError(
                f"the files {name} and {last_name} differ in {difference}, so they are not one series",
                where=str(window),
                hint="Use shorter partitions, so that no partition holds both.",
            )
    time = np.concatenate([table.time for _, table in filled])
    arrays = [[*table.columns.values()] for _, table in filled]
    columns = {name: joined([one[place] for one in arrays]) for place, name in enumerate(last.columns)}
    meta = last.meta.model_copy(update=marks_of([table.meta for _, table in filled]))
    return in_order_of_time(replace(last, time=time, columns=columns, meta=meta).with_extents(extents))
