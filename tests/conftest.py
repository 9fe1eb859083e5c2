"""Fixtures for every tier of tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from tests.tiers import TIER, example_count

# Tests send signals to what they start, which inherits what is ignored here: SIGINT in the background, SIGHUP under nohup.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

is_repeatable = TIER == "quick" or "CI" in os.environ
settings.register_profile(
    "tier",
    settings.get_profile("ci" if is_repeatable else "default"),
    max_examples=example_count(100),
)
settings.load_profile("tier")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real mission files: HELIO_TEST_DATA, else `../shared/data` beside the repository; skips where there is none."""
    given = os.environ.get("HELIO_TEST_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("real mission files are not here; set HELIO_TEST_DATA to their folder")
    return folder
