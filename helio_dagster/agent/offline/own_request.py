"""Whether what is said while a question is open answers it, or is a request of its own."""

from __future__ import annotations

from datetime import datetime

from helio_dagster.agent.offline.meanings import Dataset, Mission
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.catalog.choice.quantities import INDICES
from helio_dagster.domain.errors import InputError


def is_request_of_its_own(words: str, asked_about: str, now: datetime) -> bool:
    """Whether words name whose data are wanted, which, and when, and these are not those that were asked about."""
    try:
        own, old = read_request(words, now), read_request(asked_about, now)
    except InputError:
        return False
    whose, what = _whose(own), _what(own)
    is_index = any(isinstance(each, Measured) and each.quantities[0] in INDICES for each in what)
    if not what or not (whose or is_index) or (own.time is None and old.time is not None):
        return False
    return bool(what - _what(old)) or bool(_whose(old) and not whose & _whose(old))


def _whose(reading: Reading) -> set[Mission | Dataset]:
    return {*reading.all(Mission), *reading.all(Dataset)}


def _what(reading: Reading) -> set[Measured | Derived]:
    return {*reading.all(Measured), *reading.all(Derived)}
