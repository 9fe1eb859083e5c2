"""Rendered figures at rest."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from helio_dagster.domain.time_range import TimeRange
from helio_dagster.storage.figure_files import FigureFiles

SPAN = TimeRange(datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 1, 5, tzinfo=UTC))


@pytest.fixture
def files(tmp_path: Path) -> FigureFiles:
    """An empty folder of figures."""
    return FigureFiles(tmp_path / "figures")


def test_a_figure_is_one_file_per_range(files: FigureFiles) -> None:
    """Asset and range can be read off the name; hours are told where they are not midnight."""
    hours = TimeRange(datetime(2023, 1, 2, 6, tzinfo=UTC), datetime(2023, 1, 2, 7, tzinfo=UTC))
    assert files.html("ace/overview", SPAN).name == "ace__overview__20230102_20230105.html"
    assert files.png("ace/overview", SPAN).name == "ace__overview__20230102_20230105.png"
    assert files.html("ace/overview", hours).name == "ace__overview__20230102T060000_20230102T070000.html"


def test_a_figure_is_whole_once_it_is_marked(files: FigureFiles) -> None:
    """The stamp is written last: a page without one counts as not drawn."""
    page = files.html("ace/overview", SPAN)
    page.parent.mkdir()
    page.write_text("<html>")
    assert files.drawn_from("ace/overview", SPAN) is None
    files.mark("ace/overview", SPAN, "stamp")
    assert files.drawn_from("ace/overview", SPAN) == "stamp"


def test_a_figure_without_its_page_is_not_drawn(files: FigureFiles) -> None:
    """Who deletes the page gets it drawn again."""
    files.mark("ace/overview", SPAN, "stamp")
    assert files.drawn_from("ace/overview", SPAN) is None


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff"])
def test_a_damaged_stamp_is_none(files: FigureFiles, content: bytes) -> None:
    """The figure is drawn again."""
    files.mark("ace/overview", SPAN, "stamp")
    files.html("ace/overview", SPAN).write_text("<html>")
    files.html("ace/overview", SPAN).with_suffix(".json").write_bytes(content)
    assert files.drawn_from("ace/overview", SPAN) is None


def test_stored_ranges_are_read_off_the_names(files: FigureFiles) -> None:
    """Days and hours, in order, of this asset alone: not of one whose name begins like it, nor what is not a page."""
    hours = TimeRange(datetime(2023, 1, 2, 6, tzinfo=UTC), datetime(2023, 1, 2, 7, tzinfo=UTC))
    files.folder.mkdir()
    for asset, span in (("ace/plot", SPAN), ("ace/plot", hours), ("ace/plot__more", SPAN)):
        files.html(asset, span).write_text("<html>")
    files.png("ace/plot", SPAN).write_text("png")
    (files.folder / "plotly-1.js").write_text("script")
    assert files.spans("ace/plot") == [SPAN, hours]
    assert files.spans("ace/none") == []
    assert {stem: len(paths) for stem, paths in files.by_stem().items()} == {"ace__plot": 3, "ace__plot__more": 1}


def test_a_figure_remembers_what_it_was_drawn_from(files: FigureFiles) -> None:
    """The stamp, and what the stamp is made of."""
    files.mark("ace/overview", SPAN, "stamp", {"code": "abc", "partitions": {"2023-01-02": {"ace/b": {"2023-01-02": "v"}}}})
    files.html("ace/overview", SPAN).write_text("<html>")
    found = files.provenance("ace/overview", SPAN)
    assert (found["drawn_from"], found["code"]) == ("stamp", "abc")
    assert found["partitions"]["2023-01-02"] == {"ace/b": {"2023-01-02": "v"}}
