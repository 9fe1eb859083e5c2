"""Which one partition of an asset a person means: by its key, a moment in it, a range that it covers, or an event."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from helio_dagster.assets.graph import AssetNode
from helio_dagster.assets.result_spans import asked_span
from helio_dagster.catalog.times.phrases import read_words
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.span_key import span_key, span_of
from helio_dagster.domain.time_range import TimeRange


def partition_of(node: AssetNode, words: Sequence[str], now: datetime) -> str | None:
    """Key of the one partition given as its key, as a moment in it, or as a range that it covers; None without partitions.

    Raises
    ------
    InputError
        The words are not a range, or it covers none or several of them.
    """
    if node.over == "range":
        given = words[0] if len(words) == 1 and span_of(words[0]) else None
        return given or span_key(asked_span(node, _span(words, now)))
    if node.events is not None:
        if len(words) == 1 and node.events.has_key(words[0]):
            return words[0]
        return _only(node.events.keys(_span(words, now)), "events")
    if node.time_grain is None:
        return None
    grain = node.time_grain
    if len(words) == 1 and (grain != "hourly" or "T" in words[0]):
        with suppress(ValueError):
            moment = datetime.fromisoformat(words[0])
            return grain.key(grain.floor(moment if moment.tzinfo else moment.replace(tzinfo=UTC)))
    if len(words) == 1:
        with suppress(InputError):
            return grain.key(grain.window(words[0]).start)
    return _only(grain.keys(_span(words, now)), "partitions")


def event_of(node: AssetNode, key: str, times: Sequence[str] | None) -> str:
    """The key of one event.

    Raises
    ------
    InputError
        There is no such event, the partitions are not events, or times are given too.
    """
    if times:
        raise InputError("give either a range or --event", hint="--event KEY shows one event.")
    if node.events is None:
        raise InputError(f"the partitions of {node.name} are not events", hint="Give a day, or START and STOP.")
    node.events.window(key)  # raises
    return key


def _only(keys: Sequence[str], what: str) -> str:
    if not keys:
        raise InputError(f"the range has no {what}", hint="Give another range.")
    if len(keys) > 1:
        raise InputError(f"the range covers {len(keys)} {what}", hint=f"Show one of them, such as {keys[0]}.")
    return keys[0]


def _span(words: Sequence[str], now: datetime) -> TimeRange:
    if not words:
        raise InputError("no time range given", hint="Give a day, START and STOP, or a phrase: helio run NAME last 7 days")
    return read_words(words, now)
