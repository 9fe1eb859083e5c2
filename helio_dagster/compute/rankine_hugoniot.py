"""Fit of the Rankine-Hugoniot relations to both sides of a shock: its normal, its speed and what follows from them.

Vinas and Scudder (1986), doi:10.1029/JA091iA01p00039, and Szabo (1994), doi:10.1029/94JA00782, with the uncertainties of the
averages carried through to the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from helio_dagster.compute.constants import BOLTZMANN_J_PER_K, PROTON_MASS_KG, VACUUM_PERMEABILITY_H_PER_M
from helio_dagster.compute.mach_numbers import mach_numbers
from helio_dagster.compute.shock_normals import LEAST_PUSH_KM_S, METHODS, shock_normal

Floats = NDArray[np.float64]

LEAST_DENSER = 1.05
"""Densities of both sides that are nearer than 5 % to each other give no speed: noise alone would decide on it."""
MOST_OPEN_DEG = 20.0
"""A normal that the fit leaves open by more than this is not given, nor what depends on it."""
LEAST_ERROR = 1e-3
"""No average counts as more accurate than this share of its size: no instrument is."""
_RAM_NPA = PROTON_MASS_KG * 1e21
"""Pressure in nPa of one proton per cm^3 at 1 km/s, per (km/s)^2."""
_TENSION_NPA = 1e-9 / VACUUM_PERMEABILITY_H_PER_M
"""B^2 / mu_0 in nPa of a field of 1 nT, per nT^2."""
_SPEED_UNIT_KM_S = 100.0
_ALIKE = math.cos(math.radians(5.0))
"""Searches that begin with normals nearer to each other than this end at one place."""


@dataclass(frozen=True)
class ShockSide:
    """Averages of one side of a shock.

    Parameters
    ----------
    state
        Field in nT, velocity in km/s, density in cm^-3, and the temperatures of protons and electrons together in K, 0 where
        they are not known; float64, shape (8,).
    covariance
        Of those averages, float64, shape (8, 8).
    is_warm
        Whether both temperatures were measured, so that the momentum along the normal is known.
    """

    state: Floats
    covariance: Floats
    is_warm: bool = False


def averages_of(samples: list[Floats]) -> tuple[Floats, Floats] | None:
    """Means of components and the covariance of these means, or None of fewer than three valid samples.

    Parameters
    ----------
    samples
        The components, float64, shape (sample,) each; a sample counts where all are valid.

    Returns
    -------
    tuple
        Means, shape (component,), and covariance, shape (component, component). Samples that follow each other are not
        independent: n of them count as n (1 - r) / (1 + r), at least two, r the correlation of neighbours (Bayley and
        Hammersley 1946, doi:10.2307/2983560).
    """
    rows = np.array(samples)
    rows = rows[:, np.isfinite(rows).all(axis=0)]
    count = rows.shape[1]
    if count < 3:
        return None
    means = np.array([float(np.mean(each)) for each in rows])
    apart = rows - means[:, None]
    spread = np.sum(apart[:, None, :] * apart[None, :, :], axis=2) / (count - 1)
    with np.errstate(all="ignore"):
        alike = np.sum(apart[:, 1:] * apart[:, :-1], axis=1) / np.sum(apart * apart, axis=1)
    alike = np.clip(np.where(np.isfinite(alike), alike, 0.0), 0.0, 0.999)
    share = 1 / np.sqrt(np.maximum(count * (1 - alike) / (1 + alike), 2.0))
    size = math.sqrt(float(np.sum(means * means)))
    return means, spread * share[:, None] * share[None, :] + np.eye(len(means)) * (LEAST_ERROR * size) ** 2


def side_of(samples: Mapping[str, Floats], electron_temperature_k: float) -> ShockSide | None:
    """The averages of a side, or None where field, velocity or density has too few samples.

    Parameters
    ----------
    samples
        Input to its components, float64, shape (component, sample): field, velocity, density, and perhaps temperature and
        electron_temperature.
    electron_temperature_k
        Of the electrons where it is not measured: it enters the speed of sound, not the fit.
    """
    found = {name: averages_of(list(rows)) for name, rows in samples.items()}
    state, covariance = np.zeros(8), np.zeros((8, 8))
    for name, place in (("field", slice(0, 3)), ("velocity", slice(3, 6)), ("density", slice(6, 7))):
        each = found.get(name)
        if each is None:
            return None
        state[place], covariance[place, place] = each
    protons, electrons = found.get("temperature"), found.get("electron_temperature")
    if protons is not None:
        state[7] = float(protons[0][0]) + (electron_temperature_k if electrons is None else float(electrons[0][0]))
        covariance[7, 7] = float(protons[1][0, 0]) + (0.0 if electrons is None else float(electrons[1][0, 0]))
    return ShockSide(state, covariance, protons is not None and electrons is not None)


def fit_shock(upstream: ShockSide, downstream: ShockSide, *, adiabatic_index: float, helium: float) -> dict[str, float]:
    """Numbers about a shock by name, with `<name>_uncertainty`; empty where the relations leave the normal open.

    Parameters
    ----------
    upstream, downstream
        Both sides; upstream is the less dense one.
    adiabatic_index
        Ratio of specific heats in the speed of sound; the fit does not use it.
    helium
        Alpha particles per proton in the mass density.
    """
    relations = _Relations(upstream.is_warm and downstream.is_warm, 1 + 4 * helium)
    sides = np.concatenate([upstream.state, downstream.state])
    errors = np.zeros((16, 16))
    errors[:8, :8], errors[8:, 8:] = upstream.covariance, downstream.covariance
    if not (sides[6] > 0 and sides[14] >= LEAST_DENSER * sides[6] and np.isfinite(sides).all()):
        return {}
    found = [_fit_from(relations, normal, sides, errors) for normal in _first_normals(sides)]
    fits = [fit for fit in found if fit is not None and _is_shock(fit, sides)]
    if not fits:
        return {}
    best = min(fits, key=lambda fit: fit.chi_squared)
    return _numbers(relations, best, sides, errors, adiabatic_index=adiabatic_index, helium=helium)


@dataclass(frozen=True)
class _Relations:
    """The jumps that vanish at a shock: of the fluxes of mass and momentum, and of the fields that stay."""

    is_warm: bool
    mass: float
    """Mass density per proton, in proton masses."""

    def jumps(self, axes: Floats, speed_km_s: float, sides: Floats) -> Floats:
        """Downstream minus upstream, shape (6,) or (7,); `axes` has the normal and two vectors across it as rows."""
        return self._fluxes(axes, speed_km_s, sides[8:]) - self._fluxes(axes, speed_km_s, sides[:8])

    def _fluxes(self, axes: Floats, speed_km_s: float, side: Floats) -> Floats:
        field, flow = np.sum(axes * side[:3], axis=1), np.sum(axes * side[3:6], axis=1)
        flow[0] -= speed_km_s
        density, ram = side[6], _RAM_NPA * self.mass * side[6]
        fluxes = [density * flow[0], field[0]]
        fluxes += [ram * flow[0] * flow[k] - _TENSION_NPA * field[0] * field[k] for k in (1, 2)]
        fluxes += [flow[0] * field[k] - field[0] * flow[k] for k in (1, 2)]
        if self.is_warm:
            thermal = density * 1e15 * BOLTZMANN_J_PER_K * side[7]
            fluxes.append(ram * flow[0] ** 2 + thermal + _TENSION_NPA * (field[1] ** 2 + field[2] ** 2) / 2)
        return np.array(fluxes)


@dataclass(frozen=True)
class _Fit:
    """A place where the relations are fulfilled best: axes as in `_Relations.jumps`, speed, how well, with how much freedom."""

    axes: Floats
    speed_km_s: float
    chi_squared: float
    freedom: int


def _first_normals(sides: Floats) -> list[Floats]:
    """Unit normals to begin from: all that coplanarity gives, and the change of velocity."""
    before, behind = (sides[:3], sides[3:6]), (sides[8:11], sides[11:14])
    found: list[Floats] = []
    for method in METHODS:
        normal = shock_normal(method, before, behind)
        if normal is not None and all(float(np.sum(normal * other)) < _ALIKE for other in found):
            found.append(normal)
    return found


def _fit_from(relations: _Relations, normal: Floats, sides: Floats, errors: Floats) -> _Fit | None:
    """The best fit near a normal; None where the search does not settle."""
    base = _axes_of(normal)

    def residuals(turn: Floats) -> Floats:
        axes = _turned(base, turn)
        jumps = relations.jumps(axes, turn[2] * _SPEED_UNIT_KM_S, sides)
        slope = _slope(lambda x: relations.jumps(axes, turn[2] * _SPEED_UNIT_KM_S, x), sides)
        return np.asarray(np.linalg.solve(np.linalg.cholesky(slope @ errors @ slope.T), jumps))

    speed = float(np.sum((sides[14] * sides[11:14] - sides[6] * sides[3:6]) * normal)) / float(sides[14] - sides[6])
    try:
        found = optimize.least_squares(
            residuals, np.array([0.0, 0.0, speed / _SPEED_UNIT_KM_S]), jac="3-point", xtol=1e-14, ftol=1e-14
        )
    except (np.linalg.LinAlgError, ValueError):
        return None
    if found.status <= 0 or float(np.hypot(*found.x[:2])) > 3:  # more than about 70 deg from where it began
        return None
    axes = _turned(base, found.x)
    return _Fit(axes, float(found.x[2]) * _SPEED_UNIT_KM_S, float(2 * found.cost), len(found.fun) - 3)


def _is_shock(fit: _Fit, sides: Floats) -> bool:
    """Whether plasma passes, and is slowed down: the relations also hold across the plane of the fields, where nothing does."""
    return float(np.sum((sides[11:14] - sides[3:6]) * fit.axes[0])) >= LEAST_PUSH_KM_S


def _numbers(
    relations: _Relations, fit: _Fit, sides: Floats, errors: Floats, *, adiabatic_index: float, helium: float
) -> dict[str, float]:
    """What is known of the shock, each with the standard deviation that follows from those of the averages."""
    normal, speed = fit.axes[0], fit.speed_km_s
    across = sides[:3] - float(np.sum(sides[:3] * normal)) * normal
    length = math.sqrt(float(np.sum(across * across)))
    beside = across / length if length > 1e-6 * math.sqrt(float(np.sum(sides[:3] ** 2))) else fit.axes[1]

    def derived(turn: Floats, x: Floats) -> dict[str, float]:
        n = _turned(fit.axes, turn)[0]
        field, flow = x[:3], x[3:6]
        size = math.sqrt(float(np.sum(field * field)))
        angle = math.atan2(float(np.sum((field - float(np.sum(field * n)) * n) * beside)), float(np.sum(field * n)))
        at = speed + turn[2] * _SPEED_UNIT_KM_S
        inflow = abs(float(np.sum(flow * n)) - at)
        named = {"theta_bn": math.degrees(angle), "shock_speed": at}
        warm_k = float(x[7]) if sides[7] > 0 else 0.0
        return named | mach_numbers(inflow, size, float(x[6]), warm_k, adiabatic_index=adiabatic_index, helium=helium)

    still = np.zeros(3)
    by_turn = _slope(lambda turn: relations.jumps(_turned(fit.axes, turn), speed + turn[2] * _SPEED_UNIT_KM_S, sides), still)
    by_side = _slope(lambda x: relations.jumps(fit.axes, speed, x), sides)
    weights = np.linalg.inv(by_side @ errors @ by_side.T)
    normal_matrix = by_turn.T @ weights @ by_turn
    if not np.linalg.cond(normal_matrix) < 1e12:
        return {}
    turn_by_side = -np.linalg.solve(normal_matrix, by_turn.T @ weights @ by_side)
    reduced = fit.chi_squared / fit.freedom
    scale = max(1.0, reduced)
    turns = turn_by_side @ errors @ turn_by_side.T * scale
    open_deg = math.degrees(math.sqrt(float(turns[0, 0] + turns[1, 1])))
    if not open_deg <= MOST_OPEN_DEG:
        return {}
    numbers = {f"normal_{axis}": float(value) for axis, value in zip("xyz", normal, strict=True)}
    numbers |= {"normal_uncertainty": open_deg, "reduced_chi_squared": reduced}
    values = derived(still, sides)
    slopes_turn = _slope(lambda turn: np.array(list(derived(turn, sides).values())), still)
    slopes_side = _slope(lambda x: np.array(list(derived(still, x).values())), sides)
    whole = slopes_side + slopes_turn @ turn_by_side
    spread = np.sqrt(np.maximum(np.diag(whole @ errors @ whole.T) * scale, 0.0))
    numbers |= values | {f"{name}_uncertainty": float(each) for name, each in zip(values, spread, strict=True)}
    numbers["theta_bn"] = min(abs(values["theta_bn"]), 180 - abs(values["theta_bn"]))
    if numbers["theta_bn_uncertainty"] > RIGHT_DEG:  # of an angle of 0 the slopes are not defined
        del numbers["theta_bn_uncertainty"]
    return numbers


RIGHT_DEG = 90.0
"""An angle to a line is never farther off."""


def _axes_of(normal: Floats) -> Floats:
    """The normal and two vectors across it, as rows, all of length 1 and perpendicular."""
    helper = np.zeros(3)
    helper[int(np.argmin(np.abs(normal)))] = 1.0
    second = np.cross(normal, helper)
    second = second / math.sqrt(float(np.sum(second * second)))
    return np.array([normal, second, np.cross(normal, second)])


def _turned(base: Floats, turn: Floats) -> Floats:
    """Axes whose normal leans by the first two numbers of a turn, as tangents, along the second and third axis of others."""
    normal = base[0] + turn[0] * base[1] + turn[1] * base[2]
    normal = normal / math.sqrt(float(np.sum(normal * normal)))
    second = base[1] - float(np.sum(base[1] * normal)) * normal
    second = second / math.sqrt(float(np.sum(second * second)))
    return np.array([normal, second, np.cross(normal, second)])


def _slope(function: Callable[[Floats], Floats], at: Floats) -> Floats:
    """Derivatives of a smooth function by central differences, shape (result, argument)."""
    columns = []
    for place, value in enumerate(at):
        step = np.zeros(len(at))
        step[place] = 1e-5 * max(abs(float(value)), 1.0)
        columns.append((function(at + step) - function(at - step)) / (2 * step[place]))
    return np.stack(columns, axis=1)
