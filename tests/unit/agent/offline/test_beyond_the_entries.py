"""Missions and quantities that no entry was made for by hand are found in the catalog, and what is assumed is said."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, panels, planned

FOUND = """
MMS1 electron density = electrons_density=MMS1_FPI_FAST_L2_DES-MOMS/mms1_des_numberdensity_fast
Cluster 2 |B| = b_gse=C2_CP_FGM_5VPS/B_vec_xyz_gse__C2_CP_FGM_5VPS b_mag=magnitude(b_gse)
STEREO-B magnetic field = b_rtn=STB_L2_MAGPLASMA_1M/BFIELDRTN
IMP 8 |B| in 1989 = b_mag=I8_15SEC_MAG/F1_Average_B_15s
GOES 12 magnetic field in GSM = b_gsm=GOES12_K0_MAG/B_GSM_c
Voyager 2 speed in 1985 = speed=VOYAGER2_COHO1HR_MERGED_MAG_PLASMA/V
hourly Ulysses speed in 1994 = speed=UY_COHO1HR_MERGED_MAG_PLASMA/plasmaFlowSpeed
OMNI Bz GSM = b_z_gsm=OMNI_HRO_1MIN/BZ_GSM
ACE magnetic field in RTN = b_rtn=AC_H3_MFI/BRTN
Kp = kp=OMNI2_H0_MRG1HR/KP
Wind alpha density = alphas_density=WI_H1_SWE/Alpha_Na_nonlin
IMP-8 density in 1989 = density=I8_H0_MITPLASMA/proton_density_fit
MMS1 electric field = e_gse=MMS1_EDP_FAST_L2_DCE/mms1_edp_dce_gse_fast_l2
Van Allen Probe A electric field = e_mgse=RBSPA_EFW-L2_E-SPINFIT-MGSE/efield_spinfit_mgse
PSP velocity in RTN on 2018-11-06 = velocity_rtn=PSP_SWP_SPC_L3I/vp_fit_RTN
MESSENGER Br in 2011 = b_r_rtn=MESSENGER_MAG_RTN/B_radial
Bx of ISEE-3 during 1979 = b_se=ISEE-3_MAGPLASMA_2MIN_MAGNETIC_FIELD_PLASMA/B_se b_x=component(b_se,x)
Arase magnetic field in GSM = b_gsm=ERG_MGF_L2_8SEC/mag_8sec_gsm
"""


@pytest.mark.parametrize("line", FOUND.strip().splitlines())
def test_the_catalog_has_what_no_entry_has(line: str) -> None:
    """The quantity itself is fetched: no error bar, no other species, no component for a magnitude, no browse product first."""
    request, _, steps = line.partition(" = ")
    assert chain(planned(request)) == steps.split()


def test_an_entry_made_by_hand_comes_first() -> None:
    """What was checked by hand is preferred where it answers."""
    assert chain(planned("ACE density")) == ["density=AC_H0_SWE/Np"]


def test_a_dataset_that_is_over_gives_way_to_one_that_goes_on() -> None:
    """The range asked for decides: SWEPAM's science data are over in 2024."""
    steps = chain(planned("ACE speed in January 2025"))
    assert steps
    assert not steps[0].startswith("speed=AC_H0_SWE/")


def test_it_is_said_whose_density_is_shown() -> None:
    """Ions are not electrons."""
    assert "not of the electrons" in " ".join(planned("Solar Orbiter density").assumptions)


def test_numbers_of_different_units_have_panels_of_their_own() -> None:
    """Electronvolts and kelvins share no axis."""
    assert panels(planned("Solar Orbiter and PSP proton temperature")) == ["solo_temperature", "psp_temperature"]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("Cluster magnetic field", "Cluster 1 or Cluster 2"),
        ("GOES magnetic field", "do you mean by 'GOES'"),
        ("New Horizons |B|", "no magnetic field magnitude of New Horizons"),
        ("ACE HOPE density", "HOPE of ACE"),
        ("Wind density in 1985 from the Wind spacecraft", "Wind"),
    ],
)
def test_what_the_catalog_leaves_open_is_asked(request_text: str, words: str) -> None:
    """A fleet, an archive without the quantity, a shape or an instrument that is not there: no guess."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_joined_moments_are_of_the_same_particles() -> None:
    """`Electron density and temperature` is not a proton temperature; in another clause nothing is carried over."""
    steps = chain(planned("Wind electron density and temperature"))
    assert [step.partition("=")[0] for step in steps] == ["electrons_density", "electrons_temperature"]
    assert "temperature=AC_H0_SWE/Tpr" in " ".join(chain(planned("Wind electron density and ACE temperature")))


def test_a_spectrogram_is_of_all_directions_and_no_single_element() -> None:
    """The flux of iron is not the ions' flux."""
    assert chain(planned("MMS1 ion spectrogram")) == ["ions=MMS1_FPI_FAST_L2_DIS-MOMS/mms1_dis_energyspectr_omni_fast"]
    assert isinstance(ask("proton flux at ACE"), Asked)


