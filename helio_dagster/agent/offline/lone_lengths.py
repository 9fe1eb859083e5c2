"""Lengths of time that stand alone: `ACE |B|, 16 s` and `48 s VIM data` say how dense the data shall be."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.offline.meanings import Asks, Cadence, Instrument, Length, Meaning, Mission, Per, Statistic, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.treatment import LENGTH_ROLES
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform
from helio_dagster.catalog.times.lengths import LENGTH, find_length

_A_LENGTH = re.compile(LENGTH, re.IGNORECASE)
_LONGEST = timedelta(hours=1)
"""A longer one may be how much time is wanted."""


def with_lone_lengths(reading: Reading) -> Reading:
    """The reading in which a length that nothing else explains is the cadence of data, or the window of a running mean.

    A cadence must stand where a time is named and no operation that could take it, nor another length.
    """
    alone = [each for each in reading.mentions if _A_LENGTH.fullmatch(each.words)]
    unclear = [each for each in alone if isinstance(each.meaning, Unclear)]
    if len(alone) == 1 and Smoothing(None) in reading.all(Smoothing) and not reading.all(Length):
        window = find_length(alone[0].words)
        return reading if window is None else _with_meaning(reading, alone[0], Length("window", window))
    if len(unclear) == 1 and (taking := _taking(reading)) and (length := find_length(unclear[0].words)):
        return _with_meaning(reading, unclear[0], Length(LENGTH_ROLES[taking], length))
    if len(unclear) != 1 or reading.time is None:
        return reading
    (mention,) = unclear
    behind = [each for each in reading.mentions if each.last < mention.first and isinstance(each.meaning, Mission | Instrument)]
    is_of_data = bool(behind) and not reading.request[behind[-1].last : mention.first].strip()  # `OMNI 1 min`
    own = Averaging | Smoothing if is_of_data else ()
    if any(_may_take(each.meaning, reading) for each in reading.mentions if not isinstance(each.meaning, own)):
        return reading
    length = find_length(mention.words)
    if length is None or not timedelta(0) < length <= _LONGEST:
        return reading
    cadence = Cadence(length, f"{mention.words!r} is taken as the cadence of the data.")
    return _with_meaning(reading, mention, cadence)


def _taking(reading: Reading) -> str:
    """The one operation that a length is missing for; empty where it has one, or there is none or another that may take it."""
    lacking = [
        each for each in reading.all(Transform) if (role := LENGTH_ROLES.get(each.operation)) and role not in each.options
    ]
    others = reading.has(Length, Averaging, Smoothing, Per, Asks, Statistic)
    return lacking[0].operation if len(lacking) == 1 and not others else ""


def _with_meaning(reading: Reading, mention: Mention, meaning: Meaning) -> Reading:
    mentions = tuple(replace(each, meaning=meaning) if each == mention else each for each in reading.mentions)
    return replace(reading, mentions=mentions)


def _may_take(meaning: Meaning, reading: Reading) -> bool:
    if isinstance(meaning, Asks):
        has_lags = any(each.kind == "lags" for each in reading.all(Asks))
        return meaning.kind == "lasting" or (meaning.kind == "lag" and not has_lags)
    return (
        isinstance(meaning, Averaging | Smoothing | Length | Cadence | Per | Statistic)
        or (
            isinstance(meaning, Transform)
            and meaning.operation not in ("direction", "transform_frame", "welch", "butterworth", "derivative", "convert_unit")
        )
        or meaning == Pairing("rolling_correlation")
    )
