"""HDF5 files of one's own: what is found in them, and files made to take memory, time, or what is not theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from helio_dagster.archives.own.guessing import guess_description
from helio_dagster.domain.errors import InputError, OwnFileError
from helio_dagster.domain.table import Table
from helio_dagster.resources.workers import Workers
from tests.unit.archives.own.conftest import MakeArchive
from tests.unit.archives.own.days import day

Read = Callable[..., Table]
HOURS = 1704067200 + 3600 * np.arange(48)


def test_groups_texts_and_compounds(folder: Path, read: Read) -> None:
    """Times as text in one group; a compound dataset whose fields are columns."""
    with h5py.File(folder / "g.h5", "w") as file:
        file["meta/when"] = [f"2024-01-{1 + hour // 24:02}T{hour % 24:02}:00:00Z" for hour in range(48)]
        file["data/H"] = np.arange(48.0)
        records = np.zeros(48, dtype=[("t", "i8"), ("v", "f4")])
        records["t"], records["v"] = HOURS, np.arange(48) / 2
        file["log"] = records
    table = read(day(2), file="g.h5", time={"columns": "meta/when"}, columns={"data/H": {}})
    assert table.columns["data/H"].tolist() == [*range(24, 48)]
    log = read(day(2), file="g.h5", time={"columns": "log/t", "format": "epoch_s"}, columns={"log/v": {}})
    assert (log.time == table.time).all()
    assert log.columns["log/v"][0] == 12


def test_a_guess_needs_a_time(folder: Path, workers: Workers) -> None:
    """Seconds since 1970 in a dataset called time are; the same numbers called x are not taken for one."""
    with h5py.File(folder / "g.h5", "w") as file:
        file["unix_time"], file["H"] = HOURS, np.arange(48.0)
    assert guess_description(folder / "g.h5", workers).document["time"] == {"columns": ["unix_time"], "format": "epoch_s"}
    with h5py.File(folder / "x.h5", "w") as file:
        file["x"], file["H"] = HOURS, np.arange(48.0)
    with pytest.raises(InputError, match="no column is a time for sure") as error:
        guess_description(folder / "x.h5", workers)
    assert "--time-format" in error.value.hint


def _huge_chunk(file: h5py.File) -> None:
    made = file.create_dataset("H", (1 << 28,), "f8", chunks=(1 << 28,), compression="gzip")
    made.id.write_direct_chunk((0,), bytes(64))
    file.create_dataset("time", (1 << 28,), "i8", chunks=(1024,))


def _claims(file: h5py.File) -> None:
    for name in ("time", "H"):
        file.create_dataset(name, (1 << 40,), "f8", chunks=(1024,))


def _nested(file: h5py.File) -> None:
    group = file
    for _ in range(60):
        group = group.create_group("a")
    group["time"] = HOURS


def _many(file: h5py.File) -> None:
    for number in range(25_000):
        file.create_group(str(number))


def _of_other_length(file: h5py.File) -> None:
    file["time"], file["H"] = HOURS, np.arange(47.0)


def _infinite_time(file: h5py.File) -> None:
    file["time"], file["H"] = np.where(np.arange(48) == 5, np.nan, HOURS), np.arange(48.0)


BOMBS: dict[str, tuple[Callable[[h5py.File], None], str]] = {
    "chunk": (_huge_chunk, "'(H|time)' (is stored in chunks|claims)"),
    "size": (_claims, "'(H|time)' claims 8,796,093,022,208 bytes of values and stores 0"),
    "depth": (_nested, "groups nested over 16 deep"),
    "objects": (_many, "more than 20000 objects"),
    "length": (_of_other_length, "'H' has 47 records, and the time 'time' has 48"),
    "no time": (_infinite_time, "g.h5, record 6: the record has values and no time"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BOMBS)
def test_files_that_take_too_much(case: str, folder: Path, read: Read) -> None:
    """One message that names the file and the dataset."""
    make, problem = BOMBS[case]
    with h5py.File(folder / "g.h5", "w") as file:
        make(file)
    with pytest.raises(OwnFileError, match=f"g.h5.*{problem}") as error:
        read(file="g.h5", time={"columns": "time", "format": "epoch_s"}, columns={"H": {}})
    assert error.value.hint


def test_nothing_outside_the_file_is_read(folder: Path, tmp_path: Path, read: Read) -> None:
    """External storage, external links and virtual datasets lead to other files of this machine, and are no columns."""
    (tmp_path / "secret").write_bytes(np.arange(48.0).tobytes())
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["H"] = np.arange(48.0)
    with h5py.File(folder / "g.h5", "w") as file:
        file["time"] = HOURS
        file.create_dataset("raw", (48,), "f8", external=[(str(tmp_path / "secret"), 0, 384)])
        file["link"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/H")
        layout = h5py.VirtualLayout((48,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "H", (48,))
        file.create_virtual_dataset("virtual", layout)
        assert file["raw"][5] == file["link"][5] == file["virtual"][5] == 5
    for name in ("raw", "link", "virtual"):
        with pytest.raises(OwnFileError, match=f"no column '{name}'"):
            read(file="g.h5", time={"columns": "time", "format": "epoch_s"}, columns={name: {}})


@pytest.mark.parametrize("cut", [100, 3000])
def test_a_file_cut_off(cut: int, folder: Path, read: Read) -> None:
    """It is an error of the file."""
    with h5py.File(folder / "g.h5", "w") as file:
        file["time"], file["H"] = HOURS, np.arange(48.0)
        file["filling"] = np.random.default_rng(1).random(4000)
    (folder / "g.h5").write_bytes((folder / "g.h5").read_bytes()[:cut])
    with pytest.raises(OwnFileError, match=r"g\.h5: it cannot be decoded"):
        read(file="g.h5", time={"columns": "time", "format": "epoch_s"}, columns={"H": {}})


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced(folder: Path, make_archive: MakeArchive, read: Read, workers: Workers) -> None:
    """The next file is read by another process."""
    with h5py.File(folder / "g.h5", "w") as file:
        file["time"], file["H"] = HOURS, np.arange(48.0)
    given = {"file": "g.h5", "time": {"columns": "time", "format": "epoch_s"}, "columns": {"H": {}}}
    assert len(read(day(1), **given)) == 24
    workers.own_files.processes[0].kill()
    assert len(read(day(2), **given)) == 24


def test_a_group_is_chosen_for_the_proposal(folder: Path, workers: Workers) -> None:
    """Two groups, each with a time of its own: the columns of the one that is named; another name is answered with both."""
    with h5py.File(folder / "g.h5", "w") as file:
        for group, offset in (("low", 0.0), ("high", 100.0)):
            file[f"{group}/time"], file[f"{group}/H"] = HOURS, np.arange(48.0) + offset
    guess = guess_description(folder / "g.h5", workers, table="high", time=["high/time"], time_format="epoch_s")
    assert guess.groups == [["high/H"]]
    with pytest.raises(InputError, match="no group 'hi' that holds columns") as error:
        guess_description(folder / "g.h5", workers, table="hi")
    assert "high" in error.value.hint
