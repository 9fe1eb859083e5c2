"""The same variables through cdflib: pure Python, slow, and safe where the fast reader crashes on a damaged file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cdflib
import numpy as np
import pycdfpp
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import Attribute, Pieces, RawVariable, ValueType, without_ones
from helio_dagster.archives.cdf.worker import serve
from helio_dagster.domain.table import Times

_TYPES: Mapping[int, ValueType] = {51: "text", 52: "text", 31: "epoch", 32: "epoch16", 33: "tt2000"}
_INTEGERS = (1, 2, 4, 8, 11, 12, 14, 41)


class CdflibFile:
    """A file opened with cdflib, by its path or its bytes; gives what `PycdfppFile` gives."""

    def __init__(self, source: Path | bytes) -> None:
        self._cdf = _open(source)
        info = self._cdf.cdf_info()
        self.names: Sequence[str] = [*info.rVariables, *info.zVariables]
        self._global_attributes = self._cdf.globalattsget()

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""
        raw = self._cdf.varinq(name)
        shape = [size for size, is_varying in zip(raw.Dim_Sizes, raw.Dim_Vary, strict=False) if is_varying]
        attributes = {key: _plain(value) for key, value in self._cdf.varattsget(name).items() if value is not None}
        value_type = _TYPES.get(raw.Data_Type, "number")
        is_integer = raw.Data_Type in _INTEGERS
        return RawVariable(name, value_type, *without_ones(shape), raw.Last_Rec + 1, bool(raw.Rec_Vary), attributes, is_integer)

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, shape (record, *shape)."""
        variable = self.variable(name)
        values = np.asarray(self._cdf.varget(name))
        return values.reshape(variable.records if variable.is_varying else min(variable.records, 1), *variable.shape)

    def pieces(self, name: str) -> Pieces | None:
        """None: the library reads all records at once."""
        del name
        return None

    def times(self, name: str) -> Times:
        """Values of a time variable, shape (record,)."""
        variable = self.variable(name)
        values = np.ascontiguousarray(np.asarray(self._cdf.varget(name)).reshape(-1))
        if not variable.records:
            return np.empty(0, dtype="datetime64[ns]")
        fields = {"epoch": [("mseconds", "<f8")], "epoch16": [("seconds", "<f8"), ("picoseconds", "<f8")]}
        stamps = values.view(np.dtype(fields.get(variable.type, [("nseconds", "<i8")])))
        times: Times = pycdfpp.to_datetime64(stamps)
        return times.reshape(variable.records)

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values of a time variable; of others None, since cdflib decodes again each time. See `RawFile.decoded`."""
        return np.asarray(self._cdf.varget(name)) if self.variable(name).is_time else None

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record."""
        variable = self.variable(name)
        if not variable.records:
            return []
        values = np.asarray(self._cdf.varget(name, startrec=0, endrec=0))
        return [str(text) for text in values.reshape(-1)]

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute, empty where absent or no text."""
        entries = self._global_attributes.get(attribute, [])
        return str(entries[0]).strip() if entries and isinstance(entries[0], str) else ""

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text, in order."""
        given = self._global_attributes.items()
        return {name: [entry for entry in entries if isinstance(entry, str)] for name, entries in given}


def _open(source: Path | bytes) -> cdflib.CDF:
    """The file in cdflib, which takes only paths, but keeps a file open: a copy needs no name once it is opened."""
    if isinstance(source, Path):
        return cdflib.CDF(str(source), string_encoding="utf-8")
    with TemporaryDirectory(prefix="helio-cdf-") as folder:
        path = Path(folder, "plain.cdf")
        path.write_bytes(source)
        return cdflib.CDF(str(path), string_encoding="utf-8")


def _plain(value: Any) -> Attribute:
    if isinstance(value, str):
        return value
    numbers = np.atleast_1d(np.asarray(value))
    if numbers.dtype.kind == "c":
        return [float(entry.real + entry.imag * 1e-12) for entry in numbers]
    plain: list[int | float] = numbers.tolist()
    return plain


if __name__ == "__main__":
    serve(CdflibFile)
