"""Dagster's daemon apart from the page, over a record in SQLite: each has a code server of its own, and they work together."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.launch.record.heartbeats import require_daemon
from helio_dagster.launch.web.addresses import DAGSTER
from helio_dagster.launch.web.daemon import running_daemon
from helio_dagster.launch.web.ui import web_ui
from helio_dagster.resources.daemon_seat import SeatTaken
from helio_dagster.storage.settings import Settings
from tests.integration.running.conftest import BASIC, MakeSite
from tests.integration.running.test_daemon import Page, wait
from tests.ports import free_port

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("daemon")]


def test_what_the_page_asks_for_is_done_by_the_daemon(make_site: MakeSite, span: TimeRange) -> None:
    """A backfill, to the bytes of `helio run`; neither a second daemon nor a page with its own can start beside it."""
    alone, apart = make_site("alone", BASIC), make_site("apart", BASIC)
    assert alone.run(span, name="basic").status == "success"
    pipeline, graph = apart.open("basic")
    assets = [node.name for node in graph.of_pipeline(pipeline).values() if node.name.startswith("basic/")]
    with web_ui(apart.settings, port=free_port(), with_daemon=False) as ui, running_daemon(apart.settings) as daemon:
        for second in (running_daemon(apart.settings), web_ui(apart.settings, port=free_port())):
            with pytest.raises(SeatTaken, match="a record has one daemon"), second:
                pytest.fail("a second daemon started")
        ended = Page(f"{ui.url}{DAGSTER}").backfill(assets, pipeline.partitions.keys(span))
        assert ended == "COMPLETED_SUCCESS"
        assert wait(lambda: _lives(apart.settings), bool)
        daemon.check()
    expected = alone.files()  # a backfill also makes what its assets read beside the range
    assert {path: apart.files().get(path) for path in expected} == expected != {}


def _lives(settings: Settings) -> bool:
    try:
        require_daemon(settings, datetime.now(UTC))
    except HelioError:
        return False
    return True
