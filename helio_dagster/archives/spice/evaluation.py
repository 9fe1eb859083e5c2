"""Evaluate an ephemeris with CSPICE over a window. Imported in the worker only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from spiceypy import cyice
from spiceypy.utils.exceptions import SpiceyError

from helio_dagster.archives.spice.attitude import attitude
from helio_dagster.archives.spice.contradictions import Measure, find_contradiction
from helio_dagster.archives.spice.kernel_set import KernelSet, is_inside, reason
from helio_dagster.archives.spice.kernel_times import OldLeapSeconds, et_of_utc, utc_of_et
from helio_dagster.archives.spice.messages import BINARY, Cover, Covered, CoverReply, ErrorReply, Evaluate, Kernel
from helio_dagster.archives.spice.sampling import grid, sampled_table, uncovered
from helio_dagster.domain.lengths import AU_KM
from helio_dagster.domain.table import Table

_FRAMES = {"J2000": "J2000", "HAE": "ECLIPJ2000", "Carrington": "IAU_SUN"}
_FRAMES_OF_EARTH = ("GSE", "HEE", "HEEQ")
_EARTH, _SUN = 399, 10
_AGREE_KM = 100.0
_AGREE_PART = 1e-5
Floats = NDArray[np.float64]


def evaluate(asked: Evaluate, loaded: KernelSet) -> Table | ErrorReply:
    """The table of a window, with the samples that the kernels cover; an error where they cover none, or cannot be used.

    Positions are geometric: where the bodies are at the time, without light time and aberration.
    """
    loaded.load(asked.kernels)
    at_ns = grid(asked)
    try:
        et = et_of_utc(at_ns)
    except OldLeapSeconds as old:
        return _old_leap_seconds(asked, old.day)
    if asked.quantity == "attitude":
        return attitude(asked, loaded, at_ns, et)
    spks = [kernel for kernel in asked.kernels if kernel.kind == "spk"]
    inside = np.ones(len(et), dtype=bool)
    for body in _bodies(asked):
        held = is_inside(et, loaded.intervals(body, spks)) if body != _SUN or _has(loaded, spks, body) else inside
        if not held.any():
            return _uncovered(asked, body, loaded, spks)
        inside &= held
    if not inside.any():
        return _uncovered(asked, asked.bodies[0], loaded, spks)
    clash = _contradiction(asked, loaded, spks, et[inside])
    if clash is not None:
        return clash
    try:
        columns = _columns(asked, np.ascontiguousarray(et[inside]))
    except SpiceyError as error:
        hint = "A kernel may be missing from the set: run `helio kernels refresh`."
        return ErrorReply(cause="unfit", problem=f"the kernels do not allow it: {reason(error)}", hint=hint)
    reconstructed = _is_reconstructed(asked, loaded, et[inside])
    return sampled_table(asked, at_ns[inside], columns, reconstructed, is_whole=bool(inside.all()))


def cover(asked: Cover, loaded: KernelSet) -> CoverReply:
    """What each binary kernel holds; a leap-second kernel must be among them, and the clock that attitudes need."""
    loaded.load(tuple(kernel for kernel in asked.kernels if kernel.kind not in BINARY))
    found = []
    for kernel in asked.kernels:
        if kernel.kind in BINARY:
            for body, intervals in loaded.coverage(kernel).items():
                ends = utc_of_et(np.asarray(intervals, dtype=float).ravel()).reshape(-1, 2)
                found += [Covered(kernel=kernel.name, body=body, start_ns=int(a), stop_ns=int(b)) for a, b in ends]
    return CoverReply(covered=tuple(found))


def _bodies(asked: Evaluate) -> list[int]:
    """The bodies of a request, and those that its frame needs."""
    frame = [_SUN, _EARTH] if asked.frame in _FRAMES_OF_EARTH else []
    return list(dict.fromkeys([*asked.bodies, *frame]))


def _has(loaded: KernelSet, spks: list[Kernel], body: int) -> bool:
    """Whether a kernel holds a body as a target; the Sun may only be the centre of the others."""
    return any(body in loaded.coverage(kernel) for kernel in spks)


def _columns(asked: Evaluate, et: Floats) -> list[Floats]:
    target, observer, *other = asked.bodies
    frame = _FRAMES.get(asked.frame or "J2000", f"HELIO_{asked.frame}")
    states, light_s = (np.asarray(each) for each in cyice.spkgeo_v(target, et, frame, observer))
    per = 1 / AU_KM if asked.in_au else 1.0
    match asked.quantity:
        case "position":
            return [np.ascontiguousarray(states[:, place]) * per for place in range(3)]
        case "velocity":
            return [np.ascontiguousarray(states[:, place]) for place in range(3, 6)]
        case "distance":
            return [np.linalg.norm(states[:, :3], axis=1) * per]
        case "light_time":
            return [light_s]
        case _:
            second = np.asarray(cyice.spkgeo_v(other[0], et, frame, observer)[0])
            return [_angle_deg(states[:, :3], second[:, :3])]


def _angle_deg(one: Floats, two: Floats) -> Floats:
    """The angle between vectors, shape (time, 3) each, in degrees; exact for small and large ones (Kahan 2006, section 12)."""
    a = one * np.linalg.norm(two, axis=1, keepdims=True)
    b = two * np.linalg.norm(one, axis=1, keepdims=True)
    return np.asarray(np.degrees(2 * np.arctan2(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))))


def _is_reconstructed(asked: Evaluate, loaded: KernelSet, et: Floats) -> NDArray[np.bool_]:
    """Where no body of a request is where a prediction alone puts it, shape (time,)."""
    reconstructed = np.ones(len(et), dtype=bool)
    for body in _bodies(asked):
        by_quality = [kernel for kernel in asked.kernels if kernel.kind == "spk" and kernel.quality == "reconstructed"]
        if any(body in loaded.coverage(each) for each in asked.kernels if each.kind == "spk" and each.quality == "predicted"):
            reconstructed &= is_inside(et, loaded.intervals(body, by_quality))
    return reconstructed


def _contradiction(asked: Evaluate, loaded: KernelSet, spks: list[Kernel], et: Floats) -> ErrorReply | None:
    """Two reconstructions that put a body to different places at the same time.

    They agree where they differ by less than 100 km or 1e-5 of the distance: more than reconstructions differ by, and less
    than what a file of another body or frame does.
    """
    of_bodies = (
        find_contradiction(body, loaded, spks, et, _measure(asked, loaded, body)) for body in _bodies(asked) if body != _SUN
    )
    return next(filter(None, of_bodies), None)


def _measure(asked: Evaluate, loaded: KernelSet, body: int) -> Measure:
    """How positions of a body are compared."""

    def apart(one: Kernel, two: Kernel, probes: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        first, second = (_places(loaded, body, kernel, probes) for kernel in (one, two))
        apart_km = np.linalg.norm(first - second, axis=1)
        return apart_km, apart_km > np.maximum(_AGREE_KM, _AGREE_PART * np.linalg.norm(first, axis=1))

    return Measure("positions", apart, lambda apart_km: f"put {asked.names.get(body, body)} {apart_km:,.0f} km apart")


def _places(loaded: KernelSet, body: int, kernel: Kernel, et: Floats) -> Floats:
    """Where one kernel alone puts a body relative to the Sun, km, shape (time, 3)."""
    with loaded.alone(kernel, body):
        return np.asarray(cyice.spkgeo_v(body, et, "J2000", _SUN)[0])[:, :3]


def _old_leap_seconds(asked: Evaluate, day: str) -> ErrorReply:
    kernel = next(kernel for kernel in asked.kernels if kernel.kind == "lsk")
    problem = f"the leap seconds of {kernel.name} are older than the data: it lacks that of {day}"
    return ErrorReply(cause="old_leap_seconds", problem=problem, hint="Run `helio kernels refresh`.", path=kernel.path)


def _uncovered(asked: Evaluate, body: int, loaded: KernelSet, spks: list[Kernel]) -> ErrorReply:
    return uncovered(asked.names.get(body, str(body)), loaded.intervals(body, spks))
