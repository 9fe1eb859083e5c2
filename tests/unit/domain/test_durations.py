"""Durations to the nanosecond: read, written back, calculated with."""

from __future__ import annotations

import copy
import operator
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.fine_duration import FineDuration, duration_from_ns, duration_ns
from helio_dagster.domain.pipeline_fields import Duration
from helio_dagster.domain.time_range import TimeRange, format_duration, parse_duration

SAMPLE_NS = 7_812_500
"""Between two of 128 samples a second."""
LENGTHS_NS = st.integers(0, 400 * 86_400 * 10**9) | st.integers(0, 10**4) | st.integers(1, 10**7).map(lambda n: n * SAMPLE_NS)


class Stated(BaseModel):
    """A model that holds a duration."""

    length: Duration


@given(LENGTHS_NS)
def test_a_written_duration_reads_back_the_same(ns: int) -> None:
    """Also in a copy, by the way that pickle takes."""
    length = duration_from_ns(ns)
    assert duration_ns(length) == ns
    assert duration_ns(parse_duration(format_duration(length))) == ns
    assert duration_ns(copy.deepcopy(length)) == ns


@given(LENGTHS_NS)
def test_the_json_of_a_model_is_exact(ns: int) -> None:
    """Code versions are made of it: another nanosecond is another text, and equal lengths are equal texts."""
    texts = [
        Stated.model_validate({"length": given}).model_dump(mode="json")["length"]
        for given in (duration_from_ns(ns), format_duration(duration_from_ns(ns)), duration_from_ns(ns + 1))
    ]
    assert texts[0] == texts[1] != texts[2]


@given(LENGTHS_NS.map(lambda ns: ns - ns % 1000))
def test_whole_microseconds_are_a_plain_timedelta(ns: int) -> None:
    """So nothing changes for what could be said before: neither its type nor its JSON."""
    length = parse_duration(format_duration(duration_from_ns(ns)))
    assert type(length) is timedelta
    assert length == timedelta(microseconds=ns // 1000)


@given(LENGTHS_NS.filter(bool), LENGTHS_NS.filter(bool))
def test_calculations_are_exact(one: int, other: int) -> None:
    """The oracle is Python's whole numbers."""
    a, b = duration_from_ns(one), duration_from_ns(other)
    assert duration_ns(a + b) == one + other
    assert duration_ns(a - b) == one - other
    assert a // b == one // other
    assert duration_ns(a % b) == one % other
    assert divmod(a, b) == (one // other, duration_from_ns(one % other))
    assert a / b == pytest.approx(one / other)
    assert duration_ns(3 * a) == 3 * one
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        assert compare(a, b) == compare(one, other)
    assert len({a, b}) == len({one, other})
    assert bool(a)


@given(st.integers(-(10**6), 10**6).filter(lambda ns: ns % 1000))
def test_a_range_is_never_widened_by_less_than_asked(ns: int) -> None:
    """A datetime has no nanoseconds: one that is added counts as the next whole microsecond."""
    zero = datetime(2024, 1, 1, tzinfo=UTC)
    moved = (zero + FineDuration(ns) - zero) // timedelta(microseconds=1)
    assert moved - 1 < Fraction(ns, 1000) <= moved


def test_128_samples_a_second_can_be_stated() -> None:
    """The case this exists for."""
    length = parse_duration("PT0.0078125S")
    assert duration_ns(length) == SAMPLE_NS
    assert format_duration(length) == "PT0.0078125S"
    assert length.total_seconds() == 1 / 128
    assert timedelta(seconds=1) / length == 128
    span = TimeRange(datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC)).widened(length, length)
    assert span.duration >= timedelta(days=1) + 2 * length


def test_what_cannot_be_exact_is_refused_or_rounded_as_said() -> None:
    """A third of a day in twelve decimals is eight hours, as it always was; tenths of a nanosecond do not exist."""
    assert parse_duration("P0.333333333333D") == timedelta(hours=8)
    assert duration_ns(parse_duration("PT0.333333333S")) == 333_333_333
    with pytest.raises(InputError, match=r"PT0\.0078125001S is finer than a nanosecond"):
        parse_duration("PT0.0078125001S")
