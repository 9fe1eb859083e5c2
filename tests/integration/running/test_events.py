"""Pipelines over events: a partition for each, shared fetches, and a list that grows, moves and shrinks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import numpy as np
import pandas as pd
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from helio_dagster.assets.dynamic_events import definition_name
from helio_dagster.assets.memory_ledger import MemoryLedger
from helio_dagster.assets.run_scope import build_materializer
from helio_dagster.assets.writing.table_writer import TableWriter
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.reading import read_table
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.run_plan import plan_run
from tests.integration.running.conftest import MakeSite, Mission, Prepare, Shell, Site
from tests.table_writers import running_table_writer
from tests.tiers import by_day

LIST = """\
start,stop,name
2023-01-02T22:00Z,2023-01-03T02:00Z,First one
2023-01-03T06:00Z,,second
2023-01-04T10:30Z,,third
"""
STORMS = """
version: 1
name: storms
partitions: {events: list, before: PT2H, after: PT4H}
steps:
  - id: list
    events: {file: lists/storms.csv, source: by hand}
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: mag}, options: {window: PT2H}}
  - id: stack
    compute: {operation: superposed_epoch, inputs: {series: mag, events: list}, options: {before: PT2H, after: PT4H, bin: PT1H}}
  - id: all
    over: range
    compute:
      inputs: {stack: stack}
      code: |
        return stack.mean(axis=1).to_frame("mean")
"""
NUMBERS = """\
  - id: numbers
    compute: {operation: facts_of, inputs: {series: mag}, options: {statistics: [mean, maximum]}}
  - id: of_all
    over: range
    compute:
      inputs: {numbers: numbers}
      kind: facts
      code: |
        return {"events": len(numbers), "mean": numbers["mean"].mean()}
  - id: listed
    over: range
    compute:
      inputs: {list: list}
      kind: facts
      code: |
        return {"rows": len(list)}
"""
"""Numbers of each event, which stand where its window starts, before the event, and what is made of all of them."""
KEYS = ["20230102T2200_first_one", "20230103T0600_second", "20230104T1030_third"]
SECOND_AND_THIRD = TimeRange(datetime(2023, 1, 3, 4, tzinfo=UTC), datetime(2023, 1, 4, 14, 30, tzinfo=UTC))
ALL = TimeRange(datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 5, tzinfo=UTC))


def write_list(site: Site, text: str) -> None:
    """Put the list beside the pipelines, or change it."""
    path = site.settings.pipelines / "lists" / "storms.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A home with a pipeline over three events."""
    site = make_site("home", STORMS)
    write_list(site, LIST)
    return site


@pytest.fixture
def ran_site(site: Site, prepare: Prepare) -> Site:
    """The same after a run over its three events."""
    return prepare("storms", site, run_events)


def run_events(site: Site, key: str | None = None) -> RunReport:
    """`helio run storms --all`, or `--event KEY`."""
    workbench = site.workbench()
    try:
        return run(Home(site.settings).open("storms").event_request(key), workbench)
    finally:
        workbench.close()


def keys_in_dagster(site: Site) -> list[str]:
    """The dynamic partitions that the instance has."""
    graph = Home(site.settings).graph
    with open_instance(site.settings) as instance:
        return list(instance.get_dynamic_partitions(definition_name(graph.events["storms"])))


def test_over_an_event_is_over_its_partition(site: Site) -> None:
    """Written or not, it is the same step: no result changes by it."""
    before = site.open("storms")[1]
    site.save(STORMS.replace("  - id: mean\n", "  - id: mean\n    over: event\n"))
    after = site.open("storms")[1]
    assert "over: event" in (site.settings.pipelines / "storms.yaml").read_text()
    assert {name: node.code_version for name, node in after.nodes.items()} == {
        name: node.code_version for name, node in before.nodes.items()
    }


def test_each_event_is_a_partition_over_its_window(site: Site) -> None:
    """The records of a partition are those of its window alone, and the days under it are fetched once and shared."""
    report = run_events(site)
    assert (report.status, report.partitions) == ("success", KEYS)
    assert keys_in_dagster(site) == KEYS
    store = site.workbench().store
    first = store.read("storms/mag", KEYS[0])
    assert str(first.time[0]) == "2023-01-02T20:00:00.000000000"
    assert str(first.time[-1]) == "2023-01-03T05:30:00.000000000"
    assert sorted(store.partitions("cdaweb/TS_H0_MFI/BGSE")) == ["2023-01-02", "2023-01-03", "2023-01-04"]
    assert [len(store.read("storms/stack", key)) for key in KEYS] == [1, 1, 1]
    assert run_events(site).run_id is None


