"""What Dagster starts by itself: schedules at their ticks, and conditions as its own evaluation judges them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.asset_daemon_cursor import AssetDaemonCursor

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from tests.integration.running.conftest import Mission, Site

TWO, THREE, FOUR, FIVE = [f"2023-01-0{number}" for number in range(2, 6)]
NOW = datetime(2023, 1, 5, 6, tzinfo=UTC)
FETCH, FILES = "cdaweb/TS_H0_MFI/BGSE", "cdaweb/TS_H0_MFI/files"
TIMED = """
version: 1
name: timed
partitions: daily
start: 2023-01-01
schedule: 30 6 * * *
lag: PT30H
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
"""
WATCHING = (
    TIMED.replace("timed", "watching")
    .replace("30 6 * * *", "on_change")
    .replace("lag: PT30H", "lag: PT0S\nrecheck: 2")
    .replace(
        "  - id: mag",
        "  - id: other\n    compute: {operation: component, inputs: {vector: b}, options: {component: 1}}\n  - id: mag",
    )
)


def tick(site: Site, name: str, now: datetime) -> Any:
    """What a schedule answers at a tick."""
    with open_instance(site.settings) as instance:
        definitions = library_definitions(site.settings)
        context = dg.build_schedule_context(instance=instance, scheduled_execution_time=now)
        return definitions.get_schedule_def(name).evaluate_tick(context)


def asked_range(answer: Any) -> tuple[str, str]:
    """First and last partition of the one run that is asked for."""
    (request,) = answer.run_requests
    return request.tags["dagster/asset_partition_range_start"], request.tags["dagster/asset_partition_range_end"]


def launch(site: Site, name: str, request: Any) -> bool:
    """Run what a schedule asked for, as the daemon would."""
    definitions = library_definitions(site.settings)
    with open_instance(site.settings) as instance:
        job = definitions.get_schedule_def(name).job_name
        return (
            definitions.resolve_job_def(job)
            .execute_in_process(instance=instance, asset_selection=request.asset_selection, tags=request.tags)
            .success
        )


def test_only_pipelines_that_say_so_run_by_themselves(make_site: Callable) -> None:
    """A pipeline without `schedule:` has none; the others are on from the start."""
    definitions = library_definitions(make_site("none").settings)
    assert (list(definitions.schedules or []), [each.name for each in definitions.sensors or []]) == ([], ["up_to_date"])
    definitions = library_definitions(make_site("some", TIMED, WATCHING).settings)
    schedules = {each.name: (each.cron_schedule, each.default_status) for each in definitions.schedules or []}
    running = dg.DefaultScheduleStatus.RUNNING
    assert schedules == {"timed": ("30 6 * * *", running), "files_daily": ("0 * * * *", running)}
    (sensor,) = [each for each in definitions.sensors or [] if each.name != "up_to_date"]  # which starts no run
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    dg.Definitions.validate_loadable(definitions)


def test_a_schedule_runs_the_latest_complete_partition(make_site: Callable) -> None:
    """After the lag; the run gives the tables of `helio run`, and the next tick of the same day has nothing to do."""
    site, other = make_site("home", TIMED), make_site("other", TIMED)
    answer = tick(site, "timed", datetime(2023, 1, 5, 6, 30, tzinfo=UTC))
    assert asked_range(answer) == (THREE, THREE)
    assert launch(site, "timed", answer.run_requests[0])
    day = datetime(2023, 1, 3, tzinfo=UTC)
    other.run(site.open("timed")[0].partitions.window(THREE), name="timed")
    assert site.files() == other.files() != {}
    again = tick(site, "timed", datetime(2023, 1, 5, 6, 30, tzinfo=UTC))
    assert (again.run_requests, bool(again.skip_message)) == ([], True)
    assert asked_range(tick(site, "timed", day + timedelta(days=5, hours=6.5))) == (FOUR, "2023-01-06")


def test_a_schedule_over_longer_partitions_waits_for_them(make_site: Callable) -> None:
    """Days made from a week: asked for once the week is over, and then all of them."""
    weeks = TIMED.replace("timed", "weeks").replace("schedule: 30 6 * * *\nlag: PT30H\n", "").replace("daily", "weekly")
    fetch = "  - id: b\n    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}\n"
    site = make_site("home", weeks, TIMED.replace(fetch, "").replace("vector: b", "vector: weeks/b"))
    answer = tick(site, "timed", datetime(2023, 1, 9, 6, 30, tzinfo=UTC))
    assert asked_range(answer) == ("2023-01-01", "2023-01-01")
    assert launch(site, "timed", answer.run_requests[0])
    assert asked_range(tick(site, "timed", datetime(2023, 1, 10, 6, 30, tzinfo=UTC))) == (TWO, "2023-01-08")


def test_a_schedule_with_recheck_redoes_what_the_archive_revised(make_site: Callable, mission: Mission) -> None:
    """Late and revised data of the last days are noticed, and only they are made anew."""
    site = make_site("home", TIMED.replace("lag: PT30H", "lag: PT0S\nrecheck: 3"))
    first = tick(site, "timed", NOW)
    assert asked_range(first) == (TWO, FOUR)
    assert launch(site, "timed", first.run_requests[0])
    site.made()
    mission.publish(THREE, seed=1)
    mission.publish(FIVE)
    second = tick(site, "timed", NOW + timedelta(days=1))
    assert asked_range(second) == (THREE, FIVE)
    assert launch(site, "timed", second.run_requests[0])
    assert site.made() == {("BGSE", THREE), ("mag", THREE), ("BGSE", FIVE), ("mag", FIVE)}


class Watcher:
    """Evaluates the conditions of a home again and again, as the daemon does."""

    def __init__(self, site: Site, now: datetime = NOW) -> None:
        self.site, self.now = site, now
        self._cursor: AssetDaemonCursor | None = None

    def asked(self, *, after: timedelta = timedelta(seconds=30)) -> set[tuple[str, str]]:
        """(last part of the asset, partition) that are asked for some time later."""
        self.now += after
        with open_instance(self.site.settings) as instance:
            definitions = library_definitions(self.site.settings)
            result = dg.evaluate_automation_conditions(
                definitions, instance=instance, evaluation_time=self.now, cursor=self._cursor
            )
        self._cursor = result.cursor
        return {
            (evaluated.key.path[-1], partition)
            for evaluated in result.results
            for partition in evaluated.true_subset.expensively_compute_partition_keys()
        }


@pytest.fixture
def watcher(make_site: Callable) -> Watcher:
    """A home with a pipeline that runs on change, over the last two days; nothing is made yet."""
    return Watcher(make_site("home", WATCHING))


def run_asked(watcher: Watcher, asked: set[tuple[str, str]]) -> None:
    """Make what was asked for."""
    days = sorted(day for _, day in asked)
    watcher.site.run(_span(days[0], days[-1]), name="watching")


def _span(first: str, last: str) -> TimeRange:
    """From the first day to the last, both included."""
    return TimeRange(Grain.DAILY.window(first).start, Grain.DAILY.window(last).stop)


ALL = ("BGSE", "mag", "other")


def test_missing_partitions_of_the_last_days_are_asked_for_once(watcher: Watcher) -> None:
    """Not those of all time, nor again while nothing came of it within the hour; then again."""
    expected = {(step, day) for step in ALL for day in (THREE, FOUR)}
    assert watcher.asked() == expected
    assert watcher.asked() == set()
    assert watcher.asked(after=timedelta(hours=1)) == expected
    run_asked(watcher, expected)
    assert watcher.asked() == set()
    assert watcher.asked(after=timedelta(hours=1)) == set()


def test_the_next_day_is_asked_for_when_it_is_complete(watcher: Watcher, mission: Mission) -> None:
    """Midnight passes."""
    run_asked(watcher, watcher.asked())
    assert watcher.asked(after=timedelta(hours=17)) == set()
    mission.publish(FIVE)
    assert watcher.asked(after=timedelta(hours=1)) == {(step, FIVE) for step in ALL}


def test_the_same_version_asks_for_nothing(watcher: Watcher) -> None:
    """A forced run makes the same data again: no condition fires, in this tick and at the full hour."""
    run_asked(watcher, watcher.asked())
    assert watcher.asked() == set()
    watcher.site.run(_span(THREE, FOUR), name="watching", force=True)
    assert watcher.asked() == set()
    assert watcher.asked(after=timedelta(hours=1)) == set()


def test_a_changed_version_asks_for_just_what_reads_it(watcher: Watcher, mission: Mission) -> None:
    """The archive republishes a day, also one long past: its fetch, then what is made from it, once."""
    run_asked(watcher, {("b", TWO), ("b", FOUR)})
    assert watcher.asked() == set()
    mission.publish(TWO, seed=1)
    assert watcher.asked() == set()
    watcher.site.drift(None, name="watching")
    assert watcher.asked() == {("BGSE", TWO)}
    assert watcher.asked() == set()
    _fetch_alone(watcher.site, TWO)
    assert watcher.asked() == {("mag", TWO), ("other", TWO)}
    assert watcher.asked() == set()
    run_asked(watcher, {("mag", TWO)})
    assert watcher.asked() == set()
    assert watcher.asked(after=timedelta(hours=1)) == set()


def test_a_change_that_arrives_while_a_run_is_under_way_is_not_lost(watcher: Watcher, mission: Mission) -> None:
    """Blocked by a run in progress, and asked for as soon as it is over, not only at the next full hour."""
    run_asked(watcher, watcher.asked())
    assert watcher.asked() == set()
    definitions = library_definitions(watcher.site.settings)
    keys = [dg.AssetKey(FETCH.split("/"))]
    with open_instance(watcher.site.settings) as instance:
        run = instance.create_run_for_job(
            definitions.resolve_implicit_global_asset_job_def().get_subset(asset_selection=set(keys)),
            tags={"dagster/partition": FOUR},
            asset_selection=set(keys),
            status=dg.DagsterRunStatus.STARTED,
        )
        mission.publish(FOUR, seed=1)
        watcher.site.drift(None, name="watching")
        assert watcher.asked() == set()
        assert watcher.asked() == set()
        instance.report_run_canceled(run)
    assert watcher.asked() == {("BGSE", FOUR)}


def test_changed_code_is_asked_for_within_the_hour(watcher: Watcher) -> None:
    """An edited step: just that step's made partitions, none that were never made."""
    run_asked(watcher, watcher.asked())
    path = watcher.site.settings.pipelines / "watching.yaml"
    path.write_text(path.read_text().replace("component: 1", "component: 2"))
    assert watcher.asked(after=timedelta(hours=1)) == {("other", day) for day in (THREE, FOUR)}


