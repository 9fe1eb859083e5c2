"""Which line or panel of the figure on the table words mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.agent.drafting.derived import CATALOGUED
from helio_dagster.agent.drafting.drawn_figure import AVERAGED, DrawnFigure, Line
from helio_dagster.agent.offline.edits.forms import Form, form, matched
from helio_dagster.agent.offline.edits.word_lists import words_of
from helio_dagster.agent.offline.meanings import AsMeasured, Filler, Layout, Meaning, Mission, Shape, Statistic, Unclear
from helio_dagster.agent.offline.request_reading import Mention, read_request
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Averaging, Smoothing, Transform
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.choice.parameter_reading import is_itself, species_of
from helio_dagster.catalog.choice.parameter_words import OF_ELECTRONS
from helio_dagster.catalog.choice.particle_channels import particle_data, species_of_word
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, Species
from helio_dagster.catalog.times.lengths import LENGTH
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.figure import Trace
from helio_dagster.domain.own_files import without_unit
from helio_dagster.domain.pipeline_text import PipelineFile
from helio_dagster.domain.time_range import format_duration

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_SHORT_NAMES: dict[Quantity, str] = {
    "solar_distance": "distance",
    "heliographic_latitude": "latitude",
    "heliographic_longitude": "longitude",
}
"""What a drawn line may be called that a new request has to call by more."""

_SHORTEST = 3
"""An element is no word for the lines of its particles."""


@dataclass(frozen=True)
class Target:
    """The lines that words mean, and the words among them that are not understood; `is_named` if not simply all are meant."""

    lines: list[Line]
    is_named: bool
    unknown: tuple[Mention, ...] = ()


class PlottedFigure(DrawnFigure):
    """The figure on the table, in which words mean lines and panels.

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
        super().__init__(file, offers.catalog)
        self._now = now

    def target(self, words: str) -> Target | None:
        """The lines that words mean; None where they name something else. Words that name nothing mean all."""
        if member := self._of_member(words.strip(" ,.")):
            return Target(member, is_named=True)
        text = bare(words)
        if not text or matched("plotted_figure.things", text):
            return Target(self.lines, is_named=False)
        if own := self.of_columns(text):
            return Target(own, is_named=True)
        for line in self.lines:
            names = (line.trace.data, line.trace.label or "", self.panels[line.panel].y.title or "")
            if text in names or text.casefold() in {each.casefold() for each in names if each}:
                return Target([line], is_named=True)
        named = [line for line in self.lines if text.casefold() in _short_names(line)]
        if named:
            return Target(named, is_named=True)
        spectra = [line for line in self.lines if line.is_spectrogram] if matched("plotted_figure.spectra", text) else []
        if spectra:
            return Target(spectra, is_named=True)
        if particles := self._of_particles(text):
            return Target(particles, is_named=True)
        place = matched("plotted_figure.place", text)
        if place:
            found = self._at(place, is_line=re.search("line|curve|trace", text, re.IGNORECASE) is not None)
            return Target(found, is_named=True) if found else None
        parts = [self._named(part) for part in re.split(r"\s*,\s*|\s+(?:and|&)\s+", text)]
        if len(parts) > 1 and all(part is not None and part[1] for part in parts):
            lines = [line for line in self.lines if any(part and line in part[0].lines for part in parts)]
            return Target(lines, is_named=True, unknown=tuple(each for part in parts if part for each in part[0].unknown))
        whole = self._named(text)
        if whole is None and (stated := self._stated(text)):
            return Target(stated, is_named=True)
        return whole[0] if whole is not None else None

    def named(self, words: str | None) -> list[Line]:
        """The lines that words name, all of them understood; empty where they name none, or simply mean all."""
        target = self.target(words) if words else None
        return target.lines if target is not None and target.is_named and not target.unknown else []

    def of_columns(self, text: str) -> list[Line]:
        """The lines of columns of files of one's own, or of what is made of one; empty where a word means something else."""
        known: dict[str, list[Line]] = {}
        for line in self.lines:
            fetches = [(step.id, step.fetch) for step in self.upstream(line.trace.data) if step.fetch is not None]
            is_column = len(fetches) == 1 and fetches[0][1].is_own and set(line.operations) <= AVERAGED
            for step, fetch in fetches if is_column else ():
                names = {line.trace.data, step, *(without_unit(each) for each in fetch.columns or {})}
                for name in {each if len(each) == 1 else each.casefold() for each in names}:
                    known.setdefault(name, []).append(line)
        parts = [each.strip() for each in re.split(r"\s*,\s*|\s+(?:and|&)\s+", form("plotted_figure.column").sub(" ", text))]
        found = [known.get(bare(each)) or known.get(bare(each).casefold()) for each in parts if each and each != "and"]
        return [line for line in self.lines if any(line in (each or ()) for each in found)] if found and all(found) else []

    def made(self, data: str) -> Line:
        """What a step makes, as a line that it would be."""
        return self._line(0, 0, Trace(data=data))

    def is_just(self, words: str, data: str) -> bool:
        """Whether words name what a step makes, and all whose data go into it."""
        line = self.made(data)
        named = self._named(words, [line])
        if named is not None and named[0].is_named:
            return not (named[1] and len(line.missions) > 1)
        step = next((each for each in self.pipeline.steps if each.id == data and each.compute), None)
        said = f"{step.intent} {step.id}".casefold() if step else ""
        return bool(words) and all(each in said for each in words.casefold().split())

    def _stated(self, text: str) -> list[Line]:
        """The one computed line whose step states all of the words in its intent or id: `the fluctuation`."""
        words = [each.casefold() for each in text.split() if each == "By" or each.casefold() not in words_of("small")]
        intents = {step.id: f"{step.intent.casefold()} {step.id}" for step in self.pipeline.steps if step.compute}
        found = [line for line in self.lines if all(each in intents.get(line.trace.data, "") for each in words)]
        return found if len(found) == 1 and words and all(re.fullmatch(r"[^\W\d]{3,}", each) for each in words) else []

    def _of_member(self, text: str) -> list[Line]:
        """The lines of one spacecraft of a family of which several are drawn: `A` and `B` of STEREO."""
        ends = {each: re.fullmatch(r"(.*?[a-zA-Z])[ -]?([A-F]|\d{1,2})", each) for each in self.missions}
        stems = {match[1] for match in ends.values() if match is not None}
        found = [each for each, match in ends.items() if match is not None and match[2] == text]
        is_family = len(stems) == 1 and len(ends) > 1
        return [line for line in self.lines if line.missions == tuple(found)] if is_family and found else []

    def _of_particles(self, text: str) -> list[Line]:
        """The lines of fluxes of some particles, where words name only these: `electrons`."""
        species = species_of_word(text) if text.isalpha() and len(text) > _SHORTEST else ""
        of_it = {
            step.id
            for step in self.pipeline.steps
            if species and step.fetch is not None and (facts := self._catalog.facts(step.fetch.archive, step.fetch.dataset))
            for each in particle_data(facts)
            if each.parameter.name == step.fetch.parameter and each.is_of(species) and each.is_flux
        }
        return [line for line in self.lines if of_it & {step.id for step in self.upstream(line.trace.data)}]

    def name_of(self, line: Line) -> str:
        """Words that mean just this line."""
        quantity = " and ".join(QUANTITY_WORDS[each] for each in line.quantities)
        title = self.panels[line.panel].y.title or ""
        mission = " ".join(line.missions)
        for name in (line.trace.label, title, quantity, f"{mission} {title}", f"{mission} {quantity}"):
            if self.named(name) == [line]:
                return str(name).strip()
        return line.trace.data

    def _at(self, place: Form, *, is_line: bool) -> list[Line]:
        number = place["panel"] or place["number"]
        index = int(number) - 1 if number else _ORDINALS.index(place["word"].lower()) if place["word"] else 0
        index = -1 if place["last"] else index
        if is_line:
            return [self.lines[index]] if -len(self.lines) <= index < len(self.lines) else []
        rows = range(len(self.panels))
        if place["middle"]:
            return [line for line in self.lines if len(rows) % 2 and line.panel == len(rows) // 2]
        return [line for line in self.lines if line.panel == rows[index]] if -len(rows) <= index < len(rows) else []

    def _named(self, text: str, among: Sequence[Line] = ()) -> tuple[Target, bool] | None:
        """The lines that fit every kind of thing that is named, and whether a mission is; None where something else is."""
        try:
            reading = read_request(text, self._now)
        except InputError:
            return None
        known = {*words_of("small"), *words_of("use"), *words_of("raw"), *words_of("all")}
        unknown = [each for each in reading.unknown if not matched("plotted_figure.things", each.words)]
        unknown = [each for each in unknown if each.words.casefold().replace("’", "'") not in known]
        meanings = [_as_mission(mention) for mention in reading.mentions]
        named = [each for each in meanings if not isinstance(each, Filler | Layout | AsMeasured)]
        if reading.time is not None or any(not isinstance(each, _NAMING) for each in named):
            return None
        is_raw = any(each.words.casefold() in words_of("raw") for each in reading.unknown) or AsMeasured() in meanings
        kinds: dict[str, list[Meaning]] = {}
        for each in named:
            kinds.setdefault("treatment" if isinstance(each, Transform | _AVERAGES) else type(each).__name__, []).append(each)
        lines = among or self.lines
        lines = [line for line in lines if all(any(self._fits(line, each) for each in same) for same in kinds.values())]
        if is_raw:
            lines = [line for line in lines if not AVERAGED & set(line.operations)]
        if not lines:
            return None
        return Target(lines, bool(named) or is_raw, tuple(unknown)), any(isinstance(each, Mission) for each in named)

    def _fits(self, line: Line, meaning: Meaning) -> bool:
        """Whether a line is what a word names; averages over another length are not."""
        length = meaning.length if isinstance(meaning, Averaging | Smoothing) else None
        if length is not None and AVERAGED & set(line.operations):
            made = [step.compute.options for step in self.upstream(line.trace.data) if step.compute]
            return any(format_duration(length) in (each.get("cadence"), each.get("window")) for each in made)
        if isinstance(meaning, Measured) and meaning.species:
            said = meaning.species if meaning.species in ("electrons", "alphas") else ""
            if self.species(line) not in (said, None):
                return False
        return _fits(line, meaning)

    def species(self, line: Line) -> Species | None:
        """Whose particles a line is of, empty for protons and all ions; None where the catalog does not tell."""
        for fetch in (step.fetch for step in self.upstream(line.trace.data) if step.fetch is not None):
            facts = self._catalog.facts(fetch.archive, fetch.dataset)
            parameter = facts.parameter(fetch.parameter) if facts is not None else None
            if facts is not None and parameter is not None and line.quantities:
                own = species_of(facts, parameter, line.quantities[0])
                if own or is_itself(facts, parameter, line.quantities[0], ""):
                    return own
                text = f"{parameter.name} {parameter.description} {facts.label} {facts.dataset}".replace("_", " ")
                return "electrons" if OF_ELECTRONS.search(text) else None  # a part of a moment
        return None


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
        if re.fullmatch(LENGTH, " ".join(parts[-2:]), re.IGNORECASE) is not None:
            break  # `over 1 day`
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
