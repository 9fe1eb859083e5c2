"""Interplanetary coronal mass ejections of the demo: when they come, what they do to the wind.

Shape after the common picture (Burlaga et al., J. Geophys. Res. 86, 6673, 1981; Zurbuchen and Richardson, Space Sci. Rev. 123,
31, 2006): a shock, a hot and turbulent sheath, then a cold, quiet magnetic cloud whose strong field turns smoothly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from helio_dagster.archives.demo.noise import Floats, smoothstep, uniform

HOUR_S = 3600.0
DAY_S = 86400.0
_SLOT_S = 40 * DAY_S  # at most one storm a slot
_LASTING_S = 5 * DAY_S
_STREAM = 900
_SHOCK_S = 4.0


@dataclass(frozen=True)
class Storm:
    """One ejection as seen near L1.

    `onset_s` is the time of the shock, s since 1970; `jump_km_s` the jump of speed; `cloud_nt` the field at the front of the
    cloud; `sheath_h` and `cloud_h` their lengths; `south_first` whether Bz turns from south to north; `tilt` in [-1, 1]
    leans the cloud's axis out of the ecliptic.
    """

    onset_s: float
    jump_km_s: float
    cloud_nt: float
    sheath_h: float
    cloud_h: float
    south_first: bool
    tilt: float = 0.0


@dataclass
class StormEffect:
    """What storms change, arrays of shape (record,); `cloud` (record, 3) is the cloud's field in GSE, nT.

    `speed_km_s` is added; `density`, `temperature`, `field` and `fluctuation` are factors; `weight` is the cloud's share.
    """

    speed_km_s: Floats
    density: Floats
    temperature: Floats
    field: Floats
    fluctuation: Floats
    weight: Floats
    cloud: Floats


def _named(onset: str, *shape: float, south_first: bool = True, tilt: float = 0.0) -> Storm:
    seconds = datetime.fromisoformat(onset).replace(tzinfo=UTC).timestamp()
    jump_km_s, cloud_nt, sheath_h, cloud_h = shape
    return Storm(seconds, jump_km_s, cloud_nt, sheath_h, cloud_h, south_first, tilt)


NAMED_STORMS = (
    _named("2000-07-15T14:15", 480.0, 48.0, 4.5, 12.0),
    _named("2003-10-29T05:58", 880.0, 48.0, 3.0, 22.0, tilt=-0.35),
    _named("2003-10-30T16:20", 700.0, 32.0, 7.0, 22.0, tilt=0.1),
    _named("2003-11-20T07:25", 260.0, 54.0, 3.5, 14.0),
    _named("2015-03-17T04:00", 180.0, 27.0, 8.0, 20.0, tilt=-0.2),
    _named("2024-05-10T16:37", 320.0, 60.0, 3.0, 20.0),
)
"""Storms of these dates have a likeness here, at the true time of arrival at L1 within minutes; the rest is made up."""


def solar_activity(seconds: Floats) -> Floats:
    """Activity in an 11-year cycle with a minimum in mid-1996: 0 at minimum, 1 at maximum, shape as `seconds` since 1970."""
    years = seconds / (365.25 * DAY_S) - 26.5
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * years / 11.0))


def storms_near(start_s: float, stop_s: float) -> Iterator[Storm]:
    """Storms whose effect may reach into `[start_s, stop_s)`, in order of onset."""
    first, last = int((start_s - _LASTING_S) // _SLOT_S), int(stop_s // _SLOT_S)
    found = [storm for slot in range(first, last + 1) if (storm := _random_storm(slot)) is not None]
    found += NAMED_STORMS
    for storm in sorted(found, key=lambda storm: storm.onset_s):
        if start_s - _LASTING_S <= storm.onset_s < stop_s:
            yield storm


def _random_storm(slot: int) -> Storm | None:
    chance, at, jump, cloud, sheath, length, sense, tilt = uniform(_STREAM, slot * 8 + np.arange(8)).tolist()
    onset_s = round((slot + 0.1 + 0.8 * at) * _SLOT_S)
    if chance > 0.25 + 0.6 * float(solar_activity(np.array([onset_s], dtype=np.float64))[0]):
        return None
    if any(abs(onset_s - named.onset_s) < 6 * DAY_S for named in NAMED_STORMS):
        return None
    return Storm(
        onset_s=onset_s,
        jump_km_s=70.0 + 330.0 * jump**3 + 60.0 * cloud,
        cloud_nt=11.0 + 8.0 * cloud + 14.0 * cloud**4,
        sheath_h=5.0 + 7.0 * sheath,
        cloud_h=16.0 + 14.0 * length,
        south_first=sense < 0.55,
        tilt=0.8 * (2 * tilt - 1),
    )


def storm_effect(seconds: Floats) -> StormEffect:
    """Effect of all storms at the given times (s since 1970, shape (record,), ascending)."""
    count = len(seconds)
    one, zero = np.ones(count), np.zeros(count)
    effect = StormEffect(zero, one, one.copy(), one.copy(), one.copy(), zero.copy(), np.zeros((count, 3)))
    if count:
        for storm in storms_near(float(seconds[0]), float(seconds[-1]) + 1.0):
            _add_storm(effect, storm, seconds)
    return effect


def _add_storm(effect: StormEffect, storm: Storm, seconds: Floats) -> None:
    since_h = (seconds - storm.onset_s) / HOUR_S
    in_sheath_h = np.clip(since_h / storm.sheath_h, 0.0, 1.0)
    in_cloud = np.clip((since_h - storm.sheath_h) / storm.cloud_h, 0.0, 1.0)
    after_h = np.maximum(since_h - storm.sheath_h - storm.cloud_h, 0.0)
    shock = smoothstep((seconds - storm.onset_s) / _SHOCK_S)
    to_cloud = smoothstep((since_h - storm.sheath_h) / 0.4)
    out_of_cloud = smoothstep(after_h / 1.5)
    sheath = shock * (1.0 - to_cloud)
    cloud = to_cloud * (1.0 - out_of_cloud)
    strength = min(storm.jump_km_s / 300.0, 2.0)

    decay = (1.0 - 0.12 * in_sheath_h) * (1.0 - 0.6 * in_cloud) * np.exp(-after_h / 14.0)
    decay *= 1.0 - smoothstep((since_h - 90.0) / 24.0)  # to nothing well before _LASTING_S
    effect.speed_km_s = effect.speed_km_s + storm.jump_km_s * shock * decay
    effect.density = effect.density * (1.0 + sheath * (1.2 + 1.3 * strength + 0.8 * in_sheath_h)) * (1.0 - 0.5 * cloud)
    effect.temperature = effect.temperature * (1.0 + sheath * (2.5 + 3.0 * strength)) * (1.0 - 0.82 * cloud)
    effect.field = effect.field * (1.0 + sheath * (0.9 + 1.1 * strength + 0.5 * in_sheath_h))
    effect.fluctuation = effect.fluctuation * (1.0 + 0.9 * sheath) * (1.0 - 0.8 * cloud)

    phase = np.pi * (0.08 + 0.84 * in_cloud)
    size = storm.cloud_nt * (1.05 - 0.4 * in_cloud) * (0.8 + 0.2 * np.sin(np.pi * in_cloud))
    bz = (-1.0 if storm.south_first else 1.0) * np.cos(phase) * np.sqrt(1.0 - 0.5 * storm.tilt**2) + 0.4 * storm.tilt
    by = np.sin(phase) * (1.0 if storm.tilt < 0 else -1.0)
    bx = 0.25 * np.cos(2 * phase)
    direction = np.stack([bx, by, bz], axis=1)
    vector = direction / np.linalg.norm(direction, axis=1, keepdims=True) * size[:, None]
    effect.cloud = effect.cloud * (1.0 - cloud[:, None]) + vector * cloud[:, None]
    effect.weight = effect.weight + cloud * (1.0 - effect.weight)
