"""Data that an instrument and words of the catalog name, where no quantity known here does."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.unit.agent.offline.asking import ask, edited, refine


@pytest.mark.parametrize(
    ("request_text", "dataset", "parameter"),
    [
        ("STEREO-A SWAVES HFR 2021-10-09 6-8 UT", "STA_L3_WAV_HFR", "PSD_FLUX"),
        ("STEREO-A SWAVES hfr 2021-10-09 6-8 UT", "STA_L3_WAV_HFR", "PSD_FLUX"),
        ("Geotail LEP temperature 1995 dec 15 1200-1800", "GE_EDA12SEC_LEP", "T"),
        ("RBSP-A HFR spectra 2014-01-07", "RBSP-A_HFR-SPECTRA_EMFISIS-L2", "HFR_Spectra"),
        ("tha peir energy flux, 2009-03-07", "THA_L2_ESA", "tha_peir_en_eflux"),
        ("ERG PWE OFA E spectrum, 2017-04-05", "ERG_PWE_OFA_L2_SPEC", "E_spectra_132"),
    ],
)
def test_the_catalogs_parameter_is_taken_and_said(request_text: str, dataset: str, parameter: str) -> None:
    """The first dataset of the search that is by the instrument, with a note on what it is."""
    plan = ask(request_text)
    assert isinstance(plan, Plan), plan
    fetched = [(each.fetch.dataset, each.fetch.parameter) for each in plan.pipeline.steps if each.fetch]
    assert fetched == [(dataset, parameter)]
    assert any(f"is taken as {parameter} of {dataset}: " in each for each in plan.notes)


@pytest.mark.parametrize(
    ("request_text", "dataset", "parameter"),
    [
        ("Arase MEP-e electron spectrogram 2017-09-08", "ERG_MEPE_L2_OMNIFLUX", "FEDO"),
        ("Wind 3DP electron spectrogram 2015-03-17", "WI_ELSP_3DP", "FLUX"),
        ("Polar Hydra electron flux on 1 May 1998", "PO_H0_HYD", "ELECTRON_DIFFERENTIAL_ENERGY_FLUX"),
    ],
)
def test_a_flux_over_energy_of_an_instrument_is_its_spectrogram(request_text: str, dataset: str, parameter: str) -> None:
    """Its description says that it is of all directions; the plan says by which name it was chosen."""
    plan = ask(request_text)
    assert isinstance(plan, Plan), plan
    fetched = [(each.fetch.dataset, each.fetch.parameter) for each in plan.pipeline.steps if each.fetch]
    assert fetched == [(dataset, parameter)]
    assert any(each.startswith(f"{dataset} (") and "because the request names" in each for each in plan.pipeline.assumptions)


def test_an_index_beside_it_stays() -> None:
    """`& Kp` is drawn, too."""
    plan = ask("Arase MEP-e electron flux 2017-09-08 & Kp")
    assert isinstance(plan, Plan), plan
    assert [each.fetch.parameter for each in plan.pipeline.steps if each.fetch] == ["FEDO", "KP"]


def test_channels_are_offered() -> None:
    """One of several single channels is chosen by the person."""
    asked = ask("ACE EPAM LEMS120 protons, Dec 13-16, 2006")
    assert isinstance(asked, Asked), asked
    assert asked.question.choices
    assert all("of AC_H" in each and "Dec 13-16, 2006" in each for each in asked.question.choices)
    assert all("LEMS120" in each for each in asked.notes)


@pytest.mark.parametrize(
    "request_text", ["ACE frobnicator 2012-01-01", "everything about Wind on 2012-07-15", "ACE 2012-01-01"]
)
def test_nothing_is_taken_for_words_the_catalog_has_not(request_text: str) -> None:
    """Without an instrument and without a name of a parameter, it asks."""
    assert isinstance(ask(request_text), Asked)


def test_an_instrument_is_that_of_what_it_measures() -> None:
    """SPC has no field: Br is of the magnetometer."""
    plan = ask("psp spc proton speed, 5-7 Nov 2018, together with br")
    assert isinstance(plan, Plan), plan
    fetched = [each.fetch.dataset for each in plan.pipeline.steps if each.fetch]
    assert fetched == ["PSP_SWP_SPC_L3I", "PSP_FLD_L2_MAG_RTN_1MIN"]


def test_the_mission_image_has_no_magnetic_field() -> None:
    """Its instruments are named instead of a quantity that it never measured; and it is no picture."""
    asked = ask("IMAGE mission data for 2001-03-31")
    assert isinstance(asked, Asked), asked
    assert "RPI" in asked.question.text
    assert asked.question.choices == []


def test_limits_of_energies_are_in_the_unit_of_the_axis_or_ask_for_it() -> None:
    """They were set as numbers, whatever unit the axis had; of frequencies nothing tells it."""
    changed = edited("RBSP-A hope electron spectrogram 2013-06-01", "limit the energies to 100 eV - 10 keV")
    figure = changed.steps[-1].figure
    assert figure is not None
    assert list(figure.panels[0].y.range or ()) == [100, 10000]
    asked = refine("Wind WAVES RAD1 spectrogram 2001-04-21", "y axis from 100 kHz to 1 MHz")
    assert isinstance(asked, Asked), asked
    assert "`y axis from 100 to 1000` if it is in kHz" in asked.question.text


def test_a_spectrum_behind_its_field_is_of_that_alone() -> None:
    """`electric field spectrogram & EMFISIS |B|` draws the field itself."""
    plan = ask("RBSP-A EMFISIS WFR electric field spectrogram & EMFISIS |B| 2012-11-14")
    assert isinstance(plan, Plan), plan
    assert not any(each.compute and each.compute.operation == "power_spectrum" for each in plan.pipeline.steps)


def test_a_magnetic_spectrogram_is_not_the_electric_one() -> None:
    """`magnetic` was left out beside it."""
    plan = ask("Van Allen Probe B EMFISIS WFR magnetic spectrogram, 14 Nov 2012 noon to 6pm")
    assert isinstance(plan, Plan), plan
    assert [each.fetch.parameter for each in plan.pipeline.steps if each.fetch] == ["BuBu"]
