"""What a distribution over energies may hold, and what leads from one to another: phase-space density, fluxes, counts.

f dv^3 particles per m^3 pass an area as j = v^2 f / m = 2 E f / m^2 per energy and solid angle; the energy flux is E j, and an
analyzer of geometric factor G counts E j G t in a time t. Valid where the particles are not relativistic. Source: Paschmann,
Fazakerley and Schwartz 1998, in Paschmann and Daly (eds.), Analysis Methods for Multi-Spacecraft Data, ISSI SR-001, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from helio_dagster.compute.constants import (
    ALPHA_MASS_KG,
    ATOMIC_MASS_KG,
    ELECTRON_MASS_KG,
    ELEMENTARY_CHARGE_C,
    PROTON_MASS_KG,
    SPEED_OF_LIGHT_M_PER_S,
)
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor

Floats = NDArray[np.float64]
Quantity = Literal["phase space density", "flux", "energy flux", "counts"]
Species = Literal["electron", "proton", "alpha", "He+", "O+"]

UNITS: dict[Quantity, str] = {
    "phase space density": "s^3 cm^-6",
    "flux": "cm^-2 keV^-1 s^-1 sr^-1",
    "energy flux": "eV cm^-2 eV^-1 s^-1 sr^-1",
    "counts": "counts",
}
"""The unit in which each is given where no other is asked for."""
_SI: dict[Quantity, str] = {
    "phase space density": "s^3 m^-6",
    "flux": "J^-1 m^-2 s^-1 sr^-1",
    "energy flux": "m^-2 s^-1 sr^-1",
    "counts": "counts",
}
_MOST_OF_REST_ENERGY = 0.1
"""Kinetic energy up to which formulas that are not relativistic are used; E = m v^2 / 2 is then 7 % off."""


@dataclass(frozen=True)
class Particle:
    """A kind of particle: mass in kg, charge in elementary charges."""

    mass_kg: float
    charge: int


PARTICLES: dict[Species, Particle] = {
    "electron": Particle(ELECTRON_MASS_KG, -1),
    "proton": Particle(PROTON_MASS_KG, 1),
    "alpha": Particle(ALPHA_MASS_KG, 2),
    "He+": Particle(ALPHA_MASS_KG + ELECTRON_MASS_KG, 1),
    "O+": Particle(15.99491461926 * ATOMIC_MASS_KG - ELECTRON_MASS_KG, 1),
}
"""CODATA 2022; oxygen-16 of the Atomic Mass Evaluation (Wang et al. 2021, Chin. Phys. C 45, 030003). The 14 eV and 79 eV that
bind the electrons do not count."""


def quantity_of(unit: str) -> Quantity:
    """What values of a unit are, along an axis of energies.

    Raises
    ------
    ComputeError
        It is the unit of none of them.
    """
    for quantity, known in _SI.items():
        if can_convert(unit, known):
            return quantity
    if can_convert(unit, "counts/s"):
        hint = "Multiply by the accumulation time in a step of code first, or take a parameter of fluxes."
        raise ComputeError("values are count rates, and counts are needed", hint=hint)
    hint = f"State the right unit with the option given_unit, such as: {', '.join(UNITS.values())}."
    raise ComputeError(f"{unit or 'no unit'} is neither of a phase-space density nor of a flux per energy", hint=hint)


def to_si(unit: str) -> float:
    """What values of a unit are multiplied by to be in SI units (counts stay counts)."""
    return float(conversion_factor(unit, _SI[quantity_of(unit)]))


POWERS: dict[Quantity, int] = {"phase space density": 0, "flux": 1, "energy flux": 2, "counts": 2}
"""The power of the energy that leads from a phase-space density to each."""


def per_density(quantity: Quantity, mass_kg: float, *, gain: float | None = None) -> float:
    """What a phase-space density in s^3 m^-6 at an energy of 1 J is multiplied by to be another quantity in SI units.

    Parameters
    ----------
    quantity
        The other quantity.
    mass_kg
        Of a particle.
    gain
        Counts per energy flux in SI units: geometric factor times accumulation time, in m^2 sr s. Needed for counts.

    Raises
    ------
    ComputeError
        Counts without a gain.
    """
    if quantity == "counts" and gain is None:
        raise ComputeError(
            "counts say nothing of a flux without the instrument's geometric factor and accumulation time",
            hint="Give the options geometric_factor (cm^2 sr eV/eV) and accumulation_s, from the instrument's documentation.",
        )
    times = gain if quantity == "counts" and gain is not None else 1.0
    return 2.0 / mass_kg**2 * times if POWERS[quantity] else 1.0


def to_joules(unit: str) -> float:
    """What energies of a unit are multiplied by to be in J."""
    return float(conversion_factor(unit, "J"))


def check_speeds(energies: Any, unit: str, particle: Particle) -> None:
    """Refuse energies at which particles are relativistic.

    Raises
    ------
    ComputeError
        One of the energies is more than a tenth of the particle's rest energy.
    """
    known = [float(each) for each in energies if np.isfinite(each)]
    rest_j = particle.mass_kg * SPEED_OF_LIGHT_M_PER_S**2
    most = max(known, default=0.0)
    if most * to_joules(unit) > _MOST_OF_REST_ENERGY * rest_j:
        limit = _MOST_OF_REST_ENERGY * rest_j / ELEMENTARY_CHARGE_C / 1e3
        problem = f"{most:g} {unit} is relativistic: the formulas hold up to {limit:.3g} keV, a tenth of the rest energy"
        raise ComputeError(problem, hint="Keep the bins of lower energies with the operation slice (first and stop).")


def gain_si(geometric_factor: float | None, accumulation_s: float | None) -> float | None:
    """Geometric factor in cm^2 sr (eV/eV) times accumulation time in s, as m^2 sr s; None unless both are given."""
    if geometric_factor is None or accumulation_s is None:
        return None
    return geometric_factor * float(Fraction(1, 10_000)) * accumulation_s
