"""The kernels that CSPICE has loaded: one set at a time, loaded once. Imported in the worker only."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spiceypy import spiceypy
from spiceypy.utils.exceptions import NotFoundError, SpiceyError
from spiceypy.utils.support_types import SpiceCell

from helio_dagster.archives.spice.messages import BINARY, Kernel

FRAMES_FILE = Path(__file__).with_name("frames.tf")
_FILE_RECORD_BYTES = 1024
Intervals = list[tuple[float, float]]
"""Starts and stops in ephemeris time, in order, apart from each other."""


class BadKernel(Exception):
    """A kernel cannot be loaded or read."""

    def __init__(self, kernel: Kernel, problem: str) -> None:
        super().__init__(problem)
        self.kernel, self.problem = kernel, problem


class KernelSet:
    """What is loaded."""

    def __init__(self) -> None:
        self._loaded: tuple[Kernel, ...] = ()
        self._coverage: dict[str, dict[int, Intervals]] = {}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The loaded kernels, in order of loading."""
        return self._loaded

    def load(self, kernels: tuple[Kernel, ...]) -> None:
        """Load exactly these, in this order; nothing is done where they are loaded.

        Raises
        ------
        BadKernel
            One of them cannot be loaded.
        """
        if kernels == self._loaded:
            return
        spiceypy.kclear()
        self._loaded = ()
        spiceypy.furnsh(str(FRAMES_FILE))
        for kernel in kernels:
            if kernel.kind in BINARY:
                _check_length(kernel)
            try:
                spiceypy.furnsh(kernel.path)
            except SpiceyError as error:
                raise BadKernel(kernel, reason(error)) from None
            _check_content(kernel)
        self._loaded = kernels

    def coverage(self, kernel: Kernel) -> dict[int, Intervals]:
        """To each body the intervals that an SPK file holds of it; of a CK file, to each structure whose attitude it holds.

        The clock of the structures must be loaded.

        Raises
        ------
        BadKernel
            It cannot be read.
        """
        if kernel.path not in self._coverage:
            try:
                found = {}
                for held in spiceypy.ckobj(kernel.path) if kernel.kind == "ck" else spiceypy.spkobj(kernel.path):
                    window = _window(kernel, int(held))
                    count = spiceypy.wncard(window)
                    found[int(held)] = [spiceypy.wnfetd(window, place) for place in range(count)]
            except SpiceyError as error:
                raise BadKernel(kernel, reason(error)) from None
            self._coverage[kernel.path] = found
        return self._coverage[kernel.path]

    @contextmanager
    def alone(self, kernel: Kernel, held: int) -> Iterator[None]:
        """Have only this one of the loaded kernels that hold a body or structure; the set is loaded afresh afterwards."""
        kernels = self._loaded
        for other in kernels:
            if other != kernel and other.kind == kernel.kind and held in self.coverage(other):
                spiceypy.unload(other.path)
        try:
            yield
        finally:
            self._loaded = ()
            self.load(kernels)

    def intervals(self, body: int, kernels: Iterable[Kernel]) -> Intervals:
        """Where any of these kernels hold a body or structure; touching and overlapping intervals are one."""
        found = sorted(pair for kernel in kernels for pair in self.coverage(kernel).get(body, []))
        joined: Intervals = []
        for start, stop in found:
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
            else:
                joined.append((start, stop))
        return joined


def is_inside(et: NDArray[np.float64], intervals: Intervals) -> NDArray[np.bool_]:
    """Whether times are in one of the intervals, shape (time,)."""
    inside = np.zeros(len(et), dtype=bool)
    for start, stop in intervals:
        inside |= (et >= start) & (et <= stop)
    return inside


def reason(error: SpiceyError) -> str:
    """CSPICE's short message with its explanation, on one line."""
    return " ".join(f"{getattr(error, 'short', '')} {getattr(error, 'long', '')}".split())[:300] or type(error).__name__


def _window(kernel: Kernel, held: int) -> SpiceCell:
    """When a file holds a body, or the attitude of a structure where it interpolates, in ephemeris time."""
    found: SpiceCell
    if kernel.kind == "ck":
        found = spiceypy.ckcov(kernel.path, held, False, "INTERVAL", 0.0, "TDB")
    else:
        found = spiceypy.spkcov(kernel.path, held)
    return found


def _check_length(kernel: Kernel) -> None:
    """Whether a binary kernel is as long as its file record says (DAF Required Reading); a cut one loads and fails later."""
    with Path(kernel.path).open("rb") as file:
        head = file.read(_FILE_RECORD_BYTES)
        size = file.seek(0, 2)
    order = {b"LTL-IEEE": "<", b"BIG-IEEE": ">"}.get(head[88:96])
    if len(head) < _FILE_RECORD_BYTES or order is None:
        raise BadKernel(kernel, f"it is not a whole {kernel.kind.upper()} file")
    (free,) = struct.unpack(f"{order}i", head[84:88])
    announced = -(-(free - 1) * 8 // _FILE_RECORD_BYTES) * _FILE_RECORD_BYTES  # whole records: CSPICE reads no part of one
    if size < announced:
        raise BadKernel(kernel, f"it has {size:,} bytes of the {announced:,} that its head announces")


def _check_content(kernel: Kernel) -> None:
    """Whether a text kernel defined what it is loaded for; a cut one loads without a word."""
    needed = {"lsk": "DELTET/DELTA_AT", "pck": "BODY10_POLE_RA"}.get(kernel.kind)
    if needed is not None and not spiceypy.expool(needed):
        raise BadKernel(kernel, f"it does not define {needed}")
    if kernel.kind == "sclk" and not _has_variables("SCLK01_COEFFICIENTS_*"):
        raise BadKernel(kernel, "it does not define SCLK01_COEFFICIENTS of any clock")


def _has_variables(pattern: str) -> bool:
    try:
        return bool(spiceypy.gnpool(pattern, 0, 1))
    except NotFoundError:
        return False
