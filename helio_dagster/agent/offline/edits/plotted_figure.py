"""What the pipeline on the table draws, and which line or panel words mean. Changes of it stand in the edits' modules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from helio_dagster.agent.drafting.derived import CATALOGUED
from helio_dagster.agent.offline.edits.slots import words_of
from helio_dagster.agent.offline.meanings import AsMeasured, Filler, Layout, Meaning, Mission, Shape, Statistic, Unclear
from helio_dagster.agent.offline.request_reading import Mention, read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.choice.fetched import mission_of_fetch, quantity_of_fetch
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import likely_kind
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, VECTORS
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.figure import Panel, Trace
from helio_dagster.domain.pipeline import Fetch, Step
from helio_dagster.domain.pipeline_text import PipelineFile

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_THINGS = r"lines?|curves?|traces?|panels?|plots?|graphs?|ones?|values?|data|axis|axes|figure|colou?rs?"
_PLACE = re.compile(
    rf"(?:(?P<first>top|upper)|(?P<last>last|bottom|lower|lowest)|(?P<word>{'|'.join(_ORDINALS)})|(?P<number>\d+)(?:st|"
    rf"nd|rd|th)?)"
    rf"(?: (?:one|{_THINGS}))?|panel (?P<panel>\d+)",
    re.IGNORECASE,
)
_SPECTRA = re.compile(r"(?:energy |frequency )?spectr(?:ograms?|a|um)(?: panels?)?", re.IGNORECASE)
_SHORT_NAMES: dict[Quantity, str] = {
    "solar_distance": "distance",
    "heliographic_latitude": "latitude",
    "heliographic_longitude": "longitude",
}
"""What a drawn line may be called that a new request has to call by more."""
AVERAGED = frozenset(("rolling_mean", "resample", "rolling_statistic"))
SPECTRAL = frozenset(("spectrogram", "welch", "wavelet_power"))


@dataclass(frozen=True)
class Line:
    """A trace: where it stands, what it draws, and what that is made of.

    `is_spectrogram` where its values are colours over a time and a bin axis.
    """

    panel: int
    place: int
    trace: Trace
    missions: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    operations: tuple[str, ...]
    is_spectrogram: bool = False

    @property
    def path(self) -> str:
        """Its path inside the figure's step."""
        return f"figure.panels[{self.panel}].traces[{self.place}]"

    @property
    def words(self) -> str:
        """What it is called in a step's words."""
        return self.trace.label or self.trace.data

    @property
    def is_whole_vector(self) -> bool:
        """Whether it is a vector by all its components."""
        is_part = {"magnitude", "component", "direction"} & set(self.operations) or self.trace.component
        return bool(VECTORS & set(self.quantities)) and not is_part and not re.search("_mag(_|$)", self.trace.data)


