"""The made-up daily CDF files that the benchmarks fetch and replay. Serving and reading them happens elsewhere.

They are what archives hold: zlib-compressed variables in blocks of records, quantised singles, fill values, ISTP attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from cdflib.cdfwrite import CDF
from numpy.typing import NDArray

FIRST_DAY = datetime(2023, 1, 2, tzinfo=UTC)
"""The first day of every product."""

_FILL = -1.0e31
_J2000_NS = 946_727_935_816_000_000  # 2000-01-01T12:00:00 TT as UTC nanoseconds since 1970
_LEAP_NS = 5_000_000_000  # leap seconds between 2000 and 2017, none since
_EPOCH_1970_MS = 62_167_219_200_000.0
_TYPES = {"CDF_REAL4": 21, "CDF_EPOCH": 31, "CDF_TIME_TT2000": 33, "CDF_CHAR": 51}
_BLOCK = 8192


@dataclass(frozen=True)
class Product:
    """One made-up dataset of daily files.

    `shape` is (records a day, values a record); `make` gives a day's values from a random generator, shape as `shape`.
    """

    id: str
    title: str
    parameter: str
    shape: tuple[int, int]
    epoch_type: str
    make: Callable[[np.random.Generator, tuple[int, int]], NDArray[np.float64]]
    bins: tuple[float, ...] = ()

    def file_name(self, day: datetime) -> str:
        """Name of a day's file."""
        return f"{self.id.lower()}_{day:%Y%m%d}_v01.cdf"


