"""Any parameter of the catalog can be asked for by its name; what is a name and what a word, and whose it is."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.knowledge import shipped_knowledge
from tests.unit.agent.offline.asking import ask, chain, edited, panels, planned

FE, OXYGEN = "flux_fe=AC_H2_CRIS/flux_Fe", "flux_o=AC_H2_CRIS/flux_O"
JANUARY = "in January 2010"


@pytest.mark.parametrize(
    ("request_text", "steps"),
    [
        ("flux_Fe of AC_H2_CRIS", [FE]),
        ("AC_H2_CRIS flux_fe", [FE]),
        ("flux_Fe and flux_O of AC_H2_CRIS", [FE, OXYGEN]),
        ("AC_H2_CRIS flux_Fe, flux_O", [FE, OXYGEN]),
        ("flux_Fe from AC_H2_CRIS and from AC_H3_CRIS", [FE, "flux_fe_2=AC_H3_CRIS/flux_Fe"]),
        ("AC_H2_CRIS flux_Fe and WI_H1_SWE Proton_W_nonlin", ["ace_flux_fe=AC_H2_CRIS/flux_Fe", "wind_thermal_speed=*"]),
        ("flux_Fe of AC_H2_CRIS and ACE Bz GSM", [FE, "b_gsm=AC_H0_MFI/BGSM", "b_z=component(b_gsm,z)"]),
        ("magnitude of BGSM of AC_H0_MFI", ["b_gsm=AC_H0_MFI/BGSM", "b_mag=magnitude(b_gsm)"]),
        ("AC_H0_SWE Tpr and Vp", ["temperature=AC_H0_SWE/Tpr", "speed=AC_H0_SWE/Vp"]),
        ("daily means of O7to6 of AC_H2_SWI", ["o7to6=AC_H2_SWI/O7to6", "o7to6_1day=resample(o7to6,P1D,mean)"]),
    ],
)
def test_a_parameter_is_named_with_its_dataset(request_text: str, steps: list[str]) -> None:
    """Before or behind it, several of one, one of several, beside quantities, and with what is computed of it."""
    found = chain(planned(f"{request_text} {JANUARY}"))
    assert len(found) == len(steps)
    assert all(
        each == step or (step.endswith("*") and each.startswith(step[:-1])) for each, step in zip(found, steps, strict=True)
    )


def test_its_panel_is_called_by_its_name() -> None:
    """Nothing more is known of it than what the archive calls it."""
    pipeline = planned(f"flux_Fe and flux_O of AC_H2_CRIS {JANUARY}")
    assert pipeline.title == "ACE flux_Fe and flux_O"
    assert panels(pipeline) == ["flux_fe", "flux_o"]


def test_words_that_mean_something_keep_their_meaning() -> None:
    """`Np` is the density whether or not a dataset has a parameter of that name."""
    assert planned(f"Np of AC_H0_SWE {JANUARY}") == planned(f"density of AC_H0_SWE {JANUARY}")


def test_a_name_that_the_dataset_has_not_is_asked_about() -> None:
    """With names that are like it; each choice is understood."""
    answer = ask(f"flux_Xe of AC_H2_CRIS {JANUARY}")
    assert isinstance(answer, Asked)
    assert "AC_H2_CRIS has no parameter 'flux_Xe'" in answer.question.text
    assert "flux_Fe of AC_H2_CRIS in January 2010" in answer.question.choices
    for choice in answer.question.choices:
        planned(choice)


def test_what_its_dataset_does_not_hold_is_asked_about() -> None:
    """Whose field is meant is not told by a dataset of ions."""
    answer = ask(f"O7to6 of AC_H2_SWI and |B| {JANUARY}")
    assert isinstance(answer, Asked)
    assert answer.question.text == "From which spacecraft do you want the magnetic field?"


def test_a_number_has_no_magnitude() -> None:
    """The word is not left out silently."""
    answer = ask(f"magnitude of O7to6 of AC_H2_SWI {JANUARY}")
    assert isinstance(answer, Asked)
    assert "not a vector" in answer.question.text
    assert answer.question.choices == ["O7to6 of AC_H2_SWI in January 2010"]


def test_a_dataset_alone_is_asked_which_parameter() -> None:
    """Those that tell what it is for are offered, not its times and flags."""
    answer = ask(f"AC_H2_CRIS {JANUARY}")
    assert isinstance(answer, Asked)
    assert answer.question.text == "Which parameter of AC_H2_CRIS?"
    facts = shipped_knowledge().catalog.facts("cdaweb", "AC_H2_CRIS")
    assert facts is not None
    for choice in answer.question.choices:
        parameter = facts.parameter(choice.split()[0])
        assert parameter is not None
        assert "MeV^-1" in parameter.unit


def test_a_spectrogram_is_not_averaged_by_another_name() -> None:
    """And the request without the average is offered."""
    answer = ask(f"hourly means of flux_Fe of AC_H2_CRIS {JANUARY}")
    assert isinstance(answer, Asked)
    assert answer.question.choices == ["flux_Fe of AC_H2_CRIS in January 2010"]


def test_a_parameter_is_added_to_what_is_drawn() -> None:
    """One more panel."""
    pipeline = edited("Wind |B| on 2020-01-01", "also Alpha_W_Nonlin of WI_H1_SWE")
    assert panels(pipeline) == ["b_mag", "alpha_w_nonlin"]


@pytest.mark.parametrize(
    ("request_text", "fetched"),
    [
        ("Wind thermal speed on 2020-01-01", "WI_H1_SWE/Proton_W_nonlin"),
        ("thermal speed of the protons at ACE on 2010-03-01", "AC_H6_SWI/vthH"),
        ("ion thermal speed of THEMIS-A on 2010-01-01", "THA_L2_ESA/tha_peif_vthermal"),
    ],
)
def test_thermal_speed_is_a_quantity(request_text: str, fetched: str) -> None:
    """That of the component along or across the field is another."""
    assert chain(planned(request_text)) == [f"thermal_speed={fetched}"]
