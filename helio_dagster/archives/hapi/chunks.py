"""Into which pieces of time a dataset is fetched: always the same ones, whatever is asked for.

HAPI has no files; a chunk takes their place. Its length follows from the dataset alone, its edges are UTC hours, days or
months, so that a record comes from the same chunk whether a run covers an hour or ten years.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from helio_dagster.archives.hapi.isotime import parse_isotime
from helio_dagster.archives.hapi.messages import Info, printable
from helio_dagster.domain.errors import ArchiveAnswerError, InputError
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.time_range import EARLIEST, LATEST, TimeRange, parse_duration

_MONTH_VALUES = 500_000
"""Up to so many values of the widest parameter in a month, chunks are months."""
_DAY_VALUES = 6_000_000
"""Beyond so many in a day, chunks are hours."""
_YEAR = re.compile(r"[0-9]{4}(-|Z|$)")
_FINER = {Grain.MONTHLY: Grain.DAILY, Grain.DAILY: Grain.HOURLY}


def chunk_grain(info: Info) -> Grain:
    """The length of a dataset's chunks, by its cadence, its widest parameter, and what the server allows in one request."""
    cadence, longest = _duration(info.cadence), _duration(info.longest_request)
    grain = Grain.DAILY
    if cadence:
        per_day = timedelta(days=1) / cadence * max((each.width for each in info.parameters), default=1)
        if per_day > _DAY_VALUES:
            grain = Grain.HOURLY
        elif 31 * per_day <= _MONTH_VALUES:
            grain = Grain.MONTHLY
    if longest and longest < timedelta(days=31) and grain is Grain.MONTHLY:
        grain = Grain.DAILY
    return Grain.HOURLY if longest and longest < timedelta(days=1) else grain


def dataset_span(info: Info, where: str) -> tuple[datetime, datetime]:
    """Where a dataset begins and stops, by its server's word; a date beyond 1900 to 2200 is an open end.

    Raises
    ------
    ArchiveAnswerError
        It does not say so, or it stops before it starts.
    """
    try:
        start, stop = _edge(info.start), _edge(info.stop)
    except ValueError:
        said = f"{printable(info.start)[:40]!r} to {printable(info.stop)[:40]!r}"
        raise ArchiveAnswerError(f"the dataset's times cannot be read: {said}", where=where, hint="Tell the archive.") from None
    if start > stop:
        said = f"{printable(info.start)[:40]}, and stops before, at {printable(info.stop)[:40]}"
        raise ArchiveAnswerError(
            f"the archive contradicts itself: the dataset starts at {said}", where=where, hint="Tell the archive."
        )
    return start, stop


def chunks(grain: Grain, span: TimeRange, held: tuple[datetime, datetime], now: datetime) -> Iterator[TimeRange]:
    """The chunks around `span` that a dataset holds anything of, in order.

    A month that is not complete, by its server's word or by the clock, is cut into days, a day that is not over into hours; of
    an hour that is not over, only a span that reaches beyond now has a part, up to the minute, which is asked for only then.
    Else what is kept of an unfinished month would be taken for all of it later.

    Parameters
    ----------
    grain
        Monthly, daily or hourly.
    held
        First and last time of the dataset.
    now
        What time it is.
    """
    first, last = held
    for begin in grain.starts(span):
        chunk = TimeRange(begin, grain.following(begin))
        if chunk.stop <= first or begin > last:
            continue
        is_over = chunk.stop <= now
        is_complete = is_over and (grain is not Grain.MONTHLY or chunk.stop <= last + timedelta(seconds=1))
        if is_complete:
            yield chunk
        elif grain in _FINER:
            inner = TimeRange(max(begin, span.start), min(chunk.stop, span.stop))
            yield from chunks(_FINER[grain], inner, held, now)
        elif not is_over and span.stop > now and begin < (minute := now.replace(second=0, microsecond=0)):
            yield TimeRange(begin, minute)


def _edge(text: str) -> datetime:
    """A time within 1900 to 2200, or the nearer edge of that; ValueError where it is not a time."""
    year = int(text[:4]) if _YEAR.match(text) else EARLIEST.year
    if not EARLIEST.year <= year < LATEST.year:
        return EARLIEST if year < EARLIEST.year else LATEST
    return parse_isotime(text)


def _duration(text: str) -> timedelta | None:
    try:
        return parse_duration(text) or None
    except InputError:
        return None
