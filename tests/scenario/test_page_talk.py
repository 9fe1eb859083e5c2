"""The page to talk at, in a real browser: from a sentence to a figure, and what may go wrong on the way."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser import find_browser
from tests.scenario.processes import helio
from tests.scenario.served_page import PATIENCE_MS, STORM, ServedHome, browser, faults, served_home, watched

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("page"),
    pytest.mark.skipif(find_browser() is None, reason="needs Chromium"),
]
expect.set_options(timeout=PATIENCE_MS)
FIELD = "ACE magnetic field magnitude for 2003-10-29 with a nice frame"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """One served home for all conversations."""
    with served_home(tmp_path_factory.mktemp("home")) as served:
        yield served


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser."""
    with browser() as started:
        yield started


def say(page: Page, text: str) -> None:
    """Type and send."""
    page.get_by_role("textbox").fill(text)
    page.keyboard.press("Enter")


def approve(page: Page) -> None:
    """Press the button of the plan on the table."""
    page.get_by_role("button", name="Approve and run", disabled=False).click()


def test_from_a_sentence_to_a_figure(home: ServedHome, chromium: Browser) -> None:
    """A sentence gives a plan with what was assumed and what was ignored; approved, it gives a figure that plotly has drawn."""
    page, complaints = watched(chromium)
    page.goto(home.url)
    say(page, FIELD)
    plan = page.get_by_label("Plan", exact=True)
    expect(plan.get_by_role("heading", name="Assumed")).to_be_visible()
    expect(plan.locator("s")).to_have_text("a nice frame")
    assert not list(home.folder.glob(".helio/figures/*.html"))
    approve(page)
    drawn = page.frame_locator("iframe[title^=Figure]").locator(".main-svg").first
    expect(drawn).to_be_visible()
    frame = page.locator("iframe[title^=Figure]")
    content_px = frame.content_frame.locator("body").evaluate("body => body.scrollHeight")
    frame_px = int(frame.get_attribute("height") or 0)
    assert 200 < content_px <= frame_px <= content_px + 30, "nothing is cut off, nothing is blank"
    expect(page.get_by_role("link", name="The run in Dagster")).to_have_count(0)
    expect(page.get_by_role("group", name="What to say next").get_by_role("button").first).to_be_visible()
    assert faults(page) == []
    assert complaints == []
    page.reload()
    expect(page.locator(".said").first).to_contain_text(FIELD)
    expect(drawn).to_be_visible()
    assert page.url.startswith(f"{home.url}/talk/")


@pytest.mark.nightly  # by day without a browser, in `test_sessions`
def test_a_question_is_answered_by_a_button(home: ServedHome, chromium: Browser) -> None:
    """Choices are buttons; the one that is pressed is what the plan is about. A rejected plan writes nothing."""
    page, complaints = watched(chromium, width=390)
    page.goto(home.url)
    say(page, "magnetic field for 2003-10-27")
    page.get_by_label("Question").get_by_role("button", name=re.compile("Wind")).click()
    expect(page.get_by_label("Plan", exact=True)).to_contain_text("WI_H0_MFI")
    before = sorted(path.name for path in home.pipelines.iterdir())
    assert faults(page) == []
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("log")).to_contain_text("Dropped: nothing was run or written.")
    assert sorted(path.name for path in home.pipelines.iterdir()) == before
    assert complaints == []


@pytest.mark.nightly  # by day without a browser, in `test_repairs`
def test_a_failed_step_is_repaired(home: ServedHome, chromium: Browser) -> None:
    """A failed step says why and what can be done; once the pipeline is mended, trying again gives the figure."""
    page, _ = watched(chromium)
    page.goto(home.url)
    say(page, "run storm for 2003-10-29")
    failed = page.get_by_label("A step failed")
    expect(failed).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("the field is too strong to be true")
    assert faults(page) == []
    (home.pipelines / "storm.yaml").write_text(STORM.replace("> 40", "> 4000"))
    failed.get_by_role("button", name="Try again").click()
    expect(page.frame_locator("iframe[title^=Figure]").locator(".main-svg").first).to_be_visible()


@pytest.mark.nightly  # by day without a browser, in `test_serve`
def test_a_run_goes_on_over_a_reload_in_two_tabs_until_it_is_stopped(home: ServedHome, chromium: Browser) -> None:
    """A reload in the middle of a run shows the run again, a second tab shows the same, and a stop there ends it in both."""
    page, complaints = watched(chromium)
    page.goto(home.url)
    say(page, "run long for 1999")
    expect(page.locator(".now")).to_contain_text("partitions done")
    page.reload()
    expect(page.locator(".now")).to_contain_text("partitions done")
    other, _ = watched(chromium)
    other.goto(page.url)
    expect(other.locator(".said")).to_have_text("You: run long for 1999")
    other.get_by_role("button", name="Stop").click()
    for each in (page, other):
        expect(each.get_by_role("log")).to_contain_text("Stopped")
        expect(each.get_by_role("button", name="Send")).to_be_enabled()
    assert complaints == []


