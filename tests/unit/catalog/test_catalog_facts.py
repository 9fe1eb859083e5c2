"""What the shipped catalog says, held to the archive's own master files and to published facts."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import cdflib
import numpy as np
import pytest

from helio_dagster.catalog.database import CatalogDatabase, packaged_path
from helio_dagster.catalog.deriving import find_cadence, find_category, find_quantity, quantities, suggest_grain
from helio_dagster.catalog.hapi.snapshots import HapiSnapshots
from helio_dagster.catalog.missions import find_mission, mission_of, missions
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.units import normalize_unit
from tests.shipped_catalog import shipped_database
from tests.tiers import TIER

MASTERS = ["ac_h0_mfi", "fa_esa_l2_eeb", "thg_l2_mag_mek"]


@pytest.fixture(scope="module")
def catalog() -> CatalogDatabase:
    """The catalog that ships with the package."""
    return shipped_database()


def test_it_is_small_and_whole(catalog: CatalogDatabase) -> None:
    """At most 3 MB; all of CDAWeb's datasets and the planetary ones; says where it is from."""
    assert packaged_path().stat().st_size <= 3_000_000
    assert int(catalog.meta["datasets"]) == len(catalog.names()) > 4000
    assert int(catalog.meta["parameters"]) > 75_000
    assert "xhelio" in catalog.meta["attribution"]
    assert sum(counts.get("cdaweb", 0) for counts in catalog.mission_counts().values()) == 2917


@pytest.mark.parametrize("name", MASTERS)
def test_parameters_are_those_of_the_master(catalog: CatalogDatabase, shared_data: Path, name: str) -> None:
    """Names, descriptions, units and sizes of data variables agree with the published master, read by another reader."""
    cdf = cdflib.CDF(next((shared_data / "masters").glob(f"{name}*.cdf")))
    facts = catalog.dataset(name)
    assert facts is not None
    compared = 0
    for variable in [*cdf.cdf_info().rVariables, *cdf.cdf_info().zVariables]:
        attributes = cdf.varattsget(variable)
        parameter = facts.parameter(variable)
        if str(attributes.get("VAR_TYPE")).lower() != "data" or parameter is None:
            continue
        compared += 1
        assert parameter.given_unit == str(attributes.get("UNITS", parameter.given_unit)).strip()
        sizes = tuple(size for size in cdf.varinq(variable).Dim_Sizes if size > 1)
        assert tuple(size for size in parameter.size if size > 1) == sizes
        if parameter.fill is not None and "FILLVAL" in attributes:
            assert np.isclose(float(parameter.fill), float(np.ravel(attributes["FILLVAL"])[0]), rtol=1e-6, equal_nan=True)
    assert compared >= 1


def test_every_dataset_has_a_mission(catalog: CatalogDatabase) -> None:
    """No dataset is left over, and every mission of the table has datasets."""
    counts = catalog.mission_counts()
    assert "other" not in counts
    vires = HapiSnapshots(Path("none")).databases["hapi:vires"].mission_counts()
    assert {mission.name for mission in missions()} == {*counts, *vires}


@pytest.mark.parametrize(
    ("dataset", "mission"),
    [
        ("AC_H0_MFI", "ACE"),
        ("OMNI2_H0_MRG1HR", "OMNI"),
        ("RBSP-A_MAGNETOMETER_1SEC-GSE_EMFISIS-L3", "Van Allen Probe A"),
        ("RBSPB_REL04_ECT-HOPE-PA-L3", "Van Allen Probe B"),
        ("STA_L2_MAGPLASMA_1M", "STEREO-A"),
        ("THE_L2_FGM", "THEMIS-E"),
        ("DN_K0_GBAY", "Ground stations"),
        ("DN_MAGN-L2-HIRES_G15", "GOES"),
    ],
)
def test_an_id_tells_its_mission(dataset: str, mission: str) -> None:
    """By the longest known beginning."""
    found = mission_of(dataset)
    assert found is not None
    assert found.name == mission


