"""A file in which variables that the archive computes are there as if they were stored. What functions do is `functions`'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.cdf.functions import ALTERNATE_VIEW, Computation, Parts, plan
from helio_dagster.archives.cdf.raw import Pieces, RawFile, RawVariable
from helio_dagster.archives.cdf.virtual_parts import components, function_of
from helio_dagster.domain.table import Times

_DEEPEST = 4
"""Computed variables that may be made of one another."""


@dataclass(frozen=True)
class WithVirtual:
    """A file whose virtual variables of known functions have records, and no function any more."""

    file: RawFile
    depth: int = 0

    @property
    def names(self) -> Sequence[str]:
        """The variables' names, in file order."""
        return self.file.names

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable; a computed one has the records of what it is computed from."""
        found = self._plan(name)
        return found.variable if isinstance(found, Computation) else self.file.variable(name)

    def why_not(self, name: str) -> str:
        """Why a variable of a known function cannot be computed; empty where it can, and where the function is not known."""
        found = self._plan(name)
        return "" if isinstance(found, Computation) else found

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, stored or computed, shape (record, *shape)."""
        found = self._plan(name)
        if not isinstance(found, Computation):
            return self.file.numbers(name)
        return found.make(self._within.numbers(found.source.name), 0)

    def pieces(self, name: str) -> Pieces | None:
        """Values of a number variable some records at a time."""
        found = self._plan(name)
        if not isinstance(found, Computation):
            return self.file.pieces(name)
        source = self._within.pieces(found.source.name)
        if source is None:
            return None
        dtype = found.make(np.empty((0, *found.source.shape), source.dtype), 0).dtype
        return Pieces(dtype, _made(found, source.values))

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

    @property
    def _within(self) -> WithVirtual:
        return WithVirtual(self.file, self.depth + 1)

    def _plan(self, name: str) -> Computation | str:
        variable = self.file.variable(name)
        if not function_of(variable):
            return ""
        if self.depth > _DEEPEST:
            return "it is computed from variables that are computed in turn, too many of them"
        return plan(variable, Parts(self._component, self._within.numbers))

    def _component(self, name: str) -> RawVariable | None:
        """What a function takes: a variable with its values, also where it is another view of one."""
        for _ in range(_DEEPEST):
            if name not in self.file.names:
                return None
            variable = self._within.variable(name)
            if function_of(variable) != ALTERNATE_VIEW or not components(variable):
                return variable if not function_of(variable) else None
            name = components(variable)[0]
        return None


def _made(found: Computation, values: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    first = 0
    for piece in values:
        yield found.make(piece, first)
        first += len(piece)
