"""Dagster's check `up_to_date` says of each asset what `helio status` says of its partitions."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import BASIC, MakeSpan, Mission, Site

FETCH, MAG, MEAN = "cdaweb/TS_H0_MFI/BGSE", "basic/mag", "basic/mean"


class Daemon:
    """The sensor, tick by tick, as Dagster's daemon evaluates it and stores what it reports."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._cursor: str | None = None

    def tick(self) -> dict[str, tuple[bool, str]]:
        """Asset to what its check says now, of those that say something new."""
        definitions = library_definitions(self._site.settings)
        (sensor,) = [each for each in definitions.sensors or [] if each.name == "up_to_date"]
        with open_instance(self._site.settings) as instance:
            context = dg.build_sensor_context(instance, cursor=self._cursor, definitions=definitions)
            found = sensor.evaluate_tick(context)
            assert found.run_requests == []
            self._cursor = found.cursor
            for event in found.asset_events:
                instance.report_runless_asset_event(event)
            return {"/".join(each.asset_key.path): (bool(each.passed), each.description or "") for each in found.asset_events}


@pytest.fixture
def daemon(site: Site) -> Daemon:
    """The daemon of a home."""
    return Daemon(site)


def test_it_follows_runs_lost_files_revisions_and_edits(
    site: Site, daemon: Daemon, mission: Mission, span: TimeRange, make_span: MakeSpan
) -> None:
    """Each change is told once, with partition and reason; what is made up to date again passes again."""
    assert daemon.tick() == {}  # nothing was made yet
    site.run(span)
    first = daemon.tick()
    assert set(first) == {FETCH, MAG, MEAN}
    assert all(passed for passed, _ in first.values())
    assert first[MEAN] == (True, "All 3 partitions ever made are up to date.")
    assert daemon.tick() == {}

    mission.publish("2023-01-03", seed=1)
    site.drift(span)
    drifted = daemon.tick()
    assert drifted[FETCH] == (False, "1 of 5 partitions are not up to date: 2023-01-03: the archive's files changed")
    assert drifted[MEAN][0] is False
    assert drifted[MEAN][1].startswith("3 of 3")  # the middle of three days is in the halo of each
    assert daemon.tick() == {}
    site.run(span)
    assert all(passed for passed, _ in daemon.tick().values())

    site.save(BASIC.replace("PT2H", "PT3H"))
    assert daemon.tick() == {
        MEAN: (
            False,
            "3 of 3 partitions are not up to date: " + "; ".join(f"2023-01-0{day}: its code changed" for day in (2, 3, 4)),
        )
    }


def test_a_lost_file_is_noticed(site: Site, span: TimeRange) -> None:
    """No event says so, so all is judged again with the first tick of a daemon, and once an hour."""
    site.run(span)
    Daemon(site).tick()
    Path(site.settings.data, MAG, "2023-01-03.parquet").unlink()
    found = Daemon(site).tick()
    assert found[MAG] == (False, "1 of 5 partitions are not up to date: 2023-01-03: its file is missing")


def test_a_run_evaluates_it_and_nothing_is_blocked(site: Site, span: TimeRange) -> None:
    """In Dagster's runs the check comes after the assets; a run of `helio run` has no such step."""
    site.run(span)
    tags = {"dagster/asset_partition_range_start": "2023-01-02", "dagster/asset_partition_range_end": "2023-01-03"}
    with open_instance(site.settings) as instance:
        definitions = library_definitions(site.settings)
        job = definitions.resolve_implicit_global_asset_job_def()
        keys = list(definitions.resolve_asset_graph().materializable_asset_keys)
        result = job.execute_in_process(instance=instance, asset_selection=keys, tags=tags)
        assert result.success
        told = {
            "/".join(each.asset_key.path): each
            for each in result.get_asset_check_evaluations()
            if each.check_name == "up_to_date"
        }
        assert {name: (each.passed, each.blocking) for name, each in told.items()} == dict.fromkeys(
            (FETCH, MAG, MEAN), (True, False)
        )
