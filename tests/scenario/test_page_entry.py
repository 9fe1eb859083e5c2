"""The page behind a token: a browser of another machine enters by a link that is good once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import find_browser
from tests.scenario.hostile_page import STRANGER, strangers_site
from tests.scenario.http_served import REQUEST, Served
from tests.scenario.processes import helio
from tests.scenario.served_page import PATIENCE_MS, browser, faults, watched

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("page"),
    pytest.mark.skipif(find_browser() is None, reason="needs Chromium"),
]
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server that asks for a token."""
    made = Served(tmp_path_factory.mktemp("served"), "--token")
    yield made
    made.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser; each page of it has cookies of its own, as another machine's has."""
    with browser() as started:
        yield started


def link_of(served: Served) -> str:
    """A new link, as `helio serve --link` prints it."""
    printed = helio(served.folder, "serve", "--link", "--port", str(served.port)).stdout
    found = re.search(r"http://\S+/enter\?once=\S+", printed)
    assert found is not None, printed
    return found[0]


def require_closed(page: Page, why: str) -> None:
    """The page that says why it is closed and what to do; anybody can read it."""
    expect(page.get_by_role("heading", name="This page is closed")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text(why)
    expect(page.get_by_role("main")).to_contain_text("helio serve --link")
    assert faults(page) == []


def test_a_link_lets_one_browser_in_to_talk(served: Served, chromium: Browser) -> None:
    """The link that is printed at the start; the page then plans, runs and shows the figure. Another browser stays outside."""
    page, complaints = watched(chromium)
    found = re.search(r"http://\S+/enter\?once=\S+", served.said)
    assert found is not None
    page.goto(served.url)
    require_closed(page, "This browser has not entered")
    page.goto(found[0])
    expect(page).to_have_url(f"{served.url}/")
    page.get_by_role("textbox").fill(REQUEST)
    page.get_by_role("button", name="Send").click()
    page.get_by_role("button", name="Approve and run").click()
    expect(page.frame_locator(".figure iframe").locator("svg.main-svg").first).to_be_visible()
    other, _ = watched(chromium, width=390, scheme="dark")
    other.goto(found[0])
    require_closed(other, "This link was used already")
    assert other.evaluate("document.documentElement.scrollWidth") <= 390
    other.goto(page.url)
    require_closed(other, "This browser has not entered")
    assert complaints == []


def test_a_link_in_a_page_of_another_site_lets_in(served: Served, chromium: Browser) -> None:
    """Such as in a mail that is read in the browser: the cookie is not sent where another site leads, yet the page opens."""
    page, _ = watched(chromium)
    with strangers_site() as port:
        page.goto(f"http://{STRANGER}:{port}/")
        page.evaluate("address => location.assign(address)", link_of(served))
        expect(page).to_have_url(f"{served.url}/")
        expect(page.get_by_role("textbox")).to_be_visible()


def test_a_link_that_is_too_old_and_a_cookie_that_is_none(served: Served, chromium: Browser) -> None:
    """Each is one clear page; a cookie that is no longer good is said to a page that is open, too."""
    page, _ = watched(chromium)
    link = link_of(served)
    file = served.home / "serve-links.json"
    past = (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    file.write_text(json.dumps(dict.fromkeys(json.loads(file.read_text()), past)))
    page.goto(link)
    require_closed(page, "is too old")
    page.goto(link_of(served))
    expect(page.get_by_role("textbox")).to_be_visible()
    page.context.add_cookies([{"name": "helio", "value": "made-up", "url": served.url}])
    page.get_by_role("textbox").fill(REQUEST)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("Open a new link")
    page.reload()
    require_closed(page, "does not belong to this server")
