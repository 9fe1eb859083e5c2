"""The pictures on the site's page of figures: one for each kind of result, below what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio_dagster.archives.cdf.reader import CdfReader
from helio_dagster.archives.demo.archive import DemoArchive
from pictures.operations import Storm
from pictures.results import HEADINGS, draw_results
from pictures.site import insert_results

PAGE = (Path(__file__).parents[3] / "docs" / "figures.md").read_text(encoding="utf-8")


def test_each_kind_of_result_has_a_picture_on_the_page() -> None:
    """Right after its first words; nothing of the page is lost."""
    page = insert_results(PAGE, list(HEADINGS))
    assert page.count("![") == len(HEADINGS)
    assert [line for line in page.splitlines() if not line.startswith("![") and line] == [
        line for line in PAGE.splitlines() if line
    ]


@pytest.mark.slow
def test_each_picture_shows_what_its_heading_says(tmp_path: Path) -> None:
    """A log-log spectrum, a square hodogram, text, shades; all marked as synthetic."""
    with CdfReader(workers=1) as reader, DemoArchive(tmp_path, reader) as archive:
        drawn = dict(draw_results(Storm(archive)))
    assert tuple(drawn) == HEADINGS
    assert drawn["Curves"].layout.xaxis2.type == drawn["Curves"].layout.yaxis.type == "log"
    assert drawn["Points"].layout.xaxis2.scaleanchor == "y"
    assert any("largest" in text.text for text in drawn["Facts"].layout.annotations)
    assert any(shape.type == "rect" for shape in drawn["Events"].layout.shapes)
    for figure in drawn.values():
        assert any("SYNTHETIC" in text.text for text in figure.layout.annotations)
