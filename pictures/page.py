"""Writes docs/page-talk.png and docs/page-pipeline.png: `helio serve` on a home of its own, in the installed Chromium.

Times of day and seconds taken are in the pictures, so they differ each time; look at them before you keep them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parents[1] / "docs"
REQUEST = "ACE magnetic field magnitude for 2003-10-29"
_WIDTH, _COLORS, _PATIENCE_MS = 1000, 256, 120_000


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """The address of a server on a home in this folder."""
    environment = {**os.environ, "HELIO_HOME": str(folder / ".helio"), "LOGNAME": "ada"}
    command = [sys.executable, "-m", "helio_dagster", "serve", "--offline", "--archive", "demo", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        try:
            assert process.stdout is not None  # noqa: S101 - it is piped
            yield process.stdout.readline().split()[0]
        finally:
            process.terminate()


def _talk(page: Page, url: str) -> None:
    page.goto(url)
    page.get_by_role("textbox").fill(REQUEST)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Approve and run", disabled=False).click()
    page.frame_locator("iframe[title^=Figure]").locator(".main-svg").first.wait_for()
    page.get_by_role("group", name="What to say next").get_by_role("button").first.wait_for()


def _pipeline(page: Page, url: str) -> None:
    page.goto(f"{url}/pipelines/ace_magnetic_field_magnitude")
    page.get_by_text("Partitions", exact=True).first.wait_for()


def _keep(page: Page, name: str, *, height: int | None = None) -> None:
    """A picture of the whole page or of its upper part, of few colours."""
    path = DOCS / name
    page.set_viewport_size({"width": _WIDTH, "height": int(page.evaluate("document.documentElement.scrollHeight"))})
    page.wait_for_timeout(1000)  # what stays at the top of the window moves there
    page.screenshot(path=path, full_page=True)
    with Image.open(path) as picture:
        shown = picture.convert("RGB").crop((0, 0, picture.width, height or picture.height))
    shown.quantize(_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Draw both."""
    browser_path = os.environ.get("BROWSER_PATH") or shutil.which("chromium")
    with TemporaryDirectory() as folder, _served(Path(folder)) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH, "height": 800})
        page.set_default_timeout(_PATIENCE_MS)
        _talk(page, url)
        _keep(page, "page-talk.png")
        _pipeline(page, url)
        _keep(page, "page-pipeline.png", height=980)
        browser.close()


if __name__ == "__main__":
    main()
