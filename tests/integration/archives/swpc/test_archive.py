"""SWPC forgets after a week: what was fetched stays, what is gone is said, and nothing is lost to an empty answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.archive import Fetched
from helio_dagster.archives.swpc.archive import SwpcArchive
from helio_dagster.domain.errors import ArchiveAnswerError, ArchiveUnavailable
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.conformance import QUICK
from tests.swpc_server import Swpc, field_of_minutes, swpc_server

_START = datetime(2026, 3, 1, tzinfo=UTC)
_NOW = datetime(2026, 3, 9, 14, 5, tzinfo=UTC)
_DAY = timedelta(days=1)
Fetch = Callable[[TimeRange], Fetched]


@pytest.fixture
def server() -> Iterator[Swpc]:
    """Ten days of a field that says which minute it is; published up to now."""
    with swpc_server(_NOW) as running:
        running.measure("mag", _START, _START + 10 * _DAY, field_of_minutes(lambda minute: minute % 1440))
        yield running


@pytest.fixture
def fetch(server: Swpc, tmp_path: Path) -> Iterator[Fetch]:
    """Fetch the total field by an archive whose clock is the server's."""
    with SwpcArchive(tmp_path, clock=lambda: server.now, mirror=server.url, settings=QUICK) as archive:
        yield lambda window: next(archive.fetch("solar-wind-mag", "bt", [window]))


def _day(number: int, days: int = 1) -> TimeRange:
    return TimeRange(_START + number * _DAY, _START + (number + days) * _DAY)


def _table(fetched: Fetched) -> Table:
    assert fetched.table is not None, fetched.error
    return fetched.table


def test_today_reaches_up_to_the_newest_record(fetch: Fetch, server: Swpc) -> None:
    """It is marked as real-time, and open up to its last record; an hour later there are sixty more, and none has changed."""
    first = _table(fetch(_day(8)))
    assert len(first) == 14 * 60 + 6
    assert (first.meta.maturity, first.meta.open_until) == ("real-time", _NOW)
    server.now += timedelta(hours=1)
    second = _table(fetch(_day(8)))
    assert len(second) == len(first) + 60
    np.testing.assert_array_equal(second.columns["bt"][: len(first)], first.columns["bt"])
    np.testing.assert_array_equal(second.columns["bt"], np.arange(len(second)))


def test_a_day_is_open_until_its_last_minute_is_there(fetch: Fetch, server: Swpc) -> None:
    """Shortly after midnight a record of the new day says that the old one is whole."""
    server.now, server.latency = datetime(2026, 3, 10, 0, 1, tzinfo=UTC), timedelta(minutes=3)
    assert _table(fetch(_day(8))).meta.open_until == server.now - server.latency
    server.now += timedelta(minutes=3)
    whole = _table(fetch(_day(8)))
    assert (len(whole), whole.meta.open_until) == (1440, None)


def test_what_is_older_than_a_week(fetch: Fetch) -> None:
    """A day before all that the server has, and one of which it has only a part, are errors that say so, not empty."""
    for number in (0, 1):
        error = fetch(_day(number)).error
        assert isinstance(error, ArchiveUnavailable)
        assert "SWPC keeps only the last 7 days" in error.problem
        assert "OMNI_HRO_1MIN" in error.hint
    assert len(_table(fetch(_day(2)))) == 1440


def test_what_was_fetched_stays(fetch: Fetch, server: Swpc) -> None:
    """A day that was kept whole is there weeks later, without asking; of another, the message says how much was kept."""
    before = _table(fetch(_day(5)))
    fetch(_day(8))
    server.now += 20 * _DAY
    server.asked.clear()
    after = _table(fetch(_day(5)))
    np.testing.assert_array_equal(after.columns["bt"], before.columns["bt"])
    assert not server.asked
    error = fetch(_day(8)).error
    assert error is not None
    assert "846 records of it were kept" in error.problem


@pytest.mark.parametrize("body", [b'[["time_tag", "bx_gsm", "by_gsm", "bz_gsm", "lon_gsm", "lat_gsm", "bt"]]', b"[]"])
def test_an_empty_answer_takes_nothing_away(fetch: Fetch, server: Swpc, body: bytes) -> None:
    """What was kept of an open day is still there, and open where it was."""
    before = _table(fetch(_day(8)))
    server.now += timedelta(minutes=30)
    server.instead["mag"] = (200, body)
    after = _table(fetch(_day(8)))
    assert (len(after), after.meta.open_until) == (len(before), before.meta.open_until)


def test_the_shortest_answer_that_reaches_back(fetch: Fetch, server: Swpc) -> None:
    """Today is asked for in the file of one day; the day before yesterday in that of three."""
    fetch(_day(8))
    fetch(_day(6))
    assert [path.rpartition("/")[2] for path in server.asked] == ["mag-1-day.json", "mag-3-day.json"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((200, b'[["time_tag", "bt"], ["2026-03-09 10:00:00", "x"]]'), "record 1: 'x' is not a number"),
        ((200, b'[["time_tag", "bt"], ["2026-03-09 10:00:00", "1"]]'), "no column bx_gsm"),
        ((404, b"gone"), "status 404"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(fetch: Fetch, server: Swpc, answer: tuple[int, bytes], words: str) -> None:
    """Never an empty day; what was kept stays."""
    before = len(_table(fetch(_day(8))))
    server.instead["mag"] = answer
    error = fetch(_day(8)).error
    assert isinstance(error, ArchiveAnswerError)
    assert words in error.problem
    del server.instead["mag"]
    assert len(_table(fetch(_day(8)))) == before


def test_a_record_from_the_future(fetch: Fetch, server: Swpc) -> None:
    """A clock is wrong, here or there: nothing is kept of it."""
    header = b'[["time_tag", "bx_gsm", "by_gsm", "bz_gsm", "bt"], ["2026-03-12 10:00:00", 1, 1, 1, 1]]'
    server.instead["mag"] = (200, header)
    error = fetch(_day(8)).error
    assert error is not None
    assert "yet to come" in error.problem