def test_components_of_a_vector_come_from_one_dataset() -> None:
    """They are parts of one measurement: the vector is fetched once."""
    steps = chain(planned("Bx By Bz of Geotail in GSM 1998-05-04"))
    fetched = [step for step in steps if "/" in step]
    assert fetched == ["b_gsm=GE_EDB3SEC_MGF/BGSM"]
    assert steps[1:] == [f"b_{axis}=component(b_gsm,{axis})" for axis in "xyz"]


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        (
            "Van Allen Probe A magnetic field vector and Bz on 2016-03-23",
            ["b_gse=RBSP-A_MAGNETOMETER_1SEC-GSE_EMFISIS-L3/Mag", "b_z=component(b_gse,z)"],
        ),
        (
            "Wind velocity vector and Vz on 2010-07-03",
            ["velocity_gse=WI_PLSP_3DP/MOM.P.VELOCITY", "velocity_z=component(velocity_gse,z)"],
        ),
        (
            "MMS1 electric field vector and Ez on 2017-07-11",
            ["e_gse=MMS1_EDP_FAST_L2_DCE/mms1_edp_dce_gse_fast_l2", "e_z=component(e_gse,z)"],
        ),
    ],
)
def test_a_component_beside_its_vector_is_of_the_same_dataset(request_text: str, steps: list[str]) -> None:
    """Whatever dataset would be the usual one for the component alone."""
    assert chain(planned(request_text)) == steps


def test_components_whose_frame_the_catalog_does_not_tell_are_shown_and_it_is_said() -> None:
    """They are there: it is only not known along which axes."""
    pipeline = planned("ISEE-1 velocity on 1978-06-10")
    assert chain(pipeline) == ["velocity_x=ISEE1_H1_FPE/VX", "velocity_y=ISEE1_H1_FPE/VY"]
    assert "In which frame Vx of ISEE-1 stands is not in the catalog." in pipeline.assumptions


def test_ey_is_measured_in_the_magnetosphere_and_computed_in_the_solar_wind() -> None:
    """Minus V times Bz is no field that a spacecraft in the magnetosphere measures."""
    measured = ["e_gse=MMS1_EDP_FAST_L2_DCE/mms1_edp_dce_gse_fast_l2", "e_y=component(e_gse,y)"]
    assert chain(planned("MMS1 Ey on 2017-07-11")) == measured
    assert chain(planned("OMNI Ey on 2015-03-17"))[-1].startswith("dawn_dusk_electric_field=dawn_dusk_electric_field(")


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("THEMIS-A L shell on 2016-08-26", ["l_shell=THA_OR_SSC/L_VALUE"]),
        ("MMS1 magnetic local time on 2020-11-16", ["mlt=MMS1_MEC_SRVY_L2_EPHT89D/mms1_mec_mlt"]),
        ("THEMIS-E electric spectrogram on 2015-03-26", ["e_spectrum=THE_L2_FFT/the_fff_16_eac12"]),
        ("Cluster 1 magnetic field spectrogram on 2012-10-31", ["b_spectrum=C1_CP_STA_PPP/BSUM__C1_CP_STA_PPP"]),
        (
            "Cluster 2 and 4 electric spectrogram on 2001-08-27",
            [
                "cluster_2_e_spectrum=C2_CP_WHI_ACTIVE/Electric_Spectral_Power_Density__C2_CP_WHI_ACTIVE",
                "cluster_4_e_spectrum=C4_CP_WHI_ACTIVE/Electric_Spectral_Power_Density__C4_CP_WHI_ACTIVE",
            ],
        ),
        ("Polar electron spectrogram on 1998-05-04", ["electrons=PO_H0_HYD/ELECTRON_DIFFERENTIAL_ENERGY_FLUX"]),
        ("MAVEN ion spectrogram on 2020-01-16", ["ions=MVN_SWI_L2_ONBOARDSVYSPEC/spectra_diff_en_fluxes"]),
        ("Solar Orbiter ion spectrogram on 2022-12-31", ["ions=SOLO_L2_SWA-PAS-EFLUX/eflux"]),
        ("Arase XEP electrons 2017-09-07", ["electrons=ERG_XEP_L2_OMNIFLUX/FEDO_SSD"]),
    ],
)
def test_what_an_orbit_a_receiver_or_an_analyser_has_is_found(request_text: str, steps: list[str]) -> None:
    """A spectrogram of a whole vector cannot be computed; one over energy is of all directions by its description."""
    assert chain(planned(request_text)) == steps


