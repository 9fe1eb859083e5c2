"""Positions from a HAPI server of the shape of the Satellite Situation Center's: a parameter for each coordinate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from helio_dagster.archives.hapi.archive import HapiArchive
from helio_dagster.compute.operation import get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.hapi.conftest import TIME, Script

DAY = TimeRange(datetime(2020, 5, 2, tzinfo=UTC), datetime(2020, 5, 3, tzinfo=UTC))
PLACES = {"X_GSE": (225.5, 225.4), "Y_GSE": (-30.25, 1e31), "Z_GSE": (12.0, 12.5), "DipL-Val": (6.6, 6.7)}


def _describe(script: Script) -> None:
    """Scalars in R_E with the fill 1e31, no frame but in the name, and the region as a word."""
    units = {"DipL-Val": None}
    said: list[dict[str, Any]] = [
        {"name": name, "type": "double", "units": units.get(name, "R_E"), "fill": "1e31", "description": f"{name} position"}
        for name in PLACES
    ]
    region = {"name": "Spacecraft_Region", "type": "string", "length": 12, "units": None, "fill": ""}
    script.describe(version="2.0", cadence="PT12M", parameters=[TIME, *said, region])


def _fetched(script: Script, archive: HapiArchive, name: str) -> Table:
    rows = zip(("2020-05-02T00:00:00Z", "2020-05-02T00:12:00Z"), PLACES[name], strict=True)
    script.answers.pop("/data", None)
    script.say("/data", "".join(f"{at},{value}\n" for at, value in rows).encode())
    (fetched,) = archive.fetch("D", name, [DAY])
    assert fetched.table is not None, fetched.error
    return fetched.table


def test_coordinates_become_a_position(script: Script, archive: HapiArchive) -> None:
    """Three scalars make a vector in the frame that the pipeline names; a fill is NaN; L in a dipole follows from it."""
    _describe(script)
    tables = {
        part: _fetched(script, archive, name)
        for part, name in zip(("first", "second", "third"), ("X_GSE", "Y_GSE", "Z_GSE"), strict=True)
    }
    compose = get_operation("compose_vector")
    found = compose.apply(tables, compose.read_options({"frame": "GSE"}), DAY, "place")
    assert (found.meta.kind, found.meta.frame) == ("vector", "GSE")
    assert [values[0] for values in found.columns.values()] == [225.5, -30.25, 12.0]
    assert np.isnan(list(found.columns.values())[1][1])
    scale, dipole = get_operation("scale"), get_operation("dipole_coordinates")
    km = scale.apply({"series": found}, scale.read_options({"factor": 6371.2, "unit": "km"}), DAY, "km")
    near = dipole.apply({"position": km}, dipole.read_options({}), DAY, "l")
    distance = np.sqrt(225.5**2 + 30.25**2 + 12**2)
    assert next(iter(near.columns.values()))[0] > distance * 0.99
    assert _fetched(script, archive, "DipL-Val").columns["DipL-Val"].tolist() == [6.6, 6.7]


def test_a_region_is_a_word(script: Script, archive: HapiArchive) -> None:
    """Which cannot be fetched as numbers: one clear error."""
    _describe(script)
    (fetched,) = archive.fetch("D", "Spacecraft_Region", [DAY])
    assert isinstance(fetched.error, InputError)
    assert "Spacecraft_Region holds text, not numbers" in fetched.error.problem
