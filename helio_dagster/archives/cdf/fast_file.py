"""The variables of a CDF file through pycdfpp: native code, fast, and trusting. Only the worker process may import it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pycdfpp
from numpy.typing import NDArray

from helio_dagster.archives.cdf.raw import Attribute, Pieces, RawVariable, ValueType, without_ones
from helio_dagster.domain.table import Times

_TYPES: Mapping[pycdfpp.DataType, ValueType] = {
    pycdfpp.DataType.CDF_CHAR: "text",
    pycdfpp.DataType.CDF_UCHAR: "text",
    pycdfpp.DataType.CDF_EPOCH: "epoch",
    pycdfpp.DataType.CDF_EPOCH16: "epoch16",
    pycdfpp.DataType.CDF_TIME_TT2000: "tt2000",
}

_INTEGERS = (
    *(pycdfpp.DataType.CDF_INT1, pycdfpp.DataType.CDF_INT2, pycdfpp.DataType.CDF_INT4, pycdfpp.DataType.CDF_INT8),
    *(pycdfpp.DataType.CDF_UINT1, pycdfpp.DataType.CDF_UINT2, pycdfpp.DataType.CDF_UINT4, pycdfpp.DataType.CDF_BYTE),
)


class PycdfppFile:
    """A file opened with pycdfpp, by its path or its bytes; values decoded when asked for."""

    def __init__(self, source: Path | bytes) -> None:
        self._cdf = pycdfpp.load(str(source) if isinstance(source, Path) else source)
        self.names: Sequence[str] = list(self._cdf.keys())

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""
        raw = self._cdf[name]
        value_type = _TYPES.get(raw.type, "number")
        shape = tuple(raw.shape)
        inner = shape[1:-1] if value_type == "text" else shape[1:]
        attributes = {key: _plain(attribute.value) for key, attribute in raw.attributes.items()}
        is_integer = raw.type in _INTEGERS
        return RawVariable(name, value_type, *without_ones(inner), shape[0], not raw.is_nrv, attributes, is_integer)

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable, shape (record, *shape)."""
        values: NDArray[Any] = self._cdf[name].values
        return values.reshape(len(values), *without_ones(values.shape[1:])[0])

    def pieces(self, name: str) -> Pieces | None:
        """None: the library reads all records at once."""
        del name
        return None

    def times(self, name: str) -> Times:
        """Values of a time variable, shape (record,)."""
        raw = self._cdf[name]
        if not raw.shape[0]:
            return np.empty(0, dtype="datetime64[ns]")
        times: Times = pycdfpp.to_datetime64(raw)
        return times.reshape(raw.shape[0])

    def decoded(self, name: str) -> NDArray[Any] | None:
        """Values as the library decodes and keeps them; see `RawFile.decoded`."""
        values: NDArray[Any] = self._cdf[name].values
        return values

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record."""
        values = self._cdf[name].values_encoded
        return [str(text) for text in np.asarray(values[0]).reshape(-1)] if len(values) else []

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute, empty where absent or no text."""
        entries = list(self._cdf.attributes[attribute]) if attribute in self._cdf.attributes else []
        first = entries[0] if entries else ""
        return first.strip() if isinstance(first, str) else ""

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text, in order."""
        given = self._cdf.attributes
        return {name: [entry for entry in given[name] if isinstance(entry, str)] for name in given}


def _plain(value: str | list[Any]) -> Attribute:
    """An attribute's value free of pycdfpp's types; times as the number the file holds."""
    if isinstance(value, str):
        return value
    return [_plain_number(entry) for entry in value]


def _plain_number(entry: Any) -> Any:
    if isinstance(entry, pycdfpp.tt2000_t):
        return entry.nseconds
    if isinstance(entry, pycdfpp.epoch):
        return entry.mseconds
    if isinstance(entry, pycdfpp.epoch16):
        return entry.seconds + entry.picoseconds * 1e-12
    return entry
