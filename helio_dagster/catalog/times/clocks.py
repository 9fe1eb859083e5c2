"""Read times of day among tokens: `06:00`, `9 UT`, `0600 UT`, `9am`, and two of them joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time

from helio_dagster.catalog.times.tokens import Token
from helio_dagster.catalog.times.vocabulary import AND, OTHER_ZONES, THROUGH, TO, ZONES
from helio_dagster.domain.errors import InputError

_HOUR_WORDS = frozenset({"h", "hr", "hrs", "hours", "o'clock", "uhr"})
_NAMED = {
    **dict.fromkeys(("noon", "mittag", "midi", "mediodía"), "12:00"),
    **dict.fromkeys(("midnight", "mitternacht", "minuit", "medianoche"), "00:00"),
}
_AFTER_LENGTHS = frozenset(
    {
        *{"later", "afterwards", "afterward", "earlier", "before", "after", "following", "resolution", "cadence"},
        *{"average", "averages", "averaged", "avg", "mean", "means", "median", "medians", "bin", "bins"},
        *{"running", "moving", "rolling", "window", "windows"},
    }
)
"""What shows that `6 hours` is a length and not a time of day."""


@dataclass(frozen=True)
class Clock:
    """A time of day as text `HH:MM[:SS]`; `is_sure` says that it cannot be read as anything else.

    `may_be_length` is the exception: `1h` may be an hour long.
    """

    text: str
    is_sure: bool
    may_be_length: bool = False


def read_clock(tokens: Sequence[Token], at: int) -> tuple[int, Clock] | None:
    """The time of day that begins at a place, with its zone; None where none does.

    Raises
    ------
    InputError
        It is given in another zone than UTC, or does not exist.
    """
    if at >= len(tokens):
        return None
    token, after, is_glued = tokens[at], at + 1, at > 0 and tokens[at - 1].text == "t"
    word = tokens[after].text if after < len(tokens) else ""
    if token.text in _NAMED:
        return _zone(tokens, after), Clock(_NAMED[token.text], is_sure=True)
    if token.kind == "clock":
        hours, _, rest = token.text.partition(":")
        text, is_sure = f"{int(hours):02d}:{rest}", True
    elif (
        token.kind == "number"
        and token.text.isdecimal()
        and (len(token.text) <= 2 or (len(token.text) in (4, 6) and (word in ZONES or is_glued)))
    ):
        text, is_sure = _with_colons(token.text), word in ZONES or word in _HOUR_WORDS or word in ("am", "pm")
    else:
        return None
    is_half = word in ("am", "pm") and (word == "pm" or int(text[:2]) < 13) and not _is_ordinal(tokens, after + 1)
    if is_half:
        hour = int(text[:2])
        text, after = f"{hour % 12 + 12 * (word == 'pm'):02d}{text[2:]}", after + 1
    elif word in _HOUR_WORDS:
        after += 1
    after = _zone(tokens, after)
    may_be_length = word in _HOUR_WORDS and word not in ("o'clock", "uhr") and ":" not in token.text
    if not _exists(text) and (may_be_length or not is_sure):
        return None
    if may_be_length and tokens[min(after, len(tokens) - 1)].text in _AFTER_LENGTHS:
        return None
    _require(text, token.text)
    return after, Clock(text, is_sure, may_be_length)


def read_clocks(tokens: Sequence[Token], at: int, *, follows_day: bool = False) -> tuple[int, Clock, Clock] | None:
    """Two times of day joined by a dash or `to`: `9-12 UT`, `10:00 and 14:00`; None where there are none.

    One of them must be sure to be a time of day: `10-13` alone may be days, and `0600-0900` years unless it `follows_day`.
    """
    first = _bare(tokens, at)
    if first is None:
        return None
    place, begins = first
    if place >= len(tokens) or tokens[place].text not in TO | THROUGH | AND | {"à", "a"}:
        return None
    then = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].text == "las")
    second = _last(tokens, then)
    is_alike = then < len(tokens) and len(tokens[then].text) == len(tokens[at].text)
    if follows_day and is_alike and _is_digits(tokens[at]) and (second is None or not second[1].is_sure):
        second = _bare(tokens, then)
        return (second[0], begins, second[1]) if second is not None else None
    if second is None or not (begins.is_sure or second[1].is_sure):
        return None
    if begins.is_sure and not begins.may_be_length and second[1].may_be_length and tokens[place].text in THROUGH:
        return None  # `06:11 - 6 h` goes back six hours
    if _is_digits(tokens[at]) and len(tokens[at].text) != len(tokens[then].text):
        return None  # `2024 to 06:00` begins with a year
    return second[0], begins, second[1]


def _last(tokens: Sequence[Token], at: int) -> tuple[int, Clock] | None:
    """The second of two times of day: midnight is the end of the day."""
    found = read_clock(tokens, at)
    return (found[0], Clock("24:00", is_sure=True)) if found is not None and _NAMED.get(tokens[at].text) == "00:00" else found


def read_hours(tokens: Sequence[Token], at: int) -> tuple[int, Clock, Clock] | None:
    """Two hours of a day after that word: `hours 06-09`, `hours 6 to 9 UT`; None where there are none."""
    if at >= len(tokens) or tokens[at].text not in ("hours", "hour"):
        return None
    first = read_clock(tokens, at + 1)
    if first is None or first[0] >= len(tokens) or tokens[first[0]].text not in TO | THROUGH | {"and"}:
        return None
    second = read_clock(tokens, first[0] + 1)
    return (second[0], first[1], second[1]) if second is not None else None


def _bare(tokens: Sequence[Token], at: int) -> tuple[int, Clock] | None:
    """The first of two times of day, whose zone may stand with the second."""
    found = read_clock(tokens, at)
    if found is not None or at >= len(tokens):
        return found
    token = tokens[at]
    if _is_digits(token) and int(token.text[:2]) < 25:
        return at + 1, Clock(_with_colons(token.text), is_sure=False)
    return None


def _is_digits(token: Token) -> bool:
    """Whether a number may be `0900`, `090030` or `09`."""
    is_hour = token.text.isdecimal() and len(token.text) == 2 and token.text.startswith("0")
    return token.kind == "number" and token.text.isdecimal() and (len(token.text) in (4, 6) or is_hour)


def _with_colons(digits: str) -> str:
    """`9`, `0900` and `090030` as `HH:MM[:SS]`."""
    if len(digits) <= 2:
        return f"{int(digits):02d}:00"
    return ":".join(digits[first : first + 2] for first in range(0, len(digits), 2))


def _is_ordinal(tokens: Sequence[Token], at: int) -> bool:
    """Whether a day with a point follows: `15:00 am 10. Oktober` is German."""
    return at + 1 < len(tokens) and tokens[at].kind == "number" and tokens[at + 1].text == "."


def _zone(tokens: Sequence[Token], place: int) -> int:
    if place >= len(tokens):
        return place
    if tokens[place].text in OTHER_ZONES:
        zone = tokens[place].text.upper()
        raise InputError(f"the time is in {zone}", hint="Times are UTC here: give it in UTC.")
    return place + 1 if tokens[place].text in ZONES else place


def _exists(text: str) -> bool:
    try:
        time.fromisoformat(text)
    except ValueError:
        return text in ("24:00", "24:00:00")
    return True


def _require(text: str, written: str) -> None:
    if not _exists(text):
        problem = f"{written!r} is not a time: hours go to 23, minutes and seconds to 59"
        raise InputError(problem, hint="Write 06:00, 18:30:00 or 9 UT.")
