"""Variables that no file stores, but names with the function that computes them from others: those that are one bin of an axis.

What a function means follows from CDAWeb's masters: `arr_slice` takes the bin ARR_INDEX of the axis ARR_DIM of COMPONENT_0,
both counted from 0 (of FA_ESA_L2_EEB, dimension 1 of 64 x 96 values leaves 64). `alternate_view` is `decode`'s matter, computed
epochs are `epochs`'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import Pieces, RawFile, RawVariable
from helio_dagster.domain.table import Times

ARR_SLICE = "arr_slice"


@dataclass(frozen=True)
class WithSlices:
    """A file in which variables of the function `arr_slice` are there as if they were stored."""

    file: RawFile

    @property
    def names(self) -> Sequence[str]:
        """The variables' names, in file order."""
        return self.file.names

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable; a slice has the records of what it is a slice of, and no function any more."""
        variable = self.file.variable(name)
        found = self._slice(variable)
        if found is None:
            return variable
        source, place, _ = found
        attributes = {key: value for key, value in variable.attributes.items() if key not in ("FUNCT", "VIRTUAL")}
        kept = [each for each in range(len(source.shape)) if each != place]
        shape, axes = tuple(source.shape[each] for each in kept), tuple(range(1, len(kept) + 1))
        return replace(variable, shape=shape, axes=axes, records=source.records, attributes=attributes)

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, or its slice of another, shape (record, *shape)."""
        found = self._slice(self.file.variable(name))
        if found is None:
            return self.file.numbers(name)
        source, place, index = found
        values: NDArray[Any] = np.take(self.file.numbers(source.name), index, axis=place + 1)
        return values

    def pieces(self, name: str) -> Pieces | None:
        """Values of a number variable some records at a time."""
        return self.file.pieces(name) if self._slice(self.file.variable(name)) is None else None

    def times(self, name: str) -> Times:
        """Values of a time variable, `datetime64[ns]`, shape (record,)."""
        return self.file.times(name)

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values as the library decodes them; see `RawFile.decoded`."""
        return self.file.decoded(name)

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record."""
        return self.file.texts(name)

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute."""
        return self.file.global_text(attribute)

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text."""
        return self.file.global_texts()

    def _slice(self, variable: RawVariable) -> tuple[RawVariable, int, int] | None:
        """What a variable is a slice of, along which axis, at which bin; None of any other, or where they do not fit."""
        if variable.text("FUNCT").casefold() != ARR_SLICE or variable.records:
            return None
        place, index = (_whole(variable, name) for name in ("ARR_DIM", "ARR_INDEX"))
        component = variable.text("COMPONENT_0")
        if place is None or index is None or component not in self.file.names:
            return None
        source = self.file.variable(component)
        fits = source.type == "number" and place < len(source.shape) and index < source.shape[place]
        left = tuple(size for each, size in enumerate(source.shape) if each != place)
        return (source, place, index) if fits and left == variable.shape else None


def _whole(variable: RawVariable, attribute: str) -> int | None:
    """A whole number from 0 on that an attribute holds, as a number or a text."""
    given = variable.attributes.get(attribute)
    first = given if isinstance(given, str) else next(iter(given), None) if given is not None else None
    try:
        value = float(first) if first is not None else -1.0
    except ValueError:
        return None
    return int(value) if value >= 0 and value == int(value) else None
