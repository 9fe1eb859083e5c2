"""What instruments measure themselves is taken from them: spectrograms, the flux of particles, ratios of charge states."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan

from .asking import ask, planned


def fetched(request_text: str) -> list[str]:
    """What the plan for a request fetches."""
    return [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in planned(request_text).steps if step.fetch]


@pytest.mark.parametrize(
    ("request_text", "wanted"),
    [
        ("spectrogram of RBSP-A EMFISIS HFR electric field 2013-03-17", ["RBSP-A_HFR-SPECTRA_EMFISIS-L2/HFR_Spectra"]),
        ("Wind WAVES RAD1 dynamic spectrum on 2012-01-23", ["WI_L2_WAV_RAD1/PSD_V2_S"]),
        ("Wind WAVES RAD1 and RAD2 dynamic spectrum on 2012-01-23", ["WI_L2_WAV_RAD1/PSD_V2_S", "WI_L2_WAV_RAD2/PSD_V2_S"]),
        ("STEREO-A SWAVES radio spectrogram 2012-01-23", ["STA_L3_WAV_HFR/STOKES_I"]),
        ("REPT electrons RBSP-A 2013-10-02", ["RBSPA_REL03_ECT-REPT-SCI-L2/FESA"]),
        ("ACE SWICS O7/O6, 2000 Apr", ["AC_H2_SWI/O7to6"]),
    ],
)
def test_what_an_instrument_measures_is_fetched(request_text: str, wanted: list[str]) -> None:
    """And nothing is computed from the field."""
    assert fetched(request_text) == wanted


@pytest.mark.parametrize(
    "request_text",
    ["THEMIS-A Bz GSM spectrogram 2013-03-17", "RBSP-A EMFISIS magnetic field magnitude spectrogram 2013-03-17"],
)
def test_a_spectrogram_of_one_number_is_computed(request_text: str) -> None:
    """Its window is the usual one, which the plan states."""
    answer = ask(request_text)
    assert isinstance(answer, Plan)
    assert [each for each in answer.pipeline.assumptions if each.endswith("because the request names no window.")]


def test_a_name_taken_from_the_catalog_is_said() -> None:
    """With the archive's description, so that a person sees what is meant."""
    answer = ask("ACE SWICS O7/O6, 2000 Apr")
    assert isinstance(answer, Plan)
    assert any("O+7/O+6" in note for note in answer.notes)


def test_l_star_is_not_the_l_shell() -> None:
    """One is of a field model: neither stands for the other."""
    assert isinstance(ask("L* of RBSP-A on 2014-01-05"), Asked)
    assert all(each.endswith("/L") for each in fetched("L shell of RBSP-A on 2014-01-05"))


@pytest.mark.parametrize(
    ("request_text", "symbols"),
    [
        ("Bz but not By from ACE in GSM on 2005-01-21", ["Bz GSM"]),
        ("Wind spacecraft plasma, no density or temperature, 2010-04-03", ["V"]),
        ("ACE plasma except temperature, 2010-04-03", ["V", "N"]),
    ],
)
def test_what_is_not_wanted_is_left_out(request_text: str, symbols: list[str]) -> None:
    """Which the card says."""
    pipeline = planned(request_text)
    figure = pipeline.steps[-1].figure
    assert figure is not None
    assert [panel.y.title for panel in figure.panels if panel.y] == symbols
    assert any("left out, as the request says" in each for each in pipeline.assumptions)


@pytest.mark.parametrize(
    "request_text",
    [
        "ACE speed without temperature correction 2010-04-03",
        "Wind density, speed without density, 2010-04-03",
        "ACE |B| without the magnetic field, 2003-10-29",
    ],
)
def test_what_may_mean_something_else_is_asked_about(request_text: str) -> None:
    """`without` is never passed over."""
    answer = ask(request_text)
    assert isinstance(answer, Asked)
    assert "without" in answer.question.text


def test_a_quantity_against_the_place_is_points() -> None:
    """As `speed against latitude` is drawn by everybody."""
    pipeline = planned("Ulysses speed against heliographic latitude, 1994 to 1996")
    assert [step.compute.operation for step in pipeline.steps if step.compute] == ["scatter"]


def test_bars_are_steps_and_it_is_said() -> None:
    """No bars are drawn over time."""
    answer = ask("Kp in March 2015 as bars")
    assert isinstance(answer, Plan)
    figure = answer.pipeline.steps[-1].figure
    assert figure is not None
    assert figure.panels[0].traces[0].draw == "steps"
    assert any("as steps" in note for note in answer.notes)
