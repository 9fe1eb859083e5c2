"""HTML pages."""

from __future__ import annotations

from pathlib import Path

import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures.pages import html_page, script_name
from helio_dagster.figures.rendering import figure_to_html
from helio_dagster.storage.figure_files import height_of_page


def make_figure() -> go.Figure:
    """A small figure with a title that tries to be markup."""
    return go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), layout={"height": 300, "meta": {"title": "<script>alert(1)</script>"}})


@pytest.fixture
def figure() -> go.Figure:
    """The small figure."""
    return make_figure()


def test_the_same_figure_is_the_same_page(figure: go.Figure) -> None:
    """No random id, no time of day."""
    assert html_page(figure) == html_page(make_figure())


def test_a_page_may_load_nothing_from_elsewhere(figure: go.Figure) -> None:
    """The policy denies everything but the script beside the page, and no address stands in it."""
    page = html_page(figure)
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


def test_a_title_is_escaped(figure: go.Figure) -> None:
    """A title cannot close its tag."""
    assert "<title>&lt;script&gt;" in html_page(figure)
    assert "<script>alert" not in html_page(figure)


def test_a_page_says_its_height(tmp_path: Path) -> None:
    """That of the figure, with a line for each note below it; another file says none."""
    page = tmp_path / "page.html"
    page.write_text(html_page(make_figure()))
    assert height_of_page(page) == 300
    noted = make_figure()
    noted.update_traces(name="b", meta={"samples": 9})
    page.write_text(html_page(noted))
    assert 315 < (height_of_page(page) or 0) < 330
    page.write_text("<p>no figure</p>")
    assert height_of_page(page) is None
    assert height_of_page(tmp_path / "none.html") is None


def test_pages_of_a_folder_share_one_script(figure: go.Figure, tmp_path: Path) -> None:
    """Written once, whole; a damaged one is mended."""
    figure_to_html(figure, tmp_path / "figures" / "a.html")
    script = tmp_path / "figures" / script_name()
    size = script.stat().st_size
    script.write_bytes(b"cut off")
    figure_to_html(figure, tmp_path / "figures" / "b.html")
    assert script.stat().st_size == size
    assert sorted(path.name for path in script.parent.iterdir()) == ["a.html", "b.html", script.name]


def test_an_inline_page_stands_alone(figure: go.Figure, tmp_path: Path) -> None:
    """The script is in the page and not beside it."""
    figure_to_html(figure, tmp_path / "a.html", inline=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").stat().st_size > 4_000_000


def test_a_folder_that_cannot_be_made_is_a_clear_error(figure: go.Figure, tmp_path: Path) -> None:
    """The message names the file and what to check."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FigureError) as caught:
        figure_to_html(figure, tmp_path / "file" / "a.html")
    assert "a.html" in caught.value.where or script_name() in caught.value.where
    assert caught.value.hint