@pytest.mark.parametrize(("name", "mission"), [("psp", "Parker Solar Probe"), ("SolO", "Solar Orbiter"), ("tha", "THEMIS-A")])
def test_a_mission_is_found_by_what_it_is_called(name: str, mission: str) -> None:
    """In any case."""
    assert find_mission(name).name == mission


def test_an_unknown_mission_is_refused_with_near_names() -> None:
    """What is wrong, and what may have been meant."""
    with pytest.raises(InputError, match="no mission 'Ulyses'") as caught:
        find_mission("Ulyses")
    assert "Ulysses" in str(caught.value.hint) or "ulysses" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "description", "unit", "quantity"),
    [
        ("BGSEc", "Magnetic Field Vector in GSE Cartesian coordinates (16 sec)", "nT", "magnetic field"),
        ("Np", "[PRELIM] Solar Wind Proton Number Density, scalar", "#/cc", "density"),
        ("Vp", "Solar Wind Proton Bulk Speed, scalar", "km/s", "speed"),
        ("DST1800", "Dst - 1-hour Dst index (1963/001-2014/366)", "nT", "dst index"),
        ("flag", "Quality flag", "", "quality"),
        ("x", "", "furlong", None),
    ],
)
def test_a_quantity_is_told_by_words_and_unit(name: str, description: str, unit: str, quantity: str | None) -> None:
    """And it says from which of them; nothing is claimed where nothing tells."""
    found = find_quantity(name, description, (unit,))
    assert (found.value if found else None) == quantity
    assert found is None or (found.source and found.certainty in ("likely", "guess"))


def test_a_unit_of_another_dimension_tells_otherwise() -> None:
    """A field in V/m is electric, whatever it is called."""
    found = find_quantity("field", "vector of the field", ("mV/m",))
    assert found is None or found.value != "magnetic field"


@pytest.mark.parametrize(
    ("dataset", "label", "seconds"),
    [
        ("AC_H0_MFI", "ACE Magnetic Field 16-Second Level 2 Data", 16),
        ("OMNI_HRO_1MIN", "OMNI Combined, Definitive, 1-minute IMF", 60),
        ("STA_COHO1HR_MERGED_MAG_PLASMA", "Merged hourly magnetic field", 3600),
        ("X_50MS", "Fast time resolution (50ms)", 0.05),
    ],
)
def test_a_cadence_is_read_from_label_or_id(dataset: str, label: str, seconds: float) -> None:
    """With where it was read."""
    found = find_cadence(dataset, label, [])
    assert found is not None
    assert found[0] == timedelta(seconds=seconds)
    assert found[1].source in ("label", "id")


def test_the_cadence_of_a_position_is_not_that_of_the_field() -> None:
    """Where a spacecraft is comes seldom; what it measures often."""
    assert (
        find_cadence("MMS1_FGM_SRVY_L2", "Magnetic field", ["Vector in GSE", "Definitive Position in GSE, 30 second"]) is None
    )


@pytest.mark.parametrize(("dataset", "grain"), [("MMS1_FGM_BRST_L2", "hourly"), ("MMS1_FGM_SRVY_L2", "daily")])
def test_bursts_are_planned_by_the_hour(dataset: str, grain: str) -> None:
    """A day of them is more than anybody asks for at once."""
    assert suggest_grain(None, dataset).value == grain


def test_no_cadence_is_made_up() -> None:
    """Where neither label nor id nor parameters tell one, there is none."""
    assert find_cadence("PO_H0_HYD", "Polar Fast Plasma Analyzer", ["Electron density"]) is None


@pytest.mark.parametrize(
    ("dataset", "label", "category"),
    [
        ("AC_H0_MFI", "ACE Magnetic Field", "science"),
        ("WI_OR_DEF", "Wind Definitive Orbit", "ephemeris"),
        ("IM_ELECTRON_DENSITY_RPI", "Electron density along the spacecraft orbit", "science"),
        ("BAR_4F_L2_HKPG", "Analog Housekeeping Data", "housekeeping"),
        ("SOLO_COHO1HR_MERGED_MAG_PLASMA", "Merged hourly data of Solar Orbiter", "science"),
    ],
)
def test_what_a_dataset_is_for(dataset: str, label: str, category: str) -> None:
    """An orbiter is not an orbit."""
    assert find_category(dataset, label, "plasma") == category


