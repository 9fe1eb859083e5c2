"""The periods of a wavelet spectrum of which a request names none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from helio_dagster.agent.drafting.lengths import spoken_alone
from helio_dagster.agent.drafting.questions import DraftQuestion
from helio_dagster.domain.time_range import format_duration

_ROUND = tuple(
    timedelta(seconds=number * unit)
    for unit, numbers in (
        (0.001, (1, 2, 5, 10, 20, 50, 100, 200, 500)),
        (1, (1, 2, 5, 10, 20, 30)),
        (60, (1, 2, 5, 10, 20, 30)),
        (3600, (1, 2, 4, 6, 8, 12)),
        (86400, (1, 2, 5, 10, 20, 50, 100, 200)),
    )
    for number in numbers
)
"""Lengths that people name."""
_LEAST_CADENCES, _SHARE, _MOST_RATIO = 4, 4, 256
_OF_NO_RANGE = timedelta(days=1)


@dataclass(frozen=True)
class Periods:
    """Options of the operation, and what a person should know of them."""

    options: Mapping[str, str]
    assumption: str


def usual_periods(cadence: timedelta, span: timedelta | None, words: str) -> Periods:
    """Periods from four cadences to a quarter of the range, both round, at most 256 times as long as the shortest.

    Raises
    ------
    DraftQuestion
        The range is too short for samples so far apart.
    """
    least, most = _LEAST_CADENCES * cadence, (span or _OF_NO_RANGE) / _SHARE
    shortest = min((each for each in _ROUND if each >= least), default=least)
    longest = max((each for each in _ROUND if each <= min(most, _MOST_RATIO * shortest)), default=timedelta(0))
    if longest < 2 * shortest:
        text = f"The range is too short for the {words} of samples every {spoken_alone(cadence)}, which shows periods from "
        raise DraftQuestion(f"{text}{spoken_alone(shortest)} on. Which periods do you want?")
    text = f"Periods from {spoken_alone(shortest)} to {spoken_alone(longest)} are shown, because the request names none."
    return Periods({"shortest": format_duration(shortest), "longest": format_duration(longest)}, text)
