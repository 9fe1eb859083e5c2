"""Data of HAPI servers in words, without a network: a plan that fetches from the server, or what is missing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Asked, Edits, Plan
from helio_dagster.agent.drafting.drafter import as_file
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Current, Situation
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 11, 28, tzinfo=UTC)
PLANNER = OfflinePlanner(shipped_knowledge())


def planned(request: str) -> Plan:
    """The plan of a request."""
    answer = PLANNER.answer(Situation(request, NOW))
    assert isinstance(answer, Plan), answer
    return answer


def fetches(request: str) -> list[tuple[str, str, str]]:
    """What a plan fetches."""
    steps = planned(request).pipeline.steps
    return [(step.fetch.archive, step.fetch.dataset, step.fetch.parameter) for step in steps if step.fetch]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("TSI from LISIRD in 2010", ("hapi:lisird", "sorce_tsi_24hr_l3", "tsi_1au")),
        ("INTERMAGNET H of Boulder 2024-05-10", ("hapi:intermagnet", "bou/best-avail/PT1M/hdzf", "Field_Vector")),
        (
            "magnetic field vector of Kakioka, INTERMAGNET, 2003-10-29",
            ("hapi:intermagnet", "kak/definitive/PT1M/xyzf", "Field_Vector"),
        ),
        ("ACE Bz from ISWA 2015-03-17", ("hapi:iswa", "ace_mag_P1M", "B_z")),
        ("Kp from CCMC 2015-03-17", ("hapi:iswa", "NOAA_KP_P3H", "KP")),
        ("Swarm A magnetic field 2020-05-01", ("hapi:vires", "SW_OPER_MAGA_LR_1B", "B_NEC")),
        ("Swarm B magnetic field from VirES 2020-05-01", ("hapi:vires", "SW_OPER_MAGB_LR_1B", "B_NEC")),
    ],
)
def test_data_of_a_server_are_planned(request_: str, expected: tuple[str, str, str]) -> None:
    """By the server's name, or by a mission that no other archive has."""
    assert fetches(request_) == [expected]


def test_they_are_treated_and_compared_as_others_are() -> None:
    """A component of the vector is averaged, beside data of CDAWeb."""
    plan = planned("OMNI Dst and 10-minute mean of H of Honolulu from INTERMAGNET on 2015-03-17")
    computed = {step.id: (step.compute.operation, step.compute.options) for step in plan.pipeline.steps if step.compute}
    assert ("component", {"component": "0"}) in computed.values()
    assert [where for where, _, _ in fetches("OMNI Dst and H of Honolulu from INTERMAGNET on 2015-03-17")] == [
        "hapi:intermagnet",
        "cdaweb",
    ]
    assert plan.pipeline.title.startswith("Honolulu H and OMNI Dst")


def test_two_elements_of_one_observatory() -> None:
    """Each is a panel of its own."""
    plan = planned("H and D of Boulder from INTERMAGNET 2024-05-10")
    figure = plan.pipeline.steps[-1].figure
    assert figure is not None
    assert [[trace.data for trace in panel.traces] for panel in figure.panels] == [["h"], ["d"]]


def test_the_plan_says_whose_dates_are_not_known() -> None:
    """Of some observatories the snapshot has none, so whether there are data in the range is not known."""
    said = " ".join(planned("INTERMAGNET H of Kiruna 2015-03-17").pipeline.assumptions)
    assert "From when to when it has data is not known here; `helio catalog refresh --hapi intermagnet` asks for it." in said
    assert "not known here" not in " ".join(planned("INTERMAGNET H of Boulder 2015-03-17").pipeline.assumptions)


def test_the_plan_says_what_was_taken() -> None:
    """With what would do as well, in the person's words."""
    assumed = planned("TSI from LISIRD in 2010").pipeline.assumptions
    said = [each for each in assumed if "is taken as 'TSI from LISIRD'" in each]
    assert said
    assert said[0].startswith("hapi:lisird/sorce_tsi_24hr_l3 tsi_1au")
    assert "serverdata" not in str(planned("TSI from LISIRD in 2010"))


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("Dst from ISWA 2024-05-10", "its parameters are not in the snapshot of 2023-03-05"),
        ("Rosetta magnetic field from AMDA 2015-05-01", "`helio catalog refresh --hapi amda`"),
        ("INTERMAGNET D of Atlantis 2024-05-10", "It has nothing called 'Atlantis'"),
        ("INTERMAGNET 2024-05-10", "What do you want from INTERMAGNET?"),
    ],
)
def test_what_is_missing_is_said(request_: str, says: str) -> None:
    """Nothing else is taken in its place."""
    answer = PLANNER.answer(Situation(request_, NOW))
    assert isinstance(answer, Asked)
    assert says in answer.question.text
    assert "serverdata" not in str(answer)


def test_a_station_without_its_network_is_taken_from_intermagnet_and_said() -> None:
    """It is the one choice that only says more."""
    plan = planned("H of Boulder 2024-05-10")
    assert "It is taken as 'H of Boulder from INTERMAGNET 2024-05-10'." in plan.notes


@pytest.mark.parametrize(
    "words", ["ground magnetometer H component at Kiruna", "H component of the ground magnetometer at Kiruna"]
)
def test_a_ground_magnetometer_is_that_of_the_station_beside_it(words: str) -> None:
    """Only without a station it is asked which."""
    assert fetches(f"{words} on 2017-09-08") == [("hapi:intermagnet", "kir/best-avail/PT1M/hdzf", "Field_Vector")]


