"""Schedules of pipelines: which texts are one."""

from __future__ import annotations

import re
from datetime import timedelta

ON_CHANGE = "on_change"
"""No time at all: what is missing or stale is made as soon as it is."""
_CRON = {"daily": "0 0 * * *", "weekly": "0 0 * * 1", "monthly": "0 0 1 * *"}
NAMED = (*_CRON, ON_CHANGE)
"""Words a pipeline may use for a schedule instead of a cron string."""

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
_FIELDS: tuple[tuple[str, int, int, list[str]], ...] = (
    ("minute", 0, 59, []),
    ("hour", 0, 23, []),
    ("day of the month", 1, 31, []),
    ("month", 1, 12, ["", *_MONTHS]),
    ("day of the week", 0, 7, _DAYS),
)
_PART = re.compile(r"(?:\*|(\w+)(?:-(\w+))?)(?:/(\d+))?")


def schedule_fault(text: str) -> str:
    """What is wrong with a schedule; the empty text where nothing is."""
    if text in NAMED:
        return ""
    fields = text.split()
    if len(fields) != len(_FIELDS):
        return f"{text!r} is neither {', '.join(NAMED)} nor a cron string of five fields"
    for given, (name, lowest, highest, words) in zip(fields, _FIELDS, strict=True):
        for part in given.split(","):
            fault = _part_fault(part, lowest, highest, words)
            if fault:
                return f"{given!r} is not a {name}: {fault}"
    return ""


def cron_of(schedule: str) -> str:
    """The cron string of a schedule that has times; named ones begin at midnight UTC."""
    return _CRON.get(schedule, schedule)


def longest_pause(schedule: str) -> timedelta:
    """About the longest time between two ticks of a schedule that has times: an hour, a day, a week, a month or a year."""
    _, hour, day, month, weekday = cron_of(schedule).split()
    if month != "*":
        return timedelta(days=366)
    if day != "*":
        return timedelta(days=31)
    if weekday != "*":
        return timedelta(days=7)
    return timedelta(days=1) if hour != "*" else timedelta(hours=1)


def _part_fault(part: str, lowest: int, highest: int, words: list[str]) -> str:
    match = _PART.fullmatch(part)
    if match is None:
        return f"{part!r} is not a number, a range or *"
    numbers = []
    for edge in match.group(1, 2):
        if edge is None:
            continue
        number = words.index(edge.lower()) if edge.lower() in words else int(edge) if edge.isdecimal() else -1
        if not lowest <= number <= highest:
            return f"{edge} is not from {lowest} to {highest}"
        numbers.append(number)
    if len(numbers) == 2 and numbers[0] > numbers[1]:
        return f"{part} goes backwards"
    return "a step of zero" if match[3] and int(match[3]) == 0 else ""
