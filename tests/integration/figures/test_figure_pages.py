"""The pages below `/figures/` of a home that ran: thumbnails, freshness, downloads, and how they look in a browser."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient

from helio_dagster.domain.printing import Printing
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.home import Home
from helio_dagster.launch.running.printing import figure_steps, print_figures
from helio_dagster.launch.running.request import RunRequest
from helio_dagster.launch.running.run import run
from helio_dagster.launch.web.figure_pages import FigurePages
from helio_dagster.resources.workbench import Workbench
from helio_dagster.serve.pages.rendering import STATIC
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore
from tests.browser import find_browser

SPAN = TimeRange(datetime(2003, 10, 28, tzinfo=UTC), datetime(2003, 10, 30, tzinfo=UTC))
NAME = "storm__overview__20031028_20031030"
EVIL = "A <b>bold</b> title"
TEXT = f"""
version: 1
name: storm
title: {EVIL}
description: Bz of OMNI around the storm, please
partitions: daily
start: 2003-10-01
assumptions: [OMNI is used]
steps:
  - id: b
    intent: Fetch the field
    fetch: {{archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}}
  - id: mean
    compute: {{operation: rolling_mean, inputs: {{series: b}}, options: {{window: PT6H}}}}
  - id: overview
    figure: {{panels: [{{traces: [{{data: b}}, {{data: mean}}]}}], below: [{{data: mean, label: Mean, digits: 2}}]}}
"""


def run_home(settings: Settings) -> RunRequest:
    """What `helio run` does."""
    pipeline, graph = Home(settings).open("storm")
    request = RunRequest(graph, pipeline, SPAN)
    with Workbench(settings) as workbench:
        assert run(request, workbench).status == "success"
    return request


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A home that ran."""
    folder = tmp_path_factory.mktemp("home")
    found = Settings(folder, folder / "pipelines")
    found.pipelines.mkdir()
    (found.pipelines / "storm.yaml").write_text(TEXT)
    run_home(found)
    return found


@pytest.fixture
def client(settings: Settings) -> TestClient:
    """Asks for pages."""
    return TestClient(Starlette(routes=[Mount("/figures", FigurePages(settings))]), base_url="http://127.0.0.1")


def test_small_pictures_are_made_once_for_each_picture(client: TestClient, settings: Settings) -> None:
    """A smaller PNG that stays on disk until the figure has another picture."""
    picture = settings.figures / f"{NAME}.png"
    first = client.get(f"/figures/{NAME}.small.png")
    assert first.headers["content-type"] == "image/png"
    assert len(first.content) < 95_000
    (kept,) = (settings.figures / ".small").iterdir()
    kept.write_bytes(b"kept")
    assert client.get(f"/figures/{NAME}.small.png").content == b"kept"
    picture.touch()
    assert client.get(f"/figures/{NAME}.small.png").content == first.content
    with Image.open(BytesIO(client.get(f"/figures/{NAME}.preview.png").content)) as preview:
        assert preview.width == 400
    assert len(list((settings.figures / ".small").iterdir())) == 2
    picture.touch()
    assert client.get(f"/figures/{NAME}.small.png").content == first.content
    assert len(list((settings.figures / ".small").iterdir())) == 1
    assert client.get("/figures/other__x__20031028_20031030.small.png").status_code == 404


def test_downloads_are_what_the_commands_write(client: TestClient, settings: Settings) -> None:
    """PDF and SVG byte for byte as `helio figure`, each in an origin of its own; CSV of the range and of a partition."""
    pipeline, graph = Home(settings).open("storm")
    request = RunRequest(graph, pipeline, SPAN)
    with Workbench(settings) as workbench:
        for form in ("pdf", "svg"):
            (expected,) = print_figures(request, figure_steps(request, None), workbench, form, Printing())
            answer = client.get(f"/figures/{NAME}.{form}")
            assert answer.content == expected.content
            assert answer.headers["content-disposition"] == f'attachment; filename="{NAME}.{form}"'
            assert answer.headers["content-security-policy"].startswith("sandbox")
    csv = client.get("/figures/table.csv", params={"asset": "storm/mean", "from": "2003-10-28", "to": "2003-10-28T06:00"}).text
    lines = [line for line in csv.splitlines() if not line.startswith("#")]
    assert len(lines) == 7
    assert lines[1].startswith("2003-10-28T00:")
    csv = client.get("/figures/table.csv", params={"asset": "storm/mean", "key": "2003-10-29"}).text
    assert sum(line.startswith("2003-10-29T") for line in csv.splitlines()) == 24
    assert client.get("/figures/table.csv", params={"asset": "storm/mean", "from": "soon"}).status_code == 400
    for path in ("table?asset=storm/none", "table?asset=../x", "table?asset=storm/mean&key=../../x", "about/none", "none.pdf"):
        assert client.get(f"/figures/{path}").status_code == 404


