"""HDF5 files and netCDF-4 files, which are such: datasets of equal length with a time. Loaded only by the worker.

Nothing outside the file is opened: external links, external storage and virtual datasets are refused or left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.own.binary.attributes import bins_of, meaning_of, plain
from helio_dagster.archives.own.binary.seen import MOST_COLUMNS, Fault, Seen

_DEEPEST = 16
_BARE_DIMENSION = "This is a netCDF dimension but not a netCDF variable"
_MOST_OBJECTS = 20_000
_MOST_ATTRIBUTES = 200
_LONGEST_TEXT = 1024
_LARGEST_CHUNK = 256 << 20
_MOST_EXPANSION = 1100  # what deflate can do
_ALWAYS_ALLOWED = 64 << 20


class Hdf5Contents:
    """An HDF5 file. Fields of a compound dataset are columns of its name and theirs, with a slash between.

    Parameters
    ----------
    path
        The file.
    fault
        Makes errors.

    Raises
    ------
    OwnFileError
        It is nested too deeply, or holds too many objects.
    """

    def __init__(self, path: Path, fault: Fault) -> None:
        self._fault = fault
        self._file = h5py.File(path, "r", locking=False)
        self._datasets: dict[str, tuple[h5py.Dataset, str]] = {}
        self._columns: dict[str, Seen] = {}
        for name, dataset in self._walk():
            for seen, field in _seen(name, dataset):
                self._columns[seen.name] = seen.model_copy(update=self._bins(dataset)) if seen.width > 1 else seen
                self._datasets[seen.name] = dataset, field
            if len(self._columns) > MOST_COLUMNS:
                raise fault(f"it has more than {MOST_COLUMNS} columns", "Write those that you need into a file of their own.")

    @property
    def columns(self) -> Mapping[str, Seen]:
        """Its columns by name."""
        return self._columns

    def read(self, seen: Seen, component: int, start: int, stop: int) -> NDArray[Any]:
        """Some records of a column; see `Contents.read`."""
        dataset, field = self._datasets[seen.name]
        self._require_sane(seen.name, dataset)
        source = dataset.fields(field) if field else dataset
        raw = source[start:stop] if dataset.ndim == 1 else source[start:stop, component]
        if seen.kind == "text":
            return np.array([_text(each) for each in raw], dtype=object)
        if str(plain(dataset.attrs.get("_Unsigned")) if "_Unsigned" in dataset.attrs else "").casefold() == "true":
            return np.ascontiguousarray(raw).view(f"u{raw.dtype.itemsize}")
        return np.asarray(raw)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _bins(self, dataset: h5py.Dataset) -> dict[str, Any]:
        """The numbers of the dimension scale along the second axis."""
        try:
            along = dataset.dims[1][0]
        except (KeyError, RuntimeError, ValueError, IndexError, TypeError, AttributeError):
            return {}
        is_inside = not (along.is_virtual or along.external or _is_bare_dimension(along))
        if not is_inside or along.shape != dataset.shape[1:] or along.dtype.kind not in "fiu":
            return {}
        self._require_sane(str(along.name), along)
        return bins_of(str(along.name), np.asarray(along[:], dtype=np.float64), _attributes(along))

    def _walk(self) -> Iterator[tuple[str, h5py.Dataset]]:
        """All datasets that are inside the file, by path; each once."""
        waiting: list[tuple[str, Any, int]] = [("", self._file, 0)]
        visited: set[Any] = set()
        count = 0
        while waiting:
            path, group, depth = waiting.pop(0)
            for name in group:
                count += 1
                if count > _MOST_OBJECTS or depth > _DEEPEST:
                    what = (
                        f"more than {_MOST_OBJECTS} objects" if count > _MOST_OBJECTS else f"groups nested over {_DEEPEST} deep"
                    )
                    raise self._fault(f"it holds {what}", "Write the columns that you need into a file of their own.")
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    continue
                item = group[name]
                address = h5py.h5o.get_info(item.id).addr
                if address in visited:
                    continue
                visited.add(address)
                place = f"{path}/{name}" if path else name
                if isinstance(item, h5py.Group):
                    waiting.append((place, item, depth + 1))
                elif isinstance(item, h5py.Dataset) and not (item.is_virtual or item.external or _is_bare_dimension(item)):
                    yield place, item

    def _require_sane(self, name: str, dataset: h5py.Dataset) -> None:
        chunk = math.prod(dataset.chunks or (0,)) * dataset.dtype.itemsize
        if chunk > _LARGEST_CHUNK:
            problem = f"{name!r} is stored in chunks of {chunk:,} bytes, each of which would have to be held in memory"
            raise self._fault(problem, "Write it with smaller chunks, as `h5repack -l CHUNK=1440` does.")
        held, claimed = dataset.id.get_storage_size(), dataset.size * dataset.dtype.itemsize
        if claimed > _ALWAYS_ALLOWED + _MOST_EXPANSION * held:
            problem = f"{name!r} claims {claimed:,} bytes of values and stores {held:,}, which cannot hold them"
            raise self._fault(problem, "The file is damaged, or most of it was never written. Write it again.")


def _seen(name: str, dataset: h5py.Dataset) -> list[tuple[Seen, str]]:
    """The columns of a dataset, with the field of each; none where it is not a column."""
    if dataset.ndim not in (1, 2) or not dataset.shape[0]:
        return []
    if dataset.dtype.names is None:
        found = _one(name, dataset, dataset.dtype, _attributes(dataset))
        return [(found, "")] if found is not None else []
    if dataset.ndim != 1:
        return []
    fields = [(each, _one(f"{name}/{each}", dataset, dataset.dtype[each], {})) for each in dataset.dtype.names]
    return [(found, each) for each, found in fields if found is not None]


def _one(name: str, dataset: h5py.Dataset, dtype: np.dtype[Any], attributes: Mapping[str, Any]) -> Seen | None:
    is_text = h5py.check_string_dtype(dtype) is not None
    width = 1 if dataset.ndim == 1 else int(dataset.shape[1])
    if not (dtype.kind in "fiu" or is_text) or not 0 < width <= MOST_COLUMNS or dtype.shape:
        return None
    if is_text and (dtype.itemsize > _LONGEST_TEXT or dataset.ndim != 1):
        return None
    if str(attributes.get("_Unsigned", "")).casefold() == "true" and dtype.kind == "i":
        dtype = np.dtype(f"u{dtype.itemsize}")
    kind = "text" if is_text else "number"
    records = int(dataset.shape[0])
    return Seen(name=name, kind=kind, records=records, width=width, axis=_axis(dataset), **meaning_of(attributes, dtype))


def _attributes(dataset: h5py.Dataset) -> dict[str, Any]:
    found = {}
    for name in list(dataset.attrs)[:_MOST_ATTRIBUTES]:
        try:
            found[name] = plain(dataset.attrs[name])
        except (OSError, TypeError, ValueError, RuntimeError):  # of a type that has no place in numpy
            continue
    return found


def _is_bare_dimension(dataset: h5py.Dataset) -> bool:
    """Whether it only stands for a dimension of netCDF that has no variable."""
    return str(plain(dataset.attrs.get("NAME", ""))).startswith(_BARE_DIMENSION)


def _axis(dataset: h5py.Dataset) -> str:
    """The dimension scale of the records."""
    if dataset.is_scale:
        return str(dataset.name).lstrip("/")
    try:
        return str(dataset.dims[0][0].name).lstrip("/")
    except (KeyError, RuntimeError, ValueError, IndexError, TypeError, AttributeError):
        return ""


def _text(value: Any) -> str:
    return value.decode("utf-8", errors="replace").strip("\0 ") if isinstance(value, bytes) else str(value).strip("\0 ")
