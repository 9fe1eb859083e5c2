"""Memory that a day of distributions takes: fetched, stored and reduced, by command, in all processes of each.

A made-up day of MMS FPI burst-like distributions (24,576 records of 32 x 16 x 32 reals, 3 GiB as doubles) in one CDF file,
served from a process of its own. Run as `python -m benchmarks.nd_memory [--type float32] [--records N] [--compression 0]`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil

from benchmarks.tables import print_table
from tests.nd_files import DATASET, DISTRIBUTION, FIELD

_RECORDS = 24_576
_DAY = "2023-01-02"
_STEPS = {
    "pitch": "compute: {operation: pitch_angle_spectrogram, inputs: {distribution: f, field: b}, options: {directions: look}}",
    "spectra": "compute: {operation: energy_spectrogram, inputs: {distribution: f}}",
    "at_energy": "compute: {operation: slice, inputs: {distribution: f}, options: {axis: mx1_energy, value: 200}}",
    "density": "compute: {operation: moments, inputs: {distribution: f}, options: {species: proton}}",
    "flux": "compute: {operation: convert_distribution, inputs: {distribution: f}, options: {to: flux, species: proton}}",
}
_SERVE = """
import sys
from pathlib import Path
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.files.index import FileIndex
with CdasServer(FileIndex(Path(sys.argv[1]))) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


@dataclass
class Peak:
    """MiB that the largest process of a command took, and all of them together; seconds it ran."""

    one: float = 0.0
    all: float = 0.0
    own: float = 0.0
    seconds: float = 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--type", choices=("float32", "float64"), default="float64")
    parser.add_argument("--records", type=int, default=_RECORDS)
    parser.add_argument("--compression", type=int, default=1)
    parser.add_argument("--steps", nargs="*", choices=list(_STEPS), default=list(_STEPS))
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        _write_day(given.make, given.type, given.records, given.compression)
        return
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        files = Path(folder, "files")
        files.mkdir()
        path = files / f"{DATASET.lower()}_20230102_v01.cdf"
        subprocess.run([sys.executable, "-m", "benchmarks.nd_memory", *sys.argv[1:], "--make", str(path)], check=True)
        with _served(files) as url:
            rows = list(_measured(Path(folder), url, given.steps))
        size = given.records * 32 * 16 * 32 * np.dtype(given.type).itemsize
        title = f"{given.records} records, {size / 2**30:.2f} GiB of {given.type}, {path.stat().st_size / 2**20:.0f} MiB as CDF"
    header = ("command", "s", "largest process, MiB", "of it its own, MiB", "all processes, MiB", "made, MiB")
    print_table(title, header, rows)


def _measured(folder: Path, url: str, steps: list[str]) -> Iterator[tuple[str, ...]]:
    pipelines = folder / "pipelines"
    pipelines.mkdir()
    home = folder / "home"
    environment = os.environ | {"HELIO_HOME": str(home), "HELIO_PIPELINES": str(pipelines), "HELIO_CDAWEB_URL": url}
    text = f"version: 1\nname: bench\npartitions: daily\nstart: {_DAY}\nsteps:\n"
    text += f"  - {{id: f, fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {DISTRIBUTION}}}}}\n"
    text += f"  - {{id: b, fetch: {{archive: cdaweb, dataset: {DATASET}, parameter: {FIELD}}}}}\n"
    for name in ("fetch", *steps):
        if name != "fetch":
            text += f"  - id: {name}\n    {_STEPS[name]}\n"
        (pipelines / "bench.yaml").write_text(text)
        peak = _peak([sys.executable, "-m", "helio_dagster", "run", "bench", _DAY, "--yes", "--json"], environment)
        made = sum(
            each.stat().st_size
            for each in home.glob(f"data/**/{'bench/' + name if name != 'fetch' else 'cdaweb/**'}/*.parquet")
        )
        numbers = (peak.seconds, peak.one, peak.own, peak.all, made / 2**20)
        yield (name, *(f"{number:.1f}" if number < 10 else f"{number:.0f}" for number in numbers))


