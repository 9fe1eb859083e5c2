"""Shocks that fulfil the Rankine-Hugoniot relations of MHD, energy included, solved by scipy; and tables of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import fsolve

from tests.unit.compute.conftest import TableMaker

MU_0, M_P, K_B, GAMMA = 1.25663706127e-6, 1.67262192595e-27, 1.380649e-23, 5 / 3


def oblique_shock(theta_deg: float, mach: float) -> dict[str, Any]:
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


def shock_tables(
    make_table: TableMaker,
    theta_deg: float,
    mach: float,
    *,
    noise: float = 0.0,
    flow_noise: float = 0.0,
    backward: bool = False,
    seed: int = 2,
) -> Any:
    """A shock that passes at 600 s with 550 km/s, measured in other axes; its normal, and what `oblique_shock` says of it."""
    shock = oblique_shock(theta_deg, mach)
    draw = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))
    at = np.arange(0, 1200, 6.0)
    is_upstream = at > 600 if backward else at < 600
    sides = [np.where(is_upstream, one, other) for one, other in zip(shock["up"], shock["down"], strict=True)]
    field = np.outer(np.full(len(at), shock["normal"]), axes[0]) + np.outer(sides[3], axes[1])
    upstream_normal = -axes[0]
    flow = np.outer(sides[1], axes[0]) + np.outer(sides[2], axes[1]) + 550e3 * upstream_normal + 80e3 * axes[2]
    field_nt = field * 1e9 + noise * draw.normal(size=(len(at), 3))
    named: Any = {"at_s": at, "kind": "vector", "frame": "GSE"}
    flow_km_s = flow / 1e3 + flow_noise * draw.normal(size=(len(at), 3))
    density = sides[0] / 1e6 * (1 + flow_noise / 200 * draw.normal(size=len(at)))
    tables = {
        "field": make_table(dict(zip(("bx", "by", "bz"), field_nt.T, strict=True)), unit="nT", **named),
        "velocity": make_table(dict(zip(("vx", "vy", "vz"), flow_km_s.T, strict=True)), unit="km/s", **named),
        "density": make_table({"n": density}, at_s=at, unit="cm^-3"),
        "temperature": make_table({"t": np.full(len(at), 7.2e4)}, at_s=at, unit="K"),
    }
    return tables, upstream_normal, shock