def test_a_frame_that_is_not_catalogued_is_rotated_into() -> None:
    """Between frames of the Earth; it is said, and not done where it cannot be."""
    pipeline = planned("Bz GSM from DSCOVR on 2024-05-10")
    assert chain(pipeline) == ["b_gse=DSCOVR_H0_MAG/B1GSE", "b_gsm=transform_frame(b_gse,GSM)", "b_z=component(b_gsm,z)"]
    assert "catalogued in GSE and is rotated into GSM" in " ".join(pipeline.assumptions)
    assert isinstance(ask("Pioneer 10 magnetic field in GSM in December 1973"), Asked)


def test_lone_components_are_all_shown_where_the_vector_is_asked_for() -> None:
    """Of one dataset, and it is said."""
    pipeline = planned("Helios 1 velocity in 1975")
    home = "HELIOS1_40SEC_MAG-PLASMA/Vp"
    assert [step.partition("=")[2] for step in chain(pipeline)] == [f"{home}_{axis}" for axis in "RTN"]
    assert "single components of the velocity: all are shown" in " ".join(pipeline.assumptions)


def test_a_comparison_is_offered_without_the_one_that_has_nothing() -> None:
    """The others stay together."""
    answer = ask("compare the |B| of ACE, Wind and New Horizons in January 2010")
    assert isinstance(answer, Asked)
    assert "without New Horizons" in answer.question.text
    assert answer.question.choices == ["compare the |B| of ACE and Wind in January 2010"]


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("GOES-16 magnetic field on 2005-05-10", "10, 12 had one then"),
        ("Juno density", "no density of Juno"),
        ("CHAMP magnetic field", "no data of CHAMP"),
        ("magnetic field at L1 yesterday", "ACE, Wind or DSCOVR"),
    ],
)
def test_what_there_is_not_is_named_with_what_is_near(request_text: str, words: str) -> None:
    """Who had it then, where it is listed, or who is meant."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_planetary_data_that_are_not_offered_are_named_with_the_reason() -> None:
    """Where no other dataset of the mission has what is asked for."""
    answer = ask("Galileo plasma wave electric field spectrogram 1996-06-27")
    assert isinstance(answer, Asked)
    said = answer.question.text
    assert said.startswith("In the catalog I know no electric spectrogram of Galileo that is offered. pds3:GO-J-PWS-4-")
    assert "no label of its tables is in the catalog" in said


def test_planetary_missions_are_fetched_from_the_pds() -> None:
    """A vector of its components, of the kind of files with a record per second; but where CDAWeb has data, from there."""
    (fetch,) = [step.fetch for step in planned("Juno magnetic field 2016-08-27").steps if step.fetch]
    assert (fetch.archive, fetch.dataset) == ("pds", "pds3:JNO-J-3-FGM-CAL-V1.0:DATA@pc_r1s")
    assert fetch.parameter == "BX PLANETOCENTRIC,BY PLANETOCENTRIC,BZ PLANETOCENTRIC"
    assert [step.fetch.archive for step in planned("Galileo |B| 1997-06-26").steps if step.fetch] == ["pds"]
    assert [step.fetch.archive for step in planned("Cassini |B| 2010-01-02").steps if step.fetch] == ["pds"]
    assert [step.fetch.archive for step in planned("Cassini |B| 2001-01-02").steps if step.fetch] == ["cdaweb"]


def test_a_parameter_said_to_be_without_error_bars_is_no_error_bar() -> None:
    """DSCOVR's plasma is drawn with error bars and without them; its unit is one that pressures are computed of."""
    assert chain(planned("DSCOVR density and temperature on 2018-01-10")) == [
        "density=DSCOVR_H1_FC/Np",
        "temperature=DSCOVR_H1_FC/THERMAL_TEMP",
    ]
    steps = chain(planned("DSCOVR dynamic pressure, 2017-09-07"))
    assert steps[-1].startswith("dynamic_pressure=dynamic_pressure(density,speed_mag")


@pytest.mark.parametrize(
    ("request_text", "parameters"),
    [
        ("Voyager 2 magnetic field in 1985", ["B1", "B2", "B3"]),
        ("MESSENGER magnetic field on 2011-05-01", ["B_radial", "B_tangential", "B_normal"]),
    ],
)
def test_a_length_beside_lone_components_hides_them_not(request_text: str, parameters: list[str]) -> None:
    """What is catalogued with its length and its components is not said to have the length only."""
    pipeline = planned(request_text)
    assert [step.rpartition("/")[2] for step in chain(pipeline)] == parameters
    assert "single components" in " ".join(pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "last"),
    [
        ("clock angle from OMNI on 2015-03-17", "direction(b_gsm"),
        ("OMNI magnetic field vector in GSE on 2015-03-17", "compose_vector("),
        ("OMNI magnetic field in GSM on 2015-03-17", "compose_vector(b_gsm_bx_gse,b_gsm_by_gsm,b_gsm_bz_gsm,GSM)"),
        ("epsilon parameter from OMNI on 2015-03-17", "epsilon("),
        ("Voyager 2 magnetic field in RTN in 1985", "compose_vector("),
    ],
)
def test_a_vector_is_composed_of_its_components_where_one_is_needed(request_text: str, last: str) -> None:
    """Archives that store each component by itself have clock angles, too; it is said of which it is composed."""
    pipeline = planned(request_text)
    steps = chain(pipeline)
    assert any("=compose_vector(" in step for step in steps)
    assert steps[-1].partition("=")[2].startswith(last)
    assert "The vector is composed of" in " ".join(pipeline.assumptions)


