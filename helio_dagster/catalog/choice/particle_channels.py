"""What the catalog says of a parameter that counts particles: whose, of which energies, and whether over pitch angle."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.instruments import called_as

KEV = {"ev": 1e-3, "kev": 1.0, "mev": 1e3, "gev": 1e6}
"""Units of energy in keV."""
_UNIT = r"(?P<unit>[kMG]?eV)"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d*\.?\d+)"
_PAIR = rf"(?P<low>{_NUMBER})\s*(?P<low_unit>[kMG]?eV)?\s*(?:-|–|to)\s*(?P<high>{_NUMBER})"
_RANGE = re.compile(rf"{_PAIR}(?: energy bins)?,?\s*{_UNIT}(?P<each>/n)?", re.IGNORECASE)
_LISTED = re.compile(rf"((?:\d*\.?\d+\s*-\s*\d*\.?\d+,\s*)+)\d*\.?\d+\s*-\s*\d*\.?\d+\s*{_UNIT}", re.IGNORECASE)
_TWO = re.compile(r"(\d*\.?\d+)\s*-\s*(\d*\.?\d+)")
_ABOVE = re.compile(rf">=?\s*(?P<low>\d*\.?\d+)\s*{_UNIT}", re.IGNORECASE)
_NEAR = re.compile(rf"(?:energy|energies)[^.;]{{0,20}}?\((?:often )?~?(?P<at>\d*\.?\d+)\s*{_UNIT}", re.IGNORECASE)
_AGAIN = re.compile(r"\W*(?:as (?:a )?stack|spectrograms? by|stacked|->|(?:as|in) )", re.IGNORECASE)
"""How a description begins that says no more than how the parameter before it is shown."""
_MIXED = re.compile(r"(?<![a-z])(?:particles?|ions?|protons?|ele?c?t?rons?|hydrogen|helium|oxygen)", re.IGNORECASE)
_PITCH = re.compile(r"pitch[- _]?ang|(?<![a-z])pad(?![a-z])", re.IGNORECASE)
_NO_COUNT = re.compile(
    r"uncert|error|sigma|quality|flag|(?<!space )density|pressure|\bflow\b|temperature|efficien|energy (?:min|max|cent)",
    re.IGNORECASE,
)
_FLUXES = frozenset(("electron flux", "proton flux", "ion flux", "particle flux"))
_OF = {
    "electron": r"ele?c?t?rons?|(?<![a-z])ele_",
    "proton": r"protons?|(?<![a-z])h_?(?:intensity|flux)|(?<![a-z])h flux",
    "ion": r"(?<![a-z])ions?(?![a-z])",
}
ELEMENTS = {
    "H": "hydrogen|protons?", "He": "helium|alphas?(?: particles?)?", "C": "carbon", "N": "nitrogen", "O": "oxygen",
    "Ne": "neon", "Mg": "magnesium", "Si": "silicon", "S": "sul(?:ph|f)ur", "Fe": "iron",
}  # fmt: skip
"""Symbols of elements, and how these are called."""
_ION = re.compile(r"(?P<symbol>[A-Z][a-z]?)(?:(?P<signs>\+{1,2})|\+?(?P<charge>\d{1,2})\+)?")


@dataclass(frozen=True)
class Energies:
    """A range of energies in keV; without an upper limit it is infinite, one energy is a range of no width."""

    low: float
    high: float

    def share(self, other: Energies) -> float:
        """How much of two ranges together is in both, on the logarithmic scale that channels are spaced by."""
        ends = [math.log(min(max(each, 1e-9), 1e12)) for each in (self.low, self.high, other.low, other.high)]
        whole = max(ends[1], ends[3]) - min(ends[0], ends[2])
        return max(0.0, (min(ends[1], ends[3]) - max(ends[0], ends[2])) / whole) if whole else 1.0

    def holds(self, energy: float) -> bool:
        """Whether an energy lies in it, as the lower limit does and the upper does not."""
        return self.low <= energy < self.high


@dataclass(frozen=True)
class ParticleData:
    """A parameter of a dataset that counts particles.

    `about` is its description, behind that of the parameter before it where it says only how it is shown.
    """

    facts: DatasetFacts
    parameter: ParameterFacts
    about: str

    @property
    def words(self) -> str:
        """How it is named to a person."""
        return f"{self.parameter.name} of {self.facts.dataset} ({self.parameter.description})"

    @property
    def is_channel(self) -> bool:
        """Whether it is one number: one channel of energy."""
        return not self.parameter.size

    @property
    def is_flux(self) -> bool:
        """Whether it is catalogued as a flux."""
        return str(self.parameter.quantity) in _FLUXES

    @property
    def is_by_pitch(self) -> bool:
        """Whether it is given over pitch angle."""
        is_so = str(self.parameter.quantity) == "pitch angle distribution" or _PITCH.search(self.about) is not None
        return is_so and bool(self.parameter.size) and _NO_COUNT.search(self.about) is None and self.parameter.unit != "deg"

    @property
    def energies(self) -> tuple[Energies, ...]:
        """The ranges of energy that it is described with: one for each channel where it lists them."""
        if (listed := _LISTED.search(self.about)) is not None:
            unit = KEV[listed["unit"].casefold()]
            return tuple(Energies(float(low) * unit, float(high) * unit) for low, high in _TWO.findall(listed[0]))
        return tuple(_ranges(self.about))

    @property
    def above(self) -> tuple[float, ...]:
        """The limits in keV from which on it counts all."""
        return tuple(float(each["low"]) * KEV[each["unit"].casefold()] for each in _ABOVE.finditer(self.about))

    @property
    def near(self) -> float | None:
        """The one energy in keV that it is said to be taken near; None where it is of a range."""
        found = _NEAR.search(self.about)
        return float(found["at"]) * KEV[found["unit"].casefold()] if found else None

    def position(self, wanted: Energies) -> int | None:
        """The place of the channel that has an energy, or most of a range, among those that it lists."""
        listed = self.energies
        if len(listed) < 2 or self.parameter.size != (len(listed),):
            return None
        best = max(range(len(listed)), key=lambda place: _fit(listed[place], wanted))
        return best if _fit(listed[best], wanted) > 0 else None

    def is_of(self, species: str) -> bool:
        """Whether its description or its quantity names the particles; `species` is a word for them or a symbol.

        Where these name none, what its instrument is called and its dataset's label count.
        """
        name = "" if species in _OF else self.parameter.name.replace("_", " ")
        text = f"{name} {self.about} {self.parameter.quantity}"
        if species in _OF and _MIXED.search(text) is None:
            text = f"{self.facts.label} {' '.join(called_as(self.facts.dataset))}"
        return pattern_of(species).search(text) is not None

    def is_mixed(self, species: str) -> bool:
        """Whether it names particles of another kind, too."""
        return any(re.search(words, self.about, re.IGNORECASE) for whose, words in _OF.items() if whose != species)

    def reaches(self, energy: float, species: str) -> bool | None:
        """Whether the energies that its dataset's label gives the particles have one in keV; None where it gives none."""
        label, known = self.facts.label, None
        for each in _RANGE.finditer(label):
            whose = [found[0] for found in _MIXED.finditer(label, 0, each.start())]
            if whose and not pattern_of(species).search(whose[-1]):
                continue
            known = bool(known) or _of(each).holds(energy)
        return known


