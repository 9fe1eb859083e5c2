"""Runs of people who use Dagster itself: what they record is what `helio` reads, and disturbs no asset of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

import dagster as dg
import pytest
import yaml
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._core.storage.partition_status_cache import get_and_update_asset_status_cache_value

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission, Shell, Site
from tests.scenario.composed import DEPLOY

RANGE = {"dagster/asset_partition_range_start": "2023-01-02", "dagster/asset_partition_range_end": "2023-01-04"}
MAG = dg.AssetKey(["basic", "mag"])


@contextmanager
def stock_instance(site: Site) -> Iterator[dg.DagsterInstance]:
    """The record of a home as Dagster opens it by itself: DAGSTER_HOME in a folder without `dagster.yaml`."""
    (site.settings.instance / "dagster.yaml").unlink(missing_ok=True)
    with dg.DagsterInstance.from_config(str(site.settings.instance)) as instance:
        assert type(instance.event_log_storage) is SqliteEventLogStorage
        yield instance


def materialize(site: Site, instance: dg.DagsterInstance, tags: dict[str, str]) -> None:
    """All assets of the home, as Dagster's page does."""
    definitions = library_definitions(site.settings)
    keys = list(definitions.resolve_asset_graph().materializable_asset_keys)
    job = definitions.resolve_implicit_global_asset_job_def()
    assert job.execute_in_process(instance=instance, asset_selection=keys, tags=tags).success


def test_what_dagsters_own_storage_recorded_is_up_to_date(site: Site, span: TimeRange) -> None:
    """Dagster's storage indexes none of our tags; the event has them, so status and run know what was made."""
    with stock_instance(site) as instance:
        materialize(site, instance, RANGE)
    assert {state for states in site.states(span).values() for state in states.values()} == {"fresh"}
    report = site.run(span)  # with our storage over the same database
    assert {step: (each.computed, each.reused) for step, each in report.steps.items()} == dict.fromkeys(
        ("b", "mag", "mean"), (0, 3)
    )
    with open_instance(site.settings) as instance:
        materialize(site, instance, {**RANGE, "helio/refresh": "false"})
    assert site.run(span).run_id is None


def test_a_run_in_a_pod_of_dagsters_chart_makes_what_helio_reads(make_site: MakeSite, postgres: str, span: TimeRange) -> None:
    """With Dagster's own storages, by the driver that our values name, and a launcher that only the chart's daemon has."""
    site = make_site()
    site.settings = replace(site.settings, postgres=postgres)
    values = yaml.safe_load((DEPLOY / "helm-values.yaml").read_text())["postgresql"]
    folder = site.settings.home / "pod"
    folder.mkdir()
    database = urlsplit(postgres)
    address = {
        "scheme": values["postgresqlScheme"],
        "hostname": str(database.hostname),
        "port": database.port or 5432,
        "username": str(database.username),
        "password": str(database.password or ""),
        "db_name": database.path.removeprefix("/"),
    }
    kinds = {"event_log_storage": "event_log.PostgresEventLogStorage", "run_storage": "run_storage.PostgresRunStorage"}
    kinds["schedule_storage"] = "schedule_storage.PostgresScheduleStorage"
    parts: dict[str, object] = {}
    for part, kind in kinds.items():
        module, _, name = kind.partition(".")
        parts[part] = {"module": f"dagster_postgres.{module}", "class": name, "config": {"postgres_db": address}}
    parts["run_launcher"] = {"module": "dagster_k8s", "class": "K8sRunLauncher", "config": {}}
    parts["run_monitoring"] = {"enabled": True}
    (folder / "dagster.yaml").write_text(yaml.safe_dump(parts))
    with dg.DagsterInstance.from_config(str(folder)) as instance:
        materialize(site, instance, RANGE)
    assert {state for states in site.states(span).values() for state in states.values()} == {"fresh"}


def test_each_materialization_of_a_run_has_a_time_of_its_own(site: Site, span: TimeRange) -> None:
    """Dagster's page shows events of one millisecond as one, so no two of an asset share it, and they are in order."""
    site.run(span)
    with open_instance(site.settings) as instance:
        for name in ("mag", "mean"):
            found = instance.fetch_materializations(dg.AssetKey(["basic", name]), limit=10, ascending=True).records
            times = [int(record.timestamp * 1000) for record in found]
            assert len(times) >= 3
            assert times == sorted(set(times))
            run = instance.get_run_record_by_id(found[0].run_id)
            assert run is not None
            assert all(run.create_timestamp.timestamp() * 1000 <= each for each in times)
            assert all(each / 1000 <= datetime.now().timestamp() for each in times)


@pytest.mark.parametrize("tag", [{}, {"dagster/backfill": "abc"}])
def test_reused_partitions_are_recorded_again_only_for_a_backfill(site: Site, span: TimeRange, tag: dict[str, str]) -> None:
    """A backfill counts events of its own runs; any other run would only fire the `eager()` of somebody's asset."""
    site.run(span)
    with open_instance(site.settings) as instance:
        before = len(instance.fetch_materializations(MAG, limit=20).records)
        materialize(site, instance, {**RANGE, **tag})
        assert len(instance.fetch_materializations(MAG, limit=20).records) - before == (3 if tag else 0)
        assert failed_or_running(instance, MAG) == set()


def test_what_a_failed_run_reused_is_not_shown_as_failed(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """Dagster shows as failed what a failed run planned and did not record; that is the one bad day alone."""
    site.run(make_span("2023-01-02"))
    mission.spoil("2023-01-04")
    with open_instance(site.settings) as instance:
        definitions = library_definitions(site.settings)
        job = definitions.resolve_implicit_global_asset_job_def()
        keys = list(definitions.resolve_asset_graph().materializable_asset_keys)
        assert not job.execute_in_process(instance=instance, asset_selection=keys, tags=RANGE, raise_on_error=False).success
        assert failed_or_running(instance, dg.AssetKey(["cdaweb", "TS_H0_MFI", "BGSE"])) == {"2023-01-04"}
        assert failed_or_running(instance, MAG) == {"2023-01-04"}


def failed_or_running(instance: dg.DagsterInstance, key: dg.AssetKey) -> set[str]:
    """The partitions that Dagster's page shows as failed or in progress."""
    definition = dg.DailyPartitionsDefinition("2023-01-01", end_date="2023-02-01")
    found = get_and_update_asset_status_cache_value(instance, key, definition)
    assert found is not None
    subsets = (
        found.deserialize_failed_partition_subsets(definition),
        found.deserialize_in_progress_partition_subsets(definition),
    )
    return {each for subset in subsets for each in subset.get_partition_keys()}


def test_a_dagster_home_that_is_not_the_home_s_is_noted(
    site: Site, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What Dagster records elsewhere does not count, and whoever looks for it is told; the home's own folder needs no note."""
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    assert f"note: DAGSTER_HOME is {tmp_path}, but helio keeps its record in" in shell(site, "status", "basic").stderr
    monkeypatch.setenv("DAGSTER_HOME", str(site.settings.instance))
    assert "DAGSTER_HOME" not in shell(site, "status", "basic").stderr
