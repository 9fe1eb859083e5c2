"""A synthetic solar wind near L1: streams, sectors, waves and storms at any time.

Not a model of the Sun: a likeness with the relations that people look for. Corotating streams with compressed leading edges
(Gosling and Pizzo, Space Sci. Rev. 89, 21, 1999), a Parker spiral in sectors, Alfvénic fluctuation of nearly constant |B|
(Belcher and Davis, J. Geophys. Res. 76, 3534, 1971), temperature following speed (Lopez, J. Geophys. Res. 92, 11189, 1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helio_dagster.archives.demo.noise import Floats, smooth_noise, smoothstep, turbulence, uniform
from helio_dagster.archives.demo.storms import DAY_S, HOUR_S, solar_activity, storm_effect

ROTATION_S = 27.2753 * DAY_S
_STREAMS = 4
_SHARED_PERIODS_S = (8 * HOUR_S, 3 * HOUR_S, 4300.0, 1500.0)
_SHARPNESS = {4300.0: 12.0, 1500.0: 10.0, 700.0: 6.0}  # walls between flux tubes
_OWN_PERIODS_S = (700.0, 290.0, 110.0, 41.0, 17.0)


@dataclass(frozen=True)
class SolarWind:
    """What a spacecraft meets, arrays over time.

    Parameters
    ----------
    seconds
        Time since 1970, s, shape (record,).
    field_nt
        Magnetic field in GSE, nT, shape (record, 3).
    velocity_km_s
        Proton velocity in GSE, km/s, shape (record, 3).
    density_cm3, temperature_k
        Proton number density, cm^-3, and temperature, K, shape (record,).
    fluctuation
        Strength of the small-scale fluctuation relative to the field, shape (record,).
    """

    seconds: Floats
    field_nt: Floats
    velocity_km_s: Floats
    density_cm3: Floats
    temperature_k: Floats
    fluctuation: Floats

    @property
    def magnitude_nt(self) -> Floats:
        """|B|, nT, shape (record,)."""
        return np.asarray(np.sqrt(np.sum(self.field_nt**2, axis=1)))

    @property
    def speed_km_s(self) -> Floats:
        """|V|, km/s, shape (record,)."""
        return np.asarray(np.sqrt(np.sum(self.velocity_km_s**2, axis=1)))


@dataclass(frozen=True)
class _Streams:
    speed_km_s: Floats
    compression: Floats
    sheet: Floats
    polarity: Floats


def solar_wind(seconds: Floats, *, observer: int, cadence_s: float) -> SolarWind:
    """The wind at an observer.

    Parameters
    ----------
    seconds
        Times since 1970, s, shape (record,), ascending.
    observer
        Number of the observer: 0 at L1; others meet the same structures with their own small-scale fluctuation.
    cadence_s
        Fluctuations shorter than this are left out.
    """
    streams = _streams(seconds)
    storm = storm_effect(seconds)
    activity = solar_activity(seconds)
    own = tuple(period for period in _OWN_PERIODS_S if period >= cadence_s)

    background_km_s = streams.speed_km_s + 14.0 * turbulence(11, seconds, (10 * HOUR_S, 3 * HOUR_S, HOUR_S))
    speed = background_km_s + storm.speed_km_s
    density_noise = 0.27 * turbulence(12, seconds, (12 * HOUR_S, 4 * HOUR_S, HOUR_S, 1200.0), slope=0.25)
    density_noise += 0.06 * _own_noise(13, seconds, observer, own)
    density = 6.2 * (400.0 / background_km_s) ** 1.7 * np.exp(density_noise)
    density *= (1.0 + 2.6 * streams.compression) * (1.0 + 1.3 * streams.sheet) * storm.density
    expected_k = 1e3 * np.maximum(0.031 * background_km_s - 5.1, 1.5) ** 2
    temperature_noise = 0.3 * turbulence(14, seconds, (9 * HOUR_S, 3 * HOUR_S, HOUR_S), slope=0.25)
    temperature_noise += 0.08 * _own_noise(15, seconds, observer, own)
    temperature = expected_k * np.exp(temperature_noise) * (1.0 + 1.2 * streams.compression) * storm.temperature
    temperature = np.maximum(temperature, 4e3)

    alfvenicity = smoothstep((background_km_s - 380.0) / 200.0)
    fluctuation = (0.38 + 0.3 * alfvenicity) * (1.0 + 0.3 * streams.compression) * storm.fluctuation
    fluctuation *= np.exp(0.35 * turbulence(20, seconds, (5 * HOUR_S, 2 * HOUR_S, 2000.0), slope=0.1))  # intermittent
    size = (4.3 + 1.6 * activity) * (1.0 + 1.5 * streams.compression) * (1.0 - 0.45 * streams.sheet)
    size *= np.exp(0.16 * turbulence(16, seconds, (11 * HOUR_S, 4 * HOUR_S, 4000.0))) * storm.field
    size = size * (1.0 - storm.weight) + np.linalg.norm(storm.cloud, axis=1) * storm.weight
    size *= np.exp(np.minimum(0.01 + 0.09 * fluctuation, 0.15) * _own_noise(17, seconds, observer, own))

    mean_direction = _spiral(seconds, speed, streams.polarity) * (1.0 - storm.weight[:, None])
    mean_direction += storm.cloud / np.maximum(np.linalg.norm(storm.cloud, axis=1), 1e-9)[:, None] * storm.weight[:, None]
    wave = fluctuation[:, None] * _waves(seconds, observer, own)
    direction = mean_direction + wave
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    field = direction * size[:, None]

    alfven_km_s = np.minimum(21.8 * size / np.sqrt(density), 80.0)
    velocity = -(0.35 + 0.45 * alfvenicity)[:, None] * np.sign(streams.polarity)[:, None] * alfven_km_s[:, None] * wave
    velocity[:, 0] -= speed
    velocity[:, 1] += 9.0 * smooth_noise(18, seconds, 20 * HOUR_S)
    velocity[:, 2] += 9.0 * smooth_noise(19, seconds, 20 * HOUR_S)
    return SolarWind(seconds, field, velocity, density, temperature, fluctuation)


def _own_noise(stream: int, seconds: Floats, observer: int, periods_s: tuple[float, ...]) -> Floats:
    return turbulence(stream * 8 + observer, seconds, periods_s) if periods_s else np.zeros(len(seconds))


def _waves(seconds: Floats, observer: int, own_periods_s: tuple[float, ...]) -> Floats:
    """Directional fluctuation of unit variance a component, shape (record, 3); long periods are the same for all observers."""
    periods_s = (*_SHARED_PERIODS_S, *own_periods_s)
    shares = np.asarray(periods_s) ** (1 / 3)
    shares /= np.sqrt(np.sum((np.asarray((*_SHARED_PERIODS_S, *_OWN_PERIODS_S)) ** (1 / 3)) ** 2))
    waves = np.zeros((len(seconds), 3))
    for axis in range(3):
        for order, (period_s, share) in enumerate(zip(periods_s, shares, strict=True)):
            seen_by = 0 if order < len(_SHARED_PERIODS_S) else observer + 1
            stream = 20_000 + 1000 * seen_by + 16 * axis + order
            waves[:, axis] += share * smooth_noise(stream, seconds, period_s, sharpness=_SHARPNESS.get(period_s, 1.0))
    return waves


def _spiral(seconds: Floats, speed_km_s: Floats, polarity: Floats) -> Floats:
    """Direction of the Parker spiral in GSE, shape (record, 3); `polarity` goes from 1 (away from the Sun) to -1 (sunward)."""
    angle = np.arctan2(405.0, np.minimum(speed_km_s, 700.0)) + 0.15 * smooth_noise(31, seconds, 30 * HOUR_S)
    turn = 0.5 * np.pi * (1.0 - polarity)  # through the side, as a rotation, not through zero
    away = np.pi - angle + turn
    north = 0.12 * smooth_noise(32, seconds, 16 * HOUR_S)
    return np.stack([np.cos(away), np.sin(away), north], axis=1)


def _streams(seconds: Floats) -> _Streams:
    """Corotating streams: speed, compression (0 to 1), current sheet (0 to 1) and polarity (-1 to 1), shape (record,) each."""
    turns = seconds / ROTATION_S
    speed = 335.0 + 22.0 * smooth_noise(1, seconds, 3 * DAY_S)
    compression, sheet = np.zeros(len(seconds)), np.zeros(len(seconds))
    polarity = np.zeros(len(seconds))
    latest = np.full(len(seconds), np.inf)
    for number in range(_STREAMS):
        longitude = number / _STREAMS + 0.055 * smooth_noise(40 + number, seconds, 5 * ROTATION_S)
        since_d = ((turns - longitude) % 1.0) * ROTATION_S / DAY_S
        before_d = 27.2753 - since_d
        taste = smooth_noise(50 + number, seconds, 2.5 * ROTATION_S)
        gain = np.maximum(190.0 + 110.0 * taste, 15.0)
        speed += gain * smoothstep(since_d / 1.1) * np.exp(-np.maximum(since_d - 1.6, 0.0) / 2.2)
        centred_d = np.where(since_d < 13.0, since_d, -before_d)
        compression += np.minimum(gain / 330.0, 1.0) * np.exp(-(((centred_d - 0.35) / 0.38) ** 2))
        crossed_d = (since_d + 0.9) % 27.2753  # the current sheet comes most of a day before the stream
        around_d = np.where(crossed_d < 13.0, crossed_d, crossed_d - 27.2753)
        sheet += np.exp(-((around_d / 0.07) ** 2)) + 0.5 * np.exp(-((around_d / 0.25) ** 2))
        sign = 1.0 if number % 2 else -1.0
        turning = 1.0 - 2.0 * smoothstep(1.0 - crossed_d / 0.03)
        polarity = np.where(crossed_d < latest, sign * turning, polarity)
        latest = np.minimum(latest, crossed_d)
    return _Streams(speed, compression, np.minimum(sheet, 1.0), polarity)


def arrival_delay_s(seconds: Floats, *, observer: int, mean_min: float, spread_min: float) -> Floats:
    """How much later than at L1 a structure meets an observer: at least two minutes, drifting over days with its orbit.

    Parameters
    ----------
    seconds
        Time since 1970, s, shape (record,).
    observer
        Which spacecraft; each has a drift of its own.
    mean_min, spread_min
        Mean and standard deviation of the delay before the limit, in minutes.

    Returns
    -------
    float64, s, shape (record,)
    """
    phase = float(uniform(70, np.array([observer]))[0])
    drift = smooth_noise(71 + observer, seconds + phase * DAY_S, 12 * DAY_S)
    return np.asarray(60.0 * np.maximum(mean_min + spread_min * drift, 2.0))