def _peak(command: list[str], environment: dict[str, str]) -> Peak:
    """Run a command and watch its memory, 50 times a second."""
    peak, start = Peak(), time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            found = []
            for each in (watched, *watched.children(recursive=True)):
                try:
                    found.append(each.memory_info())
                except psutil.NoSuchProcess:
                    continue
            peak.one = max(peak.one, *(each.rss / 2**20 for each in found), 0.0)
            peak.own = max(peak.own, *((each.rss - each.shared) / 2**20 for each in found), 0.0)
            peak.all = max(peak.all, sum(each.rss for each in found) / 2**20)
            time.sleep(0.02)
        out, error = process.communicate()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{out.decode()}\n{error.decode()}")
    peak.seconds = time.perf_counter() - start
    return peak


@contextmanager
def _served(files: Path) -> Iterator[str]:
    with subprocess.Popen([sys.executable, "-c", _SERVE, str(files)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        yield server.stdout.readline().decode().strip()
        server.terminate()


def _write_day(path: Path, dtype: str, records: int, compression: int) -> None:
    """Counts like those of an instrument, as phase-space density, which turn round with the field."""
    from cdflib.cdfwrite import CDF

    random = np.random.default_rng(1)
    azimuth, colatitude = 11.25 * (np.arange(32) + 0.5), 11.25 * (np.arange(16) + 0.5)
    energy = np.geomspace(10, 30_000, 32)
    pattern = random.poisson(3 * np.exp(-np.arange(32) / 8), (64, 32, 16, 32)) * np.geomspace(1e-20, 1e-26, 32)
    values = np.empty((records, 32, 16, 32), dtype)
    for first in range(0, records, 64):
        values[first : first + 64] = pattern[: records - first] * (1 + first / records)
    turn = 2 * np.pi * np.arange(records) / 400
    field = 5.0 * np.stack([0.6 * np.cos(turn), 0.6 * np.sin(turn), np.full(records, 0.8)], axis=1)
    epoch = 63_839_836_800_000.0 + np.arange(records) * (86_400_000.0 / records)
    names = {"DEPEND_0": "Epoch", "DEPEND_1": "mx1_phi", "DEPEND_2": "mx1_theta", "DEPEND_3": "mx1_energy"}
    reals = {"float32": 44, "float64": 45}[dtype]
    data = {"VAR_TYPE": "data", "LABLAXIS": "f", "SCALETYP": "log", "UNITS": "s^3/cm^6", "FILLVAL": [-1e31, "CDF_DOUBLE"]}
    with CDF(path.with_suffix(""), cdf_spec={"Compressed": 0}, delete=True) as cdf:
        cdf.write_globalattrs({"TITLE": {0: "made up"}, "Logical_source": {0: DATASET.lower()}})
        for name, kind, array, about, varies in (
            ("Epoch", 31, epoch, {"VAR_TYPE": "support_data"}, True),
            ("mx1_phi", 45, azimuth, {"VAR_TYPE": "support_data", "UNITS": "deg", "LABLAXIS": "azimuth"}, False),
            ("mx1_theta", 45, colatitude, {"VAR_TYPE": "support_data", "UNITS": "deg", "LABLAXIS": "polar angle"}, False),
            ("mx1_energy", 45, energy, {"VAR_TYPE": "support_data", "UNITS": "eV", "SCALETYP": "log"}, False),
            (FIELD, 45, field, {"VAR_TYPE": "data", "DEPEND_0": "Epoch", "UNITS": "nT", "DISPLAY_TYPE": "time_series"}, True),
            (DISTRIBUTION, reals, values, names | data, True),
        ):
            shape = list(array.shape[1:] if varies else array.shape)
            spec = {"Variable": name, "Data_Type": kind, "Num_Elements": 1, "Rec_Vary": varies, "Dim_Sizes": shape}
            cdf.write_var(spec | {"Compress": compression}, about, array)


if __name__ == "__main__":
    main()
