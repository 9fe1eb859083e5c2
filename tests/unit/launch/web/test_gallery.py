"""The list of all figures and results."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.launch.web.about_pages import result_page
from helio_dagster.launch.web.figure_pages import FigurePages
from helio_dagster.launch.web.gallery import MOST_OF_A_PAGE, gallery_page
from helio_dagster.launch.web.listing import Listing
from helio_dagster.storage.settings import Settings
from helio_dagster.storage.tables import TableStore

EVIL = """<script>alert(1)</script>"><img src=x onerror=alert(2)>"""
PIPELINE = """
version: 1
name: storm
title: '{title}'
start: 2003-10-01
steps:
  - id: b
    intent: '{title}'
    fetch: {{archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}}
  - id: overview
    figure: {{panels: [{{traces: [{{data: b}}]}}]}}
"""


class Tags(HTMLParser):
    """What a browser would make of a page: its elements, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Remember text."""
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


def home(folder: Path, title: str = "A storm") -> Settings:
    """A home with one pipeline and an empty folder of figures."""
    settings = Settings(folder, folder / "pipelines")
    settings.pipelines.mkdir(parents=True)
    settings.figures.mkdir(parents=True)
    (settings.pipelines / "storm.yaml").write_text(PIPELINE.format(title=title))
    return settings


def draw(settings: Settings, name: str, *, age_s: int = 0, has_picture: bool = True) -> None:
    """The files of a figure, drawn so long before the newest one."""
    for suffix in (".html", ".json", *([".png"] if has_picture else [])):
        path = settings.figures / f"{name}{suffix}"
        path.write_text("")
        os.utime(path, (1_700_000_000 - age_s,) * 2)


def test_every_figure_is_listed_by_pipeline_the_last_drawn_first(tmp_path: Path) -> None:
    """With its picture, its range and downloads; other files are none."""
    settings = home(tmp_path)
    draw(settings, "storm__overview__20031028_20031031", age_s=50)
    draw(settings, "storm__overview__20240510_20240513", age_s=10)
    draw(settings, "ace__plot__20230102T060000_20230102T090000", has_picture=False)
    (settings.figures / "plotly-4.1.1.min.js").write_text("")
    page = gallery_page(Listing(settings))
    places = [page.index(text) for text in ("<h2>ace<", "<h2>storm<", "20240510_20240513.html", "20031028_20031031.html")]
    assert places == sorted(places)
    found = Tags(page)
    assert [image["src"] for image in found.all("img")] == [
        "storm__overview__20240510_20240513.small.png",
        "storm__overview__20031028_20031031.small.png",
    ]
    links = [link["href"] for link in found.all("a")]
    assert {f"storm__overview__20240510_20240513.{form}" for form in ("png", "svg", "pdf")} <= set(links)
    assert "about/storm__overview__20240510_20240513" in links
    assert "2023-01-02T06:00Z to 2023-01-02T09:00Z" in found.text
    assert "no picture" in found.text
    assert "its step is no longer in any pipeline" in found.text
    assert not found.all("script")
    assert "plotly" not in page


