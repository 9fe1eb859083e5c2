"""What a page of a figure shows and offers in a real browser."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from helio_dagster.domain.pipeline import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.browser import find_browser
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.rendering import figure_to_html

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
