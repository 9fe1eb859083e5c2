"""Variables of a CDF file as any reading library gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Times

Attribute = str | list[int | float]
"""A text, or the numbers of a numeric entry."""

SEVERAL_TEXTS = "\\N "
"""What separates the texts of an attribute entry that holds several."""

ValueType = Literal["number", "text", "epoch", "epoch16", "tt2000"]


@dataclass(frozen=True)
class RawVariable:
    """One variable's definition.

    `shape` is one record's, without axes of length one and without the length of texts; `axes` are the numbers that
    `DEPEND_i` and `LABL_PTR_i` give to the axes left, counted from 1. `records` counts those written. `is_varying` says
    record-varying variables from those that hold one record for the whole file (NRV).
    """

    name: str
    type: ValueType
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    records: int
    is_varying: bool
    attributes: Mapping[str, Attribute]
    is_integer: bool = False

    @property
    def is_time(self) -> bool:
        """Whether its values are one of the three CDF time types."""
        return self.type in ("epoch", "epoch16", "tt2000")

    @property
    def width(self) -> int:
        """Values in one record."""
        return int(np.prod(self.shape, dtype=np.int64))

    def text(self, attribute: str) -> str:
        """A text attribute without surrounding white space; empty where absent, blank or a number."""
        value = self.attributes.get(attribute, "")
        return value.strip() if isinstance(value, str) else ""


@dataclass(frozen=True)
class Pieces:
    """Numbers of a variable, in the order of its records.

    `dtype` is their type in native byte order; each piece has the shape (record, *shape).
    """

    dtype: np.dtype[Any]
    values: Iterator[NDArray[Any]]


class RawFile(Protocol):
    """An opened CDF file; any call may raise ValueError or another error of the library on a damaged file."""

    @property
    def names(self) -> Sequence[str]:
        """The variables' names, in file order."""

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable in its own dtype, native byte order, shape (record, *shape); may be read-only."""

    def pieces(self, name: str) -> Pieces | None:
        """Values of a number variable some records at a time; None where they are only to be had all at once."""

    def times(self, name: str) -> Times:
        """Values of a time variable, shape (record,); NaT for fill values and what 64-bit nanoseconds cannot hold."""

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values of any variable in the shape and native dtype in which the library decodes them, or None."""

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record, in order."""

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute, empty where absent or no text."""

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text, in order."""


def without_ones(shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A record's shape without axes of length one, and the numbers of the axes left, counted from 1."""
    kept = [(int(size), number) for number, size in enumerate(shape, start=1) if size != 1]
    return tuple(size for size, _ in kept), tuple(number for _, number in kept)
