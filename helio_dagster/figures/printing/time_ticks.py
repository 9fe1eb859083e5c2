"""Ticks of a time axis at round times, with labels by the same table of formats as the page's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import inf

from helio_dagster.figures import look
from helio_dagster.figures.text_width import width_px
from helio_dagster.figures.ticks import Ticks

_SECOND_MS, _MINUTE_MS, _HOUR_MS, _DAY_MS = 1e3, 6e4, 3.6e6, 8.64e7
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS_MS = (
    *((digit * 10.0**power, 4 if digit == 2 else 5) for power in (-3, -2, -1, 0, 1, 2) for digit in (1, 2, 5)),
    *((count * _SECOND_MS, parts) for count, parts in ((1, 5), (2, 4), (5, 5), (10, 5), (15, 3), (30, 3))),
    *((count * _MINUTE_MS, parts) for count, parts in ((1, 6), (2, 4), (5, 5), (10, 5), (15, 3), (30, 3))),
    *((count * _HOUR_MS, parts) for count, parts in ((1, 6), (2, 4), (3, 3), (6, 6), (12, 4))),
    *((count * _DAY_MS, parts) for count, parts in ((1, 4), (2, 2), (5, 5), (10, 10))),
)
"""Steps in milliseconds, and into how many parts unlabelled ticks divide each."""
_STEPS_MONTHS = ((1, 0), (2, 2), (3, 3), (6, 6), (12, 4), (24, 2), (60, 5), (120, 10), (240, 4), (600, 5), (1200, 10))
"""Steps in months, and into how many parts each falls."""
_NARROWER = 1.5
_EASY_LABEL_PX, _CLOSE_LABEL_PX, _GAP_PX = 92.0, 42.0, 8.0
"""Room for a label with its date, for one without, and between two."""
_FEW, _FEWEST = 6, 2
_FONT_PX = 12
_MONTH_MS = 30.44 * _DAY_MS
_UPPER_MS = {"M1": 28 * _DAY_MS, "M12": 11 * _MONTH_MS}
"""Where a format over months ends, in milliseconds."""


def time_ticks(start_ms: float, stop_ms: float, *, most: int, has_bare_days: bool = False) -> Ticks:
    """Ticks at round times, at most about `most` of them; a second line of a label is given where it changes.

    Parameters
    ----------
    start_ms, stop_ms
        Ends of the axis, in milliseconds since 1970 UTC.
    most
        How many labels there is room for.
    has_bare_days
        Whether days are labelled without their midnight.

    Returns
    -------
    Ticks
        Places in milliseconds; labels with a line break before the date.
    """
    most = max(1, most)
    fitting = next((each for each in _STEPS_MS if (stop_ms - start_ms) / each[0] <= _most(most, each[0])), None)
    if fitting is not None:
        step, parts = fitting
        places = list(_multiples(step, start_ms, stop_ms))
        minor = list(_multiples(step / parts, start_ms, stop_ms))
    else:
        months, parts = next(
            (each for each in _STEPS_MONTHS if (stop_ms - start_ms) / (each[0] * _MONTH_MS) <= most), _STEPS_MONTHS[-1]
        )
        step = months * _MONTH_MS
        places = list(_months(months, start_ms, stop_ms))
        minor = list(_months(months // parts, start_ms, stop_ms)) if parts else []
    form = _format(step + 1 if has_bare_days and step == _DAY_MS else step)
    texts = [_text(place, form) for place in places]
    return Ticks(tuple(places), tuple(_changes(texts)), tuple(place for place in minor if place not in set(places)))


def fitting_time_ticks(start_ms: float, stop_ms: float, *, length_px: float) -> Ticks:
    """As many ticks as have room along an axis of a length in pixels; they are close together only where that is short."""
    most = max(round(length_px / _EASY_LABEL_PX), min(_FEW, int(length_px / _CLOSE_LABEL_PX)))
    while True:
        ticks = time_ticks(start_ms, stop_ms, most=most)
        if most <= _FEWEST or have_room(ticks, length_px / (stop_ms - start_ms)):
            return ticks
        days = time_ticks(start_ms, stop_ms, most=most, has_bare_days=True)
        if have_room(days, length_px / (stop_ms - start_ms)):
            return days
        most -= 1


def have_room(ticks: Ticks, px_per_unit: float) -> bool:
    """Whether no label along a horizontal axis touches the next, in its first line and in its second."""
    ends: dict[int, float] = {}
    for place, label in zip(ticks.values, ticks.labels, strict=True):
        for number, line in enumerate(label.split("\n")):
            half = width_px(line, _FONT_PX) / 2
            if place * px_per_unit - half < ends.get(number, -inf):
                return False
            ends[number] = place * px_per_unit + half + _GAP_PX
    return True


def _most(most: int, step_ms: float) -> float:
    """How many labels there is room for at such a step: days are narrower than times with their date."""
    return most * (_NARROWER if step_ms > _DAY_MS else 1)


def _multiples(step: float, start_ms: float, stop_ms: float) -> Iterator[float]:
    """Multiples of a step; of several days, counted from the first day of each month."""
    if step <= _DAY_MS:
        first, last = -(-start_ms // step), (stop_ms + 1e-6 * step) // step
        yield from (count * step for count in range(int(first), int(last) + 1))
        return
    days = round(step / _DAY_MS)
    for month in _months(1, start_ms - 31 * _DAY_MS, stop_ms):
        length = (_next_month(_moment(month)) - _moment(month)).days
        for day in range(0, length - days // 2, days):
            if start_ms <= month + day * _DAY_MS <= stop_ms:
                yield month + day * _DAY_MS


def _months(every: int, start_ms: float, stop_ms: float) -> Iterator[float]:
    first, last = _moment(start_ms), _moment(stop_ms)
    for count in range(12 * first.year + first.month - 1, 12 * last.year + last.month):
        if count % every == 0:
            place = (datetime(count // 12, count % 12 + 1, 1, tzinfo=UTC) - _EPOCH).total_seconds() * 1e3
            if start_ms <= place <= stop_ms:
                yield place


def _next_month(moment: datetime) -> datetime:
    return moment.replace(year=moment.year + moment.month // 12, month=moment.month % 12 + 1, day=1)


def _moment(place_ms: float) -> datetime:
    return _EPOCH + timedelta(microseconds=round(place_ms * 1e3))


def _format(step_ms: float) -> str:
    """The format of labels that are so far apart."""
    for each in look.TIME_TICK_FORMATS:
        upper = each["dtickrange"][1]
        most = _UPPER_MS[upper] if isinstance(upper, str) else upper
        if most is None or step_ms <= most:  # as plotly, which takes the first whose range has it
            return str(each["value"])
    raise AssertionError("the last format has no upper end")


def _text(place_ms: float, form: str) -> str:
    moment = _moment(place_ms)
    fraction = re.sub(r"%([36])f", lambda found: f"{moment.microsecond:06d}"[: int(found[1])], form)
    return moment.strftime(fraction)


def _changes(texts: list[str]) -> Iterator[str]:
    """Each label; its second line only where it differs from the one before."""
    before = ""
    for text in texts:
        first, _, second = text.partition("\n")
        yield text if second != before else first
        before = second
