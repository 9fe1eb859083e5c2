"""The pages beside the conversation, in a real browser: what they hold, that all people can use them, and hostile text."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import dagster as dg
import pytest
from playwright.sync_api import Browser, Page, expect

from helio_dagster.launch.record.instance import open_instance
from helio_dagster.storage.settings import Settings
from tests.browser import find_browser
from tests.scenario.processes import helio
from tests.scenario.served_page import MARKUP, PATIENCE_MS, STORM, ServedHome, browser, faults, served_home, watched
from tests.tiers import by_day

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("page"),
    pytest.mark.skipif(find_browser() is None, reason="needs Chromium"),
]
expect.set_options(timeout=PATIENCE_MS)
PAGES = (
    "/",
    "/figures/",
    "/figures/table?asset=storm/ratio",
    "/catalog/",
    "/catalog/?q=magnetic+field&mission=ACE&cadence=PT1M&frame=GSE&during=2003-10",
    "/catalog/AC_H0_MFI",
    "/pipelines/",
    "/pipelines/storm",
    "/pipelines/hostile",
    "/pipelines/storm/diff?with=hostile",
    "/pipelines/storm/fork",
    "/pipelines/storm/cite",
    "/settings/",
    "/settings/doctor",
    "/pipelines/none",
)
MOST_OF_A_FIRST_PAGE = 300_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """A home in which `storm` was run: two days are fresh and one failed. Its settings hold a key."""
    folder = tmp_path_factory.mktemp("home")
    with served_home(folder, {"GOOGLE_API_KEY": "a-secret-key"}) as served:
        helio(folder, "run", "storm", "2003-10-27", "2003-10-30")
        yield served


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser."""
    with browser() as started:
        yield started


