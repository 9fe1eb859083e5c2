"""Pipelines over the events that another pipeline computes: what it found becomes partitions, by hand and by the sensor."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import dagster as dg
import numpy as np
import pytest

from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.status import status
from tests.integration.running.conftest import MakeSite, Mission, Site

FINDER = """
version: 1
name: finder
start: 2023-01-01
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: found
    compute: {operation: intervals_where, inputs: {series: mag}, options: {above: 12, longest: PT12H}}
"""
STRONG = """
version: 1
name: strong
schedule: on_change
partitions: {events: finder/found, before: PT1H, after: PT1H}
steps:
  - id: b
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: BGSE}
  - id: mag
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: stack
    compute:
      operation: superposed_epoch
      inputs: {series: mag, events: finder/found}
      options: {before: PT1H, after: PT1H, bin: PT1H}
  - id: counted
    over: range
    compute:
      inputs: {list: finder/found}
      kind: facts
      code: |
        return {"rows": len(list)}
"""
NUMBERED = f"""{FINDER.replace("name: finder", "name: numbered")}
  - id: other
    fetch: {{archive: cdaweb, dataset: TS_H2_MFI, parameter: F}}
  - id: numbers
    compute: {{operation: facts_of_events, inputs: {{events: found, series: other}}, options: {{longest: PT12H}}}}
"""


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A home with a pipeline that finds events, and one over them."""
    return make_site("home", FINDER, STRONG)


def run_events(site: Site, key: str | None = None) -> RunReport:
    """`helio run strong --all`, or `--event KEY`."""
    workbench = site.workbench()
    try:
        return run(Home(site.settings).open("strong").event_request(key), workbench)
    finally:
        workbench.close()


def starts(site: Site, *days: str) -> list[str]:
    """The keys of the intervals, by a plain loop over the samples of whole days."""
    store = site.workbench().store
    keys = []
    was_above = False
    for day in days:
        table = store.read("finder/mag", day)
        for time, value in zip(table.time, table.columns["mag"], strict=True):
            if value > 12 and not was_above:
                keys.append(str(time.astype("datetime64[m]")).replace("-", "").replace(":", ""))
            was_above = value > 12
    return keys


def test_what_was_found_becomes_partitions(site: Site, span: TimeRange, make_span: Callable[..., TimeRange]) -> None:
    """One for each event that is stored, as many as a plain loop finds; more days bring more of them, which run alone."""
    site.run(make_span("2023-01-02"), name="finder")
    first = run_events(site)
    assert first.partitions == starts(site, "2023-01-02") != []
    site.made()
    site.run(span, name="finder")
    report = run_events(site)
    assert report.status == "success"
    assert report.partitions == starts(site, "2023-01-02", "2023-01-03", "2023-01-04")
    assert {key for step, key in site.made() if step == "stack"} == set(report.partitions) - set(first.partitions) != set()
    assert [len(site.workbench().store.read("strong/stack", key)) for key in report.partitions] == [1] * len(report.partitions)
    (rows,) = [fact.value for fact in report.facts]
    assert rows == len(report.partitions)
    assert run_events(site).run_id is None


@pytest.mark.nightly  # by day those of a list are, in `test_events`, and days of any kind in `test_invariance`
def test_however_it_is_found_and_run_the_bytes_are_the_same(site: Site, make_site: MakeSite, span: TimeRange) -> None:
    """Days in another order, events one by one."""
    other = make_site("other", FINDER, STRONG)
    site.run(span, name="finder")
    report = run_events(site)
    for first in (2, 1, 0):
        start = span.start + timedelta(days=first)
        other.run(TimeRange(start, start + timedelta(days=1)), name="finder")
    for key in reversed(report.partitions):
        run_events(other, key)
    assert site.files("strong/mag") == other.files("strong/mag") != {}
    assert site.files("strong/stack") == other.files("strong/stack") != {}


def test_it_says_when_nothing_was_found_yet(site: Site, shell: Callable) -> None:
    """Before the other pipeline ran, with the command to run; the check does not mind."""
    assert shell(site, "check").returncode == 0
    ran = shell(site, "run", "strong", "--all")
    assert ran.returncode == 2
    assert "finder/found has not been run yet" in ran.stderr
    assert "helio run finder START STOP" in ran.stderr
    told = shell(site, "status", "strong")
    assert told.returncode == 0
    assert "strong has no events: finder/found has not been run yet, so it lists no events. Run it first:" in told.stdout


def test_status_says_where_a_list_may_lack_events(site: Site, mission: Mission, span: TimeRange) -> None:
    """What failed below it, and nothing once that is made."""

    def notes() -> list[str]:
        opened, graph = site.open("strong")
        return status(graph, opened, None, site.workbench()).notes

    good = mission.folder / "ts_h0_mfi_20230103_v01.cdf"
    content = good.read_bytes()
    mission.spoil("2023-01-03")
    site.run(span, name="finder")
    *_, note = notes()  # the first says that the list has no partition: each reads half a day of its neighbours
    assert note.startswith("1 partition of cdaweb/TS_H0_MFI/BGSE failed, such as 2023-01-03: ")
    assert note.endswith("Events of that time are missing from finder/found: run finder again.")
    good.write_bytes(content)
    site.run(span, name="finder")
    assert notes() == []


def test_changed_options_are_said_and_nothing_is_lost(site: Site, span: TimeRange, shell: Callable) -> None:
    """Until the finder is run again over all its days the events are not known; then those of the new options run."""
    site.run(span, name="finder")
    before = run_events(site).partitions
    files = site.files("strong")
    site.save(FINDER.replace("above: 12", "above: 11"))
    with pytest.raises(InputError, match="3 of 3 partitions of finder/found were made before the step was changed") as caught:
        run_events(site)
    assert "helio run finder 2023-01-02" in caught.value.hint
    assert shell(site, "prune", "--yes").returncode == 0
    assert site.files("strong") == files
    site.run(span, name="finder")
    report = run_events(site)
    assert (report.status, len(report.partitions) > len(before)) == ("success", True)


