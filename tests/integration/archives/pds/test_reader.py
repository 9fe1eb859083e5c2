"""Products read in the worker process: the same tables, and what is wrong as errors with what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.pds.reader import ProductReader
from helio_dagster.domain.errors import CorruptFile, InputError, UnknownDataset
from tests.pds_files import Column, write_pds4

_COLUMNS = [
    Column("TIME", ["2016-240T00:00:00", "2016-240T00:00:01"], "ASCII_Date_Time_DOY_UTC"),
    Column("B", ["1.5", "2.5"], unit="nT"),
    Column("NOTE", ["x", "y"], "ASCII_String"),
]


@pytest.fixture(scope="module")
def reader() -> Iterator[ProductReader]:
    """A worker process, started once."""
    with ProductReader(workers=1) as found:
        yield found


def _read(reader: ProductReader, label: Path, parameter: str = "B") -> list[float]:
    table = reader.read(label, label.name, label.with_suffix(".tab"), f"{label.stem}.tab", parameter)
    values: list[float] = table.columns[parameter].tolist()
    return values


def test_a_label_and_its_table(reader: ProductReader, tmp_path: Path) -> None:
    """What the label says, and the numbers."""
    label = write_pds4(tmp_path, "b", _COLUMNS)
    product = reader.label(label, label.name)
    assert (product.version, [table.file for table in product.tables]) == ("1.0", ["b.tab"])
    assert _read(reader, label) == [1.5, 2.5]


def test_each_kind_of_error(reader: ProductReader, tmp_path: Path) -> None:
    """An unknown parameter, one that is no number, a file that is not the one of the label; and the worker goes on."""
    label = write_pds4(tmp_path, "b", _COLUMNS)
    with pytest.raises(UnknownDataset):
        _read(reader, label, "C")
    with pytest.raises(InputError, match="not a number"):
        _read(reader, label, "NOTE")
    (tmp_path / "b.tab").write_bytes(b"other" * 20)
    with pytest.raises(CorruptFile, match="MD5 checksum"):
        _read(reader, label)
    label.write_text("<not closed")
    with pytest.raises(CorruptFile, match="not sound XML"):
        reader.label(label, label.name)


def test_a_label_that_asks_for_the_machines_memory(tmp_path: Path) -> None:
    """A table of many items in a small file stays inside the worker's limit; the error says so."""
    count = 40_000
    columns = [Column("TIME", ["2016-240T00:00:00"] * count, "ASCII_String"), Column("B", np.zeros(count, dtype=">f8"))]
    label = write_pds4(tmp_path, "b", columns, form="Binary", checksum=False)
    with ProductReader(workers=1, memory_bytes=1 << 20) as small, pytest.raises(CorruptFile, match="memory"):
        small.read(label, label.name, label.with_suffix(".dat"), "b.dat", "B")
