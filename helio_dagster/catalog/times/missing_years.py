"""Years of dates that are written without one: that of another time in the request, or a question with a choice of years."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.catalog.times.date_order import in_year
from helio_dagster.catalog.times.dates import Date
from helio_dagster.catalog.times.moments import Unclear
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_time

Form = str | Callable[[Sequence[Date]], str]
"""Makes an answer of dates with their years: a text with `{0}` for the first date or `{year}` for its year, or a function."""
_MOST_OPTIONS, _YEARS_BACK = 3, 12


@dataclass(frozen=True)
class Years:
    """Where the years of dates come from.

    Parameters
    ----------
    now
        The present, aware; years that are offered begin with this one.
    beside
        A range named elsewhere: what has no year is of the year in which it falls into this range.
    """

    now: datetime
    beside: TimeRange | None = None

    def dated(self, dates: Sequence[Date], form: Form) -> list[Date]:
        """Dates with the one year that puts them into the range beside them.

        Raises
        ------
        Unclear
            There is no such year, or there are several; the options are as `form` makes them.
        """
        if all(date.year is not None for date in dates):
            return list(dates)
        found: list[list[Date]] = []
        for year in range(self.beside.start.year - 1, self.beside.stop.year + 1) if self.beside is not None else ():
            try:
                dated = in_year(dates, year)
                edges = [date.period("") for date in dated]
            except InputError:  # 29 February
                continue
            if self.beside is not None and self.beside.start < edges[-1].stop and edges[0].start < self.beside.stop:
                found.append(dated)
        if len(found) == 1:
            return found[0]
        raise self._question(dates, form)

    def _question(self, dates: Sequence[Date], form: Form) -> Unclear:
        options: list[str] = []
        named = " to ".join(_spoken(date) for date in dates)
        for year in range(self.now.year, self.now.year - _YEARS_BACK, -1):
            try:
                dated = in_year(dates, year)
                days = [date.period("").start for date in dated]
                if days[0] <= self.now and len(options) < _MOST_OPTIONS:
                    choice = form.format(format_time(days[0]), year=year) if isinstance(form, str) else form(dated)
                    options.append(choice)
            except InputError:  # 29 February
                continue
            except Unclear as unclear:
                options.append(unclear.options[0])
        return Unclear(f"{named!r} of which year?", options)


def _spoken(date: Date) -> str:
    month = f"{datetime(2000, date.month, 1):%B}" if date.month else ""
    if date.day_of_year is not None:
        return f"day {date.day_of_year}"
    return f"{month} {date.day}".strip() if date.day else month
