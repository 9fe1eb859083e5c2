"""Evaluate how a spacecraft is turned, with CSPICE over a window. Imported in the worker only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spiceypy import cyice, spiceypy
from spiceypy.found_catcher import no_found_check
from spiceypy.utils.exceptions import SpiceyError

from helio_dagster.archives.spice.contradictions import Measure, find_contradiction
from helio_dagster.archives.spice.kernel_set import KernelSet, is_inside, reason
from helio_dagster.archives.spice.messages import ErrorReply, Evaluate, Kernel
from helio_dagster.archives.spice.sampling import Floats, sampled_table, uncovered
from helio_dagster.domain.ephemeris import ATTITUDE_FRAME
from helio_dagster.domain.table import Table

_OF_KERNELS = 3
"""SPICE's class of frames whose attitude stands in CK files (Frames Required Reading)."""
_AGREE_DEG = 0.1


def attitude(asked: Evaluate, loaded: KernelSet, at_ns: NDArray[np.int64], et: Floats) -> Table | ErrorReply:
    """The quaternions of a window, where the kernels hold them; an error where they hold none, or cannot be used.

    Nothing is taken over a gap: a sample that lies in no interpolation interval of the kernels is left out.

    Parameters
    ----------
    asked, loaded
        What is asked for, and the kernels, which are loaded.
    at_ns, et
        Times in ns since 1970 UTC, and the same as ephemeris time in s, shape (time,) each.
    """
    who = asked.names.get(asked.bodies[0], str(asked.bodies[0]))
    cks = [kernel for kernel in asked.kernels if kernel.kind == "ck"]
    if not cks:
        return uncovered(f"the attitude of {who}", [])
    structure = _structure(asked.axes)
    if structure is None:
        problem = f"the frame kernel does not define {asked.axes} as a frame of attitude kernels"
        hint = "The mission may have renamed it: please report that. `helio kernels ls` shows which frame kernel was loaded."
        return ErrorReply(cause="unfit", problem=problem, hint=hint)
    try:
        matrices, is_held = _matrices(structure, et)
    except SpiceyError as error:
        hint = "A kernel may be missing from the set: run `helio kernels refresh`."
        return ErrorReply(cause="unfit", problem=f"the kernels do not allow the attitude of {who}: {reason(error)}", hint=hint)
    if not is_held.any():
        return uncovered(f"the attitude of {who}", loaded.intervals(structure, cks))
    clash = _contradiction(who, structure, loaded, cks, et[is_held])
    if clash is not None:
        return clash
    reconstructed = np.ones(int(is_held.sum()), dtype=bool)
    if any(kernel.quality == "predicted" for kernel in cks):
        flown = [kernel for kernel in cks if kernel.quality == "reconstructed"]
        reconstructed = is_inside(et[is_held], loaded.intervals(structure, flown))
    columns = list(quaternions(matrices[is_held]))
    return sampled_table(asked, at_ns[is_held], columns, reconstructed, is_whole=bool(is_held.all()))


def quaternions(matrices: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Unit quaternions of SPICE's kind, q0 not negative, of rotation matrices.

    The largest component is taken from the diagonal and the others from the matrix over it, so that nothing cancels
    (Shepperd 1978, doi:10.2514/3.55767b).

    Parameters
    ----------
    matrices
        Shape (time, row, column).

    Returns
    -------
    tuple
        q0, q1, q2, q3, shape (time,) each, as CSPICE's m2q gives them but for the sign.
    """
    m = np.moveaxis(matrices, 0, -1)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    squares = np.stack([1 + trace, *(1 + 2 * m[k, k] - trace for k in range(3))])
    x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    numerators = np.stack(
        [
            np.stack([squares[0], x, y, z]),
            np.stack([x, squares[1], xy, xz]),
            np.stack([y, xy, squares[2], yz]),
            np.stack([z, xz, yz, squares[3]]),
        ]
    )
    largest = np.argmax(squares, axis=0)
    found = np.take_along_axis(numerators, largest[None, None], axis=0)[0]
    found /= np.sqrt(found[0] ** 2 + found[1] ** 2 + found[2] ** 2 + found[3] ** 2)
    leading = np.argmax(np.abs(found) > 1e-12, axis=0)
    sign = np.sign(np.take_along_axis(found, leading[None], axis=0)[0])
    q0, q1, q2, q3 = found * sign
    return q0, q1, q2, q3


def _structure(axes: str) -> int | None:
    """The id under which CK files hold a frame; None where the frame is not defined, or not by them."""
    number = spiceypy.namfrm(axes)
    if number == 0:
        return None
    _, kind, structure = spiceypy.frinfo(number)
    return int(structure) if kind == _OF_KERNELS else None


def _matrices(structure: int, et: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Rotations from J2000, shape (time, row, column), and where there are any, shape (time,)."""
    ticks = np.asarray(cyice.sce2c_v(int(spiceypy.ckmeta(structure, "SCLK")), np.ascontiguousarray(et)))
    with no_found_check():
        matrices, _, found = cyice.ckgp_v(structure, np.ascontiguousarray(ticks), 0.0, ATTITUDE_FRAME)
    return np.asarray(matrices), np.asarray(found, dtype=bool)


def _contradiction(who: str, structure: int, loaded: KernelSet, cks: list[Kernel], et: Floats) -> ErrorReply | None:
    """Two reconstructions that turn a spacecraft differently at the same time.

    They agree within 0.1 deg: more than reconstructions differ by, and less than what a file of another structure does.
    """

    def apart(one: Kernel, two: Kernel, probes: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        first, second = (_alone(loaded, structure, kernel, probes) for kernel in (one, two))
        apart_deg = _angle_deg(first, second)
        return apart_deg, apart_deg > _AGREE_DEG

    measure = Measure("attitudes", apart, lambda apart_deg: f"turn {who} {apart_deg:.2f} deg apart")
    return find_contradiction(structure, loaded, cks, et, measure)


def _alone(loaded: KernelSet, structure: int, kernel: Kernel, et: Floats) -> Floats:
    """How one kernel alone has the structure turned, NaN where it does not say; shape (time, row, column)."""
    with loaded.alone(kernel, structure):
        matrices, is_held = _matrices(structure, et)
    return np.where(is_held[:, None, None], matrices, np.nan)


def _angle_deg(one: Floats, two: Floats) -> Floats:
    """By how much rotations differ, shape (time,): |A - B| of matrices is 2 sqrt(2) sin(angle / 2)."""
    chord = np.sqrt(((one - two) ** 2).sum(axis=(1, 2))) / np.sqrt(8)
    return np.asarray(np.degrees(2 * np.arcsin(np.minimum(chord, 1))))