@pytest.mark.parametrize("screen", by_day([(1280, "light"), (390, "dark")], (390, "dark")), ids=["1280-light", "390-dark"])
def test_everybody_can_use_every_page(home: ServedHome, chromium: Browser, screen: tuple[int, str]) -> None:
    """By axe nothing serious is wrong with any page, none is wider than its window, none breaks its policy."""
    width, scheme = screen
    page, complaints = watched(chromium, width=width, scheme=scheme)
    for address in PAGES:
        page.goto(home.url + address, wait_until="networkidle")
        assert faults(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert page.title().endswith("· helio"), address
        assert page.locator('a[href^="/dagster"]').count() == 0, f"{address} leads to what is not served"
    assert complaints == []


@pytest.mark.alike(2)
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", ["/figures/", "/catalog/", "/pipelines/"])
def test_fields_of_a_form_are_equally_high(home: ServedHome, chromium: Browser, address: str, width: int) -> None:
    """What is typed in, chosen from and pressed has one height, so that what is side by side is level."""
    page, _ = watched(chromium, width=width)
    page.goto(home.url + address)
    fields = page.locator(".filters").locator("input:not([type=checkbox]), select, button")
    boxes = [field.bounding_box() for field in fields.all()]
    assert len(boxes) >= 2
    assert len({box["height"] for box in boxes if box}) == 1


def test_the_first_page_is_light(home: ServedHome, chromium: Browser) -> None:
    """The page to talk at, with all that it loads, is under 300 kB."""
    page, _ = watched(chromium)
    loaded = []
    page.on("response", lambda answer: loaded.append(len(answer.body())))
    page.goto(home.url, wait_until="networkidle")
    assert len(loaded) >= 5
    assert sum(loaded) < MOST_OF_A_FIRST_PAGE


def test_a_dataset_is_found_by_facets_and_planned_with(home: ServedHome, chromium: Browser) -> None:
    """Facets narrow a search, and `Plan with this` opens the conversation with words that wait to be sent."""
    page, _ = watched(chromium)
    page.goto(f"{home.url}/catalog/")
    page.get_by_role("combobox", name="Mission").select_option("ACE")
    page.get_by_role("combobox", name="Quantity").select_option("magnetic field")
    page.get_by_role("combobox", name="Cadence").select_option("PT1M")
    page.get_by_role("button", name="Search").click()
    names = page.locator("ol.hits h2").all_inner_texts()
    assert "AC_H0_MFI" in names
    assert all(name.startswith("AC_") for name in names)
    page.get_by_role("link", name="AC_H0_MFI").click()
    page.get_by_role("link", name="Plan with BGSEc").click()
    expect(page.get_by_role("textbox")).to_have_value(re.compile(r"AC_H0_MFI BGSEc for \d{4}-\d\d-\d\d"))


def test_the_calendar_says_why(home: ServedHome, chromium: Browser) -> None:
    """A day that failed says so to the mouse, to the keyboard, to a screen reader and in words."""
    page, _ = watched(chromium)
    page.goto(f"{home.url}/pipelines/storm")
    reason = "the field is too strong to be true"
    day = page.locator("[data-key='2003-10-29']")
    expect(day).to_have_class("cell failed")
    expect(page.locator("[data-key='2003-10-28']")).to_have_class("cell fresh")
    assert reason in str(day.get_attribute("aria-label"))
    expect(day.locator(".tip")).to_be_hidden()
    day.focus()
    expect(day.locator(".tip")).to_contain_text(reason)
    expect(page.locator("ul.told")).to_contain_text(reason)


def test_a_schedule_says_what_runs_it(home: ServedHome, chromium: Browser) -> None:
    """Without Dagster there is nothing to switch, and the command that runs schedules is named."""
    page, complaints = watched(chromium)
    page.goto(f"{home.url}/pipelines/long")
    expect(page.locator("#schedule")).to_contain_text("helio ui")
    expect(page.locator("#schedule button")).to_have_count(0)
    assert complaints == []


def test_a_range_is_run_from_the_page(home: ServedHome, chromium: Browser) -> None:
    """A range given in words is run, its end is said, and the calendar then shows its days; a wrong range says why."""
    page, complaints = watched(chromium, width=390)
    page.goto(f"{home.url}/pipelines/storm")
    page.get_by_label("From").fill("the day after")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("From").fill("2003-10-20")
    page.get_by_label("To (end exclusive)").fill("2003-10-22")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#run-state")).to_contain_text("Done")
    expect(page.locator('a[href^="/dagster"]')).to_have_count(0)
    page.get_by_role("link", name="See the calendar").click()
    expect(page.locator("[data-key='2003-10-21']")).to_have_class("cell fresh")
    rows = page.get_by_role("region", name="Runs").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("this page, or a program over HTTP")
    expect(rows.nth(1)).to_contain_text("2003-10-20 to 2003-10-21")
    expect(rows.nth(2)).to_contain_text("command line")
    expect(rows.nth(2)).to_contain_text("2003-10-27 to 2003-10-29")
    expect(rows.nth(2)).to_contain_text("failed")
    assert complaints == []


def test_older_runs_are_pages(home: ServedHome, chromium: Browser) -> None:
    """Every run of a record is on one of the pages that the links lead to, twenty on each, the last one first."""
    settings = Settings(home.folder / ".helio", home.pipelines)
    keys = [f"2001-01-{day:02d}" for day in range(1, 24)]
    with open_instance(settings) as instance:
        for key in keys:
            ends = {f"dagster/asset_partition_range_{end}": key for end in ("start", "end")}
            instance.run_storage.add_run(dg.DagsterRun("all", tags={"helio/pipeline": "hostile", **ends}))
    page, complaints = watched(chromium)
    page.goto(f"{home.url}/pipelines/hostile")
    rows = page.get_by_role("region", name="Runs").locator("tbody tr td:nth-child(3)")
    assert rows.all_inner_texts() == keys[:2:-1]
    page.get_by_role("link", name="Older runs").click()
    expect(rows).to_have_count(3)
    assert rows.all_inner_texts() == keys[2::-1]
    expect(page.get_by_role("link", name="Older runs")).to_have_count(0)
    page.get_by_role("link", name="Last runs").click()
    expect(rows).to_have_count(20)
    assert complaints == []


def come_back(page: Page) -> None:
    """Return to a page from another window, and wait until it has looked at what changed meanwhile."""
    with page.expect_response(page.url):
        page.evaluate("window.dispatchEvent(new Event('focus'))")


@pytest.mark.nightly  # by day without a browser, in `test_pipeline_list`
def test_a_page_says_that_another_process_has_made_it_old(home: ServedHome, chromium: Browser) -> None:
    """After a run or a new file elsewhere, who returns to a page is offered it as it is now; not without a change."""
    (calendar, complaints), (names, _) = watched(chromium), watched(chromium)
    calendar.goto(f"{home.url}/pipelines/long")
    names.goto(f"{home.url}/pipelines/")
    for page in (calendar, names):
        come_back(page)
        come_back(page)
        expect(page.get_by_text("This page is old")).to_have_count(0)
    assert helio(home.folder, "run", "long", "1998-01-02").returncode == 0
    (home.pipelines / "later.yaml").write_text(STORM.replace("name: storm", "name: later").replace("A storm", "A later one"))
    for page in (calendar, names):
        come_back(page)
        expect(page.get_by_role("status").filter(has_text="This page is old")).to_be_visible()
        assert faults(page) == []
        page.get_by_role("button", name="Show it as it is now").click()
        expect(page.get_by_text("This page is old")).to_have_count(0)
    expect(calendar.locator("[data-key='1998-01-02']")).to_have_class("cell fresh")
    expect(names.get_by_role("link", name="A later one")).to_be_visible()
    assert complaints == []


def test_rows_of_settings_are_low_on_a_telephone(home: ServedHome, chromium: Browser) -> None:
    """Nothing is squeezed into a narrow column, and no table has to be scrolled sideways."""
    page, _ = watched(chromium, width=390)
    page.goto(f"{home.url}/settings/")
    for name in ("Archives", "All settings"):
        region = page.get_by_role("region", name=name)
        assert region.evaluate("box => box.scrollWidth <= box.clientWidth"), name
    rows = page.get_by_role("region", name="Archives").locator("tbody tr")
    heights = rows.evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert len(heights) > 5
    assert max(heights) <= 5 * 24 + 12  # five lines


def test_a_copy_with_another_mission_is_shown_before_it_is_saved(home: ServedHome, chromium: Browser) -> None:
    """What a copy changes is shown first; nothing is written until the person agrees."""
    page, _ = watched(chromium)
    page.goto(f"{home.url}/pipelines/long/fork")
    page.get_by_label("Name of the copy").fill("long_wind")
    page.get_by_role("combobox", name="With data of").select_option("Wind")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_label("What the copy changes")).to_contain_text("WI_")
    assert not (home.pipelines / "long_wind.yaml").exists()
    page.get_by_role("button", name="Save the copy").click()
    expect(page).to_have_url(f"{home.url}/pipelines/long_wind")
    assert "WI_" in (home.pipelines / "long_wind.yaml").read_text()


