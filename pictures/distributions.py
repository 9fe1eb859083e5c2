"""A made-up distribution of particles for the pictures of operations on records with several axes."""

from __future__ import annotations

import numpy as np

from helio_dagster.domain.axes import RecordAxis
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange

_SECONDS = 300
_AZIMUTHS, _ELEVATIONS, _ENERGIES = np.arange(15.0, 360, 30), np.arange(-75.0, 90, 30), np.geomspace(10, 1e4, 16)


def distribution(span: TimeRange, *, has_azimuths: bool = True) -> Table:
    """A population that is heated in the middle of the range, and a beam of 200 eV that comes from the Sun; synthetic.

    Shape (record, azimuth, elevation, energy), or the mean over azimuths.
    """
    start, stop = span.bounds_ns()
    time = np.arange(start, stop, np.timedelta64(_SECONDS, "s"))
    phase = np.linspace(0, 1, len(time))[:, None, None, None]
    azimuth, elevation = np.radians(_AZIMUTHS)[:, None, None], np.radians(_ELEVATIONS)[:, None]
    hot = 30 * (1 + 20 * np.exp(-(((phase - 0.5) / 0.15) ** 2)))
    sunward = np.cos(azimuth) * np.cos(elevation)
    beam = 40 * np.exp(8 * (sunward - 1)) * np.exp(-((np.log(_ENERGIES / 200) / 0.4) ** 2))
    values = 1e3 * (_ENERGIES / hot**2 * np.exp(-_ENERGIES / hot) + 1e-9) + beam * (0.2 + phase)
    axes = (
        _axis("phi", "Azimuth", "deg", _AZIMUTHS),
        _axis("elevation", "Elevation", "deg", _ELEVATIONS),
        _axis("energy", "Energy", "eV", _ENERGIES).model_copy(update={"scale": "log"}),
    )
    unit = "cm^-2 eV^-1 s^-1 sr^-1"
    meta = TableMeta(
        kind="nd",
        columns=(ColumnMeta(name="flux", label="Flux", unit=unit),),
        label="Flux",
        unit=unit,
        scale="log",
        axes=axes,
        synthetic=True,
    )
    whole = np.ascontiguousarray(np.broadcast_to(values, (len(time), *meta.shape)))
    if has_azimuths:
        return Table(time, {"flux": whole}, meta)
    return Table(time, {"flux": whole.mean(axis=1)}, meta.model_copy(update={"axes": axes[1:]}))


def _axis(name: str, label: str, unit: str, centers: np.ndarray) -> RecordAxis:
    return RecordAxis(name=name, label=label, unit=unit, size=len(centers), values=tuple(map(float, centers)))
