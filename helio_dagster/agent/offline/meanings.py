"""What words of a request can mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from helio_dagster.catalog.choice.quantities import Species
from helio_dagster.domain.catalog_entry import Quantity

ShapeName = Literal["vector", "magnitude", "both"]
BinMethod = Literal["mean", "median", "min", "max", "std", "sum", "count"]


@dataclass(frozen=True)
class Mission:
    """A spacecraft or data collection, by its name in the catalog; `member` is the number of one of a series, as of GOES.

    `note` says what was assumed in reading the name.
    """

    name: str
    member: str = ""
    note: str = ""


@dataclass(frozen=True)
class Dataset:
    """A dataset by its id."""

    name: str


@dataclass(frozen=True)
class Measured:
    """Quantities asked for; `shape` and `axis` where the word itself says them, as in |B| and Bz.

    `parameter` is the archive's name of one, of `dataset`, where the request says just that.
    """

    quantities: tuple[Quantity, ...]
    shape: ShapeName | None = None
    axis: str | None = None
    species: Species = ""
    dataset: str | None = None
    parameter: str | None = None


@dataclass(frozen=True)
class Derived:
    """A quantity that an operation computes from others of the same mission.

    Parameters
    ----------
    operation
        Its id.
    words
        How it is called.
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
class Transform:
    """An operation on each curve; `options` are those that the words name, `words` how it is called in a title."""

    operation: str
    words: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Length:
    """A length of time that belongs to the operation beside it; `role` says as what: window, bin or segment."""

    role: str
    length: timedelta


@dataclass(frozen=True)
class Pairing:
    """An operation of two curves, the first mentioned being `a`."""

    operation: Literal["difference", "ratio", "rolling_correlation", "angle_between"]


@dataclass(frozen=True)
class Instrument:
    """An instrument, as it stands in dataset ids."""

    name: str


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
    """Means, or other statistics, over fixed bins."""

    length: timedelta
    method: BinMethod


@dataclass(frozen=True)
class Statistic:
    """A statistic of stretches of time that are named elsewhere, if at all."""

    method: BinMethod


@dataclass(frozen=True)
class Per:
    """Stretches of time of which each gives one value."""

    length: timedelta


@dataclass(frozen=True)
class Unit:
    """A unit that is wanted, in its printed form."""

    unit: str


@dataclass(frozen=True)
class Radial:
    """The direction from the Sun, or to it: what an angle is taken to."""


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
    """Words with two meanings, or for what is not made; each option may stand in their place, an empty one leaves them out.

    Of data that nobody has is asked before anything else: `is_first`.
    """

    question: str
    options: tuple[str, ...]
    is_first: bool = False


@dataclass(frozen=True)
class Filler:
    """Words that change nothing; `note` says what was assumed in reading them so."""

    note: str = ""


Meaning = (
    Mission
    | Dataset
    | Instrument
    | Measured
    | Derived
    | Shape
    | Frame
    | Smoothing
    | Averaging
    | Statistic
    | Per
    | Unit
    | Radial
    | Cadence
    | Transform
    | Length
    | Pairing
    | Layout
    | Compare
    | Unclear
    | Filler
)
