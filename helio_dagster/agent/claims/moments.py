"""Times of day in words. Dates and years are taken out of a text, so that they are not read as quantities."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DAYS = rf"{_DAY}(?:\s?(?:-|to|and|,)\s?{_DAY})*"
_CLOCK = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:\.\d+)?))?"
_MOMENT = re.compile(rf"(?<![\w.:])(?:(?P<date>\d{{4}}-\d\d-\d\d)(?:T| +))?{_CLOCK} ?(?:UTC?\b|Z\b)?(?!\w)")
_DATE = re.compile(
    rf"(?<![\w.])(?:\d{{8}}T\d{{4,6}}\w*|\d{{4}}-\d\d-\d\dT?|\d{{1,2}}/\d{{1,2}}/\d{{4}}|\d{{4}}/\d{{1,2}}/\d{{1,2}}"
    rf"|{_DAYS}(?: of)? {_MONTH}(?:,? \d{{4}}\b)?|{_MONTH} {_DAYS}(?:,? \d{{4}}\b)?|{_MONTH},? \d{{4}}\b)(?!\d)"
)


@dataclass(frozen=True)
class Moment:
    """A time of day as it is written; `date` is empty where none stands with it. `step_s` is the written precision in s."""

    text: str
    date: str
    second_of_day: float
    step_s: float

    def is_at(self, known: datetime) -> bool:
        """Whether a known time is this one, rounded or cut to what is written."""
        at = known.astimezone(UTC) if known.tzinfo else known.replace(tzinfo=UTC)
        if self.date:
            stated = datetime.fromisoformat(self.date).replace(tzinfo=UTC) + timedelta(seconds=self.second_of_day)
            return abs((at - stated).total_seconds()) < self.step_s
        apart = abs((at - at.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds() - self.second_of_day)
        return min(apart, 86_400 - apart) < self.step_s


def take_moments(text: str) -> tuple[list[Moment], str]:
    """The times of day in a text, and the text with blanks in place of times and dates."""
    found = [_read(match) for match in _MOMENT.finditer(text) if _is_date(match["date"])]
    rest = _MOMENT.sub(_blank, text)
    return found, _DATE.sub(_blank, rest)


def _is_date(date: str | None) -> bool:
    try:
        return date is None or bool(datetime.fromisoformat(date))
    except ValueError:
        return False


def _read(match: re.Match[str]) -> Moment:
    second = match["second"] or ""
    step = 60.0 if not second else 10.0 ** -len(second.partition(".")[2])
    at = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + float(second or 0)
    return Moment(match[0].strip(), match["date"] or "", at, step)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
