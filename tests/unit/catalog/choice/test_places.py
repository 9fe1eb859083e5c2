"""Positions come from ephemerides, and what is predicted is never taken for more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_words import parse_span
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)


def _first(mission: str, quantity: Quantity, start: str, stop: str, member: str = "") -> Offer:
    knowledge = shipped_knowledge()
    offers = Offers(knowledge.catalog, knowledge.search, "cdaweb")
    return offers.find(Asked(mission, quantity, member=member), span=parse_span(start, stop, NOW))[0]


@pytest.mark.parametrize(
    ("mission", "quantity", "start", "dataset"),
    [
        ("ACE", "position", "2010-03-01", "AC_OR_SSC"),
        ("Geotail", "position", "2005-03-01", "GE_OR_DEF"),
        ("IMP-8", "position", "1985-01-01", "I8_OR_SSC"),
        ("Arase", "position", "2018-06-01", "ERG_ORB_L2"),
        ("MMS1", "position", "2016-10-22", "MMS1_MEC_SRVY_L2_EPHT89D"),
        ("Ulysses", "heliographic_latitude", "1995-01-01", "ULYSSES_HELIO1HR_POSITION"),
        ("Parker Solar Probe", "solar_distance", "2021-04-01", "PSP_HELIO1HR_POSITION"),
    ],
)
def test_an_ephemeris_is_taken_first(mission: str, quantity: Quantity, start: str, dataset: str) -> None:
    """Before the files of instruments that carry positions along."""
    found = _first(mission, quantity, start, start[:8] + "28")
    assert (found.dataset, found.nature) == (dataset, "orbit")


def test_predicted_positions_come_last_and_are_known_as_such() -> None:
    """There is nothing else for DSCOVR."""
    assert _first("Wind", "position", "1996-05-01", "1996-05-02").nature == "orbit"
    assert _first("DSCOVR", "position", "2018-05-01", "2018-05-02").nature == "predicted"


def test_no_position_is_taken_from_a_radio_receiver() -> None:
    """Its files tell where sources are, too."""
    knowledge = shipped_knowledge()
    offers = Offers(knowledge.catalog, knowledge.search, "cdaweb")
    for mission in ("Wind", "STEREO-A", "Parker Solar Probe", "Cluster 1"):
        for offer in offers.find(Asked(mission, "position"), all_datasets=True):
            facts = knowledge.catalog.facts("cdaweb", offer.dataset)
            assert facts is not None
            assert facts.instrument_type != "waves"


def test_a_parameter_has_the_cadence_that_its_dataset_gives_it() -> None:
    """WI_H0_MFI holds values of 3 seconds, a minute and an hour."""
    facts = shipped_knowledge().catalog.facts("cdaweb", "WI_H0_MFI")
    assert facts is not None
    found = {name: facts.parameter(name) for name in ("B3GSE", "BGSE", "B1GSE")}
    lengths = {"B3GSE": timedelta(seconds=3), "BGSE": timedelta(minutes=1), "B1GSE": timedelta(hours=1)}
    assert {name: each.cadence for name, each in found.items() if each is not None} == lengths


def test_years_are_answered_by_coarse_records() -> None:
    """A day of Ulysses is shown by the minute, ten years by the hour."""
    knowledge = shipped_knowledge()
    offers = Offers(knowledge.catalog, knowledge.search, "cdaweb")
    asked = Asked("Ulysses", "magnetic_field")
    day = offers.find(asked, span=parse_span("1994-05-01", "1994-05-02", NOW))[0]
    years = offers.find(asked, span=parse_span("1992-01-01", "2002-01-01", NOW))[0]
    assert (day.dataset, years.dataset) == ("UY_1MIN_VHM", "UY_M1_VHM")
