"""shock_parameters against shocks that fulfil the Rankine-Hugoniot relations of MHD, solved by scipy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.table import Table
from tests.unit.compute.conftest import TableMaker

Make = Callable[..., Table]
MU_0, M_P, K_B, GAMMA = 1.25663706127e-6, 1.67262192595e-27, 1.380649e-23, 5 / 3
METHODS = ("magnetic", "velocity", "mixed_1", "mixed_2", "mixed_3")


def _oblique(theta_deg: float, mach: float) -> dict[str, Any]:
    """Both sides of a shock in its own frame, x along the normal: density, speeds, field and pressure in SI units."""
    density, field, pressure = 5e6, 5e-9, 5e6 * K_B * 2e5
    normal, across = field * np.cos(np.radians(theta_deg)), field * np.sin(np.radians(theta_deg))
    speed = mach * field / np.sqrt(MU_0 * M_P * density)

    def fluxes(n: float, u: float, w: float, b: float, p: float) -> Any:
        rho = M_P * n
        energy = rho * u * (u * u + w * w) / 2 + GAMMA / (GAMMA - 1) * p * u + (u * b - w * normal) * b / MU_0
        momentum = (rho * u * u + p + b * b / (2 * MU_0), rho * u * w - normal * b / MU_0)
        return np.array([rho * u, *momentum, energy, u * b - w * normal])

    given = fluxes(density, speed, 0.0, across, pressure)
    scale = np.abs(given) + np.array([0, 0, given[1], 0, speed * field])
    units = np.array([density, speed, speed, field, pressure])
    guess: Any = np.array([3.0, 1 / 3, 0.05, max(3 * across / field, 0.1), given[1] / pressure / 2])
    solve: Any = fsolve
    found, _, is_solved, _ = solve(lambda x: (fluxes(*(x * units)) - given) / scale, guess, full_output=True, xtol=1e-13)
    assert is_solved == 1
    n, u, w, b, p = found * units
    assert n / density > 1.5
    return {"up": (density, speed, 0.0, across, pressure), "down": (n, u, w, b, p), "normal": normal}


def _tables(make_table: TableMaker, theta_deg: float, mach: float, *, noise: float = 0.0, backward: bool = False) -> Any:
    """A shock that passes at 600 s with 550 km/s, measured in other axes; its normal, and what `_oblique` says of it."""
    shock = _oblique(theta_deg, mach)
    draw = np.random.default_rng(2)
    axes, _ = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))
    at = np.arange(0, 1200, 6.0)
    is_upstream = at > 600 if backward else at < 600
    sides = [np.where(is_upstream, one, other) for one, other in zip(shock["up"], shock["down"], strict=True)]
    field = np.outer(np.full(len(at), shock["normal"]), axes[0]) + np.outer(sides[3], axes[1])
    upstream_normal = -axes[0]
    flow = np.outer(sides[1], axes[0]) + np.outer(sides[2], axes[1]) + 550e3 * upstream_normal + 80e3 * axes[2]
    field_nt = field * 1e9 + noise * draw.normal(size=(len(at), 3))
    named: Any = {"at_s": at, "kind": "vector", "frame": "GSE"}
    tables = {
        "field": make_table(dict(zip(("bx", "by", "bz"), field_nt.T, strict=True)), unit="nT", **named),
        "velocity": make_table(dict(zip(("vx", "vy", "vz"), flow.T / 1e3, strict=True)), unit="km/s", **named),
        "density": make_table({"n": sides[0] / 1e6}, at_s=at, unit="cm^-3"),
        "temperature": make_table({"t": np.full(len(at), 7.2e4)}, at_s=at, unit="K"),
    }
    return tables, upstream_normal, shock


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
    tables, normal, shock = _tables(make_table, theta_deg, mach, backward=backward)
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
    tables, normal, _ = _tables(make_table, 65.0, 12.0)
    found = _facts(apply, tables, method="velocity")
    assert _normal(found) @ normal > np.cos(np.radians(3))


def test_noise_is_seen_in_the_uncertainties(make_table: TableMaker, apply: Make) -> None:
    """Which hold the true values within three standard deviations, and grow with it."""
    spreads = []
    for noise in (0.1, 0.5):
        tables, normal, _ = _tables(make_table, 50.0, 5.0, noise=noise)
        found = _facts(apply, tables)
        spreads.append(found["theta_bn_uncertainty"])
        assert abs(found["theta_bn"] - 50) < 3 * found["theta_bn_uncertainty"] + 1
        assert np.degrees(np.arccos(_normal(found) @ normal)) < 3 * found["normal_uncertainty"] + 1
    assert 0 < spreads[0] < spreads[1]


@pytest.mark.parametrize("theta_deg", [0.2, 89.9])
def test_a_degenerate_geometry_gives_no_number(make_table: TableMaker, apply: Make, theta_deg: float) -> None:
    """Field along or across the normal: the fields of both sides are parallel, and magnetic coplanarity knows nothing."""
    found = _facts(apply, _tables(make_table, theta_deg, 8.0)[0], method="magnetic")
    for name in ("theta_bn", "theta_bn_magnetic", "normal_x", "shock_speed", "alfven_mach"):
        assert np.isnan(found[name])
    assert found["pairs"] == 0
    assert found["density_ratio"] > 1.5


def test_no_shock_has_no_speed(make_table: TableMaker, apply: Make) -> None:
    """Where nothing changes, and where the density hardly does; nor with too few samples on a side."""
    tables, _, _ = _tables(make_table, 50.0, 5.0)
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
    tables, _, _ = _tables(make_table, 50.0, 5.0)
    moved = make_table(dict(tables["velocity"].columns), kind="vector", unit="km/s", frame="RTN", at_s=np.arange(0, 1200, 6.0))
    with pytest.raises(ComputeError, match="in GSE, the velocity in RTN") as caught:
        _facts(apply, {**tables, "velocity": moved})
    assert "transform_frame" in caught.value.hint