@pytest.mark.nightly  # by day without a browser, in `test_serve`
def test_a_message_is_heard_once_however_often_it_is_sent(home: ServedHome, chromium: Browser) -> None:
    """Where only its answer is lost it has arrived; another tab shows it, and what that sends meanwhile is refused."""
    page, _ = watched(chromium)
    page.goto(home.url)
    say(page, "what is plasma beta?")
    expect(page.get_by_label("Answer")).to_have_count(1)
    other, _ = watched(chromium)
    other.goto(page.url)
    bodies: list[str] = []

    def lose(route: Route) -> None:
        bodies.append(route.request.post_data or "")
        route.fetch()
        route.abort()

    page.route("**/say", lose, times=1)
    say(page, "run long for 2002")
    expect(page.locator(".now")).to_contain_text("partitions done")
    expect(page.get_by_role("textbox")).to_have_value("")
    expect(page.get_by_role("alert")).to_have_count(0)
    send = "([address, body]) => fetch(address, {method: 'POST', headers: {'Content-Type': 'application/json'}, body})"
    address = f"{home.url}/api/v1/conversations/{page.url.rpartition('/')[2]}/say"
    again = [bodies[0], '{"text": "run long for 2002", "key": "of-another-tab"}']
    assert [other.evaluate(f"{send}.then(answer => answer.status)", [address, body]) for body in again] == [202, 409]
    other.get_by_role("button", name="Stop").click()
    for each in (page, other):
        expect(each.get_by_role("log")).to_contain_text("Stopped")
        expect(each.get_by_role("button", name="Send")).to_be_enabled()
        expect(each.locator(".said").filter(has_text="run long for 2002")).to_have_count(1)


def test_what_was_said_elsewhere_is_shown_where_it_was_said(home: ServedHome, chromium: Browser) -> None:
    """In a terminal, before and after a turn on the page, in order and once; also after a reload, when the page has events."""

    def in_terminal(*arguments: str) -> None:
        done = helio(home.folder, "chat", "--offline", "--json-events", *arguments, environment=home.environment)
        assert done.returncode in (0, 3), done.stderr

    in_terminal("--archive", "demo", FIELD)
    page, complaints = watched(chromium)
    page.goto(home.url)
    session = str(page.request.get(f"{home.url}/api/v1/conversations").json()["conversations"][0]["id"])
    page.goto(f"{home.url}/talk/{session}")
    expect(page.get_by_role("button", name="Approve and run", disabled=False)).to_be_visible()
    say(page, "make it red")
    expect(page.locator("p.said")).to_have_text([FIELD, "You: make it red"])
    expect(page.get_by_role("button", name="Approve and run", disabled=False)).to_be_visible()
    in_terminal("--session", session, "call it storm_watch")
    for _ in range(2):
        page.reload()
        expect(page.locator("p.said")).to_have_text([FIELD, "You: make it red", "call it storm_watch"])
        expect(page.get_by_role("button", name="Approve and run", disabled=False)).to_be_visible()
    assert complaints == []


def test_a_killed_server_is_said_and_found_again(tmp_path: Path, chromium: Browser) -> None:
    """Where the server dies the page says so, keeps what was typed, and goes on by itself when the server is back."""
    with served_home(tmp_path) as home:
        page, _ = watched(chromium)
        page.goto(home.url)
        say(page, "what is plasma beta?")
        expect(page.get_by_label("Answer")).to_contain_text("thermal pressure")
        home.kill()
        expect(page.get_by_role("alert")).to_contain_text("Connection lost, trying again")
        say(page, "what is the Alfven speed?")
        expect(page.get_by_role("textbox")).to_have_value("what is the Alfven speed?")
        home.start()
        expect(page.locator("#line")).to_contain_text("Connected again")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_label("Answer").last).to_contain_text("Alfv")
        expect(page.get_by_label("Answer")).to_have_count(2)


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of an archive that takes every connection and answers nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        kept: list[socket.socket] = []

        def take() -> None:
            with suppress(OSError):
                while True:
                    kept.append(listening.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/sp_phys/"
        listening.shutdown(socket.SHUT_RDWR)
        for each in kept:
            each.close()


def test_a_slow_archive_is_said(tmp_path: Path, silent: str, chromium: Browser) -> None:
    """While an archive does not answer, the page shows that work goes on and can be stopped, and it stays usable."""
    with served_home(tmp_path, {"HELIO_CDAWEB_URL": silent}, archive="cdaweb") as home:
        page, _ = watched(chromium)
        page.goto(home.url)
        say(page, "ACE magnetic field for 2003-10-29")
        expect(page.locator(".now")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("log")).to_contain_text("Stopped")
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
