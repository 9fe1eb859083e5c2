"""Values of a variable some records at a time: the same as all at once, whatever the file's order, blocks and compression."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pycdfpp
import pytest

from helio_dagster.archives.cdf import messages
from helio_dagster.archives.cdf.checked import CheckedFile, open_checked
from helio_dagster.archives.cdf.decode import decode, decode_in_pieces
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.pieces import read_pieces
from helio_dagster.domain.errors import CorruptFile
from helio_dagster.domain.table import Table
from tests.nd_files import DISTRIBUTION, make_distribution, write_distribution

SHAPE = (6, 3, 5)


def opened(path: Path) -> CheckedFile:
    """A file opened as the worker opens it."""
    return open_checked(path, PycdfppFile, lambda _: None)


@pytest.fixture(params=["gzip", "none"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A distribution of 40 records, compressed or not."""
    made = make_distribution(40, azimuths=6, colatitudes=3, energies=5)
    return write_distribution(tmp_path / "made.cdf", made, compression=6 if request.param == "gzip" else 0)


@pytest.mark.parametrize("piece_bytes", [1, 1000, 7 * 360, 10**9])
def test_pieces_are_all_values(path: Path, piece_bytes: int) -> None:
    """Put together they are what pycdfpp reads; no piece is larger than asked for, but for one record."""
    file = opened(path)
    pieces = read_pieces(file.structure, file.structure.variables[DISTRIBUTION], SHAPE, piece_bytes=piece_bytes)
    assert pieces is not None
    found = list(pieces.values)
    expected = pycdfpp.load(str(path))[DISTRIBUTION].values
    np.testing.assert_array_equal(np.concatenate(found), expected)
    assert {each.dtype for each in found} == {pieces.dtype} == {expected.dtype}
    assert max(each.nbytes for each in found) <= max(piece_bytes, expected[:1].nbytes)


def test_the_other_majority(tmp_path: Path) -> None:
    """Records whose first axis runs fastest."""
    made = make_distribution(5, azimuths=6, colatitudes=3, energies=5)
    path = write_distribution(tmp_path / "made.cdf", made, is_by_columns=True)
    pieces = opened(path).pieces(DISTRIBUTION)
    assert pieces is not None
    np.testing.assert_array_equal(np.concatenate(list(pieces.values)), pycdfpp.load(str(path))[DISTRIBUTION].values)


def through_the_pipe(path: Path) -> tuple[Table | Any, list[int]]:
    """A table as it crosses the pipe in pieces, and how many bytes were written at once."""
    sent, sizes = bytearray(), []

    def write(data: bytes | memoryview) -> None:
        sizes.append(memoryview(data).nbytes)
        sent.extend(data)

    decoded = decode_in_pieces(opened(path), DISTRIBUTION, most_held=0)
    assert decoded.values is not None
    place = 0

    def read_into(buffer: memoryview) -> None:
        nonlocal place
        buffer[:] = sent[place : place + len(buffer)]
        place += len(buffer)

    messages.write_table(write, decoded.table, decoded.values)
    return messages.read_answer(read_into), sizes


@pytest.mark.parametrize("step_ms", [1000.0, -1000.0, 0.0])
def test_the_same_table_as_all_at_once(tmp_path: Path, step_ms: float) -> None:
    """Fills, bins, widths, also where the file's times run backwards or are all one."""
    made = make_distribution(40, azimuths=6, colatitudes=3, energies=5)
    path = write_distribution(tmp_path / "made.cdf", made, cadence_s=step_ms / 1000)
    table, _ = through_the_pipe(path)
    expected = decode(PycdfppFile(path), DISTRIBUTION)
    assert table.meta == expected.meta
    assert len(table) == (40 if step_ms else 1)
    np.testing.assert_array_equal(table.time, expected.time)
    for name, values in expected.columns.items():
        np.testing.assert_array_equal(table.columns[name], values)
        assert table.columns[name].dtype == values.dtype


def test_a_block_that_fails_its_checksum_is_corrupt(tmp_path: Path) -> None:
    """A changed byte in the last block is an error that follows the pieces before it, not another value."""
    made = make_distribution(40, azimuths=6, colatitudes=3, energies=5)
    path = write_distribution(tmp_path / "made.cdf", made, compression=6)
    block = opened(path).structure.variables[DISTRIBUTION].blocks[-1]
    content = bytearray(path.read_bytes())
    trailer = block.start + block.size - 8
    content[trailer] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFile, match="checksum"):
        through_the_pipe(path)