def test_text_of_data_stays_text(home: ServedHome, chromium: Browser) -> None:
    """A title that tries to be HTML is shown as it is written, in every place."""
    page, complaints = watched(chromium)
    for address in ("/pipelines/", "/pipelines/hostile"):
        page.goto(home.url + address, wait_until="networkidle")
        expect(page.locator("main")).to_contain_text(MARKUP)
        assert "owned" not in page.title() or page.title() == f"{MARKUP} · helio"
        assert page.locator("main img, main script, main svg[onload], main b[onmouseover]").count() == 0
    assert complaints == []


def test_a_key_is_never_shown(home: ServedHome, chromium: Browser) -> None:
    """The page of settings says that a key is set, and not which."""
    page, _ = watched(chromium)
    page.goto(f"{home.url}/settings/")
    expect(page.get_by_role("row", name="GOOGLE_API_KEY set")).to_be_visible()
    assert "a-secret-key" not in page.content()


def test_five_hundred_figures(home: ServedHome, chromium: Browser) -> None:
    """The list of very many figures comes in pages, and finds one by its time."""
    folder = home.folder / ".helio" / "figures"
    drawn = next(folder.glob("storm__overview__*.html"))
    for number in range(500):
        copy = folder / f"storm__overview__19000101T00{number // 60:02}{number % 60:02}_19000102.html"
        shutil.copy(drawn, copy)
        shutil.copy(drawn.with_suffix(".json"), copy.with_suffix(".json"))
    count = len(list(folder.glob("*.html")))
    page, _ = watched(chromium)
    page.goto(f"{home.url}/figures/")
    expect(page.get_by_text(f"{count} of {count} figures")).to_be_visible()
    assert page.locator("ul.cards > li").count() == 60
    page.get_by_label("Title, event or time").fill("2003-10-27")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text(f"1 of {count} figures")).to_be_visible()
