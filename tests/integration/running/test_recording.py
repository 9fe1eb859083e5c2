"""What our record of materializations relies on in the installed Dagster, and what Dagster then thinks of it."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, extract_data_version_from_entry
from dagster._core.loader import LoadingContextForTest
from dagster._core.storage.partition_status_cache import get_partition_subsets

from helio_dagster.assets.outcomes import Materialization, Record
from helio_dagster.assets.recording import DagsterLedger
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.resources.batched_events import BatchedEventLog
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import MakeSpan, Mission, Site
from tests.tiers import by_day

FETCH = "cdaweb/TS_H0_MFI/BGSE"
DAYS = ["2023-01-02", "2023-01-03", "2023-01-04"]

SCALAR = """
version: 1
name: scalar
partitions: daily
start: 2023-01-01
steps:
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
"""
SMOOTH = SCALAR.replace("name: scalar", "name: smooth") + (
    "  - id: mean\n    compute: {operation: rolling_mean, inputs: {series: f}, options: {window: PT2H}}\n"
)


def key(asset: str) -> dg.AssetKey:
    """Dagster's key of an asset."""
    return dg.AssetKey(asset.split("/"))


@pytest.fixture(params=by_day(["pooled", "ordinary", "postgres"], "pooled"))
def any_site(request: pytest.FixtureRequest, make_site: Callable) -> Any:
    """A home with our event storage in SQLite or PostgreSQL, or with Dagster's own, where `dagster.yaml` names none."""
    site = make_site("home")
    if request.param == "postgres":
        site.settings = replace(site.settings, postgres=request.getfixturevalue("postgres"))
    if request.param == "ordinary":
        (site.settings.instance / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    return site


def partition_subsets(site: Site, asset: str) -> tuple[set[str], ...]:
    """Materialized, failed and running partitions of an asset, as Dagster's own pages count them."""
    definition = library_definitions(site.settings).resolve_asset_graph().get(key(asset)).partitions_def
    with open_instance(site.settings) as instance:
        found = asyncio.run(get_partition_subsets(instance, LoadingContextForTest(instance), key(asset), instance, definition))
    return tuple(set(subset.get_partition_keys()) for subset in found)


def test_each_partition_of_one_run_has_one_event_with_its_own_version(any_site: Any, span: TimeRange) -> None:
    """Three days in one run: one materialization per day, of three versions, which are those of the stored tables.

    What the mean reads of the days before and after is made in the same run and recorded alike.
    """
    report = any_site.run(span)
    neighbours = ["2023-01-01", *DAYS, "2023-01-05"]
    with open_instance(any_site.settings) as instance:
        for asset, days in ((FETCH, neighbours), ("basic/mag", neighbours), ("basic/mean", DAYS)):
            events = instance.fetch_materializations(key(asset), limit=100).records
            assert sorted(event.partition_key or "" for event in events) == days
            assert {event.run_id for event in events} == {report.run_id}
            versions = {event.partition_key: extract_data_version_from_entry(event.event_log_entry).value for event in events}
            assert len({versions[day] for day in DAYS}) == 3
            assert versions == {day: any_site.workbench().store.stamp(asset, day)[0] for day in days}


def test_dagster_finds_the_latest_version_of_a_partition(any_site: Any, mission: Mission, span: TimeRange) -> None:
    """After one day was made anew, its new version is the latest, and the other days keep theirs."""
    any_site.run(span)
    with open_instance(any_site.settings) as instance:
        before = latest_versions(instance, "basic/mag")
    mission.publish("2023-01-03", seed=1)
    any_site.run(span, refresh=True)
    with open_instance(any_site.settings) as instance:
        after = latest_versions(instance, "basic/mag")
    assert [after[day] == before[day] for day in DAYS] == [True, False, True]
    assert after == {day: any_site.workbench().store.stamp("basic/mag", day)[0] for day in DAYS}


def latest_versions(instance: dg.DagsterInstance, asset: str) -> dict[str, str]:
    """Partition to the data version that Dagster's public reading gives."""
    records = {day: instance.get_latest_data_version_record(key(asset), False, day) for day in DAYS}
    return {day: extract_data_version_from_entry(record.event_log_entry).value for day, record in records.items()}


def test_a_failed_run_leaves_just_the_wanting_partitions_failed(any_site: Any, mission: Mission, make_span: MakeSpan) -> None:
    """One corrupt day out of five: Dagster shows it failed with what depends on it, halos included, and all else made."""
    for day in ("2023-01-05", "2023-01-06"):
        mission.publish(day)
    mission.spoil("2023-01-04")
    report = any_site.run(make_span("2023-01-02", 5))
    assert report.status == "partial"
    days = [f"2023-01-0{number}" for number in range(2, 7)]
    for asset, failed in [(FETCH, days[2:3]), ("basic/mag", days[2:3]), ("basic/mean", days[1:4])]:
        materialized, wanting, running = partition_subsets(any_site, asset)
        assert materialized.intersection(days) == set(days) - set(failed)
        assert wanting == set(failed)
        assert running == set()
    with open_instance(any_site.settings) as instance:
        assert instance.get_run_by_id(report.run_id).status is dg.DagsterRunStatus.FAILURE


def test_checks_say_which_days_are_wanting(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """A day without data and a day of fill are two failed checks that name it, as warnings; order and columns pass."""
    mission.publish("2023-01-05", fill=True)
    site.run(make_span("2023-01-04", 3))
    with open_instance(site.settings) as instance:
        checks = {name: last_check(instance, FETCH, name) for name in ("coverage", "not_all_fill", "time_in_order", "columns")}
    assert {name: check.passed for name, check in checks.items()} == {
        "coverage": False,
        "not_all_fill": False,
        "time_in_order": True,
        "columns": True,
    }
    assert checks["coverage"].metadata["partitions"].value == "2023-01-06"
    assert checks["not_all_fill"].metadata["partitions"].value == "2023-01-05"
    assert {checks[name].severity for name in ("coverage", "not_all_fill")} == {dg.AssetCheckSeverity.WARN}


def last_check(instance: dg.DagsterInstance, asset: str, name: str) -> dg.AssetCheckEvaluation:
    """The newest evaluation of a check."""
    check = dg.AssetCheckKey(key(asset), name)
    record = instance.event_log_storage.get_latest_asset_check_execution_by_key([check])[check]
    evaluation = record.event.dagster_event.event_specific_data
    assert isinstance(evaluation, dg.AssetCheckEvaluation)
    return evaluation


def test_an_event_tells_what_a_person_wants_to_know(ran_site: Site) -> None:
    """Rows, coverage, unit, extremes per column, schema, sources with their hash, and the file's path."""
    with open_instance(ran_site.settings) as instance:
        fetched, computed = (
            instance.fetch_materializations(dg.AssetRecordsFilter(key(asset), asset_partitions=[DAYS[0]]), limit=1).records[0]
            for asset in (FETCH, "basic/mag")
        )
    told = fetched.asset_materialization.metadata
    assert told["dagster/partition_row_count"].value == 48
    assert {"coverage", "status", "unit", "columns", "dagster/column_schema", "path", "cadence_s"} <= set(told)
    sources: Any = told["sources"].value
    assert [len(source["sha256"]) for source in sources] == [64]
    assert computed.asset_materialization.metadata["made_from"].value == {FETCH: [DAYS[0]]}


@pytest.fixture
def make_agree() -> Callable:
    """Compares our states with Dagster's for assets whose own inputs are up to date."""

    def agree(site: Site, asset: str, step: str, name: str, span: TimeRange) -> dict[str | None, str]:
        ours = site.states(span, name=name)[step]
        graph = library_definitions(site.settings).resolve_asset_graph()
        with open_instance(site.settings) as instance:
            oracle = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
            theirs = {day: oracle.get_status(key(asset), day).value.lower() for day in ours}
        assert ours == theirs
        return ours

    return agree


@pytest.fixture
def smooth_site(make_site: Callable, make_span: Callable) -> Any:
    """A home with a fetch and a halo over it that was run for three days, and a pipeline of the fetch alone."""
    site = make_site("home", SCALAR, SMOOTH)
    site.run(make_span("2023-01-02", 3), name="smooth")
    return site


def test_dagster_calls_fresh_what_was_just_made(smooth_site: Any, make_agree: Callable[..., Any], span: TimeRange) -> None:
    """Provenance written with each event leaves nothing to do in Dagster's eyes."""
    assert set(make_agree(smooth_site, "smooth/mean", "mean", "smooth", span).values()) == {"fresh"}


def test_dagster_calls_stale_what_has_other_code(smooth_site: Any, make_agree: Callable[..., Any], span: TimeRange) -> None:
    """Another window of the mean: all its partitions are stale, here and there."""
    smooth_site.save(SMOOTH.replace("PT2H", "PT1H"))
    assert set(make_agree(smooth_site, "smooth/mean", "mean", "smooth", span).values()) == {"stale"}


def test_dagster_calls_fresh_what_was_made_from_the_same_content_again(
    smooth_site: Any, make_agree: Callable[..., Any], span: TimeRange
) -> None:
    """The fetch recorded anew with equal versions changes nothing downstream."""
    smooth_site.run(span, name="scalar", force=True)
    assert set(make_agree(smooth_site, "smooth/mean", "mean", "smooth", span).values()) == {"fresh"}


def test_dagster_calls_stale_just_what_read_the_new_content(
    smooth_site: Any, mission: Mission, make_agree: Callable[..., Any], make_span: MakeSpan
) -> None:
    """A new version of the first day stales that day and, through the halo, the second; not the third."""
    mission.publish("2023-01-02", seed=1)
    smooth_site.run(make_span("2023-01-02"), name="scalar", refresh=True)
    states = make_agree(smooth_site, "smooth/mean", "mean", "smooth", make_span("2023-01-02", 3))
    assert list(states.values()) == ["stale", "stale", "fresh"]


@pytest.fixture(params=["sqlite", "postgres"])
def instance(request: pytest.FixtureRequest, tmp_path: Path, fresh_instance: Path) -> Iterator[dg.DagsterInstance]:
    """An instance with our event storage."""
    shutil.copytree(fresh_instance, tmp_path / "home" / "dagster")
    shared = request.getfixturevalue("postgres") if request.param == "postgres" else None
    with open_instance(Settings(tmp_path / "home", tmp_path / "pipelines", postgres=shared)) as instance:
        yield instance


def storage_of(instance: dg.DagsterInstance) -> BatchedEventLog:
    """Its event storage, which is ours."""
    storage = instance.event_log_storage
    assert isinstance(storage, BatchedEventLog)
    return storage


def test_a_batch_of_events_is_kept_whole_or_not_at_all(instance: dg.DagsterInstance) -> None:
    """An exception inside a batch takes all its events back; the next batch is kept."""
    with pytest.raises(ZeroDivisionError):
        spoil_batch(instance)
    assert instance.fetch_materializations(key("a"), limit=10).records == []
    with storage_of(instance).batch():
        instance.report_runless_asset_event(dg.AssetMaterialization("a", partition="1"))
    assert len(instance.fetch_materializations(key("a"), limit=10).records) == 1


def spoil_batch(instance: dg.DagsterInstance) -> None:
    """Store two events in a batch that breaks."""
    with storage_of(instance).batch():
        for partition in ("1", "2"):
            instance.report_runless_asset_event(dg.AssetMaterialization("a", partition=partition))
        _ = 1 / 0


WRITER = """
    import sys
    import dagster as dg
    with dg.DagsterInstance.from_config(sys.argv[1]) as instance:
        for first in range(0, 40, 10):
            with instance.event_log_storage.batch():
                for number in range(first, first + 10):
                    instance.report_runless_asset_event(dg.AssetMaterialization("a", partition=f"{sys.argv[2]}{number}"))
"""


def test_two_processes_that_write_at_once_lose_nothing(instance: dg.DagsterInstance, package_root: Path) -> None:
    """Each waits for the other's transaction; all events of both are there."""
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(Path(instance.root_directory))]
    writers = [subprocess.Popen([*command, name], cwd=package_root) for name in ("x", "y")]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    found = {record.partition_key for record in instance.fetch_materializations(key("a"), limit=200).records}
    assert found == {f"{name}{number}" for name in ("x", "y") for number in range(40)}


@pytest.mark.parametrize(("seconds", "recorded"), [((0.0, 1.0), set()), ((0.0, 2.5), {"2023-01-02", "2023-01-03"})])
def test_what_takes_its_time_is_recorded_while_more_is_made(
    make_site: Callable, seconds: tuple[float, ...], recorded: set
) -> None:
    """Before the last is made and without a flush: a kill then costs no more than the last two seconds."""
    moments = iter(seconds)
    with open_instance(make_site("home").settings) as instance:
        ledger = DagsterLedger(instance, stopwatch=lambda: next(moments))
        for day, _ in zip(DAYS, seconds, strict=False):
            ledger.record(Materialization("scalar/f", day, Record("data", "code", "inputs"), {}, {}))
        assert set(DagsterLedger(instance).latest("scalar/f", DAYS)) == recorded
