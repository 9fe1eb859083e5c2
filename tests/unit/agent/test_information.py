"""Answers without data: taken from the catalog and the operations, and told with their sources."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.information import (
    describe_abilities,
    describe_dataset,
    describe_mission,
    describe_parameter,
    explain_operation,
    missions_measuring,
)
from helio_dagster.compute.operation import get_operation, operations
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from tests.unit.agent.knowledge import shipped_knowledge


def test_an_operation_is_explained_by_its_own_words() -> None:
    """Summary, inputs and formula are those that the operation has."""
    told = explain_operation(shipped_knowledge(), "plasma_beta")
    assert get_operation("plasma_beta").summary in told.text
    assert get_operation("plasma_beta").reference in told.text
    assert told.sources == ("operation plasma_beta",)


def test_a_dataset_is_described_by_the_catalog() -> None:
    """Whose it is, since when, and its parameters."""
    told = describe_dataset(shipped_knowledge(), "AC_H0_MFI")
    for words in ("ACE", "from 1997-09-02", "BGSEc", "[nT]"):
        assert words in told.text


def test_a_parameter_is_described_with_its_dataset() -> None:
    """Its unit, its description and where it stands."""
    told = describe_parameter(shipped_knowledge(), "OMNI2_H0_MRG1HR", "DST")
    assert "DST in nT" in told.text
    assert told.sources == ("catalog OMNI2_H0_MRG1HR DST",)


def test_a_mission_is_described_by_its_datasets() -> None:
    """First and last data of a quantity, and which datasets have it."""
    told = describe_mission(shipped_knowledge(), "Geotail", "magnetic field")
    assert "from 1993-09-01 to 2006-11-22" in told.text
    assert "catalog GE_EDB3SEC_MGF" in told.sources


@pytest.mark.slow
def test_missions_are_found_by_quantity_and_range() -> None:
    """Those that measured then, and none that came later or was over."""
    span = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
    told = missions_measuring(shipped_knowledge(), "magnetic field", span)
    names = told.text.partition(": ")[2]
    assert all(name in names for name in ("ACE", "Wind", "Cluster 1", "Ulysses"))
    assert not any(name in names for name in ("MMS1", "Solar Orbiter", "Helios"))
    assert "first and last data, not gaps" in told.text


@pytest.mark.slow
def test_a_start_that_was_never_set_is_not_believed() -> None:
    """Three datasets of a mission launched in 2020 begin at J2000 in the catalog: it measured nothing in 2003."""
    span = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 11, 1, tzinfo=UTC))
    assert "Solar Orbiter" not in missions_measuring(shipped_knowledge(), None, span).text
    assert "1999-12-31" not in describe_mission(shipped_knowledge(), "Solar Orbiter").text.splitlines()[0]


def test_abilities_name_every_operation() -> None:
    """What can be asked for is what there is."""
    told = describe_abilities(shipped_knowledge(), ["ACE |B|"], ["density", "Dst"])
    assert all(operation.id in told.text for operation in operations())
    assert "  ACE |B|" in told.text
    assert "density, Dst" in told.text


def test_what_there_is_not_is_an_error_with_near_names() -> None:
    """A misspelt id is not an information."""
    knowledge = shipped_knowledge()
    with pytest.raises(InputError, match="AC_H0_MIF") as error:
        describe_dataset(knowledge, "AC_H0_MIF")
    assert "AC_H0_MFI" in error.value.hint
    with pytest.raises(InputError, match="no parameter"):
        describe_parameter(knowledge, "AC_H0_MFI", "BGSX")
    with pytest.raises(InputError, match="no operation"):
        explain_operation(knowledge, "plasma_betta")
