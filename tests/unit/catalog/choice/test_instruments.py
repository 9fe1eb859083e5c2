"""Which instrument measures which of the quantities asked for."""

from __future__ import annotations

import pytest

from helio_dagster.catalog.choice.instrument_roles import bind_instruments
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.catalog_entry import Quantity
from tests.unit.agent.knowledge import shipped_knowledge

CASES: list[tuple[str, list[Quantity], list[str], list[str | None]]] = [
    ("Wind", ["magnetic_field", "density"], ["MFI", "SWE"], ["MFI", "SWE"]),
    ("Wind", ["density", "magnetic_field"], ["MFI", "SWE"], ["SWE", "MFI"]),
    ("Van Allen Probe A", ["ion_flux", "magnetic_field"], ["HOPE", "EMFISIS"], ["HOPE", "EMFISIS"]),
    ("MMS1", ["density", "speed", "magnetic_field"], ["FPI", "FGM"], ["FPI", "FPI", "FGM"]),
    ("STEREO-A", ["magnetic_field", "density"], ["IMPACT", "PLASTIC"], ["IMPACT", "PLASTIC"]),
]


@pytest.fixture(scope="module")
def offers() -> Offers:
    """What the shipped catalog offers."""
    knowledge = shipped_knowledge()
    return Offers(knowledge.catalog, knowledge.search, "cdaweb")


@pytest.mark.parametrize(("mission", "quantities", "instruments", "bound"), CASES)
def test_each_quantity_has_the_instrument_that_measures_it(
    offers: Offers, mission: str, quantities: list[Quantity], instruments: list[str], bound: list[str | None]
) -> None:
    """By the ids and instruments of the mission's datasets, in whatever order they are named."""
    found = bind_instruments(offers, [Asked(mission, each) for each in quantities], instruments)
    assert found.is_clear
    assert [each.instrument for each in found.questions] == bound


def test_an_instrument_that_measures_none_of_it_is_told(offers: Offers) -> None:
    """A fluxgate measures no density: then it is not clear what it is named for."""
    found = bind_instruments(offers, [Asked("Wind", "density")], ["MFI", "SWE"])
    assert found.idle == ("MFI",)
    assert not found.is_clear


def test_a_quantity_that_none_of_them_measures_keeps_no_instrument(offers: Offers) -> None:
    """The others are bound."""
    found = bind_instruments(offers, [Asked("Wind", "magnetic_field"), Asked("OMNI", "dst")], ["MFI"])
    assert [each.instrument for each in found.questions] == ["MFI", None]


def test_two_that_measure_one_quantity_leave_it_open(offers: Offers) -> None:
    """It is not decided which of them is meant."""
    found = bind_instruments(offers, [Asked("Wind", "density")], ["SWE", "3DP"])
    assert dict(found.open) == {0: ("SWE", "3DP")}
    assert found.questions[0].instrument is None
