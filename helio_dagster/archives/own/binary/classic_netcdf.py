"""netCDF files of the classic formats (CDF-1 and CDF-2), mapped into memory. Loaded only by the worker."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.io import netcdf_file

from helio_dagster.archives.own.binary.attributes import bins_of, meaning_of, plain
from helio_dagster.archives.own.binary.seen import MOST_COLUMNS, Fault, Seen


class ClassicContents:
    """A classic netCDF file: its variables of one or two dimensions.

    Parameters
    ----------
    path
        The file.
    fault
        Makes errors.
    """

    def __init__(self, path: Path, fault: Fault) -> None:
        self._file = netcdf_file(path, "r", mmap=True, maskandscale=False)
        self._columns: dict[str, Seen] = {}
        size = path.stat().st_size
        for name, variable in self._file.variables.items():
            shape, dtype = variable.data.shape, variable.data.dtype
            if math.prod(shape) * dtype.itemsize > size:
                raise fault(f"{name!r} claims more values than the file's {size:,} bytes can hold", "Copy the file again.")
            if dtype.kind not in "fiu" or not 0 < len(shape) <= 2 or not shape[0]:
                continue
            width = 1 if len(shape) == 1 else shape[1]
            if not 0 < width <= MOST_COLUMNS:
                continue
            given = {key: plain(value) for key, value in _attributes(variable).items()}
            if str(given.get("_Unsigned", "")).casefold() == "true" and dtype.kind == "i":
                dtype = np.dtype(f"u{dtype.itemsize}")
            axis = str(variable.dimensions[0])
            along = self._bins(variable.dimensions[1], width) if width > 1 else {}
            self._columns[name] = Seen(
                name=name, kind="number", records=shape[0], width=width, axis=axis, **along, **meaning_of(given, dtype)
            )

    def _bins(self, dimension: str, width: int) -> dict[str, Any]:
        """The numbers along a dimension, where a variable of its name has them."""
        along = self._file.variables.get(dimension)
        if along is None or along.data.shape != (width,) or along.data.dtype.kind not in "fiu":
            return {}
        given = {key: plain(value) for key, value in _attributes(along).items()}
        return bins_of(dimension, np.array(along.data, dtype=np.float64), given)

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name."""
        return self._columns

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:
        """Some records of a column; see `Contents.read`."""
        variable = self._file.variables[seen.name]
        data = variable.data
        raw = np.array(data[start:stop] if data.ndim == 1 else data[start:stop, component])  # a copy: the map may go
        native = raw.astype(raw.dtype.newbyteorder("="))
        if str(plain(_attributes(variable).get("_Unsigned", ""))).casefold() == "true":
            return native.view(f"u{native.dtype.itemsize}")
        return native

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _attributes(variable: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = variable._attributes  # without those of Python, which `__dict__` has too
    return found
