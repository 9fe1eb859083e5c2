"""What is offered has a plan; where one choice is left that only says more, it is planned and the card says so."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, chain, planned, refine


@pytest.mark.parametrize(
    ("request_text", "steps", "note"),
    [
        (
            "SEP event 2012-07-23 at STEREO-A: HET protons and SEPT electrons",
            ["spec_2_e=STA_L1_SEPT/Spec_2_E", "protons=STA_L1_HET/Proton_Flux"],
            "HET energetic proton flux and SEPT electron flux",
        ),
        ("Lyman alpha in 2003", ["solar_lyman_alpha=OMNI2_H0_MRG1HR/Solar_Lyman_alpha"], "Solar_Lyman_alpha of OMNI2"),
        ("ACE density in GSE, 2003-10-29", ["density=AC_H0_SWE/Np"], "so GSE changes nothing. It is taken as"),
        (
            "ACE speed and density in one panel, 2003-10-29",
            ["speed=AC_H0_SWE/Vp", "density=AC_H0_SWE/Np"],
            "These have no axis in common. It is taken as",
        ),
        (
            "IMP-8 plasma, March 1995",
            [
                "speed=I8_H0_MITPLASMA/V_fit",
                "density=I8_H0_MITPLASMA/proton_density_fit",
                "thermal_speed=I8_H0_MITPLASMA/protonV_thermal_fit",
            ],
            "no temperature of IMP-8",
        ),
    ],
)
def test_the_one_that_is_left_is_planned(request_text: str, steps: list[str], note: str) -> None:
    """No turn is spent on it."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert chain(answer.pipeline) == steps
    assert note in answer.notes[0]


@pytest.mark.parametrize(
    ("request_text", "reason"),
    [
        ("goes15 protons 2012-03-07", "I know no energetic proton flux of GOES 15"),
        ("MESSENGER magnetic field in MSO 23 Nov 2011", "Bn is not a component in MSO"),
    ],
)
def test_nothing_is_offered_that_cannot_be_had(request_text: str, reason: str) -> None:
    """The question says what stands in the way behind its choices."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert reason in answer.question.text
    assert answer.question.choices == []


@pytest.mark.parametrize(
    "request_text",
    [
        "GLE of 20 January 2005: protons at GOES-11 and SOHO ERNE",
        "Wind |B| in 2000 by month",
        "Cluster |B| in MSO, 2003-10-29",
        "what did the magnetic field at STEREO-B look like around 2012-07-23?",
    ],
)
def test_every_choice_has_a_plan(request_text: str) -> None:
    """Whichever is taken, there is no further question."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert answer.question.choices
    for choice in answer.question.choices:
        assert isinstance(ask(choice), Plan), choice


@pytest.mark.parametrize(
    "request_text", ["SOHO >10 MeV protons 2003-10-29", "sum of Kp in 2003", "ACE magnetic field in 1995", "ACE |B|, May 10"]
)
def test_no_spacecraft_time_or_number_is_chosen(request_text: str) -> None:
    """What a choice adds of these is asked about, though it is the only one."""
    assert isinstance(ask(request_text), Asked)


def test_all_that_is_not_clear_is_asked_at_once() -> None:
    """Words that are not understood, those that mean two things, and the time."""
    answer = ask("ACE XYZ electrons around 2003-10-29")
    assert isinstance(answer, Asked)
    for told in ("'XYZ'", "What of the electrons", "from when to when"):
        assert told in answer.question.text


@pytest.mark.parametrize(
    ("request_text", "steps", "assumed"),
    [
        ("IMF/density at ACE, 2003-10-29", ["b_gse=AC_H0_MFI/BGSEc", "density=AC_H0_SWE/Np"], ""),
        ("ACE density / temperature, 2003-10-29", ["density=AC_H0_SWE/Np", "temperature=AC_H0_SWE/Tpr"], "not as their ratio"),
        ("AC_H0_MFI/BGSEc 2003-10-29", ["b_gse=AC_H0_MFI/BGSEc"], ""),
        ("wind n v 2000-07-15", ["density=WI_H1_SWE/Proton_Np_nonlin", "speed=WI_H1_SWE/Proton_V_nonlin"], ""),
    ],
)
def test_slashes_and_letters_are_lists(request_text: str, steps: list[str], assumed: str) -> None:
    """Where it could be a ratio, an assumption says that it is not."""
    pipeline = planned(request_text)
    assert chain(pipeline)[: len(steps)] == steps
    assert any(assumed in str(each) for each in pipeline.assumptions)


def test_a_ratio_is_one_where_it_is_called_so() -> None:
    """The slash parts what is divided."""
    assert chain(planned("ratio of density/temperature at Wind, 2003-10-29"))[-1] == (
        "density_over_temperature=ratio(density,temperature)"
    )


