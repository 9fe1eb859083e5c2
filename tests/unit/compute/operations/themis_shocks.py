"""Two bow shocks at THEMIS: the samples that a published Rankine-Hugoniot fit was given, and what it gave.

The shocks are those of Wilson et al. 2014, doi:10.1002/2014JA019929. The samples, one per spin in GSE, and the results are the
numbers in the authors' public notes (github.com/lynnbwilsoniii/wind_3dp_pros); their fit is that of Koval and Szabo 2008,
doi:10.1029/2008JA013337, with the momentum along the normal and the energy. Of 2009-07-13 the authors take the temperature of
the electrons for that of the ions upstream, which gyrating ions make useless.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from helio_dagster.domain.table import Table

if TYPE_CHECKING:
    from tests.unit.compute.conftest import TableMaker

_SPIN_S, _DOWNSTREAM_S = 3.0, 240.0
_EV_PER_K = 8.617333262e-5
OPTIONS = {"time": "2023-01-02T00:02:45Z", "clear": "PT1M", "upstream": "before"}
"""Options for the tables made here: upstream lasts from 00:00:00, downstream from 00:04:00."""


@dataclass(frozen=True)
class PublishedFit:
    """What the authors found: values and their uncertainties."""

    date: str
    spacecraft: str
    normal: tuple[float, float, float]
    latitude_uncertainty_deg: float
    longitude_uncertainty_deg: float
    speed_km_s: tuple[float, float]
    inflow_km_s: tuple[float, float]

    @property
    def open_deg(self) -> float:
        """Uncertainty of the normal."""
        return float(np.hypot(self.latitude_uncertainty_deg, self.longitude_uncertainty_deg))

    def turned_deg(self, facts: Mapping[str, float]) -> float:
        """How far the normal of facts leans from the published one."""
        own, given = np.array([facts[f"normal_{axis}"] for axis in "xyz"]), np.array(self.normal)
        return float(np.degrees(np.arctan2(np.linalg.norm(np.cross(own, given)), own @ given)))


FITS = (
    PublishedFit(
        "2009-07-13", "THEMIS B", (0.98744623, -0.053346692, 0.0093557489), 7.16, 4.90, (6.583, 27.368), (333.460, 28.388)
    ),
    PublishedFit(
        "2009-07-21", "THEMIS C", (0.92298712, 0.20655033, -0.25200810), 8.85, 8.18, (-31.374, 34.183), (193.823, 37.862)
    ),
)


def themis_tables(make_table: TableMaker, date: str) -> dict[str, Table]:
    """The inputs of the shock operations, upstream first."""
    rows = pd.read_csv(Path(__file__).with_suffix(".txt"), sep=" ")
    rows = rows[rows["date"] == date]
    is_down = (rows["side"] == "downstream").to_numpy()
    at = np.concatenate([_SPIN_S * np.arange(np.sum(~is_down)), _DOWNSTREAM_S + _SPIN_S * np.arange(np.sum(is_down))])

    def vector(names: tuple[str, ...], unit: str) -> Table:
        return make_table({name: rows[name].to_numpy() for name in names}, kind="vector", unit=unit, frame="GSE", at_s=at)

    return {
        "field": vector(("bx_nt", "by_nt", "bz_nt"), "nT"),
        "velocity": vector(("vx_km_s", "vy_km_s", "vz_km_s"), "km/s"),
        "density": make_table({"n": rows["density_cm-3"].to_numpy()}, unit="cm^-3", at_s=at),
        "temperature": make_table({"t": rows["ions_ev"].to_numpy() / _EV_PER_K}, unit="K", at_s=at),
        "electron_temperature": make_table({"t": rows["electrons_ev"].to_numpy() / _EV_PER_K}, unit="K", at_s=at),
    }
