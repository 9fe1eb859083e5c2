"""Arrays in a file behave as those in memory, and leave no file behind."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.large_arrays import copied, joined, new_array, put_aside, record_blocks, release, taken


@pytest.fixture
def values() -> np.ndarray:
    """A thousand records in a file."""
    made = new_array((1000, 7, 5), "f4", most_held=0)
    made[:] = np.arange(35_000).reshape(made.shape)
    return made


def resident_pages() -> int:
    """Pages of files and memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1])


def test_released_values_are_still_there(values: np.ndarray) -> None:
    """Whatever part is given back, and also through views."""
    for part in (values, values[3:4], values[:, 2], values[500:, 1:3, ::2], values[:0]):
        release(part)
        np.testing.assert_array_equal(values.reshape(-1), np.arange(35_000))
    release(np.arange(3))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process holds")
def test_going_through_blocks_holds_none_of_it() -> None:
    """100 MiB written and read take no more than some blocks."""
    before = resident_pages()
    large = new_array((100, 2**17), "f8", most_held=0)
    for block in record_blocks(large, 2**20):
        large[block] = 1.0
    total = sum(float(large[block].sum()) for block in record_blocks(large, 2**20))
    assert total == large.size
    assert (resident_pages() - before) * os.sysconf("SC_PAGE_SIZE") < 30 * 2**20


def test_copies_keep_values_and_types(values: np.ndarray) -> None:
    """Joined, taken in another order, copied and put aside as numpy does it in memory."""
    plain = np.array(values)
    np.testing.assert_array_equal(joined([values[:10], plain[10:]]), plain)
    order = np.array([5, 3, 3, 999])
    np.testing.assert_array_equal(taken(values, order), plain[order])
    again = copied(values)
    again[0] = -1
    np.testing.assert_array_equal(values, plain)
    aside = put_aside(plain)
    assert aside.dtype == plain.dtype
    np.testing.assert_array_equal(aside, plain)
    words = np.array(["a", None], dtype=object)
    assert copied(words).tolist() == taken(words, np.array([0, 1])).tolist() == ["a", None]


def test_no_file_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder for temporary files stays empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = new_array((10,), "f8", most_held=0)
    made[:] = 1
    assert list(tmp_path.iterdir()) == []


def test_no_room_is_one_clear_message() -> None:
    """A disk that cannot hold it is named before anything is written."""
    with pytest.raises(StorageError, match=r"no room for \d+ MiB of values") as caught:
        new_array((2**50,), "f8")
    assert "TMPDIR" in caught.value.hint
