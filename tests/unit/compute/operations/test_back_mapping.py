"""Ballistic mapping against sunpy's Carrington longitude of Earth and the spiral that figures draw."""

from __future__ import annotations

import numpy as np
import pytest
from astropy.time import Time
from astropy.utils import iers
from sunpy.coordinates import sun

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.lengths import AU_KM
from helio_dagster.figures.heliosphere import parker_spiral
from tests.unit.compute.conftest import DAY, TableMaker
from tests.unit.compute.operations.conftest import Apply


def test_wind_without_delay_comes_from_below(make_table: TableMaker, apply: Apply) -> None:
    """At Earth and beyond all speeds of wind it is the longitude of the centre of the disc, which sunpy knows."""
    fast = make_table({"v": [1e15]}, unit="km/s")
    place = make_table({"x": [0.0], "y": [0.0], "z": [0.0]}, kind="vector", unit="km", frame="GSE")
    found = apply("source_longitude", {"speed": fast, "position": place}).columns["out"][0]
    with iers.conf.set_temp("auto_download", False):
        expected = sun.L0(Time(DAY.start), light_travel_time_correction=False).to_value("deg")
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("frame", ["Carrington", "HCI"])
def test_the_way_back_is_the_spiral(make_table: TableMaker, apply: Apply, frame: str) -> None:
    """The same turn whatever the frame that the place is given in; the rotation period of figures is 25.38 d."""
    speeds = [300.0, 450.0, 700.0]
    speed = make_table({"v": speeds}, unit="km/s")
    rows = np.array([[0.7, 0.2, 0.0], [-0.1, 0.3, 0.0], [0.5, -0.4, 0.0]]) * AU_KM
    place = make_table({name: rows[:, i] for i, name in enumerate("xyz")}, kind="vector", unit="km", frame="Carrington")
    there = apply("transform_frame", {"vector": place}, to=frame) if frame != "Carrington" else place
    found = apply("source_longitude", {"speed": speed, "position": there}, source_radius_rs=0).columns["out"]
    expected = [
        np.degrees(parker_spiral(float(np.hypot(x, y)) / AU_KM, np.arctan2(y, x), each, np.zeros(1))[0]) % 360
        for (x, y, _), each in zip(rows, speeds, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_there_is_no_number_below_the_source(make_table: TableMaker, apply: Apply) -> None:
    """Nor without a place, or for wind that stands still."""
    speed = make_table({"v": [400.0, 0.0, 400.0, 400.0]}, unit="km/s")
    columns = {"x": [1e6, 1e8, np.nan, 1e8], "y": [0.0] * 4, "z": [0.0] * 4}
    place = make_table(columns, kind="vector", unit="km", frame="HCI")
    found = apply("source_longitude", {"speed": speed, "position": place}).columns["out"]
    assert np.isnan(found).tolist() == [True, True, True, False]


@pytest.mark.parametrize(("frame", "said"), [("RTN", "is in RTN"), (None, "does not say its frame")])
def test_a_place_needs_a_frame(make_table: TableMaker, apply: Apply, frame: str | None, said: str) -> None:
    """One that has an origin."""
    place = make_table({"x": [1e8], "y": [0.0], "z": [0.0]}, kind="vector", unit="km", frame=frame)
    with pytest.raises(ComputeError, match=said) as caught:
        apply("source_longitude", {"speed": make_table({"v": [400.0]}, unit="km/s"), "position": place})
    assert caught.value.hint
