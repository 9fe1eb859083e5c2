"""A made-up particle distribution over azimuth, colatitude and energy, as MMS FPI files have them, written with cdflib.

Phase-space density is `1e-24 (E / 100 eV)^-2 (1 + 2 cos^2 a)`, `a` the angle between the velocity of the particles and the
magnetic field, which turns with time. Azimuths vary from record to record, energies alternate between two tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cdflib.cdfwrite import CDF
from numpy.typing import NDArray

START_MS = 63_839_836_800_000.0
"""2023-01-02, as CDF_EPOCH counts it."""
FILL = -1e31
DATASET, DISTRIBUTION, FIELD = "MX1_FPI_FAST_L2_DIS-DIST", "mx1_dis_dist_fast", "mx1_b"
_REAL4, _REAL8, _EPOCH = 21, 45, 31


@dataclass(frozen=True)
class Distribution:
    """What the file holds: `f` (record, azimuth, colatitude, energy), its axes, and the field (record, 3) in nT."""

    f: NDArray[np.float32]
    azimuth: NDArray[np.float32]
    colatitude: NDArray[np.float32]
    energy: NDArray[np.float32]
    field: NDArray[np.float64]


def make_distribution(records: int, *, azimuths: int = 32, colatitudes: int = 16, energies: int = 32) -> Distribution:
    """The values of some records."""
    turn = 2 * np.pi * np.arange(records) / 40
    field = 5.0 * np.stack([np.cos(turn) * 0.6, np.sin(turn) * 0.6, np.full(records, 0.8)], axis=1)
    azimuth = (360 / azimuths * (np.arange(azimuths) + 0.5) + 0.3 * (np.arange(records) % 5)[:, None]).astype("f4")
    colatitude = (180 / colatitudes * (np.arange(colatitudes) + 0.5)).astype("f4")
    energy = (10 * 2 ** ((np.arange(energies) + 0.5 * (np.arange(records) % 2)[:, None]) * 10 / energies)).astype("f4")
    to_sky = np.radians(azimuth[:, :, None].astype("f8")), np.radians(colatitude.astype("f8"))
    look = np.stack([np.cos(to_sky[0]) * np.sin(to_sky[1]), np.sin(to_sky[0]) * np.sin(to_sky[1])], axis=-1)
    look = np.concatenate([look, np.broadcast_to(np.cos(to_sky[1])[:, None], (*look.shape[:3], 1))], axis=-1)
    cosine = -np.einsum("rptx,rx->rpt", look, field / np.linalg.norm(field, axis=1)[:, None])  # particles come from there
    f = 1e-24 * (energy.astype("f8") / 100)[:, None, None, :] ** -2.0 * (1 + 2 * cosine**2)[..., None]
    return Distribution(f.astype("f4"), azimuth, colatitude, energy, field)


def write_distribution(
    path: Path,
    made: Distribution,
    *,
    cadence_s: float = 4.5,
    start_ms: float = START_MS,
    is_by_columns: bool = False,
    compression: int = 1,
    depends: tuple[str, str, str] = ("mx1_phi", "mx1_theta", "mx1_energy"),
) -> Path:
    """A CDF file of it; every 50th value is a fill. `depends` are DEPEND_1 to DEPEND_3."""
    values = made.f.copy()
    values.reshape(-1)[::50] = FILL
    records = len(values)
    if is_by_columns:  # cdflib writes the bytes as they lie in memory
        values = np.ascontiguousarray(values.transpose(0, 3, 2, 1)).reshape(values.shape)
    spec = {"Encoding": 6, "Majority": "column_major" if is_by_columns else "row_major"}
    with CDF(path.with_suffix(""), cdf_spec=spec, delete=True) as cdf:
        cdf.write_globalattrs({"TITLE": {0: "made up"}, "PI_name": {0: "nobody"}, "Logical_source": {0: DATASET.lower()}})
        _write(cdf, "Epoch", _EPOCH, start_ms + 1000 * cadence_s * np.arange(records), {"VAR_TYPE": "support_data"})
        names = {f"DEPEND_{number}": name for number, name in enumerate(depends, start=1)}
        said = {"DEPEND_0": "Epoch", **names, "UNITS": "s^3/cm^6", "LABLAXIS": "f", "SCALETYP": "log"}
        _write(cdf, DISTRIBUTION, _REAL4, values, said | {"FILLVAL": [FILL, "CDF_REAL4"]}, compression=compression)
        _write(cdf, "mx1_phi", _REAL4, made.azimuth, {"DEPEND_0": "Epoch", "UNITS": "deg", "LABLAXIS": "azimuth"})
        _write(cdf, "mx1_theta", _REAL4, made.colatitude[None], {"UNITS": "deg", "LABLAXIS": "polar angle"}, varies=False)
        energies = {"DEPEND_0": "Epoch", "UNITS": "eV", "LABLAXIS": "energy", "SCALETYP": "log"}
        energies |= {"DELTA_MINUS_VAR": "mx1_energy_delta", "DELTA_PLUS_VAR": "mx1_energy_delta"}
        _write(cdf, "mx1_energy", _REAL4, made.energy, energies)
        _write(cdf, "mx1_energy_delta", _REAL4, made.energy / 10, {"DEPEND_0": "Epoch", "UNITS": "eV"})
        field = {"DEPEND_0": "Epoch", "UNITS": "nT", "LABLAXIS": "B", "DISPLAY_TYPE": "time_series"}
        _write(cdf, FIELD, _REAL8, made.field, field)
    return path


def _write(
    cdf: CDF,
    name: str,
    data_type: int,
    values: NDArray[Any],
    about: dict[str, Any],
    *,
    varies: bool = True,
    compression: int = 1,
) -> None:
    spec = {
        "Variable": name,
        "Data_Type": data_type,
        "Num_Elements": 1,
        "Rec_Vary": varies,
        "Dim_Sizes": list(values.shape[1:]),
        "Compress": compression,
    }
    attributes = {"CATDESC": name, "FIELDNAM": name, "VAR_TYPE": "data" if varies else "support_data", **about}
    cdf.write_var(spec, attributes, values if varies else values[0])
