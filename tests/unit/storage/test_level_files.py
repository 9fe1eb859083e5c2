"""Levels of a table at rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helio_dagster.storage.level_files import Levels, levels_path, stored_levels

LEVELS = {"64/b/values": np.arange(3.0), "records": np.array(192)}


class Maker:
    """Counts how often levels were made."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> Levels:
        """Make them."""
        self.count += 1
        return LEVELS


def test_levels_are_made_once_for_a_version(tmp_path: Path) -> None:
    """The second time they are read; another version of the table makes them again."""
    make, table = Maker(), tmp_path / "2023-01-02.parquet"
    for version, made in (("1 a", 1), ("1 a", 1), ("1 b", 2), ("1 b", 2)):
        found = stored_levels(table, version, make)
        assert make.count == made
        assert sorted(found) == sorted(LEVELS)
        np.testing.assert_array_equal(found["64/b/values"], LEVELS["64/b/values"])
    assert [path.name for path in tmp_path.iterdir()] == ["2023-01-02.levels.npz"]


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"not a file of levels"])
def test_damaged_levels_are_made_again(tmp_path: Path, damage: bytes) -> None:
    """Whatever is there instead."""
    make, table = Maker(), tmp_path / "a.parquet"
    levels_path(table).write_bytes(damage)
    assert sorted(stored_levels(table, "1", make)) == sorted(LEVELS)
    stored_levels(table, "1", make)
    assert make.count == 1


def test_every_flipped_byte_of_the_values_is_found(tmp_path: Path) -> None:
    """A zip has a checksum of each of its members."""
    make, table = Maker(), tmp_path / "a.parquet"
    stored_levels(table, "1", make)
    whole = levels_path(table).read_bytes()
    at = whole.index(LEVELS["64/b/values"].tobytes())
    levels_path(table).write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    np.testing.assert_array_equal(stored_levels(table, "1", make)["64/b/values"], LEVELS["64/b/values"])
    assert make.count == 2


def test_a_folder_that_cannot_be_written_keeps_none(tmp_path: Path) -> None:
    """A figure is drawn all the same: here a file stands where the folder would be."""
    (tmp_path / "file").write_text("")
    assert sorted(stored_levels(tmp_path / "file" / "a.parquet", "1", Maker())) == sorted(LEVELS)
