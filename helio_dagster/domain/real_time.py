"""Real-time solar wind of NOAA's Space Weather Prediction Center (SWPC): its datasets, their columns, units and frames.

Source: the files `products/solar-wind/mag-*.json` and `plasma-*.json` of https://services.swpc.noaa.gov, whose header rows name
the columns; units and frame as the figures of SWPC's real-time solar wind give them. The service was not reachable when this
was written: the shapes are those that public programs read.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter

SWPC_ARCHIVE = "swpc"
SWPC_URL = "https://services.swpc.noaa.gov"
SWPC_KEEPS = timedelta(days=7)
"""How far back the server's longest answer reaches."""
_BEGAN = datetime(2016, 7, 27, tzinfo=UTC)  # when SWPC made DSCOVR its operational spacecraft
_MINUTE = timedelta(minutes=1)
_LABEL = "Real-time solar wind at L1 (DSCOVR, or ACE in its place), {}, from NOAA SWPC"

SWPC_DATASETS = (
    CatalogDataset(
        dataset="solar-wind-mag",
        mission="DSCOVR",
        instrument="magnetometer",
        label=_LABEL.format("magnetic field"),
        start=_BEGAN,
        cadence=_MINUTE,
        parameters=(
            CatalogParameter("b_gsm", "magnetic_field", "vector", "nT", "GSM", ("bx_gsm", "by_gsm", "bz_gsm")),
            CatalogParameter("bt", "magnetic_field", "series", "nT", None, ("bt",)),
            CatalogParameter("bz_gsm", "magnetic_field", "series", "nT", "GSM", ("bz_gsm",)),
        ),
    ),
    CatalogDataset(
        dataset="solar-wind-plasma",
        mission="DSCOVR",
        instrument="Faraday cup",
        label=_LABEL.format("plasma"),
        start=_BEGAN,
        cadence=_MINUTE,
        parameters=(
            CatalogParameter("density", "density", "series", "cm^-3", None, ("density",)),
            CatalogParameter("speed", "speed", "series", "km/s", None, ("speed",)),
            CatalogParameter("temperature", "temperature", "series", "K", None, ("temperature",)),
        ),
    ),
)
