"""Which data a request is answered with: never other particles, another component or one spacecraft of four, unsaid."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from helio_dagster.domain.pipeline import Pipeline
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import ask, edited, planned, refine


def _fetched(pipeline: Pipeline) -> list[str]:
    return [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in pipeline.steps if step.fetch]


def _parameters(pipeline: Pipeline) -> list[str]:
    return [step.fetch.parameter for step in pipeline.steps if step.fetch]


@pytest.mark.parametrize("whose", ["ion", "proton", "plasma"])
def test_a_density_of_ions_is_not_that_of_neutral_molecules(whose: str) -> None:
    """MAVEN's file of key parameters holds the densities of CO, N2 and O beside those of the plasma."""
    assert _parameters(planned(f"MAVEN {whose} density on 2015-12-20")) == ["SWIA_Hplus_density"]


def test_a_density_of_neutrals_is_called_so() -> None:
    """Where a molecule is named, the plan does not say that the density is that of the ions."""
    pipeline = planned("MAVEN CO2 density on 2015-12-20")
    assert _parameters(pipeline) == ["NGIMS_CO2_density"]
    assert any("neutral particles" in each for each in pipeline.assumptions)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_flagged_samples_are_left_out_where_the_archive_has_such_a_twin(number: int) -> None:
    """Every spacecraft of MMS by the same rule."""
    assert _parameters(planned(f"MMS{number} magnetic field in GSE on 2017-07-11")) == [f"mms{number}_fgm_b_gse_srvy_l2_clean"]


def test_no_entry_made_by_hand_has_a_twin_without_flagged_samples() -> None:
    """Entries made by hand go before the snapshot: they must not bring the flagged samples back."""
    catalog = shipped_knowledge().catalog
    for entry in catalog.datasets("cdaweb"):
        facts = catalog.facts("cdaweb", entry.dataset)
        names = {each.name for each in facts.parameters} if facts is not None else set()
        assert not {f"{each.name}_clean" for each in entry.parameters} & names


@pytest.mark.parametrize(
    ("request_text", "indices"),
    [
        ("auroral electrojet AL and AU for day 80 of 2008", ["AL_INDEX", "AU_INDEX"]),
        ("AL and AU auroral electrojet indices on 2008-03-20", ["AL_INDEX", "AU_INDEX"]),
        ("auroral electrojet index on 2008-03-20", ["AE_INDEX"]),
        ("auroral electrojet indices on 2008-03-20", ["AE_INDEX", "AL_INDEX", "AU_INDEX"]),
    ],
)
def test_the_name_of_the_electrojet_adds_no_index_to_those_that_are_named(request_text: str, indices: list[str]) -> None:
    """`auroral electrojet` is AE only where none of the indices is named."""
    assert _parameters(planned(request_text)) == indices


def test_another_spacecraft_gets_the_same_number_of_a_field() -> None:
    """A magnitude stays one, a component stays that component, both from the twin of the dataset."""
    pipeline = edited("Voyager 2 magnetic field strength, October 2018", "also show Voyager 1 for the same period")
    assert _fetched(pipeline) == ["VOYAGER2_48S_MAG-VIM/F1", "VOYAGER1_48S_MAG-VIM/F1"]
    pipeline = edited("Voyager 1 BR in 2010", "add Voyager 2")
    assert _fetched(pipeline) == ["VOYAGER1_48S_MAG-VIM/BR", "VOYAGER2_48S_MAG-VIM/BR"]
    pipeline = edited("COHO Voyager 2 |B| in 1990", "also plot Voyager 1")
    assert _parameters(pipeline) == ["ABS_B", "ABS_B"]


def test_a_vector_that_must_be_composed_is_not_added_as_its_first_component() -> None:
    """Voyager has single components in the archive: what is offered instead can be added."""
    answer = refine("Ulysses magnetic field magnitude in 1994", "add Voyager 2")
    assert isinstance(answer, Asked)
    (choice,) = answer.question.choices
    assert _parameters(edited("Ulysses magnetic field magnitude in 1994", choice))[-1] == "ABS_B"


