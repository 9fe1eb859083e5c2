"""Quantities of one request that are each treated in their own way: `daily maximum of AE, raw |B| and 5-minute mean speed`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.meanings import (
    Asks,
    AsMeasured,
    Cadence,
    Dataset,
    Filler,
    Instrument,
    Length,
    LimitedEvents,
    Meaning,
    Mission,
    Per,
    Points,
    Statistic,
)
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.targets import AnyTarget, Derived, Measured
from helio_dagster.agent.treatments import Apart, Averaging, Pairing, Smoothing, Transform, Treatment

_BESIDE = frozenset(("bins", "cells", "lasting", "apart"))
"""What is said of a result beside it."""
_OF_TWO = frozenset(("lag", "scatter", "joint", "fit", "lags", "behind"))
"""Results of two quantities, whatever is done to each of them first."""
_TREATED = (Averaging, Smoothing, Statistic, Transform, Asks)
_LENGTHS = (Per, Length, Points, Cadence)
_SAID = (*_TREATED, *_LENGTHS, AsMeasured)
_WHOSE = (Mission, Dataset, Instrument)
_QUANTITY = (Measured, Derived)


@dataclass(frozen=True)
class _Clause:
    """What stands between two borders; `treated` is what is done in it, in its words, and in it alone if it `is_added`."""

    mentions: tuple[Mention, ...]
    treated: tuple[Mention, ...]
    is_added: bool = False

    @property
    def quantities(self) -> list[Mention]:
        """The quantities that it names."""
        return [each for each in self.mentions if isinstance(each.meaning, _QUANTITY)]

    @property
    def is_led(self) -> bool:
        """Whether what is done is said before what it is done to: `hourly means of the density`, not `density, averaged`."""
        return bool(self.treated) and self.treated[0].first < self.quantities[0].first

    @property
    def done(self) -> list[Meaning]:
        """What is done, without where it stands."""
        return [each.meaning for each in self.treated]


@dataclass(frozen=True)
class Parted:
    """A request with what is done to some of its quantities taken out of it, and that."""

    reading: Reading
    apart: tuple[Apart, ...]


def treated_apart(
    reading: Reading, find: Callable[[Reading], Sequence[AnyTarget]], treat: Callable[[Reading], Treatment]
) -> Parted | None:
    """The request in parts that are treated in their own way; None where all of it is treated alike, or that is left open.

    A clause without a treatment has that of the clause before it, where this begins with one (`hourly means of the density and
    the speed`), or of the one after it, where this ends with one.

    Parameters
    ----------
    reading
        The request.
    find, treat
        Give the targets of a reading, and what is done to them.

    Raises
    ------
    OpenQuestion
        A part leaves open what is wanted.
    """
    if reading.all(LimitedEvents) or any(each.operation == "superposed_epoch" for each in reading.all(Transform)):
        return None
    said = _with_trailing_lengths(_clauses(reading))
    again = _named_again(said)
    clauses = _inherited(_with_lengths(_with_the_rest(said, again)))
    if not _are_apart(clauses):
        return None
    bare = _without(reading, [each for clause in clauses for each in clause.treated])
    targets, reading = list(find(bare)), _without(reading, again)
    apart: list[Apart] = []
    for clause in clauses:
        part = _part(reading, clause, clauses)
        found = tuple(find(part))
        if not found or not {*found} <= {*targets}:
            return None
        if clause.treated and not all(isinstance(each, AsMeasured) for each in clause.done):
            apart.append(Apart(found, treat(part)))
        elif any({*found} & {*each.targets} for each in apart):
            return None  # the data beside what is made of them, in one panel
    return Parted(bare, tuple(_joined(apart)))


def _clauses(reading: Reading) -> list[_Clause]:
    """The clauses that name quantities; others belong to the one before them, or to the first one."""
    inner = [(each.first, each.last) for each in reading.mentions if not isinstance(each.meaning, Filler)]
    cuts = [match.start() for match in form("treated.border").finditer(reading.request)]
    cuts = [cut for cut in cuts if not any(first < cut < last for first, last in inner)]
    runs: list[tuple[int, int]] = []
    for first, last in pairwise([0, *cuts, len(reading.request)]):
        is_named_in = any(first <= each.first < last for each in reading.of(*_QUANTITY))
        if runs and (not is_named_in or not _has_quantity(reading, runs[-1])):
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return [_clause(reading, first, last) for first, last in runs if _has_quantity(reading, (first, last))]


def _has_quantity(reading: Reading, run: tuple[int, int]) -> bool:
    return any(run[0] <= each.first < run[1] for each in reading.of(*_QUANTITY))


def _clause(reading: Reading, first: int, last: int) -> _Clause:
    mentions = tuple(each for each in reading.mentions if first <= each.first < last)
    treated = [each for each in mentions if isinstance(each.meaning, _SAID) and not _is_of_two(each)]
    over_time = form("treated.over_time").search(reading.request, first, last)
    if over_time is not None and not treated:
        treated = [Mention(AsMeasured(), over_time.start(), over_time.end(), over_time[0])]
    return _Clause(mentions, tuple(treated), form("treated.added").match(reading.request, first) is not None)


def _is_of_two(mention: Mention) -> bool:
    return isinstance(mention.meaning, Asks) and mention.meaning.kind in _OF_TWO


def _with_trailing_lengths(clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses, a length or a number of bins alone being of what is done before it: `Bx and By in 10-minute windows`."""
    found: list[_Clause] = []
    for clause in clauses:
        is_length = bool(clause.treated) and all(_is_beside(each) for each in clause.done)
        place = next((at for at in range(len(found) - 1, -1, -1) if found[at].treated), None)
        if is_length and place is not None:
            found[place] = replace(found[place], treated=(*found[place].treated, *clause.treated))
            clause = replace(clause, treated=())
        found.append(clause)
    return found


