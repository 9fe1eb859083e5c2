"""What the demo's instruments measure of the synthetic wind, one function a dataset."""

from __future__ import annotations

import numpy as np

from helio_dagster.archives.demo.geometry import gse_to_gsm, halo_orbit_km
from helio_dagster.archives.demo.noise import Floats, normal, smooth_noise, turbulence
from helio_dagster.archives.demo.storms import HOUR_S
from helio_dagster.archives.demo.wind import SolarWind, arrival_delay_s, solar_wind

Measured = dict[str, Floats]
"""Name of a parameter to its values, float64, shape (record,), or (record, 3) for vectors and (record, energy) for fluxes."""

ENERGIES_EV = np.round(np.geomspace(120.0, 22_000.0, 32), 1)
_MASS = 1.04397e-12  # proton mass in eV / (cm/s)^2
_RESPONSE = 0.06  # width of an energy channel as a share of the speed
_AT_L1, _AT_WIND, _AT_EARTH = 0, 1, 2
_RING_CURRENT_H = 96


def ace_magnetic_field(seconds: Floats) -> Measured:
    """ACE MFI, 16 s: field, its magnitude and fluctuation in nT, position in km; `seconds` are since 1970, shape (record,)."""
    wind = solar_wind(seconds, observer=_AT_L1, cadence_s=16.0)
    rms = _small_scale_rms(wind, stream=101)
    return {
        "Magnitude": wind.magnitude_nt + 0.5 * rms**2 / np.maximum(wind.magnitude_nt, 1.0),
        "BGSEc": wind.field_nt,
        "BGSM": gse_to_gsm(seconds, wind.field_nt),
        "dBrms": rms,
        "SC_pos_GSE": halo_orbit_km(seconds),
    }


def ace_plasma(seconds: Floats) -> Measured:
    """ACE SWEPAM, 64 s: proton density in cm^-3, speed and velocity in km/s, radial temperature in K.

    `seconds` since 1970, shape (record,); the velocity has the shape (record, 3), in GSE.
    """
    wind = solar_wind(seconds, observer=_AT_L1, cadence_s=64.0)
    return {
        "Np": wind.density_cm3,
        "Vp": wind.speed_km_s,
        "Tpr": wind.temperature_k * np.exp(0.12 * smooth_noise(110, seconds, 200.0)),
        "V_GSE": wind.velocity_km_s,
    }


def wind_magnetic_field(seconds: Floats) -> Measured:
    """Wind MFI, one minute, in nT: what ACE met some minutes earlier, with its own small scales.

    `seconds` since 1970, shape (record,); vectors have the shape (record, 3).
    """
    wind = _wind_at_wind(seconds, cadence_s=60.0)
    rms = _small_scale_rms(wind, stream=102) * 1.6
    return {
        "BF1": wind.magnitude_nt + 0.5 * rms**2 / np.maximum(wind.magnitude_nt, 1.0),
        "BGSE": wind.field_nt,
        "BGSM": gse_to_gsm(seconds, wind.field_nt),
        "BRMSF1": rms * 0.5,
    }


def wind_ion_flux(seconds: Floats) -> Measured:
    """Wind 3DP PESA Low: omnidirectional ion flux by energy per charge, of protons, 4 % alphas and a suprathermal tail.

    `seconds` since 1970, shape (record,); the flux in cm^-2 eV^-1 s^-1 sr^-1, shape (record, energy), at `ENERGIES_EV`.
    """
    wind = _wind_at_wind(seconds, cadence_s=90.0)
    speed = wind.speed_km_s
    thermal_km_s = np.sqrt(wind.temperature_k / 60.57 + (_RESPONSE * speed) ** 2)  # sqrt(2 k T / m), widened by the channel
    flux = _maxwellian_flux(wind.density_cm3, speed, thermal_km_s, mass=1.0, charge=1.0)
    flux += _maxwellian_flux(0.04 * wind.density_cm3, speed, 1.1 * thermal_km_s, mass=4.0, charge=2.0)
    tail = 120.0 * np.exp(0.6 * turbulence(120, seconds, (6 * HOUR_S, 2 * HOUR_S, 1800.0)))
    tail *= np.exp(np.minimum(2.5 * (wind.fluctuation - 0.5), 1.5))
    above = ENERGIES_EV[None, :] * 2 / (_MASS * 1e10 * speed[:, None] ** 2)  # energy over that of the bulk
    flux += 2.0 + tail[:, None] * np.sqrt(above) / (1.0 + above**3)
    counter = np.floor(seconds).astype(np.int64)[:, None] * 64 + np.arange(len(ENERGIES_EV))
    return {"FLUX": flux * np.exp(0.1 * normal(121, counter))}


