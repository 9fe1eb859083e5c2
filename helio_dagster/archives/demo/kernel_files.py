"""Write the demo archive's kernels: `python -m helio_dagster.archives.demo.kernel_files`. Needs spiceypy, as no run does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from spiceypy import spiceypy

from helio_dagster.archives.demo.noise import Floats
from helio_dagster.archives.demo.orbits import EARTH, ORBITER, SPIN_PERIOD_S, orbiter_turning, sentinel_states
from helio_dagster.domain.bodies import find_body

_DAY_S = 86_400.0
_DEGREE = 11
_LEAPS = (
    "10,@1972-JAN-1 11,@1972-JUL-1 12,@1973-JAN-1 13,@1974-JAN-1 14,@1975-JAN-1 15,@1976-JAN-1 16,@1977-JAN-1 17,@1978-JAN-1 "
    "18,@1979-JAN-1 19,@1980-JAN-1 20,@1981-JUL-1 21,@1982-JUL-1 22,@1983-JUL-1 23,@1985-JUL-1 24,@1988-JAN-1 25,@1990-JAN-1 "
    "26,@1991-JAN-1 27,@1992-JUL-1 28,@1993-JUL-1 29,@1994-JUL-1 30,@1996-JAN-1 31,@1997-JUL-1 32,@1999-JAN-1 33,@2006-JAN-1 "
    "34,@2009-JAN-1 35,@2012-JUL-1 36,@2015-JUL-1 37,@2017-JAN-1"
)

CLOCK_START_S = 565_000_000.0
"""In November 2017, ephemeris time."""
Turning = Callable[[Floats], Floats]
Segment = tuple[str, str, Callable[[Floats], Floats], float, Literal[9, 13]]
SEGMENTS: tuple[Segment, ...] = (
    ("DEMO_ORBITER", "SUN", ORBITER.states, 2.0, 13),
    ("EARTH", "SUN", EARTH.states, 8.0, 13),
    ("DEMO_SENTINEL", "EARTH", sentinel_states, 4.0, 9),
)
"""Body, centre, its states, days between two of them, type of the SPK segment."""


def leap_seconds_text(newest: int = 37) -> str:
    """A leap-second kernel, up to the one after which TAI-UTC is `newest` s."""
    pairs = "\n".join(f"      {pair.replace(',', ', ')}" for pair in _LEAPS.split() if int(pair.split(",")[0]) <= newest)
    return (
        "KPL/LSK\n\n   Leap seconds as the IERS announced them; the constants are those of every leap-second kernel.\n\n"
        "\\begindata\n\n   DELTET/DELTA_T_A = 32.184\n   DELTET/K = 1.657D-3\n   DELTET/EB = 1.671D-2\n"
        f"   DELTET/M = ( 6.239996D0 1.99096871D-7 )\n   DELTET/DELTA_AT = (\n{pairs}\n   )\n\n\\begintext\n"
    )


def constants_text() -> str:
    """A kernel with the Sun's axis, meridian and radius (Archinal et al. 2018, doi:10.1007/s10569-017-9805-5)."""
    return (
        "KPL/PCK\n\n   The Sun as the IAU's working group defines it (Archinal et al. 2018).\n\n\\begindata\n\n"
        "   BODY10_POLE_RA  = ( 286.13 0 0 )\n   BODY10_POLE_DEC = ( 63.87 0 0 )\n   BODY10_PM       = ( 84.176 14.1844 0 )\n"
        "   BODY10_RADII    = ( 695700 695700 695700 )\n\n\\begintext\n"
    )


def write_spk(path: Path, segments: tuple[Segment, ...], start: str, stop: str) -> None:
    """An SPK file with a segment of each body from one date to another, UTC; leap seconds must be loaded.

    Parameters
    ----------
    path
        Written anew.
    segments
        As `SEGMENTS`.
    start, stop
        ISO dates.
    """
    path.unlink(missing_ok=True)
    first, last = (float(spiceypy.str2et(f"{day}T00:00:00")) for day in (start, stop))
    handle = spiceypy.spkopn(str(path), "helio_dagster demo", 0)
    for name, centre, states, step_d, kind in segments:
        et = np.arange(first - step_d * _DAY_S, last + 2 * step_d * _DAY_S, step_d * _DAY_S)
        write = spiceypy.spkw13 if kind == 13 else spiceypy.spkw09
        ids = find_body(name).naif_id, find_body(centre).naif_id
        write(handle, *ids, "ECLIPJ2000", first, last, f"{name}: made up", _DEGREE, len(et), states(et), et)
    spiceypy.spkcls(handle)


