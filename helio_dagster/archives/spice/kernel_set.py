"""The kernels that CSPICE has loaded: one set at a time, loaded once. Imported in the worker only."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spiceypy import spiceypy
from spiceypy.utils.exceptions import SpiceyError

from helio_dagster.archives.spice.messages import Kernel

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
            if kernel.kind == "spk":
                _check_length(kernel)
            try:
                spiceypy.furnsh(kernel.path)
            except SpiceyError as error:
                raise BadKernel(kernel, reason(error)) from None
            _check_content(kernel)
        self._loaded = kernels

    def coverage(self, kernel: Kernel) -> dict[int, Intervals]:
        """Body to the intervals that an SPK file holds of it.

        Raises
        ------
        BadKernel
            It cannot be read.
        """
        if kernel.path not in self._coverage:
            try:
                found = {}
                for body in spiceypy.spkobj(kernel.path):
                    window = spiceypy.spkcov(kernel.path, body)
                    count = spiceypy.wncard(window)
                    found[int(body)] = [spiceypy.wnfetd(window, place) for place in range(count)]
            except SpiceyError as error:
                raise BadKernel(kernel, reason(error)) from None
            self._coverage[kernel.path] = found
        return self._coverage[kernel.path]

    @contextmanager
    def alone(self, kernel: Kernel, body: int) -> Iterator[None]:
        """Have only this one of the loaded kernels that hold a body; the set is loaded afresh afterwards."""
        kernels = self._loaded
        for other in kernels:
            if other != kernel and other.kind == "spk" and body in self.coverage(other):
                spiceypy.unload(other.path)
        try:
            yield
        finally:
            self._loaded = ()
            self.load(kernels)

    def intervals(self, body: int, kernels: Iterable[Kernel]) -> Intervals:
        """Where any of these kernels hold a body; touching and overlapping intervals are one."""
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


def _check_length(kernel: Kernel) -> None:
    """Whether a binary kernel is as long as its file record says (DAF Required Reading); a cut one loads and fails later."""
    with Path(kernel.path).open("rb") as file:
        head = file.read(_FILE_RECORD_BYTES)
        size = file.seek(0, 2)
    order = {b"LTL-IEEE": "<", b"BIG-IEEE": ">"}.get(head[88:96])
    if len(head) < _FILE_RECORD_BYTES or order is None:
        raise BadKernel(kernel, "it is not a whole SPK file")
    (free,) = struct.unpack(f"{order}i", head[84:88])
    if size < (free - 1) * 8:
        raise BadKernel(kernel, f"it has {size:,} bytes of the {(free - 1) * 8:,} that its head announces")


def _check_content(kernel: Kernel) -> None:
    """Whether a text kernel defined what it is loaded for; a cut one loads without a word."""
    needed = {"lsk": "DELTET/DELTA_AT", "pck": "BODY10_POLE_RA"}.get(kernel.kind)
    if needed is not None and not spiceypy.expool(needed):
        raise BadKernel(kernel, f"it does not define {needed}")
