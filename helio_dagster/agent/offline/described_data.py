"""Words that nothing else understands and that the catalog uses for the data asked for: `MIT plasma`, `FPI fast`, `VIM`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Descriptor, Heading
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.offline.vocabulary import ordinary_words, weighty_words
from helio_dagster.agent.offline.weight import in_circumstance
from helio_dagster.agent.targets import AnyTarget, Target
from helio_dagster.catalog.choice.descriptors import is_named_in, offer_text
from helio_dagster.catalog.choice.offer import Asked, Offer
from helio_dagster.catalog.choice.offers import Offers, overlapping
from helio_dagster.domain.time_words import NUMBER_WORDS

_COMPONENT = re.compile(r"\s+(?:component|part)s?\b", re.IGNORECASE)
"""What is before it says which of a vector: `normal component`."""
_LISTED = re.compile(r"(?:[\s,&]|and\b|on\b|the\b|\d{1,2}(?:st|nd|rd|th)?\b)+", re.IGNORECASE)


def with_described_data(reading: Reading, understood: Reading, offers: Offers) -> Reading:
    """The reading with such words understood.

    Parameters
    ----------
    reading
        The request as it was read.
    understood
        The same with what belongs together brought together, of which the targets are found.
    """
    words = [each for each in reading.unknown if _may_describe(each, reading)]
    if not words:
        return reading
    try:
        targets = find_targets(understood, offers.catalog, offers.archive)
    except OpenQuestion:
        return reading
    texts = [offer_text(each, offers.catalog, offers.archive) for each in _offers(targets, reading, offers)]
    found = [
        replace(each, meaning=Descriptor(each.words)) for each in words if any(is_named_in(each.words, text) for text in texts)
    ]
    return reading.with_meanings(found)


def _may_describe(mention: Mention, reading: Reading) -> bool:
    """Whether a word turns nothing, and does not tell at what a spacecraft was."""
    words = mention.words.casefold()
    is_circumstance = reading.time is not None and in_circumstance(mention, reading)
    says_nothing = words.isdecimal() or words in NUMBER_WORDS or words in ordinary_words()
    if (
        says_nothing
        or words in ("mode", "product", "instrument", "graph", "plot", "time")
        or _is_listed_with_time(mention, reading)
        or _COMPONENT.match(reading.request, mention.last)
    ):
        return False
    return not (isinstance(mention.meaning, Heading) or words in weighty_words() or is_circumstance)


def _is_listed_with_time(mention: Mention, reading: Reading) -> bool:
    """Whether a number stands in a list that leads to the time or follows it: `3` of `3, 4 and 5 April`."""
    if reading.time is None or not mention.words[:1].isdigit():
        return False
    between = reading.request[mention.last : reading.time.first] or reading.request[reading.time.last : mention.first]
    return _LISTED.fullmatch(between) is not None


def _offers(targets: Sequence[AnyTarget], reading: Reading, offers: Offers) -> Iterator[Offer]:
    """What the catalog has of the targets in the time asked for."""
    span = reading.span
    whole = [one for each in targets for one in ([each] if isinstance(each, Target) else [part for _, part in each.inputs])]
    for each in dict.fromkeys(whole):
        asked = Asked(each.mission, each.quantity, each.species, each.member, each.dataset)
        if each.parameter is None:
            yield from overlapping(offers.find(asked, span=span, all_datasets=True) or offers.likely(asked, span=span), span)
