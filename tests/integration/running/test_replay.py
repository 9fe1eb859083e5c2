"""Replaying: what is made, what is reused, what is skipped, and what a person is told of it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from tests.integration.running.conftest import MakeSpan, Mission, Site

TWO, THREE, FOUR = DAYS = ["2023-01-02", "2023-01-03", "2023-01-04"]

DIAMOND = """
version: 1
name: diamond
partitions: daily
start: 2023-01-01
steps:
  - id: a
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H1_MFI, parameter: F}
  - id: left
    compute: {operation: scale, inputs: {series: a}, options: {factor: 2}}
  - id: right
    compute: {operation: scale, inputs: {series: b}, options: {factor: 3}}
  - id: both
    compute: {operation: difference, inputs: {a: left, b: right}, options: {tolerance: PT0S}}
"""


def test_a_second_run_does_nothing(site: Site, span: TimeRange) -> None:
    """No table is written, no Dagster run is started, and all partitions are reported as reused."""
    site.run(span)
    site.made()
    report = site.run(span)
    assert (report.status, report.run_id) == ("success", None)
    assert {step: (counts.computed, counts.reused) for step, counts in report.steps.items()} == {
        "b": (0, 3),
        "mag": (0, 3),
        "mean": (0, 3),
    }
    assert site.made() == set()
    with open_instance(site.settings) as instance:
        assert instance.get_runs_count() == 1


def test_a_longer_range_makes_only_what_is_new(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """One day first, then three: the first day's tables stand."""
    site.run(make_span(TWO))
    site.made()
    report = site.run(make_span(TWO, 3))
    assert site.made() == {
        ("BGSE", FOUR),
        ("mag", FOUR),
        ("mean", THREE),
        ("mean", FOUR),
        ("BGSE", "2023-01-05"),
        ("mag", "2023-01-05"),
    }
    assert report.steps["mean"].reused == 1


def test_the_code_of_one_step_remakes_that_step(ran_site: Site, span: TimeRange) -> None:
    """Another window: only the mean is made anew; the reason is told before."""
    ran_site.made()
    ran_site.save(ran_site.settings.pipelines.joinpath("basic.yaml").read_text().replace("PT2H", "PT1H"))
    assert ran_site.states(span)["mean"] == dict.fromkeys(DAYS, "stale")
    assert ran_site.why("mean", TWO) == ["its code changed"]
    ran_site.run(span)
    assert ran_site.made() == {("mean", day) for day in DAYS}


def test_an_input_made_anew_with_the_same_content_stops_the_change(site: Site, span: TimeRange) -> None:
    """Backdating: the fetch was forced, its tables are the same, and nothing after it is stale."""
    text = site.settings.pipelines.joinpath("basic.yaml").read_text()
    site.save(text.split("  - id: mag")[0].replace("name: basic", "name: raw"))
    site.run(span)
    site.made()
    site.run(span, name="raw", force=True)
    assert site.made() == {("BGSE", day) for day in DAYS}
    assert set(site.states(span)["mean"].values()) == {"fresh"}
    report = site.run(span)
    assert report.run_id is None
    assert site.made() == set()