@dataclass(frozen=True)
class Meant:
    """The lines that words mean, and the words among them that are not understood; `is_named` if not simply all are meant."""

    lines: list[Line]
    is_named: bool
    unknown: tuple[Mention, ...] = ()


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
        known = {step.id: step for step in self.pipeline.nodes}
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
        return mission_of_fetch(self._offers.catalog, fetch)

    def quantity(self, fetch: Fetch) -> Quantity | None:
        """What a fetch measures; None where that is not known."""
        return quantity_of_fetch(self._offers.catalog, fetch)

    def frame(self, fetch: Fetch) -> str | None:
        """The frame of what a fetch yields; None where that is not known, or it has none."""
        meta = self._offers.catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        return meta.frame if meta else None

    def unit(self, fetch: Fetch) -> str | None:
        """The unit of what a fetch yields; None where that is not known."""
        meta = self._offers.catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        return meta.unit if meta else None

    def meant(self, words: str) -> Meant | None:
        """The lines that words mean; None where they name something else. Words that name nothing mean all."""
        if member := self._of_member(words.strip(" ,.")):
            return Meant(member, is_named=True)
        text = bare(words)
        if not text or re.fullmatch(_THINGS, text, re.IGNORECASE):
            return Meant(self.lines, is_named=False)
        for line in self.lines:
            names = (line.trace.data, line.trace.label or "", self.panels[line.panel].y.title or "")
            if text in names or text.casefold() in (line.trace.data.casefold(), (line.trace.label or "").casefold()):
                return Meant([line], is_named=True)
        named = [line for line in self.lines if text.casefold() in _short_names(line)]
        if named:
            return Meant(named, is_named=True)
        spectra = [line for line in self.lines if line.is_spectrogram] if _SPECTRA.fullmatch(text) else []
        if spectra:
            return Meant(spectra, is_named=True)
        place = _PLACE.fullmatch(text)
        if place:
            found = self._at(place, is_line=re.search("line|curve|trace", text, re.IGNORECASE) is not None)
            return Meant(found, is_named=True) if found else None
        parts = [self._named(part) for part in re.split(r"\s*,\s*|\s+(?:and|&)\s+", text)]
        if len(parts) > 1 and all(part is not None and part[1] for part in parts):
            lines = [line for line in self.lines if any(part and line in part[0].lines for part in parts)]
            return Meant(lines, is_named=True, unknown=tuple(each for part in parts if part for each in part[0].unknown))
        whole = self._named(text)
        return whole[0] if whole is not None else None

    def _of_member(self, text: str) -> list[Line]:
        """The lines of one spacecraft of a family of which several are drawn: `A` and `B` of STEREO."""
        ends = {each: re.fullmatch(r"(.*?[a-zA-Z])[ -]?([A-F]|\d{1,2})", each) for each in self.missions}
        stems = {match[1] for match in ends.values() if match is not None}
        found = [each for each, match in ends.items() if match is not None and match[2] == text]
        is_family = len(stems) == 1 and len(ends) > 1
        return [line for line in self.lines if line.missions == tuple(found)] if is_family and found else []

    def name_of(self, line: Line) -> str:
        """Words that mean just this line."""
        quantity = " and ".join(QUANTITY_WORDS[each] for each in line.quantities)
        title = self.panels[line.panel].y.title or ""
        mission = " ".join(line.missions)
        for name in (line.trace.label, title, quantity, f"{mission} {title}", f"{mission} {quantity}"):
            found = self.meant(name) if name and name.strip() else None
            if found is not None and found.lines == [line] and found.is_named and not found.unknown:
                return str(name)
        return line.trace.data

    def _line(self, row: int, place: int, trace: Trace) -> Line:
        steps = self.upstream(trace.data)
        fetches = [step.fetch for step in steps if step.fetch]
        missions = tuple(dict.fromkeys(mission for fetch in fetches if (mission := self.mission(fetch))))
        quantities = tuple(dict.fromkeys(found for fetch in fetches if (found := self.quantity(fetch)) is not None))
        operations = tuple(step.compute.operation or "code" for step in steps if step.compute)
        is_spectrogram = operations[-1] in SPECTRAL if operations else any(self._has_bins(fetch) for fetch in fetches)
        return Line(row, place, trace, missions, quantities, operations, is_spectrogram)

    def _has_bins(self, fetch: Fetch) -> bool:
        """Whether a fetch is catalogued as a spectrogram."""
        facts = self._offers.catalog.facts(fetch.archive, fetch.dataset)
        parameter = facts.parameter(fetch.parameter) if facts else None
        if parameter is not None:
            return likely_kind(parameter) == "spectrogram"
        meta = self._offers.catalog.meta(fetch.archive, fetch.dataset, fetch.parameter)
        return meta is not None and meta.kind == "spectrogram"

    def _at(self, place: re.Match[str], *, is_line: bool) -> list[Line]:
        number = place["panel"] or place["number"]
        index = int(number) - 1 if number else _ORDINALS.index(place["word"].lower()) if place["word"] else 0
        index = -1 if place["last"] else index
        if is_line:
            return [self.lines[index]] if -len(self.lines) <= index < len(self.lines) else []
        rows = range(len(self.panels))
        return [line for line in self.lines if line.panel == rows[index]] if -len(rows) <= index < len(rows) else []

    def _named(self, text: str) -> tuple[Meant, bool] | None:
        """The lines that fit every kind of thing that is named, and whether a mission is; None where something else is."""
        try:
            reading = read_request(text, self._now)
        except InputError:
            return None
        known = {*words_of("small"), *words_of("use"), *words_of("raw"), *words_of("all")}
        unknown = [each for each in reading.unknown if not re.fullmatch(_THINGS, each.words, re.IGNORECASE)]
        unknown = [each for each in unknown if each.words.casefold().replace("’", "'") not in known]
        meanings = [_as_mission(mention) for mention in reading.mentions]
        named = [each for each in meanings if not isinstance(each, Filler | Layout | AsMeasured)]
        if reading.time is not None or any(not isinstance(each, _NAMING) for each in named):
            return None
        is_raw = any(each.words.casefold() in words_of("raw") for each in reading.unknown) or AsMeasured() in meanings
        kinds: dict[str, list[Meaning]] = {}
        for each in named:
            kinds.setdefault("treatment" if isinstance(each, Transform | _AVERAGES) else type(each).__name__, []).append(each)
        lines = [line for line in self.lines if all(any(_fits(line, each) for each in same) for same in kinds.values())]
        if is_raw:
            lines = [line for line in lines if not AVERAGED & set(line.operations)]
        if not lines:
            return None
        return Meant(lines, bool(named) or is_raw, tuple(unknown)), any(isinstance(each, Mission) for each in named)