def test_however_they_are_run_the_bytes_are_the_same(site: Site, make_site: MakeSite) -> None:
    """At once, one by one in another order, over a range, and through Dagster's own partitions."""
    others = [make_site(name, STORMS) for name in ("one_by_one", "by_range", "by_dagster")]
    for each in others:
        write_list(each, LIST)
    one_by_one, by_range, by_dagster = others
    run_events(site)
    for key in reversed(KEYS):
        run_events(one_by_one, key)
    by_range.run(ALL, name="storms")
    definitions = library_definitions(by_dagster.settings)
    assets = [dg.AssetKey(["storms", step]) for step in ("mag", "mean", "stack")]
    with open_instance(by_dagster.settings) as instance:
        instance.add_dynamic_partitions("events_of_storms", KEYS)
        for key in (KEYS[1], KEYS[0], KEYS[2]):
            done = definitions.resolve_implicit_global_asset_job_def().execute_in_process(
                instance=instance, partition_key=key, asset_selection=assets
            )
            assert done.success
    for step in ("mag", "mean", "stack"):
        ours = site.files(f"storms/{step}")
        assert len(ours) == 3
        assert all(each.files(f"storms/{step}") == ours for each in others)


@pytest.fixture
def table_writer() -> Iterator[TableWriter]:
    """A process that writes tables."""
    with running_table_writer() as writer:
        yield writer


def test_blocks_of_events_change_no_byte(site: Site, make_site: MakeSite, table_writer: TableWriter) -> None:
    """One event at a time, two, or all, and all written by another process: the same tables of events and of their days."""
    made = []
    for size, writer in ((1, None), (2, None), (100, None), (3, table_writer)):
        home = make_site(f"blocks_of_{size}", STORMS)
        write_list(home, LIST)
        workbench = home.workbench()
        graph = Home(home.settings).graph
        materializer = build_materializer(graph, workbench, MemoryLedger(), events_at_once=size, writer=writer)
        steps = [f"storms/{step}" for step in ("mag", "mean", "stack")]
        for step in steps:
            outcomes = materializer.materialize(step, KEYS)
            assert [(key, outcome.state) for key, outcome in outcomes.items()] == [(key, "computed") for key in KEYS]
        workbench.close()
        made.append([home.files(name) for name in ("cdaweb/TS_H0_MFI/BGSE", *steps)])
    assert [len(files) for files in made[0]] == [3, 3, 3, 3]
    assert made[0] == made[1] == made[2] == made[3]


def test_only_what_the_list_changed_is_made(ran_site: Site) -> None:
    """An added event runs alone, a moved one is redone, a removed one is left for prune; an empty line changes nothing."""
    ran_site.made()
    write_list(ran_site, LIST + "2023-01-02T12:00Z,,fourth\n")
    report = run_events(ran_site)
    assert {key for step, key in ran_site.made() if step in ("mag", "mean", "stack")} == {"20230102T1200_fourth"}
    assert report.partitions[0] == "20230102T1200_fourth"
    assert keys_in_dagster(ran_site) == [*KEYS, "20230102T1200_fourth"]
    write_list(ran_site, LIST.replace("2023-01-03T02:00Z", "2023-01-03T03:00Z"))
    assert ran_site.states(ALL, name="storms")["mag"] == {KEYS[0]: "stale", KEYS[1]: "fresh", KEYS[2]: "fresh"}
    run_events(ran_site)
    assert {key for step, key in ran_site.made() if step in ("mag", "mean", "stack")} == {KEYS[0]}
    assert keys_in_dagster(ran_site) == KEYS
    write_list(ran_site, LIST.replace("2023-01-03T02:00Z", "2023-01-03T03:00Z") + "\n")
    run_events(ran_site)
    assert not any(step in ("mag", "mean", "stack") for step, _ in ran_site.made())


def test_a_removed_event_is_an_orphan(ran_site: Site, shell: Callable) -> None:
    """Prune lists what is stored of it, and nothing else."""
    write_list(ran_site, "\n".join(LIST.splitlines()[:-1]))
    listed = shell(ran_site, "prune", "--json").stdout
    assert "storms/mag" in listed
    assert "storms/list" not in listed
    assert shell(ran_site, "prune", "--yes").returncode == 0
    assert [name for name in ran_site.files("storms/mag") if "third" in name] == []
    assert len(ran_site.files("storms/mag")) == 2


