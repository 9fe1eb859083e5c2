"""The web UI of a home, in a real browser: it runs a range, gives the bytes of `helio run`, and shows the figure."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.browser import find_browser
from helio_dagster.launch.home import Home
from helio_dagster.launch.request import RunRequest
from helio_dagster.launch.run import run
from helio_dagster.launch.ui import WebUi, web_ui
from helio_dagster.resources.workbench import Workbench
from helio_dagster.storage.home import Settings

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PATIENCE_S = 180
FIRST, LAST = "2003-10-28", "2003-10-30"
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


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def ask(url: str, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """One GraphQL question."""
    answer = httpx.post(f"{url}/graphql", json={"query": query, "variables": variables}, timeout=60).json()
    assert "errors" not in answer, answer["errors"]
    found: dict[str, Any] = answer["data"]
    return found


def launch_range(url: str) -> str:
    """What the button `Materialize selected` does for a range in a single run; the run's id."""
    keys = [["demo", "OMNI2_H0_MRG1HR", "ABS_B"], ["storm", "mean"], ["storm", "overview"]]
    selector = {
        "repositoryName": "__repository__",
        "repositoryLocationName": "helio_dagster",
        "pipelineName": "__ASSET_JOB",
        "assetSelection": [{"path": key} for key in keys],
    }
    tags = {"dagster/asset_partition_range_start": FIRST, "dagster/asset_partition_range_end": LAST}
    metadata = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
    params = {"selector": selector, "mode": "default", "runConfigData": {}, "executionMetadata": metadata}
    launched = ask(url, LAUNCH, {"params": params})["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    return str(launched["run"]["runId"])


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


@pytest.fixture
def browser() -> str:
    """Path of the browser that figures are made with."""
    found = find_browser()
    if found is None:
        pytest.skip("no browser is found; install chromium")
    return found


@contextmanager
def open_page(browser: str) -> Iterator[Page]:
    """A page of the browser; while it is open its event loop is this thread's."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
        yield opened.new_page(viewport={"width": 1500, "height": 1000})
        opened.close()


def check_figure(page: Page, ui: WebUi, pictures: Path) -> None:
    """The asset's page shows link and picture, and the link opens a drawn figure; `pictures` is where to look at them."""
    page.goto(f"{ui.url}/assets/storm/overview", wait_until="domcontentloaded")
    link = page.locator('a[href*="/figures/storm__overview__"]').first
    link.wait_for(timeout=60_000)
    page.screenshot(path=pictures / "asset.png")
    page.get_by_text("Show Markdown").first.click()
    picture = page.locator('img[src^="data:image/png"]').first
    picture.wait_for(timeout=30_000)
    assert picture.evaluate("image => image.naturalWidth") > 300
    page.screenshot(path=pictures / "preview.png")
    address = link.get_attribute("href")
    assert address is not None
    page.goto(address if address.startswith("http") else f"{ui.url}{address}")
    page.locator("svg.main-svg").first.wait_for(timeout=60_000)
    assert page.locator(".scatterlayer .trace").count() >= 2
    page.screenshot(path=pictures / "figure.png")


def test_the_web_ui_runs_a_range_and_shows_its_figure(tmp_path: Path, browser: str) -> None:
    """From the launch button's mutation to the drawn figure; the tables are those of `helio run`; no process stays."""
    settings, other = home(tmp_path / "ui"), home(tmp_path / "cli")
    with web_ui(settings, port=free_port()) as ui:
        status = wait_for_run(ui.url, launch_range(ui.url))
        assert status == "SUCCESS", (settings.home / "logs" / "code-server.log").read_text()[-3000:]
        with open_page(browser) as page:
            check_figure(page, ui, tmp_path)
        assert len(processes_of(settings.home)) >= 3
    assert processes_of(settings.home) == []
    run_from_here(other)
    assert tables(settings) == tables(other)


def run_from_here(settings: Settings) -> None:
    """What `helio run` does over the same range."""
    pipeline, graph = Home(settings).open("storm")
    workbench = Workbench(settings)
    span = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 10, 31, tzinfo=UTC))
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
    assert processes_of(settings.home) == []
