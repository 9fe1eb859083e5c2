"""Quantities that a request asks for: as words say them, and of a mission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, Species
from helio_dagster.domain.catalog_entry import Quantity

ShapeName = Literal["vector", "magnitude", "both", "scalar"]
"""What is shown of a vector; `scalar` is one number, made of those along and across the field where there is none else."""


@dataclass(frozen=True)
class Measured:
    """Quantities asked for; `shape` and `axis` where the word itself says them, as in |B| and Bz.

    `parameter` is the archive's name of one, of `dataset`, where the request says just that; `called` is what people call it.
    """

    quantities: tuple[Quantity, ...]
    shape: ShapeName | None = None
    axis: str | None = None
    species: Species = ""
    dataset: str | None = None
    parameter: str | None = None
    called: str = ""


@dataclass(frozen=True)
class Derived:
    """A quantity that an operation computes from others of the same mission.

    Parameters
    ----------
    operation
        Its id.
    words
        What it is called.
    inputs
        Input name to what is needed for it.
    options
        Options that the words name.
    """

    operation: str
    words: str
    inputs: tuple[tuple[str, Measured], ...]
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Target:
    """A quantity of a mission; `axis` for one component, `shape` where the request says how a vector is shown.

    `parameter` is that of `dataset` which the request names, `called` what people call it; `lacking` are datasets that it
    names and that have no such quantity, so that another one is taken.
    """

    mission: str
    quantity: Quantity
    shape: ShapeName | None = None
    axis: str | None = None
    dataset: str | None = None
    species: Species = ""
    member: str = ""
    parameter: str | None = None
    lacking: tuple[str, ...] = ()
    called: str = ""

    @property
    def name(self) -> str:
        """The quantity, whatever is shown of it; a parameter that nothing more is known of goes by its own name."""
        return self.called or self.parameter or "" if self.quantity == "other" else QUANTITY_WORDS[self.quantity]

    @property
    def words(self) -> str:
        """The quantity as people call it."""
        if self.axis and self.quantity == "other" and not self.called:
            return f"{self.name} channel {int(self.axis) + 1}" if self.axis.isdigit() else f"{self.name} {self.axis}"
        if self.axis and not self.called:
            return f"{'V' if self.quantity == 'velocity' else 'E' if self.quantity == 'electric_field' else 'B'}{self.axis}"
        shape = {"magnitude": " magnitude", "both": " vector and magnitude"}.get(self.shape or "", "")
        species = f"{self.species.removesuffix('s')} " if self.species else ""
        return f"{'scalar ' if self.shape == 'scalar' else ''}{species}{self.name}{shape}"

    @property
    def who(self) -> str:
        """The mission as people call it."""
        return f"{self.mission} {self.member}".strip()


@dataclass(frozen=True)
class DerivedTarget:
    """A quantity that is computed from others of a mission; `datasets` are those that the request names for it."""

    mission: str
    derived: Derived
    inputs: tuple[tuple[str, Target], ...]
    member: str = ""
    datasets: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The quantity as people call it."""
        return self.derived.words

    @property
    def who(self) -> str:
        """The mission as people call it."""
        return f"{self.mission} {self.member}".strip()


AnyTarget = Target | DerivedTarget
