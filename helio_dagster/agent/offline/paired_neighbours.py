"""What stands beside a ratio or a difference: `alpha/proton density ratio and |B|`, `density minus that of Wind, and Bz`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from helio_dagster.agent.offline.meanings import Shape
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import AnyTarget, Derived, Measured
from helio_dagster.agent.treatments import Pairing, Treatment

_BETWEEN = re.compile(r"divided by|minus|/", re.IGNORECASE)
_JOINED = re.compile(r"[^,;]*\b(?:to|over|and)\b(?:\s+the)?\s*|\s*/\s*", re.IGNORECASE)
_OF = re.compile(r"[\w-]+\s+(?:of|between)\b", re.IGNORECASE)


def with_what_is_beside(
    treatment: Treatment, reading: Reading, targets: Sequence[AnyTarget], find: Callable[[Reading], Sequence[AnyTarget]]
) -> Treatment:
    """The treatment with the targets that are no part of its ratio or difference, where the words tell which two are.

    Parameters
    ----------
    find
        Gives the targets of a reading.
    """
    pairings = reading.of(Pairing)
    if treatment.pairing is None or treatment.pairing.operation not in ("ratio", "difference"):
        return treatment
    if len(pairings) != 1 or len(targets) < 3 or (pair := _pair(pairings[0], reading)) is None:
        return treatment
    left = [each for each in reading.mentions if not isinstance(each.meaning, Measured | Derived | Shape) or each in pair]
    of_pair = find(replace(reading, mentions=tuple(left)))
    beside = tuple(each for each in targets if each not in of_pair)
    is_split = len(of_pair) == 2 and len(targets) == 2 + len(beside)
    return replace(treatment, beside=beside) if is_split else treatment


def _pair(pairing: Mention, reading: Reading) -> tuple[Mention, Mention] | None:
    """The two quantities that a ratio or a difference is of; None where the words leave it open."""
    quantities = reading.of(Measured, Derived)
    before = [each for each in quantities if each.last <= pairing.first]
    after = [each for each in quantities if each.first >= pairing.last]
    if _BETWEEN.fullmatch(pairing.words.strip()):
        return (before[-1], after[0]) if before and after else None
    is_behind = len(before) == 2 and not reading.request[before[1].last : pairing.first].strip()
    if is_behind and _JOINED.fullmatch(reading.request[before[0].last : before[1].first]):
        return before[0], before[1]
    is_before = _OF.match(reading.request, pairing.first) is not None
    if is_before and len(after) > 1 and _JOINED.fullmatch(reading.request[after[0].last : after[1].first]):
        return after[0], after[1]
    return None
