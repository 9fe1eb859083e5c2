"""Options that operations on distributions of particles share: which particles, which axis, what counts mean."""

from __future__ import annotations

from pydantic import Field, StrictInt, field_validator

from helio_dagster.compute.operations.contract import Options
from helio_dagster.compute.phase_space import Species, gain_si
from helio_dagster.domain.units import normalize_unit


class ParticleOptions(Options):
    """Which particles were measured, and what is needed to know their phase-space density."""

    species: Species
    """Which particles were measured: their mass counts, with a potential their charge, too."""
    given_unit: str | None = None
    """The unit of the data, where the archive does not say it or says it wrongly."""
    axis: str | StrictInt | None = None
    """The axis of energies, by name or label; by default the only one whose unit is an energy's."""
    geometric_factor: float | None = Field(default=None, gt=0)
    """Of one bin in cm^2 sr (eV/eV), efficiency included, for counts."""
    accumulation_s: float | None = Field(default=None, gt=0)
    """How long one bin is counted, in s, for counts."""

    @field_validator("given_unit")
    @classmethod
    def _is_known(cls, unit: str | None) -> str | None:
        return None if unit is None else normalize_unit(unit)

    @property
    def gain(self) -> float | None:
        """Counts per energy flux in SI units, where it is known."""
        return gain_si(self.geometric_factor, self.accumulation_s)
