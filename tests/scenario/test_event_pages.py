"""The page of a pipeline over events: every event of its list is there, those never run included, with its state and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from helio_dagster.serve.pages.calendars import MOST_EVENTS
from tests.browser import find_browser
from tests.ports import free_port
from tests.scenario.processes import helio
from tests.scenario.served_page import PATIENCE_MS, ServedHome, browser, faults, watched

expect.set_options(timeout=PATIENCE_MS)
STORMS = """
version: 1
name: storms
title: Storms of a list
partitions: {events: list, before: PT3H, after: PT3H}
start: 2003-10-01
steps:
  - id: list
    events: {file: lists/storms.csv, source: by hand}
  - id: bad
    events: {file: lists/bad.csv, source: by hand}
  - id: b
    exclude: bad
    fetch: {archive: demo, dataset: OMNI2_H0_MRG1HR, parameter: ABS_B}
  - id: checked
    compute:
      inputs: {b: b}
      unit: nT
      code: |
        if b["ABS_B"].max() > 40:
            raise ValueError("the field is too strong to be true")
        return b["ABS_B"]
"""
EVENTS = {
    "quiet": ("2003-10-27T12:00Z", "2003-10-27T14:00Z"),
    "masked": ("2003-10-27T20:00Z", "2003-10-27T22:00Z"),
    "moved": ("2003-10-28T00:00Z", "2003-10-28T02:00Z"),
    "strong": ("2003-10-29T12:00Z", "2003-10-30T00:00Z"),
}
LATER = [f"2003-11-{1 + place // 20:02}T{place % 20:02}:00Z" for place in range(300)]
KEYS = {
    "quiet": "20031027T1200_quiet",
    "masked": "20031027T2000_masked",
    "moved": "20031028T0000_moved",
    "strong": "20031029T1200_strong",
    "never": "20031101T0000_later_0",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHome]:
    """Four events were run: one failed, one has exclusions, one was changed since. Three hundred were added after that."""
    folder = tmp_path_factory.mktemp("home")
    lists = folder / "pipelines" / "lists"
    lists.mkdir(parents=True)
    (folder / "pipelines" / "storms.yaml").write_text(STORMS)
    (lists / "bad.csv").write_text("start,stop\n2003-10-27T20:00Z,2003-10-27T21:00Z\n")
    rows = [f"{start},{stop},{name}" for name, (start, stop) in EVENTS.items()]
    (lists / "storms.csv").write_text("\n".join(["start,stop,id", *rows]) + "\n")
    helio(folder, "run", "storms", "--all", "--yes")
    rows[2] = rows[2].replace("T02:00Z", "T03:00Z")
    rows += [f"{start},,later {place}" for place, start in enumerate(LATER)]
    (lists / "storms.csv").write_text("\n".join(["start,stop,id", *rows]) + "\n")
    served = ServedHome(folder, free_port(), {})
    served.start()
    yield served
    served.kill()


def shown(home: ServedHome, period: str = "") -> dict[str, str]:
    """Key to what the page says of each event."""
    page = httpx.get(f"{home.url}/pipelines/storms", params={"period": period} if period else {}, timeout=60).text
    return dict(re.findall(r'aria-label="([0-9T]+_[a-z0-9_]+), ([^"]*)"', page))


def test_every_event_is_listed_with_its_state_and_why(home: ServedHome) -> None:
    """Over its parts, the page has each event of the list once."""
    first = shown(home)
    assert len(first) == MOST_EVENTS
    assert first[KEYS["quiet"]] == "fresh"
    assert first[KEYS["masked"]].startswith("excluded: exclusions leave out")
    assert first[KEYS["moved"]].startswith("stale: ")
    assert first[KEYS["strong"]].startswith("failed: checked: failed (")
    assert "too strong to be true" in first[KEYS["strong"]]
    assert first[KEYS["never"]] == "missing: never run"
    page = httpx.get(f"{home.url}/pipelines/storms", timeout=60).text
    (other,) = re.findall(r'href="\?period=([^#"]+)#calendar"', page)
    second = shown(home, other)
    assert len({**first, **second}) == len(first) + len(second) == len(EVENTS) + len(LATER)


def test_the_list_of_pipelines_counts_them(home: ServedHome) -> None:
    """One failed event is what wants an eye most."""
    page = httpx.get(f"{home.url}/pipelines/", timeout=60).text
    assert "failed" in page
    assert re.search(rf"{len(LATER)}\s*missing|missing\s*{len(LATER)}", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [1280, 390])
def test_an_event_says_why_in_a_browser(home: ServedHome, width: int) -> None:
    """To the mouse, on a wide screen and a narrow one; the page breaks no rule of accessibility."""
    with browser() as chromium:
        page, _ = watched(chromium)
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{home.url}/pipelines/storms")
        failed, never = page.locator(f"[data-key='{KEYS['strong']}']"), page.locator(f"[data-key='{KEYS['never']}']")
        expect(failed).to_have_class("cell failed")
        failed.hover()
        expect(failed.locator(".tip")).to_contain_text("too strong to be true")
        never.hover()
        expect(never.locator(".tip")).to_contain_text("never run")
        page.mouse.move(0, 0)
        never.focus()
        expect(never.locator(".tip")).to_be_visible()
        assert faults(page) == []
