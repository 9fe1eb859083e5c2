"""What the catalog says of a fetch stands on its asset; where the files say otherwise, they count and the check says so."""

from __future__ import annotations

from datetime import UTC, datetime

import dagster as dg
import pytest

from helio_dagster.catalog.assembling import Described, assemble, parameter_facts
from helio_dagster.catalog.database import write_database
from helio_dagster.catalog.opening import refreshed_path
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import Site

FETCH = dg.AssetKey(["cdaweb", "TS_H0_MFI", "BGSE"])


def catalogue(site: Site, **says: object) -> None:
    """Refresh the home's catalog: one dataset with one parameter."""
    told = {"name": "BGSE", "description": "Test field vector in GSE", "units": "nT", "size": [3], "frame": "GSE", **says}
    said = Described("TS_H0_MFI", "cdaweb", "Test of fields", "mag", "2023-01-01", "2024-01-01")
    facts = assemble(said, [parameter_facts(told)], datetime(2026, 1, 1, tzinfo=UTC))
    write_database(refreshed_path(site.settings), [facts], {})


def verdict(site: Site) -> tuple[bool, str]:
    """Whether the last check passed, and what it says."""
    with open_instance(site.settings) as instance:
        key = dg.AssetCheckKey(FETCH, "catalog")
        (record,) = instance.event_log_storage.get_asset_check_execution_history(key, limit=1)
        evaluation = record.event.dagster_event.event_specific_data
        return evaluation.passed, str(getattr(evaluation.metadata.get("partitions"), "value", ""))


def test_a_fetch_is_described_in_the_catalogs_words(site: Site) -> None:
    """On Dagster's page: the parameter, its dataset, unit and frame."""
    catalogue(site)
    spec = library_definitions(site.settings).resolve_asset_graph().get(FETCH)
    assert spec.description == "BGSE of TS_H0_MFI from cdaweb. Test field vector in GSE. Test of fields"
    assert (spec.metadata["unit"], spec.metadata["frame"]) == ("nT", "GSE")


def test_files_that_match_the_catalog_pass(site: Site, span: TimeRange) -> None:
    """Shape, unit and frame agree."""
    catalogue(site)
    site.run(span)
    assert verdict(site) == (True, "")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"units": "km/s"}, "in nT, not km/s"),
        ({"frame": "GSM", "description": "Test field vector"}, "in the frame GSE, not GSM"),
        ({"size": []}, "a vector of 3 columns, not a series of 1 column"),
    ],
)
def test_files_count_where_they_say_otherwise(site: Site, span: TimeRange, says: dict[str, object], words: str) -> None:
    """The run succeeds with what the files hold; the check names every day and the difference."""
    catalogue(site, **says)
    report = site.run(span)
    passed, named = verdict(site)
    assert report.status == "success"
    assert not passed
    assert named == ", ".join(f"2023-01-0{day}: {words}" for day in (2, 3, 4))
