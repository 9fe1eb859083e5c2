"""The web UI of a home, in a real browser: it runs a range, gives the bytes of `helio run`, and obeys no page but its own."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from dagster import DagsterInstance
from dagster._core.scheduler.instigation import InstigatorState
from playwright.sync_api import Page, sync_playwright

import helio_dagster
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.report import ScheduleReport
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.record.history import list_runs, page_of_runs
from helio_dagster.launch.record.instance import open_instance
from helio_dagster.launch.running.reading import read_table
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.web.ui import WebUi, web_ui
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.people import account
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore
from tests.browser import find_browser
from tests.ports import free_port
from tests.scenario.hostile_page import BROWSER_ARGUMENTS, STRANGER, socket_answer, strangers_site, try_all

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PATIENCE_S = 180
FIRST, LAST = "2003-10-28", "2003-10-30"
STORM = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 10, 31, tzinfo=UTC))
TEXT = """
version: 1
name: storm
title: A storm
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: b}, options: {window: PT6H}}
  - id: overview
    figure:
      panels:
        - traces: [{data: b}, {data: mean, color: firebrick}]
"""
FINE = """
version: 1
name: fine
partitions: daily
start: 2003-10-01
steps:
  - id: b
    fetch: {archive: demo, dataset: AC_H0_MFI, parameter: BGSEc}
  - id: magnitude
    compute: {operation: magnitude, inputs: {vector: b}}
  - id: overview
    figure:
      panels:
        - traces: [{data: magnitude}]
        - traces: [{data: b}]
"""
TIMED = """
version: 1
name: timed
partitions: daily
start: 2003-10-01
schedule: 30 6 * * *
steps:
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: mean
    compute: {operation: rolling_mean, inputs: {series: b}, options: {window: PT6H}}
"""
SCHEDULED = """query Scheduled($of: ScheduleSelector!) { scheduleOrError(scheduleSelector: $of) {
  ... on Schedule { cronSchedule scheduleState { status } } } }"""
SELECTOR = {"repositoryName": "__repository__", "repositoryLocationName": "helio_dagster", "scheduleName": "timed"}
SWITCH = """name => {
  const middle = element => { const {top, bottom} = element.getBoundingClientRect(); return (top + bottom) / 2 };
  const row = middle([...document.querySelectorAll('*')].filter(each => each.textContent.trim() === name).at(-1));
  const near = [...document.querySelectorAll('input[type=checkbox]')].filter(box => Math.abs(middle(box) - row) < 30);
  if (near.length < 2) return null; // the switch comes later than the box that selects the row
  return near.sort((one, other) => one.getBoundingClientRect().x - other.getBoundingClientRect().x).at(-1);
}"""
PRESSED = "box => { if (!box.checked && !box.disabled) box.click() }"
BESIDE_EVENTS = """
version: 1
name: beside_events
partitions: {events: storms, before: PT6H, after: P1D}
schedule: on_change
steps:
  - id: storms
    table: {csv: "start\\n2003-10-29T06:11Z", source: by hand}
  - id: b
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: numbers
    compute: {operation: facts_of, inputs: {series: b}}
"""
SENSOR = """query Sensor($of: SensorSelector!) { sensorOrError(sensorSelector: $of) {
  ... on Sensor { sensorState { status } } } }"""
SENSOR_OF = {
    "repositoryName": "__repository__", "repositoryLocationName": "helio_dagster", "sensorName": "events_of_beside_events"
}  # fmt: skip
START_SENSOR = """mutation($of: SensorSelector!) { startSensor(sensorSelector: $of) {
  __typename ... on Sensor { sensorState { status } } } }"""
ZOOM = "range => Plotly.relayout('figure', {'xaxis.range': range})"
DRAWN = """place => {
  const {x, y} = document.getElementById('figure')._fullData[place];
  return Array.from(x, (time, index) => [time, y[index]]).filter(([time, value]) => !isNaN(value));
}"""
LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message } }
  }
}
"""
STATUS = "query Status($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


