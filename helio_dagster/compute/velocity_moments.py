"""Moments of velocity distributions: sums over bins of energy and direction, and what they say of a plasma. Arrays alone.

Source: Paschmann, Fazakerley and Schwartz 1998, in Paschmann and Daly (eds.), Analysis Methods for Multi-Spacecraft Data, ISSI
SR-001, chapter 6. Spacecraft potential: Lavraud and Larson 2016, J. Geophys. Res. Space Physics 121, 8462,
doi:10.1002/2016JA022591.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.constants import ELEMENTARY_CHARGE_C
from helio_dagster.compute.phase_space import Particle

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Shells:
    """Bins of energy as they count far from the spacecraft.

    `speed` in m/s and `volume` in m^3 s^-3 per sr, shape (record or 1, energy): the speed of a bin and the share of velocity
    space that it takes; 0 where it does not count, NaN where nothing is known of it.
    """

    speed: Floats
    volume: Floats


@dataclass(frozen=True)
class Sums:
    """Integrals of f, f v, f v v and f v^2 v over all velocities, in SI units.

    Shapes (record,), (record, 3), (record, 3, 3), (record, 3).
    """

    zeroth: Floats
    first: Floats
    second: Floats
    third: Floats


def shells(energy_j: Floats, width_j: Floats, particle: Particle, potential_v: Floats) -> Shells:
    """Where bins of measured energy lie once the spacecraft's potential is taken off.

    A bin counts as far as it is above the energy that the potential alone gives, and its speed is that of the middle of what
    counts; whole bins have the speed of their center. f is the same at both speeds, by Liouville's theorem.

    Parameters
    ----------
    energy_j, width_j
        Centers and widths, shape (record or 1, energy).
    particle
        Mass and charge.
    potential_v
        Of the spacecraft, shape (record or 1, 1).
    """
    gained_j = -particle.charge * ELEMENTARY_CHARGE_C * potential_v
    upper = energy_j + width_j / 2
    counted = np.clip(upper - np.maximum(gained_j, 0.0), 0.0, width_j)
    middle = np.where(counted < width_j, upper - counted / 2, energy_j)
    far_j = np.maximum(middle - gained_j, 0.0)
    speed = np.sqrt(2 * far_j / particle.mass_kg)
    return Shells(speed, np.sqrt(2 * far_j / particle.mass_kg**3) * counted)


def sums(density: Floats, bins: Shells, directions: tuple[Floats, Floats, Floats], sky_sr: Floats) -> Sums:
    """Integrals over all velocities.

    Parameters
    ----------
    density
        Phase-space density in s^3 m^-6, shape (record, azimuth, polar, energy), 0 where nothing counts.
    bins
        The bins of energy.
    directions
        Components of the unit vector along which particles of each bin move, shape (record or 1, azimuth, polar) each.
    sky_sr
        Solid angle of each bin, same shape.
    """
    powers = [_over_energies(density, bins.volume * bins.speed**power) * sky_sr for power in range(4)]
    first = np.stack([_over_sky(powers[1] * each) for each in directions], axis=-1)
    third = np.stack([_over_sky(powers[3] * each) for each in directions], axis=-1)
    second = [[_over_sky(powers[2] * one * other) for other in directions] for one in directions]
    return Sums(_over_sky(powers[0]), first, np.stack([np.stack(row, axis=-1) for row in second], axis=-2), third)


def velocity(found: Sums) -> Floats:
    """Bulk velocity in m/s, shape (record, 3); NaN without particles."""
    return np.asarray(found.first / np.where(found.zeroth > 0, found.zeroth, np.nan)[:, None])


def pressure(found: Sums, mass_kg: float) -> Floats:
    """Pressure tensor in Pa, shape (record, 3, 3), in the frame that moves with the bulk velocity."""
    bulk = velocity(found)
    return np.asarray(mass_kg * (found.second - found.first[:, :, None] * bulk[:, None, :]))


def temperature(found: Sums, mass_kg: float) -> Floats:
    """A third of the trace of the pressure tensor over the density, in J, shape (record,)."""
    tensor = pressure(found, mass_kg)
    return np.asarray(
        (tensor[:, 0, 0] + tensor[:, 1, 1] + tensor[:, 2, 2]) / 3 / np.where(found.zeroth > 0, found.zeroth, np.nan)
    )


def heat_flux(found: Sums, mass_kg: float) -> Floats:
    """M / 2 times the integral of f |v - V|^2 (v - V), in W/m^2, shape (record, 3)."""
    bulk = velocity(found)
    trace = found.second[:, 0, 0] + found.second[:, 1, 1] + found.second[:, 2, 2]
    along = (found.second * bulk[:, None, :]).sum(axis=-1)
    square = (bulk * bulk).sum(axis=-1)
    drift = 2 * (found.zeroth * square)[:, None] * bulk
    return np.asarray(mass_kg / 2 * (found.third - bulk * trace[:, None] - 2 * along + drift))


def _over_energies(density: Floats, weights: Floats) -> Floats:
    return np.asarray((density * weights[:, None, None, :]).sum(axis=-1))


def _over_sky(values: Floats) -> Floats:
    return np.asarray(np.ascontiguousarray(values).reshape(len(values), -1).sum(axis=-1))
