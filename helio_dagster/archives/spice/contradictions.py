"""Find kernels that contradict each other about the same body at the same time. Imported in the worker only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from helio_dagster.archives.spice.kernel_set import KernelSet, is_inside
from helio_dagster.archives.spice.kernel_times import utc_of_et
from helio_dagster.archives.spice.messages import ErrorReply, Kernel
from helio_dagster.archives.spice.sampling import Floats, moments

_PROBES = 5


@dataclass(frozen=True)
class Measure:
    """How two kernels are compared.

    Parameters
    ----------
    quantity
        What they hold, in the plural: `positions`.
    apart
        How far they are apart at times, and where that is more than reconstructions differ by, shape (time,) each; of two
        kernels and ephemeris times in s, shape (time,).
    words
        How that is told, of how far it is: `put PSP 300 km apart`.
    """

    quantity: str
    apart: Callable[[Kernel, Kernel, Floats], tuple[Floats, NDArray[np.bool_]]]
    words: Callable[[float], str]


def find_contradiction(
    number: int, loaded: KernelSet, kernels: Iterable[Kernel], et: Floats, measure: Measure
) -> ErrorReply | None:
    """Two reconstructions that differ about a body or a structure; looked at in a few instants. None where none do.

    Predictions differ as more becomes known: the newest counts.

    Parameters
    ----------
    number
        NAIF's id of the body, or of the structure that is turned.
    loaded, kernels
        The loaded kernels, and those of them that are compared.
    et
        Times that are asked for, ephemeris time in s, shape (time,).
    measure
        How two are compared.
    """
    flown = [each for each in kernels if each.quality != "predicted" and number in loaded.coverage(each)]
    for one, two in combinations(flown, 2):
        shared = et[is_inside(et, loaded.coverage(one)[number]) & is_inside(et, loaded.coverage(two)[number])]
        if not len(shared):
            continue
        probes = np.ascontiguousarray(shared[np.linspace(0, len(shared) - 1, _PROBES).astype(int)])
        apart, is_apart = measure.apart(one, two, probes)
        if is_apart.any():
            worst = int(np.nanargmax(np.where(is_apart, apart, np.nan)))
            problem = (
                f"the kernels {one.name} and {two.name} contradict each other: at {moments(utc_of_et(probes))[worst]} "
                f"they {measure.words(float(apart[worst]))}"
            )
            hint = f"Both hold reconstructed {measure.quantity}, so one of them is wrong: tell the archive."
            return ErrorReply(cause="contradiction", problem=problem, hint=hint)
    return None
