"""Real mission files through the worker processes, against cdflib; and files that kill the worker."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cdflib
import numpy as np
import pytest
from numpy.typing import NDArray

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.domain.errors import CorruptFile, InputError, UnknownDataset
from tests.cdf_files import patched, variable_at
from tests.nd_files import DISTRIBUTION, make_distribution, write_distribution

ACE = "ac_h0_mfi_20230102_v07.cdf"
SMALL = "ac_k2_mfi_20220101_v03.cdf"
MMS = "mms1_fgm_brst_l2_20161209090054_v5.87.0.cdf"
OMNI = "omni_coho1hr_merged_mag_plasma_20240901_v01.cdf"
PSP = "psp_fld_l2_mag_rtn_1min_20200104_v02.cdf"
HOPE = "rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf"
GEOTAIL = "ge_k0_cpi_19921231_v02.cdf"
EMPTY = "solo_L1_swa-pas-mom_20200706_V01.cdf"

REAL = [
    # file, parameter, records, kind, columns, unit, frame
    (ACE, "BGSEc", 5400, "vector", ("Bx GSE", "By GSE", "Bz GSE"), "nT", "GSE"),
    (ACE, "Magnitude", 5400, "series", ("Magnitude",), "nT", None),
    (MMS, "mms1_fgm_b_gse_brst_l2", 16640, "vector", ("Bx GSE", "By GSE", "Bz GSE", "Bt"), "nT", "GSE"),
    (MMS, "mms1_fgm_r_gse_brst_l2", 9, "vector", ("X GSE", "Y GSE", "Z GSE", "R"), "km", "GSE"),
    (OMNI, "BR", 720, "series", ("BR",), "nT", "RTN"),
    (OMNI, "N", 720, "series", ("N",), "cm^-3", None),
    (PSP, "psp_fld_l2_mag_RTN_1min", 118, "vector", ("B_R", "B_T", "B_N"), "nT", "RTN"),
    (GEOTAIL, "SW_V", 1090, "vector", ("Vx", "Vy", "Vz"), "km/s", "GSE"),
    (GEOTAIL, "HP_V", 1090, "vector", ("Vx", "Vy"), "km/s", "GSE"),
    (HOPE, "FPDO", 100, "spectrogram", tuple(f"E{n}" for n in range(1, 73)), "cm^-2 keV^-1 s^-1 sr^-1", None),
]


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    """One pool for all tests of the module."""
    with CdfReader(workers=1) as pool:
        yield pool


def cdflib_values(path: Path, parameter: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times and values as cdflib reads them, fill values NaN."""
    cdf = cdflib.CDF(str(path))
    attributes = cdf.varattsget(parameter)
    times = cdflib.cdfepoch.to_datetime(cdf.varget(attributes["DEPEND_0"]))
    values = np.array(cdf.varget(parameter))
    values[values == attributes["FILLVAL"]] = np.nan
    return times, values.reshape(len(values), -1)


@pytest.mark.parametrize(("file", "parameter", "records", "kind", "columns", "unit", "frame"), REAL)
def test_values_are_those_of_an_independent_reader(
    file: str,
    parameter: str,
    records: int,
    kind: str,
    columns: tuple[str, ...],
    unit: str,
    frame: str | None,
    reader: CdfReader,
    shared_data: Path,
) -> None:
    """Times, values, fill, labels, unit and frame of what issue 2 lists."""
    path = shared_data / "cdf" / file
    table = reader.read(path, parameter)
    times, values = cdflib_values(path, parameter)
    assert len(table) == records
    assert (table.meta.kind, table.meta.data_names, table.meta.unit, table.meta.frame) == (kind, columns, unit, frame)
    assert np.abs(table.time - times).max() < np.timedelta64(1, "ms")  # cdflib cuts CDF_EPOCH to milliseconds
    for name, expected in zip(columns, values.T, strict=True):
        np.testing.assert_array_equal(table.columns[name], expected)
        assert table.columns[name].dtype == values.dtype


def test_energies_that_vary_stand_beside_the_spectrogram(reader: CdfReader, shared_data: Path) -> None:
    """HOPE's 72 energies of each record, as cdflib reads them."""
    path = shared_data / "cdf" / HOPE
    table = reader.read(path, "FPDO")
    energies = np.stack([table.columns[name] for name in table.meta.bin_names], axis=1)
    np.testing.assert_array_equal(energies, cdflib.CDF(str(path)).varget("HOPE_ENERGY_Ion"))
    assert table.meta.bins is not None
    assert (table.meta.bins.unit, table.meta.bins.scale) == ("eV", "log")


