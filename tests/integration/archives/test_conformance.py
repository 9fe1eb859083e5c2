"""The same promises, held by every archive: windows, holes, revisions, missing values, faults, names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from helio_dagster.archives.archive import Archive, Fetched
from helio_dagster.domain.errors import ArchiveError, UnknownDataset
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from tests.integration.archives.conformance import (
    HOURS,
    OverCdas,
    OverDailyCsv,
    OverHapi,
    OverOwnFiles,
    OverPds,
    OverSwpc,
    Published,
    Readers,
    day,
    opened,
    values_of,
)

Opened = tuple[Published, Archive]
ways: dict[str, Callable[[Path, Readers], Published]] = {
    "cdas": OverCdas,
    "hapi": OverHapi,
    "pds": OverPds,
    "swpc": OverSwpc,
    "own": OverOwnFiles,
    "daily_csv": OverDailyCsv,
}


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    """One process of each kind for all tests."""
    with ExitStack() as stack:
        yield Readers(stack)


@pytest.fixture(params=ways)
def over(request: pytest.FixtureRequest, tmp_path: Path, readers: Readers) -> Iterator[Opened]:
    """Each way to an archive."""
    yield from opened(ways[request.param], tmp_path, readers)


def _fetch(over: Opened, *windows: TimeRange) -> list[Fetched]:
    published, archive = over
    return list(archive.fetch(published.dataset, published.parameter, windows))


def _table(fetched: Fetched) -> Table:
    assert fetched.table is not None, fetched.error
    return fetched.table


def _values(fetched: Fetched) -> list[float]:
    table = _table(fetched)
    values: list[float] = np.asarray(next(iter(table.columns.values())) if table.columns else [], dtype=float).tolist()
    return values


def test_each_window_holds_exactly_its_own(over: Opened) -> None:
    """Half-open windows in the order asked for, midnight in the day that it begins, sources by name, size and hash."""
    found = _fetch(over, day(0), day(1), day(3))
    assert [one.window for one in found] == [day(0), day(1), day(3)]
    for number, one in zip((0, 1, 3), found, strict=True):
        assert _values(one) == values_of(number)
        assert _table(one).time[0] == day(number).bounds_ns()[0]
        assert all(source.size > 0 and len(source.sha256) == 64 and source.url for source in one.sources)
    assert _table(found[0]).meta.unit == "nT"


def test_the_cut_does_not_show(over: Opened) -> None:
    """Days, hours and the whole range give the same records; a window's do not depend on what else is asked for."""
    whole = _fetch(over, day(0, 4))[0]
    assert _values(whole) == values_of(0) + values_of(1) + values_of(3)
    start, hour = day(0).start, day(0).duration / HOURS
    hours = [TimeRange(start + hour * number, start + hour * (number + 1)) for number in range(HOURS)]
    assert [_values(one) for one in _fetch(over, *hours)] == [[value] for value in values_of(0)]
    assert _values(_fetch(over, day(1))[0]) == values_of(1)


def test_a_hole_is_empty_and_no_failure(over: Opened) -> None:
    """A day without data, and days before and after all of them, unless the archive has forgotten what it had then."""
    before, *others = _fetch(over, day(-9), day(2), day(9))
    assert isinstance(before.error, ArchiveError) == over[0].forgets
    assert before.error is None or before.error.hint
    for one in others if over[0].forgets else [before, *others]:
        assert (one.error, len(_table(one))) == (None, 0)


def test_a_missing_value_is_nan(over: Opened) -> None:
    """The fill value that the archive declares becomes NaN, and nothing else does."""
    published, _ = over
    values = values_of(5)
    values[3] = published.missing
    published.put(5, values)
    found = np.array(_values(_fetch(over, day(5))[0]))
    assert np.flatnonzero(np.isnan(found)).tolist() == [3]


def test_a_republished_day_is_another_revision(over: Opened) -> None:
    """What is listed names what is fetched; a changed day has another revision and its new values."""
    published, archive = over
    windows = [day(0), day(1)]
    before = [one.revision for one in archive.listed(published.dataset, windows)]
    assert [one.revision for one in _fetch(over, *windows)] == before
    assert [one.revision for one in archive.listed(published.dataset, windows)] == before
    published.put(1, values_of(1, seed=0.5))
    after = [one.revision for one in archive.listed(published.dataset, windows)]
    assert after[1] != before[1]
    assert (after[0] == before[0]) == published.dates_days
    assert _values(_fetch(over, day(1))[0]) == values_of(1, seed=0.5)


def test_what_was_fetched_is_at_hand(over: Opened) -> None:
    """An archive that names its files knows which need not be downloaded."""
    published, archive = over
    files = [file for one in archive.listed(published.dataset, [day(0)]) for file in one.files]
    assert files
    assert all(archive.is_at_hand(file) == published.is_here for file in files)
    _fetch(over, day(0))
    assert all(archive.is_at_hand(file) for file in files) == published.knows_files


def test_unknown_names(over: Opened) -> None:
    """A dataset or parameter that the archive does not have is said to be unknown, with something to do about it."""
    published, archive = over
    if not published.has_names:
        pytest.skip("a description names its files and columns")
    for dataset, parameter in ((f"{published.dataset}-x", published.parameter), (published.dataset, "NOT_THERE")):
        with pytest.raises(UnknownDataset) as unknown:
            list(archive.fetch(dataset, parameter, [day(0)]))
        assert unknown.value.hint


def test_a_server_that_is_gone(over: Opened) -> None:
    """Nothing that can be had is an error of the window that says what to do, never an empty answer."""
    published, archive = over
    _fetch(over, day(0))
    published.close()
    closed = _fetch((published, archive), day(1))[0]
    assert isinstance(closed.error, ArchiveError)
    assert closed.error.hint
