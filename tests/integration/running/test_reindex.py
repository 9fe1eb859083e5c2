"""`helio reindex`: a home whose record was lost is as it was, and no file is trusted that is not what it says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import ComputeError, StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.credit.lineage import origin
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.status import status
from helio_dagster.launch.upkeep.reindex import ReindexReport, reindex
from tests.integration.running.conftest import MakeSpan, Mission, Prepare, Shell, Site
from tests.tiers import by_day

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
DRAWN = """
version: 1
name: drawn
start: 2023-01-01
steps:
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: basic/mag}, options: {window: PT2H}}
  - id: storms
    table: {csv: "onset,name\\n2023-01-03T06:11Z,Test", source: "Someone 2023"}
  - id: plot
    figure:
      panels:
        - traces: [{data: mean}]
      events: storms
"""


@pytest.fixture
def home(site: Site, prepare: Prepare, span: TimeRange, make_span: MakeSpan) -> Any:
    """Two pipelines, tables and a figure over three days; of it one day and the morning of another are drawn by themselves."""

    def run_both(site: Site) -> None:
        site.save(DRAWN)
        site.run(span)
        site.run(span, name="drawn")
        site.run(make_span(THREE), name="drawn")
        site.run(TimeRange(datetime(2023, 1, 4, 6, tzinfo=UTC), datetime(2023, 1, 4, 9, tzinfo=UTC)), name="drawn")

    return prepare("reindex", site, run_both)


def lose_record(site: Site) -> None:
    """Delete the instance, as a copy of a home without it would be."""
    shutil.rmtree(site.settings.instance)


def restore(site: Site) -> ReindexReport:
    """What `helio reindex` does."""
    workbench = site.workbench()
    try:
        return reindex(Home(site.settings).graph, workbench)
    finally:
        workbench.close()


def unsynced(site: Site, asset: str) -> set[str]:
    """Materialized partitions of an asset that Dagster's own resolver calls stale."""
    graph, key = library_definitions(site.settings).resolve_asset_graph(), dg.AssetKey(asset.split("/"))
    with open_instance(site.settings) as instance:
        resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
        made = instance.get_materialized_partitions(key)
        return {each for each in made if resolver.get_status(key, each) is StaleStatus.STALE}


def verdicts(site: Site, asset: str) -> dict[str, tuple[bool, object]]:
    """Check of an asset to whether it passed, and the partitions that it names."""
    key = dg.AssetKey(asset.split("/"))
    found: dict[str, tuple[bool, object]] = {}
    with open_instance(site.settings) as instance:
        for check in ("coverage", "time_in_order", "not_all_fill", "columns"):
            (record,) = instance.event_log_storage.get_asset_check_execution_history(dg.AssetCheckKey(key, check), limit=1)
            evaluation = record.event.dagster_event.event_specific_data
            named = evaluation.metadata.get("partitions")
            found[check] = (evaluation.passed, named.value if named else "")
    return found


def damaged(report: ReindexReport) -> list[tuple[str, str | None]]:
    """Asset and partition of the files that were not trusted."""
    return [(asset.asset, file.partition) for asset in report.assets for file in asset.damaged]


def said_of(site: Site, name: str) -> object:
    """All that `helio status` says of a pipeline."""
    pipeline, graph = site.open(name)
    return status(graph, pipeline, None, site.workbench())


def test_afterwards_status_says_what_it_said_and_nothing_is_redone(home: Any, span: TimeRange, make_span: MakeSpan) -> None:
    """States, reasons, data and code versions of all assets, a figure over a range and one drawn by itself included."""
    before = [said_of(home, name) for name in ("basic", "drawn")]
    lose_record(home)
    report = restore(home)
    assert damaged(report) == []
    assert [said_of(home, name) for name in ("basic", "drawn")] == before
    assert home.run(span).run_id is None
    assert home.run(span, name="drawn").run_id is None
    assert home.run(make_span(THREE), name="drawn").run_id is None


