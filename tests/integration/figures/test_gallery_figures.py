"""A pipeline of the gallery runs as its page says: from its file, on the demo archive, without times."""

from __future__ import annotations

from pathlib import Path

import helio_dagster as helio
from pictures.gallery import FOLDER


def test_a_pipeline_of_the_gallery_runs_from_its_file(tmp_path: Path) -> None:
    """In an empty home; it is printed at the width asked for."""
    drawn = helio.figure(FOLDER / "distribution.yaml", home=tmp_path, width="85 mm")
    assert drawn.content.startswith(b"\x89PNG")
    assert drawn.width_mm == 85