def home(folder: Path) -> Settings:
    """A home with the pipeline `storm`."""
    settings = Settings(folder, folder / "pipelines")
    settings.pipelines.mkdir(parents=True)
    (settings.pipelines / "storm.yaml").write_text(TEXT)
    return settings


def ask(url: str, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """One GraphQL question."""
    answer = httpx.post(f"{url}/dagster/graphql", json={"query": query, "variables": variables}, timeout=60).json()
    assert "errors" not in answer, answer["errors"]
    found: dict[str, Any] = answer["data"]
    return found


def ask_from(page: Page, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """One GraphQL question that a script of the open page asks."""
    script = """async body => (await fetch('/dagster/graphql',
        {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})).json()"""
    answer = page.evaluate(script, {"query": query, "variables": variables})
    assert "errors" not in answer, answer["errors"]
    found: dict[str, Any] = answer["data"]
    return found


def range_run(config: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the button `Materialize selected` sends for a range in a single run, with this run config."""
    keys = [["demo", "OMNI2_H0_MRG1HR", "ABS_B"], ["storm", "mean"], ["storm", "overview"]]
    selector = {
        "repositoryName": "__repository__",
        "repositoryLocationName": "helio_dagster",
        "pipelineName": "__ASSET_JOB",
        "assetSelection": [{"path": key} for key in keys],
    }
    tags = {"dagster/asset_partition_range_start": FIRST, "dagster/asset_partition_range_end": LAST}
    metadata = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
    params = {"selector": selector, "mode": "default", "runConfigData": config or {}, "executionMetadata": metadata}
    return {"params": params}


def wait_for_run(url: str, run_id: str) -> str:
    """The status the run ends with."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        status = str(ask(url, STATUS, {"id": run_id})["runOrError"]["status"])
        if status in ("SUCCESS", "FAILURE", "CANCELED") or time.monotonic() > deadline:
            return status
        time.sleep(0.5)


def tables(settings: Settings) -> dict[str, bytes]:
    """All that is stored, by path."""
    return {str(path.relative_to(settings.data)): path.read_bytes() for path in settings.data.rglob("*.parquet")}


def processes_of(folder: Path) -> list[str]:
    """Command lines of the processes that were started for a home."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal() and int(process.name) != os.getpid():
            try:
                if f"HELIO_HOME={folder}\0".encode() in (process / "environ").read_bytes() + b"\0":
                    found.append((process / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue  # gone meanwhile, or not ours
    return [line for line in found if line]


@dataclass(frozen=True)
class Served:
    """A home and its running web UI, with a page of the browser that is open at it."""

    settings: Settings
    ui: WebUi
    page: Page

    def stolen(self) -> list[str]:
        """The assets that strangers left in Dagster's record."""
        with open_instance(self.settings) as instance:
            return [key.to_user_string() for key in instance.all_asset_keys() if key.path[0] == "stolen"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One web UI and one browser for the module; when it stops no process stays."""
    path = find_browser()
    if path is None:
        pytest.skip("no browser is found; install chromium")
    settings = home(tmp_path_factory.mktemp("ui") / "home")
    arguments = ["--no-sandbox", "--disable-gpu", *BROWSER_ARGUMENTS]
    with web_ui(settings, port=free_port()) as ui, sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=arguments)
        yield Served(settings, ui, opened.new_page(viewport={"width": 1500, "height": 1000}))
        opened.close()
        assert len(processes_of(settings.home)) >= 3
    assert processes_of(settings.home) == []


@pytest.fixture(scope="module")
def launched_run(served: Served) -> str:
    """The id of a run over the storm that a person launched on Dagster's own page, and that is over."""
    served.page.goto(f"{served.ui.url}/dagster/")
    launched = ask_from(served.page, LAUNCH, range_run())["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run_id = str(launched["run"]["runId"])
    status = wait_for_run(served.ui.url, run_id)
    assert status == "SUCCESS", (served.settings.home / "logs" / "code-server.log").read_text()[-3000:]
    return run_id


def check_figure(page: Page, ui: WebUi) -> None:
    """The asset's page shows link and picture, and the link opens a drawn figure."""
    page.goto(f"{ui.url}/dagster/assets/storm/overview", wait_until="domcontentloaded")
    link = page.locator('a[href*="/figures/storm__overview__"]').first
    link.wait_for(timeout=60_000)
    picture = page.locator('img[src^="/figures/storm__overview__"]').first
    picture.wait_for(timeout=30_000)
    width, natural = picture.evaluate("image => image.decode().then(() => [image.width, image.naturalWidth])")
    assert width == natural >= 400, "shown on the page itself, in its own size"
    address = link.get_attribute("href")
    assert address is not None
    page.goto(address if address.startswith("http") else f"{ui.url}{address}")
    page.locator("svg.main-svg").first.wait_for(timeout=60_000)
    assert page.locator(".scatterlayer .trace").count() >= 2


def test_the_web_ui_runs_a_range_and_shows_its_figure(served: Served, launched_run: str, tmp_path: Path) -> None:
    """From a launch on its own page to the drawn figure; the tables are those of `helio run`; the run names who began it."""
    begun = {each.id: (each.begun_by, each.person) for each in list_runs(served.settings, 50)}
    assert begun[launched_run] == ("Dagster", account())
    check_figure(served.page, served.ui)
    other = home(tmp_path / "cli")
    run_from_here(other)
    expected = tables(other)
    stored = {path: each for path, each in tables(served.settings).items() if path in expected or path.startswith("storm/")}
    assert stored == expected != {}


@pytest.mark.nightly  # by day a run is launched and shown, above
def test_a_run_and_an_asset_lead_into_dagster_and_back(served: Served, launched_run: str) -> None:
    """The run that the page lists is the one that Dagster shows; an asset's page there leads back to the pipeline's page."""
    ui, page = served.ui, served.page
    page.goto(f"{ui.url}/pipelines/storm")
    runs = page.get_by_role("region", name="Runs").get_by_role("row")
    launched = runs.filter(has_text="a person in Dagster")
    assert f"{FIRST} to {LAST}" in launched.first.inner_text()
    link = launched.get_by_role("link", name="in Dagster").first
    assert str(link.get_attribute("href")).rpartition("/")[2] == launched_run
    assert ask(ui.url, STATUS, {"id": launched_run})["runOrError"]["status"] == "SUCCESS"
    link.click()
    page.get_by_text(launched_run[:8]).first.wait_for(timeout=60_000)
    page.go_back()
    page.locator("ol.steps li", has_text="overview").get_by_role("link", name="in Dagster").click()
    with page.expect_popup(timeout=60_000) as opened:  # Dagster opens links of metadata in a tab of their own
        page.locator('a[href="/pipelines/storm"]').first.click(timeout=60_000)
    opened.value.get_by_role("heading", name="A storm").wait_for()
    assert opened.value.url == f"{ui.url}/pipelines/storm"
    opened.value.close()


def test_a_schedule_is_switched_here_and_in_dagster(served: Served) -> None:
    """A file that Dagster has not read is read; the button shows what Dagster has, whoever switched it, after a reload too."""
    settings, ui, page = served.settings, served.ui, served.page
    (settings.pipelines / "timed.yaml").write_text(TIMED)

    def dagsters() -> Any:
        return ask(ui.url, SCHEDULED, {"of": SELECTOR})["scheduleOrError"]

    page.goto(f"{ui.url}/pipelines/timed")
    state = page.locator("#schedule")
    state.get_by_text("Dagster has not read this schedule yet").wait_for()
    assert dagsters() == {}
    state.get_by_role("button", name="Switch on").click()
    state.get_by_text("on", exact=True).wait_for(timeout=120_000)
    state.get_by_role("button", name="Switch off").click()
    state.get_by_text("off", exact=True).wait_for()
    assert dagsters() == {"cronSchedule": "30 6 * * *", "scheduleState": {"status": "STOPPED"}}
    page.reload()
    state.get_by_text("off", exact=True).wait_for()
    page.goto(f"{ui.url}/dagster/automation")
    page.get_by_text("timed", exact=True).first.wait_for(timeout=120_000)
    deadline = time.monotonic() + PATIENCE_S
    while dagsters()["scheduleState"]["status"] != "RUNNING" and time.monotonic() < deadline:
        page.wait_for_function(SWITCH, arg="timed", timeout=120_000).evaluate(PRESSED)
        page.wait_for_timeout(1000)
    page.wait_for_function(f"name => ({SWITCH})(name)?.checked", arg="timed", timeout=120_000)
    page.goto(f"{ui.url}/pipelines/timed")
    state.get_by_text("on", exact=True).wait_for()
    assert re.search(r"next \d{4}-\d\d-\d\d 06:30 UTC", state.inner_text())
    with helio_dagster.connect(ui.url) as remote:
        assert remote.switch_schedule("timed", is_on=False).is_on is False
        assert remote.schedule("timed") == ScheduleReport(schedule="30 6 * * *", is_on=False, can_switch=True)
        assert dagsters()["scheduleState"]["status"] == "STOPPED"
        (settings.pipelines / "timed.yaml").write_text(TIMED.replace("30 6 * * *", "15 7 * * *"))
        assert remote.schedule("timed").is_on is None, "Dagster still has the old one"
        assert str(remote.switch_schedule("timed", is_on=True).next).endswith("07:15")
        with pytest.raises(InputError, match="storm has no schedule"):
            remote.switch_schedule("storm", is_on=True)


@pytest.mark.nightly  # by day a schedule is
def test_the_sensor_of_a_pipeline_over_events_is_switched_here_and_in_dagster(served: Served) -> None:
    """As a schedule is: on the page, by a program, and by Dagster; each sees what the others did, and the daemon heeds it."""
    settings, ui, page = served.settings, served.ui, served.page
    (settings.pipelines / "beside_events.yaml").write_text(BESIDE_EVENTS)

    def dagsters() -> Any:
        return ask(ui.url, SENSOR, {"of": SENSOR_OF})["sensorOrError"]

    page.goto(f"{ui.url}/pipelines/beside_events")
    state = page.locator("#schedule")
    state.get_by_text("Dagster has not read this schedule yet").wait_for()
    assert dagsters() == {}
    state.get_by_role("button", name="Switch on").click()
    state.get_by_text("on", exact=True).wait_for(timeout=120_000)
    assert dagsters() == {"sensorState": {"status": "RUNNING"}}
    state.get_by_role("button", name="Switch off").click()
    state.get_by_text("off", exact=True).wait_for()
    assert dagsters() == {"sensorState": {"status": "STOPPED"}}
    with helio_dagster.connect(ui.url) as remote:
        off = ScheduleReport(schedule="on_change", is_on=False, can_switch=True)
        assert remote.schedule("beside_events") == off
        ask(ui.url, START_SENSOR, {"of": SENSOR_OF})
        assert remote.schedule("beside_events").is_on is True
        page.reload()
        state.get_by_text("on", exact=True).wait_for()
        listed, deadline = page_of_runs(settings, "beside_events", 5), time.monotonic() + PATIENCE_S
        while not listed.runs and time.monotonic() < deadline:
            time.sleep(0.5)
            listed = page_of_runs(settings, "beside_events", 5)
        assert listed.runs, "the daemon has begun the run of the event"
        with ThreadPoolExecutor(1) as daemon, open_instance(settings) as instance:
            [running] = [each for each in instance.all_instigator_state() if each.name == SENSOR_OF["sensorName"]]
            late = daemon.submit(as_a_late_tick, instance, running)
            assert remote.switch_schedule("beside_events", is_on=False) == off
            assert late.result(), "the state of before was written over the switch"
    assert dagsters() == {"sensorState": {"status": "STOPPED"}}


def as_a_late_tick(instance: DagsterInstance, found: InstigatorState) -> bool:
    """What the daemon does at the end of a tick, once the sensor was switched off: write the state that it read just before."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        now = instance.get_instigator_state(found.instigator_origin_id, found.selector_id)
        if now is not None and not now.is_running:
            instance.update_instigator_state(found)
            return True
        time.sleep(0.005)
    return False


def test_settings_are_not_said_to_come_from_the_processes_own_environment(served: Served) -> None:
    """Nobody has set a home: it is a default, though the processes are told of it by their environment."""
    rows = httpx.get(f"{served.ui.url}/api/v1/settings", timeout=PATIENCE_S).json()["settings"]
    assert {row["variable"] for row in rows if row["from"] != "default"} == {
        row["variable"] for row in rows if os.environ.get(row["variable"])
    }


@pytest.mark.nightly  # by day in tests/integration/figures
def test_the_list_of_figures_leads_to_a_page_that_shows_every_sample_when_zoomed(served: Served) -> None:
    """Ten minutes of four days: the stored samples, the whole figure after a reset, a word when it was drawn again."""
    settings, page = served.settings, served.page
    (settings.pipelines / "fine.yaml").write_text(FINE)
    span = TimeRange(datetime(2003, 10, 27, tzinfo=UTC), datetime(2003, 10, 31, tzinfo=UTC))
    run_from_here(settings, "fine", span)
    page.goto(f"{served.ui.url}/figures/")
    picture = page.locator('img[src="fine__overview__20031027_20031031.small.png"]')
    picture.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 300
    picture.click()
    page.locator("svg.main-svg").first.wait_for(timeout=60_000)
    whole = page.evaluate(DRAWN, 0)
    page.get_by_text("zoom in to see more").first.wait_for()
    page.evaluate(ZOOM, ["2003-10-29 06:00:00", "2003-10-29 06:10:00"])
    page.locator("#notes p").first.wait_for(state="detached", timeout=60_000)
    table = read_table(TableStore(settings.data), Home(settings).graph["fine/magnitude"], span)
    ms = table.time.astype("datetime64[ns]").astype("int64") / 1e6
    first, last = (datetime(2003, 10, 29, 6, minute, tzinfo=UTC).timestamp() * 1e3 for minute in (0, 10))
    inside = (ms >= first) & (ms <= last)
    shown = [pair for pair in page.evaluate(DRAWN, 0) if first <= pair[0] <= last]
    assert len(shown) == inside.sum() >= 37
    assert [pair[0] for pair in shown] == list(ms[inside])
    assert [pair[1] for pair in shown] == pytest.approx(list(table.columns["magnitude"][inside]), rel=1e-4)
    page.evaluate("Plotly.relayout('figure', {'xaxis.range': ['2003-10-27', '2003-10-31']})")
    page.locator("#notes p").first.wait_for(timeout=60_000)
    assert page.evaluate(DRAWN, 0) == whole
    asked = f"{served.ui.url}/figures/fine__overview__20031027_20031031.refined.js?from=0&to=1&number=1&stamp=of-another"
    assert "drawn again" in httpx.get(asked).text
    assert httpx.get(asked.replace("number=1", "number=alert(1)")).status_code == 400


def test_pages_of_other_sites_change_nothing(served: Served) -> None:
    """From another port of this machine or another host: no request of theirs reaches Dagster's record, no socket opens."""
    with strangers_site() as port:
        for site in (f"http://127.0.0.1:{port}/", f"http://{STRANGER}:{port}/"):
            try_all(served.page, site, f"{served.ui.url}/dagster")
            served.page.goto(site)
            assert socket_answer(served.page, f"{served.ui.url}/dagster") == "refused"
    assert served.stolen() == []
    served.page.goto(f"{served.ui.url}/dagster/")
    assert "connection_ack" in socket_answer(served.page, f"{served.ui.url}/dagster")


def test_a_name_that_was_rebound_is_refused(served: Served) -> None:
    """A host name of others that now resolves to this machine gets neither the page nor an answer, but how to allow it."""
    rebound = served.ui.url.replace("127.0.0.1", STRANGER)
    answer = served.page.goto(rebound)
    assert answer is not None
    assert (answer.status, f"--allow-host {STRANGER}" in answer.text()) == (421, True)
    try_all(served.page, f"{rebound}/dagster/server_info", f"{rebound}/dagster")
    assert socket_answer(served.page, f"{rebound}/dagster") == "refused"
    assert served.stolen() == []


def test_a_page_of_another_site_cannot_frame_ours(served: Served) -> None:
    """The frame stays an error page of the browser's: nobody clicks our buttons unawares."""
    with strangers_site() as port:
        served.page.goto(f"http://127.0.0.1:{port}/")
        script = """ui => new Promise(done => {
          const frame = document.body.appendChild(document.createElement('iframe'));
          frame.onload = done; frame.src = ui })"""
        served.page.evaluate(script, f"{served.ui.url}/dagster/")
        framed = served.page.frames[-1]
        assert framed != served.page.main_frame
        assert "Dagster" not in framed.content()


def test_run_config_names_no_home_and_no_archive(served: Served, tmp_path: Path) -> None:
    """Dagster refuses every setting of the `helio` resource, and launches nothing."""
    for config in ({"home": str(tmp_path / "elsewhere")}, {"cdaweb_url": "http://127.0.0.1:9/"}, {"pipelines": str(tmp_path)}):
        launched = ask(served.ui.url, LAUNCH, range_run({"resources": {"helio": {"config": config}}}))["launchRun"]
        assert launched["__typename"] == "RunConfigValidationInvalid", launched
        assert next(iter(config)) in launched["errors"][0]["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_script_in_a_figure_reaches_nothing_of_ours(served: Served) -> None:
    """A figure is shown in an origin of its own: were a title to run as a script, Dagster would refuse what it asks."""
    (served.settings.figures / "evil.html").write_text("<!doctype html><title>A figure</title><body></body>")
    figure = f"{served.ui.url}/figures/evil.html"
    try_all(served.page, figure, f"{served.ui.url}/dagster", can_submit=False)
    served.page.goto(figure)
    assert served.page.evaluate("self.origin") == "null"
    assert socket_answer(served.page, f"{served.ui.url}/dagster") == "refused"
    assert served.stolen() == []


def run_from_here(settings: Settings, name: str = "storm", span: TimeRange = STORM) -> None:
    """What `helio run` does over a range."""
    pipeline, graph = Home(settings).open(name)
    workbench = Workbench(settings)
    try:
        assert run(RunRequest(graph, pipeline, span), workbench).status == "success"
    finally:
        workbench.close()


def test_a_busy_port_is_told(tmp_path: Path) -> None:
    """Before anything is started: wrong input, with another port to try."""
    settings = home(tmp_path / "ui")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        opening = web_ui(settings, port=taken.getsockname()[1])
        with pytest.raises(InputError, match="is in use") as caught:
            opening.__enter__()
    assert "--port" in caught.value.hint
    assert not settings.home.joinpath("dagster").exists()


def test_an_address_of_no_machine_is_told(tmp_path: Path) -> None:
    """A name that resolves to nothing, and an address of somebody else: wrong input, not a traceback."""
    for host in ("no-such-host.invalid", "192.0.2.1"):
        with pytest.raises(InputError, match=host):
            web_ui(home(tmp_path / host), host=host, port=free_port()).__enter__()
