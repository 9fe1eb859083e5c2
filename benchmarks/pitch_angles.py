"""Pitch-angle spectrogram of distributions, beside plain numpy and pyspedas: `python -m benchmarks.pitch_angles [--records N]`.

Made-up records of 32 azimuths, 16 polar angles and 32 energies, single reals, as MMS FPI has them, each with its field. Ours
is the operation alone, from a table in memory. Numpy's does the same, a group of records at a time: angles, bins, means by
`bincount`. CPU seconds, the least of three, in one process in turn.

pyspedas is in an environment of its own (`--python`, or HELIO_BENCH_PYTHON); without it one line says so. It turns each record
into the frame of the field and regrids it, from arrays in memory, so its values are close to ours, not the same. It gets some
of the records only, as it takes them one by one; its CPU seconds are the least of two.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import print_table, ratio, seconds
from benchmarks.trial import TrialFailed, least_cpu_s, run_trial
from helio_dagster.archives.cdf.decode import decode
from helio_dagster.archives.cdf.fast_file import PycdfppFile
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.records import axis_centers, record_values
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange
from tests.nd_files import DISTRIBUTION, FIELD, Distribution, make_distribution, write_distribution

_BIN, _GROUP = 11.25, 64
_CLIENT_RECORDS = 4


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--python", default=os.environ.get("HELIO_BENCH_PYTHON", ""))
    given = parser.parse_args()
    with TemporaryDirectory(prefix="helio-bench-") as folder:
        made = make_distribution(given.records)
        client = _by_pyspedas(Path(folder), make_distribution(_CLIENT_RECORDS), given.python)
        path = write_distribution(Path(folder, "day.cdf"), made)
        file = PycdfppFile(path)
        tables = {"distribution": decode(file, DISTRIBUTION), "field": decode(file, FIELD)}
    ours, plain = _ours(tables), _plain(tables)
    np.testing.assert_allclose(ours, plain, rtol=1e-6)
    results = {"helio": least_cpu_s(lambda: _ours(tables)), "numpy": least_cpu_s(lambda: _plain(tables))}
    if client is not None:
        results[f"pyspedas, as {_CLIENT_RECORDS} records take"] = client[0] * given.records / _CLIENT_RECORDS
        away = np.abs(client[1] / ours[:_CLIENT_RECORDS] - 1)
        print(f"pyspedas, {_CLIENT_RECORDS} records: values differ from ours by {np.nanmedian(away):.1%} in the median")
    rows = [(name, seconds(took), ratio(took, results["numpy"])) for name, took in results.items()]
    size = record_values(tables["distribution"]).nbytes / 2**20
    print_table(f"{given.records:,} records, {size:.0f} MiB", ("how", "CPU s", "ratio to numpy"), rows)


def _ours(tables: Mapping[str, Table]) -> NDArray[np.float64]:
    operation = get_operation("pitch_angle_spectrogram")
    options = operation.read_options({"directions": "look", "bin": _BIN})
    found = operation.apply(tables, options, TimeRange(EARLIEST, LATEST), "result")
    return np.stack([found.columns[name] for name in found.meta.data_names], axis=1)


def _by_pyspedas(folder: Path, made: Distribution, python: str) -> tuple[float, NDArray[np.float64]] | None:
    """CPU seconds and values of pyspedas; None, after a line that says so, where there is none."""
    if not python:
        print("pyspedas is left out: name an interpreter that has it with --python")
        return None
    times = np.arange(len(made.f)) * 4.5 + 1_672_617_600.0
    np.savez(
        folder / "given.npz",
        times=times,
        f=made.f,
        azimuth=made.azimuth,
        colatitude=made.colatitude,
        energy=made.energy,
        field=made.field,
    )
    try:
        answer = run_trial(python, "pitch_angle_client", [str(folder / "given.npz"), str(folder / "made.npz")])
    except TrialFailed as error:
        print(f"pyspedas is left out: {str(error).strip().splitlines()[-1]}")
        return None
    return float(answer["cpu_s"]), np.load(folder / "made.npz")["values"]


def _plain(tables: Mapping[str, Table]) -> NDArray[np.float64]:
    table, field = tables["distribution"], tables["field"]
    azimuth, polar = (np.radians(axis_centers(table, axis).astype("f8")) for axis in table.meta.axes[:2])
    b = np.stack([field.columns[name] for name in field.meta.data_names], axis=1)
    b /= np.linalg.norm(b, axis=1)[:, None]
    count = round(180 / _BIN)
    parts = []
    for first in range(0, len(table), _GROUP):
        values = record_values(table)[first : first + _GROUP].astype("f8")
        phi, along = azimuth[first : first + _GROUP], b[first : first + _GROUP]
        sine = np.sin(polar)[:, None, :]
        cosine = np.cos(phi)[:, :, None] * sine * along[:, 0, None, None]
        cosine = cosine + np.sin(phi)[:, :, None] * sine * along[:, 1, None, None]
        cosine = -(cosine + np.cos(polar)[:, None, :] * along[:, 2, None, None])
        place = np.minimum(np.degrees(np.arccos(np.clip(cosine, -1, 1))) // _BIN, count - 1).astype(np.int64)
        place = place + count * np.arange(len(values))[:, None, None]
        valid = np.isfinite(values)
        total, samples = np.where(valid, values, 0).sum(axis=-1), valid.sum(axis=-1)
        size = count * len(values)
        with np.errstate(all="ignore"):
            mean = np.bincount(place.ravel(), total.ravel(), size) / np.bincount(place.ravel(), samples.ravel(), size)
        parts.append(mean.reshape(len(values), count))
    return np.concatenate(parts)


if __name__ == "__main__":
    main()
