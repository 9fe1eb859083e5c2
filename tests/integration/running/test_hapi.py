"""Pipelines over HAPI: the same values as by CDAS from the same files, however a run is cut; revisions, gaps, kills."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from helio_dagster.archives.cdas.faults import Fault, FaultKind
from helio_dagster.archives.cdas.server import CdasServer
from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.files.index import FileIndex
from helio_dagster.archives.hapi.answers import HapiAnswers
from helio_dagster.archives.hapi.served import ServedFiles
from helio_dagster.assets.graph import fetch_node
from helio_dagster.definitions import library_definitions
from helio_dagster.domain.errors import PipelineError
from helio_dagster.domain.table import concatenate
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.request import RunRequest, resolve_span
from helio_dagster.launch.upkeep.prune import report_orphans
from helio_dagster.launch.upkeep.reindex import reindex
from helio_dagster.launch.upkeep.verify import verify
from tests.integration.running.conftest import MakeSpan, Mission
from tests.tiers import by_day

TWO, THREE, FOUR, FIVE = [f"2023-01-0{number}" for number in range(2, 6)]
PATIENCE_S = 120
PIPELINE = """
version: 1
name: by_{way}
partitions: daily
start: 2023-01-01
steps:
  - id: b
    fetch: {{archive: '{archive}', dataset: TS_H0_MFI, parameter: BGSE}}
  - id: f
    fetch: {{archive: '{archive}', dataset: TS_H0_MFI, parameter: F}}
  - id: mag
    compute: {{operation: magnitude, inputs: {{vector: b}}}}
  - id: mean
    compute: {{operation: rolling_mean, inputs: {{series: mag}}, options: {{window: PT2H}}}}
"""


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    """What reads the files for all servers."""
    with CdfReader() as made:
        yield made


@pytest.fixture
def server(mission: Mission, reader: CdfReader) -> Iterator[CdasServer]:
    """A server that speaks both over the mission's files."""
    index = FileIndex(mission.folder)
    with CdasServer(index, retry_after_s=0, extra=[HapiAnswers(ServedFiles(index, reader))]) as running:
        yield running


@pytest.fixture
def archive(server: CdasServer) -> str:
    """The archive's name in pipelines."""
    return f"hapi:http://{server.address}/hapi"


@pytest.fixture
def hapi_site(make_site: Callable, archive: str) -> Callable:
    """Homes with a pipeline over HAPI and the same over CDAS."""

    def make(name: str = "home") -> Any:
        texts = (PIPELINE.format(way="hapi", archive=archive), PIPELINE.format(way="cdas", archive="cdaweb"))
        return make_site(name, *texts)

    return make


def test_it_gives_what_cdas_gives(hapi_site: Callable, span: TimeRange) -> None:
    """Times, values, column names, units and frame of every step are the same; only singles have become doubles."""
    site = hapi_site()
    reports = {way: site.run(span, name=f"by_{way}") for way in ("hapi", "cdas")}
    assert {report.status for report in reports.values()} == {"success"}
    store = site.workbench().store
    for step in ("b", "f", "mag", "mean"):
        for key in (TWO, THREE, FOUR):
            one, other = (store.read(reports[way].steps[step].asset, key) for way in ("hapi", "cdas"))
            assert (one.time == other.time).all()
            assert list(one.columns) == list(other.columns)
            for name, values in one.columns.items():
                rounded = values.astype(other.columns[name].dtype)
                assert rounded == pytest.approx(other.columns[name], rel=1e-6, nan_ok=True)
            assert [column.unit for column in one.meta.columns] == [column.unit for column in other.meta.columns]
            assert (one.meta.kind, one.meta.frame, len(one)) == (other.meta.kind, other.meta.frame, 48)


def test_the_cut_does_not_show(hapi_site: Callable, span: TimeRange, make_span: MakeSpan) -> None:
    """Day by day, backwards, and all at once: the same files, byte for byte."""
    whole, single = hapi_site("whole"), hapi_site("single")
    whole.run(span, name="by_hapi")
    for key in (FOUR, TWO, THREE):
        single.run(make_span(key), name="by_hapi")
    assert whole.files() == single.files()
    assert len([path for path in whole.files() if "BGSE" in path]) == 3 + 2  # the halo of the mean reaches into both neighbours


def test_provenance_names_what_was_received(hapi_site: Callable, span: TimeRange, archive: str, server: CdasServer) -> None:
    """URL, size, date and hash of the chunk, which is asked for once a parameter, whatever windows need it."""
    site = hapi_site()
    report = site.run(span, name="by_hapi")
    stored = site.workbench().store.peek(report.steps["b"].asset, TWO)
    assert stored is not None
    sources = stored.provenance["sources"]
    assert [source["name"] for source in sources] == ["TS_H0_MFI_20230102_P1D.hapi"]
    assert sources[0]["url"].startswith(archive.removeprefix("hapi:") + "/data?dataset=TS_H0_MFI&parameters=BGSE")
    assert sources[0]["last_modified"].startswith("2023-11-14T22:13:")
    assert len(sources[0]["sha256"]) == 64
    assert server.count("/hapi/data") == 2 * 3