def test_what_was_stale_is_stale_again(home: Any, mission: Mission, span: TimeRange, make_span: MakeSpan) -> None:
    """A changed step, a changed source and a recorded failure are told as before."""
    mission.publish(FOUR, seed=5)
    home.run(make_span(FOUR), refresh=True)
    home.workbench().store.record_failure("basic/mag", TWO, ComputeError("tried and failed"))
    path = home.settings.pipelines / "drawn.yaml"
    path.write_text(path.read_text().replace("PT2H", "PT3H"))
    before = [said_of(home, name) for name in ("basic", "drawn")]
    lose_record(home)
    restore(home)
    assert [said_of(home, name) for name in ("basic", "drawn")] == before
    assert home.states(span, name="drawn")["mean"] == dict.fromkeys((TWO, THREE, FOUR), "stale")
    assert home.run(span, name="drawn", refresh=True).status == "success"


def test_drift_after_a_restored_record_marks_just_what_changed(home: Any, mission: Mission, make_span: MakeSpan) -> None:
    """The restored fetches are made from the revisions of their files: Dagster and we see one republished day as stale."""
    lose_record(home)
    restore(home)
    assert home.drift(None).changed == 0
    assert unsynced(home, "cdaweb/TS_H0_MFI/BGSE") == set()
    mission.publish(THREE, seed=4)
    assert home.drift(None).changed == 1
    assert home.states(make_span(TWO, 3))["b"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh"}
    assert unsynced(home, "cdaweb/TS_H0_MFI/BGSE") == {THREE}
    home.run(make_span(TWO, 3))
    assert unsynced(home, "cdaweb/TS_H0_MFI/BGSE") == set()


def test_a_second_time_there_is_nothing_to_record(home: Any) -> None:
    """What the record knows is left as it is."""
    lose_record(home)
    first, second = restore(home), restore(home)
    assert sum(asset.recorded for asset in first.assets) > 0
    assert [(asset.asset, asset.recorded) for asset in second.assets] == [(asset.asset, 0) for asset in first.assets]
    assert [asset.known for asset in second.assets] == [asset.recorded for asset in first.assets]


def test_inputs_and_code_are_known_to_dagster_again(home: Any, span: TimeRange) -> None:
    """Dagster's own tags name the inputs' versions, and its event points to their records: it sees no new dependency."""
    lose_record(home)
    restore(home)
    with open_instance(home.settings) as instance:
        key = dg.AssetKey(["drawn", "mean"])
        wanted = dg.AssetRecordsFilter(key, asset_partitions=[THREE])
        (record,) = instance.fetch_materializations(wanted, limit=10).records
        tags = record.asset_materialization.tags
        assert tags is not None
        newest = instance.fetch_materializations(dg.AssetKey(["basic", "mag"]), limit=1).records[0].storage_id
        assert tags["dagster/input_event_pointer/basic/mag"] == str(newest)
        assert tags["dagster/code_version"] == home.open("drawn")[1]["drawn/mean"].code_version
        assert record.asset_materialization.metadata["dagster/partition_row_count"].value == 48


def test_origin_tells_when_the_file_was_made_and_no_run(home: Any) -> None:
    """Not when it was recorded again."""
    _, graph = home.open()
    before = origin(graph, graph["basic/mean"], THREE, home.workbench())
    lose_record(home)
    restore(home)
    after = origin(graph, graph["basic/mean"], THREE, home.workbench())
    assert after.run_id is None
    assert before.made_at is not None
    assert after.made_at is not None
    event_time = datetime.fromisoformat(before.made_at) + timedelta(seconds=1)  # was told in whole seconds
    assert datetime.fromisoformat(after.made_at) < event_time
    assert after.model_copy(update={"run_id": before.run_id, "made_at": before.made_at}) == before


@pytest.mark.parametrize("harm", by_day(["rubbish", "truncated", "flipped", "foreign"], "flipped", "foreign"))
def test_a_damaged_file_is_listed_and_made_anew(home: Any, span: TimeRange, harm: str) -> None:
    """Rubbish, a cut file, a flipped byte among the values, another Parquet file: not recorded, and the next run mends it."""
    before = home.files()
    path = home.workbench().store.path("basic/mag", THREE)
    content = path.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 4] ^= 0xFF
    foreign = b"PAR1 not at all" * 30
    path.write_bytes({"rubbish": b"\0" * 500, "truncated": content[:-100], "flipped": bytes(flipped), "foreign": foreign}[harm])
    lose_record(home)
    report = restore(home)
    assert damaged(report) == [("basic/mag", THREE)]
    assert report.exit_code == 1
    assert home.run(span).status == "success"
    assert home.files() == before