@pytest.mark.alike(2)
@pytest.mark.parametrize(
    ("events", "problem"),
    [
        ("nobody/found", "there is no pipeline 'nobody'"),
        ("finder/nothing", "'finder/nothing' is not a list of events of finder"),
        ("finder/b", "is not a list of events of finder"),
        ("mag", "is computed in this pipeline"),
        ("strong/mag", "is computed in this pipeline"),
    ],
)
def test_what_lists_no_events_is_said(site: Site, shell: Callable, events: str, problem: str) -> None:
    """With what to do."""
    site.save(STRONG.replace("events: finder/found, before", f"events: {events}, before"))
    checked = shell(site, "check")
    assert checked.returncode == 2
    assert problem in checked.stdout + checked.stderr
    assert "Traceback" not in checked.stdout + checked.stderr


def test_a_series_lists_no_events(site: Site, span: TimeRange, shell: Callable) -> None:
    """Said by the check where the catalog knows the data, else by the run."""
    strong = STRONG.replace("events: finder/found, before", "events: finder/mag, before")
    site.save(strong)
    site.run(span, name="finder")
    with pytest.raises(InputError, match="finder/mag is a series, and not a list of events"):
        run_events(site)
    opened, graph = site.open("strong")
    assert "finder/mag is a series, and not a list of events" in status(graph, opened, None, site.workbench()).notes[0]
    site.save(FINDER.replace("TS_H0_MFI", "AC_H0_MFI").replace("BGSE", "BGSEc"))
    checked = shell(site, "check")
    assert checked.returncode == 2
    assert "'finder/mag' is a series, not events" in checked.stdout + checked.stderr


def test_a_ring_is_said(site: Site, shell: Callable) -> None:
    """A finder that reads what is made of its own events."""
    site.save(FINDER.replace("inputs: {series: mag}", "inputs: {series: strong/mag}"))
    checked = shell(site, "check")
    assert checked.returncode == 2
    assert "one partition for each event of strong" in checked.stdout + checked.stderr


def test_renaming_and_export_follow_the_reference(site: Site, shell: Callable) -> None:
    """The list of another pipeline is a reference like any other."""
    assert shell(site, "pipelines", "rename", "finder", "seeker").returncode == 0
    assert "events: seeker/found" in (site.settings.pipelines / "strong.yaml").read_text()
    exported = shell(site, "pipelines", "export", "strong").stdout
    assert "pipelines/seeker.yaml" in exported


def test_the_sensor_makes_partitions_of_what_was_found(site: Site, mission: Mission, span: TimeRange) -> None:
    """With definitions that were loaded before anything was found; a revised day whose event moved changes just that one."""
    definitions = library_definitions(site.settings)
    sensor = definitions.resolve_sensor_def("events_of_strong")
    with open_instance(site.settings) as instance:

        def tick(cursor: str | None) -> dg.SensorResult | dg.SkipReason:
            found = sensor(dg.build_sensor_context(instance=instance, cursor=cursor, definitions=definitions))
            assert isinstance(found, (dg.SensorResult, dg.SkipReason))
            return found

        early = tick(None)
        assert isinstance(early, dg.SkipReason)
        assert "has not been run yet" in str(early.skip_message)
        site.run(span, name="finder")
        keys = starts(site, "2023-01-02", "2023-01-03", "2023-01-04")
        first = tick(None)
        assert isinstance(first, dg.SensorResult)
        assert [request.partition_key for request in first.run_requests or []] == keys[:20]
        (added,) = first.dynamic_partitions_requests or []
        assert list(added.partition_keys) == keys
        instance.add_dynamic_partitions("events_of_strong", keys)
        mission.publish("2023-01-04", seed=7)
        site.run(span, name="finder", refresh=True)
        now = starts(site, "2023-01-02", "2023-01-03", "2023-01-04")
        second = tick(first.cursor)
        assert isinstance(second, dg.SensorResult)
        changes = second.dynamic_partitions_requests or []
        assert {key for change in changes for key in change.partition_keys} == set(keys) ^ set(now) != set()


def test_a_figure_marks_its_own_event(site: Site, span: TimeRange) -> None:
    """As a list in the pipeline does."""
    site.save(STRONG + "  - id: overview\n    figure: {panels: [{traces: [{data: mag}]}], events: finder/found}\n")
    site.run(span, name="finder")
    report = run_events(site)
    assert len(report.figures) == len(report.partitions)
    assert np.all([figure.html.endswith(".html") for figure in report.figures])


def test_an_event_is_told_once_and_none_is_left_out(make_site: MakeSite, mission: Mission, span: TimeRange) -> None:
    """With its numbers where there are any; from the list itself on a day of which the numbers' dataset has no file at all."""
    mission.publish("2023-01-02", source="TS_H2_MFI", seed=2)
    site = make_site("numbered", NUMBERED)
    report = site.run(span, name="numbered")
    store = site.workbench().store
    days = {day: len(store.read("numbered/found", day)) for day in ("2023-01-02", "2023-01-03", "2023-01-04")}
    assert min(days.values()) > 0
    with_numbers, without = [[event for event in report.events if event.step == step] for step in ("numbers", "found")]
    assert [event.start[:10] for event in with_numbers] == ["2023-01-02"] * days["2023-01-02"]
    assert all(isinstance(event.values["F_mean"], float) for event in with_numbers)
    assert [event.start[:10] for event in without] == [day for day in ("2023-01-03", "2023-01-04") for _ in range(days[day])]
