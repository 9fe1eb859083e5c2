"""Two homes with one record in PostgreSQL and one object store: each partition is made once, whatever happens to a run."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from helio_dagster.domain.errors import StorageError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.web.figure_pages import FigurePages
from helio_dagster.resources.postgres_claims import PostgresClaims
from tests.integration.running.conftest import BASIC, MakeSite, MakeSpan, Mission, Prepare, Site
from tests.integration.running.test_object_store import STORY, tables
from tests.object_store import ObjectService
from tests.postgres import ask, new_database
from tests.prepared import prepared

pytestmark = pytest.mark.xdist_group("shared tables")  # some compare with the same home, which is made once
PATIENCE_S = 240
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE %s"
END_SESSIONS = SESSIONS.replace("count(*)", "pg_terminate_backend(pid)")


@pytest.fixture
def homes(objects: ObjectService, make_site: MakeSite, postgres: str) -> tuple[Site, Site]:
    """Two homes with the same pipelines, one record and one address of tables."""
    one, other, address = make_site("one", STORY, BASIC), make_site("other", STORY, BASIC), objects.new_bucket()
    for each in (one, other):
        each.settings = replace(each.settings, postgres=postgres, tables=address)
    objects.gate.requests.clear()
    return one, other


@pytest.fixture
def alone(make_site: MakeSite, prepare: Prepare, span: TimeRange) -> dict[str, bytes]:
    """The tables of a home that shares nothing, of the mission's three days."""
    return prepare("story", make_site("alone", STORY), lambda new: new.run(span, name="story")).files()


def made_more_than_once(site: Site, objects: ObjectService) -> set[str]:
    """Partitions that were recorded or written several times. Figures are of each home, results over a range of each range."""
    assert site.settings.postgres is not None
    query = "SELECT asset_key, partition FROM event_logs WHERE dagster_event_type = 'ASSET_MATERIALIZATION'"
    recorded = Counter((asset, key) for asset, key in ask(site.settings.postgres, query))
    written = Counter(path for method, path in list(objects.gate.requests) if method == "PUT" and ".parquet" in path)
    twice = {str(place) for counted in (recorded, written) for place, count in counted.items() if count > 1}
    return {place for place in twice if "view" not in place and "whole" not in place}


