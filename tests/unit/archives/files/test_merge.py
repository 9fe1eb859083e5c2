"""One table out of several files' tables."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from helio_dagster.archives.files.merge import merge_files
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.table import BinAxis, ColumnMeta, Kind, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))


def table(
    hours: list[int],
    values: list[float],
    *,
    name: str = "b",
    unit: str = "nT",
    kind: Kind = "series",
    frame: str | None = None,
    bins: BinAxis | None = None,
) -> Table:
    """A table of one column, at hours since the day's start."""
    time = np.datetime64("2023-01-02T00", "ns") + np.array(hours, dtype="timedelta64[h]")
    meta = TableMeta(kind=kind, columns=(ColumnMeta(name=name, unit=unit),), unit=unit, frame=frame, bins=bins)
    return Table(time, {name: np.array(values, dtype="float32")}, meta)


def test_records_are_clipped_sorted_and_unique() -> None:
    """Interleaved files give one series; of a repeated time the earlier file's record is kept."""
    merged = merge_files([("a", table([-1, 0, 4, 6], [1, 2, 3, 4])), ("b", table([2, 4, 24], [5, 6, 7]))], DAY)
    assert (merged.time - np.datetime64("2023-01-02T00", "ns")).astype("timedelta64[h]").astype(int).tolist() == [0, 2, 4, 6]
    assert merged.columns["b"].tolist() == [2, 5, 3, 4]
    assert merged.columns["b"].dtype == np.float32


def test_a_file_without_records_in_the_window_does_not_count() -> None:
    """Its columns may be others: the result is that of the files with records."""
    merged = merge_files([("a", table([1], [1])), ("b", table([30], [2], name="c", unit="km"))], DAY)
    assert list(merged.columns) == ["b"]


def test_no_records_at_all_give_a_typed_empty_table() -> None:
    """The last file tells the columns."""
    merged = merge_files([("a", table([], [])), ("b", table([30], [2]))], DAY)
    assert (len(merged), merged.columns["b"].dtype) == (0, np.dtype("float32"))


def test_renamed_columns_take_the_last_files_names() -> None:
    """A label that changed in between is still the same measurement."""
    merged = merge_files([("a", table([1], [1], name="Bx")), ("b", table([2], [2], name="BX"))], DAY)
    assert merged.columns["BX"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (table([2], [2], unit="T"), "units"),
        (table([2], [2], frame="GSE"), "frame"),
        (table([2], [2], kind="spectrogram"), "kind"),
        (table([2], [2], bins=BinAxis(centers=(1.0,))), "bins"),
    ],
)
def test_files_that_are_not_one_series_are_refused(other: Table, named: str) -> None:
    """Files that differ in what their numbers mean are never joined silently."""
    with pytest.raises(ArchiveAnswerError, match=named):
        merge_files([("a", table([1], [1])), ("b", other)], DAY)