def test_a_second_run_and_an_unchanged_archive_do_nothing(hapi_site: Callable, span: TimeRange, server: CdasServer) -> None:
    """`--refresh` asks for the description alone."""
    site = hapi_site()
    site.run(span, name="by_hapi")
    site.made()
    server.requests.clear()
    report = site.run(span, name="by_hapi", refresh=True)
    assert (site.made(), server.count("/hapi/data"), report.steps["b"].reused) == (set(), 0, 3)
    assert server.count("/hapi/info") > 0
    assert all(not asset.partitions for asset in site.drift(span, name="by_hapi").assets)


def test_a_revised_dataset_is_noticed(hapi_site: Callable, mission: Mission, span: TimeRange) -> None:
    """HAPI dates the dataset, not a day: all its days are asked for again, and only the one that differs goes on."""
    site = hapi_site()
    site.run(span, name="by_hapi")
    mission.publish(THREE, seed=7)
    drifted = next(asset for asset in site.drift(span, name="by_hapi").assets if asset.asset.endswith("BGSE"))
    assert [each.key for each in drifted.partitions] == [TWO, THREE, FOUR]
    site.made()
    report = site.run(span, name="by_hapi", refresh=True)
    made = site.made()
    assert report.status == "success"
    assert {key for step, key in made if step == "BGSE"} == {TWO, THREE, FOUR}
    assert {key for step, key in made if step == "mag"} == {THREE}
    assert all(not asset.partitions for asset in site.drift(span, name="by_hapi").assets)


def test_days_that_the_archive_has_not_are_empty(hapi_site: Callable, mission: Mission, make_span: MakeSpan) -> None:
    """Before the dataset and in a gap: empty, and no failure; a day that appears later is made by `--refresh`."""
    site = hapi_site()
    mission.publish("2023-01-06")
    report = site.run(make_span("2023-01-01", 6), name="by_hapi")
    states = site.states(make_span("2023-01-01", 6), name="by_hapi")["f"]
    assert report.status == "success"
    assert {key for key, state in states.items() if state == "empty"} == {"2023-01-01", FIVE}
    mission.publish(FIVE)
    site.run(make_span("2023-01-01", 6), name="by_hapi", refresh=True)
    assert site.states(make_span(FIVE), name="by_hapi")["f"] == {FIVE: "fresh"}


def test_a_broken_transfer_is_asked_for_again(hapi_site: Callable, span: TimeRange, server: CdasServer) -> None:
    """Retried until whole, whatever broke it; the bytes are those of an undisturbed run."""
    calm = hapi_site("calm")
    calm.run(span, name="by_hapi")
    kinds: list[FaultKind] = ["truncate", "reset", "503", "html"]
    for kind in kinds:
        shaken = hapi_site(kind)
        server.faults.add(Fault(kind, "file", 2))
        assert shaken.run(span, name="by_hapi").status == "success", kind
        assert calm.files() == shaken.files(), kind


def test_an_archive_that_breaks_off_leaves_nothing_behind(hapi_site: Callable, span: TimeRange, server: CdasServer) -> None:
    """Fails as the archive's fault, keeps no piece of a chunk, and the same command completes it."""
    site = hapi_site()
    server.faults.add(Fault("truncate", "file"))
    report = site.run(span, name="by_hapi")
    assert report.status == "failed"
    assert "transfer broke" in report.failures[0].error
    assert [path for path in site.settings.cache.rglob("*") if path.is_file()] == []
    server.faults.clear()
    assert site.run(span, name="by_hapi").status == "success"


