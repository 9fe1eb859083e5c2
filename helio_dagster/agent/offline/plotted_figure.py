"""What the pipeline on the table draws, and which line or panel words mean. Changes of it stand in the edits' modules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.intent import Derived, Measured, Smoothing, Transform
from helio_dagster.agent.offline.meanings import Filler, Layout, Mission, Shape, Unclear
from helio_dagster.agent.offline.request_reading import read_request
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.quantities import QUANTITIES
from helio_dagster.catalog.missions import mission_of
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Fetch, Panel, Step, Trace
from helio_dagster.domain.pipeline_text import PipelineFile

_ORDINALS = {"first": 0, "top": 0, "upper": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "bottom": -1, "lower": -1}
_THINGS = r"lines?|curves?|traces?|panels?|plots?|graphs?|ones?|values?|data|axis|axes|figure"
_ALL = re.compile(rf"(?:it|this|that|them|everything|all|(?:the |all )*(?:{_THINGS})|the)?", re.IGNORECASE)
_PLACE = re.compile(
    rf"(?:the )?(?:(?P<word>{'|'.join(_ORDINALS)})|(?P<number>\d+)(?:st|nd|rd|th)?)(?: (?:one|{_THINGS}))?"
    r"|(?:the )?panel (?P<panel>\d+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Line:
    """A trace: where it stands, what it draws, and what that is made of."""

    panel: int
    place: int
    trace: Trace
    missions: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    operations: tuple[str, ...]

    @property
    def path(self) -> str:
        """Its path inside the figure's step."""
        return f"figure.panels[{self.panel}].traces[{self.place}]"

    @property
    def words(self) -> str:
        """How it can be named in a request."""
        return self.trace.label or self.trace.data


