"""Which of the quantities asked for each named instrument measures: `MFI and SWE` of field and density are one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.domain.time_range import TimeRange


@dataclass(frozen=True)
class Bound:
    """The questions with their instruments.

    Parameters
    ----------
    questions
        As they were asked, each with the instrument that measures it where one of those named does.
    idle
        Instruments that measure none of it.
    open
        Questions that several of the instruments could answer, with these.
    """

    questions: tuple[Asked, ...]
    idle: tuple[str, ...] = ()
    open: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_clear(self) -> bool:
        """Whether every instrument has something to measure, and no question is left between two of them."""
        return not self.idle and not self.open


def bind_instruments(
    offers: Offers, questions: Sequence[Asked], instruments: Sequence[str], *, span: TimeRange | None = None
) -> Bound:
    """Bind each question to the instrument that measures it on its mission, by the ids and instruments of the datasets.

    An instrument that alone answers some question is not also taken for another that a different one answers. Where that
    leaves a choice, as with files that two instruments share, they are taken in their order. A question that none of them
    measures keeps no instrument.

    Parameters
    ----------
    offers
        What the catalog has.
    questions
        Quantities of missions.
    instruments
        Names as in ids and instrument lists, in upper case: `MFI`, `HOPE`.
    span
        Where the questions are for a time, only what has data then counts.
    """
    able = [[name for name in instruments if measures(offers, each, name, span)] for each in questions]
    alone = {names[0] for names in able if len(names) == 1}
    able = [[name for name in names if name not in alone] or names for names in able]
    if any(len(names) > 1 for names in able) and len(able) == len(instruments):
        in_order = list(zip(instruments, able, strict=True))
        able = [[name] for name, _ in in_order] if all(name in names for name, names in in_order) else able
    bound = tuple(
        replace(each, instrument=names[0]) if len(names) == 1 else each for each, names in zip(questions, able, strict=True)
    )
    used = {name for names in able for name in names}
    left = {place: tuple(names) for place, names in enumerate(able) if len(names) > 1}
    return Bound(bound, tuple(name for name in instruments if name not in used), left)


def measures(offers: Offers, asked: Asked, instrument: str, span: TimeRange | None = None) -> bool:
    """Whether an instrument measures what is asked for, in a range if one is given."""
    by_it = replace(asked, instrument=instrument)
    found = offers.find(by_it, all_datasets=True) or offers.likely(by_it)
    return any(span is None or offer.share(span) > 0 for offer in found)
