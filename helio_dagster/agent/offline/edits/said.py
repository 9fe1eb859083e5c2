"""What the words of a clause say of an intent: quantities, spacecraft, and what is said of all data."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import Preferences
from helio_dagster.agent.offline.edits.forms import form
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Dataset,
    Filler,
    InMode,
    Instrument,
    Level,
    Mission,
    Shape,
    Unclear,
)
from helio_dagster.agent.offline.preferences import read_preferences
from helio_dagster.agent.offline.request_plan import RequestPlanner
from helio_dagster.agent.offline.request_reader import understood
from helio_dagster.agent.offline.request_reading import Reading, read_request
from helio_dagster.agent.offline.treatment import read_treatment
from helio_dagster.agent.offline.whole_results import read_whole_result
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform, Treatment
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, VECTORS
from helio_dagster.catalog.times.lengths import LENGTH, find_length
from helio_dagster.domain.errors import InputError

_OF_DATA = frozenset(
    ("data", "product", "products", "dataset", "version", "mode", "cadence", "resolution", "ones", "instrument")
)
"""Words beside the name of data that say nothing more."""

_MADE = (Asks, Averaging, Pairing, Smoothing, Transform)
_DATA = (Cadence, Dataset, InMode, Instrument, Level)


@dataclass(frozen=True)
class Said:
    """What words say by themselves: quantities, spacecraft, the shape of a vector, and what is said of all data."""

    reading: Reading
    shape: Shape | None
    preferences: Preferences
    treatment: Treatment

    @property
    def has_quantities(self) -> bool:
        """Whether a quantity is named."""
        return bool(self.reading.all(Measured) or self.reading.all(Derived))

    @property
    def says_more(self) -> bool:
        """Whether anything is said of data, or of what is made of them."""
        return self.preferences != Preferences() or self.treatment != Treatment()


def two_sides(clause: Clause, table: Table, requests: RequestPlanner) -> tuple[Said | None, Said | None]:
    """What shall be, and what it takes the place of or is to go; None where a word of it is not understood."""
    target, old = clause.target, clause.old or ""
    if clause.verb == "replace" and not old:
        old, target = clause.two_sides
    if clause.verb == "remove":
        target, old = old, target
    new, gone = said(target, table, requests), said(old, table, requests, is_whole=False)
    if gone is not None and is_length(target):
        new = _length_of(gone, target)
    return new, gone


def _length_of(gone: Said, words: str) -> Said | None:
    """A length alone as what it takes the place of: another cadence, average or running mean."""
    length, reading = find_length(words), replace(gone.reading, mentions=())
    if length is not None and gone.reading.all(Cadence):
        return Said(reading, None, Preferences(cadence=length), Treatment(cadence=length))
    if length is not None and (bins := gone.reading.all(Averaging)):
        return Said(reading, None, Preferences(), Treatment(averaging=replace(bins[0], length=length)))
    if length is not None and gone.reading.all(Smoothing):
        return Said(reading, None, Preferences(), Treatment(smoothing=Smoothing(length)))
    return None


def of_the_vector(table: Table) -> str:
    """What words of a component leave out: the one vector that is drawn, or that what is drawn is a part of."""
    vectors = {each for line in table.plotted.lines for each in line.quantities} & VECTORS
    return f" of the {QUANTITY_WORDS[vectors.pop()]}" if len(vectors) == 1 else ""


def _are_of_the_range(table: Table) -> bool:
    """Whether all that is drawn are results of the whole range."""
    return all(any(step.over == "range" for step in table.plotted.upstream(line.trace.data)) for line in table.plotted.lines)


def _kind(meaning: object) -> object:
    return meaning.operation if isinstance(meaning, Transform | Pairing) else type(meaning), getattr(meaning, "kind", "")


def is_length(words: str) -> bool:
    """Whether words are a length of time and nothing else."""
    return re.fullmatch(LENGTH, words.strip(), re.IGNORECASE) is not None


def is_of_intent(clause: Clause, table: Table) -> bool:
    """Whether a clause names the data that all is made of, or has one thing that is made of them in the place of another.

    Data are named by a dataset, an instrument, a mode, or how dense they are.
    """
    new, old = read_request(clause.target, table.now), read_request(clause.old or "", table.now)
    made = [{_kind(each.meaning) for each in of.mentions if isinstance(each.meaning, _MADE)} for of in (new, old)]
    if all(made) and made[0].isdisjoint(made[1]):
        return True
    has_averages = any(isinstance(each.meaning, Averaging | Smoothing) for each in new.mentions)
    if clause.verb != "add" and form("said.cleaned").match(clause.target) is not None:
        return True
    is_of_some = clause.verb not in ("add", "only", "remove") and _is_of_some(new, table)
    if has_averages and (_are_of_the_range(table) or is_of_some):
        return True  # means of the data, not of their spectrum; or of some of the quantities alone
    if not all(isinstance(each.meaning, (*_DATA, Filler, Measured, Mission, Shape, Unclear)) for each in new.mentions):
        return False
    if any(isinstance(each.meaning, _DATA) and not isinstance(each.meaning, Cadence) for each in new.mentions):
        return True
    if not new.all(Cadence) and not is_length(clause.target):
        return False
    is_binned = any("resample" in line.operations for line in table.plotted.lines)
    is_said = form("said.data").search(clause.text) is not None
    return is_said or (bool(old.all(Cadence)) and not is_binned)


def _is_of_some(reading: Reading, table: Table) -> bool:
    """Whether words name some of the quantities that are drawn, and others are drawn beside them."""
    named = {quantity for each in reading.all(Measured) for quantity in each.quantities}
    drawn = {quantity for line in table.plotted.lines for quantity in line.quantities}
    return bool(named & drawn) and bool(drawn - named)


def said(words: str, table: Table, requests: RequestPlanner, *, is_whole: bool = True) -> Said | None:
    """What words say; of what is to go, which need not be said whole, its kinds and quantities are enough."""
    preferences, treatment = Preferences(), Treatment()
    try:
        reading = understood(requests.read(words, table.now), drawn=table.plotted.missions)
        if is_whole:
            preferences = read_preferences(reading)
            treatment = replace(read_treatment(reading, preferences.cadence), whole=read_whole_result(reading), lengths=None)
    except (OpenQuestion, InputError):
        return None
    if reading.time is not None or (is_whole and reading.all(Unclear)):
        return None
    if reading.unread({*words_of("small"), *_OF_DATA}):
        of = of_the_vector(table)  # `the radial component`
        return said(f"{words}{of}", table, requests, is_whole=is_whole) if of and not words.endswith(of) else None
    shapes = reading.all(Shape)
    return Said(reading, shapes[0] if len(shapes) == 1 else None, preferences, treatment)
