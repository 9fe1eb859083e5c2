"""A record in PostgreSQL: the same bytes as with one in SQLite, read without Dagster, nothing lost without a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run

from helio_dagster.assets.admission import launch_marks
from helio_dagster.assets.mounting import Mounting
from helio_dagster.assets.outcomes import Outcome
from helio_dagster.assets.record_database import postgres_database
from helio_dagster.assets.recording import DagsterLedger
from helio_dagster.assets.run_record import RunRecord
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import InputError, StorageError
from helio_dagster.domain.report import RunReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.abandoned import PROCESS_TAG, home_tags
from helio_dagster.launch.record.history import list_runs, open_history, page_of_runs
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.record.living_process import living_process
from helio_dagster.launch.record.one_daemon import is_daemon_of_others, the_only_daemon
from helio_dagster.launch.record.release import keep_release
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.web.ui import web_ui
from helio_dagster.resources.daemon_seat import SeatTaken, only_daemon
from helio_dagster.resources.postgres_connection import open_postgres
from helio_dagster.resources.record_tags import RELEASE_TAG
from helio_dagster.resources.worker_launcher import WorkerRunLauncher
from helio_dagster.storage.home_identity import home_identity
from tests.integration.running.conftest import MakeSite, MakeSpan, Mission, Site
from tests.postgres import OwnServer, ask, own_server

ASSETS = ("cdaweb/TS_H0_MFI/BGSE", "basic/mag", "basic/mean", "basic/no_such_step")
DAYS = [f"2023-01-{day:02d}" for day in range(1, 8)]
WIDE = [*DAYS, *(f"{year}-06-01" for year in range(1000, 1600))]


@pytest.fixture
def shared_site(make_site: MakeSite, postgres: str) -> Site:
    """A home whose record is in PostgreSQL."""
    site = make_site("shared")
    site.settings = replace(site.settings, postgres=postgres)
    return site


def versions(site: Site, span: TimeRange) -> dict[str, dict[str | None, tuple[str | None, str | None]]]:
    """Asset to partition to data version and code version, as the record has them."""
    with open_history(site.settings) as history:
        return {
            asset: {key: (found.data_version, found.code_version) for key, found in history.latest(asset, DAYS).items()}
            for asset in ASSETS
        }


def test_tables_and_versions_are_those_of_a_record_in_sqlite(site: Site, shared_site: Site, span: TimeRange) -> None:
    """Byte by byte; a second run finds nothing to do, and status says so."""
    site.run(span)
    report = shared_site.run(span)
    assert report.status == "success"
    assert shared_site.files() == site.files() != {}
    assert versions(shared_site, span) == versions(site, span)
    shared_site.made()
    again = shared_site.run(span)
    assert again.run_id is None
    assert shared_site.made() == set()
    assert shared_site.states(span) == site.states(span)
    assert not list(shared_site.settings.instance.glob("history/runs/*-*.db"))


@pytest.mark.parametrize("asked", [DAYS[:4], WIDE], ids=["few", "many"])
def test_it_is_what_dagster_reads(shared_site: Site, mission: Mission, span: TimeRange, asked: list[str]) -> None:
    """Records, revisions and partitions, after a run, a revision by the archive and a second run."""
    shared_site.run(span)
    mission.publish("2023-01-03", seed=1)
    shared_site.drift(span)
    shared_site.run(span)
    with open_history(shared_site.settings) as history, open_instance(shared_site.settings) as instance:
        assert isinstance(history, RunRecord)
        ledger = DagsterLedger(instance)
        for asset in ASSETS:
            ours, theirs = history.latest(asset, asked), ledger.latest(asset, asked)
            assert {key: (each.data_version, each.code_version, each.inputs) for key, each in ours.items()} == {
                key: (each.data_version, each.code_version, each.inputs) for key, each in theirs.items()
            }
            assert history.partitions(asset) == ledger.partitions(asset)
            assert history.has_any(asset) == ledger.has_any(asset)
        files = next(node.files for node in shared_site.open()[1].nodes.values() if node.files)
        assert history.observed(files, asked) == ledger.observed(files, asked) != {}
        records = instance.get_run_records()
    listed = list_runs(shared_site.settings, 50)
    assert page_of_runs(shared_site.settings, "basic", 50).runs == listed
    assert page_of_runs(shared_site.settings, "basi_", 50).runs == []
    assert [(run.id, run.pipeline, run.state) for run in listed] == [
        (each.dagster_run.run_id, "basic", "success") for each in records
    ]
    assert all(abs((run.begun - each.create_timestamp).total_seconds()) < 1 for run, each in zip(listed, records, strict=True))


def test_no_check_stays_planned(shared_site: Site, postgres: str, span: TimeRange) -> None:
    """One row for each check over the range, with its outcome."""
    shared_site.run(span)
    rows = ask(postgres, "SELECT execution_status, COUNT(*) FROM asset_check_executions GROUP BY 1")
    assert {status for status, _ in rows} <= {"SUCCEEDED", "FAILED"}
    (checks,) = ask(postgres, "SELECT COUNT(DISTINCT (asset_key, check_name)) FROM asset_check_executions")
    assert sum(count for _, count in rows) == checks[0]


WATCH = """
import sys
from helio_dagster.cli import main
try:
    main()
