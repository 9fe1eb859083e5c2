"""`ion density` is that of a parameter described as ions, `proton density` of protons; what stands in is said."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, chain, planned


def test_ions_are_those_described_as_ions() -> None:
    """Cluster's key parameters have protons first, and hot ions beside them."""
    assert chain(planned("Cluster 3 ion density, 2003-02-14"))[0] == "density=C3_PP_CIS/N_HIA__C3_PP_CIS"
    assert chain(planned("Cluster 3 proton density, 2003-02-14"))[0] == "density=C3_PP_CIS/N_p__C3_PP_CIS"


@pytest.mark.parametrize(
    ("request_text", "said"),
    [
        ("THEMIS A proton density on 2017-12-20", "that of all ions (tha_peif_density), taken for the protons"),
        ("ACE ion density on 2003-10-29", "that of the protons (Np), taken for the ions"),
    ],
)
def test_what_stands_in_is_said(request_text: str, said: str) -> None:
    """Protons where ions are asked for, and the reverse, where the mission has nothing nearer."""
    assert any(said in each for each in planned(request_text).assumptions)


@pytest.mark.parametrize("request_text", ["THEMIS A ion density on 2017-12-20", "ACE proton density on 2003-10-29"])
def test_nothing_is_said_of_what_was_asked_for(request_text: str) -> None:
    """Ions that are ions, and protons that are protons."""
    assert not any("taken for the" in each for each in planned(request_text).assumptions)


def test_an_instrument_alone_names_its_spacecraft() -> None:
    """EPHIN is on SOHO and nowhere else; the plan says so."""
    pipeline = planned("EPHIN protons 10 MeV on 2001-04-15")
    assert pipeline.steps[0].fetch is not None
    assert pipeline.steps[0].fetch.dataset == "SOHO_COSTEP-EPHIN_L3I-10MIN"
    assert "EPHIN is an instrument of SOHO." in pipeline.assumptions


def test_where_no_channel_fits_the_flux_over_energy_is_named() -> None:
    """It is there, whatever its bins are."""
    answer = ask("EPHIN electrons 0.25-0.7 MeV on 2001-04-15")
    assert isinstance(answer, Asked)
    assert "SOHO has Electron of SO_K0_CST" in answer.question.text
