"""Lengths of time that the catalog explains: `48 s VIM data` is a resolution, because Voyager has data every 48 s."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from helio_dagster.agent.intent import Derived, Measured
from helio_dagster.agent.offline.meanings import Cadence, Dataset, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.times.lengths import LENGTH, find_length

_A_LENGTH = re.compile(LENGTH, re.IGNORECASE)


def with_catalogued_lengths(reading: Reading, catalog: KnownCatalog, archive: str) -> Reading:
    """The reading in which a length that nothing else explains is the cadence of data, where each mission has such data."""
    unclear = [each for each in reading.mentions if isinstance(each.meaning, Unclear) and _A_LENGTH.fullmatch(each.words)]
    missions = dict.fromkeys(each.name for each in reading.all(Mission))
    if len(unclear) != 1 or not missions:
        return reading
    (mention,) = unclear
    length = find_length(mention.words)
    if length is None or not _stands_before_data(mention, reading):
        return reading
    if not all(_has_cadence(length, mission, catalog, archive) for mission in missions):
        return reading
    known = replace(mention, meaning=Cadence(length))
    return replace(reading, mentions=tuple(known if each == mention else each for each in reading.mentions))


def _stands_before_data(mention: Mention, reading: Reading) -> bool:
    """Whether a quantity follows, or a word such as `data`: a length at the end may as well be one of averages."""
    after = [each for each in reading.mentions if each.first >= mention.last]
    is_of_data = re.match(r"\W*(?:\w+\W+)?(?:data|measurements)\b", reading.request[mention.last :]) is not None
    return is_of_data or any(isinstance(each.meaning, Measured | Derived | Dataset) for each in after)


def _has_cadence(length: timedelta, mission: str, catalog: KnownCatalog, archive: str) -> bool:
    facts = (catalog.facts(archive, name) for name in datasets_of(mission, catalog, archive))
    return any(each is not None and each.cadence == length for each in facts)
