"""HAPI times in all their lengths; expected values come from Python's datetime."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio_dagster.archives.hapi.isotime import format_isotime, parse_isotime, parse_isotimes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2020Z", "2020-01-01T00:00:00"),
        ("2020", "2020-01-01T00:00:00"),
        ("2020-03Z", "2020-03-01T00:00:00"),
        ("2020-05-02", "2020-05-02T00:00:00"),
        ("2020-05-02Z", "2020-05-02T00:00:00"),
        ("2020-123", "2020-05-02T00:00:00"),
        ("2020-123Z", "2020-05-02T00:00:00"),
        ("2020-366T", None),
        ("2020-05-02T10Z", "2020-05-02T10:00:00"),
        ("2020-123T10", "2020-05-02T10:00:00"),
        ("2020-05-02T10:11Z", "2020-05-02T10:11:00"),
        ("2020-05-02T10:11:12", "2020-05-02T10:11:12"),
        ("2020-123T10:11:12.5Z", "2020-05-02T10:11:12.5"),
        ("2020-05-02T10:11:12.123456789Z", "2020-05-02T10:11:12.123456789"),
        ("2020-366T23:59:59.999Z", "2020-12-31T23:59:59.999"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00"),
        ("2016-366T23:59:60.5Z", "2017-01-01T00:00:00.5"),
        ("2020-05-02T10:11:12Z   ", "2020-05-02T10:11:12"),
        ("2019-366", None),
        ("2020-000", None),
        ("2020-13-01", None),
        ("2020-05-02T25:00", None),
        ("2020-05-02T10:11:12+01:00", None),
        ("20200502T101112Z", None),
        ("now", None),
        ("", None),
        ("2020Z-05-02", None),
        ("2020-05-02 10:11", None),
    ],
)
def test_every_length_is_read(text: str, expected: str | None) -> None:
    """Calendar and ordinal, cut off anywhere, Z or none; what is not a time is refused, not guessed."""
    given_texts = np.array([text.encode()], dtype=f"S{max(len(text), 1)}")
    if expected is None:
        with pytest.raises(ValueError, match="time"):
            parse_isotimes(given_texts)
    else:
        assert parse_isotimes(given_texts)[0] == np.datetime64(expected, "ns")


def test_times_of_several_forms_are_read_together() -> None:
    """One answer may mix them; what no table can hold is not a time at all."""
    texts = np.array([b"2020-123T00:00Z", b"2020-05-02", b"0001-01-01T00:00:00Z", b"9999-12-31"])
    times = parse_isotimes(texts)
    assert (times[:2] == np.datetime64("2020-05-02")).all()
    assert np.isnat(times[2:]).all()


def test_no_times_are_no_times() -> None:
    """An empty answer has none."""
    assert parse_isotimes(np.empty(0, dtype="S24")).dtype == np.dtype("datetime64[ns]")


@given(st.datetimes(datetime(1900, 1, 1), datetime(2199, 1, 1)), st.booleans())
def test_what_is_written_is_read(moment: datetime, is_ordinal: bool) -> None:
    """Any time survives, as a calendar or as an ordinal date."""
    aware = moment.replace(tzinfo=UTC)
    text = aware.strftime(f"{aware.year:04d}-%jT%H:%M:%S.%fZ") if is_ordinal else format_isotime(aware)
    assert parse_isotime(text) == aware


def test_one_time_is_aware() -> None:
    """As in a dataset's description."""
    assert parse_isotime("2020-123T12") == datetime(2020, 5, 2, tzinfo=UTC) + timedelta(hours=12)