def test_a_lost_file_is_asked_for_within_the_hour(watcher: Watcher) -> None:
    """What `helio status` calls stale is made again also when no event tells of it."""
    run_asked(watcher, watcher.asked())
    (watcher.site.settings.data / "watching" / "mag" / f"{FOUR}.parquet").unlink()
    assert watcher.asked(after=timedelta(hours=1)) == {("mag", FOUR)}


def test_the_files_of_the_last_days_are_observed_every_hour(watcher: Watcher, mission: Mission) -> None:
    """The schedule's run marks what the archive revised, and the condition asks for it."""
    run_asked(watcher, watcher.asked())
    assert watcher.asked() == set()
    mission.publish(FOUR, seed=1)
    answer = tick(watcher.site, "files_daily", NOW + timedelta(hours=1))
    assert asked_range(answer) == (THREE, FOUR)
    assert launch(watcher.site, "files_daily", answer.run_requests[0])
    assert watcher.asked() == {("BGSE", FOUR)}


def _fetch_alone(site: Site, day: str) -> None:
    """Materialize just the fetch of a day, as Dagster's page does."""
    with open_instance(site.settings) as instance:
        job = library_definitions(site.settings).resolve_implicit_global_asset_job_def()
        keys = [dg.AssetKey(FETCH.split("/"))]
        assert job.execute_in_process(instance=instance, asset_selection=keys, partition_key=day).success


