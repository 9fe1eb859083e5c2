"""A data file together with its dataset's master, which defines what the archive computes and no file holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import Pieces, RawFile, RawVariable
from helio_dagster.archives.cdf.virtual_parts import function_of
from helio_dagster.domain.table import Times


@dataclass(frozen=True)
class WithMaster:
    """The variables of a file, and of its master those that the file lacks: computed ones, and constants such as labels.

    What a master defines beside these has no values anywhere. Where both have a variable, the file's counts.
    """

    file: RawFile
    master: RawFile

    @cached_property
    def names(self) -> Sequence[str]:
        """The file's names in file order, then those of the master alone."""
        return [*self.file.names, *(name for name in self._added)]

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""
        return self._holder(name).variable(name)

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, shape (record, *shape)."""
        return self._holder(name).numbers(name)

    def pieces(self, name: str) -> Pieces | None:
        """Values of a number variable some records at a time."""
        return self._holder(name).pieces(name)

    def times(self, name: str) -> Times:
        """Values of a time variable, `datetime64[ns]`, shape (record,)."""
        return self._holder(name).times(name)

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values as the library decodes them; see `RawFile.decoded`."""
        return self._holder(name).decoded(name)

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record."""
        return self._holder(name).texts(name)

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute of the file."""
        return self.file.global_text(attribute)

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes of the file that are text."""
        return self.file.global_texts()

    @cached_property
    def _added(self) -> dict[str, RawVariable]:
        held = set(self.file.names)
        found = {name: self.master.variable(name) for name in self.master.names if name not in held}
        return {name: each for name, each in found.items() if function_of(each) or (each.records and not each.is_varying)}

    def _holder(self, name: str) -> RawFile:
        return self.master if name in self._added else self.file
