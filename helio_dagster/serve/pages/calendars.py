"""Partitions as a calendar: sheets of rows and cells, whatever the grain. Knows nothing of how they are drawn."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from helio_dagster.domain.grain import Grain
from helio_dagster.serve.pages.health import Cell

_MONTHS = tuple(calendar.month_name)
MOST_EVENTS = 250
"""Number of events that are shown together."""
_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")


@dataclass(frozen=True)
class Place:
    """A cell of a sheet with its short name; without a cell, nothing can be made there."""

    label: str = ""
    cell: Cell | None = None


@dataclass(frozen=True)
class Sheet:
    """One table: a title, names of the columns, and rows, each with a name.

    `is_list` says that its cells are few and told apart only by their names, so all take the keyboard's focus.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Place]]]
    is_list: bool = False


@dataclass(frozen=True)
class Calendar:
    """The sheets of one period, its name, and name and words of all periods to go to, the one shown among them."""

    sheets: Sequence[Sheet]
    period: str
    periods: Mapping[str, str]


def calendar_of(cells: Mapping[str, Cell], grain: Grain | None, asked: str, *, first: datetime, now: datetime) -> Calendar:
    """The calendar of a period.

    Parameters
    ----------
    cells
        The partitions that are known, by key; in order.
    grain
        None for partitions that are events.
    asked
        A period as `periods` names them; the last with anything known where it is none of them.
    first, now
        Partitions that could be made begin and end there.
    """
    if grain is None:
        return _events(cells, asked)
    if grain is Grain.YEARLY or grain is Grain.MONTHLY:
        years = sorted({_start(key, grain).year for key in cells})
        shown = list(range(years[0], years[-1] + 1)) if years else []
        return Calendar([_years(cells, grain, shown, first, now)] if shown else [], "", {})
    pattern = "%Y-%m" if grain is Grain.HOURLY else "%Y"
    periods = {name: name for name in (_start(key, grain).strftime(pattern) for key in cells)}
    if not periods:
        return Calendar([], "", {})
    period = asked if asked in periods else list(periods)[-1]
    year = int(period[:4])
    if grain is Grain.HOURLY:
        sheets = [_hours(cells, year, int(period[5:]), first, now)]
    elif grain is Grain.WEEKLY:
        sheets = [_weeks(cells, year, first, now)]
    else:
        sheets = [_month(cells, year, month, first, now) for month in range(1, 13)]
    return Calendar([each for each in sheets if _has_any(each)], period, periods)


def _events(cells: Mapping[str, Cell], asked: str) -> Calendar:
    """One row for each event; of a long list a part, whose name is the key of its first event."""
    keys = list(cells)
    parts = {keys[first]: keys[first : first + MOST_EVENTS] for first in range(0, len(keys), MOST_EVENTS)}
    if not parts:
        return Calendar([], "", {})
    known = [name for name, part in parts.items() if any(cells[key].is_known for key in part)]
    shown = asked if asked in parts else (known or list(parts))[-1]
    rows = [("", [Place(key, cells[key])]) for key in parts[shown]]
    words = {
        name: _part(first + 1, part)
        for first, (name, part) in zip(range(0, len(keys), MOST_EVENTS), parts.items(), strict=True)
    }
    return Calendar([Sheet("Events", (), rows, is_list=True)], shown, words)


def _part(first: int, keys: Sequence[str]) -> str:
    """Which events of a list a part has: their places and days."""
    days = [key.replace("-", "")[:8] for key in (keys[0], keys[-1])]
    named = dict.fromkeys(f"{day[:4]}-{day[4:6]}-{day[6:]}" for day in days)
    return f"{first:,}–{first + len(keys) - 1:,}: {' to '.join(named)}"


def _start(key: str, grain: Grain) -> datetime:
    return grain.window(key).start


def _place(cells: Mapping[str, Cell], grain: Grain, start: datetime, label: str, first: datetime, now: datetime) -> Place:
    key = grain.key(start)
    if key in cells:
        return Place(label, cells[key])
    can_be = first <= start and grain.following(start) <= now
    return Place(label, Cell(key, "missing", ("never made",), is_known=False) if can_be else None)


def _has_any(sheet: Sheet) -> bool:
    return any(place.cell is not None and place.cell.is_known for _, row in sheet.rows for place in row)


def _month(cells: Mapping[str, Cell], year: int, month: int, first: datetime, now: datetime) -> Sheet:
    rows = [
        ("", [_day(cells, year, month, day, first, now) for day in week])
        for week in calendar.Calendar().monthdayscalendar(year, month)
    ]
    return Sheet(f"{_MONTHS[month]} {year}", _DAYS, rows)


def _day(cells: Mapping[str, Cell], year: int, month: int, day: int, first: datetime, now: datetime) -> Place:
    if not day:
        return Place()
    return _place(cells, Grain.DAILY, datetime(year, month, day, tzinfo=UTC), str(day), first, now)


def _hours(cells: Mapping[str, Cell], year: int, month: int, first: datetime, now: datetime) -> Sheet:
    rows = []
    for day in range(1, calendar.monthrange(year, month)[1] + 1):
        starts = [datetime(year, month, day, hour, tzinfo=UTC) for hour in range(24)]
        rows.append((str(day), [_place(cells, Grain.HOURLY, start, f"{start:%H}", first, now) for start in starts]))
    kept = [row for row in rows if any(place.cell and place.cell.key in cells for place in row[1])]
    return Sheet(f"{_MONTHS[month]} {year}, by day and hour", (), kept)


def _weeks(cells: Mapping[str, Cell], year: int, first: datetime, now: datetime) -> Sheet:
    start = Grain.WEEKLY.floor(datetime(year, 1, 1, tzinfo=UTC))
    starts = [start + timedelta(days=7 * number) for number in range(54)]
    inside = [each for each in starts if each.year == year]
    return Sheet(
        f"{year}, weeks by their Monday",
        (),
        _by(13, (_place(cells, Grain.WEEKLY, each, f"{each:%m-%d}", first, now) for each in inside)),
    )


def _years(cells: Mapping[str, Cell], grain: Grain, years: Iterable[int], first: datetime, now: datetime) -> Sheet:
    if grain is Grain.YEARLY:
        made = (_place(cells, grain, datetime(year, 1, 1, tzinfo=UTC), str(year), first, now) for year in years)
        return Sheet("Years", (), _by(10, made))
    rows = []
    for year in years:
        starts = [datetime(year, month, 1, tzinfo=UTC) for month in range(1, 13)]
        rows.append((str(year), [_place(cells, grain, start, f"{start:%b}", first, now) for start in starts]))
    return Sheet("Months", (), rows)


def _by(length: int, places: Iterable[Place]) -> list[tuple[str, list[Place]]]:
    every = list(places)
    return [("", every[start : start + length]) for start in range(0, len(every), length)]
