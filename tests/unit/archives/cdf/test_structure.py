"""Files that are sound, though rare: the walk takes them, and so does the reader. Broken ones are in the integration tests."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import cdflib
import numpy as np
import pytest
from cdflib.cdfwrite import CDF

from helio_dagster.archives.cdf.checked import CheckedFile, open_checked
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.archives.cdf.second_opinion import CdflibFile
from helio_dagster.archives.cdf.structure import walk
from helio_dagster.domain.errors import CorruptFile, InputError
from tests.cdf_files import blocks_of, index_at, patched, variable_at, write_kind


def opened(path: Path) -> CheckedFile:
    """The file as the worker opens it."""
    return open_checked(path, PycdfppFile, lambda _: None)


def test_every_variable_of_every_real_file_passes(shared_data: Path) -> None:
    """Versions 2.4 to 3.9, r- and z-variables, gzip, RLE, MD5, records set aside, masters without any: no false alarm."""
    for path in sorted(shared_data.rglob("*.cdf")):
        file = opened(path)
        for name in file.names:
            file.decoded(name)


def test_the_walk_finds_the_records_that_cdflib_finds(shared_data: Path) -> None:
    """Number and size, for every variable of a file with many kinds."""
    path = shared_data / "cdf" / "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf"
    cdf = cdflib.CDF(path)
    for name, found in walk(path.read_bytes()).variables.items():
        values = np.asarray(cdf.varget(name))
        assert found.record_bytes * found.records == (values.nbytes if values.dtype.kind != "U" else found.record_bytes)


def test_records_that_are_left_out_are_no_damage(tmp_path: Path) -> None:
    """Sparse records: the file holds the first and the last hundred of a thousand."""
    with CDF(tmp_path / "sparse") as cdf:
        spec = {"Variable": "B", "Data_Type": 45, "Num_Elements": 1, "Rec_Vary": True, "Dim_Sizes": [], "Sparse": "pad_sparse"}
        stored = [*range(100), *range(900, 1000)]
        cdf.write_var(spec, {"FIELDNAM": "B"}, [stored, np.arange(200.0)])
    numbers = opened(tmp_path / "sparse.cdf").numbers("B")
    assert (len(numbers), numbers[99], numbers[900]) == (1000, 99.0, 100.0)


def test_an_index_of_indexes_is_followed(tmp_path: Path) -> None:
    """A further level above a variable's index, as the CDF library makes of many blocks."""
    path = write_kind(tmp_path / "tree.cdf", "gzip")
    content, below = path.read_bytes(), index_at(path.read_bytes(), "B")
    top = struct.pack(">qiqiiiiq", 28 + 16, 6, 0, 1, 1, 0, 19_999, below)
    content = patched(content, variable_at(content, "B") + 28, len(content), ">q") + top
    (global_descriptor,) = struct.unpack_from(">q", content, 20)
    path.write_bytes(patched(content, global_descriptor + 36, len(content), ">q"))
    np.testing.assert_array_equal(opened(path).numbers("B"), CdflibFile(path).numbers("B"))


def run_length(values: bytes) -> bytes:
    """CDF's run-length code, each zero by itself."""
    return b"".join(b"\0\0" if value == 0 else bytes([value]) for value in values)


@pytest.mark.parametrize(("method", "error"), [(1, None), (2, InputError), (3, InputError), (4, CorruptFile)])
def test_other_compressions_are_read_or_refused(tmp_path: Path, method: int, error: type[Exception] | None) -> None:
    """Run-length code is read and its length compared; Huffman codes are refused in words; another number is damage."""
    path = write_kind(tmp_path / "other.cdf", "gzip", records=300)
    content = path.read_bytes()
    ((at, size),) = blocks_of(content, "B")
    values = gzip.decompress(content[at + 24 : at + size])
    new_at = len(content)
    packed = run_length(values)
    content += struct.pack(">qiiq", 24 + len(packed), 13, 0, len(packed)) + packed
    (entries,) = struct.unpack_from(">i", content, index_at(content, "B") + 20)
    content = patched(content, index_at(content, "B") + 28 + 8 * entries, new_at, ">q")
    (parameters,) = struct.unpack_from(">q", content, variable_at(content, "B") + 72)
    (global_descriptor,) = struct.unpack_from(">q", content, 20)
    content = patched(patched(content, parameters + 12, method), global_descriptor + 36, len(content), ">q")
    path.write_bytes(content)
    if error is None:
        assert opened(path).numbers("B").tobytes() == values
        path.write_bytes(patched(content, new_at + 16, len(packed) - 2, ">q"))
        with pytest.raises(CorruptFile, match="bytes long"):
            opened(path).numbers("B")
    else:
        with pytest.raises(error):
            opened(path).numbers("B")


def test_numbers_of_vax_computers_are_refused(tmp_path: Path) -> None:
    """The fast reader would take them for other numbers."""
    path = write_kind(tmp_path / "vax.cdf", "plain", records=10)
    path.write_bytes(patched(path.read_bytes(), 36, 3))
    with pytest.raises(InputError, match="VAX"):
        opened(path)


@pytest.mark.parametrize("kind", ["gzip", "whole"])
def test_the_second_reader_compares_checksums_too(tmp_path: Path, kind: str) -> None:
    """Cdflib behind the same walk gives the same values, also of a file that it can only read from a copy."""
    path = write_kind(tmp_path / "a.cdf", "gzip" if kind == "gzip" else "whole", records=300)
    second = open_checked(path, CdflibFile, lambda _: None)
    np.testing.assert_array_equal(second.numbers("B"), opened(path).numbers("B"))
