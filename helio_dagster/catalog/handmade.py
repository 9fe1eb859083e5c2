"""The small hand-made catalog: datasets a person asks for first, as the archive's metadata and files describe them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache

from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.catalog_entry import CatalogDataset, CatalogParameter, Quantity
from helio_dagster.domain.table import Scale

_FLUX_UNIT = "cm^-2 eV^-1 s^-1 sr^-1"


@cache
def small_catalog() -> Catalog:
    """A catalog of these entries alone."""
    return Catalog(catalogued_datasets())


def catalogued_datasets() -> list[CatalogDataset]:
    """Every entry, those that a request means first before others of its mission."""
    return [*_ace(), *_wind(), *_omni(), *_near_earth(), *_heliosphere()]


def _series(name: str, quantity: Quantity, unit: str, *, scale: Scale = "linear") -> CatalogParameter:
    return CatalogParameter(name, quantity, "series", unit, columns=(name,), scale=scale)


def _vector(name: str, quantity: Quantity, unit: str, *, frame: str, columns: tuple[str, ...] = ()) -> CatalogParameter:
    return CatalogParameter(name, quantity, "vector", unit, frame, columns)


def _spectrogram(name: str, quantity: Quantity, unit: str) -> CatalogParameter:
    return CatalogParameter(name, quantity, "spectrogram", unit, scale="log")


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _ace() -> list[CatalogDataset]:
    field = (
        _vector("BGSEc", "magnetic_field", "nT", frame="GSE", columns=("Bx GSE", "By GSE", "Bz GSE")),
        _vector("BGSM", "magnetic_field", "nT", frame="GSM", columns=("Bx (GSM)", "By (GSM)", "Bz (GSM)")),
        _series("Magnitude", "magnetic_field", "nT"),
    )
    plasma = (
        _series("Vp", "speed", "km/s"),
        _series("Np", "density", "cm^-3"),
        _series("Tpr", "temperature", "K", scale="log"),
        _vector("V_GSE", "velocity", "km/s", frame="GSE", columns=("VX (GSE)", "VY (GSE)", "VZ (GSE)")),
    )
    return [
        CatalogDataset(
            "AC_H0_MFI", "ACE", "MFI", "ACE magnetic field, 16-second", _day("1997-09-02"), timedelta(seconds=16),
            (*field, _series("dBrms", "fluctuation", "nT"),
             _vector("SC_pos_GSE", "position", "km", frame="GSE", columns=("ACE X-GSE", "ACE Y-GSE", "ACE Z-GSE"))),
            is_demo=True,
        ),
        CatalogDataset(
            "AC_H0_SWE", "ACE", "SWEPAM", "ACE solar wind plasma, 64-second", _day("1998-02-04"), timedelta(seconds=64), plasma,
            stop=_day("2024-07-10"), is_demo=True,
        ),
        CatalogDataset(
            "AC_H2_MFI", "ACE", "MFI", "ACE magnetic field, hourly", _day("1997-09-02"), timedelta(hours=1),
            (_vector("BGSEc", "magnetic_field", "nT", frame="GSE"), _vector("BGSM", "magnetic_field", "nT", frame="GSM"),
             _series("Magnitude", "magnetic_field", "nT")),
        ),
        CatalogDataset(
            "AC_H2_SWE", "ACE", "SWEPAM", "ACE solar wind plasma, hourly", _day("1998-02-04"), timedelta(hours=1), plasma,
            stop=_day("2024-07-10"),
        ),
    ]  # fmt: skip


def _wind() -> list[CatalogDataset]:
    return [
        CatalogDataset(
            "WI_H0_MFI", "Wind", "MFI", "Wind magnetic field, one-minute", _day("1994-11-13"), timedelta(minutes=1),
            (_vector("BGSE", "magnetic_field", "nT", frame="GSE", columns=("Bx (GSE)", "By (GSE)", "Bz (GSE)")),
             _vector("BGSM", "magnetic_field", "nT", frame="GSM", columns=("Bx (GSM)", "By (GSM)", "Bz (GSM)")),
             _series("BF1", "magnetic_field", "nT"), _series("BRMSF1", "fluctuation", "nT")),
            is_demo=True,
        ),
        CatalogDataset(
            "WI_H2_MFI", "Wind", "MFI", "Wind magnetic field, high resolution", _day("1994-11-13"), timedelta(seconds=0.092),
            (_vector("BGSE", "magnetic_field", "nT", frame="GSE"), _vector("BGSM", "magnetic_field", "nT", frame="GSM"),
             _series("BF1", "magnetic_field", "nT")),
        ),
        CatalogDataset(
            "WI_H1_SWE", "Wind", "SWE", "Wind solar wind protons, 92-second", _day("1994-11-17"), timedelta(seconds=92),
            (_series("Proton_V_nonlin", "speed", "km/s"), _series("Proton_Np_nonlin", "density", "cm^-3"),
             _series("Proton_W_nonlin", "thermal_speed", "km/s")),
        ),
        CatalogDataset(
            "WI_PLSP_3DP", "Wind", "3DP", "Wind ion flux, 0.4 to 3 keV", _day("1994-11-15"), timedelta(seconds=24),
            (_spectrogram("FLUX", "ion_flux", _FLUX_UNIT),), is_demo=True,
        ),
    ]  # fmt: skip


def _omni() -> list[CatalogDataset]:
    return [
        CatalogDataset(
            "OMNI2_H0_MRG1HR", "OMNI", "merged", "OMNI solar wind and indices, hourly", _day("1963-01-01"), timedelta(hours=1),
            (_series("V", "speed", "km/s"), _series("N", "density", "cm^-3"), _series("T", "temperature", "K", scale="log"),
             _series("ABS_B", "magnetic_field", "nT"), _series("DST", "dst", "nT")),
            is_demo=True,
        ),
        CatalogDataset(
            "OMNI_HRO_1MIN", "OMNI", "merged", "OMNI solar wind at the bow shock, one-minute", _day("1981-01-01"),
            timedelta(minutes=1),
            (_series("flow_speed", "speed", "km/s"), _series("proton_density", "density", "cm^-3"),
             _series("T", "temperature", "K", scale="log"), _series("F", "magnetic_field", "nT")),
        ),
        CatalogDataset(
            "OMNI_COHO1HR_MERGED_MAG_PLASMA", "OMNI", "merged", "OMNI merged field and plasma, hourly", _day("1963-01-01"),
            timedelta(hours=1),
            (_series("V", "speed", "km/s"), _series("N", "density", "cm^-3"), _series("T", "temperature", "K", scale="log"),
             _series("ABS_B", "magnetic_field", "nT")),
        ),
    ]  # fmt: skip


def _near_earth() -> list[CatalogDataset]:
    return [
        CatalogDataset(
            "DSCOVR_H0_MAG", "DSCOVR", "FGM", "DSCOVR magnetic field, one-second", _day("2015-06-08"), timedelta(seconds=1),
            (_vector("B1GSE", "magnetic_field", "nT", frame="GSE"), _vector("B1RTN", "magnetic_field", "nT", frame="RTN"),
             _series("B1F1", "magnetic_field", "nT")),
        ),
        CatalogDataset(
            "MMS1_FGM_SRVY_L2", "MMS1", "FGM", "MMS1 magnetic field, combined fast and slow survey", _day("2015-09-01"),
            timedelta(seconds=1 / 16),
            (_vector("mms1_fgm_b_gse_srvy_l2_clean", "magnetic_field", "nT", frame="GSE"),
             _vector("mms1_fgm_b_gsm_srvy_l2_clean", "magnetic_field", "nT", frame="GSM")),
        ),
        CatalogDataset(
            "THA_L2_FGM", "THEMIS-A", "FGM", "THEMIS-A magnetic field, 3-second", _day("2007-02-23"), timedelta(seconds=3),
            (_vector("tha_fgs_gse", "magnetic_field", "nT", frame="GSE"),
             _vector("tha_fgs_gsm", "magnetic_field", "nT", frame="GSM"), _series("tha_fgs_btotal", "magnetic_field", "nT")),
        ),
        CatalogDataset(
            "GE_K0_CPI", "Geotail", "CPI", "Geotail plasma moments", _day("1992-09-08"), timedelta(minutes=1),
            (_vector("SW_V", "velocity", "km/s", frame="GSE", columns=("Vx", "Vy", "Vz")),
             _series("SW_P_Den", "density", "cm^-3")),
            stop=_day("2022-06-28"),
        ),
        CatalogDataset(
            "RBSPA_REL04_ECT-HOPE-PA-L3", "Van Allen Probe A", "HOPE", "Van Allen Probe A ion and electron flux",
            _day("2012-10-25"), timedelta(seconds=22),
            (_spectrogram("FPDO", "ion_flux", "cm^-2 keV^-1 s^-1 sr^-1"),
             _spectrogram("FEDO", "electron_flux", "cm^-2 keV^-1 s^-1 sr^-1")),
            stop=_day("2019-10-15"),
        ),
    ]  # fmt: skip


def _heliosphere() -> list[CatalogDataset]:
    return [
        CatalogDataset(
            "PSP_FLD_L2_MAG_RTN_1MIN", "Parker Solar Probe", "FIELDS", "Parker Solar Probe magnetic field, one-minute",
            _day("2018-10-02"), timedelta(minutes=1),
            (_vector("psp_fld_l2_mag_RTN_1min", "magnetic_field", "nT", frame="RTN", columns=("B_R", "B_T", "B_N")),),
        ),
        CatalogDataset(
            "STA_L2_MAGPLASMA_1M", "STEREO-A", "IMPACT and PLASTIC", "STEREO-A magnetic field and plasma, one-minute",
            _day("2006-11-07"), timedelta(minutes=1),
            (_vector("BFIELDRTN", "magnetic_field", "nT", frame="RTN"), _series("BTOTAL", "magnetic_field", "nT"),
             _series("Vp", "speed", "km/s"), _series("Np", "density", "cm^-3"), _series("Tp", "temperature", "K", scale="log")),
        ),
        CatalogDataset(
            "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", "Solar Orbiter", "MAG", "Solar Orbiter magnetic field, one-minute",
            _day("2020-04-15"), timedelta(minutes=1), (_vector("B_RTN", "magnetic_field", "nT", frame="RTN"),),
        ),
    ]  # fmt: skip
