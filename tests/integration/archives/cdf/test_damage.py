"""Damage that a file's own checksums and indexes tell of, and files made to exhaust memory or time."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.errors import CorruptFile
from tests.cdf_files import KINDS, Kind, blocks_of, flipped, index_at, patched, variable_at, write_kind

_MEMORY_BYTES = 1 << 30


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    """One pool for all tests of the module."""
    with CdfReader(workers=1, memory_bytes=_MEMORY_BYTES) as pool:
        yield pool


@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_of_every_kind_are_read(reader: CdfReader, tmp_path: Path, kind: Kind) -> None:
    """No false alarm."""
    assert len(reader.read(write_kind(tmp_path / "sound.cdf", kind), "B")) == 20_000


def amid_gzip(content: bytes) -> bytes:
    """One bit within the compressed values."""
    offset, size = blocks_of(content, "B")[1]
    return flipped(content, offset + 24 + (size - 24) // 2)


def gzip_checksum(content: bytes) -> bytes:
    """One bit of the CRC32 at a gzip stream's end."""
    offset, size = blocks_of(content, "B")[-1]
    return flipped(content, offset + size - 8)


def plain_value(content: bytes) -> bytes:
    """One bit of an uncompressed value, which only the MD5 covers."""
    offset, _ = blocks_of(content, "B")[0]
    return flipped(content, offset + 12 + 100)


def amid_whole(content: bytes) -> bytes:
    """One bit within the compressed content of the file."""
    return flipped(content, len(content) // 2)


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("gzip", amid_gzip),
        ("gzip", gzip_checksum),
        ("md5", plain_value),
        ("whole", amid_whole),
        ("whole md5", amid_whole),
    ],
)
def test_what_fails_its_own_checksum_is_corrupt(
    reader: CdfReader, tmp_path: Path, kind: Kind, damage: Callable[[bytes], bytes]
) -> None:
    """MD5 trailer, CRC32 of each gzip stream, of a variable or of the file: never values that differ."""
    path = write_kind(tmp_path / "damaged.cdf", kind)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CorruptFile, match=r"damaged\.cdf"):
        reader.read(path, "B")


def test_a_real_file_with_an_md5_trailer_is_compared_with_it(reader: CdfReader, shared_data: Path, tmp_path: Path) -> None:
    """MMS: one byte of a label is enough, which no gzip stream covers."""
    content = (shared_data / "cdf" / "mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf").read_bytes()
    path = tmp_path / "mms.cdf"
    path.write_bytes(flipped(content, content.index(b"Bx GSE")))
    with pytest.raises(CorruptFile, match="MD5"):
        reader.read(path, "mms1_fgm_b_gse_brst_l2")


def last_pointer_elsewhere(content: bytes, name: str) -> bytes:
    """The last used entry of the index leads into nothing."""
    at = index_at(content, name)
    entries, used = struct.unpack_from(">ii", content, at + 20)
    return patched(content, at + 28 + 8 * entries + 8 * (used - 1), 12, ">q")


def fewer_entries(content: bytes, name: str) -> bytes:
    """The index claims fewer entries than the variable has blocks."""
    return patched(content, index_at(content, name) + 24, 0)


def no_index(content: bytes, name: str) -> bytes:
    """The variable has records, but no index."""
    return patched(content, variable_at(content, name) + 28, 0, ">q")


def no_records(content: bytes, name: str) -> bytes:
    """The variable has blocks of values, but says that it has no records."""
    return patched(content, variable_at(content, name) + 24, -1)


def index_in_a_loop(content: bytes, name: str) -> bytes:
    """An index record that is its own successor."""
    return patched(content, index_at(content, name) + 12, index_at(content, name), ">q")


def index_below_itself(content: bytes, name: str) -> bytes:
    """Index entries that lead to the index record itself."""
    at = index_at(content, name)
    (entries,) = struct.unpack_from(">i", content, at + 20)
    return patched(content, at + 28 + 8 * entries, at, ">q")


def huge_index(content: bytes, name: str) -> bytes:
    """An index record with two thousand million entries."""
    at = index_at(content, name)
    return patched(patched(content, at + 20, 2**31 - 1), at + 24, 2**31 - 1)


def huge_records(content: bytes, name: str) -> bytes:
    """A variable with two thousand million records."""
    return patched(content, variable_at(content, name) + 24, 2**31 - 2)


def sparse_records(content: bytes, name: str) -> bytes:
    """The same, and the file says that it leaves most of them out."""
    return patched(huge_records(content, name), variable_at(content, name) + 48, 1)


def shared_block(content: bytes, name: str) -> bytes:
    """Every index entry leads to the same block of values."""
    at = index_at(content, name)
    entries, used = struct.unpack_from(">ii", content, at + 20)
    (first,) = struct.unpack_from(">q", content, at + 28 + 8 * entries)
    for place in range(used):
        content = patched(content, at + 28 + 8 * entries + 8 * place, first, ">q")
    return content


@pytest.mark.parametrize("name", ["Epoch", "B"])
@pytest.mark.parametrize(
    "damage",
    [
        last_pointer_elsewhere,
        fewer_entries,
        no_index,
        no_records,
        index_in_a_loop,
        index_below_itself,
        huge_index,
        huge_records,
        sparse_records,
        shared_block,
    ],
)
def test_an_index_that_cannot_be_is_corrupt(
    reader: CdfReader, tmp_path: Path, damage: Callable[[bytes, str], bytes], name: str
) -> None:
    """Never an empty table, never other values, no loop; the same worker lives on, so the fast reader never saw the file."""
    path = write_kind(tmp_path / "damaged.cdf", "gzip")
    reader.coverage(path)
    before = reader.processes
    path.write_bytes(damage(path.read_bytes(), name))
    with pytest.raises(CorruptFile, match="is a damaged CDF file"):
        reader.read(path, "B")
    assert reader.processes == before


def test_times_that_are_none_are_not_no_data(reader: CdfReader, tmp_path: Path) -> None:
    """Another byte order in the descriptor, which no checksum covers, makes garbage of all times: an error, no empty table."""
    path = write_kind(tmp_path / "damaged.cdf", "gzip")
    path.write_bytes(patched(path.read_bytes(), 36, 1))
    with pytest.raises(CorruptFile, match="none of the 20000 times"):
        reader.read(path, "B")


def test_a_small_file_cannot_claim_gigabytes(reader: CdfReader, tmp_path: Path) -> None:
    """A file compressed as a whole, whose size field claims eight gigabytes."""
    path = write_kind(tmp_path / "bomb.cdf", "whole")
    path.write_bytes(patched(path.read_bytes(), 8 + 20, 8 << 30, ">q"))
    with pytest.raises(CorruptFile, match="far more"):
        reader.read(path, "B")
