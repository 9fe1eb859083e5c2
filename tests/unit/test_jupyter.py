"""What cells show of a turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from helio_dagster.agent.events import Event
from helio_dagster.jupyter import Shown


@pytest.fixture
def displayed() -> Iterator[Any]:
    """What a notebook is sent, first lines and updates."""
    InteractiveShell.instance()
    with capture_output() as captured:
        yield captured
    InteractiveShell.clear_instance()


@pytest.mark.slow
def test_progress_does_not_flood(displayed: Any) -> None:
    """Of a thousand steps in a second a few are shown, in the place of each other; what tells a terminal something does not."""
    moments = iter(place / 1000 for place in range(10_000))
    shown = Shown(lambda: next(moments))
    for place in range(1000):
        shown(Event(stage="progress", text=f"{place} of 1,000 partitions done (b)\x1b[2J"))
    shown.close()
    texts = [each.data["text/plain"] for each in displayed.outputs]
    assert texts == ["0 of 1,000 partitions done (b)\\x1b[2J", "500 of 1,000 partitions done (b)\\x1b[2J", ""]
