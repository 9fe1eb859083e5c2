"""Variables of a CDF file as any reading library gives them, and pycdfpp's. What attributes mean belongs to `decode`.

Native code: only a worker process may import pycdfpp on an archive's file, after `check_header`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import pycdfpp
from numpy.typing import NDArray

from helio_dagster.domain.table import Times

Attribute = str | list[int | float]
"""A text, or the numbers of a numeric entry."""

SEVERAL_TEXTS = "\\N "
"""What stands between the texts of an attribute entry that holds several."""

ValueType = Literal["number", "text", "epoch", "epoch16", "tt2000"]


@dataclass(frozen=True)
class RawVariable:
    """One variable's definition.

    `shape` is one record's, without axes of length one and without the length of texts; `axes` are the numbers that
    `DEPEND_i` and `LABL_PTR_i` give to the axes left, counted from 1. `records` counts those written. `is_varying` tells
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


class RawFile(Protocol):
    """An opened CDF file; any call may raise ValueError or another error of the library on a damaged file."""

    @property
    def names(self) -> Sequence[str]:
        """The variables' names, in file order."""

    def variable(self, name: str) -> RawVariable:
        """The definition of a variable."""

    def numbers(self, name: str) -> NDArray[Any]:
        """Values of a number variable in its own dtype, native byte order, shape (record, *shape); may be read-only."""

    def times(self, name: str) -> Times:
        """Values of a time variable, shape (record,); NaT for fill values and what 64-bit nanoseconds cannot hold."""

    def texts(self, name: str) -> list[str]:
        """The texts of a text variable's first record, in order."""

    def global_text(self, attribute: str) -> str:
        """First entry of a global attribute, empty where absent or no text."""

    def global_texts(self) -> Mapping[str, list[str]]:
        """The entries of all global attributes that are text, in order."""


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
    """A file opened with pycdfpp, values decoded when asked for."""

    def __init__(self, path: Path) -> None:
        self._cdf = pycdfpp.load(str(path))
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

    def times(self, name: str) -> Times:
        """Values of a time variable, shape (record,)."""
        raw = self._cdf[name]
        if not raw.shape[0]:
            return np.empty(0, dtype="datetime64[ns]")
        times: Times = pycdfpp.to_datetime64(raw)
        return times.reshape(raw.shape[0])

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


def without_ones(shape: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A record's shape without axes of length one, and the numbers of the axes left, counted from 1."""
    kept = [(int(size), number) for number, size in enumerate(shape, start=1) if size != 1]
    return tuple(size for size, _ in kept), tuple(number for _, number in kept)


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
