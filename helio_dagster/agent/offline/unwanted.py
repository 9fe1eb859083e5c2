"""Quantities that a request says it does not want: `Bz but not By`, `plasma parameters without the temperature`."""

from __future__ import annotations

from dataclasses import replace

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import Filler, Meaning
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Measured


def with_unwanted(reading: Reading) -> Reading:
    """The reading without such quantities, which says so.

    It is as it was where no other quantity is asked for, or a word follows that could belong to them: `without temperature
    correction`.
    """
    measured = reading.of(Measured)
    unwanted: list[Mention] = []
    negations: list[tuple[int, int]] = []
    for each in measured:
        before = unwanted[-1] if unwanted else None
        if (match := form("unwanted.not").search(reading.request[: each.first])) is not None:
            negations.append(match.span())
        elif before is None or not form("unwanted.or").fullmatch(reading.request[before.last : each.first]):
            continue
        unwanted.append(each)
    last = max((each.last for each in unwanted), default=0)
    follows = any(not reading.request[last : each.first].strip() for each in reading.unknown if each.first >= last)
    kept = {each: _left(each.meaning, unwanted) for each in measured if each not in unwanted}
    if not unwanted or follows or not kept or None in kept.values():
        return reading
    note = f"{' and '.join(each.words.strip() for each in unwanted)} left out, as the request says."
    meanings: dict[Mention, Meaning] = {
        **{each: left for each, left in kept.items() if left},
        **dict.fromkeys(unwanted, Filler(note[:1].upper() + note[1:])),
    }
    first = min(at for at, _ in negations)
    inside = [each for each in reading.unknown if first <= each.first < last]
    mentions = tuple(replace(each, meaning=meanings.get(each, each.meaning)) for each in reading.mentions)
    unknown = tuple(each for each in reading.unknown if each not in inside)
    return replace(reading, mentions=mentions, unknown=unknown, heard=reading.heard or reading.mentions)


def _left(meaning: object, unwanted: list[Mention]) -> Measured | None:
    """A quantity, or several of one word, without those that are not wanted; None where none is left."""
    assert isinstance(meaning, Measured)  # noqa: S101 - chosen so
    gone = [each.meaning for each in unwanted if isinstance(each.meaning, Measured)]
    if any(replace(each, species=meaning.species) == meaning for each in gone):
        return None
    whole = {quantity for each in gone if each.axis is None and each.shape is None for quantity in each.quantities}
    left = tuple(each for each in meaning.quantities if each not in whole)
    return replace(meaning, quantities=left) if left else None
