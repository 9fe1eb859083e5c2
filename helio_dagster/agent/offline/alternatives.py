"""`A or B` of things that are known: the first is planned, else the last, and the plan says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Condition,
    Dataset,
    Filler,
    Frame,
    Instrument,
    LeftOut,
    LimitedEvents,
    Meaning,
    Mission,
    Statistic,
    Unclear,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import without
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Transform

_KINDS: tuple[tuple[type, ...], ...] = (
    (Mission,),
    (Instrument,),
    (Dataset,),
    (Frame,),
    (Measured, Derived, Unclear),
    (Transform, Asks),
    (Averaging, Cadence, Statistic),
)
"""What can stand for one another on both sides of `or`."""
_OF_LIMITS = (Condition, LeftOut, LimitedEvents)
"""With these `or` may join conditions, of which none is dropped."""
_MAY_HAVE_NUMBERS = (Mission, Instrument, Dataset, Measured, Derived)
_PAUSE = re.compile(r"\s*,?\s*")


@dataclass(frozen=True)
class Alternative:
    """A request with one of the two, and what to say of it."""

    request: str
    note: str


def alternatives(reading: Reading, read: Callable[[str], Reading]) -> Iterator[Alternative]:
    """The request with the first of the alternatives, then with the last; none where it has none that are alike.

    Parameters
    ----------
    reading
        The request.
    read
        Takes a request apart.
    """
    if either := [each for each in reading.unknown if each.words.casefold() == "either"]:
        reading = read(without(reading, either))
    joints = [each for each in reading.unknown if each.words.casefold() == "or"]
    if len(joints) != 1 or reading.has(*_OF_LIMITS):
        return
    joint, text = joints[0], reading.request
    before, after = _beside(joint, reading)
    if before is None or after is None or not _are_alike(before.meaning, after.meaning):
        return
    listed = [*_before_commas(before, reading), after]
    if any(re.search(r"\d", each.words) for each in listed if not isinstance(each.meaning, _MAY_HAVE_NUMBERS)):
        return
    first, gone = listed[0], len(listed) - 1
    start, rest, words = text[: first.last], text[after.last :], after.words.split(" ", 1)
    *others, last = (repr(each.words.strip()) for each in listed)
    named = f"Of {', '.join(others)} or {last}"
    shared = f"{start} {words[1]}{rest}" if len(words) > 1 else ""
    for request in filter(None, (shared, f"{start}{rest}")):
        if _has_fewer(read(request), reading, gone):
            yield Alternative(request, f"{named} the first is planned; ask for the other afterwards.")
            break
    request = f"{text[: first.first]}{text[after.first :]}"
    if _has_fewer(read(request), reading, gone):
        yield Alternative(request, f"{named} the last is planned, because the first cannot be.")


def _before_commas(last: Mention, reading: Reading) -> list[Mention]:
    """What is listed up to the word before `or`, of its kind and with commas: `ACE, Wind or DSCOVR`."""
    found = [last]
    for each in sorted(reading.mentions, key=lambda one: one.first, reverse=True):
        between = reading.request[each.last : found[0].first] if each.last <= found[0].first else ""
        if between.strip() == "," and _are_alike(each.meaning, last.meaning):
            found.insert(0, each)
    return found


def _beside(joint: Mention, reading: Reading) -> tuple[Mention | None, Mention | None]:
    """What stands right before and after the word, with nothing but small words behind it."""
    text = reading.request
    target = [each for each in reading.mentions if not isinstance(each.meaning, Filler) and each.last > each.first]
    before = next((each for each in target if _PAUSE.fullmatch(text[each.last : joint.first])), None)
    after = next((each for each in target if each.first >= joint.last), None)
    if after is None:
        return before, None
    small = [each for each in reading.of(Filler) if joint.last <= each.first < after.first]
    between = text[joint.last : after.first]
    for each in small:
        between = between.replace(each.words, "", 1)
    return before, after if not between.strip() else None


def _are_alike(one: Meaning, other: Meaning) -> bool:
    return any(isinstance(one, kinds) and isinstance(other, kinds) for kinds in _KINDS)


def _has_fewer(other: Reading, reading: Reading, gone: int) -> bool:
    """Whether a request says all that another one does, but for `or` and some things."""
    return (
        len(_weighty_meanings(other)) == len(_weighty_meanings(reading)) - gone
        and len(other.unknown) == len(reading.unknown) - 1
    )


def _weighty_meanings(reading: Reading) -> list[Meaning]:
    return [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler)]
