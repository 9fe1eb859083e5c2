"""Pictures to print and to send, held to the page: the same description, drawn by matplotlib and by plotly in a browser."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import threading
import xml.etree.ElementTree as ET
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.printing.frame import Frame
from helio_dagster.figures.printing.picture import Print, picture
from helio_dagster.figures.rendering import figure_to_html, figure_to_png
from tests.browser import find_browser
from tests.integration.figures.kinds_figure import kinds_figure
from tests.integration.figures.storm_figure import columns_figure, storm_figure

PNG = b"\x89PNG\r\n\x1a\n"
FORMATS: tuple[Literal["png", "pdf", "svg"], ...] = ("png", "pdf", "svg")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def figure() -> go.Figure:
    """Lines with a right-hand axis, a log panel, a spectrogram, a hodogram and a table of facts, with events."""
    return storm_figure()


def size_of(content: bytes) -> tuple[int, int]:
    """Width and height in the header of a PNG."""
    assert content.startswith(PNG)
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_a_picture_is_as_large_as_its_layout_times_the_scale(figure: go.Figure, tmp_path: Path) -> None:
    """1,100 pixels wide at one and a half times the scale; nothing else is left in the folder."""
    figure_to_png(figure, tmp_path / "new" / "a.png")
    assert size_of((tmp_path / "new" / "a.png").read_bytes()) == (1650, round(1.5 * figure.layout.height))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.png"]


def test_several_threads_draw_the_same_picture(figure: go.Figure) -> None:
    """The settings of the library belong to the process; none is lost, all are alike."""
    pictures: list[bytes] = []
    threads = [threading.Thread(target=lambda: pictures.append(picture(figure, "png"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pictures) == 3
    assert len(set(pictures)) == 1


def test_another_process_with_other_settings_makes_the_same_bytes(figure: go.Figure, tmp_path: Path) -> None:
    """A person's own style of matplotlib and another hash seed change nothing, in any format."""
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\naxes.facecolor: red\nsvg.fonttype: path\n")
    code = (
        "import sys, pathlib\n"
        "from tests.integration.figures.storm_figure import storm_figure\n"
        "from helio_dagster.figures.printing.picture import picture\n"
        "for form in ('png', 'pdf', 'svg'):\n"
        "    pathlib.Path(sys.argv[1], 'a.' + form).write_bytes(picture(storm_figure(), form))\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path), "TZ": "Asia/Tokyo"}
    root = Path(__file__).resolve().parents[3]
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, cwd=root, check=True)
    for form in FORMATS:
        assert (tmp_path / f"a.{form}").read_bytes() == picture(figure, form), form


def test_text_is_text_with_its_fonts(figure: go.Figure) -> None:
    """In an SVG the words stand as text, with the letters they need; a PDF embeds its fonts as outlines, none as pictures."""
    root = ET.fromstring(picture(figure, "svg"))  # noqa: S314 - our own file
    words = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert "Storm with all kinds of panels" in words
    assert "UTC" in words
    assert any("nT" in each for each in words)
    style = "".join(each.text or "" for each in root.iter(f"{SVG}style"))
    assert style.count("@font-face") >= 2  # regular and bold
    pdf = picture(figure, "pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


def test_a_spectrogram_is_one_image_in_a_vector_frame(figure: go.Figure) -> None:
    """The image and the colour bar's; the lines around them are lines."""
    root = ET.fromstring(picture(figure, "svg"))  # noqa: S314 - our own file
    assert len(list(root.iter(f"{SVG}image"))) == 2
    assert len(list(root.iter(f"{SVG}path"))) > 50


def test_the_size_on_paper_is_that_asked_for(figure: go.Figure) -> None:
    """A pixel of the layout as half a point: 1,100 pixels are 550 points in both vector formats."""
    how = Print(points_per_px=0.5, dpi=600)
    root = ET.fromstring(picture(figure, "svg", how))  # noqa: S314 - our own file
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(550, abs=0.1)
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", picture(figure, "pdf", how))
    assert box is not None
    assert [float(each) for each in box.groups()] == pytest.approx([550, figure.layout.height / 2], abs=0.1)


def test_a_line_that_goes_far_beyond_its_panel_leaves_it_where_it_should() -> None:
    """From 0 to a thousand times the axis: after a hundredth of the way it is ten times the panel's height above its foot."""
    axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [0, 1]}}
    layout = {**axes, "height": 300, "width": 1100, "margin": {"l": 50, "r": 50, "t": 50, "b": 50}}
    slope = 1000
    line = {"color": "#ff0000", "width": 2}
    steep = go.Figure(go.Scatter(x=[0, 1], y=[0, slope], mode="lines", line=line), layout=layout)
    with Image.open(BytesIO(picture(steep, "png", Print(points_per_px=0.72, dpi=400)))) as drawn:
        dots = np.asarray(drawn.convert("RGB")).astype(int)
    is_red = (dots[..., 0] > 200) & (dots[..., 1] < 120) & (dots[..., 2] < 120)
    columns = np.flatnonzero(is_red.any(axis=0))
    left, width = 50 * 4, 1000 * 4
    assert len(columns)
    assert columns.max() - left <= width / slope + 2 * 4  # where it leaves, and half of the line's width


