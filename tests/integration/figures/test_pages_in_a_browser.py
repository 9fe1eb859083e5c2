"""What a page of a figure shows and offers in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from helio_dagster.domain.extent import Extent
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import BinAxis, ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.rendering import figure_to_html
from tests.browser import find_browser

DAY = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
SAMPLES = 86_400
DRAWN = "document.getElementById('figure')._fullData[0].y"


@pytest.mark.browser
def test_a_page_has_no_button_that_sends_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    """The mode bar holds a download and zooming; nothing asks the network; a thinned line gives both numbers."""
    browser_path = find_browser()
    if browser_path is None:
        pytest.skip("no Chromium is installed")
    time = np.datetime64("2023-01-02", "ns") + np.arange(SAMPLES) * np.timedelta64(1, "s")
    noise = np.random.default_rng(0).normal(size=SAMPLES).astype(np.float32)
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b"),), unit="nT", label="B")
    figure = Figure.model_validate({"panels": [{"traces": [{"data": "b"}]}]})
    page_path = tmp_path / "figure.html"
    figure_to_html(draw(figure, {"b": Table(time, {"b": noise}, meta)}, DAY, title="A day"), page_path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(browser_path), args=["--no-sandbox"])
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_path.as_uri())
        page.wait_for_selector(".modebar-btn", state="attached")
        titles = page.eval_on_selector_all(".modebar-btn", "all => all.map(each => each.getAttribute('data-title'))")
        drawn = page.evaluate(f"Array.from({DRAWN}).filter(value => !isNaN(value)).length")
        notes = page.locator("p").all_inner_texts()
        links = page.eval_on_selector_all("a[href]", "all => all.map(each => each.getAttribute('href'))")
        browser.close()
    assert sorted(titles) == ["Autoscale", "Download plot as a PNG", "Pan", "Reset axes", "Zoom", "Zoom in", "Zoom out"]
    assert links == []
    assert all(url.startswith("file:") for url in asked)
    assert notes == [f"B: thinned: {drawn:,} of {SAMPLES:,} samples; zooming in shows no more."]
    assert drawn < SAMPLES


@pytest.mark.browser
def test_the_head_says_what_a_zoom_shows_and_the_hover_the_number(tmp_path: Path) -> None:
    """The range of the zoom, the figure's own after a reset; of a bin of an hour its flux with its unit, no power of ten."""
    browser_path = find_browser()
    if browser_path is None:
        pytest.skip("no Chromium is installed")
    time = np.datetime64("2023-01-02", "ns") + np.arange(24) * np.timedelta64(1, "h")
    columns = (ColumnMeta(name="f0"), ColumnMeta(name="f1"))
    bins = BinAxis(label="Energy", unit="eV", scale="log", centers=(10.0, 100.0))
    extent = Extent.of_bin(timedelta(hours=1))
    meta = TableMeta(kind="spectrogram", columns=columns, unit="nT", label="F", scale="log", bins=bins, extent=extent)
    table = Table(time, {"f0": np.full(24, 87.5), "f1": np.full(24, 1234.0)}, meta)
    page_path = tmp_path / "figure.html"
    figure = Figure.model_validate({"panels": [{"traces": [{"data": "f"}]}]})
    figure_to_html(draw(figure, {"f": table}, DAY, title="A day"), page_path)
    head = "document.getElementById('figure').layout.annotations.find(each => each.name === 'range').text"
    zoom = "Plotly.relayout('figure', {'xaxis.range': ['%s', '%s']})"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(browser_path), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(page_path.as_uri())
        page.wait_for_selector(".modebar-btn", state="attached")
        heads = [page.evaluate(head)]
        for ends in (
            ("2023-01-02 06:00", "2023-01-02 18:00"),
            ("2023-01-02 06:10:20", "2023-01-02 06:12"),
            (DAY.start, DAY.stop),
        ):
            start, stop = (end if isinstance(end, str) else f"{end:%Y-%m-%d %H:%M}" for end in ends)
            page.evaluate(zoom % (start, stop))
            page.wait_for_function(f"shown => {head} !== shown", arg=heads[-1])
            heads.append(page.evaluate(head))
        box = page.locator(".nsewdrag").first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 0.9 * box["height"])  # the lower bin
        page.wait_for_selector(".hoverlayer .hovertext", state="attached")
        hovered = " ".join(page.locator(".hoverlayer").all_text_contents())
        browser.close()
    whole = "2023-01-02 00:00 to 2023-01-03 00:00 UTC"
    assert heads == [
        whole,
        "2023-01-02 06:00 to 18:00 UTC",
        "2023-01-02 06:10:20 to 06:12:00 UTC",
        whole,
    ]
    assert "87.5 nT" in hovered
    assert "^" not in hovered