def test_pitch_angle_fluxes_keep_their_axes(reader: CdfReader, shared_data: Path) -> None:
    """11 pitch angles of 72 energies that vary, with the widths of both sides."""
    path = shared_data / "cdf" / HOPE
    table, cdf = reader.read(path, "FPDU"), cdflib.CDF(str(path))
    expected = np.array(cdf.varget("FPDU"))
    expected[expected < 0] = np.nan
    pitch, energy = table.meta.axes
    assert (table.meta.kind, table.meta.shape, table.columns["FPDU"].dtype.name) == ("nd", (11, 72), "float32")
    np.testing.assert_array_equal(table.columns["FPDU"], expected)
    np.testing.assert_array_equal(pitch.values, cdf.varget("PITCH_ANGLE"))
    np.testing.assert_array_equal(table.columns[energy.companions[0]], cdf.varget("HOPE_ENERGY_Ion"))
    np.testing.assert_array_equal(table.columns[energy.companions[1]], 2 * cdf.varget("ENERGY_Ion_DELTA"))
    assert (pitch.label, pitch.widths, energy.unit, energy.scale) == ("pitch angle", (), "eV", "log")


@pytest.mark.parametrize("size", [6, 50, 5_000_000])
def test_a_header_that_lies_about_an_axis_is_refused(reader: CdfReader, tmp_path: Path, size: int) -> None:
    """Before memory is taken for it, or when the values are not as many."""
    made = make_distribution(40, azimuths=4, colatitudes=3, energies=5)
    path = write_distribution(tmp_path / "made.cdf", made)
    content = path.read_bytes()
    at = variable_at(content, DISTRIBUTION) + 84 + 256 + 4  # sizes follow the name and how many there are
    assert struct.unpack_from(">3i", content, at) == (4, 3, 5)
    path.write_bytes(patched(content, at + 8, size))
    with pytest.raises(CorruptFile):
        reader.read(path, DISTRIBUTION)


def test_a_file_without_records_is_empty_not_failed(reader: CdfReader, shared_data: Path) -> None:
    """Columns and metadata as usual."""
    table = reader.read(shared_data / "cdf" / EMPTY, "velocity")
    assert table.status == "empty"
    assert table.meta.data_names == ("velocity_1", "velocity_2", "velocity_3")
    assert table.meta.unit == "km/s"
    assert {values.dtype.name for values in table.columns.values()} == {"float32"}


def test_a_master_without_records_reads_too(reader: CdfReader, shared_data: Path) -> None:
    """A compressed skeleton and one with a virtual epoch."""
    assert reader.read(shared_data / "masters" / "fa_esa_l2_eeb_00000000_v01.cdf", "sc_pot").status == "empty"
    table = reader.read(shared_data / "masters" / "thg_l2_mag_mek_00000000_v01.cdf", "thg_mag_mek")
    assert (table.status, table.meta.frame, table.meta.unit) == ("empty", "HEZ", "nT")


def test_coverage_tells_each_time_axis(reader: CdfReader, shared_data: Path) -> None:
    """Two epochs in one file, with their own first and last records."""
    coverage = reader.coverage(shared_data / "cdf" / PSP)
    assert (coverage.logical_source, coverage.version) == ("psp_fld_l2_mag_RTN_1min", "02")
    assert {epoch.epoch: epoch.records for epoch in coverage.epochs} == {"epoch_mag_RTN_1min": 118, "epoch_quality_flags": 1440}
    assert str(coverage.epochs[0].first).startswith("2020-01-04")
    assert [parameter.name for parameter in coverage.parameters] == ["psp_fld_l2_mag_RTN_1min", "psp_fld_l2_quality_flags"]


def test_coverage_of_a_file_without_records(reader: CdfReader, shared_data: Path) -> None:
    """No first and no last."""
    coverage = reader.coverage(shared_data / "cdf" / EMPTY)
    assert [(epoch.records, epoch.first) for epoch in coverage.epochs] == [(0, None)]


def test_an_unknown_parameter_is_the_users_mistake(reader: CdfReader, shared_data: Path) -> None:
    """The file, the name, near names; exit code 2."""
    with pytest.raises(UnknownDataset) as caught:
        reader.read(shared_data / "cdf" / ACE, "BGSE")
    assert ACE in str(caught.value)
    assert "BGSEc" in caught.value.hint


def test_a_constant_is_no_time_series(reader: CdfReader, shared_data: Path) -> None:
    """NRV variables are told apart."""
    with pytest.raises(InputError, match="constant"):
        reader.read(shared_data / "cdf" / HOPE, "PITCH_ANGLE")


def test_threads_share_a_reader(shared_data: Path) -> None:
    """Eight reads over two workers give what one gives."""
    path = shared_data / "cdf" / SMALL
    with CdfReader(workers=2) as pool, ThreadPoolExecutor(4) as threads:
        tables = list(threads.map(lambda parameter: pool.read(path, parameter), ["BGSEc", "Magnitude"] * 4))
    assert [len(table) for table in tables] == [24] * 8
    np.testing.assert_array_equal(tables[0].columns["Bx GSE"], tables[6].columns["Bx GSE"])


