"""Partitions read one at a time are what they are when they are joined: the same records, metadata and refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.graph import fetch_node
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.extent import Extents
from helio_dagster.domain.table import Table, TableMeta
from helio_dagster.launch.exporting.arrays import Arrays, filled_tables, look_through
from helio_dagster.launch.running.reading import StoredParts, join_tables
from helio_dagster.storage.tables import TableStore

DAYS = ("2003-10-29", "2003-10-30", "2003-10-31")


def _day(day: str, values: list[float], *, unit: str = "nT", name: str = "v", kind: str = "series", dtype: str = "f8") -> Table:
    meta = TableMeta.model_validate({"kind": kind, "unit": unit, "columns": [{"name": name, "unit": unit}]})
    time = np.datetime64(day, "ns") + np.arange(len(values)) * np.timedelta64(1, "h")
    return Table(time, {name: np.array(values, dtype=dtype)}, meta)


def _reaching(table: Table, *after_s: float) -> Table:
    """The same, its records reaching so many seconds beyond their times; one number for all, or one each, NaN for unknown."""
    seconds = np.broadcast_to(np.array(after_s, dtype="f8"), len(table))
    return table.with_extents(Extents.from_seconds(np.zeros(len(table)), seconds))


def _parts(folder: Path, *tables: Table) -> StoredParts:
    store, node = TableStore(folder), fetch_node("cdaweb/D/P")
    assert node is not None
    for day, table in zip(DAYS, tables, strict=False):
        store.write(node.name, day, table, {})
    return StoredParts(store, node, DAYS[: len(tables)], None)


@pytest.mark.parametrize(
    "tables",
    [
        (_day(DAYS[0], [1, 2]), _day(DAYS[1], []), _day(DAYS[2], [3])),
        (_day(DAYS[0], [1, 2]), _day(DAYS[1], [np.nan], unit=""), _day(DAYS[2], [3])),
        (_day(DAYS[0], [1, 2]), _day(DAYS[1], [3], dtype="f4"), _day(DAYS[2], [np.nan], unit="")),
        (_day(DAYS[0], []), _day(DAYS[1], [])),
        (_day(DAYS[0], [np.nan]), _day(DAYS[1], [np.nan])),
        (_reaching(_day(DAYS[0], [1, 2]), 60), _day(DAYS[1], []), _reaching(_day(DAYS[2], [3]), 60)),
        (_reaching(_day(DAYS[0], [1, 2]), 60), _reaching(_day(DAYS[1], [3]), 30)),
        (_reaching(_day(DAYS[0], [1, 2]), 60, 30), _reaching(_day(DAYS[1], [3]), 30), _day(DAYS[2], [4])),
        (_reaching(_day(DAYS[0], [1, 2]), 60, np.nan), _day(DAYS[1], [])),
    ],
)
def test_records_and_metadata_are_those_of_the_whole(tmp_path: Path, tables: tuple[Table, ...]) -> None:
    """With empty partitions, partitions of fill values, whose unit does not count, floats of two sizes, and other extents."""
    parts = _parts(tmp_path, *tables)
    whole = join_tables(parts.node, parts.tables())
    meta, rows = look_through(parts)
    arrays = Arrays(parts, meta)
    blocks = list(arrays.blocks())
    assert (meta, rows) == (whole.meta, len(whole))
    assert np.array_equal(np.concatenate([block.time for block in blocks]), whole.time)
    assert np.array_equal(np.concatenate([block.columns["v"] for block in blocks]), whole.columns["v"], equal_nan=True)
    extents = whole.extents or Extents.constant(None, len(whole))
    found = Extents.joined([arrays.survey.extents_of(block) for block in blocks])
    for one, other in zip(found.seconds, extents.seconds, strict=True):
        assert np.array_equal(one, other, equal_nan=True)
    assert [tuple(table.columns) for table in filled_tables(parts, meta)] == [tuple(whole.columns)] * len(blocks)
    finite = whole.columns["v"][np.isfinite(whole.columns["v"])]
    assert arrays.survey.rows == len(whole)
    assert arrays.survey.ranges.get("v") == ((finite.min(), finite.max()) if len(finite) else None)
    assert arrays.survey.dtypes.get("v", np.dtype("f8")) == whole.columns["v"].dtype


@pytest.mark.parametrize(
    "tables",
    [
        (_day(DAYS[0], [1]), _day(DAYS[1], [2], unit="km/s")),
        (_day(DAYS[0], [1]), _day(DAYS[1], [2], name="w")),
        (_day(DAYS[0], [1]), _day(DAYS[1], [2], kind="points")),
        (_day(DAYS[1], [1]), _day(DAYS[0], [2])),
        (_day(DAYS[0], [1]), _day(DAYS[0], [2])),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, tables: tuple[Table, ...]) -> None:
    """Before anything is written: other units, columns or kinds, and times out of order."""
    parts = _parts(tmp_path, *tables)
    with pytest.raises(ComputeError, match="do not fit together"):
        join_tables(parts.node, parts.tables())
    with pytest.raises(ComputeError, match="do not fit together"):
        look_through(parts)
