"""What pages are made of: coverage bars, states in words, and text that stays text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.launch.web.page_guard import OwnNames
from helio_dagster.launch.web.page_layout import document
from helio_dagster.serve.assembly import Served, application
from helio_dagster.serve.pages import pages
from helio_dagster.serve.pages.coverage import Bar, Scale, bar_of
from helio_dagster.serve.pages.health import Cell, Health
from helio_dagster.serve.pages.rendering import LONGEST_CODE, highlighted
from helio_dagster.storage.settings import Settings

SCALE = Scale(datetime(1970, 1, 1, tzinfo=UTC), datetime(1980, 1, 1, tzinfo=UTC), width=3652.0)
"""A pixel a day: 1970 to 1979 have 3652 of them."""


def test_a_bar_is_where_the_data_are() -> None:
    """From the first to the last data, at the edge where they reach beyond the scale."""
    assert bar_of(datetime(1970, 1, 11, tzinfo=UTC), datetime(1970, 1, 31, tzinfo=UTC), SCALE) == Bar(10.0, 20.0)
    assert bar_of(datetime(1960, 1, 1, tzinfo=UTC), datetime(1990, 1, 1, tzinfo=UTC), SCALE) == Bar(0.0, 3652.0)


def test_a_short_bar_can_be_seen_and_an_unknown_one_is_none() -> None:
    """One moment of data at the end of the scale is two pixels wide and inside it."""
    last = datetime(1980, 1, 1, tzinfo=UTC)
    assert bar_of(last, last, SCALE) == Bar(3650.0, 2.0)
    assert bar_of(None, last, SCALE).width == 0


def test_the_state_that_wants_an_eye_most_is_the_pipelines() -> None:
    """One failed partition among fresh ones makes it failed; without any it was never run."""
    cells = {"a": Cell("a", "fresh"), "b": Cell("b", "stale", ("x: stale",)), "c": Cell("c", "failed", ("x: failed",))}
    assert Health(cells).word == "failed"
    assert Health(cells).counts == {"failed": 1, "stale": 1, "fresh": 1}
    assert Health({}).word == "never run"
    assert Health({"a": Cell("a", "missing", ("never run",), is_known=False)}).word == "never run"


def test_exclusions_are_said_beside_a_fresh_state() -> None:
    """What exclusions leave out is a state of its own in the calendar, but never hides a failure."""
    assert Cell("a", "fresh", excluded=0.25).words == "excluded: exclusions leave out 25% of the time"
    assert Cell("a", "failed", ("x: failed",), excluded=0.25).kind == "failed"


def test_code_is_colored_and_stays_text() -> None:
    """Tags in code are escaped, whether it is colored, too long for that, or of an unknown language."""
    code = 'x = "<script>"  # <b>'
    for shown in (highlighted(code, "python"), highlighted(code, "cobol"), highlighted(code * LONGEST_CODE, "python")):
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown
    assert '<span class="c1">' in highlighted(code, "python")


def test_a_title_is_escaped_and_the_section_marked() -> None:
    """Nothing of a title is markup, and the navigation says where the reader is."""
    page = document("</title><script>", "<p>body</p>", "catalog", script="/static/talk.js")
    assert "&lt;/title&gt;&lt;script&gt;" in page
    assert '<a href="/catalog/" aria-current="page">Catalog</a>' in page
    assert page.count("aria-current") == 1
    assert '<script type="module" src="/static/talk.js"></script>' in page


def pages_of(folder: Path) -> TestClient:
    """All that is served of an empty home, as a browser asks for it."""
    site = ServedHome(Settings(folder / "home", folder / "pipelines"), {}, folder)
    served = application(Served.of(site), OwnNames.of("127.0.0.1", ()), pages=pages(site))
    return TestClient(served, base_url="http://127.0.0.1:3000")


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/pipelines/none", 404, "there is no pipeline 'none'"),
        ("/pipelines/none/", 404, "there is no pipeline 'none'"),
        ("/pipelines/none/diff", 404, "there is no pipeline 'none'"),
        ("/pipelines/none/cite", 404, "there is no pipeline 'none'"),
        ("/pipelines/none/fork", 404, "there is no pipeline 'none'"),
        ("/talk/none", 404, "is not a session"),
        ("/catalog/NO_SUCH_DATASET", 404, "NO_SUCH_DATASET"),
        ("/figures/about/none", 404, "There is no such figure"),
        ("/figures/none.html", 404, "There is nothing at this address"),
        ("/figures/none.svg", 404, "There is no such figure"),
        ("/figures/table?asset=none/b", 404, "There is no such result"),
        ("/figures/?from=yesterdayish&to=never", 400, "'yesterdayish never' is not a time. Write 2023-01-02"),
        ("/nowhere", 404, "There is nothing at this address"),
    ],
)
def test_what_is_not_there_is_one_clear_page(tmp_path: Path, address: str, status: int, words: str) -> None:
    """With the way to the other pages, what is wrong in one sentence, and nothing of a program."""
    answer = pages_of(tmp_path).get(address)
    assert answer.status_code == status
    assert words in unescape(answer.text)
    assert '<nav aria-label="Main">' in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert "Traceback" not in answer.text


def test_settings_say_who_has_set_them(tmp_path: Path) -> None:
    """A default stays one though the server's own environment is filled; a line of a file and a variable are named."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    (tmp_path / "helio.toml").write_text("[code]\nmemory_bytes = 900000000\n")
    given = {"HELIO_CODE_CPU_S": "30"}
    site = ServedHome(settings, {**given, **settings.to_environment()}, tmp_path, surroundings=given)
    shown = TestClient(Starlette(routes=pages(site))).get("/settings/").text
    found = dict(re.findall(r"<code>([\w.]+)</code><small>[^<]*</small></th><td[^>]*>[^<]*<small>([^<]*)</small>", shown))
    assert found["home"] == found["code.allow_weak_sandbox"] == "default"
    assert found["code.cpu_s"] == "environment (HELIO_CODE_CPU_S)"
    assert found["code.memory_bytes"] == f"{tmp_path}/helio.toml:2"


def test_code_comes_in_colored_parts(tmp_path: Path) -> None:
    """The parts together are the code; what is no code, or too much, is refused with what is wrong."""
    settings = Settings(tmp_path / "home", tmp_path / "pipelines")
    client = TestClient(Starlette(routes=pages(ServedHome(settings, {}, tmp_path))))
    code = 'return b["<b>"]  # why\n'
    parts = client.post("/talk/code", json={"code": code, "language": "python"}).json()["parts"]
    assert "".join(text for _, text in parts) == code
    assert ["k", "return"] in parts
    assert client.post("/talk/code", json={"code": code, "language": "cobol"}).status_code == 400
    assert client.post("/talk/code", content=b'{"code": "').json()["error"]["problem"].startswith("the code cannot be shown")
    assert client.post("/talk/code", content=b"x" * 3_000_000).status_code == 413