def test_a_file_in_the_place_of_another_is_not_taken_for_it(home: Any, span: TimeRange) -> None:
    """Another partition's is refused for its times, another asset's is stale by its code: both are made anew."""
    before = home.files()
    store = home.workbench().store
    shutil.copy(store.path("cdaweb/TS_H0_MFI/BGSE", TWO), store.path("cdaweb/TS_H0_MFI/BGSE", THREE))
    shutil.copy(store.path("basic/mean", TWO), store.path("basic/mag", TWO))
    lose_record(home)
    assert damaged(restore(home)) == [("cdaweb/TS_H0_MFI/BGSE", THREE)]
    assert home.states(span)["mag"][TWO] == "stale"
    assert home.run(span).status == "success"
    assert home.files() == before


def test_it_waits_for_no_run(home: Any) -> None:
    """While a run writes, there is one clear message."""
    pipeline, graph = home.open()
    workbench = home.workbench()
    refused: list[str] = []

    def listen(asset: str, partition: str | None, outcome: object) -> None:
        if not refused:
            with pytest.raises(StorageError, match="a run is writing"):
                restore(home)
            refused.append(asset)

    run(RunRequest(graph, pipeline, pipeline.partitions.window(TWO), force=True), workbench, listener=listen)
    workbench.close()
    assert refused


def test_a_lost_record_is_noticed_and_the_command_restores_it(home: Any, shell: Shell) -> None:
    """`helio status` and `helio run` hint at it in one line on stderr; after it they do not; what is damaged gives exit 1."""
    lose_record(home)
    done = shell(home, "status", "basic", TWO, "--json")
    assert done.stderr.count("helio reindex") == 1
    assert json.loads(done.stdout)["pipeline"] == "basic"
    done = shell(home, "reindex")
    assert done.returncode == 0, done.stderr
    assert "drawn/plot" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "reindex" not in shell(home, "run", "basic", TWO).stderr
    home.workbench().store.path("basic/mag", THREE).write_bytes(b"rubbish")
    lose_record(home)
    done = shell(home, "reindex", "--json")
    assert done.returncode == 1
    (asset,) = [each for each in json.loads(done.stdout)["assets"] if each["damaged"]]
    assert (asset["asset"], asset["damaged"][0]["partition"]) == ("basic/mag", THREE)
    lose_record(home)
    assert "helio reindex" in shell(home, "run", "basic", TWO).stderr


def test_the_checks_are_judged_again(make_site: Callable, mission: Mission, span: TimeRange) -> None:
    """Dagster's page shows verdicts as before, over all that is stored: the days of the halo, which have no files, too."""
    site = make_site()
    mission.withdraw(THREE)
    site.run(span)
    before = verdicts(site, "basic/mag")
    assert before["coverage"] == (False, THREE)
    lose_record(site)
    restore(site)
    after = verdicts(site, "basic/mag")
    assert after.pop("coverage") == (False, f"2023-01-01, {THREE}, 2023-01-05")
    assert after == {name: verdict for name, verdict in before.items() if name != "coverage"}