def _short_names(line: Line) -> set[str]:
    """What a line may be called by one word."""
    of_data = set(line.trace.data.split("_")) & {*_SHORT_NAMES.values()}
    return of_data | {_SHORT_NAMES[each] for each in line.quantities if each in _SHORT_NAMES}


def bare(words: str) -> str:
    """The words without small ones at both ends."""
    small = {*words_of("small"), *words_of("use")}
    parts = words.strip(" ,.").split()
    while parts and parts[0] != "By" and parts[0].casefold().replace("’", "'").strip(",") in small:
        parts.pop(0)
    while parts and parts[-1] != "By" and parts[-1].casefold().strip(",") in small:
        parts.pop()
    return " ".join(parts).strip(" ,")


_AVERAGES = Averaging | Smoothing | Statistic
_NAMING = Mission | Measured | Derived | Transform | _AVERAGES | Shape


def _as_mission(mention: Mention) -> Meaning:
    """What a mention means; `wind` beside what is plotted is the spacecraft."""
    is_wind = isinstance(mention.meaning, Unclear) and mention.words.lower() == "wind"
    return Mission("Wind") if is_wind else mention.meaning


def _fits(line: Line, meaning: Meaning) -> bool:
    if isinstance(meaning, Mission):
        return meaning.name in line.missions
    if isinstance(meaning, Measured):
        return _is_of(line, meaning)
    if isinstance(meaning, Derived) and not line.operations and CATALOGUED.get(meaning.operation) in line.quantities:
        return True  # the archive's own
    if isinstance(meaning, Derived | Transform):
        return meaning.operation in line.operations
    if isinstance(meaning, Shape):
        return line.is_whole_vector if meaning.shape == "vector" else "magnitude" in line.operations
    return bool(AVERAGED & set(line.operations))


def _is_of(line: Line, measured: Measured) -> bool:
    wanted = set(measured.quantities) | ({"velocity"} if "speed" in measured.quantities else set())
    if not wanted & set(line.quantities) or len(line.quantities) > 1:
        return False
    if measured.axis:
        return re.search(rf"_{measured.axis}(_|$)", line.trace.data) is not None
    if measured.shape == "magnitude":
        return "magnitude" in line.operations or re.search("_mag(_|$)", line.trace.data) is not None
    return True