def frames_text(axes: str, naif_id: int) -> str:
    """A frame kernel in which the axes of a spacecraft are those of its attitude kernels."""
    number = 1000 * naif_id
    return (
        f"KPL/FK\n\n   The axes of a spacecraft.\n\n\\begindata\n\n   FRAME_{axes} = {number}\n"
        f"   FRAME_{number}_NAME = '{axes}'\n"
        f"   FRAME_{number}_CLASS = 3\n   FRAME_{number}_CLASS_ID = {number}\n   FRAME_{number}_CENTER = {naif_id}\n"
        f"   CK_{number}_SCLK = {naif_id}\n   CK_{number}_SPK = {naif_id}\n\n\\begintext\n"
    )


def clock_text(naif_id: int) -> str:
    """A clock kernel: milliseconds of ephemeris time since `CLOCK_START_S`."""
    clock = -naif_id
    return (
        "KPL/SCLK\n\n   A clock that never drifts.\n\n\\begindata\n\n   SCLK_KERNEL_ID = ( @2026-NOV-28 )\n"
        f"   SCLK_DATA_TYPE_{clock} = ( 1 )\n   SCLK01_TIME_SYSTEM_{clock} = ( 1 )\n   SCLK01_N_FIELDS_{clock} = ( 2 )\n"
        f"   SCLK01_MODULI_{clock} = ( 4294967296 1000 )\n   SCLK01_OFFSETS_{clock} = ( 0 0 )\n"
        f"   SCLK01_OUTPUT_DELIM_{clock} = ( 2 )\n   SCLK_PARTITION_START_{clock} = ( 0 )\n"
        f"   SCLK_PARTITION_END_{clock} = ( 4.294967296E+12 )\n"
        f"   SCLK01_COEFFICIENTS_{clock} = ( 0 {CLOCK_START_S:.1f} 1 )\n\n\\begintext\n"
    )


def write_ck(path: Path, turning: Turning, naif_id: int, start: str, stop: str, *, step_d: float = 30.0) -> None:
    """An attitude kernel (CK type 2) of a spacecraft that spins evenly; leap seconds and its clock must be loaded.

    Parameters
    ----------
    path
        Written anew.
    turning
        Rotations of vectors along ECLIPJ2000 into the axes of the spacecraft at ephemeris times, shape (time, 3, 3); about the
        third axis, once in `SPIN_PERIOD_S`.
    naif_id
        Of the spacecraft.
    start, stop
        ISO dates.
    step_d
        Days between two attitudes.
    """
    path.unlink(missing_ok=True)
    first, last = (float(spiceypy.str2et(f"{day}T00:00:00")) for day in (start, stop))
    et = np.arange(first, last, step_d * _DAY_S)
    stops = np.append(et[1:], last)
    ticks, tick_stops = ([spiceypy.sce2c(naif_id, each) for each in times] for times in (et, stops))
    quaternions = [spiceypy.m2q(matrix) for matrix in turning(et)]
    rates = np.tile([0.0, 0.0, 2 * np.pi / SPIN_PERIOD_S], (len(et), 1))
    handle = spiceypy.ckopn(str(path), "helio_dagster demo", 0)
    ends = ticks[0], tick_stops[-1]
    every = ticks, tick_stops, quaternions, rates, [0.001] * len(et)
    spiceypy.ckw02(handle, *ends, 1000 * naif_id, "ECLIPJ2000", "attitude: made up", len(et), *every)
    spiceypy.ckcls(handle)


def write_kernels(folder: Path) -> None:
    """All kernels of the demo archive."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "demo_leapseconds_v01.tls").write_text(leap_seconds_text())
    (folder / "demo_constants_v01.tpc").write_text(constants_text())
    spiceypy.furnsh(str(folder / "demo_leapseconds_v01.tls"))
    orbiter, earth, sentinel = SEGMENTS
    write_spk(folder / "demo_earth_v01.bsp", (earth,), "2017-12-01", "2028-02-01")
    for name, segment in (("orbiter", orbiter), ("sentinel", sentinel)):
        write_spk(folder / f"demo_{name}_recon_20180101_20260101_v01.bsp", (segment,), "2018-01-01", "2026-01-01")
        write_spk(folder / f"demo_{name}_pred_20251201_20280101_v01.bsp", (segment,), "2025-12-01", "2028-01-01")
    body = find_body("DEMO_ORBITER")
    (folder / "demo_orbiter_frames_v01.tf").write_text(frames_text(body.axes, body.naif_id))
    (folder / "demo_orbiter_clock_v01.tsc").write_text(clock_text(body.naif_id))
    spiceypy.furnsh(str(folder / "demo_orbiter_clock_v01.tsc"))
    for quality, start, stop in (("recon", "2018-01-01", "2026-01-01"), ("pred", "2025-12-01", "2028-01-01")):
        name = f"demo_orbiter_attitude_{quality}_{start.replace('-', '')}_{stop.replace('-', '')}_v01.bc"
        write_ck(folder / name, orbiter_turning, body.naif_id, start, stop)


if __name__ == "__main__":
    write_kernels(Path(__file__).with_name("kernels"))
