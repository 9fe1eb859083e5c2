"""Small tables are written by another process as they would be here; without it, nothing is lost but time."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.writing.messages import Writing
from helio_dagster.assets.writing.table_writer import MANY_TABLES, SMALL_BYTES, TableWriter
from helio_dagster.assets.writing.written import Written
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.storage.tables import TableStore
from tests.table_writers import running_table_writer

DAY = Grain.DAILY.window("2023-01-02")
MADE_FROM = {"code": "abc", "inputs": {"other": {"2023-01-02": "def"}}}
META = TableMeta(kind="series", columns=(ColumnMeta(name="b", unit="nT"),), unit="nT", frame="GSE", attributes={"A": ["x"]})


def table(rows: int = 100, seed: int = 0) -> Table:
    """Noise with gaps, every minute."""
    values = np.random.default_rng(seed).normal(size=rows)
    values[::7] = np.nan
    return Table(np.datetime64("2023-01-02", "ns") + np.arange(rows) * np.timedelta64(1, "m"), {"b": values}, META)


def writing(folder: Path, name: str, of: Table) -> Writing:
    """What is handed over."""
    return Writing(str(folder / f"{name}.parquet"), of, MADE_FROM, DAY, 3600.0)


@pytest.fixture(scope="module")
def module_writer() -> Iterator[TableWriter]:
    """One process for all tests that leave it as it was."""
    with running_table_writer() as writer:
        yield writer


def test_the_same_file_and_description(module_writer: TableWriter, tmp_path: Path) -> None:
    """Byte by byte, in the order asked for or another one, however many are under way."""
    tables = [table(rows, rows) for rows in (0, 1, 2, 100, 1440, 900, 7, 30)]
    numbers = [module_writer.begin(writing(tmp_path / "beside", str(len(each)), each)) for each in tables]
    assert None not in numbers
    for number, each in reversed(list(zip(numbers, tables, strict=True))):
        here = tmp_path / "here" / f"{len(each)}.parquet"
        expected = Written.of(TableStore.write_file(here, each, MADE_FROM), each, DAY, 3600.0)
        found = module_writer.result(number or 0)
        assert found is not None
        assert module_writer.is_done(number or 0)
        assert Path(found.place).read_bytes() == here.read_bytes()
        assert (found.described, found.quality) == (expected.described, expected.quality)
        assert (found.size, found.status, found.data_version) == (expected.size, expected.status, expected.data_version)


def test_what_cannot_be_written_is_left_to_the_run(module_writer: TableWriter, tmp_path: Path) -> None:
    """Which then finds out why; the next table is written."""
    (tmp_path / "file").write_text("in the way")
    bad = module_writer.begin(writing(tmp_path / "file", "a", table()))
    good = module_writer.begin(writing(tmp_path, "a", table()))
    assert module_writer.result(bad or 0) is None
    assert module_writer.result(good or 0) is not None


def test_large_tables_and_texts_are_not_taken(module_writer: TableWriter, tmp_path: Path) -> None:
    """Large ones are worth a thread; a text column is as large as its texts, which nobody has counted."""
    words = Table(table(2).time, {"b": np.array(["a", "b"], dtype=object)}, META)
    assert module_writer.begin(writing(tmp_path, "large", table(SMALL_BYTES // 16 + 1))) is None
    assert module_writer.begin(writing(tmp_path, "words", words)) is None
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_is_killed_loses_no_table(tmp_path: Path) -> None:
    """What it had not written, and all that comes later, the run writes."""
    with running_table_writer() as writer:
        pid = writer.pid or 0
        os.kill(pid, signal.SIGSTOP)
        number = writer.begin(writing(tmp_path, "a", table()))
        assert number is not None
        assert not writer.is_done(number)
        os.kill(pid, signal.SIGKILL)
        assert writer.result(number) is None
        assert not writer.is_ready
        assert writer.begin(writing(tmp_path, "b", table())) is None


def test_a_process_is_started_for_many_tables_and_not_on_one_core(tmp_path: Path) -> None:
    """The first of them are written by the run; closing ends the process."""
    with closing(TableWriter(cores=1)) as alone, closing(TableWriter(cores=2)) as writer:
        for count in range(MANY_TABLES):
            assert writer.pid is None, count
            assert alone.begin(writing(tmp_path, "a", table())) is writer.begin(writing(tmp_path, "a", table())) is None
        assert alone.pid is None
        pid = writer.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