def test_quantities_are_listed_once() -> None:
    """Facets offer each by one name."""
    assert len(set(quantities())) == len(quantities()) > 40


@pytest.mark.parametrize("content", [None, b"", b"not a database at all", b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_catalog_is_a_clear_error(tmp_path: Path, content: bytes | None) -> None:
    """Which file, what is wrong, what to do."""
    path = tmp_path / "catalog.sqlite"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StorageError, match="catalog"):
        CatalogDatabase(path)


def test_another_layout_is_refused(tmp_path: Path) -> None:
    """A file of another version of the package is not read as if it were of this one."""
    import sqlite3
    from contextlib import closing

    path = tmp_path / "catalog.sqlite"
    path.write_bytes(packaged_path().read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'schema'")
        connection.commit()
    with pytest.raises(StorageError, match="layout"):
        CatalogDatabase(path)


@pytest.mark.parametrize(
    ("name", "description", "unit", "quantity"),
    [
        ("Np", "Scalar solar wind density. (w/o error bars)", "#/cc (w/o error bars)", "density"),
        ("THERMAL_TEMP", "Solar wind proton temperature (w/o error bars)", "K (w/o error bars)", "temperature"),
        ("E_gse_l2", "DC E Field (GSE coords) calibrated, all flag values included", "mV/m", "electric field"),
        ("np_fit_gd", "[Total] proton density, from fitting. (Only Good Quality)", "(Good Qs) cm^{-3}", "density"),
        ("vp_fit_gd", "Proton bulk velocity, from fitting, in the RTN frame (Only Good Quality)", "", "velocity"),
        ("BR", "BR in RTN coordinate system (w/ uncertainty)", "nT", "magnetic field"),
        (
            "flux_O",
            "O intensity, at 7 energies (time-series with uncertainties)",
            "1/(cm2 Sr sec MeV/nucleon)",
            "particle flux",
        ),
        ("N_e", "electron density (consult quality flag and PI before use)", "cm^-3", "density"),
        ("DELTA_B_GEO", "Geomagnetic Field Perturbation (Geocentric Coordinates)", "nT", "magnetic field"),
        ("TOTAL", "TOTAL ION DENSITY RANGE = 10 - 10**6 1/CM^3 UNCERTAINTY = +/-10%", "1/cm**3", "density"),
        (
            "eflux",
            "Average Electron Flux (corrected for dead-time errors and other sources)",
            "e/(cm^2-s-sr-keV)",
            "energy flux",
        ),
    ],
)
def test_a_remark_on_errors_or_quality_makes_no_other_quantity(name: str, description: str, unit: str, quantity: str) -> None:
    """What is drawn beside the data, and which records were let through, is not what is measured."""
    found = find_quantity(name, description, (unit, normalize_unit(unit)))
    assert found is not None
    assert found.value == quantity


@pytest.mark.parametrize(
    ("name", "description", "unit", "quantity"),
    [
        ("sigmaNp", "1-sigma uncertainty in the proton density", "cm^{-3}", "uncertainty"),
        ("np_deltahigh", "upper uncertainty", "cm^-3", "uncertainty"),
        ("edp_dce_err", "Approximate DC E field error derived from SDP (quality and bitmask)", "mV/m", "uncertainty"),
        ("BRMSF1", "RMS magnitude (1 min)", "nT (1min)", "uncertainty"),
        ("SIGMA-B", "RMS deviation of magnitude of the average vector field (nT)", "nT", "uncertainty"),
        ("Fvar2", "Flux Variance, Channel 2", "(/cm2-s-sr-keV)^2", "uncertainty"),
        ("Electron_density_quality", "Solar wind electron density data quality", "cm^-3", "quality"),
        ("efs_q_mag", "EFS_Q_MAG (Data Quality Parameter: set to NaN)", "mV/m", "quality"),
        ("QF_V", "Velocity Quality Flag: 0=OK; 2 = caution", "", "quality"),
    ],
)
def test_errors_and_quality_are_told(name: str, description: str, unit: str, quantity: str) -> None:
    """By the name, or by a description that is about them."""
    found = find_quantity(name, description, (unit, normalize_unit(unit)))
    assert found is not None
    assert found.value == quantity


@pytest.mark.parametrize(
    ("name", "description", "size", "quantity"),
    [
        ("Vth", "Proton most-probable thermal speed", (), "thermal speed"),
        ("V", "Ion bulk flow velocity, 3 GSE components", (3,), "velocity"),
        ("V", "Flow Speed, GSE", (), "speed"),
        ("V_p", "Solar Wind Proton Speed", (3,), "velocity"),
    ],
)
def test_a_flow_is_told_from_its_speed_and_from_the_spread(
    name: str, description: str, size: tuple[int, ...], quantity: str
) -> None:
    """Three numbers are no speed, and a thermal speed is none of the flow."""
    found = find_quantity(name, description, ("km/s",), size)
    assert found is not None
    assert found.value == quantity


@pytest.mark.slow
def test_no_number_in_a_physical_unit_is_called_a_quality_by_a_remark(catalog: CatalogDatabase) -> None:
    """Over the whole catalog: where a quality has a unit of fields and plasmas, its own name or description says so."""
    physical = {"nT", "km/s", "cm^-3", "K", "eV", "mV/m", "V/m"}
    step = 1 if TIER == "nightly" else 8  # neighbours in the catalog are of one family
    for number, name in list(enumerate(catalog.names()))[::step]:
        for each in catalog.numbered(number).parameters:
            if str(each.quantity) == "quality" and each.unit in physical:
                assert re.search("quality", f"{each.name} {each.description}", re.IGNORECASE), f"{name} {each.name}"
                assert "only good" not in each.description.casefold(), f"{name} {each.name}"


@pytest.mark.parametrize(
    ("dataset", "parameter", "quantity", "unit", "frame"),
    [
        ("DSCOVR_H1_FC", "V_GSE", "velocity", "km/s", "GSE"),
        ("MMS1_EDP_FAST_L2_DCE", "mms1_edp_dce_gse_fast_l2", "electric field", "mV/m", "GSE"),
        ("PSP_SWP_SPC_L3I", "vp_moment_RTN_gd", "velocity", "", "RTN"),
        ("MESSENGER_MAG_RTN", "B_radial_200", "magnetic field", "nT", "RTN"),
        ("I8_15SEC_MAG", "B_Vector_GSE", "magnetic field", "nT", "GSE"),
        ("G12_L2_MAG", "g12_b_gsm", "magnetic field", "", "GSM"),
        ("RBSPA_EFW-L2_E-SPINFIT-MGSE", "efield_spinfit_mgse", "electric field", "", "MGSE"),
        ("C1_PP_CIS", "T_p_par__C1_PP_CIS", "temperature", "MK", None),
        ("OMNI2_H0_MRG1HR", "PR-FLX_10", "proton flux", "cm^-2 s^-1 sr^-1", None),
        ("STA_L2_MAGPLASMA_1M", "Tp", "temperature", "K", None),
    ],
)
def test_main_data_of_missions_are_told_for_what_they_are(
    catalog: CatalogDatabase, dataset: str, parameter: str, quantity: str, unit: str, frame: str | None
) -> None:
    """Quantity, unit and frame of what was hidden by a remark, a way of writing a unit, or a lone letter."""
    facts = catalog.dataset(dataset)
    told = facts.parameter(parameter) if facts else None
    assert told is not None
    assert str(told.quantity) == quantity
    assert told.unit == unit
    assert (told.frame.value if told.frame else None) == frame
