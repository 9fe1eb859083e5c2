"""Items of a list that have words nothing here understands, each found in the catalog as if it were asked for alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.meanings import Filler, Heading, Instrument, Mission
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.request_times import blanked
from helio_dagster.agent.offline.vocabulary import ordinary_words, weighty_words
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.agent.targets import Measured
from helio_dagster.domain.catalog_entry import Quantity

_BORDER = re.compile(r"[,;&+]|\b(?:and|plus|as well as|together with|along with)\b", re.IGNORECASE)
_EDGES = re.compile(
    r"^(?:\s|for\b|from\b|at\b|of\b|on\b|in\b|the\b|also\b|[,;:&+.])+|(?:\s|\bfor|\bfrom|\bat|\bof|\bon|\bin|[,;:&+.])+$", re.I
)
_MOST_ITEMS = 4
"""Items of a list that are looked for."""


def with_picked_items(
    reading: Reading, planned: Callable[[str], Plan | None], missing: Collection[Quantity] = ()
) -> tuple[str, str] | None:
    """The request with a parameter of the catalog in place of each such item, and what to say of it; None where one has none.

    Parameters
    ----------
    reading
        The request, which lists several things of one spacecraft.
    planned
        The plan of a request; None where it has none.
    missing
        Quantities that no dataset is known for: items that name one are looked for, too.
    """
    missions = [each for each in reading.of(Mission) if each.words]
    if len({each.meaning for each in missions}) != 1 or reading.named:
        return None
    items = list(_items(reading, missing))
    turns = any(part in weighty_words() for each in reading.unknown for part in re.split("[-/]", each.words.casefold()))
    if turns or not 0 < len(items) <= _MOST_ITEMS:
        return None
    time = reading.time.words.strip(" ,") if reading.time else ""
    instruments = reading.of(Instrument)
    found: dict[Mention, str] = {}
    for item in items:
        before = [each.words for each in instruments if each.last <= item.first]
        is_named = any(item.first <= each.first < item.last for each in instruments)
        nearest = before[-1:] or ([instruments[0].words] if len(instruments) == 1 else [])
        by = nearest[0] if nearest and not is_named else ""
        plan = planned(" ".join(f"{missions[0].words} {by} {item.words} {time}".split()))
        fetched = [step.fetch for step in plan.pipeline.steps if step.fetch] if plan is not None and not plan.ignored else []
        if plan is None or len(fetched) != 1 or len(plan.pipeline.steps) != 2:
            return None
        found[item] = f"{fetched[0].parameter} of {fetched[0].dataset}"
    remark = "; ".join(f"{item.words!r} is taken as {name}" for item, name in found.items())
    return reworded(reading, found), f"{remark}."


def _items(reading: Reading, missing: Collection[Quantity]) -> Iterator[Mention]:
    """The parts of a list that are not understood or known, without the spacecraft; none where the list has one part."""
    text = reading.request if reading.time is None else blanked(reading.request, reading.time)
    for each in reading.mentions:
        if isinstance(each.meaning, Mission):
            text = f"{text[: each.first]}{' ' * (each.last - each.first)}{text[each.last :]}"
    places = [each.first for each in reading.unread(ordinary_words()) if not isinstance(each.meaning, Heading)]
    wanted = [
        each for each in reading.mentions if isinstance(each.meaning, Measured) and {*missing} & {*each.meaning.quantities}
    ]
    places += [each.first for each in wanted]
    borders = [0, *(at for match in _BORDER.finditer(text) for at in match.span()), len(text)]
    parts = [(first, last) for first, last in pairwise(borders) if _EDGES.sub("", text[first:last])]
    for first, last in parts if len(parts) > 1 else ():
        if any(first <= at < last for at in places):
            words = _EDGES.sub("", text[first:last])
            at = text.index(words, first)
            yield Mention(Filler(), at, at + len(words), words)
