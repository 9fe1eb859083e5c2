"""What a request says of one of its quantities alone, by the clause in which it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from helio_dagster.agent.intent import Own
from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Dataset,
    Descriptor,
    Filler,
    Frame,
    Instrument,
    Mission,
    Shape,
    Unclear,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.quantities import VECTORS
from helio_dagster.catalog.instruments import instrument_words, is_magnetometer
from helio_dagster.domain.catalog_entry import Quantity

_CLAUSE = re.compile(r"[,;:+&]|\b(?:and|plus|over|above|below|under|with|versus|vs|against|compared to)\b", re.IGNORECASE)
_FIELD = Measured(("magnetic_field",))
_OTHERS = (Measured, Derived, Dataset, Asks, Transform, Unclear)
_REMARK = re.compile(r"\([^()]*\)")


def clauses(reading: Reading) -> list[list[Mention]]:
    """What is mentioned, by the parts of the request that `and`, `over` or a comma divide, parentheses being whole."""
    plain = _REMARK.sub(lambda match: " " * len(match[0]), reading.request)
    borders = [0, *(match.start() for match in _CLAUSE.finditer(plain)), len(plain)]
    return [[each for each in reading.mentions if first <= each.first < last] for first, last in pairwise(borders)]


def measured_in(clause: Sequence[Mention]) -> set[Quantity]:
    """The quantities that a clause names; a velocity answers for a speed, too."""
    found = {quantity for each in clause if isinstance(each.meaning, Measured) for quantity in each.meaning.quantities}
    return found | ({"speed"} if "velocity" in found else set())


def asked_in(clause: Sequence[Mention], questions: Sequence[Asked]) -> list[Asked]:
    """The questions that a clause is about: of its missions, if it names any."""
    whose = {each.meaning.name for each in clause if isinstance(each.meaning, Mission)}
    measured = measured_in(clause)
    return [each for each in questions if each.quantity in measured and (not whose or each.mission in whose)]


def with_lone_magnetometers(reading: Reading) -> Reading:
    """The reading in which a magnetometer that is listed without a quantity stands for the field: `FGM + ESA ion velocity`."""
    listed = [each for each in clauses(reading) if any(isinstance(one.meaning, Instrument | Measured) for one in each)]
    fields = [each for each in reading.all(Measured) if "magnetic_field" in each.quantities]
    if fields and len(reading.all(Instrument)) == 1:  # `bz, 10:00 to 12:00, fgm`
        return reading
    if (len(listed) < 2 or not any(measured_in(each) for each in listed)) and not _names_only_instruments(reading):
        return reading
    found: list[Mention] = []
    for clause in listed:
        whose = [each for each in clause if isinstance(each.meaning, Instrument) and is_magnetometer(each.meaning.name)]
        if whose and not measured_in(clause) and not any(isinstance(each.meaning, Unclear | Derived) for each in clause):
            at = whose[0].last
            found.append(Mention(Measured(("magnetic_field",)), at, at, ""))
    mentions = tuple(sorted([*reading.mentions, *found], key=lambda each: each.first))
    return reading.rewritten(mentions) if found else reading


def without_idle_magnetometers(reading: Reading) -> Reading:
    """The reading in which `MAG` beside the field or a part of it in its clause says only what that is measured by."""
    idle: set[Mention] = set()
    for clause in clauses(reading):
        of_field = [
            each for each in clause if isinstance(each.meaning, Measured) and "magnetic_field" in each.meaning.quantities
        ]
        bare = [each for each in of_field if each.words.casefold() in ("mag", "magnetometer") and each.meaning == _FIELD]
        idle |= {*bare} if len(bare) < len(of_field) else set()
    mentions = tuple(replace(each, meaning=Filler()) if each in idle else each for each in reading.mentions)
    return reading.rewritten(mentions) if idle else reading


def _names_only_instruments(reading: Reading) -> bool:
    """Whether nothing is asked for but what instruments measure."""
    others = (Measured, Derived, Dataset, Asks, Unclear) if reading.all(Shape) else _OTHERS
    return not reading.unknown and not reading.has(*others)


def frames_by_clause(reading: Reading, questions: Sequence[Asked]) -> tuple[Own, ...]:
    """Frames that each stand in one clause with a vector: `velocity in GSE over B in GSM`."""
    own: list[Own] = []
    for clause in clauses(reading):
        frames = {each.meaning.name for each in clause if isinstance(each.meaning, Frame)}
        vectors = [each for each in asked_in(clause, questions) if each.quantity in VECTORS]
        if len(frames) > 1 or (frames and not vectors):
            return ()
        own += [Own(each.mission, each.quantity, frame=name) for name in frames for each in vectors]
    return tuple(own)


def described_by_clause(reading: Reading, questions: Sequence[Asked]) -> tuple[Own, ...]:
    """Words of the catalog, each for the quantities of its clause."""
    found: list[Own] = []
    for clause in clauses(reading):
        words = tuple(each.meaning.word for each in clause if isinstance(each.meaning, Descriptor))
        found += [Own(each.mission, each.quantity, described=words) for each in asked_in(clause, questions) if words]
    return tuple(found)


def cadences_by_clause(reading: Reading, questions: Sequence[Asked]) -> tuple[Own, ...]:
    """Cadences that stand in a clause behind whose data they are of, while all else is of others: `CELIAS 5-min speed`."""
    whose = (Mission, Instrument)
    found = clauses(reading)
    each_own = [(each, asked) for each in found if (asked := asked_in(each, questions))]
    lengths = [[one.meaning.length for one in each if isinstance(one.meaning, Cadence)] for each, _ in each_own]
    if len(lengths) > 1 and all(len(each) == 1 for each in lengths):  # `1-minute SYM-H and hourly Dst`
        own_lengths = zip(each_own, lengths, strict=True)
        return tuple(Own(one.mission, one.quantity, cadence=length) for (_, asked), (length,) in own_lengths for one in asked)
    if not all(any(isinstance(one.meaning, whose) for one in each) for each in found if asked_in(each, questions)):
        return ()
    own: list[Own] = []
    for clause in found:
        for before, each in pairwise(clause):
            is_whose = isinstance(before.meaning, whose) or before.words.upper() in instrument_words()
            if isinstance(each.meaning, Cadence) and is_whose:
                own += [Own(one.mission, one.quantity, cadence=each.meaning.length) for one in asked_in(clause, questions)]
    return tuple(own) if len(own) < len(questions) else ()