def test_a_worker_that_was_killed_is_replaced(shared_data: Path) -> None:
    """The next read starts another; nobody notices."""
    path = shared_data / "cdf" / SMALL
    with CdfReader(workers=1) as pool:
        first = pool.read(path, "BGSEc")
        (worker,) = pool.processes
        os.kill(worker, signal.SIGKILL)
        np.testing.assert_array_equal(pool.read(path, "BGSEc").columns["Bx GSE"], first.columns["Bx GSE"])


def test_a_file_that_takes_too_long_is_corrupt_in_time(shared_data: Path) -> None:
    """Both readers are ended at their deadline; the message says so."""
    with CdfReader(workers=1, timeout_s=0.0) as pool, pytest.raises(CorruptFile, match="no answer within 0 s"):
        pool.read(shared_data / "cdf" / SMALL, "BGSEc")


def test_a_file_that_wants_too_much_memory_is_refused(shared_data: Path, tmp_path: Path) -> None:
    """An absurd record count fails in the worker, not in the machine."""
    content = bytearray((shared_data / "cdf" / SMALL).read_bytes())
    name = content.index(b"Magnitude\0")
    max_record = name - 84 + 8 + 4 + 8 + 4
    content[max_record : max_record + 4] = (2**31 - 2).to_bytes(4, "big")
    path = tmp_path / "huge.cdf"
    path.write_bytes(content)
    with CdfReader(workers=1, timeout_s=20.0, memory_bytes=1 << 30) as pool:
        with pytest.raises(CorruptFile, match=r"huge\.cdf"):
            pool.read(path, "Magnitude")
        assert len(pool.read(shared_data / "cdf" / SMALL, "BGSEc")) == 24


def test_closing_leaves_no_process(shared_data: Path) -> None:
    """All workers are gone when `close` returns."""
    with CdfReader(workers=2) as pool:
        pool.read(shared_data / "cdf" / SMALL, "BGSEc")
        workers = pool.processes
    assert workers
    assert not any(is_running(worker) for worker in workers)


def test_closing_amid_reading_ends_the_readers_too(shared_data: Path) -> None:
    """Threads at work get an error, none hangs."""
    pool = CdfReader(workers=2)
    with ThreadPoolExecutor(4) as threads:
        readings = [threads.submit(pool.read, shared_data / "cdf" / MMS, "mms1_fgm_b_gse_brst_l2") for _ in range(400)]
        while not readings[0].done():
            time.sleep(0.01)
        pool.close()
    assert not pool.processes
    assert all(isinstance(reading.exception(), (RuntimeError, CorruptFile, type(None))) for reading in readings)
    assert isinstance(readings[-1].exception(), RuntimeError)


def test_a_closed_reader_is_not_asked(shared_data: Path) -> None:
    """A mistake of the caller, told as one."""
    pool = CdfReader(workers=1)
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.read(shared_data / "cdf" / SMALL, "BGSEc")


def test_a_killed_parent_leaves_no_orphan(shared_data: Path) -> None:
    """A worker ends with its stdin, whatever happened to the parent."""
    script = (
        "import os, sys, time; from pathlib import Path; from helio_dagster.archives.cdf.reader import CdfReader\n"
        "reader = CdfReader(workers=1); reader.read(Path(sys.argv[1]), 'BGSEc')\n"
        "print(*reader.processes, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(shared_data / "cdf" / SMALL)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        if not is_running(worker):
            return
        time.sleep(0.1)
    pytest.fail("the worker outlived its parent")


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie that only waits to be reaped."""
    stat = Path(f"/proc/{process}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def damaged(whole: bytes, rng: np.random.Generator, *, place: int) -> bytes:
    """A truncation, or one flipped bit; one in three flips hits the records that describe the file, where it hurts most."""
    if place % 4 == 0:
        return whole[: int(rng.integers(0, len(whole)))]
    content = bytearray(whole)
    position = int(rng.integers(8, 1000)) if place % 4 == 1 else int(rng.integers(8, len(whole)))
    content[position] ^= 1 << int(rng.integers(0, 8))
    return bytes(content)


def test_damage_never_ends_the_caller(shared_data: Path, tmp_path: Path) -> None:
    """200 truncations and bit flips: a table or a clear error each, and the reader works on."""
    sound = shared_data / "cdf" / SMALL
    whole, rng, path = sound.read_bytes(), np.random.default_rng(20030), tmp_path / "damaged.cdf"
    outcomes: list[type] = []
    messages = []
    with CdfReader(workers=1, timeout_s=3.0, memory_bytes=1 << 31) as pool:
        for place in range(200):
            path.write_bytes(damaged(whole, rng, place=place))
            try:
                outcomes.append(type(pool.read(path, "BGSEc")))
            except (CorruptFile, InputError) as error:
                outcomes.append(type(error))
                messages.append(str(error))
        assert len(pool.read(sound, "BGSEc")) == 24
    assert outcomes.count(CorruptFile) >= 50
    assert all(path.name in message for message in messages)
