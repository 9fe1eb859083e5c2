"""The made-up orbits of the demo archive, in closed form: what its kernels hold, and what tests compare with.

Times are ephemeris time, s since J2000; states are km and km/s along the axes of ECLIPJ2000, shape (time, 6).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helio_dagster.archives.demo.noise import Floats
from helio_dagster.domain.lengths import AU_KM

GM_SUN_KM3_S2 = 1.32712440041e11
"""DE440 (Park et al. 2021, doi:10.3847/1538-3881/abd414)."""
SPIN_PERIOD_S = 600.0
"""Of the first spacecraft, about the north of the ecliptic."""
_DAY_S = 86_400.0
_LISSAJOUS_S = 178.0 * _DAY_S
_L1_KM = 1.5e6
_ACROSS_KM, _NORTH_KM = 2.6e5, 1.2e5


@dataclass(frozen=True)
class Ellipse:
    """An orbit of two bodies around the Sun: half axis in au, eccentricity, angles in degrees, mean anomaly at J2000."""

    half_axis_au: float
    eccentricity: float
    inclination_deg: float
    node_deg: float
    perihelion_deg: float
    anomaly_deg: float

    def states(self, et: Floats) -> Floats:
        """Position and velocity relative to the Sun at the times, shape (time, 6); Kepler's equation by Newton's method."""
        half_axis_km, e = self.half_axis_au * AU_KM, self.eccentricity
        motion = np.sqrt(GM_SUN_KM3_S2 / half_axis_km**3)
        mean = np.radians(self.anomaly_deg) + motion * et
        anomaly = mean + e * np.sin(mean)
        for _ in range(12):
            anomaly = anomaly - (anomaly - e * np.sin(anomaly) - mean) / (1 - e * np.cos(anomaly))
        flat = np.sqrt(1 - e**2)
        rate = motion / (1 - e * np.cos(anomaly))
        x, y = half_axis_km * (np.cos(anomaly) - e), half_axis_km * flat * np.sin(anomaly)
        vx, vy = -half_axis_km * np.sin(anomaly) * rate, half_axis_km * flat * np.cos(anomaly) * rate
        p, q = self._axes()
        return np.hstack([np.outer(x, p) + np.outer(y, q), np.outer(vx, p) + np.outer(vy, q)])

    def _axes(self) -> tuple[Floats, Floats]:
        i, node, peri = np.radians([self.inclination_deg, self.node_deg, self.perihelion_deg])
        p = [
            np.cos(node) * np.cos(peri) - np.sin(node) * np.sin(peri) * np.cos(i),
            np.sin(node) * np.cos(peri) + np.cos(node) * np.sin(peri) * np.cos(i),
            np.sin(peri) * np.sin(i),
        ]
        q = [
            -np.cos(node) * np.sin(peri) - np.sin(node) * np.cos(peri) * np.cos(i),
            -np.sin(node) * np.sin(peri) + np.cos(node) * np.cos(peri) * np.cos(i),
            np.cos(peri) * np.sin(i),
        ]
        return np.array(p), np.array(q)


ORBITER = Ellipse(0.55, 0.55, 4.0, 76.0, 30.0, 200.0)
EARTH = Ellipse(1.00000261, 0.01671123, 0.0, 0.0, 102.93768, -2.47311)
"""The mean elements of J2000 (Standish, JPL), without perturbations: a likeness to 1e-4 au, not where Earth was."""


def orbiter_turning(et: Floats) -> Floats:
    """How the first spacecraft is turned: rotations of vectors along ECLIPJ2000 into its own axes, shape (time, 3, 3)."""
    phase = 2 * np.pi * et / SPIN_PERIOD_S
    cosine, sine, none = np.cos(phase), np.sin(phase), np.zeros(len(et))
    rows = [np.stack([cosine, sine, none], axis=1), np.stack([-sine, cosine, none], axis=1)]
    return np.stack([*rows, np.stack([none, none, none + 1], axis=1)], axis=1)


def sentinel_states(et: Floats) -> Floats:
    """The second spacecraft relative to Earth, shape (time, 6): 1.5 million km towards the Sun, swinging about that point."""
    earth = EARTH.states(et)
    place, speed = -earth[:, :3], -earth[:, 3:]
    distance = np.linalg.norm(place, axis=1, keepdims=True)
    towards = place / distance
    turning = (speed - towards * np.sum(towards * speed, axis=1, keepdims=True)) / distance
    phase, rate = 2 * np.pi * et / _LISSAJOUS_S, 2 * np.pi / _LISSAJOUS_S
    across = np.stack([-towards[:, 1], towards[:, 0], np.zeros(len(et))], axis=1)
    across_turning = np.stack([-turning[:, 1], turning[:, 0], np.zeros(len(et))], axis=1)
    north = np.array([0.0, 0.0, 1.0])
    swing, swing_rate = _ACROSS_KM * np.sin(phase)[:, None], _ACROSS_KM * rate * np.cos(phase)[:, None]
    at = _L1_KM * towards + swing * across + np.outer(_NORTH_KM * np.cos(phase), north)
    velocity = _L1_KM * turning + swing_rate * across + swing * across_turning
    velocity = velocity - np.outer(_NORTH_KM * rate * np.sin(phase), north)
    return np.hstack([at, velocity])