def test_a_step_over_all_events_is_redone_when_one_of_them_changed(ran_site: Site, mission: Mission) -> None:
    """And not when another was asked for; its value for each event is that of the event's own table."""
    (whole,) = ran_site.files("storms/all")
    store = ran_site.workbench().store
    values = store.read("storms/all", whole.rsplit("/", 1)[-1].removesuffix(".parquet"))
    assert len(values) == 3
    ran_site.made()
    run_events(ran_site, KEYS[0])
    assert ran_site.made() == set()
    mission.publish("2023-01-04", seed=5)
    workbench = ran_site.workbench()
    opened = Home(ran_site.settings).open("storms")
    run(opened.event_request(None, refresh=True), workbench)
    made = ran_site.made()
    assert {key for step, key in made if step == "mag"} == {KEYS[2]}
    assert {step for step, _ in made} >= {"all"}


def test_nothing_of_an_asked_event_is_missing_over_all(site: Site, shell: Callable) -> None:
    """Its window begins before it and may stop after the asked range; other events in that window do not count."""
    site.save(STORMS + NUMBERS)
    run_events(site)
    store, graph = site.workbench().store, Home(site.settings).graph
    means = [store.read("storms/numbers", key).columns["mean"][0] for key in KEYS]
    (of_all,) = store.partitions("storms/of_all")
    assert store.read("storms/of_all", of_all).columns["events"][0] == len(KEYS)
    for asked, keys in ((ALL, KEYS), (TimeRange(ALL.start, datetime(2023, 1, 3, tzinfo=UTC)), KEYS[:1])):
        site.run(asked, name="storms")
        found = read_table(store, graph["storms/of_all"], asked)
        assert found.columns["events"][0] == len(keys)
        assert found.columns["mean"][0] == pytest.approx(np.mean(means[: len(keys)]), rel=1e-12)
        assert read_table(store, graph["storms/listed"], asked).columns["rows"][0] == len(keys)
    verified = shell(site, "verify", "storms", "2023-01-01", "2023-01-05", "--json")
    assert verified.returncode == 0, verified.stdout
    steps = {step["step"]: step["partitions"] for step in json.loads(verified.stdout)["steps"]}
    assert [each["verdict"] for each in steps["of_all"]] == ["same", "same"]


def test_one_event_that_fails_leaves_the_others(site: Site, mission: Mission) -> None:
    """A day that cannot be read fails the events over it alone; a repaired one is made by the same command."""
    mission.spoil("2023-01-04")
    report = run_events(site)
    assert report.status == "partial"
    assert sorted(site.files("storms/mag")) == [f"storms/mag/{key}.parquet" for key in KEYS[:2]]
    mission.publish("2023-01-04", seed=0)
    workbench = site.workbench()
    run(Home(site.settings).open("storms").event_request(None, refresh=True), workbench)
    assert len(site.files("storms/mag")) == 3


def test_what_is_made_of_the_events_that_did_not_fail_is_reported(site: Site, mission: Mission) -> None:
    """A result over all events is then of the others, and the run says its numbers, as `helio facts` does."""
    site.save(STORMS + NUMBERS)
    mission.spoil("2023-01-04")
    for _ in range(2):  # made, then reused
        report = run_events(site)
        assert report.status == "partial"
        assert {fact.value for fact in report.facts if (fact.step, fact.name) == ("of_all", "events")} == {2}
        assert [fact.of for fact in report.facts if (fact.step, fact.name) == ("numbers", "mean")] == KEYS[:2]
        assert [fact.of for fact in report.facts if fact.step == "of_all"] == ["", ""]


def test_the_days_below_events_are_ahead_of_a_run(site: Site) -> None:
    """Nobody requests them, but the run makes them, so its progress counts them; not those that are there."""
    days = ["2023-01-02", "2023-01-03", "2023-01-04"]
    for made in (KEYS[:0], KEYS[1:2], KEYS):
        for key in made:
            run_events(site, key)
        request, workbench = Home(site.settings).open("storms").event_request(None), site.workbench()
        left = [] if made == KEYS else days if not made else [days[0], days[2]]
        assert plan_run(request, workbench).beside(request) == [("cdaweb/TS_H0_MFI/BGSE", day) for day in left]