def _named_again(clauses: Sequence[_Clause]) -> list[Mention]:
    """Some of several quantities, which a clause names again to say what is done to them: `Bz and AE, daily maximum of AE`."""
    again: list[Mention] = []
    for place, clause in enumerate(clauses):
        before = [each for one in clauses[:place] if not one.treated for each in one.quantities]
        wanted = {each.meaning for each in clause.quantities} if clause.treated else set()
        same = [each for each in before if each.meaning in wanted]
        if wanted == {each.meaning for each in same} and len(same) < len(before):
            again += same
    return again


def _with_the_rest(clauses: Sequence[_Clause], again: Sequence[Mention]) -> list[_Clause]:
    """The clauses without what others name again; nothing is done to what else stands beside it."""
    if not again:
        return list(clauses)
    left = [replace(each, mentions=tuple(one for one in each.mentions if one not in again)) for each in clauses]
    rest = [each for each in left if each.quantities]
    return [each if each.treated else replace(each, treated=(_as_it_is(each),)) for each in rest]


def _as_it_is(clause: _Clause) -> Mention:
    """That nothing is done to what a clause names."""
    at = clause.quantities[0].first
    return Mention(AsMeasured(), at, at, "")


def _is_beside(meaning: Meaning) -> bool:
    """Whether a meaning only tells more of what is done."""
    return isinstance(meaning, Per | Length | Points) or (isinstance(meaning, Asks) and meaning.kind in _BESIDE)


def _with_lengths(clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses; a statistic without its stretch of time has that of the clause beside it: `daily max of AE, min of AL`."""
    stretches = [
        next((each.length for each in clause.done if isinstance(each, Averaging | Per | Cadence)), None) for clause in clauses
    ]
    found: list[_Clause] = []
    for place, clause in enumerate(clauses):
        bare = [each for each in clause.treated if isinstance(each.meaning, Statistic)]
        has_length = any(isinstance(each, Averaging | Per | Smoothing | Length | Cadence) for each in clause.done)
        near = next((each for each in (*reversed(stretches[:place]), *stretches[place + 1 :]) if each is not None), None)
        if bare and not has_length and near is not None:
            at = bare[0].last
            clause = replace(clause, treated=(*clause.treated, Mention(Per(near), at, at, "")))
        found.append(clause)
    return found


def _inherited(clauses: Sequence[_Clause]) -> list[_Clause]:
    """The clauses, those without a treatment having that of a neighbour that covers them."""
    found = list(clauses)
    for place, clause in enumerate(clauses):
        if clause.treated:
            continue
        before = next((each for each in reversed(clauses[:place]) if each.treated), None)
        after = next((each for each in clauses[place + 1 :] if each.treated), None)
        if before is not None and before.is_led:
            found[place] = replace(clause, treated=before.treated)
        elif after is not None and after.is_added:
            found[place] = replace(clause, treated=(_as_it_is(clause),))
        elif after is not None and not after.is_led:
            found[place] = replace(clause, treated=after.treated)
    return found


def _are_apart(clauses: Sequence[_Clause]) -> bool:
    """Whether clauses are treated in different ways, more than one of them saying how."""
    own = [each for each in clauses if AsMeasured() in each.done or {*each.treated} & {*each.mentions}]
    if len(own) < 2 or not any(isinstance(each, _TREATED) for clause in own for each in clause.done):
        return False
    return any(clause.done != own[0].done for clause in own[1:])


def _part(reading: Reading, clause: _Clause, clauses: Sequence[_Clause]) -> Reading:
    """The request for the quantities of one clause alone, of the spacecraft that it names, or of those of its neighbours."""
    others = [each for one in clauses if one is not clause for each in (*one.quantities, *one.treated)]
    place = clauses.index(clause)
    near = [clause, *reversed(clauses[:place]), *clauses[place + 1 :]]
    named = next((whose for one in near if (whose := [each for each in one.mentions if isinstance(each.meaning, _WHOSE)])), [])
    kept = [
        each
        for each in reading.mentions
        if each not in others
        and (not isinstance(each.meaning, _WHOSE) or each in named)
        and not isinstance(each.meaning, Pairing)
        and not _is_of_two(each)
    ]
    kept += [each for each in clause.treated if each not in kept and not isinstance(each.meaning, AsMeasured)]
    return reading.rewritten(sorted(kept, key=lambda each: each.first))


def _without(reading: Reading, gone: Sequence[Mention]) -> Reading:
    mentions = tuple(each for each in reading.mentions if each not in gone)
    return reading.rewritten(mentions)


def _joined(parts: Sequence[Apart]) -> Iterator[Apart]:
    """The parts, those that are treated alike being one."""
    left = list(parts)
    while left:
        first = left[0]
        alike = [each for each in left if each.treatment == first.treatment]
        yield Apart(tuple(dict.fromkeys(target for each in alike for target in each.targets)), first.treatment)
        left = [each for each in left if each not in alike]