def test_a_folder_that_cannot_be_written_is_an_error(figure: go.Figure, tmp_path: Path) -> None:
    """It names the file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(FigureError) as caught:
        figure_to_png(figure, tmp_path / "file" / "a.png")
    assert str(tmp_path / "file" / "a.png") in caught.value.where


MEASURE = """() => {
  const gd = document.getElementById('figure'), full = gd._fullLayout, axes = {};
  for (const key of Object.keys(full)) {
    if (/^[xy]axis\\d*$/.test(key)) {
      const axis = full[key];
      axes[axis._id] = {offset: axis._offset, length: axis._length};
    }
  }
  const lines = full._subplots.cartesian.map(name => name);
  const texts = Array.from(document.querySelectorAll('.annotation-text-g')).map(each => {
    const box = each.getBoundingClientRect();
    return {left: box.left, right: box.right, top: box.top, bottom: box.bottom, text: each.textContent};
  });
  const places = gd._fullData.filter(each => each.type === 'scatter' && each.x.length).map(each => {
    const x = full[each.xaxis.replace('x', 'xaxis')], y = full[each.yaxis.replace('y', 'yaxis')];
    return [0, each.x.length - 1].map(at => [x._offset + x.d2p(each.x[at]), y._offset + y.d2p(each.y[at])]);
  });
  return {axes, lines, texts, places, width: full.width, height: full.height};
}"""


@pytest.fixture(scope="module", params=[storm_figure, columns_figure, kinds_figure], ids=["storm", "columns", "kinds"])
def measured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[go.Figure, dict[str, Any]]:
    """A figure, and where plotly put what of it in a browser."""
    figure: go.Figure = request.param()
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium is installed")
    file = tmp_path_factory.mktemp("page") / "figure.html"
    figure_to_html(figure, file)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1100, "height": 2400})
        shown.goto(file.as_uri())
        shown.wait_for_selector(".modebar-btn", state="attached")
        found: dict[str, Any] = shown.evaluate(MEASURE)
        browser.close()
    return figure, found


@pytest.mark.browser
def test_panels_are_where_the_page_has_them(measured: tuple[go.Figure, dict[str, Any]]) -> None:
    """Every axis begins and ends within a pixel of plotly's own."""
    figure, page = measured
    frame = Frame(figure.layout.to_plotly_json())
    assert (page["width"], page["height"]) == (frame.width_px, frame.height_px)
    ours = {}
    for axis in frame.axes:
        is_x = axis.name.startswith("x")
        ours[axis.name] = (axis.start_px if is_x else frame.height_px - axis.stop_px, axis.length_px)
    theirs = {name: (each["offset"], each["length"]) for name, each in page["axes"].items()}
    assert ours.keys() == theirs.keys()
    for name, place in ours.items():
        assert place == pytest.approx(theirs[name], abs=1.0), name


@pytest.mark.browser
def test_data_are_where_the_page_has_them(measured: tuple[go.Figure, dict[str, Any]]) -> None:
    """The first and the last point of each trace, on linear, logarithmic, time and right-hand axes."""
    figure, page = measured
    frame = Frame(figure.layout.to_plotly_json())
    ours = []
    for trace in figure.data:
        if trace.type == "scatter" and len(trace.x):
            x, y = frame.axis(trace.xaxis or "x"), frame.axis(trace.yaxis or "y")
            ends = [0, len(trace.x) - 1]
            ours.append([[x.px(trace.x[at]), frame.height_px - y.px(trace.y[at])] for at in ends])
    assert len(ours) >= 5
    np.testing.assert_allclose(np.array(ours, dtype=float), np.array(page["places"], dtype=float), atol=1.0)


@pytest.mark.browser
def test_texts_are_where_the_page_has_them(measured: tuple[go.Figure, dict[str, Any]]) -> None:
    """The middle of each text within four pixels, in SVG as drawn; letters of two fonts are not equally wide."""
    figure, page = measured
    root = ET.fromstring(picture(figure, "svg", Print(points_per_px=1.0, dpi=72)))  # noqa: S314 - our own file
    height = float(root.attrib["height"].removesuffix("pt"))
    assert height == pytest.approx(figure.layout.height, abs=1)
    ours = {}
    for each in root.iter(f"{SVG}text"):
        move = re.search(r"translate\(([\d.]+) ([\d.]+)\)", each.attrib.get("transform", ""))
        place = move.groups() if move else (each.attrib.get("x", "nan"), each.attrib.get("y", "nan"))
        ours["".join(each.itertext()).strip()] = [float(part) for part in place]
    often = Counter(each["text"] for each in page["texts"])
    shared = [each for each in page["texts"] if each["text"] in ours and often[each["text"]] == 1]
    level = [each for each in shared if each["bottom"] - each["top"] < min(25, each["right"] - each["left"])]
    assert len(level) >= 6
    for each in level:
        baseline = each["bottom"] - 0.2 * (each["bottom"] - each["top"])
        assert ours[each["text"]][1] == pytest.approx(baseline, abs=4), each["text"]
