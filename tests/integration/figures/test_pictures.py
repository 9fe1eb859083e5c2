"""Pictures by a real browser."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.browser import find_browser
from helio_dagster.figures.rendering import PngRenderer
from tests.security.processes import descendants

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def renderer() -> Iterator[PngRenderer]:
    """One browser for all tests."""
    if find_browser() is None:
        pytest.skip("no Chromium is installed")
    with PngRenderer() as shared:
        yield shared


@pytest.fixture
def figure() -> go.Figure:
    """A small figure."""
    return go.Figure(go.Scatter(x=[1, 2, 3], y=[3, 1, 4]), layout={"height": 300})


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height in the header of a PNG."""
    assert picture.startswith(PNG)
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@pytest.mark.browser
def test_a_picture_is_as_large_as_its_layout_times_the_scale(renderer: PngRenderer, figure: go.Figure, tmp_path: Path) -> None:
    """1,100 by 300 at twice the scale; nothing else is left in the folder."""
    renderer.render(figure, tmp_path / "new" / "a.png", scale=2)
    assert size_of((tmp_path / "new" / "a.png").read_bytes()) == (2200, 600)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.png"]


@pytest.mark.browser
def test_several_threads_share_the_browser(renderer: PngRenderer, figure: go.Figure) -> None:
    """One picture after the other, none lost, all alike."""
    pictures: list[bytes] = []
    threads = [threading.Thread(target=lambda: pictures.append(renderer.png(figure))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pictures) == 3
    assert len(set(pictures)) == 1


@pytest.mark.browser
def test_a_closed_renderer_starts_again(figure: go.Figure, renderer: PngRenderer) -> None:
    """Closing ends the process, not the renderer's use."""
    before = renderer.png(figure)
    renderer.close()
    assert renderer.png(figure) == before


@pytest.mark.browser
def test_a_browser_that_was_started_early_makes_the_same_picture(figure: go.Figure, renderer: PngRenderer) -> None:
    """Starting it beside other work changes when it starts, and nothing else."""
    with PngRenderer() as early:
        early.start()
        assert early.png(figure) == renderer.png(figure)


@pytest.mark.browser
def test_a_browser_that_is_not_needed_after_all_is_not_left_behind(renderer: PngRenderer) -> None:
    """Closing it while it still starts ends every process of it."""
    assert renderer.is_available
    before = descendants()
    early = PngRenderer()
    early.start()
    early.close()
    assert descendants() <= before


def test_without_a_browser_starting_one_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is missing is told when a picture is asked for."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "absent"))
    PngRenderer().start()


def test_without_a_browser_the_error_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, figure: go.Figure, tmp_path: Path
) -> None:
    """The hint names chromium and BROWSER_PATH."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "absent"))
    renderer = PngRenderer()
    assert not renderer.is_available
    with pytest.raises(FigureError) as caught:
        renderer.render(figure, tmp_path / "a.png")
    assert "chromium" in caught.value.hint
    assert "BROWSER_PATH" in caught.value.hint
    assert not (tmp_path / "a.png").exists()


def test_a_program_that_is_no_browser_is_an_error_not_a_hang(monkeypatch: pytest.MonkeyPatch, figure: go.Figure) -> None:
    """It stops at once; the message names the program."""
    monkeypatch.setenv("BROWSER_PATH", "/bin/true")
    with pytest.raises(FigureError) as caught, PngRenderer() as renderer:
        renderer.png(figure)
    assert caught.value.where == "/bin/true"
