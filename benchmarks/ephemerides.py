"""A year of one-minute positions beside CSPICE's own vectorised calls: `python -m benchmarks.ephemerides`.

Measures CPU time of the fetch of 365 daily windows (parent and worker), of `spiceypy.spkezr` over the whole array, which loops
in Python, and of `cyice.spkgeo_v`, which loops in C; all over the demo archive's kernels in one run, three times, best of each.
"""

from __future__ import annotations

import resource
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from spiceypy import cyice, spiceypy

import helio_dagster.archives.demo.archive as demo
from helio_dagster.archives.spice.archive import SpiceArchive
from helio_dagster.archives.spice.packaged import PackagedKernels
from helio_dagster.archives.spice.reader import EphemerisReader
from helio_dagster.domain.time_range import TimeRange

_KERNELS = Path(demo.__file__).with_name("kernels")
_START = datetime(2022, 1, 1, tzinfo=UTC)
_FRAMES = (("J2000", "J2000"), ("HAE", "ECLIPJ2000"))
_TRIES = 3


def main() -> None:
    """Print a table of CPU seconds and ratios, one row a frame."""
    for name in ("demo_leapseconds_v01.tls", "demo_constants_v01.tpc", "demo_earth_v01.bsp"):
        spiceypy.furnsh(str(_KERNELS / name))
    spiceypy.furnsh(str(_KERNELS / "demo_orbiter_recon_20180101_20260101_v01.bsp"))
    spiceypy.furnsh(str(Path(demo.__file__).parents[1] / "spice" / "frames.tf"))
    first = spiceypy.str2et("2022-01-01T00:00:00")
    et = first + 60.0 * np.arange(365 * 1440)
    days = [TimeRange(_START + timedelta(days=day), _START + timedelta(days=day + 1)) for day in range(365)]
    print(f"{'frame':8} {'ours':>8} {'spkezr':>8} {'ratio':>6} {'spkgeo_v':>9} {'ratio':>6}   CPU s, {len(et):,} positions")
    for frame, kernel_frame in _FRAMES:
        ours = _best(partial(_cpu_of_fetch, frame, days))
        looped = _best(partial(_cpu, partial(spiceypy.spkezr, "-999001", et, kernel_frame, "NONE", "10")))
        in_c = _best(partial(_cpu, partial(cyice.spkgeo_v, -999001, et, kernel_frame, 10)))
        print(f"{frame:8} {ours:8.2f} {looped:8.2f} {ours / looped:6.2f} {in_c:9.2f} {ours / in_c:6.2f}")


def _best(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(_TRIES))


def _cpu(call: Callable[[], object]) -> float:
    before = _used(resource.RUSAGE_SELF)
    call()
    return _used(resource.RUSAGE_SELF) - before


def _cpu_of_fetch(frame: str, days: list[TimeRange]) -> float:
    """CPU seconds of this process and of the worker, its start included."""
    before = _used(resource.RUSAGE_SELF) + _used(resource.RUSAGE_CHILDREN)
    with EphemerisReader() as reader:
        archive = SpiceArchive("demo", PackagedKernels(_KERNELS), reader, is_synthetic=True)
        got = sum(
            len(fetched.table) for fetched in archive.fetch("DEMO_ORBITER-SUN", f"position_{frame}_PT1M", days) if fetched.table
        )
    if got != len(days) * 1440:
        raise ValueError(f"{got} positions are not a year of minutes")
    return _used(resource.RUSAGE_SELF) + _used(resource.RUSAGE_CHILDREN) - before


def _used(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
