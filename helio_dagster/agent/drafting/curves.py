"""What is drawn of a request: a measured or derived quantity, and the curve that its steps end in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.agent.drafting.dataset_choice import Choice
from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.targets import DerivedTarget
from helio_dagster.domain.lengths import (
    EARTH_RADIUS_KM,
    JUPITER_RADIUS_KM,
    MARS_RADIUS_KM,
    SATURN_RADIUS_KM,
    SUN_RADIUS_KM,
)
from helio_dagster.domain.table import Kind
from helio_dagster.domain.unit_conversion import can_convert, conversion_factor


@dataclass(frozen=True)
class DerivedChoice:
    """A derived quantity with the choice for each of its inputs."""

    target: DerivedTarget
    inputs: tuple[tuple[str, Choice], ...]


AnyChoice = Choice | DerivedChoice


@dataclass(frozen=True)
class Curve:
    """What a choice draws: its step, its kind, its unit, and what its axis is called.

    `beneath` is the step of the data that an average is drawn over, and `dense` how far apart these are; `over` is what the
    average is called beside them, and `shows_data` that they are wanted. What is made of two curves `is_of_two`, so that it is
    not that of one spacecraft.
    """

    choice: AnyChoice
    step: str
    kind: Kind
    symbol: str
    cadence: timedelta | None
    unit: str
    beneath: str | None = None
    dense: timedelta | None = None
    over: str = ""
    shows_data: bool = False
    is_of_two: bool = False

    @property
    def is_line(self) -> bool:
        """Whether it is one line, which can share a panel with another."""
        return self.kind == "series"

    @property
    def axis(self) -> str:
        """What its axis is called: its symbol, with the factor by which Kp is stored; empty where it has none."""
        is_kp = isinstance(self.choice, Choice) and self.choice.target.quantity == "kp" and self.symbol.startswith("Kp")
        return f"{self.symbol} x 10" if is_kp else self.symbol

    @property
    def panel(self) -> tuple[str, str]:
        """Curves of one key mean the same and may share a panel."""
        return self.choice.target.words if isinstance(self.choice, DerivedChoice) else self.choice.target.quantity, self.symbol


def measured(choice: AnyChoice) -> list[Choice]:
    """The choices that are fetched for one."""
    return [choice] if isinstance(choice, Choice) else [each for _, each in choice.inputs]


def unit_of(choice: AnyChoice) -> str:
    """The unit in which a choice comes."""
    if isinstance(choice, Choice):
        return choice.offer.unit
    return DERIVED_UNITS.get(choice.target.derived.operation, choice.inputs[0][1].offer.unit)


RADII = {
    "R_E": (EARTH_RADIUS_KM, "the radius of the Earth in the IGRF"),
    "R_S": (SUN_RADIUS_KM, "the nominal radius of the Sun (IAU 2015 Resolution B3)"),
    "R_J": (JUPITER_RADIUS_KM, "the radius of Jupiter at its equator (IAU 2015)"),
    "R_Sat": (SATURN_RADIUS_KM, "the radius of Saturn at its equator (IAU 2015)"),
    "R_Mars": (MARS_RADIUS_KM, "the radius of Mars at its equator (IAU 2015)"),
}
"""Length of each radius in km and what it is. The units themselves have no one length."""


def can_give(source: str, target: str) -> bool:
    """Whether values of one unit can be drawn in the other: lengths in radii of the Earth, the Sun or a planet, too."""
    return can_convert(source, target) or (target in RADII and can_convert(source, "km"))


def in_radii(source: str, unit: str) -> tuple[float, str]:
    """What a length in one unit is multiplied by to be in radii, and what that takes for granted."""
    length_km, what = RADII[unit]
    return float(conversion_factor(source, "km")) / length_km, f"1 {unit} is taken as {length_km:.10g} km, {what}."


def by_boltzmann(source: str, unit: str) -> str:
    """What a temperature given as an energy, or the other way round, takes for granted."""
    return f"{source} and {unit} meet by Boltzmann's constant, E = k_B T."
