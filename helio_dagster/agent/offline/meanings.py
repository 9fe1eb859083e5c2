"""What words of a request can mean. Which words mean what is in `vocabulary`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from helio_dagster.domain.catalog_entry import Quantity

ShapeName = Literal["vector", "magnitude", "both"]


@dataclass(frozen=True)
class Mission:
    """A spacecraft or data collection, by its name in the catalog."""

    name: str


@dataclass(frozen=True)
class Dataset:
    """A dataset by its id."""

    name: str


@dataclass(frozen=True)
class Measured:
    """Quantities asked for; `shape` and `axis` where the word itself says them, as in |B| and Bz."""

    quantities: tuple[Quantity, ...]
    shape: ShapeName | None = None
    axis: str | None = None


@dataclass(frozen=True)
class Shape:
    """Whether a vector is shown by its components, by its length, or both."""

    shape: ShapeName


@dataclass(frozen=True)
class Frame:
    """A coordinate frame."""

    name: str


@dataclass(frozen=True)
class Smoothing:
    """A running mean; its length is None where the request leaves it open."""

    length: timedelta | None


@dataclass(frozen=True)
class Averaging:
    """Means or medians over fixed bins."""

    length: timedelta
    method: Literal["mean", "median"]


@dataclass(frozen=True)
class Cadence:
    """How dense the data shall be."""

    length: timedelta


@dataclass(frozen=True)
class Layout:
    """All in one panel, or one panel each."""

    is_stacked: bool


@dataclass(frozen=True)
class Compare:
    """Several spacecraft are compared."""


@dataclass(frozen=True)
class Unclear:
    """Words with two meanings; each option may stand in their place."""

    question: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Filler:
    """Words that change nothing."""


Meaning = Mission | Dataset | Measured | Shape | Frame | Smoothing | Averaging | Cadence | Layout | Compare | Unclear | Filler