@pytest.mark.parametrize(
    ("request_text", "assumed"),
    [
        ("Dst Friday 29 October 2003", "2003-10-29 is a Wednesday, not a Friday: the date counts."),
        ("Dst on 29 October 2003 (a Friday)", "2003-10-29 is a Wednesday, not a Friday: the date counts."),
        ("Dst on Wed, 29 October 2003", ""),
    ],
)
def test_a_weekday_is_checked_against_its_date(request_text: str, assumed: str) -> None:
    """The date counts."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == "2003-10-29 to 2003-10-30"
    told = [str(each) for each in answer.pipeline.assumptions if "the date counts" in str(each)]
    assert told == ([assumed] if assumed else [])


@pytest.mark.parametrize(
    ("request_text", "title"),
    [
        ('ACE |B| titled "Halloween storm, 2003", 2003-10-29', "Halloween storm, 2003"),
        ("Wind speed with the title Fast wind, 2003-10-29", "Fast wind"),
        ("ACE speed 2003-10-29, title: Big storm", "Big storm"),
        ("ACE speed 2003-10-29, and call it Big storm", "Big storm"),
    ],
)
def test_a_first_request_gives_a_title(request_text: str, title: str) -> None:
    """No word of it names data or a time."""
    answer = ask(request_text)
    assert isinstance(answer, Plan), answer
    assert answer.pipeline.title == title
    assert answer.ignored == ()
    assert str(answer.span) == "2003-10-29 to 2003-10-30"


def test_a_name_with_underscores_is_that_of_the_pipeline() -> None:
    """It is saved under it."""
    assert planned("ACE |B| on 2003-10-29, call it halloween_b").name == "halloween_b"


def test_a_shift_is_of_the_last_thing_listed() -> None:
    """Where only that is of its spacecraft."""
    pipeline = planned("AE and wind bz shifted by 55 min, 2003-10-29")
    assert chain(pipeline)[-1] == "wind_b_z_shifted=shift_time(wind_b_z,PT55M)"
    assert isinstance(ask("ACE density and speed shifted by 55 min, 2003-10-29"), Asked)


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("ACE SIS oxygen flux in October 2003", ["flux_o=AC_H1_SIS/flux_O"]),
        ("ACE SIS Fe and O, 2003-10-28", ["flux_fe=AC_H1_SIS/flux_Fe", "flux_o=AC_H1_SIS/flux_O"]),
        ("STEREO-A LET helium 2012-07-23", ["he4_unsec_flux=STA_L1_LET/He4_unsec_flux"]),
        ("STEREO-B LET protons 4-6 MeV in March 2012", ["protons=STB_L1_LET/H_unsec_flux"]),
        (
            "RBSP-B HOPE electrons 1 keV, 2014-08-28",
            ["electrons=RBSPB_REL04_ECT-HOPE-PA-L3/FEDO", "at_energy=slice(electrons,0,1.0,keV)"],
        ),
    ],
)
def test_elements_and_ranges_of_energies_of_an_instrument(request_text: str, steps: list[str]) -> None:
    """The card says which parameter it is, or how the energy is taken from the flux over all."""
    pipeline = planned(request_text)
    assert chain(pipeline) == steps
    ways = ("taken as", "from the flux over energy", "over all energies")
    assert any(words in str(each) for words in ways for each in pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_text", "last"),
    [
        ("average solar wind density for each day of 2009", "density_1day=resample(density,P1D,mean)"),
        ("OMNI Pdyn >10 nPa, 2015", "intervals=intervals_where(pressure,10,P3D)"),
        ("dates when F10.7 was above 200 in 2014", "intervals=intervals_where(f107,200,PT2H,P3D)"),
        ("ACE SWEPAM Np gap % Oct-Nov 2003", "density_facts=facts_of(density,['coverage'])"),
        ("Kp during september of 2017, in form of histogram", "kp_histogram=histogram(kp,50)"),
        ("when was the solar wind faster than 700 km/s in 2003", "intervals=intervals_where(speed,700,PT2H,P3D)"),
        (
            "spectral slope of the velocity fluctuations at Wind on 2002-05-23",
            "velocity_gse_slope=spectral_slope(velocity_gse_spectrum)",
        ),
        ("THEMIS-D ion velocity x in GSM on 2009-02-27", "velocity_x=component(velocity_gsm,x)"),
        ("the module of the magnetic field from Cluster 3 the 18 of march 2002", "b_mag=magnitude(b_gse)"),
    ],
)
def test_other_ways_to_say_it(request_text: str, last: str) -> None:
    """What is computed is the same."""
    assert chain(planned(request_text))[-1] == last


def test_hours_that_stand_apart_from_their_day() -> None:
    """The only ones in the sentence are those of the only day."""
    answer = ask("Wind on 22 January 2004: density, speed and |B| around the shock, say 00 to 06 UT")
    assert isinstance(answer, Plan), answer
    assert str(answer.span) == "2004-01-22 to 2004-01-22T06:00Z"


def test_so_it_is_beside_a_plan() -> None:
    """A new request while another pipeline is on the table."""
    answer = refine("Dst for November 2004", "Arase XEP electrons 2017-09-07")
    assert isinstance(answer, Plan), answer
    assert chain(answer.pipeline) == ["electrons=ERG_XEP_L2_OMNIFLUX/FEDO_SSD"]