@pytest.mark.parametrize(
    ("given", "added", "parameter"),
    [
        ("MMS1 electron density on 2017-07-11", "add MMS2", "mms2_des_numberdensity_fast"),
        ("ACE alpha density on 2003-10-29", "add Wind", "Alpha_Na_nonlin"),
        ("MMS1 burst magnetic field on 2017-07-11 22:30-22:40", "add MMS2", "mms2_fgm_b_gse_brst_l2_clean"),
    ],
)
def test_another_spacecraft_is_added_with_the_same_particles_and_mode(given: str, added: str, parameter: str) -> None:
    """Electrons stay electrons, and burst data stay so."""
    assert _parameters(edited(given, added))[-1] == parameter


def test_the_twin_of_a_family_is_added() -> None:
    """Of Cluster 3 the ions of HIA where they are Cluster 1's, and not the protons of CODIF."""
    assert _parameters(edited("Cluster 1 ion density on 2005-03-10", "add Cluster 3"))[-1] == "N_HIA__C3_PP_CIS"


@pytest.mark.parametrize(
    ("request_text", "parameter"),
    [
        ("Wind ion temperature on 2003-10-29", "P_TEMP"),
        ("New Horizons ion temperature in 2012", "t"),
        ("New Horizons pickup ion density in 2012", "DENSITY"),
        ("ISEE-2 ion density on 1978-05-01", "DEN"),
        ("Cassini ion temperature on 2005-05-01", "H+_TEMP"),
        ("Polar ion speed on 1997-05-01", "BULK_VELOCITY_ION"),
    ],
)
def test_a_moment_is_that_of_all_particles_asked_for(request_text: str, parameter: str) -> None:
    """No correction, minimum, density of energy, solar wind of another spacecraft, or part of the particles unless named."""
    assert _parameters(planned(request_text)) == [parameter]


@pytest.mark.parametrize(
    "request_text",
    [
        "Van Allen Probe A ion velocity in GSE on 2013-03-17",
        "NOAA 14 magnetic field in GSM on 1998-05-01",
        "IBEX velocity in 2012",
    ],
)
def test_what_measures_nothing_of_it_is_not_taken(request_text: str) -> None:
    """The velocity of a spacecraft is not that of particles, and a model's field is not measured."""
    assert isinstance(ask(request_text), Asked)


def test_a_density_from_the_potential_is_said_to_be_that_of_the_electrons() -> None:
    """The electric field instrument counts no ions."""
    pipeline = planned("Van Allen Probe A density on 2013-03-17")
    assert any("is that of the electrons" in each for each in pipeline.assumptions)


def test_a_word_before_a_quantity_is_not_taken_as_another_kind_of_it() -> None:
    """A phase space density over anodes and energies is not the density of oxygen."""
    assert _parameters(planned("oxygen density of MMS1 HPCA on 2017-07-11")) == ["mms1_hpca_oplus_number_density"]


def test_a_parameter_by_its_own_name_keeps_what_is_listed_behind_it() -> None:
    """`O7/O6` is found by its letters; the speed stays."""
    assert _parameters(planned("ACE O7/O6 and proton speed in 2005")) == ["O7to6", "Vp"]


def test_particles_that_another_spacecraft_does_not_measure_are_not_replaced() -> None:
    """ACE has no electron density: its protons are not drawn for it."""
    answer = refine("Wind electron density on 2003-10-29", "add ACE")
    assert isinstance(answer, Asked)
    assert "no electron density of ACE" in answer.question.text


@pytest.mark.parametrize("words", ["MMS1 to MMS4", "MMS1 through MMS4", "MMS 1 to 4", "C1-C4", "THA to THD", "THEMIS A-D"])
def test_a_range_of_spacecraft_is_each_of_them(words: str) -> None:
    """None in the middle is lost."""
    named = planned(f"{words} |B| on 2017-07-11 22:00 to 23:00")
    assert len(_fetched(named)) == 4


def test_two_spacecraft_that_are_compared_are_two() -> None:
    """`to` between names is no range beside words for two."""
    assert len(_fetched(planned("compare MMS1 to MMS4 |B| on 2017-07-11"))) == 2


