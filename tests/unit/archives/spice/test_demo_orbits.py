"""The demo's ephemerides agree with the orbits in closed form, in every quantity and cut in any way."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from astropy import units as u
from astropy.coordinates import HeliocentricMeanEcliptic, SkyCoord
from spiceypy import spiceypy
from sunpy.coordinates import HeliocentricInertial

from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.orbits import EARTH, ORBITER, sentinel_states
from helio_dagster.archives.spice.kernel_times import et_of_utc
from helio_dagster.domain.table import Table, concatenate
from tests.tiers import TIER
from tests.unit.archives.spice.conftest import KERNELS, Fetch

DAY = ("2022-03-05", "2022-03-06")


def et_of(table: Table) -> Floats:
    """Ephemeris time by CSPICE itself, one text at a time."""
    spiceypy.furnsh(str(KERNELS / "demo_leapseconds_v01.tls"))
    return np.array([spiceypy.str2et(str(time)) for time in table.time])


def values(table: Table) -> Floats:
    """Columns side by side, shape (time, column)."""
    return np.stack(list(table.columns.values()), axis=1)


def got(fetched_table: Table | None) -> Table:
    """The table of a window that was fetched."""
    assert fetched_table is not None
    return fetched_table


def test_positions_are_those_of_the_orbit(fetch: Fetch) -> None:
    """Within a metre: the kernel interpolates the closed form."""
    table = got(fetch("DEMO_ORBITER-SUN", "position_HAE_PT1H", *DAY).table)
    assert len(table) == 24
    assert table.meta.frame == "HAE"
    assert table.meta.synthetic
    assert np.abs(values(table) - ORBITER.states(et_of(table))[:, :3]).max() < 1e-3


def test_velocities_are_those_of_the_orbit(fetch: Fetch) -> None:
    """Within 0.1 mm/s, in a frame that does not turn."""
    table = got(fetch("DEMO_ORBITER-SUN", "velocity_HAE_PT1H", *DAY).table)
    assert np.abs(values(table) - ORBITER.states(et_of(table))[:, 3:]).max() < 1e-7


def test_the_second_spacecraft_is_seen_from_the_sun_by_way_of_earth(fetch: Fetch) -> None:
    """Two kernels in a chain: the spacecraft about Earth, Earth about the Sun; by interpolation of positions, within 100 m."""
    table = got(fetch("DEMO_SENTINEL-SUN", "position_HAE_PT6H", *DAY).table)
    et = et_of(table)
    assert np.abs(values(table) - (EARTH.states(et) + sentinel_states(et))[:, :3]).max() < 0.1


def test_hci_is_that_of_sunpy(fetch: Fetch) -> None:
    """As sunpy has it, to 2e-6 of the distance.

    CSPICE's ecliptic has the obliquity of IAU 1976, which differs by 2e-7 rad; the node moves by that over the sine of the
    7 degrees between equator and ecliptic.
    """
    table = got(fetch("DEMO_ORBITER-SUN", "position_HCI_PT6H", *DAY).table)
    times = [str(time) for time in table.time]
    hae = ORBITER.states(et_of(table))[:, :3] * u.km
    frame = HeliocentricMeanEcliptic(obstime=times)
    turned = SkyCoord(*hae.T, frame=frame, representation_type="cartesian").transform_to(HeliocentricInertial(obstime=times))
    expected = turned.cartesian.xyz.to_value(u.km).T
    assert np.linalg.norm(values(table) - expected, axis=1).max() < 2e-6 * np.linalg.norm(expected, axis=1).min()


def test_distance_and_light_time_are_of_the_same_vector(fetch: Fetch) -> None:
    """In au, and in seconds by the speed of light."""
    au = got(fetch("DEMO_ORBITER-SUN", "distance_PT6H_au", *DAY).table)
    light = got(fetch("DEMO_ORBITER-SUN", "light_time_PT6H", *DAY).table)
    length_km = np.linalg.norm(ORBITER.states(et_of(au))[:, :3], axis=1)
    assert au.meta.unit == "au"
    np.testing.assert_allclose(values(au)[:, 0], length_km / 149_597_870.7, rtol=1e-10)
    np.testing.assert_allclose(values(light)[:, 0], length_km / 299_792.458, rtol=1e-10)


def test_a_separation_is_the_angle_at_the_observer(fetch: Fetch) -> None:
    """By the cosine of the two directions, which is good enough away from 0 and 180 degrees."""
    table = got(fetch("DEMO_ORBITER-EARTH-SUN", "separation_PT6H", *DAY).table)
    et = et_of(table)
    one, two = ORBITER.states(et)[:, :3], EARTH.states(et)[:, :3]
    cosine = np.sum(one * two, axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)
    np.testing.assert_allclose(values(table)[:, 0], np.degrees(np.arccos(cosine)), rtol=1e-9)


def test_any_cut_gives_the_same_bytes(fetch: Fetch) -> None:
    """A day in one piece and hour by hour, in a frame that turns, at a cadence that starts anew in no hour."""
    asked = ("DEMO_ORBITER-SUN", "position_HEEQ_PT1M30S")
    whole = got(fetch(*asked, *DAY).table)
    edges = [f"2022-03-05T{hour:02}:00" for hour in range(24)] + ["2022-03-06T00:00"]
    parts = [got(fetch(*asked, start, stop).table) for start, stop in pairwise(edges)]
    joined = concatenate(parts)
    assert joined.time.tobytes() == whole.time.tobytes()
    assert values(joined).tobytes() == values(whole).tobytes()


def test_a_leap_second_is_counted(fetch: Fetch) -> None:
    """Across a leap second ephemeris time is CSPICE's own, to the last bit that positions can show."""
    table = got(fetch("EARTH-SUN", "position_HAE_PT1H", "2017-12-31", "2018-01-02").table)
    assert np.abs(values(table) - EARTH.states(et_of(table))[:, :3]).max() < 1e-3


def test_ephemeris_time_is_that_of_cspice() -> None:
    """To the last bit, over fifty years at all hours of the day and through leap seconds."""
    spiceypy.furnsh(str(KERNELS / "demo_leapseconds_v01.tls"))
    hours = np.arange(np.datetime64("1976-01-01", "h"), np.datetime64("2026-01-01", "h"), 7 if TIER == "nightly" else 67)
    expected = np.array([spiceypy.str2et(f"{hour}:00:00") for hour in hours])
    assert et_of_utc(hours.astype("datetime64[ns]").astype(np.int64)).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("start", "stop", "is_predicted", "since"),
    [("2025-12-30", "2025-12-31", False, None), ("2026-01-01", "2026-01-02", True, "2026-01-01T00:10:00Z")],
)
def test_predicted_positions_say_so(fetch: Fetch, start: str, stop: str, is_predicted: bool, since: str | None) -> None:
    """What the reconstructed kernels do not reach is predicted, from the first such sample on."""
    table = got(fetch("DEMO_ORBITER-SUN", "position_HCI_PT10M", start, stop).table)
    assert len(table) == 144
    assert table.meta.predicted is is_predicted
    assert table.meta.attributes.get("PREDICTED_FROM") == since