finally:
    print("loaded", [name for name in ("dagster", "sqlalchemy", "pandas") if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize("command", [["status", "basic", "2023-01-02"], ["run", "basic", "2023-01-02"]], ids=["status", "run"])
def test_what_finds_nothing_to_do_loads_no_dagster(
    shared_site: Site, package_root: Path, span: TimeRange, command: list[str]
) -> None:
    """As with a record in SQLite."""
    shared_site.run(span)
    found = _helio(shared_site, package_root, [sys.executable, "-c", WATCH, *command])
    assert found.returncode == 0, found.stderr
    assert found.stderr.splitlines()[-1] == "loaded []"


def test_a_laptop_loads_no_driver(ran_site: Site, package_root: Path) -> None:
    """Without such a record, nothing of PostgreSQL is imported."""
    watch = WATCH.replace("sqlalchemy", "psycopg2")
    found = _helio(ran_site, package_root, [sys.executable, "-c", watch, "run", "basic", "2023-01-02", "--force"])
    assert found.returncode == 0, found.stderr
    assert found.stderr.splitlines()[-1] == "loaded ['dagster']"


def _helio(site: Site, package_root: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **site.settings.to_environment()}
    return subprocess.run(
        command, cwd=package_root, env=environment,
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said", "remedy"),
    [
        (lambda _: "postgresql://postgres@127.0.0.1:1/helio", "helio on 127.0.0.1:1", "See that the server runs"),
        (lambda address: f"{address}_none", "does not exist", "Create the database"),
    ],
    ids=["no server", "no database"],
)
def test_a_server_that_cannot_be_used_is_one_clear_message(
    shared_site: Site, span: TimeRange, change: Callable[[str], str], said: str, remedy: str
) -> None:
    """Before anything is fetched; with the server back, the same command does it all."""
    right = shared_site.settings
    assert right.postgres is not None
    shared_site.settings = replace(right, postgres=change(right.postgres))
    for ask_for in (shared_site.run, shared_site.states):
        with pytest.raises(StorageError) as caught:
            ask_for(span)
        assert said in caught.value.problem
        assert remedy in caught.value.hint
    assert shared_site.files() == {}
    shared_site.settings = right
    assert shared_site.run(span).status == "success"


class Interrupter:
    """Stops a server when a run has settled some partitions, and has it started again at once, later, or not at all."""

    def __init__(self, server: OwnServer, *, after: int, back_after_s: float | None) -> None:
        self._server, self._after, self._back_after_s = server, after, back_after_s
        self._starting: threading.Thread | None = None

    def __call__(self, asset: str, partition: str | None, outcome: Outcome) -> None:
        """Count a settled partition."""
        self._after -= 1
        if self._after == 0:
            self._server.stop()
            if self._back_after_s is not None:
                self._starting = threading.Timer(self._back_after_s, self._server.start)
                self._starting.start()

    def wait(self) -> None:
        """Until the server is back."""
        if self._starting is not None:
            self._starting.join()


def test_a_server_that_is_restarted_in_mid_run_costs_nothing(site: Site, shared_site: Site, span: TimeRange) -> None:
    """What it did not answer is written again, once: the run ends well, with one event for each partition that it made."""
    site.run(span)
    with own_server() as server:
        shared_site.settings = replace(shared_site.settings, postgres=server.address)
        interrupter = Interrupter(server, after=7, back_after_s=1.0)
        report = run_with(shared_site, span, interrupter)
        interrupter.wait()
        assert report.status == "success"
        assert shared_site.files() == site.files()
        assert versions(shared_site, span) == versions(site, span)
        query = "SELECT COUNT(*), COUNT(DISTINCT (asset_key, partition)) FROM event_logs WHERE dagster_event_type = %s"
        for kind in ("ASSET_MATERIALIZATION", "ASSET_MATERIALIZATION_PLANNED"):
            ((events, partitions),) = ask(server.address, query, (kind,))
            assert events == partitions > 0
        assert [run.state for run in list_runs(shared_site.settings, 5)] == ["success"]


@pytest.mark.nightly
def test_a_server_that_stays_away_ends_the_run_and_loses_nothing(site: Site, shared_site: Site, span: TimeRange) -> None:
    """One clear message; with the server back, the same command goes on from the tables and ends the run that was left."""
    site.run(span)
    with own_server() as server:
        shared_site.settings = replace(shared_site.settings, postgres=server.address)
        with pytest.raises(StorageError) as caught:
            run_with(shared_site, span, Interrupter(server, after=7, back_after_s=None))
        assert "the record in PostgreSQL cannot be used" in caught.value.problem
        assert "the same command goes on from there" in caught.value.hint
        server.start()
        assert shared_site.run(span).status == "success"
        assert shared_site.files() == site.files()
        assert versions(shared_site, span) == versions(site, span)
        assert [run.state for run in list_runs(shared_site.settings, 5)] == ["success", "failed"]


def test_a_server_that_is_restarted_between_two_questions_is_waited_for() -> None:
    """A command that plans reads the record without Dagster: it goes on with the next question once the server is back."""
    with own_server() as server, postgres_database(server.address, "pg_class") as database:
        assert database is not None
        server.stop()
        back = threading.Timer(1.0, server.start)
        back.start()
        assert database.rows("SELECT ? + 1", (1,)) == [(2,)]
        back.join()
        server.stop()
        back = threading.Timer(1.0, server.start)
        back.start()
        with open_postgres(server.address) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 3")
            assert cursor.fetchall() == [(3,)]
        back.join()


def run_with(site: Site, span: TimeRange, listener: Interrupter) -> RunReport:
    """A run that tells a listener of every settled partition."""
    pipeline, graph = site.open()
    with site.workbench() as workbench:
        return run(RunRequest(graph, pipeline, span, asked=span), workbench, listener=listener)


def test_an_edited_configuration_is_not_passed_over(shared_site: Site, span: TimeRange) -> None:
    """A dagster.yaml of one's own and a record that the settings name cannot both count."""
    (shared_site.settings.instance / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    for ask_for in (shared_site.run, shared_site.states):
        with pytest.raises(InputError, match="edited by hand, so record"):
            ask_for(span)


@pytest.mark.parametrize(
    "more",
    [{"record": {"env": "LAB_RECORD"}}, {}, {"held": "/home/lab/.helio/held"}],
    ids=["named", "the instance's own", "of an earlier release"],
)
def test_addresses_in_an_edited_configuration_may_be_variables(
    tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch, more: dict[str, object]
) -> None:
    """As for Dagster's own storages and launchers; with passwords, which what is handed to other processes does not hold."""
    classes = {"event_log": "BatchedPostgresEventLog", "run": "PooledPostgresRun", "schedule": "PooledPostgresSchedule"}
    module = "helio_dagster.resources.postgres_record"
    written: dict[str, object] = {
        f"{name}_storage": {"module": module, "class": f"{each}Storage", "config": {"postgres_url": {"env": "LAB_RECORD"}}}
        for name, each in classes.items()
    }
    broker = {"broker": {"env": "LAB_BROKER"}, "queue": "lab", **more}
    written["run_launcher"] = {
        "module": "helio_dagster.resources.worker_launcher",
        "class": "WorkerRunLauncher",
        "config": broker,
    }
    (tmp_path / "dagster.yaml").write_text(json.dumps(written))
    monkeypatch.setenv("LAB_RECORD", postgres.replace("postgresql://postgres@", "postgresql+psycopg2://postgres:word-4f1c@"))
    monkeypatch.setenv("LAB_BROKER", "redis://:word-4f1c@127.0.0.1:6379/0")
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        assert instance.get_runs() == []
        assert instance.all_asset_keys() == []
        assert instance.all_instigator_state() == []
        launcher = instance.run_launcher
        assert isinstance(launcher, WorkerRunLauncher)
        assert launcher.celery.conf.broker_url == "redis://:word-4f1c@127.0.0.1:6379/0"
        assert launcher.held.held(["r1"]) == set()
        handed_on = dg.serialize_value(instance.get_ref())
    assert "LAB_RECORD" in handed_on
    assert "LAB_BROKER" in handed_on
    assert "word-4f1c" not in handed_on


def test_a_home_that_moves_its_record_says_how_to_fill_it(
    site: Site, postgres: str, span: TimeRange, caplog: pytest.LogCaptureFixture
) -> None:
    """Tables are there and the new record is empty: the remedy is named, and the place of the record."""
    site.run(span)
    site.settings = replace(site.settings, postgres=postgres)
    assert site.states(span)["mag"]["2023-01-02"] != "fresh"
    assert "missing from the record in PostgreSQL" in caplog.text
    assert "helio reindex" in caplog.text


def test_two_homes_of_one_record_make_their_own(make_site: MakeSite, postgres: str, make_span: MakeSpan) -> None:
    """The record of one says nothing of the tables of the other: both end with the same bytes, at rest."""
    one, other = two_homes(make_site, postgres)
    day = make_span("2023-01-02")
    one.run(day)
    other.run(day)
    assert one.files() == other.files() != {}
    assert one.run(day).run_id is None
    assert other.run(day).run_id is None


def test_a_run_of_another_home_is_left_to_that_home(make_site: MakeSite, postgres: str, make_span: MakeSpan) -> None:
    """Which process runs it, only its own home knows; that home ends it, once the process is gone."""
    one, other = two_homes(make_site, postgres)
    with open_instance(one.settings) as instance, living_process(one.settings.running) as process:
        begun = instance.add_run(
            dg.DagsterRun(
                "__ASSET_JOB", status=dg.DagsterRunStatus.STARTED, tags={PROCESS_TAG: process, **home_tags(one.settings)}
            )
        ).run_id
    assert not list(one.settings.running.iterdir())
    for site, left in ((other, "STARTED"), (one, "FAILURE")):
        site.run(make_span("2023-01-02"))
        with open_instance(site.settings) as instance:
            found = instance.get_run_by_id(begun)
        assert found is not None
        assert found.status.value == left


def test_a_record_has_one_daemon(make_site: MakeSite, postgres: str) -> None:
    """The web UI of another home is refused while one runs, and nothing of it is started."""
    _, other = two_homes(make_site, postgres)
    with only_daemon(postgres), pytest.raises(StorageError, match="a record has one daemon"), web_ui(other.settings, port=0):
        pytest.fail("it started")
    assert not list((other.settings.home / "logs").iterdir())
    with only_daemon(postgres):  # free again
        pass


def test_whose_the_daemon_is(make_site: MakeSite, postgres: str) -> None:
    """A home knows whether the daemon of its record is its own."""
    one, other = two_homes(make_site, postgres)
    assert not is_daemon_of_others(one.settings)
    with the_only_daemon(one.settings):
        assert not is_daemon_of_others(one.settings)
        assert is_daemon_of_others(other.settings)
    assert not is_daemon_of_others(one.settings)


def test_the_daemon_keeps_its_seat_when_the_server_is_restarted() -> None:
    """It takes the seat again as soon as the server is back; a daemon that finds another one there says so."""
    with own_server() as server, only_daemon(server.address) as keep:
        server.stop()
        keep()  # nobody can have the seat meanwhile
        server.start()
        keep()
        with pytest.raises(SeatTaken), only_daemon(server.address):
            pytest.fail("two had it")
        server.stop()
        server.start()
        with only_daemon(server.address), pytest.raises(SeatTaken, match="a record has one daemon"):
            keep()
        keep()


@pytest.mark.parametrize(
    ("where", "release", "said"),
    [("other", None, "launched for another home"), ("one", "99.0.0", "launched by helio_dagster 99.0.0")],
    ids=["another home", "older code"],
)
def test_a_worker_that_is_not_meant_refuses_a_run(
    make_site: MakeSite, postgres: str, span: TimeRange, where: str, release: str | None, said: str
) -> None:
    """A run is created as a daemon does from the definitions of one home, and done by a worker that has others."""
    sites = dict(zip(("one", "other"), two_homes(make_site, postgres), strict=True))
    launching = library_definitions(sites["one"].settings)
    if release is not None:
        launching = library_definitions(
            sites["one"].settings, Mounting(marks={**launch_marks(sites["one"].settings), RELEASE_TAG: release})
        )
    working = library_definitions(sites[where].settings).resolve_implicit_global_asset_job_def()
    with open_instance(sites["one"].settings) as instance:
        begun = instance.create_run_for_job(
            launching.resolve_implicit_global_asset_job_def(),
            asset_selection=frozenset({dg.AssetKey(["basic", "mag"])}),
            tags={"dagster/partition": "2023-01-02"},
        )
        assert not execute_run(InMemoryJob(working), begun, instance).success
        (failed,) = [
            event.message + event.get_dagster_event().step_failure_data.error.to_string()
            for event in instance.all_logs(begun.run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
        ]
        assert said in failed
        assert instance.get_latest_materialization_event(dg.AssetKey(["basic", "mag"])) is None
    assert sites[where].files() == {}


def test_a_worker_of_the_home_does_the_run(make_site: MakeSite, postgres: str) -> None:
    """The same way, and nothing is refused."""
    one, _ = two_homes(make_site, postgres)
    job = library_definitions(one.settings).resolve_implicit_global_asset_job_def()
    with open_instance(one.settings) as instance:
        selection = frozenset({dg.AssetKey(["basic", "mag"])})
        begun = instance.create_run_for_job(job, asset_selection=selection, tags={"dagster/partition": "2023-01-02"})
        assert execute_run(InMemoryJob(job), begun, instance).success
    assert any("mag" in path for path in one.files())


def test_older_code_does_not_write_a_shared_record(shared_site: Site, span: TimeRange) -> None:
    """It would make everything anew; the newest release that wrote it is kept in the record."""
    shared_site.run(span)
    with open_instance(shared_site.settings) as instance:
        keep_release(instance, "99.0.0")
        with pytest.raises(StorageError, match=r"written by helio_dagster 99\.0\.0") as caught:
            keep_release(instance, "98.10.0")
    assert "pip install" in caught.value.hint
    with pytest.raises(StorageError, match=r"written by helio_dagster 99\.0\.0"):
        shared_site.run(span, force=True)


def test_the_name_of_a_home_stays_and_is_its_own(tmp_path: Path) -> None:
    """Made once, however many ask at a time; a copy of the file is the same home, an empty one is refused."""
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(home_identity, [tmp_path / "home"] * 40))
    assert len(names) == 1
    assert home_identity(tmp_path / "other") not in names
    assert [path.name for path in (tmp_path / "home").iterdir()] == [".identity"]
    (tmp_path / "home" / ".identity").write_text("")
    with pytest.raises(StorageError, match="does not hold the name of a home"):
        home_identity(tmp_path / "home")


def two_homes(make_site: MakeSite, postgres: str) -> tuple[Site, Site]:
    """Two homes over the same mission, with one record."""
    one, other = make_site("one"), make_site("other")
    for each in (one, other):
        each.settings = replace(each.settings, postgres=postgres)
    return one, other


WITHOUT_DRIVER = """
import sys
sys.modules["psycopg2"] = None  # what an import of a package that is not installed finds
from helio_dagster.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    "command", [["status", "basic", "2023-01-02"], ["run", "basic", "2023-01-02"]], ids=lambda given: given[0]
)
def test_without_the_extra_one_message_says_what_to_install(shared_site: Site, package_root: Path, command: list[str]) -> None:
    """No traceback, and nothing is made."""
    found = _helio(shared_site, package_root, [sys.executable, "-c", WITHOUT_DRIVER, *command])
    assert found.returncode == 2, found.stderr
    assert "pip install 'helio-dagster[postgres]'" in found.stderr
    assert "Traceback" not in found.stderr
    assert shared_site.files() == {}


WRITER = """
import os, sys
import dagster as dg
from pathlib import Path
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings

home, address, name = sys.argv[1:]
with open_instance(Settings(Path(home), Path(home, "pipelines"), postgres=address)) as instance:
    print("ready", flush=True)
    sys.stdin.readline()
    for count in range(30):
        with instance.event_log_storage.batch():
            for number in range(1 + 7 * (count % 5)):
                instance.report_runless_asset_event(dg.AssetMaterialization(name, partition=f"{count}-{number}"))
"""


def test_ids_of_several_writers_become_visible_in_their_order(shared_site: Site, postgres: str, package_root: Path) -> None:
    """Whoever remembers the highest id seen, as Dagster's daemon does, misses no event of any of three processes."""
    home = str(shared_site.settings.home)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, home, postgres, name],
            cwd=package_root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for name in ("one", "two", "three")
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    seen: list[int] = []
    is_going = True
    while is_going:
        is_going = any(writer.poll() is None for writer in writers)  # asked before, so that the last rows are read as well
        highest = seen[-1] if seen else 0
        seen += [number for (number,) in ask(postgres, "SELECT id FROM event_logs WHERE id > %s ORDER BY id", (highest,))]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    assert seen == [number for (number,) in ask(postgres, "SELECT id FROM event_logs ORDER BY id")]
    assert len(seen) == 3 * sum(1 + 7 * (count % 5) for count in range(30))
