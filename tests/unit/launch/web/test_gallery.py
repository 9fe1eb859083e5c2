"""The list of all figures."""

from __future__ import annotations

import os
from pathlib import Path

from helio_dagster.launch.web.gallery import MOST_OF_A_STEP, gallery_page
from helio_dagster.storage.figure_files import FigureFiles


def draw(folder: Path, name: str, *, age_s: int = 0, has_picture: bool = True) -> None:
    """The files of a figure, drawn so long before the newest one."""
    for suffix in (".html", ".json", *([".png"] if has_picture else [])):
        path = folder / f"{name}{suffix}"
        path.write_text("")
        os.utime(path, (1_700_000_000 - age_s,) * 2)


def test_every_figure_is_listed_by_step_the_last_drawn_first(tmp_path: Path) -> None:
    """With its picture, its range and links to both; other files are none."""
    draw(tmp_path, "storm__overview__20031028_20031031", age_s=50)
    draw(tmp_path, "storm__overview__20240510_20240513", age_s=10)
    draw(tmp_path, "ace__plot__20230102T060000_20230102T090000", has_picture=False)
    (tmp_path / "plotly-4.1.1.min.js").write_text("")
    page = gallery_page(FigureFiles(tmp_path))
    places = [
        page.index(text) for text in ("<h2>ace/plot", "<h2>storm/overview", "20240510_20240513.html", "20031028_20031031.html")
    ]
    assert places == sorted(places)
    assert '<img src="storm__overview__20240510_20240513.png" alt="2024-05-10 to 2024-05-13" loading="lazy">' in page
    assert "2023-01-02T06:00Z to 2023-01-02T09:00Z" in page
    assert "no browser was found" in page
    assert "<script" not in page
    assert "plotly" not in page


def test_names_are_letters_and_long_lists_end(tmp_path: Path) -> None:
    """A name that somebody put there runs nothing; of a step's many figures the last drawn are shown."""
    draw(tmp_path, '"><b>__x__20031028_20031031')
    for day in range(1, MOST_OF_A_STEP + 3):
        draw(tmp_path, f"p__f__2003{day // 28 + 1:02d}{day % 28 + 1:02d}_20040101", age_s=day)
    page = gallery_page(FigureFiles(tmp_path))
    assert '"><b>' not in page
    assert "2 older ones are not shown" in page
    assert page.count("<li>") == MOST_OF_A_STEP + 1


def test_a_home_without_figures_says_what_to_do(tmp_path: Path) -> None:
    """Also where the folder is missing."""
    assert "No figure was drawn yet" in gallery_page(FigureFiles(tmp_path / "none"))
