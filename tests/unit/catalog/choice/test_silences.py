"""Instruments that gave no data although their datasets go on."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from importlib.resources import files

import pytest

from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.silences import silences_of
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.knowledge import shipped_knowledge

ROWS = [
    line
    for line in files("helio_dagster.catalog.choice").joinpath("silent_instruments.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


def offers() -> Offers:
    """What the shipped catalog offers."""
    knowledge = shipped_knowledge()
    return Offers(knowledge.catalog, knowledge.search, "cdaweb")


def days(first: str, last: str) -> TimeRange:
    """A range of days."""
    return TimeRange(*(datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (first, last)))


@pytest.mark.parametrize("row", [row for row in ROWS if not row.startswith("C2_")], ids=lambda row: row.split(" ")[0])
def test_each_row_is_about_parameters_of_the_catalog(row: str) -> None:
    """A misspelt pattern would silence nothing; Cluster 2 has no CIS dataset to silence."""
    datasets, told = re.compile(row.split(";")[0].strip(), re.IGNORECASE), row.split(";")[4].strip()
    catalog = shipped_knowledge().catalog
    found = [
        parameter.name
        for name in catalog.names("cdaweb")
        if datasets.fullmatch(name) and (facts := catalog.facts("cdaweb", name)) is not None
        for parameter in facts.parameters
        if any(each.reason == told for each in silences_of(name, parameter.name))
    ]
    assert found


def test_the_share_of_a_range_is_that_in_which_there_were_data() -> None:
    """DSCOVR was in safe hold from 2019-06-28 on: of ten days around it, five have data; its other parameters end nowhere."""
    found = offers().find(Asked("DSCOVR", "magnetic_field"))
    field = next(each for each in found if each.dataset == "DSCOVR_H0_MAG" and each.kind == "vector")
    assert field.stop is None
    assert field.share(days("2019-06-23", "2019-07-03")) == pytest.approx(0.5)
    assert field.share(days("2019-09-01", "2019-09-02")) == 0
    assert field.share(days("2021-01-01", "2021-01-02")) == 1


def test_what_shares_a_dataset_with_a_silent_instrument_is_offered() -> None:
    """Plasma of Voyager 1 ends with 1980 in the file in which the field goes on; of Cluster 4 CODIF is offered, HIA never."""
    merged = "VOYAGER1_COHO1HR_MERGED_MAG_PLASMA"
    density = next(each for each in offers().find(Asked("Voyager 1", "density")) if each.dataset == merged)
    field = next(each for each in offers().find(Asked("Voyager 1", "magnetic_field", dataset=merged)))
    assert density.stop == datetime(1981, 1, 1, tzinfo=UTC)
    assert field.stop is None or field.stop.year > 2020
    names = {each.parameter for each in offers().find(Asked("Cluster 4", "density"), all_datasets=True)}
    assert "N_p__C4_PP_CIS" in names
    assert "N_HIA__C4_PP_CIS" not in names
