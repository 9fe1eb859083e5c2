"""Which chunks a dataset is fetched in: by its description and the clock alone, never by what is asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.archives.hapi.chunks import chunk_grain, chunks, dataset_span
from helio_dagster.archives.hapi.messages import Info
from helio_dagster.domain.errors import ArchiveAnswerError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange

HELD = datetime(2020, 1, 10, 5, tzinfo=UTC), datetime(2020, 4, 15, 7, 30, tzinfo=UTC)
LATER = datetime(2026, 1, 1, tzinfo=UTC)


def info(cadence: str = "", *, size: int = 1, longest: str = "") -> Info:
    """A description with one parameter beside the times."""
    parameters = [{"name": "Time", "type": "isotime"}, {"name": "B", "type": "double", "size": [size]}]
    return Info.model_validate({"cadence": cadence, "maxRequestDuration": longest, "parameters": parameters})


@pytest.mark.parametrize(
    ("described", "grain"),
    [
        (info("PT1H"), Grain.MONTHLY),
        (info("PT1M", size=3), Grain.MONTHLY),
        (info("PT1S", size=3), Grain.DAILY),
        (info("PT0.001S", size=3), Grain.HOURLY),
        (info("PT1H", longest="P5D"), Grain.DAILY),
        (info("PT1H", longest="PT6H"), Grain.HOURLY),
        (info(), Grain.DAILY),
        (info("often"), Grain.DAILY),
        (info("PT0S"), Grain.DAILY),
    ],
)
def test_a_chunk_is_as_long_as_is_moderate(described: Info, grain: Grain) -> None:
    """By cadence, width and what the server allows."""
    assert chunk_grain(described) is grain


def test_an_unfinished_month_comes_by_days() -> None:
    """Or what is kept of it would be taken for all of it once it is over."""
    span = TimeRange(datetime(2020, 3, 30, tzinfo=UTC), datetime(2020, 4, 3, tzinfo=UTC))
    found = [(chunk.start.strftime("%m-%d"), chunk.duration.days) for chunk in chunks(Grain.MONTHLY, span, HELD, LATER)]
    assert found == [("03-01", 31), ("04-01", 1), ("04-02", 1)]


def test_an_unfinished_day_comes_by_hours_that_are_over() -> None:
    """A run of hours must not keep half a day as the whole; a span beyond now has the hour that has begun up to the minute."""
    now = datetime(2020, 4, 15, 6, 30, 40, tzinfo=UTC)
    four, six, eight = (datetime(2020, 4, 15, hour, tzinfo=UTC) for hour in (4, 6, 8))
    found = list(chunks(Grain.DAILY, TimeRange(four, eight), HELD, now))
    assert [chunk.start.hour for chunk in found] == [4, 5, 6]
    assert found[-1] == TimeRange(six, six + timedelta(minutes=30))
    assert [chunk.start.hour for chunk in chunks(Grain.DAILY, TimeRange(four, six), HELD, now)] == [4, 5]


def test_what_the_dataset_has_not_is_not_asked_for() -> None:
    """Before its start and after its stop."""
    span = TimeRange(datetime(2019, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC))
    found = list(chunks(Grain.DAILY, span, HELD, LATER))
    assert (found[0].start, found[-1].stop) == (datetime(2020, 1, 10, tzinfo=UTC), datetime(2020, 4, 16, tzinfo=UTC))


@given(st.integers(0, 3000), st.integers(1, 400), st.integers(0, 3000), st.sampled_from([Grain.MONTHLY, Grain.DAILY]))
def test_a_record_comes_from_the_same_chunk_whatever_is_asked_for(start_h: int, hours: int, now_h: int, grain: Grain) -> None:
    """The chunks of a part are those of the whole that overlap it."""
    first = datetime(2020, 1, 1, tzinfo=UTC)
    now = first + timedelta(hours=now_h)
    part = TimeRange(first + timedelta(hours=start_h), first + timedelta(hours=start_h + hours))
    whole = TimeRange(first, first + timedelta(hours=4000))
    of_part = [chunk for chunk in chunks(grain, part, HELD, now) if chunk.overlaps(part)]
    assert of_part == [chunk for chunk in chunks(grain, whole, HELD, now) if chunk.overlaps(part)]


@pytest.mark.parametrize("stop", ["9999-12-31", "9999-365T23:59:59.999Z", "2250-01-01Z", "2200Z"])
def test_a_date_beyond_reach_is_an_open_end(stop: str) -> None:
    """As servers write of missions that go on."""
    described = Info.model_validate({"startDate": "0001-01-01Z", "stopDate": stop})
    assert dataset_span(described, "hapi:x/D") == (EARLIEST, LATEST)


@pytest.mark.parametrize(
    ("start", "stop", "problem"),
    [
        ("2020-01-02Z", "2020-01-01Z", "contradicts itself"),
        ("2020-01-01Z", "99999-01-01Z", "cannot be read"),
        ("", "", "cannot be read"),
        ("2020-01-01Z", "9999٣", "cannot be read"),
    ],
)
def test_dates_that_make_no_sense_are_an_error(start: str, stop: str, problem: str) -> None:
    """Else all of its data would be outside, and look as if there were none."""
    with pytest.raises(ArchiveAnswerError, match=problem):
        dataset_span(Info.model_validate({"startDate": start, "stopDate": stop}), "hapi:x/D")