def test_show_says_in_words_what_a_result_over_all_events_is_over(ran_site: Site, shell: Callable) -> None:
    """How many partitions, from which to which; nothing that only a program reads."""
    shown = shell(ran_site, "show", "storms/all", "2023-01-01", "2023-01-05")
    assert shown.returncode == 0, shown.stderr
    assert f"made over     3 partitions: {KEYS[0]} to {KEYS[2]}" in shown.stdout
    assert "stamp" not in shown.stdout
    assert "{'" not in shown.stdout


WRONG = [
    ("start,stop\n2023-01-03T00:00Z,2023-01-02T00:00Z\n", "stop is not after"),
    ("start,stop,id\n2023-01-03T00:00Z\n", "1 cell, where the header names 3 columns"),
    ("start,stop,id\n2023-01-03T00:00Z\n", "Leave a cell empty, but write all 2 separators."),
    ("start,name\n2023-01-03T00:00Z,a,b\n", "Quote a cell that holds a comma."),
    ("start,name\n2023-01-03T00:00Z,a\n2023-01-03T00:00Z,a\n", "the same event as in line 2"),
    ("start,name\n", "no row"),
    ("", "empty"),
    ("start,stop\n2020-01-03T00:00Z,2023-01-02T00:00Z\n", "days long"),
    ("start,name\nyesterday,a\n", "not a time"),
    ("start,name\n2023-01-03,a\x01\n", "line 2 holds a control character"),
    ("start,stop\n2023-01-03,2023-01-04\n2023-01-03,2023-01-05\n", "need different ids"),
]


@pytest.mark.parametrize("case", by_day(WRONG, WRONG[0], WRONG[3], WRONG[-2]), ids=lambda case: case[1])
def test_a_wrong_list_is_one_clear_message(site: Site, shell: Callable, case: tuple[str, str]) -> None:
    """Before anything runs, with the list and the line; by day a wrong row, a wrong table, and what no terminal should see."""
    text, problem = case
    write_list(site, text)
    checked = shell(site, "check")
    assert checked.returncode == 2
    assert problem in checked.stdout + checked.stderr
    assert "Traceback" not in checked.stdout + checked.stderr


def test_a_list_that_vanished_is_said_and_nothing_is_lost(ran_site: Site, shell: Callable) -> None:
    """The pipeline cannot run, and what was made of it is kept, also by prune."""
    before = ran_site.files("storms")
    (ran_site.settings.pipelines / "lists" / "storms.csv").unlink()
    ran = shell(ran_site, "run", "storms", "--all")
    assert ran.returncode == 2
    assert "there is no list lists/storms.csv beside the pipelines" in ran.stderr
    assert f"Put it into {ran_site.settings.pipelines}, or correct `file:`." in ran.stderr
    assert shell(ran_site, "prune", "--yes").returncode == 0
    assert ran_site.files("storms") == before


def test_rows_outside_the_data_are_empty_and_said(site: Site, shell: Callable) -> None:
    """They are no failure; what is made of all events is made of the others."""
    write_list(site, LIST + "1975-03-01T00:00Z,,early\n")
    ran = shell(site, "run", "storms", "--all", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["status"]) == (0, "success")
    states = json.loads(shell(site, "status", "storms", "--json").stdout)
    (mag,) = (asset for asset in states["assets"] if asset["step"] == "mag")
    assert [each["state"] for each in mag["partitions"]] == ["empty", "fresh", "fresh", "fresh"]
    assert "empty: the archive has no data" in shell(site, "run", "storms", "--all").stdout


def test_a_range_without_events_says_where_they_are(site: Site, shell: Callable) -> None:
    """A result over all events of a range is not made of none: nothing runs, in whole days as a person would say it."""
    ran = shell(site, "run", "storms", "2022-01-01", "2022-02-01")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no event of storms starts in 2022-01-01 to 2022-02-01" in ran.stderr
    assert "They start in 2023-01-02 to 2023-01-05." in ran.stderr
    assert not site.files("storms/all")


@pytest.mark.nightly  # by day lists of a few rows are
def test_a_hundred_thousand_rows_are_read(site: Site, shell: Callable) -> None:
    """As many as a list may have; the three in the middle that are asked for are run, and no other."""
    starts = np.datetime64("2012-01-01T00:00") + np.arange(100_000) * np.timedelta64(2, "h")
    write_list(site, "start,name\n" + "\n".join(f"{start}Z,e{place}" for place, start in enumerate(starts)) + "\n")
    ran = shell(site, "run", "storms", "2023-01-03T06:00Z", "2023-01-03T12:00Z", "--json", "--yes")
    assert ran.returncode == 0
    hours = [key.split("_")[0] for key in json.loads(ran.stdout)["partitions"]]
    assert hours == ["20230103T0600", "20230103T0800", "20230103T1000"]
    assert len(site.files("storms/mag")) == 3


