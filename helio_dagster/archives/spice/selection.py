"""Which of the listed kernels a window is made from, and in which order they are loaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from helio_dagster.archives.spice.messages import BINARY
from helio_dagster.archives.spice.registry import ListedKernel
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

_DAY = timedelta(days=1)
_ORDER = {"lsk": 0, "pck": 1, "fk": 2, "sclk": 3, "spk": 4, "ck": 5}


def kernels_for(listed: Iterable[ListedKernel], window: TimeRange) -> list[ListedKernel]:
    """The kernels of one body's or the general ones' that a window needs, in order of loading: of two, the later one counts.

    Of text kernels the newest. Of positions and attitudes all reconstructed ones that cover some of the window, each in its
    newest version; predicted ones only where those leave something open, the newest first, until nothing is open. The choice
    depends on the window alone, so that a new kernel changes the choice just for the windows that it covers.
    """
    here = [kernel for kernel in listed if kernel.file.start < window.stop and kernel.file.stop > window.start]
    newest: dict[tuple[str, str], ListedKernel] = {}
    for kernel in sorted(here, key=_rank):
        logical = kernel.logical if kernel.kind in BINARY else kernel.kind
        newest[kernel.quality, logical] = kernel
    found = list(newest.values())
    flown = [kernel for kernel in found if kernel.kind not in BINARY or kernel.quality == "reconstructed"]
    predicted: list[ListedKernel] = []
    for kernel in reversed([kernel for kernel in found if kernel not in flown]):
        if not _is_covered(window, [each for each in [*flown, *predicted] if each.kind == kernel.kind]):
            predicted.insert(0, kernel)
    chosen = [*predicted, *sorted(flown, key=_rank)]
    return sorted(chosen, key=lambda kernel: _ORDER[kernel.kind])


def _rank(kernel: ListedKernel) -> tuple[tuple[int, ...], str, str]:
    """What makes a kernel newer than another: its version, else its date; the name decides between equal ones."""
    return kernel.version, kernel.file.last_modified, kernel.file.name


def _is_covered(window: TimeRange, kernels: Sequence[ListedKernel]) -> bool:
    """Whether the kernels cover a window for sure: the first and last day in a name may be covered in part."""
    reached = window.start
    for start, stop in sorted(map(_sure_span, kernels)):
        if start > reached:
            return False
        reached = max(reached, stop)
    return bool(kernels) and reached >= window.stop


def _sure_span(kernel: ListedKernel) -> tuple[datetime, datetime]:
    start, stop = kernel.file.start, kernel.file.stop
    if start == EARLIEST:
        return start, stop
    return (start, start) if stop == LATEST else (start + _DAY, stop - _DAY)


def with_stops(kernels: Sequence[ListedKernel]) -> list[ListedKernel]:
    """Kernels of one source, in order of start; one whose name has no stop reaches a day beyond the start of the next."""
    found = sorted(kernels, key=lambda kernel: (kernel.file.start, kernel.file.name))
    starts = sorted({kernel.file.start for kernel in found})
    following = dict(pairwise(starts))
    return [
        replace(kernel, file=replace(kernel.file, stop=following[kernel.file.start] + _DAY))
        if kernel.file.stop == LATEST and kernel.file.start in following
        else kernel
        for kernel in found
    ]