def _walk(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """A quantised random walk in nT, as a magnetometer sends it."""
    steps = random.normal(0.0, 0.3 / np.sqrt(shape[0] / 5400), shape)
    return np.round(np.cumsum(steps, axis=0) % 40.0 - 20.0, 3)


def _counts(random: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Fluxes from counts: whole numbers times an energy-dependent factor."""
    energy = np.linspace(0.0, 1.0, shape[1])
    level = 200.0 * np.exp(-(((energy - 0.4) / 0.2) ** 2)) + 2.0
    return random.poisson(level, shape) * (1.0e3 / (1.0 + 9.0 * energy))


PRODUCTS = {
    product.id: product
    for product in (
        Product("BENCH_MAG_1SEC", "1 s vectors", "B_GSE", (86_400, 3), "CDF_TIME_TT2000", _walk),
        Product(
            "BENCH_SPECTRA",
            "17,280 x 64 spectrogram",
            "FLUX",
            (17_280, 64),
            "CDF_TIME_TT2000",
            _counts,
            tuple(np.geomspace(10.0, 40_000.0, 64).round(2).tolist()),
        ),
        Product("BENCH_MAG_16HZ", "16 Hz vectors", "B_GSE", (1_382_400, 3), "CDF_TIME_TT2000", _walk),
        Product("BENCH_MAG_16SEC", "16 s vectors", "B_GSE", (5_400, 3), "CDF_EPOCH", _walk),
    )
}


def days(count: int, first: datetime = FIRST_DAY) -> list[datetime]:
    """So many consecutive days."""
    return [first + timedelta(days=number) for number in range(count)]


def write_days(product: Product, folder: Path, of: list[datetime]) -> None:
    """Write the product's files of these days that the folder lacks; the same bytes for a day each time."""
    folder.mkdir(parents=True, exist_ok=True)
    for day in of:
        path = folder / product.file_name(day)
        if not path.exists():
            write_day(product, path, day)


def write_day(product: Product, path: Path, day: datetime, *, seed: int = 0) -> None:
    """Write the product's file of a day; another seed is other content."""
    records, width = product.shape
    random = np.random.default_rng([day.toordinal(), seed] if seed else day.toordinal())
    values = product.make(random, product.shape).astype("<f4")
    values[random.random(records) < 0.002] = _FILL
    spectral = bool(product.bins)
    attributes: dict[str, Any] = {
        "CATDESC": f"Made-up {product.title}",
        "FIELDNAM": product.title,
        "DEPEND_0": "Epoch",
        "DISPLAY_TYPE": "spectrogram" if spectral else "time_series",
        "FILLVAL": [_FILL, "CDF_REAL4"],
        "VALIDMIN": [-1.0e4, "CDF_REAL4"],
        "VALIDMAX": [1.0e9, "CDF_REAL4"],
        "UNITS": "1/(cm**2 s sr eV)" if spectral else "nT",
        "VAR_TYPE": "data",
        "FORMAT": "F10.3",
        "SCALETYP": "log" if spectral else "linear",
        **({"DEPEND_1": "energy", "LABLAXIS": "flux"} if spectral else {"LABL_PTR_1": "label"}),
    }
    with CDF(path.with_suffix(""), cdf_spec={"Majority": "row_major", "Encoding": 6, "Compressed": 0}) as cdf:
        cdf.write_globalattrs(_global_attributes(product, path))
        _write_variable(cdf, "Epoch", product.epoch_type, _epochs(product, day), _epoch_attributes(), varies=True)
        _write_variable(cdf, product.parameter, "CDF_REAL4", values, attributes, varies=True)
        if spectral:
            energy = {"CATDESC": "Energy", "FIELDNAM": "Energy", "UNITS": "eV", "LABLAXIS": "Energy", "SCALETYP": "log"}
            described = {**energy, "VAR_TYPE": "support_data", "FILLVAL": [_FILL, "CDF_REAL4"]}
            _write_variable(cdf, "energy", "CDF_REAL4", np.array(product.bins, "<f4"), described, varies=False)
        else:
            labels = {"CATDESC": "Labels", "FIELDNAM": "Labels", "VAR_TYPE": "metadata"}
            _write_variable(cdf, "label", "CDF_CHAR", ["Bx GSE", "By GSE", "Bz GSE"][:width], labels, varies=False)


def _global_attributes(product: Product, path: Path) -> dict[str, dict[int, str]]:
    texts = {
        "Project": "Benchmark",
        "Source_name": "BENCH>Made-up spacecraft",
        "Discipline": "Space Physics",
        "Data_type": "L2>Level 2",
        "Descriptor": "BENCH>Made-up instrument",
        "Data_version": "1",
        "Logical_source": product.id.lower(),
        "Logical_file_id": path.stem,
        "Logical_source_description": f"Made-up {product.title}",
        "Mission_group": "Benchmark",
        "PI_name": "none",
        "PI_affiliation": "none",
        "TEXT": "Made-up data for benchmarks",
    }
    return {name: {0: text} for name, text in texts.items()}


def _epoch_attributes() -> dict[str, Any]:
    return {"CATDESC": "Time", "FIELDNAM": "Time", "LABLAXIS": "UT", "VAR_TYPE": "support_data", "SCALETYP": "linear"}


def _epochs(product: Product, day: datetime) -> NDArray[Any]:
    records = product.shape[0]
    start_ns = int(day.timestamp()) * 1_000_000_000
    unix_ns = start_ns + np.arange(records, dtype="int64") * (86_400_000_000_000 // records)
    if product.epoch_type == "CDF_EPOCH":
        return unix_ns / 1e6 + _EPOCH_1970_MS
    return unix_ns - _J2000_NS + _LEAP_NS


def _write_variable(cdf: CDF, name: str, kind: str, values: Any, attributes: dict[str, Any], *, varies: bool) -> None:
    sizes = list(np.shape(values))
    spec = {
        "Variable": name,
        "Data_Type": _TYPES[kind],
        "Num_Elements": max(map(len, values)) if kind == "CDF_CHAR" else 1,
        "Rec_Vary": varies,
        "Dim_Sizes": sizes[1:] if varies else sizes,
        "Compress": 6 if varies else 0,
        "Block_Factor": _BLOCK if varies else 1,
    }
    cdf.write_var(spec, var_attrs=attributes, var_data=values)
