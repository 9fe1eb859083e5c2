"""How far records reach: kept through joining and cutting, and no word of it where nothing is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from pydantic import ValidationError

from helio_dagster.domain.extent import Extent, Extents
from helio_dagster.domain.record_times import binning_ns, middles_ns
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta, concatenate
from helio_dagster.domain.time_range import TimeRange

HOUR = timedelta(hours=1)
_HOUR_NS = 3_600 * 10**9


def hourly(first: str, count: int, extent: Extent | None) -> Table:
    """Records an hour apart."""
    time = np.datetime64(first, "ns") + np.arange(count) * np.timedelta64(1, "h")
    table = Table(time, {"b": np.arange(count, dtype=np.float64)}, TableMeta(kind="series", columns=(ColumnMeta(name="b"),)))
    return table.with_extents(Extents.constant(extent, count))


def test_metadata_without_an_extent_have_no_word_of_it() -> None:
    """The JSON of earlier tables, and so their data versions and files, stay what they were."""
    assert "extent" not in hourly("2024-01-01", 1, None).meta.model_dump_json()
    stated = hourly("2024-01-01", 1, Extent.of_bin(HOUR)).meta
    assert TableMeta.model_validate_json(stated.model_dump_json()) == stated


def test_partitions_of_one_extent_keep_it_in_the_metadata() -> None:
    """Also where a partition between them is empty."""
    extent = Extent.of_bin(HOUR)
    parts = [hourly("2024-01-01", 2, extent), hourly("2024-01-02", 0, None), hourly("2024-01-03", 2, extent)]
    joined = concatenate(parts)
    assert joined.meta.extent == extent
    assert list(joined.columns) == ["b"]


def test_partitions_of_different_extents_keep_each_their_own() -> None:
    """In columns of seconds, unknown ones NaN; a part cut out again is what it was before."""
    short, centred = Extent.of_bin(timedelta(minutes=20)), Extent.around(HOUR)
    parts = [hourly("2024-01-01", 2, short), hourly("2024-01-02", 1, centred), hourly("2024-01-03", 1, None)]
    joined = concatenate(parts)
    assert joined.meta.extent is None
    assert [column.role for column in joined.meta.columns] == ["data", "before", "after"]
    np.testing.assert_array_equal(joined.columns["extent_before"], [0, 0, 1800, np.nan])
    np.testing.assert_array_equal(joined.columns["extent_after"], [1200, 1200, 1800, np.nan])
    for day, part in enumerate(parts, start=1):
        cut = joined.clip(TimeRange(datetime(2024, 1, day, tzinfo=UTC), datetime(2024, 1, day + 1, tzinfo=UTC)))
        assert cut.meta == part.meta
        np.testing.assert_array_equal(cut.columns["b"], part.columns["b"])


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        (Extent.of_bin(HOUR), "1 h, stamped at its start"),
        (Extent.around(timedelta(minutes=90)), "1.5 h, stamped in its middle"),
        (Extent(before_ns=16 * 10**9), "16 s, stamped at its stop"),
        (Extent(before_ns=10**6, after_ns=3 * 10**6), "4 ms, stamped 1 ms after its start"),
    ],
)
def test_it_is_said_in_words(extent: Extent, words: str) -> None:
    """Its length, and where in it the stamp is."""
    assert extent.words == words


def test_a_negative_length_is_refused() -> None:
    """A record does not stop before it starts."""
    with pytest.raises(ValidationError):
        Extent(before_ns=-1)
    assert not Extents.from_seconds(np.array([-1.0, np.nan, 0.0]), np.array([1.0, 1.0, 1e12])).is_known.any()


def test_a_record_lies_at_the_middle_of_its_extent() -> None:
    """By the stamp where nothing is known; a bin takes what is stamped at its stop by its middle, the rest by its stamp."""
    stamp = int(np.datetime64("2024-01-01", "ns").astype(np.int64))
    for extent, middle, binned in (
        (None, 0, 0),
        (Extent.of_bin(HOUR), _HOUR_NS // 2, 0),
        (Extent.around(HOUR), 0, 0),
        (Extent(before_ns=_HOUR_NS), -_HOUR_NS // 2, -_HOUR_NS // 2),
    ):
        table = hourly("2024-01-01", 1, extent)
        assert middles_ns(table)[0] - stamp == middle
        assert binning_ns(table)[0] - stamp == binned