def omni_hourly(seconds: Floats) -> Measured:
    """OMNI, hourly means near Earth, and the Dst index; `seconds` since 1970 and all columns of shape (record,).

    Dst after Burton et al. (J. Geophys. Res. 80, 4204, 1975) with the coefficients of O'Brien and McPherron (J. Geophys. Res.
    105, 7707, 2000), the injection saturating and the decay as a sum of two exponentials over the last 96 hours.
    """
    if not len(seconds):
        return dict.fromkeys(("V", "N", "T", "ABS_B", "DST"), np.zeros(0))
    hours = np.arange(np.floor(seconds[0] / HOUR_S) - _RING_CURRENT_H, np.floor(seconds[-1] / HOUR_S) + 1)
    moments = (hours[:, None] * HOUR_S + 150.0 + 300.0 * np.arange(12)).ravel()
    delay_s = arrival_delay_s(moments, observer=_AT_EARTH, mean_min=55.0, spread_min=6.0)
    wind = solar_wind(moments - delay_s, observer=_AT_EARTH, cadence_s=300.0)
    hourly = {
        "V": _hourly_mean(wind.speed_km_s),
        "N": _hourly_mean(wind.density_cm3),
        "T": _hourly_mean(wind.temperature_k),
        "ABS_B": _hourly_mean(wind.magnitude_nt),
    }
    south_nt = np.maximum(-gse_to_gsm(moments, wind.field_nt)[:, 2], 0.0)
    hourly["DST"] = _dst(_hourly_mean(wind.speed_km_s * south_nt * 1e-3), hourly["V"], hourly["N"])
    wanted = np.searchsorted(hours, np.floor(seconds / HOUR_S))
    return {name: values[wanted] for name, values in hourly.items()}


def _wind_at_wind(seconds: Floats, *, cadence_s: float) -> SolarWind:
    delay_s = arrival_delay_s(seconds, observer=_AT_WIND, mean_min=24.0, spread_min=14.0)
    return solar_wind(seconds - delay_s, observer=_AT_WIND, cadence_s=cadence_s)


def _small_scale_rms(wind: SolarWind, *, stream: int) -> Floats:
    noise = np.exp(0.5 * turbulence(stream, wind.seconds, (3000.0, 500.0, 90.0), slope=0.1))
    return np.asarray(0.06 * wind.magnitude_nt * wind.fluctuation * noise)


def _maxwellian_flux(density_cm3: Floats, speed_km_s: Floats, thermal_km_s: Floats, *, mass: float, charge: float) -> Floats:
    """Flux of a drifting Maxwellian, averaged over all directions: (cm^2 s sr eV)^-1, shape (record, energy per charge).

    j = (v^2 / m) f(v), f averaged over the sphere:
    n / (pi^1.5 w^3) * w^2 / (4 v V) * (exp(-(v - V)^2 / w^2) - exp(-(v + V)^2 / w^2)).
    """
    v = np.sqrt(2 * ENERGIES_EV * charge / (_MASS * mass))[None, :]  # cm/s
    drift, width = speed_km_s[:, None] * 1e5, thermal_km_s[:, None] * 1e5
    shape = np.exp(-(((v - drift) / width) ** 2)) - np.exp(-(((v + drift) / width) ** 2))
    return np.asarray(density_cm3[:, None] * charge / (np.pi**1.5 * width) * shape / (4 * v * drift) * v**2 / (_MASS * mass))


def _hourly_mean(values: Floats) -> Floats:
    return np.asarray(values.reshape(-1, 12).mean(axis=1))


def _dst(field_mv_m: Floats, speed_km_s: Floats, density_cm3: Floats) -> Floats:
    """Dst, nT, at each hour from the electric field (mV/m) of it and of the 96 hours before; the first 96 lack some."""
    driving = np.maximum(field_mv_m - 0.49, 0.0)
    injection = -4.4 * driving / (1.0 + driving / 28.0)
    ring = np.zeros(len(injection))
    for lag in range(_RING_CURRENT_H):
        share = 0.72 * np.exp(-(lag + 0.5) / 6.5) + 0.28 * np.exp(-(lag + 0.5) / 32.0)
        ring[lag:] += share * injection[: len(injection) - lag]
    pressure_npa = 1.6726e-6 * density_cm3 * speed_km_s**2
    return np.asarray(ring + 7.26 * np.sqrt(pressure_npa) - 11.0)