def test_overlapping_touching_and_unordered_events_are_each_their_own(site: Site, make_site: MakeSite) -> None:
    """And two that start together; a row that comes late and at the wrong place makes what it would have made before."""
    rows = [
        "2023-01-03T06:00Z,2023-01-03T10:00Z,b",
        "2023-01-02T22:00Z,2023-01-03T02:00Z,a",
        "2023-01-03T10:00Z,2023-01-03T12:00Z,touches b",
        "2023-01-03T06:00Z,2023-01-03T08:00Z,in b",
    ]
    text = "start,stop,name\n" + "\n".join(rows)
    one_number = STORMS.replace('stack.mean(axis=1).to_frame("mean")', '{"first": stack.iloc[1, 0]}')
    one_number = one_number.replace("      code: |", "      kind: facts\n      code: |")
    site.save(one_number)
    write_list(site, text)
    keys = ["20230102T2200_a", "20230103T0600_in_b", "20230103T0600_b", "20230103T1000_touches_b"]
    assert run_events(site).partitions == keys
    later = make_site("later", one_number)
    write_list(later, "start,stop,name\n" + "\n".join(rows[:2]))
    run_events(later)
    write_list(later, text)
    run_events(later)
    for step in ("mag", "mean", "stack"):
        assert later.files(f"storms/{step}") == site.files(f"storms/{step}")
    (whole,) = (name for name in site.files("storms/all") if "20230103T160000" in name)
    assert later.files("storms/all")[whole] == site.files("storms/all")[whole]


def test_a_series_over_overlapping_windows_is_none(site: Site) -> None:
    """A step over all events that reads one is refused with what to do; the events themselves are made."""
    write_list(site, "start,name\n2023-01-03T06:00Z,a\n2023-01-03T07:00Z,b\n")
    site.save(STORMS.replace("inputs: {stack: stack}", "inputs: {stack: mag}"))
    report = run_events(site)
    assert report.status == "partial"
    assert {failure.step for failure in report.failures} == {"all"}
    assert "windows of the events overlap" in report.failures[0].error
    assert "a row for each event" in report.failures[0].hint
    assert len(site.files("storms/stack")) == 2


def test_events_that_are_not_over_wait(site: Site, shell: Callable) -> None:
    """They are left out and named; asked for alone, it says when to run them."""
    write_list(site, LIST + "2090-01-01T00:00Z,,later\n")
    ran = shell(site, "run", "storms", "--all", "--json")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["partitions"] == KEYS
    assert "1 event not over yet, left out: 20900101T0000_later" in ran.stderr
    alone = shell(site, "run", "storms", "--event", "20900101T0000_later")
    assert (alone.returncode, "Run it after 2090-01-02" in alone.stderr) == (2, True)


def test_status_counts_the_events_that_were_never_run(site: Site, shell: Callable) -> None:
    """A list has an end: an event that is new in it is missing, whereas days that nobody asked for are not."""
    run_events(site, KEYS[1])
    told = json.loads(shell(site, "status", "storms", "--json").stdout)
    (mag,) = (asset for asset in told["assets"] if asset["step"] == "mag")
    assert {each["key"]: each["state"] for each in mag["partitions"]} == dict(
        zip(KEYS, ("missing", "fresh", "missing"), strict=True)
    )


def test_wrong_events_are_said(site: Site) -> None:
    """A key that the list has not, and a range in which no event starts."""
    with pytest.raises(InputError, match="not an event"):
        run_events(site, "20230101T0000_none")
    with pytest.raises(InputError, match="no event of storms starts in"):
        site.run(TimeRange(datetime(2022, 1, 1, tzinfo=UTC), datetime(2022, 2, 1, tzinfo=UTC)), name="storms")