def start(site: Site, root: Path, *words: str) -> subprocess.Popen[str]:
    """Start `helio` with the settings of a site."""
    environment = {**os.environ, **site.settings.to_environment()}
    command = [sys.executable, "-m", "helio_dagster", *words]
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("count", [10, pytest.param(50, marks=pytest.mark.nightly)])
def test_overlapping_runs_of_two_homes(
    homes: tuple[Site, Site],
    objects: ObjectService,
    make_site: MakeSite,
    make_span: MakeSpan,
    mission: Mission,
    package_root: Path,
    count: int,
) -> None:
    """In two processes at once: every file is asked for once, every partition made once, with the bytes of one home alone."""
    days = [(date(2023, 1, 1) + timedelta(number)).isoformat() for number in range(count + 2)]
    for day in days:
        mission.publish(day)
    alone = make_site("alone", STORY)
    alone.run(make_span(days[1], count), name="story")
    asked = mission.server.count(".cdf")
    ranges = [(days[1], days[1 + count * 7 // 10]), (days[1 + count * 3 // 10], days[-1])]

    def run(site: Site, start: str, stop: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **site.settings.to_environment()}
        return prepared().run(("run", "story", start, stop, "--json"), cwd=package_root, env=environment)

    with ThreadPoolExecutor(2) as pool:
        done = [*pool.map(run, homes, *zip(*ranges, strict=True))]
    assert [each.returncode for each in done] == [0, 0], done
    assert mission.server.count(".cdf") - asked == asked
    assert made_more_than_once(homes[0], objects) == set()
    ours, expected = tables(homes[0]), alone.files()
    whole = {path for path in {*ours, *expected} if path.startswith("story/whole/")}
    assert (
        {path: ours[path] for path in ours.keys() - whole} == {path: expected[path] for path in expected.keys() - whole} != {}
    )
    for each, (begin, stop) in zip(done, ranges, strict=True):
        report = json.loads(each.stdout)
        assert (
            report["steps"]["mean"]["computed"] + report["steps"]["mean"]["reused"]
            == (date.fromisoformat(stop) - date.fromisoformat(begin)).days
        )
        assert all(Path(figure["html"]).is_file() for figure in report["figures"])


@pytest.mark.nightly
def test_the_machine_of_a_run_is_gone(
    homes: tuple[Site, Site], objects: ObjectService, alone: dict[str, bytes], span: TimeRange, package_root: Path
) -> None:
    """SIGKILL while it stores a table that another home waits for: that one makes the rest, and what was stored is used."""
    one, other = homes
    words = ("run", "story", "2023-01-02", "2023-01-05", "--json")
    begun = threading.Lock()
    processes = [start(one, package_root, *words)]

    def kill(method: str, path: str) -> tuple[int, str] | None:
        if method == "PUT" and "story/mag/2023-01-03" in path and begun.acquire(blocking=False):
            processes.append(start(other, package_root, *words))
            wait_for_sessions(one, 2)
            processes[0].send_signal(signal.SIGKILL)
            return 503, "SlowDown"
        return None

    objects.gate.answers = kill
    assert processes[0].wait() == -signal.SIGKILL
    out, said = processes[1].communicate(timeout=PATIENCE_S)
    assert processes[1].returncode == 0, said
    assert json.loads(out)["steps"]["b"] == {
        "asset": "cdaweb/TS_H0_MFI/BGSE",
        "computed": 0,
        "reused": 3,
        "empty": 0,
        "skipped": 0,
        "failed": 0,
    }
    assert tables(one) == alone
    again = one.run(span, name="story")
    assert again.status == "success"
    assert {name: step.computed for name, step in again.steps.items() if name != "view"} == dict.fromkeys(
        again.steps.keys() - {"view"}, 0
    )


def wait_for_sessions(site: Site, count: int) -> None:
    """Wait until so many runs hold claims, or wait for some."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if ask(site.settings.postgres or "", SESSIONS, ("helio %",)) == [(count,)]:
            return
        time.sleep(0.05)
    raise AssertionError(f"there are no {count} sessions")


def test_a_run_that_is_cut_off_from_the_record(
    homes: tuple[Site, Site], objects: ObjectService, alone: dict[str, bytes], span: TimeRange
) -> None:
    """It goes on with what it had claimed, as nobody else has taken it."""
    cut = threading.Lock()

    def end(method: str, path: str) -> None:
        if method == "PUT" and "story/mag/2023-01-03" in path and cut.acquire(blocking=False):
            assert ask(homes[0].settings.postgres or "", END_SESSIONS, ("helio %",)) == [(True,)]

    objects.gate.answers = end
    assert homes[0].run(span, name="story").status == "success"
    assert cut.locked()
    assert tables(homes[0]) == alone
    assert made_more_than_once(homes[0], objects) == set()


def test_what_another_run_took_over_is_not_stored(
    homes: tuple[Site, Site],
    objects: ObjectService,
    alone: dict[str, bytes],
    span: TimeRange,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """While another run has it; this one waits until it is free, looks again, and then makes what is still missing."""
    address, store = homes[0].settings.postgres or "", homes[0].settings.tables or ""
    with closing(PostgresClaims(address, store, "another")) as others:
        taken = others.rounds("story/mag", ["2023-01-04"])
        cut = threading.Lock()

        def take(method: str, path: str) -> None:
            if method == "PUT" and "story/mag/2023-01-03" in path and cut.acquire(blocking=False):
                ask(address, END_SESSIONS, ("helio %",))
                assert next(taken) == ["2023-01-04"]

        class Release(logging.Handler):
            """Lets go of it when it is waited for."""

            def emit(self, record: logging.LogRecord) -> None:
                """Handle a message of the run."""
                if record.getMessage().startswith("waiting for story/mag 2023-01-04, which run another"):
                    assert not any(method == "PUT" and "mag/2023-01-04" in path for method, path in objects.gate.requests)
                    assert list(taken) == []

        objects.gate.answers = take
        handler, log = Release(), logging.getLogger("helio_dagster.resources.postgres_claims")
        log.addHandler(handler)
        try:
            assert homes[0].run(span, name="story").status == "success"
        finally:
            log.removeHandler(handler)
    assert "the connection to the record was lost, and another run took over story/mag 2023-01-04" in caplog.messages
    assert tables(homes[0]) == alone
    assert made_more_than_once(homes[0], objects) == set()


def test_who_may_share(homes: tuple[Site, Site], make_span: MakeSpan, postgres_template: str) -> None:
    """Not a home whose record is in SQLite, or in another database: each is told what to do, and nothing is written."""
    one, other = homes
    day, right = make_span("2023-01-02"), other.settings
    one.run(day, name="basic")
    before = tables(one)
    with new_database(postgres_template) as database:
        for settings, said in (
            (replace(right, postgres=None), "homes that share a record"),
            (replace(right, postgres=database), "homes with another record"),
        ):
            other.settings = settings
            with pytest.raises(StorageError, match=said) as caught:
                other.run(day, name="basic")
            assert "record.postgres" in caught.value.hint
    assert tables(one) == before
    other.settings = right
    assert other.run(day, name="basic").run_id is None
    assert other.run(make_span("2023-01-03"), name="basic").status == "success"


def test_a_figure_that_another_home_drew(homes: tuple[Site, Site], span: TimeRange) -> None:
    """It is up to date there, too: shown, listed and served with the same bytes, and not drawn again."""
    one, other = homes
    first = one.run(span, name="story")
    again = other.run(span, name="story")
    assert again.run_id is None
    assert [Path(each.html).name for each in again.figures] == [Path(each.html).name for each in first.figures] != []
    for ours, theirs in zip(first.figures, again.figures, strict=True):
        assert Path(theirs.html).is_relative_to(other.settings.figures)
        for suffix in (".html", ".png", ".json"):
            assert Path(ours.html).with_suffix(suffix).read_bytes() == Path(theirs.html).with_suffix(suffix).read_bytes()
    assert set(other.states(span, name="story")["view"].values()) == {"fresh"}


def test_a_web_server_shows_what_another_machine_drew(homes: tuple[Site, Site], span: TimeRange) -> None:
    """Though it has never run anything itself: the list of figures, the page and its script, and the picture."""
    one, other = homes
    (drawn,) = one.run(span, name="story").figures
    other.settings.figures.mkdir(parents=True)
    client = TestClient(FigurePages(other.settings))
    name = Path(drawn.html).stem
    page = client.get(f"/{name}.html")
    assert page.content == Path(drawn.html).read_bytes()
    (script,) = one.settings.figures.glob("*.js")
    assert client.get(f"/{script.name}").content == script.read_bytes()
    assert client.get(f"/{name}.png").content == Path(drawn.png or "").read_bytes()
    assert name in client.get("/").text
