"""Times that a request leaves out by a condition on a quantity: `leave out times when density is above 20`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.detected_events import one_limit
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.targets import AnyTarget
from helio_dagster.agent.treatments import Exclusions


def with_limited(
    excluded: Exclusions,
    targets: Sequence[AnyTarget],
    now: datetime,
    *,
    read: Callable[[str, datetime], Reading],
    find: Callable[[Reading], list[AnyTarget]],
) -> Exclusions:
    """The exclusions, what a condition is about found: of the spacecraft that it names, else of the first of the request.

    Parameters
    ----------
    excluded
        With a `condition` in words.
    targets
        What the request asks for.
    now
        The present.
    read
        Reads the condition as a request, and brings together what belongs together.
    find
        Finds what a reading asks for; raises for words that it does not understand.

    Raises
    ------
    OpenQuestion
        The condition is not understood.
    """
    asked = f"intervals where {excluded.condition}"
    whose = [f"{targets[0].who} {asked}"] if targets else []
    for words in (asked, *whose):
        limited, limit = one_limit(words, now, read, find)
        if limit is not None and limit.kind == "intervals" and "at_least" not in limit.options:
            return replace(excluded, limited=limited, limit=limit)
    text = f"I do not understand the condition {excluded.condition!r} of the times that are left out."
    raise OpenQuestion(f"{text} Say one limit of one quantity, as in: leave out times when density is above 20 cm^-3.")
