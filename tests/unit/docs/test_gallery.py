"""The gallery: its pipelines are sound, each has a paragraph, and those on the demo archive a picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helio_dagster.domain.pipeline_text import parse_pipeline
from pictures.gallery import FOLDER, on_demo_archive
from pictures.site import insert_gallery

PAGE = (FOLDER.parents[1] / "docs" / "gallery.md").read_text(encoding="utf-8")
FILES = sorted(FOLDER.glob("*.yaml"))


def test_each_pipeline_has_a_paragraph_and_those_without_a_network_a_picture() -> None:
    """Nothing of the page is lost."""
    assert sorted(re.findall(r"`examples/figures/(\w+)\.yaml`", PAGE)) == [path.stem for path in FILES]
    page = insert_gallery(PAGE, [path.stem for path in on_demo_archive()])
    assert page.count("![") == len(on_demo_archive()) > 6
    assert [line for line in page.splitlines() if not line.startswith("![") and line] == [
        line for line in PAGE.splitlines() if line
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_pipeline_is_one_with_a_figure_and_a_range(path: Path) -> None:
    """So that `helio figure NAME` needs no times; what it needs of other datasets is of one archive."""
    pipeline = parse_pipeline(path.read_text(encoding="utf-8"), file=path.name).pipeline
    assert pipeline.name == path.stem
    assert sum(step.figure is not None for step in pipeline.steps) == 1
    assert pipeline.range is not None
    assert len({step.fetch.archive for step in pipeline.steps if step.fetch is not None}) == 1