def test_a_dataset_whose_parameters_are_not_known_is_named_with_the_remedy() -> None:
    """Nothing is said to be missing that was never read."""
    answer = ask("GOES-16 magnetic field on 2020-01-01")
    assert isinstance(answer, Asked)
    assert "helio catalog refresh --dataset DN_MAGN-L2-HIRES_G16" in answer.question.text


def test_what_a_mission_measured_by_words_is_no_component() -> None:
    """`measured by` is no By; and a frame is not denied that is there."""
    steps = chain(planned("plot the magnetic field components measured by Parker Solar Probe in RTN on 2018-11-06"))
    assert steps == ["b_rtn=PSP_FLD_L2_MAG_RTN_1MIN/psp_fld_l2_mag_RTN_1min"]


def test_temperatures_along_and_across_the_field_are_told_apart() -> None:
    """And taken where there is no temperature as one number, which a note says."""
    steps = chain(planned("MMS1 ion parallel and perpendicular temperature on 2016-12-09"))
    assert [step.rpartition("_")[0].rpartition("_")[2] for step in steps] == ["temppara", "tempperp"]
    answer = ask("MMS1 electron temperature on 2016-12-09")
    assert isinstance(answer, Plan)
    assert "no electron temperature of MMS1 as one number, but the parallel and the perpendicular one" in answer.notes[0]
    assert all("_des_temp" in step for step in chain(answer.pipeline))


@pytest.mark.parametrize(
    ("request_text", "parameter"),
    [("THEMIS-A ion spectrogram", "tha_peif_en_eflux"), ("THEMIS-E electron spectrogram", "the_peef_en_eflux")],
)
def test_a_spectrogram_is_of_the_particles_asked_for(request_text: str, parameter: str) -> None:
    """A dataset may hold both."""
    assert chain(planned(request_text))[0].endswith(f"THA_L2_ESA/{parameter}".replace("THA", parameter[:3].upper()))


def test_a_frame_like_another_is_not_taken_for_it() -> None:
    """HERTN is not RTN."""
    assert not any("HERTN" in step for step in chain(planned("STEREO-A velocity components in RTN, 2012-07-23")))


def test_what_the_archive_has_is_not_computed() -> None:
    """OMNI's own flow pressure goes before a computation, and is of the cadence of what stands beside it; that is said."""
    pipeline = planned("SYM-H and solar wind dynamic pressure from OMNI on 2015-03-17")
    assert chain(pipeline) == ["pressure=OMNI_HRO2_1MIN/Pressure", "sym_h=OMNI_HRO2_1MIN/SYM_H"]
    assert "the archive's own, not computed" in " ".join(pipeline.assumptions)
    assert chain(planned("Wind dynamic pressure on 2020-02-10"))[-1] == "dynamic_pressure=dynamic_pressure(density,speed)"


def test_what_one_dataset_has_is_taken_from_it() -> None:
    """Hourly speed gives way to that of one minute where the index beside it is of one minute; never to a coarser one."""
    pipeline = planned("OMNI speed and SYM-H on 2015-03-17")
    assert chain(pipeline) == ["speed=OMNI_HRO2_1MIN/flow_speed", "sym_h=OMNI_HRO2_1MIN/SYM_H"]
    assert "in one cadence" in " ".join(pipeline.assumptions)
    assert "OMNI2_H0_MRG1HR" not in " ".join(pipeline.assumptions)
    assert chain(planned("OMNI speed and Dst on 2015-03-17"))[0] == "speed=OMNI2_H0_MRG1HR/V"


def test_a_magnitude_is_made_of_components_where_there_is_nothing_else() -> None:
    """A dataset with Bx, By and Bz alone has the magnitude of the vector that they are."""
    pipeline = planned("|B| of WI_H1_SWE on 2015-03-17")
    assert chain(pipeline)[-2:] == ["b_gse=compose_vector(b_gse_bx,b_gse_by,b_gse_bz)", "b_mag=magnitude(b_gse)"]
    assert any("composed of BX, BY, BZ" in each for each in pipeline.assumptions)
