"""What an answer to a question makes of the request that was asked about: other words in its place, or more of them."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime

from helio_dagster.agent.drafting.lengths import spoken
from helio_dagster.agent.offline.meanings import Unclear
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.offline.unknown_operations import unknown_operation
from helio_dagster.agent.offline.wording import reworded, spoken_time
from helio_dagster.agent.planner import OpenRequest
from helio_dagster.catalog.times.lengths import LENGTH, find_length
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.errors import InputError


def with_its_time(words: str, asked_about: str, now: datetime) -> str:
    """An answer with the time of the request, where it names none itself."""
    with suppress(InputError):
        return words if find_span(words, now) else f"{words}{spoken_time(find_span(asked_about, now))}"
    return words


def completions(open_request: OpenRequest, words: str, now: datetime) -> list[str]:
    """The request with an answer in it, the likeliest first.

    In the place of what cannot be had, where a choice has a length, or put behind or before it; last the answer alone, with the
    time of the request.
    """
    request = open_request.request.strip().rstrip(".?!")
    first = open_request.question.choices[:1]
    length = find_length(words)
    found = []
    if length is not None:
        found = [re.sub(LENGTH, spoken(length), choice, count=1, flags=re.IGNORECASE) for choice in first]
    with suppress(InputError):
        found += _in_place(read_request(request, now), words)
    timed = with_its_time(words, request, now)
    last = [timed, words] if timed != words else []
    alone = [] if last or (first and length is not None) or _is_time(words, now) else [words]
    return [*alone, *found, f"{request} {words}", f"{words} {request}", f"{request} in {words}", *last, words]


def _is_time(words: str, now: datetime) -> bool:
    """Whether words name a time and nothing else: it is the one for the request."""
    with suppress(InputError):
        return (found := find_span(words, now)) is not None and found.words.strip() == words.strip(" .?!")
    return False


def _in_place(reading: Reading, words: str) -> list[str]:
    """The request with an answer in the place of the words for what cannot be had."""
    gone = [each for each in reading.mentions if isinstance(each.meaning, Unclear) and each.meaning.is_first]
    gone += [operation] if (operation := unknown_operation(reading)) is not None else []
    return [reworded(reading, {**dict.fromkeys(gone, ""), gone[0]: words})] if gone else []
