"""`A or B` of two things that are known: the first is planned, else the second, and the plan says so."""

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
    """The request with the first of two alternatives, then with the second; none where it has no two that are alike.

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
    if len(joints) != 1 or any(isinstance(each.meaning, _OF_LIMITS) for each in reading.mentions):
        return
    joint, text = joints[0], reading.request
    before, after = _beside(joint, reading)
    if before is None or after is None or not _are_alike(before.meaning, after.meaning):
        return
    if any(
        char.isdigit() for each in (before, after) if not isinstance(each.meaning, _MAY_HAVE_NUMBERS) for char in each.words
    ):
        return
    start, rest, said = text[: before.last], text[after.last :], after.words.split(" ", 1)
    kept, other = before.words.strip(), after.words.strip()
    shared = f"{start} {said[1]}{rest}" if len(said) > 1 else ""
    note = f"Of {kept!r} or {other!r} the first is planned; ask for the other afterwards."
    for request in filter(None, (shared, f"{start}{rest}")):
        if _has_one_less(read(request), reading):
            yield Alternative(request, note)
            break
    request = f"{text[: before.first]}{text[after.first :]}"
    if _has_one_less(read(request), reading):
        yield Alternative(request, f"Of {kept!r} or {other!r} the second is planned, because the first cannot be.")


def _beside(joint: Mention, reading: Reading) -> tuple[Mention | None, Mention | None]:
    """What stands right before and after the word, with nothing but small words behind it."""
    text = reading.request
    meant = [each for each in reading.mentions if not isinstance(each.meaning, Filler) and each.last > each.first]
    before = next((each for each in meant if _PAUSE.fullmatch(text[each.last : joint.first])), None)
    after = next((each for each in meant if each.first >= joint.last), None)
    if after is None:
        return before, None
    small = [each for each in reading.mentions if isinstance(each.meaning, Filler) and joint.last <= each.first < after.first]
    between = text[joint.last : after.first]
    for each in small:
        between = between.replace(each.words, "", 1)
    return before, after if not between.strip() else None


def _are_alike(one: Meaning, other: Meaning) -> bool:
    return any(isinstance(one, kinds) and isinstance(other, kinds) for kinds in _KINDS)


def _has_one_less(other: Reading, reading: Reading) -> bool:
    """Whether a request says all that another one does, but for `or` and one thing."""
    return len(_meant(other)) == len(_meant(reading)) - 1 and len(other.unknown) == len(reading.unknown) - 1


def _meant(reading: Reading) -> list[Meaning]:
    return [each.meaning for each in reading.mentions if not isinstance(each.meaning, Filler)]
