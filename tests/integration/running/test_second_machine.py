"""Workers on machines that share no folder and no processes with this one: only the record, the object store and the broker."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from helio_dagster.domain.dispatch import Dispatch
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.dispatching.names import queue_of
from helio_dagster.launch.web.daemon import running_daemon
from tests.brokers import BROKER, clear, require_broker
from tests.integration.running.conftest import BASIC, MakeSite, MakeSpan, Site
from tests.integration.running.test_object_store import tables
from tests.integration.running.test_workers import STORY, days, made_how_often, process_of_a_run  # noqa: F401 - a fixture
from tests.object_store import ObjectService
from tests.second_machine import second_machine
from tests.shifted_clock import shifted_clock

Lab = tuple[Site, RunReport, dict[str, bytes], Path]


@pytest.fixture
def lab(
    make_site: MakeSite,
    days: TimeRange,  # noqa: F811
    postgres: str,
    objects: ObjectService,
    tmp_path: Path,
) -> Iterator[Lab]:
    """A home with Dagster's daemon and without workers; and what a laptop makes of the same: report, tables, its figures."""
    require_broker(BROKER)
    alone = make_site("laptop", BASIC, STORY)
    expected = alone.run(days, name="story")
    site = make_site("lab", BASIC, STORY)
    dispatch = Dispatch(BROKER, partitions=2, at_once=2)
    site.settings = replace(site.settings, postgres=postgres, tables=objects.new_bucket(), dispatch=dispatch)
    try:
        with running_daemon(site.settings):
            yield site, expected, alone.files(), alone.settings.figures
    finally:
        clear(BROKER, queue_of(site.settings))


def require_same(site: Site, report: RunReport, lab: Lab) -> None:
    """The report, tables and figures of a laptop, and each partition recorded once."""
    _, expected, files, figures = lab
    assert report.status == "success", report
    assert report.steps == expected.steps
    assert tables(site) == files != {}
    assert {each.name for each in site.settings.figures.glob("*__*")} == {each.name for each in figures.glob("*__*")} != set()
    for drawn in figures.glob("*__*"):
        assert (site.settings.figures / drawn.name).read_bytes() == drawn.read_bytes(), drawn.name
    assert {name for name, count in made_how_often(site).items() if count > 1} == set()


def test_a_worker_on_a_second_machine_makes_the_bytes_of_a_laptop(lab: Lab, days: TimeRange, tmp_path: Path) -> None:  # noqa: F811
    """It has a home of its own. Figures that it drew are brought to the machine that asked for them."""
    site = lab[0]
    with second_machine(site.settings, "far", tmp_path / "far"):
        report = site.run(days, name="story")
    require_same(site, report, lab)
    assert not site.settings.data.exists()


@pytest.mark.nightly
def test_a_second_machine_without_power(lab: Lab, days: TimeRange, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:  # noqa: F811
    """All of its processes end in mid-run: a third machine takes its run up, though their clocks differ by two minutes."""
    site = lab[0]
    early, late = (shifted_clock(folder(tmp_path / f"clock{seconds}"), seconds) for seconds in (60, -60))
    with (
        second_machine(site.settings, "early", tmp_path / "early", early) as machine,
        ThreadPoolExecutor(1) as pool,
    ):
        running = pool.submit(site.run, days, name="story")
        _, run_id = process_of_a_run(site)
        machine.power_off()
        with second_machine(site.settings, "late", tmp_path / "late", late):
            report = running.result()
    require_same(site, report, lab)
    assert f"a worker was killed: another one continues its run {run_id[:8]}" in caplog.text
    again = site.run(days, name="story")
    assert {counts.computed for counts in again.steps.values()} == {0}


@pytest.mark.nightly
def test_a_second_machine_with_another_pipeline(lab: Lab, days: TimeRange, tmp_path: Path) -> None:  # noqa: F811
    """It refuses the run, and says on which machine what differs, before anything is made."""
    site = lab[0]
    path = site.settings.pipelines / "story.yaml"
    path.write_text(STORY.replace("PT30H", "PT20H"))
    with second_machine(site.settings, "far", tmp_path / "far"):
        path.write_text(STORY)
        with pytest.raises(HelioError, match="The worker on far has another story/mean") as caught:
            site.run(days, name="story")
    assert "the same pipelines" in caught.value.problem
    assert tables(site) == {}


@pytest.mark.nightly
def test_two_people_with_homes_of_their_own(
    lab: Lab,
    make_site: MakeSite,
    make_span: MakeSpan,
    days: TimeRange,  # noqa: F811
    tmp_path: Path,
) -> None:
    """One record, store, broker and worker: both ask at once for ranges that overlap, and each partition is made once."""
    one = lab[0]
    other = make_site("other", BASIC, STORY)
    other.settings = replace(one.settings, home=other.settings.home, pipelines=other.settings.pipelines)
    with second_machine(one.settings, "far", tmp_path / "far"), ThreadPoolExecutor(2) as pool:
        first = pool.submit(one.run, days, name="story")
        second = pool.submit(other.run, make_span("2023-01-04", 8), name="basic")
        assert second.result().status == "success"
        report = first.result()
    assert report.status == "success"
    assert {name for name, count in made_how_often(one).items() if count > 1} == set()
    made = tables(one)
    assert {path: made[path] for path in lab[2]} == lab[2]
    assert other.run(days, name="story").run_id is None
    assert {each.name for each in other.settings.figures.glob("*__*")} == {each.name for each in lab[3].glob("*__*")}


def folder(path: Path) -> Path:
    """A new folder."""
    path.mkdir()
    return path
