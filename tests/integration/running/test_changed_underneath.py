"""What changes under a home: its pipelines, its clock, its files, its databases. Noticed, told, and mended without loss."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from datetime import UTC, datetime

import pytest

from helio_dagster.domain.errors import ComputeError, StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.running.reading import read_table
from helio_dagster.launch.running.request import RunRequest, resolve_span
from helio_dagster.launch.running.run import run
from helio_dagster.launch.running.status import status
from helio_dagster.resources.workbench import Workbench
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission, Site

TWO, THREE, FOUR = "2023-01-02", "2023-01-03", "2023-01-04"
SCALED = """
version: 1
name: scaled
partitions: daily
start: 2023-01-02
steps:
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
  - id: doubled
    compute: {operation: scale, inputs: {series: f}, options: {factor: 2}}
  - id: halved
    compute: {operation: scale, inputs: {series: doubled}, options: {factor: 0.5}}
  - id: plot
    figure:
      panels:
        - traces: [{data: halved}]
"""
"""Steps without a halo: nothing but the window tells a week's first partition from a day's."""

TABLED = """
version: 1
name: tabled
start: 2023-01-01
steps:
  - id: storms
    table: {csv: "onset,name\\n2023-01-03T06:11Z,Test", source: "Someone 2023"}
  - id: f
    fetch: {archive: cdaweb, dataset: TS_H0_MFI, parameter: F}
"""


def edit(site: Site, old: str, new: str, *, name: str = "basic") -> None:
    """Change the text of a pipeline."""
    path = site.settings.pipelines / f"{name}.yaml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_pipeline_edited_while_it_runs_is_run_as_it_was_read(site: Site, span: TimeRange) -> None:
    """The run ends well with the old window; afterwards the edited step is stale and the others are fresh."""
    pipeline, graph = site.open()
    workbench = site.workbench()
    seen: list[str] = []

    def listen(asset: str, partition: str | None, outcome: object) -> None:
        if not seen:
            edit(site, "PT2H", "PT4H")
        seen.append(asset)

    report = run(RunRequest(graph, pipeline, span), workbench, listener=listen)
    workbench.close()
    assert report.status == "success"
    states = site.states(span)
    assert set(states["mag"].values()) == {"fresh"}
    assert set(states["mean"].values()) == {"stale"}
    assert site.why("mean", THREE) == ["its code changed"]
    site.made()
    site.run(span)
    assert {step for step, _ in site.made()} == {"mean"}


def test_a_pipeline_that_is_broken_while_it_runs_does_not_break_the_run(site: Site, span: TimeRange) -> None:
    """The run ends well; what is read afterwards is told as wrong."""
    pipeline, graph = site.open()
    workbench = site.workbench()

    def listen(asset: str, partition: str | None, outcome: object) -> None:
        (site.settings.pipelines / "basic.yaml").write_text("name: [")

    assert run(RunRequest(graph, pipeline, span), workbench, listener=listen).status == "success"
    workbench.close()


def test_a_week_and_a_day_of_one_key_are_not_taken_for_each_other(
    make_site: MakeSite, make_span: MakeSpan, caplog: pytest.LogCaptureFixture
) -> None:
    """Daily, weekly and daily again: Monday's partition is made anew each time, the other days' are kept, no state is wrong."""
    site, monday, week = make_site("home", SCALED), make_span(TWO), make_span(TWO, 7)
    site.run(week, name="scaled")
    daily = site.files()
    edit(site, "partitions: daily", "partitions: weekly", name="scaled")
    assert site.states(None, name="scaled")["halved"] == {TWO: "stale"}
    assert site.why("doubled", TWO, name="scaled")[0] == "its code changed"
    assert site.states(week, name="scaled")["halved"] == {TWO: "stale"}
    _, graph = site.open("scaled")
    with caplog.at_level(logging.WARNING):
        read_table(site.workbench().store, graph["scaled/halved"], week)
    assert "partitions:" in caplog.text
    assert site.run(week, name="scaled").status == "success"
    whole = read_table(site.workbench().store, graph["scaled/halved"], week)
    assert len(whole) == 3 * 48
    assert set(site.states(None, name="scaled")["halved"].values()) == {"fresh"}
    kept = {path for path in daily if not path.endswith(f"{TWO}.parquet") or path.startswith("cdaweb")}
    assert {path: content for path, content in site.files().items() if path in kept} == {path: daily[path] for path in kept}
    edit(site, "partitions: weekly", "partitions: daily", name="scaled")
    expected = {f"2023-01-{day:02d}": "fresh" for day in range(5, 9)} | {TWO: "stale", THREE: "fresh", FOUR: "fresh"}
    found = site.states(week, name="scaled")["doubled"]
    assert {key: "fresh" if state == "empty" else state for key, state in found.items()} == expected
    site.made()
    site.run(monday, name="scaled")
    assert {key for _, key in site.made()} == {TWO}
    assert {path: content for path, content in site.files().items() if path in daily} == daily


def test_a_clock_set_back_is_told_and_costs_nothing_in_the_end(
    ran_site: Site, span: TimeRange, caplog: pytest.LogCaptureFixture
) -> None:
    """Recorded days that are not over yet by the clock are mentioned and kept; with the right clock all is as it was."""
    before = ran_site.files()
    pipeline, graph = ran_site.open()
    early = Workbench(ran_site.settings, clock=lambda: datetime(2023, 1, 4, tzinfo=UTC))
    with caplog.at_level(logging.WARNING):
        found = status(graph, pipeline, None, early)
    assert "clock" in caplog.text
    assert FOUR in caplog.text
    assert [each.key for each in found.assets[0].partitions] == [TWO, THREE]
    asked = resolve_span(graph, pipeline, TimeRange(span.start, datetime(2023, 1, 4, tzinfo=UTC)), early.clock())
    assert run(RunRequest(graph, pipeline, asked), early).status == "success"
    early.close()
    assert ran_site.run(span).status == "success"
    assert ran_site.files() == before
    assert set(ran_site.states(span)["mean"].values()) == {"fresh"}


def test_a_start_moved_later_hides_what_lies_before_it_and_says_so(ran_site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """Those partitions are none of the pipeline any more: neither fresh nor stale; moved back, they are fresh."""
    edit(ran_site, "start: 2023-01-01", "start: 2023-01-04")
    with caplog.at_level(logging.WARNING):
        assert list(ran_site.states(None)["mag"]) == [THREE, FOUR]  # the mean of the first day reads the one before
    assert TWO in caplog.text
    edit(ran_site, "start: 2023-01-04", "start: 2023-01-01")
    assert set(ran_site.states(None)["mean"].values()) == {"fresh"}


def test_records_that_are_older_than_those_before_them_count(ran_site: Site, mission: Mission, span: TimeRange) -> None:
    """The clock went back between two runs: the later run's record is the one that holds, by order and not by time."""
    (index,) = ran_site.settings.instance.rglob("index.db")
    with sqlite3.connect(index) as database:
        database.execute("UPDATE event_logs SET timestamp = datetime(timestamp, '+10 years')")
        database.execute("UPDATE asset_event_tags SET event_timestamp = datetime(event_timestamp, '+10 years')")
        database.execute(
            "UPDATE asset_keys SET last_materialization_timestamp = datetime(last_materialization_timestamp, '+10 years')"
        )
    mission.publish(THREE, seed=3)
    ran_site.run(span, refresh=True)
    assert set(ran_site.states(span)["mean"].values()) == {"fresh"}
    assert ran_site.run(span).run_id is None


