"""The pictures of the gallery: the pipelines of `examples/figures` that run on the demo archive, as they are printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import helio_dagster as helio

FOLDER = Path(__file__).parents[1] / "examples" / "figures"
_WIDTH, _DPI = "180 mm", 110


def on_demo_archive() -> list[Path]:
    """Those whose data need no network, in order of their names."""
    return [path for path in sorted(FOLDER.glob("*.yaml")) if "archive: cdaweb" not in path.read_text(encoding="utf-8")]


def draw_pictures() -> Iterator[tuple[str, bytes]]:
    """Name and PNG of each; runs them in a temporary home."""
    with TemporaryDirectory() as home:
        for path in on_demo_archive():
            yield path.stem, helio.figure(path, home=home, width=_WIDTH, dpi=_DPI).content
