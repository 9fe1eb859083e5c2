"""Ways of writing a time that are not ISO 8601 and can be told: what each is, and the `format` that reads it."""

from __future__ import annotations

import re

_FAULTS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what, hint)
    for pattern, what, hint in (
        (
            r".*\d\s*[ap]\.?m\.?\s*$",
            "is on a clock of 12 hours",
            "Give `format` under `time`, such as '%Y-%m-%d %I:%M %p'.",
        ),
        (
            r"\s*\d{4}-W\d\d",
            "is a week date",
            "Write the day of the month, or give `format: '%G-W%V-%u'` under `time`.",
        ),
        (
            r"\s*\d{4}-\d\d-\d\d[T ]\d\d:[6-9]\d",
            "has a minute beyond 59",
            "Correct it: 60 minutes are the next hour.",
        ),
        (
            r"\s*\d{4}-\d\d-\d\d[T ](2[5-9]|[3-9]\d):",
            "has an hour beyond 24",
            "Correct it: later hours belong to the next day.",
        ),
        (
            r"\s*\d{4}-\d\d-\d\d\S*[\t;|]",
            "goes on behind a mark that divides fields elsewhere",
            "Divide all lines by the same mark, that of the first line or the `delimiter` under `text`.",
        ),
        (
            r"\s*(2[345]\d{5})(\.\d*)?\s*$",
            "is a bare number, as Julian dates are",
            "Give `format: jd` under `time`, if it is one.",
        ),
        (
            r"\s*(19|20|21)\d\d([0-2]\d\d|3[0-5]\d|36[0-6])\s*$",
            "is a bare number, as years with the day of the year are",
            "Give `format: '%Y%j'` under `time`, if it is one.",
        ),
        (
            r"\s*[2-6]\d{4}\.\d+\s*$",
            "is a bare number, as days are that spreadsheets count from 1900, or modified Julian dates",
            "Give `format: mjd` under `time` if it is that; else save the sheet with its dates as text.",
        ),
        (
            r"\s*(1[89]|20|21)\d\d\.\d{2,}\s*$",
            "is a bare number, as decimal years are",
            "Write a date: how a year is divided (by 365 days, its own, or 365.25) is not in the file.",
        ),
        (
            r"\s*(<{7}|={7}|>{7})",
            "is a mark of a merge that was not finished",
            "Choose one of the two versions, and remove the marks.",
        ),
    )
)


def iso_fault(text: str) -> tuple[str, str] | None:
    """What a text is that is not a time of ISO 8601, and what to do; None where it is none of the ways known here."""
    return next(((what, hint) for pattern, what, hint in _FAULTS if pattern.match(text)), None)