def test_what_fails_by_its_own_code_is_not_asked_for_again(make_site: Callable) -> None:
    """The same code fails on the same data the same way, hour after hour; edited, it is asked for at once."""
    failing = WATCHING.replace(
        "  - id: mag\n    compute: {operation: magnitude, inputs: {vector: b}}\n",
        "  - id: mag\n    compute:\n      inputs: {b: b}\n      unit: nT\n      code: |\n        return b['no such column']\n"
        "  - id: after\n    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}\n",
    )
    watcher = Watcher(make_site("home", failing))
    asked = watcher.asked()
    assert ("mag", FOUR) in asked
    run_asked(watcher, asked)
    assert watcher.site.states(_span(THREE, FOUR), name="watching")["mag"] == dict.fromkeys((THREE, FOUR), "failed")
    assert watcher.asked(after=timedelta(hours=1)) == set()
    assert watcher.site.run(_span(THREE, FOUR), name="watching").steps["mag"].failed == 2  # a person's run tries again
    watcher.site.save(failing.replace("['no such column']", "['Bx GSE']"))
    edited = watcher.asked(after=timedelta(hours=1))
    assert edited >= {(step, day) for step in ("mag", "after") for day in (THREE, FOUR)}
    assert {step for step, _ in edited} == {"mag", "after"}


def test_an_archive_has_a_pool(make_site: Callable) -> None:
    """The fetches of all runs are in one, so a limit on it holds for all workers; other steps are in none."""
    graph = library_definitions(make_site("home", TIMED).settings).resolve_asset_graph()
    assert graph.get(dg.AssetKey(FETCH.split("/"))).pools == {"archive_cdaweb"}
    assert graph.get(dg.AssetKey(["timed", "mag"])).pools == set()