def test_a_figure_says_its_words_and_whether_it_is_up_to_date(client: TestClient, settings: Settings) -> None:
    """Up to date after the run; out of date after a change of an input's step, and the list says so of its own."""
    file = settings.pipelines / "storm.yaml"
    page = client.get(f"/figures/about/{NAME}").text
    for words in ("Bz of OMNI around the storm, please", "OMNI is used", "Fetch the field", "up to date"):
        assert words in page
    assert "A &lt;b&gt;bold&lt;/b&gt; title" in page
    try:
        file.write_text(TEXT.replace("PT6H", "PT8H"))
        assert "out of date" in client.get(f"/figures/about/{NAME}").text
        file.write_text(TEXT.replace("[{data: b}, {data: mean}]", "[{data: mean}]"))
        assert "out of date: its step or helio&#x27;s drawing changed" in client.get("/figures/").text
    finally:
        file.write_text(TEXT)
    assert "out of date" not in client.get("/figures/").text


@pytest.fixture
def address(settings: Settings) -> Iterator[str]:
    """The pages on loopback."""
    app = Starlette(routes=[Mount("/figures", FigurePages(settings)), Mount("/static", StaticFiles(directory=STATIC))])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/figures/"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_fit_a_screen_and_a_telephone(address: str, tmp_path: Path, width: int) -> None:
    """No page is wider than the window, pictures are there, a title stays text, the form searches without a script."""
    browser = find_browser()
    if browser is None:
        pytest.skip("no Chromium on this machine")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as chromium,
    ):
        page = chromium.new_page(viewport={"width": width, "height": 800})
        for path in ("", f"about/{NAME}", "table?asset=storm%2Fmean"):
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate("Array.from(document.images, image => image.naturalWidth).every(width => width > 200)"), path
            page.screenshot(path=tmp_path / f"{width}.png")
        page.goto(address)
        assert page.get_by_text(EVIL).first.is_visible()
        assert page.locator("b").count() == 0
        page.fill("input[name=q]", "no such storm")
        page.click("button")
        page.get_by_text("No figure has all of these words").wait_for()
        page.fill("input[name=q]", "2003-10-28")
        page.click("button")
        page.locator(f'img[src="{NAME}.small.png"]').wait_for()


def until(page: Page, condition: str) -> None:
    """Wait for what a page shows; its policy forbids the browser's own way to wait for it."""
    deadline = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, condition
        page.wait_for_timeout(50)


@pytest.mark.browser
def test_rows_below_the_axis_follow_a_zoom_and_come_back(address: str, settings: Settings) -> None:
    """Three hours of two days: each tick has the stored value of its hour, and the line is as stored up to the edges."""
    browser = find_browser()
    if browser is None:
        pytest.skip("no Chromium on this machine")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as chromium,
    ):
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}{NAME}.html")
        page.locator("svg.main-svg").first.wait_for()
        whole = page.evaluate("figure.layout.xaxis.ticktext")
        page.evaluate("Plotly.relayout('figure', {'xaxis.range': ['2003-10-28 06:10', '2003-10-28 09:10']})")
        until(
            page, "figure.layout.xaxis.tickmode === 'array' && figure.layout.xaxis.tickvals.at(-1) < Date.UTC(2003, 9, 28, 10)"
        )
        ticks = page.evaluate("[figure.layout.xaxis.tickvals, figure.layout.xaxis.ticktext]")
        table = TableStore(settings.data).read("storm/mean", "2003-10-28")
        stamps = table.time.astype("datetime64[ms]").astype(int)
        shown = {at: text.split("<br>")[-1] for at, text in zip(*ticks, strict=True)}
        assert len(shown) > 2
        assert all(text == f"{table.columns['mean'][abs(stamps - at).argmin()]:.2f}" for at, text in shown.items())
        ends = page.evaluate("[figure._fullData[0].x[0], figure._fullData[0].x.at(-1)]")
        assert ends[0] < datetime(2003, 10, 28, 6, 10, tzinfo=UTC).timestamp() * 1000
        assert ends[1] > datetime(2003, 10, 28, 9, 10, tzinfo=UTC).timestamp() * 1000
        page.evaluate("Plotly.relayout('figure', {'xaxis.range': ['2003-10-28', '2003-10-30']})")
        until(page, f"figure.layout.xaxis.ticktext.join() === {json.dumps(','.join(whole))}")
