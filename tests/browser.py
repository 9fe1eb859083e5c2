"""The browser in which tests look at pages."""

from __future__ import annotations

import os
import shutil

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_browser() -> str | None:
    """Path of a Chromium or Chrome: `BROWSER_PATH`, else an installed one; None where there is none."""
    return next(filter(None, map(shutil.which, (os.environ.get("BROWSER_PATH") or "", *_NAMES))), None)
