"""shock_parameters against made-up shocks that fulfil the Rankine-Hugoniot relations of MHD."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker
from tests.unit.compute.operations.made_up_shock import GAMMA, K_B, M_P, shock_tables

Make = Callable[..., Table]
METHODS = ("magnetic", "velocity", "mixed_1", "mixed_2", "mixed_3")


def _facts(apply: Make, tables: dict[str, Table], **options: Any) -> Any:
    found = apply("shock_parameters", tables, time="2023-01-02T00:10:00Z", **options)
    return {name: values[0] for name, values in found.columns.items()}


def _normal(found: dict[str, float]) -> Any:
    return np.array([found[f"normal_{component}"] for component in "xyz"])


@pytest.mark.parametrize("method", METHODS[:1] + METHODS[2:])
@pytest.mark.parametrize(("theta_deg", "mach"), [(30.0, 6.0), (65.0, 4.0)])
@pytest.mark.parametrize("backward", [False, True])
def test_a_shock_of_rankine_and_hugoniot_is_found(
    make_table: TableMaker, apply: Make, method: str, theta_deg: float, mach: float, backward: bool
) -> None:
    """Normal, angle, speed and Mach numbers, exactly, by each coplanar method, on whichever side upstream is."""
    tables, normal, shock = shock_tables(make_table, theta_deg, mach, backward=backward)
    found = _facts(apply, tables, method=method)
    np.testing.assert_allclose(_normal(found), normal, atol=1e-7)
    assert found["theta_bn"] == pytest.approx(theta_deg, abs=1e-5)
    assert found["shock_speed"] == pytest.approx(550, rel=1e-7)
    assert found["alfven_mach"] == pytest.approx(mach, rel=1e-7)
    sound = np.sqrt(GAMMA * K_B * 2e5 / M_P)
    assert found["sonic_mach"] == pytest.approx(shock["up"][1] / sound, rel=1e-7)
    assert found["magnetosonic_mach"] == pytest.approx((mach**-2 + found["sonic_mach"] ** -2) ** -0.5, rel=1e-7)
    assert found["density_ratio"] == pytest.approx(shock["down"][0] / shock["up"][0], rel=1e-9)
    assert found["pairs"] == 25
    assert found["theta_bn_uncertainty"] == pytest.approx(0, abs=1e-5)


def test_velocities_give_the_normal_of_a_strong_shock(make_table: TableMaker, apply: Make) -> None:
    """Velocity coplanarity is an approximation, good where the field pushes little across the normal."""
    tables, normal, _ = shock_tables(make_table, 65.0, 12.0)
    found = _facts(apply, tables, method="velocity")
    assert _normal(found) @ normal > np.cos(np.radians(3))


def test_noise_is_seen_in_the_uncertainties(make_table: TableMaker, apply: Make) -> None:
    """Which hold the true values within three standard deviations, and grow with it."""
    spreads = []
    for noise in (0.1, 0.5):
        tables, normal, _ = shock_tables(make_table, 50.0, 5.0, noise=noise)
        found = _facts(apply, tables)
        spreads.append(found["theta_bn_uncertainty"])
        assert abs(found["theta_bn"] - 50) < 3 * found["theta_bn_uncertainty"] + 1
        assert np.degrees(np.arccos(_normal(found) @ normal)) < 3 * found["normal_uncertainty"] + 1
    assert 0 < spreads[0] < spreads[1]


@pytest.mark.parametrize("theta_deg", [0.2, 89.9])
def test_a_degenerate_geometry_gives_no_number(make_table: TableMaker, apply: Make, theta_deg: float) -> None:
    """Field along or across the normal: the fields of both sides are parallel, and magnetic coplanarity knows nothing."""
    found = _facts(apply, shock_tables(make_table, theta_deg, 8.0)[0], method="magnetic")
    for name in ("theta_bn", "theta_bn_magnetic", "normal_x", "shock_speed", "alfven_mach"):
        assert np.isnan(found[name])
    assert found["pairs"] == 0
    assert found["density_ratio"] > 1.5


def test_no_shock_has_no_speed(make_table: TableMaker, apply: Make) -> None:
    """Where nothing changes, and where the density hardly does; nor with too few samples on a side."""
    tables, _, _ = shock_tables(make_table, 50.0, 5.0)
    still = {
        name: make_table(
            {key: np.full(200, values[0]) for key, values in table.columns.items()},
            kind=table.meta.kind,
            unit=table.meta.unit,
            at_s=np.arange(0, 1200, 6.0),
        )
        for name, table in tables.items()
    }
    assert np.isnan(_facts(apply, still)["theta_bn"])
    even = {**tables, "density": still["density"]}
    found = _facts(apply, even)
    assert np.isfinite(found["theta_bn"])
    assert np.isnan(found["shock_speed"])
    assert np.isnan(found["alfven_mach"])
    late = _facts(apply, tables, clear="PT9M55S", longest="PT5S")
    assert np.isnan(late["density_ratio"])
    assert late["pairs"] == 0


def test_frames_must_agree(make_table: TableMaker, apply: Make) -> None:
    """Coplanarity mixes both vectors."""
    tables, _, _ = shock_tables(make_table, 50.0, 5.0)
    moved = make_table(dict(tables["velocity"].columns), kind="vector", unit="km/s", frame="RTN", at_s=np.arange(0, 1200, 6.0))
    with pytest.raises(ComputeError, match="in GSE, the velocity in RTN") as caught:
        _facts(apply, {**tables, "velocity": moved})
    assert "transform_frame" in caught.value.hint


PYRFU = {
    "magnetic": ((0.8653436868643513, -0.12146498132969531, -0.48623714575769345), 60.32303841063782, -197.67690131552038),
    "velocity": ((0.9360769910891057, -0.29784267898289724, 0.18721539821782113), 77.78894590842236, -186.835648802118),
    "mixed_1": ((0.985587347009749, -0.11756017541875444, 0.121643686929476), 66.41868833756855, -208.83044148762508),
    "mixed_2": ((0.9798737024877593, -0.11559230069437104, 0.16274503738397728), 67.19543344865724, -206.61002136425876),
    "mixed_3": ((0.9760956621575898, -0.11444973964960345, 0.18476611001824564), 67.62912724273116, -205.26635767507375),
}
"""Normal, theta_Bn and the speed of the mass flux by shock_normal of pyrfu 2.4.21 (irfu-python), for the sides below."""


@pytest.mark.parametrize("method", METHODS)
def test_normals_and_speeds_are_those_of_pyrfu(make_table: TableMaker, apply: Make, method: str) -> None:
    """For sides that fulfil no relations, so that the methods differ."""
    at = np.arange(0, 1200, 6.0)
    sides = {
        "field": ((2.0, 3.0, -1.0), (2.8, 9.5, -1.2), "nT"),
        "velocity": ((-400.0, 5.0, -10.0), (-290.0, -30.0, 12.0), "km/s"),
        "density": ((5.0,), (13.0,), "cm^-3"),
    }
    tables = {
        name: make_table(
            {f"c{place}": np.where(at < 600, *pair) for place, pair in enumerate(zip(one, other, strict=True))},
            at_s=at,
            unit=unit,
            kind="vector" if len(one) == 3 else "series",
        )
        for name, (one, other, unit) in sides.items()
    }
    found = _facts(apply, tables, method=method)
    normal, theta_bn, speed = PYRFU[method]
    np.testing.assert_allclose(_normal(found), normal, rtol=1e-9)
    assert found["theta_bn"] == pytest.approx(theta_bn, rel=1e-9)
    assert found["shock_speed"] == pytest.approx(speed, rel=1e-9)