def test_the_sensor_follows_the_list(site: Site) -> None:
    """It adds and removes partitions; with `schedule: on_change` it asks for new events, each once, then for steps over all."""
    site.save(STORMS.replace("steps:", "schedule: on_change\nsteps:", 1))
    definitions = library_definitions(site.settings)
    sensor = definitions.resolve_sensor_def("events_of_storms")
    with open_instance(site.settings) as instance:

        def tick(cursor: str | None) -> dg.SensorResult:
            context = dg.build_sensor_context(instance=instance, cursor=cursor, definitions=definitions)
            found = sensor(context)
            assert isinstance(found, dg.SensorResult)
            for request in found.dynamic_partitions_requests or []:
                if isinstance(request, dg.AddDynamicPartitionsRequest):
                    instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
                else:
                    for key in request.partition_keys:
                        instance.delete_dynamic_partition(request.partitions_def_name, key)
            return found

        first = tick(None)
        assert [request.partition_key for request in first.run_requests or []] == KEYS
        assert list(instance.get_dynamic_partitions("events_of_storms")) == KEYS
        second = tick(first.cursor)
        assert [request.partition_key for request in second.run_requests or []] == [None]
        third = tick(second.cursor)
        assert third.run_requests == []
        write_list(site, LIST.replace("2023-01-03T06:00Z", "2023-01-03T07:00Z"))
        moved = tick(third.cursor)
        assert [request.partition_key for request in moved.run_requests or []] == ["20230103T0700_second"]
        assert sorted(instance.get_dynamic_partitions("events_of_storms")) == sorted([KEYS[0], "20230103T0700_second", KEYS[2]])
        (site.settings.pipelines / "lists" / "storms.csv").unlink()
        skipped = sensor(dg.build_sensor_context(instance=instance, cursor=moved.cursor, definitions=definitions))
        assert isinstance(skipped, dg.SkipReason)
        assert "cannot be read" in str(skipped.skip_message)


def test_dagster_calls_fresh_what_was_just_made(ran_site: Site) -> None:
    """By its own resolver, also a step that reads its own row of the list."""
    graph = library_definitions(ran_site.settings).resolve_asset_graph()
    with open_instance(ran_site.settings) as instance:
        resolver = CachingStaleStatusResolver(instance, graph, LoadingContextForTest(instance))
        found = {
            (step, key): resolver.get_status(dg.AssetKey(["storms", step]), key) for step in ("mag", "stack") for key in KEYS
        }
    assert set(found.values()) == {StaleStatus.FRESH}


def test_events_are_exported_one_or_all(ran_site: Site, shell: Shell, tmp_path: Path) -> None:
    """Of a fetch just what the windows need is written, though nothing was made between them."""

    def written(*arguments: str) -> dict[str, pd.DataFrame]:
        done = shell(ran_site, "export", "storms", *arguments, "-o", str(tmp_path / "out"), "--format", "csv", "--json")
        assert done.returncode == 0, done.stderr
        files = {each["asset"].rsplit("/", 1)[-1]: each["file"] for each in json.loads(done.stdout)["files"]}
        return {name: pd.read_csv(file, comment="#", index_col=0, parse_dates=True) for name, file in files.items()}

    assert shell(ran_site, "run", "storms", "2023-01-03", "2023-01-05").returncode == 0  # of the step over all of them
    ranged = written("2023-01-03", "2023-01-05")
    assert set(ranged) == {"BGSE", "list", "mag", "mean", "stack", "all"}
    graph, store = Home(ran_site.settings).graph, ran_site.workbench().store
    assert len(ranged["mag"]) == sum(len(store.read("storms/mag", key)) for key in KEYS[1:])
    assert len(ranged["BGSE"]) == len(read_table(store, graph["cdaweb/TS_H0_MFI/BGSE"], SECOND_AND_THIRD))
    one = written("--event", KEYS[1])
    assert set(one) == {"BGSE", "list", "mag", "mean", "stack"}
    assert (one["mag"].index[0], one["mag"].index[-1] < pd.Timestamp("2023-01-03T10:00Z")) == (
        pd.Timestamp("2023-01-03T04:00Z"),
        True,
    )
    np.testing.assert_allclose(np.linalg.norm(one["BGSE"].to_numpy(), axis=1), one["mag"].iloc[:, 0].to_numpy(), rtol=1e-6)
    single = shell(ran_site, "show", "storms/mag", "--event", KEYS[1])
    assert single.stdout.startswith(f"storms/mag {KEYS[1]}\n"), single.stderr
    overlapping = shell(ran_site, "export", "storms", "--all", "-o", str(tmp_path / "none"), "--format", "csv")
    assert (overlapping.returncode, "--event KEY" in overlapping.stderr) == (1, True)
    refused = shell(ran_site, "export", "storms/mag", "--event", "nobody", "--format", "csv")
    assert (refused.returncode, "not an event of storms/list" in refused.stderr) == (2, True)
