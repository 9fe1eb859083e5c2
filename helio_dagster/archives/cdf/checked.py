"""Open a file for a reader that trusts it: the walk and the MD5 first, then the checksums of each variable that is read.

Only what is asked for is compared: a file may hold a hundred variables of which one is needed.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from helio_dagster.archives.cdf.checksums import check_md5, check_values, expand_file, is_whole_compressed
from helio_dagster.archives.cdf.pieces import read_pieces
from helio_dagster.archives.cdf.raw import Pieces, RawFile, RawVariable
from helio_dagster.archives.cdf.structure import Structure, walk
from helio_dagster.domain.table import Times

_SANE_EXPANSION = 64
_ALWAYS_ALLOWED = 64 << 20

Open = Callable[[Path | bytes], RawFile]
"""Opens a file by its path, or by its bytes where it was compressed as a whole."""


@dataclass
class CheckedFile:
    """A `RawFile` that hands out no values but those that agree with their checksums."""

    structure: Structure
    file: RawFile
    names: Sequence[str]
    _checked: set[str] = field(default_factory=set)

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""
        return self.file.variable(name)

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, shape (record, *shape)."""
        self._check(name)
        return self.file.numbers(name)

    def pieces(self, name: str) -> Pieces | None:
        """Values of a number variable some records at a time, compared with their checksums on the way."""
        stored = self.structure.variables.get(name)
        return read_pieces(self.structure, stored, self.variable(name).shape) if stored is not None else None

    def times(self, name: str) -> Times:
        """Values of a time variable, `datetime64[ns]`, shape (record,)."""
        self._check(name)
        return self.file.times(name)

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values as the library decodes them; see `RawFile.decoded`."""
        self._check(name)
        return self.file.decoded(name)

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record."""
        self._check(name)
        return self.file.texts(name)

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute, empty where absent or no text."""
        return self.file.global_text(attribute)

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text, in order."""
        return self.file.global_texts()

    def _check(self, name: str) -> None:
        if name not in self._checked:
            known = self.structure.variables
            for variable in [known[name]] if name in known else known.values():  # a library may spell a name in its own way
                check_values(self.structure, variable, lambda: self.file.decoded(name))
            self._checked.add(name)


def open_checked(path: Path, open_file: Open, allow: Callable[[int], None]) -> CheckedFile:
    """Open a file once it is known to agree with itself.

    Parameters
    ----------
    path
        A file that `check_header` has passed.
    open_file
        The library's way.
    allow
        Called with how many bytes the file's content and values can sanely take, before the library may allocate any.

    Raises
    ------
    CorruptFile
        The file contradicts itself or its MD5.
    InputError
        It is sound but cannot be read here.
    """
    with path.open("rb") as stream:
        stored = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    is_compressed = is_whole_compressed(stored)
    content = expand_file(stored) if is_compressed else stored
    structure = walk(content)
    check_md5(stored, structure.flags)
    allow(len(content) + min(structure.declared_bytes, max(_ALWAYS_ALLOWED, _SANE_EXPANSION * len(stored))))
    file = open_file(content if isinstance(content, bytes) else path)
    return CheckedFile(structure, file, list(file.names))
