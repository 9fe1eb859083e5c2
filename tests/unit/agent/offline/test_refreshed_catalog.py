"""What the planner says of a dataset before and after its master was read: nothing is denied that was never asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from helio_dagster.agent.answers import Answer, Asked, Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Knowledge, Situation
from helio_dagster.catalog.assembling import Described, assemble, parameter_facts
from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.searching import CatalogSearch
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 3, 10, tzinfo=UTC)
REQUEST = "GOES-16 magnetic field in GSE on 2020-01-01"
FIELD: list[dict[str, Any]] = [
    {"name": "b_gse", "description": "Magnetic field in GSE coordinates", "units": "nT", "size": (3,)},
    {"name": "b_total", "description": "Total magnetic field", "units": "nT"},
    {"name": "DQF", "description": "Data quality flags", "units": ""},
]


def _answer(path: Path, rows: Sequence[dict[str, Any]]) -> Answer:
    """What the planner answers over a catalog of one dataset with these parameters."""
    said = Described("DN_MAGN-L2-HIRES_G16", "cdaweb", "GOES-16 Magnetometer L2", "mag", "2018-08-29", "2025-04-07")
    dataset = assemble(said, [parameter_facts(row) for row in rows], NOW)
    write_database(path, [dataset], {"datasets": "1", "snapshot": "2026-03-10"})
    database = CatalogDatabase(path)
    operations = shipped_knowledge().operations
    knowledge = Knowledge(KnownCatalog(lambda: database), CatalogSearch(database), operations)
    return OfflinePlanner(knowledge).answer(Situation(REQUEST, NOW))


def test_before_the_master_was_read_the_remedy_is_named(tmp_path: Path) -> None:
    """The dataset is there; what is in it is not known."""
    answer = _answer(tmp_path / "catalog.sqlite", [])
    assert isinstance(answer, Asked)
    assert "helio catalog refresh --dataset DN_MAGN-L2-HIRES_G16" in answer.question.text


def test_after_the_master_was_read_it_is_planned(tmp_path: Path) -> None:
    """With its vector in the frame asked for."""
    answer = _answer(tmp_path / "catalog.sqlite", FIELD)
    assert isinstance(answer, Plan), answer
    fetches = [(step.fetch.dataset, step.fetch.parameter) for step in answer.pipeline.steps if step.fetch]
    assert fetches == [("DN_MAGN-L2-HIRES_G16", "b_gse")]