class PlottedFigure:
    """The first figure of a pipeline, and the steps beneath it.

    Parameters
    ----------
    file
        The pipeline on the table.
    offers
        Tells what a fetch measures.
    now
        The present.
    """

    def __init__(self, file: PipelineFile, offers: Offers, now: datetime) -> None:
        self.file = file
        self.pipeline = file.pipeline
        self._offers = offers
        self._now = now

    @cached_property
    def figure(self) -> Step:
        """The step of the figure."""
        for step in self.pipeline.steps:
            if step.figure is not None:
                return step
        raise InputError("the pipeline on the table draws no figure", hint="Ask for one: a quantity of a spacecraft.")

    @property
    def panels(self) -> list[Panel]:
        """Its panels from top to bottom."""
        return list(self.figure.figure.panels) if self.figure.figure else []

    @cached_property
    def lines(self) -> list[Line]:
        """Every trace of it."""
        return [
            self._line(row, place, trace) for row, panel in enumerate(self.panels) for place, trace in enumerate(panel.traces)
        ]

    @cached_property
    def missions(self) -> list[str]:
        """The missions whose data are plotted, in order."""
        return list(dict.fromkeys(mission for line in self.lines for mission in line.missions))

    def upstream(self, step_id: str) -> list[Step]:
        """A step and all that it is made from, inputs first."""
        known = {step.id: step for step in self.pipeline.steps}
        found: dict[str, Step] = {}

        def visit(reference: str) -> None:
            step = known.get(reference.rpartition("/")[2])
            if step is None or step.id in found:
                return
            for _, other in step.references:
                visit(other)
            found[step.id] = step

        visit(step_id)
        return list(found.values())

    def mission(self, fetch: Fetch) -> str:
        """Whose data a fetch yields; empty where that is not known."""
        entry = self._offers.catalog.dataset(fetch.archive, fetch.dataset)
        owner = mission_of(fetch.dataset)
        return entry.mission if entry else owner.name if owner else ""

    def quantity(self, fetch: Fetch) -> Quantity | None:
        """What a fetch measures; None where that is not known."""
        entry = self._offers.catalog.dataset(fetch.archive, fetch.dataset)
        by_hand = entry.parameter(fetch.parameter) if entry else None
        if by_hand is not None:
            return by_hand.quantity
        facts = self._offers.catalog.facts(fetch.archive, fetch.dataset)
        told = facts.parameter(fetch.parameter) if facts else None
        for quantity, known in QUANTITIES.items():
            is_named = known.name is None or known.name.search(fetch.parameter)
            if told is not None and is_named and str(told.quantity) == (known.catalogued or ("",))[0]:
                return quantity
        return None

    def frame(self, fetch: Fetch) -> str | None:
        """The frame of what a fetch yields; None where that is not known, or it has none."""
        meta = self._offers.catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        return meta.frame if meta else None

    def unit(self, fetch: Fetch) -> str | None:
        """The unit of what a fetch yields; None where that is not known."""
        meta = self._offers.catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        return meta.unit if meta else None

    def find(self, words: str) -> list[Line] | None:
        """The lines that words mean; None where they mean no line. Empty words mean all."""
        text = " ".join(words.split()).strip(" ,.")
        if _ALL.fullmatch(text):
            return self.lines
        bare = re.sub("^the ", "", text, flags=re.IGNORECASE).casefold()
        for line in self.lines:
            if bare in (line.trace.data.casefold(), (line.trace.label or "").casefold()):
                return [line]
        place = _PLACE.fullmatch(text)
        if place:
            return self._at(place, is_line=re.search("line|curve|trace", text, re.IGNORECASE) is not None)
        return self._meant(text)

    def one(self, words: str, again: str) -> Line:
        """The one line that words mean; `again` is the request with `{0}` for a line's name.

        Raises
        ------
        OpenQuestion
            They mean none, or several.
        """
        found = self.find(words)
        if found and len(found) == 1:
            return found[0]
        names = [line.words for line in found or self.lines]
        text = (
            f"Which line is meant by {words.strip()!r}: {' or '.join(names)}?" if words.strip() else "Which line do you mean?"
        )
        raise OpenQuestion(text, [again.format(name) for name in names])

    def panel(self, words: str, again: str) -> int:
        """The one panel that words mean; as `one`."""
        found = self.find(words)
        rows = list(dict.fromkeys(line.panel for line in found or []))
        if len(rows) == 1:
            return rows[0]
        names = [_panel_name(panel, row) for row, panel in enumerate(self.panels)]
        text = f"Which panel is meant{f' by {words.strip()!r}' if words.strip() else ''}: {' or '.join(names)}?"
        raise OpenQuestion(text, [again.format(f"panel {row + 1}") for row in range(len(names))])

    def _line(self, row: int, place: int, trace: Trace) -> Line:
        steps = self.upstream(trace.data)
        fetches = [step.fetch for step in steps if step.fetch]
        missions = tuple(dict.fromkeys(mission for fetch in fetches if (mission := self.mission(fetch))))
        quantities = tuple(dict.fromkeys(found for fetch in fetches if (found := self.quantity(fetch)) is not None))
        operations = tuple(step.compute.operation or "code" for step in steps if step.compute)
        return Line(row, place, trace, missions, quantities, operations)

    def _at(self, place: re.Match[str], *, is_line: bool) -> list[Line] | None:
        number = place["panel"] or place["number"]
        index = int(number) - 1 if number else _ORDINALS[place["word"].lower()]
        if is_line:
            return [self.lines[index]] if -len(self.lines) <= index < len(self.lines) else None
        rows = range(len(self.panels))
        return [line for line in self.lines if line.panel == rows[index]] if -len(rows) <= index < len(rows) else None

    def _meant(self, text: str) -> list[Line] | None:
        reading = read_request(text, self._now)
        if reading.time is not None or any(not re.fullmatch(_THINGS, each.words, re.IGNORECASE) for each in reading.unknown):
            return None
        found: Sequence[Line] = self.lines
        is_named = False
        for mention in reading.mentions:
            meaning = mention.meaning
            if isinstance(meaning, Filler | Layout):
                continue
            is_named = True
            if isinstance(meaning, Unclear) and mention.words.lower() == "wind":
                meaning = Mission("Wind")
            if isinstance(meaning, Mission):
                found = [line for line in found if meaning.name in line.missions]
            elif isinstance(meaning, Measured):
                found = [line for line in found if _is_of(line, meaning)]
            elif isinstance(meaning, Derived | Transform):
                found = [line for line in found if meaning.operation in line.operations]
            elif isinstance(meaning, Smoothing):
                found = [line for line in found if "rolling_mean" in line.operations]
            elif isinstance(meaning, Shape) and meaning.shape == "magnitude":
                found = [line for line in found if "magnitude" in line.operations]
            else:
                return None
        return list(found) if is_named and found else None


def _is_of(line: Line, measured: Measured) -> bool:
    wanted = set(measured.quantities) | ({"velocity"} if "speed" in measured.quantities else set())
    if not wanted & set(line.quantities) or len(line.quantities) > 1:
        return False
    if measured.axis:
        return re.search(rf"_{measured.axis}(_|$)", line.trace.data) is not None
    if measured.shape == "magnitude":
        return "magnitude" in line.operations or re.search("_mag(_|$)", line.trace.data) is not None
    return True


def _panel_name(panel: Panel, row: int) -> str:
    return f"{row + 1} ({panel.y.title or panel.traces[0].data})"
