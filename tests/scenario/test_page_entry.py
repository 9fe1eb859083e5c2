"""The page behind a token: a browser of another machine enters by a link that is good once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from starlette.middleware import Middleware

from helio_dagster.hosting.served_home import ServedHome
from helio_dagster.serve.assembly import Served as ServedParts
from helio_dagster.serve.assembly import application
from helio_dagster.serve.guards.token_guard import TokenGuard
from helio_dagster.serve.pages import pages
from helio_dagster.serve.serving import Listening
from helio_dagster.storage.access_token import AccessToken
from helio_dagster.storage.entry_links import new_link
from helio_dagster.storage.settings import Settings
from tests.browser import find_browser
from tests.scenario.hostile_page import STRANGER, strangers_site
from tests.scenario.http_served import REQUEST, Served
from tests.scenario.processes import PATIENCE_S, helio, surroundings
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


@contextmanager
def served_here(folder: Path, token: AccessToken, clock: Callable[[], datetime]) -> Iterator[str]:
    """The address of a server in this process, whose clock the test turns."""
    site = ServedHome(Settings(folder / ".helio", folder / "pipelines"), surroundings(folder), folder, "demo", clock)
    guard = Middleware(TokenGuard, token=token, home=site.settings.home, clock=clock)
    with Listening.at("127.0.0.1", 0) as listening:
        app = application(ServedParts.of(site, is_offline=True), listening.names, pages=pages(site), guards=[guard])
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
        thread = Thread(target=server.run, kwargs={"sockets": [listening.socket]})
        thread.start()
        try:
            yield listening.url
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


def test_a_token_that_expires_while_a_page_is_open(tmp_path: Path, chromium: Browser) -> None:
    """The page says what to do and keeps what was typed; loaded again it is closed, and offers no link."""
    at = [datetime.now(UTC)]
    token = AccessToken("a-secret", at[0] + timedelta(days=1))
    with served_here(tmp_path, token, lambda: at[0]) as url:
        page, complaints = watched(chromium)
        page.goto(f"{url}/enter?once={new_link(tmp_path / '.helio', at[0])}")
        page.get_by_role("textbox").fill("what is plasma beta?")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_label("Answer")).to_contain_text("thermal pressure")
        at[0] += timedelta(days=2)
        page.get_by_role("textbox").fill(REQUEST)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_contain_text("start helio serve again")
        expect(page.get_by_role("textbox")).to_have_value(REQUEST)
        assert complaints == []
        for _ in range(2):
            page.reload()
            expect(page.get_by_role("heading", name="This page is closed")).to_be_visible()
            expect(page.get_by_role("main")).to_contain_text("The token of this server has expired")
            expect(page.get_by_role("main")).not_to_contain_text("--link")
            assert faults(page) == []
            page.context.clear_cookies()


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
    expect(page.get_by_role("button", name="Send")).to_be_enabled()  # what the page is made of is there
    page.context.add_cookies([{"name": "helio", "value": "made-up", "url": served.url}])
    page.get_by_role("textbox").fill(REQUEST)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_contain_text("Open a new link")
    page.reload()
    require_closed(page, "does not belong to this server")