def test_new_content_of_a_day_remakes_just_what_was_made_from_it(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """The magnitude of the day, and the mean of it and of both neighbours, whose halos reach into it."""
    for day in ("2023-01-05", "2023-01-06"):
        mission.publish(day)
    site.run(make_span(TWO, 5))
    site.made()
    mission.publish(FOUR, seed=1)
    report = site.run(make_span(TWO, 5), refresh=True)
    made = {(step, day) for step, day in site.made() if step != "BGSE"}
    assert made == {("mag", FOUR), ("mean", THREE), ("mean", FOUR), ("mean", "2023-01-05")}
    assert report.steps["mean"].reused == 2


def test_a_run_covers_just_what_is_to_be_done(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """From the first to the last partition that is not current; those around it count as reused and are settled once."""
    for day in range(5, 10):
        mission.publish(f"2023-01-{day:02d}")
    whole = make_span(TWO, 8)
    site.run(whole)
    mission.publish("2023-01-06", seed=1)
    report = site.run(whole, refresh=True)
    with open_instance(site.settings) as instance:
        assert report.run_id is not None
        tags = instance.get_run_by_id(report.run_id).tags
        planned = instance.all_logs(report.run_id, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION_PLANNED)
    assert (tags["dagster/asset_partition_range_start"], tags["dagster/asset_partition_range_end"]) == (
        "2023-01-05",
        "2023-01-07",
    )
    assert len(planned) == 9
    counts = {step: (found.computed, found.reused) for step, found in report.steps.items()}
    assert (counts["mag"], counts["mean"]) == ((1, 7), (3, 5))
    assert set(site.states(whole)["mean"].values()) == {"fresh"}


def test_without_refresh_the_archive_is_not_asked(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """What the archive published anew stays unknown until it is asked for."""
    mission.publish(THREE, seed=1)
    mission.server.requests.clear()
    assert ran_site.run(span).run_id is None
    assert not mission.server.requests


def test_refresh_on_an_unchanged_archive_remakes_nothing_after_the_fetch(
    ran_site: Site, mission: Mission, span: TimeRange
) -> None:
    """The archive is asked, no file is downloaded twice, and the steps after it are reused."""
    mission.server.requests.clear()
    ran_site.made()
    report = ran_site.run(span, refresh=True)
    assert {step for step, _ in ran_site.made()} <= {"BGSE"}
    assert (report.steps["mag"].reused, report.steps["mean"].reused) == (3, 3)
    assert mission.server.requests
    assert mission.server.count(".cdf") == 0


def test_a_content_that_comes_back_is_fresh_again(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """A, then B, then A: the third run ends in the bytes of the first."""
    first = ran_site.files()
    mission.publish(THREE, seed=1)
    ran_site.run(span, refresh=True)
    assert ran_site.files("basic") != {path: content for path, content in first.items() if path.startswith("basic")}
    mission.publish(THREE, seed=0)
    ran_site.run(span, refresh=True)
    assert ran_site.files("basic") == {path: content for path, content in first.items() if path.startswith("basic")}
    assert set(ran_site.states(span)["mean"].values()) == {"fresh"}


def test_one_changed_parent_of_two_remakes_the_child(make_site: Callable, mission: Mission, make_span: MakeSpan) -> None:
    """Diamond: A as it was and B changed is enough; and only in the partition where it changed."""
    for day in DAYS:
        mission.publish(day, seed=7, source="TS_H1_MFI")
    site, span = make_site("home", DIAMOND), make_span(TWO, 3)
    site.run(span, name="diamond")
    site.made()
    mission.publish(THREE, seed=8, source="TS_H1_MFI")
    site.run(span, name="diamond", refresh=True)
    assert {(step, day) for step, day in site.made() if step != "F"} == {("right", THREE), ("both", THREE)}


@pytest.mark.parametrize("damage", ["gone", "truncated", "another's"])
def test_a_table_that_is_not_the_recorded_one_is_made_again(ran_site: Site, span: TimeRange, damage: str) -> None:
    """Deleted, cut or swapped files are noticed, told and mended; the bytes come back, and nothing else is made."""
    before = ran_site.files()
    path = ran_site.settings.data / "basic" / "mag" / f"{THREE}.parquet"
    match damage:
        case "gone":
            path.unlink()
        case "truncated":
            path.write_bytes(path.read_bytes()[:100])
        case _:
            path.write_bytes((path.parent / f"{TWO}.parquet").read_bytes())
    assert ran_site.states(span)["mag"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh"}
    ran_site.made()
    ran_site.run(span)
    assert ran_site.made() == {("mag", THREE)}
    assert ran_site.files() == before


def test_a_failing_day_leaves_the_others(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """Its cause is listed once, what depends on it is skipped, all else is made; the next run completes it."""
    for day in ("2023-01-05", "2023-01-06"):
        mission.publish(day)
    span = make_span(TWO, 5)
    mission.spoil(FOUR)
    report = site.run(span)
    assert (report.status, report.exit_code) == ("partial", 1)
    assert [(failure.step, failure.partition) for failure in report.failures] == [("b", FOUR)]
    assert report.failures[0].hint
    assert {step: (each.computed, each.failed, each.skipped) for step, each in report.steps.items()} == {
        "b": (4, 1, 0),
        "mag": (4, 0, 1),
        "mean": (2, 0, 3),
    }
    assert site.states(span)["b"][FOUR] == "failed"
    mission.publish(FOUR)
    site.made()
    report = site.run(span)
    assert (report.status, report.failures) == ("success", [])
    assert site.made() == {("BGSE", FOUR), ("mag", FOUR), ("mean", THREE), ("mean", FOUR), ("mean", "2023-01-05")}
    assert set(site.states(span)["mean"].values()) == {"fresh"}


def test_a_run_in_which_all_failed_says_failed(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """Nothing made and nothing reused: `failed`, exit 1."""
    mission.spoil(TWO)
    site.save(site.settings.pipelines.joinpath("basic.yaml").read_text().split("  - id: mag")[0])
    report = site.run(make_span(TWO))
    assert (report.status, report.exit_code) == ("failed", 1)


def test_a_step_that_is_not_critical_may_fail(site: Site, mission: Mission, span: TimeRange) -> None:
    """The magnitude of a scalar cannot be had: listed, and the run is a success; Dagster's run too."""
    text = site.settings.pipelines.joinpath("basic.yaml").read_text()
    site.save(
        text
        + "  - id: f\n    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}\n"
        + "  - id: odd\n    critical: false\n    compute: {operation: magnitude, inputs: {vector: f}}\n"
    )
    report = site.run(span)
    assert (report.status, report.exit_code) == ("success", 0)
    assert [(failure.step, failure.partition) for failure in report.failures] == [("odd", day) for day in DAYS]
    assert report.run_id is not None
    with open_instance(site.settings) as instance:
        assert instance.get_run_by_id(report.run_id).is_success


def test_force_makes_everything_anew(ran_site: Site, span: TimeRange) -> None:
    """All partitions asked for are made, with the same bytes."""
    before = ran_site.files()
    ran_site.made()
    report = ran_site.run(span, force=True)
    assert ran_site.made() == {(step, day) for step in ("BGSE", "mag", "mean") for day in DAYS}
    assert [each.computed for each in report.steps.values()] == [3, 3, 3]
    assert ran_site.files() == before


def test_a_day_without_data_is_empty_and_no_failure(site: Site, make_span: MakeSpan) -> None:
    """The archive has nothing there: success, exit 0, the state `empty`, and the next run does nothing."""
    span = make_span("2023-02-01")
    report = site.run(span)
    assert (report.status, report.exit_code) == ("success", 0)
    assert [each.empty for each in report.steps.values()] == [1, 1, 1]
    assert {step: states["2023-02-01"] for step, states in site.states(span).items()} == dict.fromkeys(
        ("b", "mag", "mean"), "empty"
    )
    assert site.run(span).run_id is None


def test_fill_all_day_is_told_apart_from_no_data(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """Records without one valid value are fresh and computed, and the status says why they look empty."""
    mission.publish("2023-02-01", fill=True)
    report = site.run(make_span("2023-02-01"))
    assert (report.steps["b"].computed, report.steps["b"].empty) == (1, 0)
    assert site.states(make_span("2023-02-01"))["b"] == {"2023-02-01": "fresh"}
    assert site.why("b", "2023-02-01") == ["all values are fill"]


def test_data_that_arrive_later_fill_the_empty_day(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """An empty day is asked for again with `refresh`, and what depends on it follows."""
    span: TimeRange = make_span("2023-02-01")
    site.run(span)
    mission.publish("2023-02-01")
    report = site.run(span, refresh=True)
    assert [each.computed for each in report.steps.values()] == [1, 1, 1]


def test_status_without_a_range_lists_what_was_made_or_failed(site: Site, mission: Mission, make_span: MakeSpan) -> None:
    """Days that no one asked for are not in it, halos neither."""
    site.run(make_span(TWO))
    mission.spoil("2023-01-08")
    site.run(make_span("2023-01-08"))
    assert set(site.states(None)["mean"]) == {TWO, "2023-01-08"}


def test_a_missing_day_is_missing(site: Site, make_span: MakeSpan) -> None:
    """Before any run the states say so."""
    assert site.states(make_span(TWO))["mean"] == {TWO: "missing"}


FIGURE = """
version: 1
name: drawn
title: Drawn
start: 2023-01-01
steps:
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: picture
    critical: false
    figure:
      panels:
        - traces: [{data: f}]
"""


def test_a_figure_is_drawn_for_the_range_that_was_asked_for(make_site: Callable, span: TimeRange, make_span: MakeSpan) -> None:
    """One figure over three days, one for a day; neither is drawn twice, and one whose page has gone is."""
    site = make_site("home", FIGURE)
    (drawn,) = site.run(span, name="drawn").figures
    assert Path(drawn.html).name == "drawn__picture__20230102_20230105.html"
    (single,) = site.run(make_span(TWO), name="drawn").figures
    assert Path(single.html).name == "drawn__picture__20230102_20230103.html"
    again = site.run(span, name="drawn")
    assert (again.run_id, again.steps["picture"].reused) == (None, 3)
    Path(drawn.html).unlink()
    assert site.run(span, name="drawn").figures == [drawn]
    assert Path(drawn.html).is_file()


def test_a_figure_of_part_of_a_day_shows_that_part(make_site: Callable, make_span: MakeSpan) -> None:
    """The whole day is made, the page shows the two hours; each range has a page of its own, none is drawn twice."""
    site = make_site("home", FIGURE)
    part = TimeRange(datetime(2023, 1, 2, 9, tzinfo=UTC), datetime(2023, 1, 2, 11, tzinfo=UTC))
    report = site.run(part, name="drawn")
    page = Path(report.figures[0].html)
    assert report.partitions == [TWO]
    assert page.name == "drawn__picture__20230102T090000_20230102T110000.html"
    axis = re.search(r'"range":\["(2023[^"]*)","(2023[^"]*)"\]', page.read_text())
    assert axis is not None
    assert axis.groups() == ("2023-01-02T09:00:00", "2023-01-02T11:00:00")
    assert site.run(part, name="drawn").run_id is None
    whole = site.run(make_span(TWO), name="drawn")
    assert (whole.steps["f"].reused, Path(whole.figures[0].html).name) == (1, "drawn__picture__20230102_20230103.html")
    assert site.run(part, name="drawn").run_id is None


def test_a_figure_of_part_of_two_days_is_one(make_site: Callable) -> None:
    """From noon to noon, over midnight."""
    site = make_site("home", FIGURE)
    noon = TimeRange(datetime(2023, 1, 2, 12, tzinfo=UTC), datetime(2023, 1, 3, 12, tzinfo=UTC))
    (drawn,) = site.run(noon, name="drawn").figures
    assert Path(drawn.html).name == "drawn__picture__20230102T120000_20230103T120000.html"


def test_a_figure_follows_its_data(make_site: Callable, mission: Mission, span: TimeRange) -> None:
    """New content of one day draws the range anew; the same content does not."""
    site = make_site("home", FIGURE)
    (drawn,) = site.run(span, name="drawn").figures
    first = Path(drawn.html).read_text()
    site.run(span, name="drawn", refresh=True)
    assert Path(drawn.html).read_text() == first
    mission.publish(THREE, seed=1)
    site.run(span, name="drawn", refresh=True)
    assert Path(drawn.html).read_text() != first


def test_seconds_count_from_where_the_command_began(site: Site, span: TimeRange) -> None:
    """Reading a large library takes longer than a run that has nothing to do, and is part of what a person waits for."""
    pipeline, graph = site.open()
    report = run(RunRequest(graph, pipeline, span), site.workbench(), began=time.monotonic() - 1000)
    assert report.seconds > 1000
