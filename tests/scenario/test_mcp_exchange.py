"""The recorded exchange of a scripted client with `helio mcp` is still what both say, word by word."""

from __future__ import annotations

import json
from pathlib import Path

from tests.scenario.record_mcp import FILE, record

AGAIN = "read what changed, then write it again: python -m tests.scenario.record_mcp"


def test_the_exchange_is_as_recorded(tmp_path: Path) -> None:
    """Each message in order, from the greeting to the figure; the person is asked once."""
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    heard = record(tmp_path)
    for number, (then, now) in enumerate(zip(recorded, heard, strict=False)):
        assert now == then, f"message {number}: {AGAIN}"
    assert len(heard) == len(recorded), AGAIN
    asked = [each["helio"] for each in heard if each.get("helio", {}).get("method") == "elicitation/create"]
    assert len(asked) == 1
