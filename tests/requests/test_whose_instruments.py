"""Instruments: those a spacecraft lacks, two for one quantity, telescopes by direction; and misspelt names of missions."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "told", "choice"),
    [
        ("ACE WAVES radio spectrum 2003-10-29", "WAVES of ACE", "Wind WAVES radio spectrum 2003-10-29"),
        ("ACE REPT electron flux 2014-09-01", "REPT of ACE", "Van Allen Probe A REPT electron flux 2014-09-01"),
        ("MMS1 SWEPAM speed 2016-03-05", "SWEPAM of MMS1", "ACE SWEPAM speed 2016-03-05"),
    ],
)
def test_an_instrument_of_another_spacecraft_is_named(request_: str, told: str, choice: str) -> None:
    """Before any other word is asked about."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert f"I know no data of {told}" in asked.question.text
    assert choice in asked.question.choices


@pytest.mark.parametrize(
    ("request_", "datasets"),
    [
        ("MagEIS and REPT electron flux RBSP-B, 17 March 2013", ["RBSPB_REL03_ECT-MAGEIS-L2", "RBSPB_REL03_ECT-REPT-SCI-L2"]),
        ("SWE and 3DP proton density Wind 2005-08-24", ["WI_H1_SWE", "WI_PM_3DP"]),
        ("parker solar probe SWEAP/SPC proton density, encounter 2", ["PSP_SWP_SPC_L3I"]),
    ],
)
def test_two_instruments_are_drawn_both(request_: str, datasets: list[str]) -> None:
    """One panel each."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert [each.fetch.dataset for each in plan.pipeline.steps if each.fetch] == datasets
    figure = plan.pipeline.steps[-1].figure
    assert figure is not None
    assert len(figure.panels) == len(datasets)


@pytest.mark.parametrize(
    ("request_", "fetched"),
    [
        ("Solar Orbiter EPT sunward electrons 2021-10-28", "SOLO_L2_EPD-EPT-SUN-RATES/Electron_Flux"),
        ("Solar Orbiter EPT anti-sunward ions, 2021-10-28", "SOLO_L2_EPD-EPT-ASUN-RATES/Ion_Flux"),
        ("Solar Orbiter HET sunward protons 2021-10-28", "SOLO_L2_EPD-HET-SUN-RATES/H_Flux"),
    ],
)
def test_a_direction_is_that_of_the_telescope(request_: str, fetched: str) -> None:
    """The science data, of no other telescope."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert plan.ignored == ()
    assert [f"{each.fetch.dataset}/{each.fetch.parameter}" for each in plan.pipeline.steps if each.fetch] == [fetched]


def test_a_direction_of_something_else_is_asked_about() -> None:
    """It is never left out."""
    asked = answered("Solar Orbiter sunward speed 2021-10-28")
    assert isinstance(asked, Asked), asked
    assert "'sunward'" in asked.question.text


@pytest.mark.parametrize(
    ("request_", "prefix", "note"),
    [
        (
            "Van Allan Probe A EMFISIS magnetic field 2013-03-17",
            "RBSP-A",
            "'Van Allan Probe A' is read as 'Van Allen Probe A'.",
        ),
        (
            "Van Alen Probe B REPT electron spectrogram 2014-09-01",
            "RBSPB",
            "'Van Alen Probe B' is read as 'Van Allen Probe B'.",
        ),
        ("Solar Orbitor magnetic field RTN 2021-09-01", "SOLO", "'Solar Orbitor' is read as 'Solar Orbiter'."),
        ("Parker Solar Prob magnetic field RTN 2021-09-01", "PSP", "'Parker Solar Prob' is read as 'Parker Solar Probe'."),
        ("New Horizon SWAP speed 2012", "NEW_HORIZONS", "'New Horizon' is read as 'New Horizons'."),
    ],
)
def test_a_misspelt_name_of_several_words_is_mended(request_: str, prefix: str, note: str) -> None:
    """And its letter is that of the probe."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert note in plan.notes
    assert all(each.fetch.dataset.startswith(prefix) for each in plan.pipeline.steps if each.fetch)


def test_the_letter_of_a_probe_is_no_field() -> None:
    """Where no mission is named it is asked for."""
    asked = answered("Probe B REPT electron spectrogram 2014-09-01")
    assert isinstance(asked, Asked), asked
    assert asked.question.choices == ["Van Allen Probe B REPT electron spectrogram 2014-09-01"]
    plan = answered("THEMIS probe B magnetic field 2010-03-05")
    assert isinstance(plan, Plan), plan
    assert all(each.fetch.dataset.startswith("THB_") for each in plan.pipeline.steps if each.fetch)