@pytest.mark.nightly  # by day of a run over CDAWeb, in `test_interruption`
def test_a_killed_download_is_completed_by_the_same_command(
    hapi_site: Callable, span: TimeRange, server: CdasServer, package_root: Path
) -> None:
    """What is at hand when the process dies is not a chunk: afterwards the bytes are those of an undisturbed run."""
    calm, killed = hapi_site("calm"), hapi_site("killed")
    calm.run(span, name="by_hapi")
    server.faults.add(Fault("slow", "file"))
    environment = {**os.environ, "HELIO_HOME": str(killed.settings.home), "HELIO_PIPELINES": str(killed.settings.pipelines)}
    command = [sys.executable, "-m", "helio_dagster", "run", "by_hapi", TWO, FIVE, "--json"]
    with subprocess.Popen(
        command, cwd=package_root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        deadline = time.monotonic() + PATIENCE_S
        while not list(killed.settings.cache.rglob("*.part")) and run.poll() is None:
            assert time.monotonic() < deadline, "nothing is downloaded"
            time.sleep(0.01)
        run.kill()
    server.faults.clear()
    assert not any(path.endswith((f"{TWO}.parquet", f"{THREE}.parquet", f"{FOUR}.parquet")) for path in killed.files())
    assert killed.run(span, name="by_hapi").status == "success"
    assert killed.files() == calm.files()
    assert not list(killed.settings.cache.rglob("*.part"))


def test_schedules_and_sensors_take_such_an_archive(make_site: Callable, archive: str) -> None:
    """Dagster accepts every name made from it: assets, groups, jobs, checks, and the observed files."""
    text = PIPELINE.format(way="hapi", archive=archive)
    hourly = text.replace("by_hapi", "hourly").replace("daily", "hourly").replace("steps:", "schedule: on_change\nsteps:")
    site = make_site("home", text.replace("steps:", "schedule: daily\nsteps:"), hourly)
    definitions = library_definitions(site.settings)
    keys = {key.path[-1] for key in definitions.resolve_asset_graph().get_all_asset_keys()}
    assert {"BGSE", "F", "files", "hourly", "mean"} <= keys
    assert definitions.resolve_all_job_defs()


def test_the_command_line_takes_such_an_archive(hapi_site: Callable, shell: Callable, archive: str) -> None:
    """Check, run, show, reindex and reading by the asset's name alone, with signs in the name that no path should have."""
    site = hapi_site()
    assert shell(site, "check").returncode == 0
    ran = shell(site, "run", "by_hapi", TWO, FOUR, "--json")
    assert ran.returncode == 0, ran.stderr
    asset = json.loads(ran.stdout)["steps"]["b"]["asset"]
    assert asset.startswith("hapi_x3ahttp_x3a_x2f_x2f127.0.0.1_x3a")
    node = fetch_node(asset)
    assert node is not None
    assert node.step.fetch is not None
    assert node.step.fetch.archive == archive
    shown = shell(site, "show", asset, TWO)
    assert shown.returncode == 0, shown.stderr
    assert "TS_H0_MFI_20230102_P1D.hapi" in shown.stdout
    cited = shell(site, "cite", "by_hapi")
    assert cited.returncode == 0, cited.stderr
    out = site.settings.home / "b.csv"
    assert shell(site, "export", asset, TWO, FOUR, "-o", str(out)).returncode == 0
    assert len(out.read_text().splitlines()) > 96


def test_it_is_redone_to_the_same_bytes_without_asking_for_data(
    hapi_site: Callable, span: TimeRange, server: CdasServer
) -> None:
    """`helio verify` uses the chunks at hand."""
    site = hapi_site()
    site.run(span, name="by_hapi")
    server.requests.clear()
    pipeline, graph = site.open("by_hapi")
    workbench = site.workbench()
    report = verify(RunRequest(graph, pipeline, resolve_span(graph, pipeline, span, workbench.clock())), workbench)
    assert (report.status, server.count("/hapi/data")) == ("same", 0)


def test_a_lost_record_is_restored_and_nothing_is_redone(
    hapi_site: Callable, span: TimeRange, make_span: MakeSpan, server: CdasServer
) -> None:
    """The files tell the revision of their chunks, though HAPI told no length beforehand; `prune --cache` keeps them."""
    site = hapi_site()
    site.run(span, name="by_hapi")
    shutil.rmtree(site.settings.instance)
    workbench = site.workbench()
    reindex(Home(site.settings).graph, workbench)
    workbench.close()
    server.requests.clear()
    report = site.run(span, name="by_hapi", refresh=True)
    assert (report.steps["b"].reused, server.count("/hapi/data")) == (3, 0)
    orphans, _ = report_orphans(Home(site.settings), with_downloads=True)
    assert [orphan for orphan in orphans if orphan.kind == "downloads"] == []


@pytest.mark.parametrize("grain", by_day(["hourly", "weekly", "monthly"], "weekly"))
def test_the_grain_does_not_show(make_site: Callable, span: TimeRange, archive: str, server: CdasServer, grain: str) -> None:
    """Partitions of any length come from the same chunks, each asked for once, and hold the same records."""
    texts = [PIPELINE.format(way="hapi", archive=archive)]
    texts.append(texts[0].replace("by_hapi", "other").replace("daily", grain))
    site = make_site("home", *texts)
    days = site.run(span, name="by_hapi")
    asked = server.count("/hapi/data")
    other = site.run(span, name="other")
    assert (other.status, server.count("/hapi/data")) == ("success", asked)
    store = site.workbench().store
    found = [
        concatenate([store.read(report.steps["b"].asset, key) for key in store.partitions(report.steps["b"].asset)]).clip(span)
        for report in (days, other)
    ]
    assert (found[0].time == found[1].time).all()
    assert all((values == found[1].columns[name]).all() for name, values in found[0].columns.items())


def test_a_name_that_means_no_server_is_refused_with_the_known_ones(make_site: Callable, span: TimeRange) -> None:
    """Before anything runs; what to write instead is said."""
    site = make_site("home", PIPELINE.format(way="hapi", archive="hapi:cdawep"))
    with pytest.raises(PipelineError, match=r"(?s)is not a HAPI server.*cdaweb"):
        site.run(span, name="by_hapi")
