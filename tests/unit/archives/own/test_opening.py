"""Which reader a binary file gets, and what is said where its package is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from helio_dagster.archives.own.binary.magic import format_of
from helio_dagster.domain.errors import OwnFileError
from tests.unit.archives.own.conftest import MakeArchive
from tests.unit.archives.own.days import day

WITHOUT = """
import sys
sys.modules["h5py"] = None
from pathlib import Path
from helio_dagster.archives.own.binary.opening import open_contents
from helio_dagster.archives.own.binary.seen import Fault
from helio_dagster.domain.errors import OwnFileError
path = Path(sys.argv[1])
try:
    open_contents(path, "hdf5", None, Fault(path, "g.h5"), lambda size: None)
except OwnFileError as error:
    print(error.problem, error.hint, sep="|")
"""


def test_a_package_that_is_not_installed(folder: Path) -> None:
    """The message names it and the extra that brings it."""
    with h5py.File(folder / "g.h5", "w") as file:
        file["time"] = [1, 2]
    answer = subprocess.run([sys.executable, "-c", WITHOUT, folder / "g.h5"], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == (
        "g.h5: files of the format HDF5 need the package h5py, which is not installed|"
        "Install it: pip install 'helio-dagster[netcdf]'"
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"time,H\n2024-01-01,1\n", "it is not a file of the format HDF5: it is something else"),
        (b"SIMPLE  =                    T", "it is not a file of the format HDF5: it is a FITS file"),
        (b"\x1f\x8b\x08", "it is not a file of the format HDF5: it is compressed by gzip"),
        (b"", "it is not a file of the format HDF5"),
    ],
)
def test_a_name_that_lies(content: bytes, problem: str, folder: Path, make_archive: MakeArchive) -> None:
    """By its first bytes, before a library sees it."""
    (folder / "g.h5").write_bytes(content)
    with pytest.raises(OwnFileError, match=problem) as error:
        make_archive(file="g.h5").list_files(day(1))
    assert error.value.hint


def test_the_first_bytes_decide(tmp_path: Path) -> None:
    """A netCDF-4 file under another name; a text file is none of these."""
    with h5py.File(tmp_path / "g.dat", "w") as file:
        file["time"] = [1, 2]
    assert format_of(tmp_path / "g.dat", None) == "hdf5"
    assert format_of(tmp_path / "g.dat", "netcdf") == "netcdf"
    (tmp_path / "g.csv").write_text("time,H\n")
    assert format_of(tmp_path / "g.csv", "csv") is None
