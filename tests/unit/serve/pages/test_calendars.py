"""Partitions as calendars."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.domain.grain import Grain
from helio_dagster.serve.pages.calendars import MOST_EVENTS, Calendar, Place, calendar_of
from helio_dagster.serve.pages.health import Cell

FIRST, NOW = datetime(2003, 10, 5, tzinfo=UTC), datetime(2004, 2, 10, 12, tzinfo=UTC)


def made(*keys: str) -> dict[str, Cell]:
    """Fresh partitions."""
    return {key: Cell(key, "fresh") for key in keys}


def places(shown: Calendar) -> list[Place]:
    """All places of a calendar, in order."""
    return [place for sheet in shown.sheets for _, row in sheet.rows for place in row]


def cell(shown: Calendar, key: str) -> Cell:
    """The cell of a partition."""
    return next(place.cell for place in places(shown) if place.cell is not None and place.cell.key == key)


def test_days_stand_under_their_day_of_the_week() -> None:
    """29 October 2003 was a Wednesday; a month in which nothing was made is not shown."""
    shown = calendar_of(made("2003-10-29"), Grain.DAILY, "", first=FIRST, now=NOW)
    (sheet,) = shown.sheets
    assert sheet.title == "October 2003"
    (row,) = [row for _, row in sheet.rows if any(place.cell and place.cell.key == "2003-10-29" for place in row)]
    assert [sheet.columns[place] for place, each in enumerate(row) if each.label == "29"] == ["We"]


def test_what_could_be_made_is_missing_and_what_could_not_is_no_cell() -> None:
    """Before the pipeline's start and after now there are no partitions; between, one that was never made is missing."""
    shown = calendar_of(made("2003-10-29"), Grain.DAILY, "", first=FIRST, now=NOW)
    assert cell(shown, "2003-10-05").state == "missing"
    assert not cell(shown, "2003-10-05").is_known
    assert [place.label for place in places(shown) if place.label and place.cell is None] == ["1", "2", "3", "4"]


def test_the_last_year_is_shown_and_others_can_be_asked_for() -> None:
    """A period that nothing was made in is none."""
    cells = made("2003-10-29", "2004-01-03")
    assert calendar_of(cells, Grain.DAILY, "", first=FIRST, now=NOW).period == "2004"
    assert calendar_of(cells, Grain.DAILY, "2003", first=FIRST, now=NOW).period == "2003"
    assert calendar_of(cells, Grain.DAILY, "<b>", first=FIRST, now=NOW).periods == {"2003": "2003", "2004": "2004"}


@pytest.mark.parametrize(
    ("grain", "key", "title"),
    [
        (Grain.HOURLY, "2003-10-29-06:00", "October 2003, by day and hour"),
        (Grain.WEEKLY, "2003-10-27", "2003, weeks by their Monday"),
        (Grain.MONTHLY, "2003-10-01", "Months"),
        (Grain.YEARLY, "2003-01-01", "Years"),
    ],
)
def test_every_grain_has_a_calendar(grain: Grain, key: str, title: str) -> None:
    """Each partition stands in it once."""
    shown = calendar_of(made(key), grain, "", first=datetime(2000, 1, 1, tzinfo=UTC), now=NOW)
    assert [sheet.title for sheet in shown.sheets] == [title]
    assert [place.cell.state for place in places(shown) if place.cell and place.cell.key == key] == ["fresh"]


def test_events_are_listed() -> None:
    """Partitions that are events have no calendar, but a place each."""
    shown = calendar_of(made("Halloween", "Bastille Day"), None, "", first=FIRST, now=NOW)
    assert [place.label for place in places(shown)] == ["Halloween", "Bastille Day"]


def test_nothing_made_is_no_calendar() -> None:
    """A pipeline that was never run has none."""
    assert not calendar_of({}, Grain.DAILY, "", first=FIRST, now=NOW).sheets


def test_a_long_list_of_events_is_shown_in_parts() -> None:
    """Each event is in one part; the part shown first is the last in which anything was run."""
    keys = [f"200310{10 + place // 100}T{place % 100:04}_e" for place in range(2 * MOST_EVENTS + 3)]
    cells = {key: Cell(key, "missing", ("never run",), is_known=False) for key in keys} | made(keys[MOST_EVENTS])
    parts = calendar_of(cells, None, "", first=FIRST, now=NOW).periods
    assert parts == {
        keys[0]: "1–250: 2003-10-10 to 2003-10-12",
        keys[MOST_EVENTS]: "251–500: 2003-10-12 to 2003-10-14",
        keys[2 * MOST_EVENTS]: "501–503: 2003-10-15",
    }
    found = [each.label for part in parts for each in places(calendar_of(cells, None, part, first=FIRST, now=NOW))]
    assert found == keys
    assert calendar_of(cells, None, "", first=FIRST, now=NOW).period == keys[MOST_EVENTS]