@pytest.mark.alike(3)
@pytest.mark.parametrize("harm", ["rubbish", "empty", "truncated", "a bit", "other partition", "other asset"])
def test_a_table_that_is_not_the_recorded_one_is_made_anew(ran_site: Site, span: TimeRange, harm: str) -> None:
    """Noticed by `helio status` before anything reads it; the next run restores the very bytes, and those alone."""
    before, store = ran_site.files(), ran_site.workbench().store
    path = store.path("basic/mag", THREE)
    rotten = bytearray(path.read_bytes())
    rotten[40] ^= 1
    content = {
        "a bit": bytes(rotten),
        "rubbish": b"no parquet" * 100,
        "empty": b"",
        "truncated": path.read_bytes()[:-50],
        "other partition": store.path("basic/mag", TWO).read_bytes(),
        "other asset": store.path("basic/mean", THREE).read_bytes(),
    }[harm]
    path.write_bytes(content)
    assert ran_site.states(span)["mag"] == {TWO: "fresh", THREE: "stale", FOUR: "fresh"}
    assert ran_site.why("mag", THREE)[0].startswith("its file ")
    ran_site.made()
    assert ran_site.run(span).status == "success"
    assert ran_site.made() == {("mag", THREE)}
    assert ran_site.files() == before


def test_a_rotten_value_is_an_error_with_a_remedy_and_not_another_number(ran_site: Site, span: TimeRange) -> None:
    """A byte among the values flips, the footer stays whole: what reads it says so, `status` too, and the next run mends it."""
    before = ran_site.files()
    path = ran_site.workbench().store.path("basic/mag", THREE)
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 0xFF
    path.write_bytes(bytes(content))
    _, graph = ran_site.open()
    with pytest.raises(StorageError, match="damaged") as caught:
        read_table(ran_site.workbench().store, graph["basic/mag"], span)
    assert caught.value.hint == "Run the same range again: it will be remade."
    assert ran_site.why("mag", THREE) == ["its file is damaged"]
    path.write_bytes(b"")
    with pytest.raises(StorageError, match="damaged"):
        read_table(ran_site.workbench().store, graph["basic/mag"], span)
    assert ran_site.run(span).status == "success"
    assert ran_site.files() == before


def test_a_table_that_failed_once_is_fresh_once_it_is_made(make_site: MakeSite, span: TimeRange) -> None:
    """A failure of what has no partitions is forgotten as any other."""
    site = make_site("home", TABLED)
    site.workbench().store.record_failure("tabled/storms", None, ComputeError("a column is wrong"))
    assert site.states(span, name="tabled")["storms"] == {None: "failed"}
    assert site.run(span, name="tabled").status == "success"
    assert site.states(span, name="tabled")["storms"] == {None: "fresh"}


def test_without_the_index_the_command_that_restores_it_is_named(
    ran_site: Site, span: TimeRange, caplog: pytest.LogCaptureFixture
) -> None:
    """Only the index of events is gone: said once, and nothing is taken for fresh."""
    (index,) = ran_site.settings.instance.rglob("index.db")
    for path in index.parent.glob("index.db*"):
        path.unlink()
    with caplog.at_level(logging.WARNING):
        assert set(ran_site.states(span)["mean"].values()) == {"missing"}
    assert caplog.text.count("helio reindex") == 1
    before = ran_site.files()
    assert ran_site.run(span).status == "success"
    assert ran_site.files() == before


def test_a_home_without_its_instance_is_worked_in_at_once(ran_site: Site, span: TimeRange) -> None:
    """Also without `helio reindex`: the same bytes, from the downloads at hand."""
    before = ran_site.files()
    shutil.rmtree(ran_site.settings.instance)
    assert ran_site.run(span).status == "success"
    assert ran_site.files() == before