def particle_data(facts: DatasetFacts) -> Iterator[ParticleData]:
    """Every parameter of a dataset, as far as it may count particles."""
    whole = ""
    for each in facts.parameters:
        is_again = whole and _AGAIN.match(each.description) is not None
        about = f"{whole} {each.description}" if is_again else each.description
        whole = whole if is_again else each.description
        yield ParticleData(facts, each, about)


def pattern_of(species: str) -> re.Pattern[str]:
    """How descriptions write particles: `electron`, or a symbol with or without its charge as `O+6`, `O6+`, `He++`."""
    if species in _OF:
        return re.compile(_OF[species], re.IGNORECASE)
    ion = _ION.fullmatch(species)
    if ion is None:
        return re.compile(r"(?!)")
    symbol = ion["symbol"]
    spelt = f"(?:{symbol}{'4?' if symbol == 'He' else ''}|(?i:{ELEMENTS.get(symbol, symbol)}))"
    if not ion["signs"] and not ion["charge"]:
        return re.compile(rf"(?<![A-Za-z0-9]){spelt}(?![A-Za-z+0-9])")
    charge = int(ion["charge"] or len(ion["signs"]))
    signs = rf"\+{{{charge}}}|" if charge < 3 else ""
    bare = "|[Pp]rotons?\\b" if symbol == "H" and charge == 1 else ""
    spelt = f"(?:{symbol}|(?i:{ELEMENTS.get(symbol, symbol)}))"
    return re.compile(rf"(?<![A-Za-z])(?:{spelt}(?:{signs}\+?{charge}\+?)(?![+\d]){bare})")


def species_of_word(words: str) -> str:
    """The particles that a word names, `electron`, `proton`, `ion` or the symbol of an element; empty for other words."""
    for species in _OF:
        if pattern_of(species).search(words):
            return species
    named = (symbol for symbol, names in ELEMENTS.items() if symbol == words or re.fullmatch(names, words, re.IGNORECASE))
    return next(named, "")


def _fit(channel: Energies, wanted: Energies) -> float:
    return float(channel.holds(wanted.low)) if wanted.low == wanted.high else channel.share(wanted)


def _ranges(text: str) -> Iterator[Energies]:
    return (_of(each) for each in _RANGE.finditer(text) if not each["each"])


def _of(found: re.Match[str]) -> Energies:
    unit = found["unit"].casefold()
    low, high = (float(found[each].replace(",", "")) for each in ("low", "high"))
    return Energies(low * KEV[(found["low_unit"] or unit).casefold()], high * KEV[unit])
