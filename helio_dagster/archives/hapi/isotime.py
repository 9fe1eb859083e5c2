"""HAPI's times as text: calendar or ordinal dates, cut off at any precision, with or without a Z."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.table import Times

_FIRST_YEAR, _LAST_YEAR = 1700, 2250  # what nanoseconds in 64 bits can hold; tables hold less
_ALLOWED = np.zeros(256, dtype=bool)
_ALLOWED[np.frombuffer(b"0123456789-:T.\0", dtype=np.uint8)] = True
_ZERO, _NINE = ord("0"), ord("9")
_SHORTEST = 10  # characters looked at by their place


def parse_isotimes(texts: NDArray[np.bytes_]) -> Times:
    """Times of isotime texts; a leap second is the second after it, what is centuries away is NaT.

    Parameters
    ----------
    texts
        Byte strings, shape (record,): `2020-05-02T10:11:12.5Z`, `2020-123T10:11Z`, `2020-05-02`, `2020`.

    Returns
    -------
    Times
        `datetime64[ns]`, shape (record,).

    Raises
    ------
    ValueError
        One of them is not a time.
    """
    if not len(texts):
        return np.empty(0, dtype="datetime64[ns]")
    letters = _letters(texts)
    is_digit = (letters >= _ZERO) & (letters <= _NINE)
    if not is_digit[:, :4].all():
        raise ValueError(f"{_shown(texts[int(np.flatnonzero(~is_digit[:, :4].all(axis=1))[0])])} is not a time")
    years = (letters[:, :4].astype("int64") - _ZERO) @ np.array([1000, 100, 10, 1])
    is_far = (years < _FIRST_YEAR) | (years > _LAST_YEAR)
    is_ordinal = (letters[:, 4] == ord("-")) & is_digit[:, 5:8].all(axis=1)
    times = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[ns]")
    for is_kind, to_times in ((~is_ordinal & ~is_far, _calendar_times), (is_ordinal & ~is_far, _ordinal_times)):
        if is_kind.any():
            try:
                times[is_kind] = to_times(letters[is_kind])
            except ValueError as error:
                raise ValueError(f"one of the times is not a time: {str(error)[:120]}") from None
    return times


def parse_isotime(text: str) -> datetime:
    """One time, aware, to the microsecond; ValueError where the text is none."""
    (time,) = parse_isotimes(np.array([text.strip().encode()], dtype="S"))
    if np.isnat(time):
        raise ValueError(f"{text[:40]!r} is out of reach")
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(time.astype("datetime64[us]").astype("int64")))


def format_isotime(moment: datetime) -> str:
    """A time as it is asked for: `2020-05-02T10:11:12Z`, with microseconds where there are any."""
    text = moment.astimezone(UTC).replace(tzinfo=None).isoformat()
    return f"{text}Z"


def _letters(texts: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """The texts as a matrix of characters without trailing Z and blanks, at least `_SHORTEST` wide."""
    width = max(texts.dtype.itemsize, _SHORTEST)
    letters = np.array(texts, dtype=f"S{width}").view(np.uint8).reshape(len(texts), width)
    letters[letters == ord(" ")] = 0
    is_last = np.concatenate([letters[:, 1:] == 0, np.ones((len(texts), 1), dtype=bool)], axis=1)
    letters[(letters == ord("Z")) & is_last] = 0
    is_end = letters == 0
    is_torn = (is_end[:, :-1] & ~is_end[:, 1:]).any(axis=1)
    is_wrong = ~_ALLOWED[letters].all(axis=1) | is_torn
    if is_wrong.any():
        raise ValueError(f"{_shown(texts[int(np.flatnonzero(is_wrong)[0])])} is not a time")
    return letters


def _calendar_times(letters: NDArray[np.uint8]) -> Times:
    letters = np.ascontiguousarray(letters)
    width = letters.shape[1]
    leaps = np.zeros(len(letters), dtype="timedelta64[s]")
    if width >= 19:
        is_leap = (letters[:, 16] == ord(":")) & (letters[:, 17] == ord("6")) & (letters[:, 18] == _ZERO)
        letters[is_leap, 17:19] = np.frombuffer(b"59", dtype=np.uint8)
        leaps[is_leap] = np.timedelta64(1, "s")
    times: Times = letters.view(f"S{width}").reshape(-1).astype("datetime64[ns]") + leaps
    return times


def _ordinal_times(letters: NDArray[np.uint8]) -> Times:
    """Times of `YYYY-DDD…`: the clock on the first day of 1970, moved by the days to the date."""
    days = (letters[:, 5:8].astype("int64") - _ZERO) @ np.array([100, 10, 1])
    starts = np.ascontiguousarray(letters[:, :4]).view("S4").reshape(-1).astype("datetime64[Y]")
    dates = starts.astype("datetime64[D]") + (days - 1)
    if ((days < 1) | (dates.astype("datetime64[Y]") != starts)).any():
        raise ValueError("a year has no such day")
    first = np.broadcast_to(np.frombuffer(b"1970-01-01", dtype=np.uint8), (len(letters), 10))
    clocks = _calendar_times(np.concatenate([first, letters[:, 8:]], axis=1))
    times: Times = clocks + (dates - np.datetime64("1970-01-01"))
    return times


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("ascii", "replace"))
