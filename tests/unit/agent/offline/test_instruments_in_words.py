"""Instruments and modes in requests: the names are the catalog's own, and the choice of datasets respects them."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked
from tests.unit.agent.offline.asking import ask, planned

NAMED = """
SOHO ERNE HED energetic proton flux on 2005-01-20 = SOHO_ERNE-HED_L2-1MIN/PH
MAVEN SWIA density on 2017-09-13 = MVN_INSITU_KP-4SEC/SWIA_Hplus_density
faraday cup density of Wind on 2010-01-01 = WI_H1_SWE/Proton_Np_nonlin
Cluster 1 CIS-HIA velocity on 2001-03-31 = C1_PP_CIS/V_HIA_xyz_gse__C1_PP_CIS
Van Allen Probe B REPT electron flux spectrogram on 2015-03-17 = RBSPB_REL03_ECT-REPT-SCI-L2/FESA
"""
IN_MODES = """
MMS1 magnetic field in GSE, burst mode, 2015-10-16 13:05-13:10 = MMS1_FGM_BRST_L2/mms1_fgm_b_gse_brst_l2_clean
MMS1 survey magnetic field in GSE on 2015-10-16 = MMS1_FGM_SRVY_L2/mms1_fgm_b_gse_srvy_l2_clean
MMS1 fast survey electron density on 2015-10-16 = MMS1_FPI_FAST_L2_DES-MOMS/mms1_des_numberdensity_fast
MMS1 burst electron density 2015-10-16 13:05-13:10 = MMS1_FPI_BRST_L2_DES-MOMS/mms1_des_numberdensity_brst
Wind magnetic field vector in high resolution, 2010-01-01 12:00 to 13:00 = WI_H2_MFI/BGSE
high-resolution |B| of ACE, 2003-10-29 06:00 to 07:00 = AC_H3_MFI/Magnitude
Cluster 1 spin-averaged magnetic field on 2001-03-31 = C1_CP_FGM_SPIN/B_vec_xyz_gse__C1_CP_FGM_SPIN
Van Allen Probe B REPT spin-averaged electron flux on 2015-03-17 = RBSPB_REL03_ECT-REPT-SCI-L2/FESA
"""


@pytest.mark.parametrize("line", [*NAMED.strip().splitlines(), *IN_MODES.strip().splitlines()])
def test_the_data_are_of_the_instrument_and_mode_named(line: str) -> None:
    """A part of an id, of a parameter's name, or a synonym tells the instrument; the mode keeps other files out."""
    request, _, expected = line.partition(" = ")
    fetched = [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in planned(request).steps if step.fetch]
    assert fetched == expected.split()


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("ACE magnetic field in burst mode on 2003-10-29", "no magnetic field in burst mode of ACE"),
        ("MMS1 burst survey magnetic field on 2015-10-16", "burst mode or survey mode"),
        ("ACE REPT speed on 2003-10-29", "REPT is an instrument of"),
    ],
)
def test_what_is_not_there_is_asked_about(request_text: str, words: str) -> None:
    """A mode without data, two modes, and the instrument of another mission."""
    answer = ask(request_text)
    assert isinstance(answer, Asked), answer
    assert words in answer.question.text


def test_one_instrument_is_of_what_follows_it() -> None:
    """What it does not measure is taken from where it is, before it and behind it."""
    steps = planned("MAVEN magnetic field in MSO and SWIA density on 2017-09-13").steps
    assert [step.fetch.parameter for step in steps if step.fetch] == ["MAG_field_MSO", "SWIA_Hplus_density"]
    steps = planned("MAVEN SWIA density and magnetic field in MSO on 2017-09-13").steps
    assert [step.fetch.parameter for step in steps if step.fetch] == ["SWIA_Hplus_density", "MAG_field_MSO"]


def test_a_word_in_small_letters_is_no_instrument_of_its_own() -> None:
    """`LET` is one of STEREO's, `let me see` is talk."""
    steps = planned("stereo-a let me see the speed on 2010-01-01").steps
    assert [step.fetch.dataset for step in steps if step.fetch] == ["STA_L2_MAGPLASMA_1M"]


def test_a_field_beside_a_plasma_instrument_is_the_magnetometers() -> None:
    """The files of ESA hold it in DSL only; and a card does not say that no dataset is named without naming the instrument."""
    pipeline = planned("THEMIS E ESA ion spectrogram and B in GSM on 2009-02-07")
    assert "THE_L2_FGM/the_fgs_gsm" in [f"{step.fetch.dataset}/{step.fetch.parameter}" for step in pipeline.steps if step.fetch]
    assert any(each.endswith("because the request names ESA and no dataset.") for each in pipeline.assumptions)


def test_a_plan_is_made_from_the_archive_that_it_fetches_from() -> None:
    """Its description names that of planetary data where they are of that."""
    pipeline = planned("Cassini magnetic field on 2004-07-01")
    assert {step.fetch.archive for step in pipeline.steps if step.fetch} == {"pds"}
    assert pipeline.description.endswith(" of the archive pds.")