@pytest.mark.slow
def test_five_hundred_figures_are_pages_that_can_be_searched(tmp_path: Path) -> None:
    """Sixty of them at once; by words, by pipeline, in order of their data, and page by page."""
    settings = home(tmp_path)
    for day in range(500):
        start = np.datetime64("2003-01-01") + day
        name = f"{start}_{start + 1}".replace("-", "")
        draw(settings, f"{'storm' if day % 2 else 'other'}__overview__{name}", age_s=day)

    def shown(**query: str) -> list[str]:
        return [str(image["src"]) for image in Tags(gallery_page(Listing(settings), query)).all("img")]

    assert len(shown()) == MOST_OF_A_PAGE
    every = [name for page in range(1, 10) for name in shown(page=str(page))]
    assert (len(every), len(set(every))) == (500, 500)
    assert shown(q="2003-03-04 overview") == [
        "storm__overview__20030303_20030304.small.png",
        "other__overview__20030304_20030305.small.png",
    ]
    by_time = shown(pipeline="storm", order="time")
    assert by_time == sorted(by_time)
    assert by_time[0] == "storm__overview__20030102_20030103.small.png"
    assert shown(q="nothing of this name") == []
    assert shown(page="-1") == shown(page="x") == shown()


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ({"from": "2003-10-28", "to": "2003-10-29"}, {28}),
        ({"from": "2003-10-28T23:00", "to": "2003-10-29T01:00"}, {28, 29}),
        ({"from": "2003-10"}, {27, 28, 29}),
        ({"from": "last 2 days"}, {28, 29}),
        ({"from": "2003-10-30", "to": "2004-01-01"}, set()),
    ],
)
def test_figures_are_found_by_the_time_of_their_data(tmp_path: Path, query: dict[str, str], days: set[int]) -> None:
    """Those that show any of a half-open range, in dates or words."""
    settings = home(tmp_path)
    for day in (27, 28, 29):
        draw(settings, f"storm__overview__200310{day}_200310{day + 1}")
    found = Tags(gallery_page(Listing(settings), query, datetime(2003, 10, 30, tzinfo=UTC)))
    assert {int(str(image["src"]).split("_200310")[1][:2]) for image in found.all("img")} == days
    assert {field["name"]: field["value"] for field in found.all("input")}["from"] == query["from"]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("from=the+day+after", "'the day after' is not a time"),
        ("from=2003-13", "'2003-13' is not a month"),
        ("from=2003-10-29&to=2003-10-01", "stop 2003-10-01 is not after start 2003-10-29"),
        ("to=2003-10-29", "a range needs a start"),
        ("from=%3Cb%3E", "'<b>' is not a time"),
    ],
)
def test_a_wrong_range_of_figures_is_refused(tmp_path: Path, query: str, problem: str) -> None:
    """With what is wrong and what to write; it does not show all figures as if they had been asked for."""
    settings = home(tmp_path)
    draw(settings, "storm__overview__20031028_20031031")
    answer = TestClient(FigurePages(settings)).get(f"/?{query}")
    found = Tags(answer.text)
    assert answer.status_code == 400
    assert problem in found.text
    assert {"role": "alert", "class": "notice bad"} in found.all("p")
    assert not found.all("img")


def test_markup_in_titles_names_and_queries_stays_text(tmp_path: Path) -> None:
    """What a pipeline, a file or an address says runs nothing and adds no element."""
    settings = home(tmp_path, EVIL)
    draw(settings, "storm__overview__20031028_20031031")
    draw(settings, '"><b>__x__20031028_20031031')
    found = Tags(gallery_page(Listing(settings), {"q": "storm", "pipeline": ""}))
    assert EVIL in found.text
    asked = Tags(gallery_page(Listing(settings), {"q": EVIL, "pipeline": EVIL, "order": EVIL}))
    assert [field["value"] for field in asked.all("input")] == [EVIL, "", ""]
    for page in (found, asked, Tags(gallery_page(Listing(settings)))):
        assert not page.all("script")
        assert not page.all("b")
        assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
        assert all(str(image["src"]).endswith(".small.png") for image in page.all("img"))


def test_a_home_without_figures_says_what_to_do(tmp_path: Path) -> None:
    """Also where the folders are missing."""
    page = gallery_page(Listing(Settings(tmp_path / "none", tmp_path / "none")))
    assert "No figure was drawn yet" in page
    assert "Nothing is stored" in page


def test_a_result_shows_first_rows_and_statistics(tmp_path: Path) -> None:
    """Of the partition that is asked for; numbers as numpy computes them, labels that hold markup as text."""
    settings = home(tmp_path)
    values = np.arange(100.0)
    values[3] = np.nan
    meta = TableMeta(kind="series", columns=(ColumnMeta(name="b", label=EVIL),), unit="nT")
    time = np.datetime64("2003-10-28", "ns") + np.arange(100) * np.timedelta64(60, "s")
    store = TableStore(settings.data)
    store.write("storm/b", "2003-10-28", Table(time, {"b": values}, meta), {})
    store.write("storm/b", "2003-10-29", Table(time[:0], {"b": values[:0]}, meta), {})
    listing = Listing(settings)
    result = listing.result("storm/b")
    assert result is not None
    found = Tags(result_page(listing, result, "2003-10-28"))
    assert EVIL in found.text
    assert not found.all("script")
    assert not found.all("img")
    for number in (99, np.nanmean(values), np.nanmax(values), np.nanstd(values)):
        assert f"{number:.5g}" in found.text
    assert "2003-10-28 00:19:00.000" in found.text
    assert "2003-10-28 00:20:00.000" not in found.text
    assert "no records" in Tags(result_page(listing, result, "2003-10-29")).text
    assert "storm/b" in Tags(gallery_page(listing)).text
