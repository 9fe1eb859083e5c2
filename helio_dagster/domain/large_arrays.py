"""Arrays larger than memory should hold: they are in a temporary file without a name, which the system pages in and out.

They are plain numpy arrays. Whoever goes through one a block at a time gives each block back with `release`; its values stay.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from helio_dagster.domain.errors import StorageError

MOST_HELD_BYTES = 64 * 2**20
"""Bytes of an array that is kept in memory; larger ones are in a file."""
_BLOCK_BYTES = 16 * 2**20


def new_array(shape: Sequence[int], dtype: DTypeLike, *, most_held: int = MOST_HELD_BYTES) -> NDArray[Any]:
    """An array to be filled, in memory up to `most_held` bytes, else in a temporary file that goes with it.

    Parameters
    ----------
    shape, dtype
        As of `numpy.empty`; no objects.
    most_held
        Bytes up to which it is in memory.

    Returns
    -------
    ndarray
        Of this shape and dtype; what it holds is not defined.

    Raises
    ------
    StorageError
        The folder for temporary files has no room for it.
    """
    kind = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if size <= most_held:
        return np.empty(shape, kind)
    folder = tempfile.gettempdir()
    try:
        with tempfile.TemporaryFile(prefix="helio-array-") as file:
            _reserve(file.fileno(), size)
            mapped = mmap.mmap(file.fileno(), size)
    except OSError as error:
        problem = f"there is no room for {size / 2**20:.0f} MiB of values in the folder of temporary files"
        hint = "Free some space there, or set TMPDIR to a folder on a larger disk."
        raise StorageError(f"{problem}: {error.strerror}", where=folder, hint=hint) from error
    return np.frombuffer(mapped, kind).reshape(shape)


def record_blocks(values: NDArray[Any], block_bytes: int = _BLOCK_BYTES) -> Iterator[slice]:
    """Slices over the first axis of an array of shape (record, ...), of about so many bytes each.

    What of the array is in a file is given back to the system after each.
    """
    step = max(1, block_bytes // max(1, values[:1].nbytes))
    for first in range(0, len(values), step):
        block = slice(first, min(first + step, len(values)))
        try:
            yield block
        finally:
            release(values[block])


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Arrays of one type one after the other, along their first axis; as `numpy.concatenate` where they are small."""
    size = sum(part.nbytes for part in parts)
    if size <= MOST_HELD_BYTES or any(part.dtype != parts[0].dtype for part in parts):
        return np.concatenate(parts)
    found = new_array((sum(map(len, parts)), *parts[0].shape[1:]), parts[0].dtype)
    place = 0
    for part in parts:
        copy_into(found[place : place + len(part)], part)
        place += len(part)
    return found


def taken(values: NDArray[Any], places: NDArray[np.intp]) -> NDArray[Any]:
    """The records at some places, shape (place,), of an array of shape (record, ...): shape (place, ...), in their order."""
    found = new_array((len(places), *values.shape[1:]), values.dtype) if is_plain(values) else values[places]
    if is_plain(values):
        for block in record_blocks(found):
            found[block] = values[places[block]]
        release(values)
    return found


def put_aside(values: NDArray[Any]) -> NDArray[Any]:
    """The same values, of the same shape, in a file where they are records of several values each.

    For parts of what will be large.
    """
    if values.ndim == 1 or not is_plain(values) or not values.nbytes:
        return values
    found = new_array(values.shape, values.dtype, most_held=0)
    copy_into(found, values)
    return found


def copied(values: NDArray[Any]) -> NDArray[Any]:
    """A copy of the values, of the same shape, which may be written."""
    if not is_plain(values):
        return values.copy()
    found = new_array(values.shape, values.dtype)
    copy_into(found, values)
    return found


def copy_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy records into an array of the same shape, converted to its type, a block at a time."""
    for block in record_blocks(target):
        target[block] = source[block]
        release(source[block])


def is_plain(values: NDArray[Any]) -> bool:
    """Whether an array of any shape holds numbers or times, which a file can hold."""
    return values.dtype.kind in "fiubMmc"


def release(values: NDArray[Any]) -> None:
    """Let the system take back the memory of values of any shape that are in a file; they are read again when next used."""
    mapped = _file_of(values)
    if mapped is None or not values.nbytes or not hasattr(mmap, "MADV_DONTNEED"):
        return
    first, stop = np.lib.array_utils.byte_bounds(values)
    begin = np.frombuffer(mapped, np.uint8).__array_interface__["data"][0]
    start = (first - begin) // mmap.PAGESIZE * mmap.PAGESIZE
    mapped.madvise(mmap.MADV_DONTNEED, start, min(stop - begin, len(mapped)) - start)


def _file_of(values: NDArray[Any]) -> mmap.mmap | None:
    base: Any = values
    while isinstance(base, np.ndarray | memoryview):
        base = base.base if isinstance(base, np.ndarray) else base.obj
    return base if isinstance(base, mmap.mmap) else None


def _reserve(descriptor: int, size: int) -> None:
    """Make room for a file's bytes now: a full disk would otherwise end the process when they are written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:  # macOS
        os.truncate(descriptor, size)
