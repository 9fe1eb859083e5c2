"""Requests for what is computed from the distributions of MMS FPI: spectrograms over pitch angle or energy, and moments.

Other words are not its matter: without `from the distribution`, a density or an energy spectrum is the archive's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from helio_dagster.agent.answers import OpenQuestion, Plan
from helio_dagster.agent.drafting.assembly import compute_of, figure_of, plain_pipeline, step_of
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.request_times import range_of, without_time
from helio_dagster.catalog.times.phrases import find_span
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.pipeline import Pipeline
from helio_dagster.domain.time_range import TimeRange, format_time
from helio_dagster.domain.yaml.document import Value

_MOMENTS = ("density", "velocity", "pressure", "temperature", "heat flux")
_FILLERS = frozenset(
    "plot show draw give me the a an of for in with from on by during and please as its fpi s".split()  # noqa: SIM905 - words
)
_EV = {"ev": 1.0, "kev": 1000.0}
_AROUND = 0.15
"""Share of an energy by which the bin that is meant may be off: the bins of FPI are some 30 % apart."""


_LOOKS = "The angles of FPI's sky maps are directions in which it looks."


@dataclass(frozen=True)
class _Asked:
    """What a request names; `energies` are the least and the greatest in eV, `at_ev` the one that was said."""

    what: str
    craft: int
    species: str
    mode: str
    energies: tuple[float, float] | None
    at_ev: float | None = None

    @property
    def instrument(self) -> str:
        """Of FPI: its electron or its ion spectrometers."""
        return "des" if self.species == "electron" else "dis"

    @property
    def dataset(self) -> str:
        """The id of the dataset that holds the distributions."""
        return f"mms{self.craft}_fpi_{self.mode}_l2_{self.instrument}-dist".upper()


class Distributions:
    """Plans pipelines over distributions of MMS FPI.

    Parameters
    ----------
    catalog
        Knows since when there are data.
    archive
        The archive that pipelines fetch from; only CDAWeb has them.
    """

    def __init__(self, catalog: Catalog, archive: str) -> None:
        self._catalog, self._archive = catalog, archive

    def answer(self, request: str, now: datetime) -> Plan | None:
        """The plan of a request for a spectrogram or a moment of a distribution; None where it is none.

        Raises
        ------
        OpenQuestion
            Species or time is missing, or the time can be read in several ways.
        """
        text = " ".join(request.split()).strip(" .!?")
        is_about = form("distributions.about").search(text) and form("distributions.craft").search(text)
        if not is_about or self._archive != "cdaweb":
            return None
        found = find_span(text, now)
        asked = _read(without_time(text, found))
        if asked is None:
            return None
        if not asked.species:
            craft = f"MMS{asked.craft}"
            choices = [form("distributions.craft").sub(f"{craft} {each}", text, count=1) for each in ("ions", "electrons")]
            raise OpenQuestion(f"Ions or electrons of {craft}?", choices)
        span = range_of(text, found, f"{text} on 2017-07-11", f"{text} on 2015-10-16")
        self._check_time(asked, span)
        return Plan(_pipeline(asked), span, (found.note,) if found and found.note else ())

    def _check_time(self, asked: _Asked, span: TimeRange) -> None:
        start, stop = self._catalog.extent(self._archive, asked.dataset)
        if (start is not None and span.stop <= start) or (stop is not None and span.start >= stop):
            known = f"from {format_time(start)}" if start is not None else "up to"
            until = f" to {format_time(stop)}" if stop is not None else ""
            raise OpenQuestion(f"{asked.dataset} has data {known}{until}. Which other time do you mean?")


def _read(rest: str) -> _Asked | None:
    """What is asked for, if every word is understood."""
    text = f" {rest.casefold()} ".replace("'s ", " ").replace(",", " ")
    species = {each.rstrip("s") for each in form("distributions.species").findall(text)}
    craft = {match["number"] for match in form("distributions.craft").finditer(text)}
    energy = form("distributions.energy").search(text)
    text = form("distributions.energy").sub(" ", text)
    what, left = _what(text)
    if not what or len(craft) != 1 or len(species) > 1 or (energy is not None and what == "energy"):
        return None
    mode = form("distributions.burst").search(text)
    if set(form("distributions.known").sub(" ", left).split()) - _FILLERS:
        return None
    energies, at_ev = _energies(energy)
    if energies is not None and energies[0] >= energies[1]:
        return None
    kind = "" if not species else "electron" if "electron" in species else "proton"
    return _Asked(what, int(craft.pop()), kind, "brst" if mode else "fast", energies, at_ev)


def _what(text: str) -> tuple[str, str]:
    """What is to be made, and the words around it; empty where it is not said, or in two ways."""
    pitch, source = form("distributions.pitch"), form("distributions.source")
    if pitch.search(text):
        return "pitch", source.sub(" ", pitch.sub(" ", text, count=1))
    left, sources = source.subn(" ", text)
    named = {name: form(f"distributions.{name.replace(' ', '_')}") for name in ("energies", *_MOMENTS)}
    found = [name for name, words in named.items() if words.search(left)]
    if sources != 1 or len(found) != 1:
        return "", text
    return found[0].replace("energies", "energy"), named[found[0]].sub(" ", left, count=1)


def _energies(found: re.Match[str] | None) -> tuple[tuple[float, float] | None, float | None]:
    """The least and the greatest energy in eV, and the one that was said, where it was one."""
    if found is None:
        return None, None
    times = _EV[found["unit"]]
    if found["at"]:
        value = float(found["at"]) * times
        return (round(value * (1 - _AROUND), 6), round(value * (1 + _AROUND), 6)), value
    return (float(found["first"]) * _EV[found["first_unit"] or found["unit"]], float(found["last"]) * times), None


def _pipeline(asked: _Asked) -> Pipeline:
    kind = asked.instrument
    particles = "electron" if kind == "des" else "ion"
    craft = f"mms{asked.craft}"
    parameter = f"{craft}_{kind}_dist_{asked.mode}"
    fetch: dict[str, Value] = {"archive": "cdaweb", "dataset": asked.dataset, "parameter": parameter}
    intent = f"Fetch the {particles} distributions of MMS{asked.craft}"
    steps = [step_of("distribution", intent, fetch=fetch)]
    assumed = [] if asked.mode == "brst" else ["Fast survey data are used, because the request does not name burst data."]
    inputs: dict[str, Value] = {"distribution": "distribution"}
    options: dict[str, Value] = {}
    energies = f", {asked.energies[0]:g} to {asked.energies[1]:g} eV" if asked.energies is not None else ""
    if asked.what == "pitch":
        mode = "brst" if asked.mode == "brst" else "srvy"
        field = f"{craft}_fgm_{mode}_l2".upper()
        own: dict[str, Value] = {"archive": "cdaweb", "dataset": field, "parameter": f"{craft}_fgm_b_dmpa_{mode}_l2"}
        steps.append(step_of("field", "Fetch the magnetic field in the frame of the spinning spacecraft", fetch=own))
        inputs["field"] = "field"
        options = {"directions": "look"}
        operation, title = "pitch_angle_spectrogram", f"MMS{asked.craft} {particles} pitch-angle spectrogram{energies}"
        assumed += [_LOOKS, "The magnetic field is taken in DMPA, the despun frame next to that of the sky maps (DBCS)."]
    elif asked.what == "energy":
        operation, title = "energy_spectrogram", f"MMS{asked.craft} {particles} energy spectrogram from the distributions"
    else:
        operation, title = "moments", f"MMS{asked.craft} {particles} {asked.what} from the distributions{energies}"
        options = {"moment": asked.what, "species": asked.species}
        if asked.what in ("velocity", "heat flux"):
            options["directions"] = "look"
            assumed.append(_LOOKS)
        if kind == "dis":
            assumed.append("All ions are taken for protons.")
        assumed.append("The spacecraft potential is not taken off, because the request does not name it.")
    if asked.at_ev is not None:
        assumed.append(f"Bins within 15 % of {asked.at_ev:g} eV count: those of FPI are some 30 % apart.")
    if asked.energies is not None:
        options["energies"] = list(asked.energies)
    result = {"pitch": "pitch_angles", "energy": "energies"}.get(asked.what) or asked.what.replace(" ", "_")
    steps += [step_of(result, title, compute=compute_of(operation, inputs, options)), figure_of("Draw it", result)]
    return plain_pipeline(title, steps, assumed)
