"""Positions in the frames that turn with Earth or the Sun are those of sunpy, over a kernel of where Earth really was."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from astropy import units as u
from astropy.coordinates import HCRS, SkyCoord, get_body_barycentric_posvel
from astropy.time import Time
from spiceypy import spiceypy
from sunpy.coordinates import GeocentricSolarEcliptic, HeliocentricEarthEcliptic, HeliographicStonyhurst, sun

from helio_dagster.archives.demo.kernel_files import write_spk
from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.orbits import ORBITER
from tests.unit.archives.spice.conftest import KERNELS, Fetch

DAY = ("2022-03-05", "2022-03-06")
OBLIQUITY = np.radians(84381.448 / 3600)
"""Of IAU 1976, by which CSPICE has its ECLIPJ2000."""
TO_EQUATOR = np.array(
    [[1, 0, 0], [0, np.cos(OBLIQUITY), -np.sin(OBLIQUITY)], [0, np.sin(OBLIQUITY), np.cos(OBLIQUITY)]],
)


def earth_states(et: Floats) -> Floats:
    """Earth relative to the Sun by astropy (erfa epv00), km and km/s along ECLIPJ2000, shape (time, 6)."""
    times = Time(2451545.0, np.asarray(et) / 86400, format="jd", scale="tdb")
    (earth, earth_speed), (centre, centre_speed) = (get_body_barycentric_posvel(body, times) for body in ("earth", "sun"))
    place, speed = (earth - centre).xyz.to_value(u.km), (earth_speed - centre_speed).xyz.to_value(u.km / u.s)
    return np.hstack([place.T @ TO_EQUATOR, speed.T @ TO_EQUATOR])


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's kernels, with Earth where it was."""
    folder = Path(shutil.copytree(KERNELS, tmp_path_factory.mktemp("real") / "kernels"))
    spiceypy.furnsh(str(KERNELS / "demo_leapseconds_v01.tls"))
    (folder / "demo_earth_v01.bsp").unlink()
    write_spk(folder / "demo_earth_v01.bsp", (("EARTH", "SUN", earth_states, 0.25, 13),), "2022-03-01", "2022-03-10")
    return folder


def carrington(coordinate: SkyCoord, times: list[str]) -> Floats:
    """Stonyhurst turned by the longitude of the central meridian, without light time and aberration."""
    turned = coordinate.transform_to(HeliographicStonyhurst(obstime=times)).cartesian.xyz.to_value(u.km)
    angle = sun.L0(times, light_travel_time_correction=False, aberration_correction=False).to_value(u.rad)
    x, y, z = turned
    return np.stack([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z], axis=1)


@pytest.mark.parametrize(
    ("frame", "observer"), [("J2000", "SUN"), ("HEE", "SUN"), ("HEEQ", "SUN"), ("GSE", "EARTH"), ("Carrington", "SUN")]
)
def test_positions_are_those_of_sunpy(fetch: Fetch, kernels: Path, frame: str, observer: str) -> None:
    """To 2e-6 of the distance from the Sun: the models of precession and obliquity differ by less."""
    table = fetch(f"DEMO_ORBITER-{observer}", f"position_{frame}_PT6H", *DAY, kernels).table
    times = [str(time) for time in table.time]
    et = np.array([spiceypy.str2et(time) for time in times])
    places_km = ORBITER.states(et)[:, :3] @ TO_EQUATOR.T
    coordinate = SkyCoord(*(places_km.T * u.km), frame=HCRS(obstime=times), representation_type="cartesian")
    known = {"HEE": HeliocentricEarthEcliptic, "HEEQ": HeliographicStonyhurst, "GSE": GeocentricSolarEcliptic}
    if frame == "J2000":
        expected = places_km
    elif frame == "Carrington":
        expected = carrington(coordinate, times)
    else:
        expected = coordinate.transform_to(known[frame](obstime=times)).cartesian.xyz.to_value(u.km).T
    found = np.stack(list(table.columns.values()), axis=1)
    assert len(found) == 4
    assert np.linalg.norm(found - expected, axis=1).max() < 2e-6 * np.linalg.norm(places_km, axis=1).min()