def test_a_mode_belongs_to_what_has_modes() -> None:
    """The magnetometer of MMS has one file for fast and slow survey, and an index has no mode."""
    text = "MMS 1 FPI ion density and FGM field in GSE, fast survey, 2017-07-11 22:00-23:00"
    assert _fetched(planned(text)) == [
        "MMS1_FPI_FAST_L2_DIS-MOMS/mms1_dis_numberdensity_fast",
        "MMS1_FGM_SRVY_L2/mms1_fgm_b_gse_srvy_l2_clean",
    ]
    assert _parameters(planned("MMS1 burst magnetic field with Dst on 2017-07-11"))[-1] == "DST"


def test_channels_that_begin_above_a_limit_are_named() -> None:
    """A range of energies is not all above a limit: the question names what there is."""
    answer = ask("Voyager 1 galactic cosmic ray proton flux above 70 MeV since 2012")
    assert isinstance(answer, Asked)
    assert "protonFlux9_CRS (Proton Flux 74.471 - 83.661 energy bins, MeV" in answer.question.text
    assert not answer.question.choices
    assert _parameters(planned("Voyager 1 protons of 180 MeV in 2015")) == ["protonFlux12_CRS"]


def test_a_flux_in_channels_is_not_said_to_be_missing() -> None:
    """Voyager's protons stand in single channels."""
    answer = ask("Voyager 1 energetic proton flux in 2013")
    assert isinstance(answer, Asked)
    assert "in single channels of energy" in answer.question.text
    assert _parameters(planned(answer.question.choices[0])) == ["protonFlux1_LECP"]


def test_channels_of_electrons_are_not_offered_for_ions() -> None:
    """Each choice is a channel of what is asked for, whatever the catalog's word for its flux."""
    answer = ask("Pioneer 11 proton flux on 1984-01-01")
    assert isinstance(answer, Asked)
    assert [_parameters(planned(each)) for each in answer.question.choices] == [[f"protonFlux{n}_CRT"] for n in (1, 2, 3)]


def test_the_carrington_longitude_is_the_one_that_rotates() -> None:
    """The heliographic longitude stays the inertial one; the plan says what was taken."""
    pipeline = planned("radial distance and Carrington longitude of Solar Orbiter in 2021")
    assert _parameters(pipeline) == ["RAD_AU", "HG_LON"]
    assert any("is Carrington's" in each for each in pipeline.assumptions)
    assert _parameters(planned("heliographic longitude of Solar Orbiter in 2021")) == ["HGI_LON"]


def test_an_altitude_is_found_by_its_own_words() -> None:
    """The snapshot has no name for this quantity."""
    pipeline = planned("MAVEN altitude and spacecraft position in MSO for 2016-05-01")
    assert _parameters(pipeline) == ["SPICE_spacecraft_altitude", "SPICE_spacecraft_MSO"]
    assert any("w.r.t. aeroid" in each for each in pipeline.assumptions)


def test_a_spectral_density_of_a_receiver_is_measured() -> None:
    """As its spectrogram is."""
    assert _parameters(planned("WFR magnetic spectral density of RBSP-A on 2012-10-08")) == ["BuBu"]
    assert _parameters(planned("WFR electric spectral density of RBSP-A on 2012-10-08")) == ["EuEu"]


def test_upstream_of_the_earth_is_the_solar_wind_of_omni() -> None:
    """As `in the solar wind` is."""
    assert all(each.startswith("OMNI") for each in _fetched(planned("Alfven speed upstream of Earth, 22-25 June 2015")))


def test_a_slope_takes_what_is_dense_enough_of_the_same_dataset() -> None:
    """The three-second field of the file whose one-minute field is usual; the plan says so."""
    pipeline = planned("power spectrum of the Wind magnetic field on 1995-02-10 with its slope between 0.001 and 0.1 Hz")
    assert _fetched(pipeline) == ["WI_H0_MFI/B3GSE"]
    assert "B3GSE is taken for its cadence of 3 seconds." in pipeline.assumptions
    assert (
        _parameters(planned("power spectrum of Wind |B| on 1995-02-10 with its slope between 0.0001 and 0.001 Hz"))[0] == "BGSE"
    )


def test_the_distance_of_a_spacecraft_from_a_model_boundary_is_refused_with_what_there_is() -> None:
    """The example that is given is planned."""
    answer = ask("Distance of THEMIS-A from the model bow shock on 2013-08-15")
    assert isinstance(answer, Asked)
    example = answer.question.text.split("`")[1]
    assert "XYZ_GSE" in _parameters(planned(example))