def test_a_change_adds_no_data_of_a_server_and_says_how_to_go_on() -> None:
    """A plan of them is changed like any other."""
    plan = planned("INTERMAGNET H of Boulder 2024-05-10")
    current = Current(as_file(plan.pipeline), plan.span, is_saved=False)
    added = PLANNER.answer(Situation("add TSI from LISIRD", NOW, current=current))
    assert isinstance(added, Asked)
    assert "Say both in one request" in added.question.text
    assert isinstance(PLANNER.answer(Situation("hourly means", NOW, current=current)), Edits)


def test_the_element_may_be_said_behind_the_observatory() -> None:
    """Behind a comma, alone."""
    assert fetches("Kiruna magnetogram, X component only, 2003-10-30") == [
        ("hapi:intermagnet", "kir/best-avail/PT1M/xyzf", "Field_Vector")
    ]


def test_what_the_catalog_lacks_is_looked_for_in_the_snapshots() -> None:
    """Each channel is a choice with a plan; what no server has, or not then, is refused as before."""
    answer = PLANNER.answer(Situation("soft X-ray flux from GOES on 6 Sept 2017", NOW))
    assert isinstance(answer, Asked)
    assert "ISWA has goesp_xray_flux_P1M" in answer.question.text
    taken = [one for each in answer.question.choices for one in fetches(each)]
    assert taken == [("hapi:iswa", "goesp_xray_flux_P1M", each) for each in ("Short_Wave", "Long_Wave")]
    for request in ("soft X-ray flux at ACE on 6 Sept 2017", "soft X-ray flux from GOES on 6 Sept 2003"):
        answer = PLANNER.answer(Situation(request, NOW))
        assert isinstance(answer, Asked)
        assert "ISWA" not in answer.question.text


def test_a_server_that_does_not_say_which_of_a_series_measured_says_so() -> None:
    """ISWA has the X-rays of the GOES that was the first one then."""
    answer = PLANNER.answer(Situation("GOES-15 x-ray flux, 2014-10-19 to 2014-10-28", NOW))
    assert isinstance(answer, Asked)
    assert "Of which GOES they are is not said there." in answer.question.text
    assert fetches(answer.question.choices[0]) == [("hapi:iswa", "goesp_xray_flux_P1M", "Short_Wave")]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ("Lyman alpha irradiance in 2014", [("hapi:lisird", "composite_lyman_alpha", "LymanAlpha")]),
        ("SDO EVE irradiance in 2012", [("hapi:lisird", "sdo_eve_ssi_1nm_l3", "irradiance")]),
        ("geomagnetic field at Tihany on 2015-03-17", [("hapi:intermagnet", "thy/definitive/PT1M/xyzf", "Field_Vector")]),
        (
            "total solar irradiance and sunspot number during 2003",
            [("hapi:lisird", "nrl2_tsi_P1D", "irradiance"), ("cdaweb", "OMNI2_H0_MRG1HR", "R")],
        ),
        (
            "Mg II index and Kp in 2004",
            [("hapi:lisird", "bremen_composite_mgii", "mgii"), ("cdaweb", "OMNI2_H0_MRG1HR", "KP")],
        ),
    ],
)
def test_words_that_only_a_server_knows_are_planned_from_there(request_: str, expected: list[tuple[str, str, str]]) -> None:
    """The server need not be named, where it has one parameter of what is said; the plan says whose it is."""
    assert fetches(request_) == expected
    assert any(each.startswith("It is taken as") for each in planned(request_).notes)


def test_data_that_a_plan_would_ignore_are_looked_for_on_servers() -> None:
    """Beside a spacecraft a name is no reason to ask, unless a server has it."""
    answer = PLANNER.answer(Situation("TSI and OMNI F10.7 in 2010", NOW))
    assert isinstance(answer, Asked)
    assert answer.question.text.startswith("The archives of the catalog have no 'TSI'. LISIRD has sorce_tsi_24hr_l3")
    assert fetches(answer.question.choices[0]) == [
        ("hapi:lisird", "sorce_tsi_24hr_l3", "tsi_1au"),
        ("cdaweb", "OMNI2_H0_MRG1HR", "F10_INDEX"),
    ]


def test_a_dataset_whose_parameters_are_not_known_is_named_with_what_asks_for_them() -> None:
    """ISWA has the neutron monitors, its snapshot only their names."""
    answer = PLANNER.answer(Situation("neutron monitor counts at Oulu, June 2015", NOW))
    assert isinstance(answer, Asked)
    assert "ISWA has NMDB_p1m_NMDB-OULU, whose parameters are not in the snapshot." in answer.question.text
    assert "`helio catalog refresh --hapi iswa` asks for them" in answer.question.text


def test_a_dataset_is_named_as_the_catalog_names_those_of_servers() -> None:
    """`hapi:SERVER/ID` as plans write it; which parameter is asked about where none is named, and CDAWeb is asked itself."""
    field = ("hapi:vires", "SW_OPER_MAGA_LR_1B", "B_NEC")
    assert fetches("B_NEC from hapi:vires/SW_OPER_MAGA_LR_1B 2015-03-17") == [field]
    assert fetches("SW_OPER_MAGA_LR_1B B_NEC from VirES, 2015-03-17") == [field]
    assert fetches("BGSEc of hapi:cdaweb/AC_H0_MFI 2003-11-20") == [("cdaweb", "AC_H0_MFI", "BGSEc")]
    answer = PLANNER.answer(Situation("hapi:vires/SW_OPER_MAGA_LR_1B magnetic field 2015-03-17", NOW))
    assert isinstance(answer, Asked)
    names = [each.split()[0] for each in answer.question.choices]
    assert names == ["B_VFM", "B_NEC"]
    assert fetches(answer.question.choices[1]) == [field]
