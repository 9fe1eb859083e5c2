"""Coverage in words and in Dagster's metadata: what failed has no data and stays in the denominator."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.assets.checks import check_results
from helio_dagster.assets.graph_building import build_graph
from helio_dagster.assets.outcomes import Outcome, Quality
from helio_dagster.assets.staleness import Assessment, PartitionState
from helio_dagster.domain.errors import ArchiveUnavailable
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.inquiry import CheckResult
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.check_results import judge
from helio_dagster.storage.tables import TableStore

PIPELINE = Pipeline.model_validate(
    {
        "version": 1,
        "name": "one",
        "start": "2024-01-01",
        "steps": [{"id": "kp", "fetch": {"archive": "demo", "dataset": "OMNI2_H0_MRG1HR", "parameter": "KP"}}],
    }
)
GRAPH = build_graph([PIPELINE], lambda *_: None)
NODE = next(iter(GRAPH.nodes.values()))
META = TableMeta(kind="series", columns=(ColumnMeta(name="v", unit="nT"),), unit="nT")
DAYS = [f"2024-01-{day:02d}" for day in range(1, 24)]


def _table(day: str, hours: Sequence[int]) -> Table:
    time = np.datetime64(day, "ns") + np.array(hours, dtype="timedelta64[h]")
    return Table(time, {"v": np.ones(len(time))}, META)


@pytest.mark.parametrize("hours", [(0,), (0, 12), tuple(range(24))])
@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("failed", "1 of 23 partitions has failed"),
        ("missing", "1 of 23 partitions is missing"),
        ("stale", "1 of 23 partitions is out of date"),
        ("empty", "1 of 23 partitions has no records"),
    ],
)
def test_a_day_without_a_result_has_no_data(tmp_path: Path, hours: tuple[int, ...], state: PartitionState, text: str) -> None:
    """Also where records are as far apart as days, and one that is missing would not be a gap between its neighbours."""
    store = TableStore(tmp_path)
    states: dict[str | None, Assessment] = {day: Assessment("fresh") for day in DAYS}
    for day in DAYS:
        if day != "2024-01-10" or state in ("stale", "empty"):
            store.write(NODE.name, day, _table(day, () if (day, state) == ("2024-01-10", "empty") else hours), {})
    states["2024-01-10"] = Assessment(state)
    span = TimeRange(Grain.DAILY.window(DAYS[0]).start, Grain.DAILY.window(DAYS[-1]).stop)
    found = _only_coverage(judge(GRAPH, PIPELINE, span, store, states={NODE.name: states}))
    assert not found.has_passed
    assert found.facts["coverage"] == pytest.approx(22 / 23, abs=1e-4)
    assert found.text.startswith("kp: 95.7 % of the 23 days have data; the only gap is ")
    assert found.text.endswith(text)


def _only_coverage(results: Sequence[CheckResult]) -> CheckResult:
    return next(result for result in results if result.check == "coverage")


def test_the_mean_in_the_web_ui_counts_what_failed() -> None:
    """A failed day is in the mean, with no coverage; one that was made by another run is not, and that is said."""
    whole = Outcome("computed", "data", quality=Quality(("v",), True, 1.0))
    failed = Outcome("failed", error=ArchiveUnavailable("no answer"))
    outcomes: dict[str | None, Outcome] = {
        "2024-01-01": whole,
        "2024-01-02": failed,
        "2024-01-03": Outcome("computed", "empty"),
        "2024-01-04": whole,
    }
    found = next(each for each in check_results(NODE, outcomes) if each.check_name == "coverage")
    assert found.metadata["mean_coverage"].value == 0.5
    assert "mean_over" not in found.metadata
    assert not found.passed
    reused = {**outcomes, "2024-01-05": Outcome("reused", "data")}
    found = next(each for each in check_results(NODE, reused) if each.check_name == "coverage")
    assert found.metadata["mean_coverage"].value == 0.5
    assert found.metadata["mean_over"].value == "4 of 5 partitions; the others were not made in this run"
