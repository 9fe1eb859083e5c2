"""Levels of products: data of the level that is named, or which levels there are."""

from __future__ import annotations

import pytest

from helio_dagster.agent.answers import Asked, Plan
from helio_dagster.catalog.choice.levels import levels_of
from tests.requests.test_never_other_things import answered

pytestmark = pytest.mark.xdist_group("requests")


@pytest.mark.parametrize(
    ("request_", "dataset"),
    [
        ("ACE MFI L2 2005-01-01", "AC_H0_MFI"),
        ("STEREO-A L1 magnetic field 2010-01-01", "STA_L1_MAG_RTN"),
        ("Level 1 STEREO-A magnetic field 2010-01-01", "STA_L1_MAG_RTN"),
        ("PSP SWEAP L3 proton density 2021-01-17", "PSP_SWP_SPC_L3I"),
        ("THEMIS-A L2 FGM 2010-01-01", "THA_L2_FGM"),
        ("Solar Orbiter MAG level 2 data 2021-01-17", "SOLO_L2_MAG-RTN-NORMAL-1-MINUTE"),
    ],
)
def test_data_of_the_level_are_taken(request_: str, dataset: str) -> None:
    """And the card says so."""
    plan = answered(request_)
    assert isinstance(plan, Plan), plan
    assert {each.fetch.dataset for each in plan.pipeline.steps if each.fetch} == {dataset}
    assert plan.ignored == ()
    assert any(each.startswith("Datasets of level") for each in plan.pipeline.assumptions)


@pytest.mark.parametrize(
    ("request_", "said", "choice"),
    [
        (
            "ACE MFI L3 2005-01-01",
            "no level 3 of the magnetic field of ACE; the catalog has level 2",
            "ACE MFI level 2 2005-01-01",
        ),
        ("ACE MFI level 3 B 2005-01-01", "no level 3", "ACE MFI level 2 B 2005-01-01"),
        ("ACE MFI key parameters 2005-01-01", "no key parameters", "ACE MFI level 2 2005-01-01"),
        ("ACE browse data B 2005-01-01", "no browse data", "ACE level 2 B 2005-01-01"),
        ("quicklook data MMS1 B 2017-07-11", "no quick-look data", "level 2 MMS1 B 2017-07-11"),
    ],
)
def test_another_level_is_not_taken_for_it(request_: str, said: str, choice: str) -> None:
    """Which levels there are is said, and offered."""
    asked = answered(request_)
    assert isinstance(asked, Asked), asked
    assert said in asked.question.text
    assert list(asked.question.choices) == [choice]
    assert isinstance(answered(choice), Plan)


def test_l1_is_a_place_where_the_spacecraft_is_there() -> None:
    """As it was before levels were read."""
    plan = answered("ACE L1 magnetic field 2005-01-01")
    assert isinstance(plan, Plan), plan
    assert not any("level" in each for each in plan.pipeline.assumptions)
    asked = answered("solar wind speed at L1 2005-01-01")
    assert isinstance(asked, Asked), asked
    assert asked.question.text.startswith("Which spacecraft at L1")


def test_what_the_catalog_does_not_tell_is_said() -> None:
    """OMNI has no levels."""
    plan = answered("OMNI level 2 speed 2005-01-01")
    assert isinstance(plan, Plan), plan
    assert "The catalog does not say whether the speed of OMNI is level 2." in plan.pipeline.assumptions


@pytest.mark.parametrize(
    ("dataset", "label", "levels"),
    [
        ("SOLO_L2_MAG-RTN-NORMAL", "Magnetic field", {"2"}),
        ("AC_H0_MFI", "H0 - ACE Magnetic Field 16-Second Level 2 Data", {"2"}),
        ("WI_K0_MFI", "Wind Magnetic Fields Investigation, Key Parameters", {"key"}),
        ("PSP_SWP_SPC_L3I", "level 3 ion data", {"3"}),
        ("STA_LB_IMPACT", "IMPACT beacon", {"browse"}),
        ("OMNI_HRO_1MIN", "OMNI combined", set()),
    ],
)
def test_levels_are_read_from_ids_and_labels(dataset: str, label: str, levels: set[str]) -> None:
    """An id counts before a label."""
    assert levels_of(dataset, label) == levels
