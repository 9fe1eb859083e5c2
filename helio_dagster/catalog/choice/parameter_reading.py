"""What a parameter of the catalog is, beyond its quantity: kind, axis, frame, whose particles."""

from __future__ import annotations

import re

from helio_dagster.catalog.choice.parameter_words import (
    AXIS,
    AXIS_NAMED,
    AXIS_SPELT,
    BY_POTENTIAL,
    IN_ONE_DIRECTION,
    IONS_NAMED,
    NO_PARTICLES,
    NO_PLACE_OF_IT,
    NOT_ITSELF,
    OF_ALL_DIRECTIONS,
    OF_ALPHAS,
    OF_ANGLES,
    OF_DIRECTIONS,
    OF_DRIFT,
    OF_ELECTRONS,
    OF_ERRORS,
    OF_NEUTRALS,
    OF_ONE_DIRECTION,
    OF_OTHERS,
    OF_SINGLY_CHARGED,
    OF_WAVES,
    PROTONS,
    PROTONS_NAMED,
)
from helio_dagster.catalog.choice.quantities import MOMENTS, QUANTITIES, VECTORS, WHEREABOUTS, Species
from helio_dagster.catalog.deriving import without_remarks
from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.frames import FRAMES
from helio_dagster.domain.table import Kind

_OF_WHAT = re.compile(r"\((?:calculated|computed|derived|made) from [^()]*\)", re.IGNORECASE)
"""What a parameter is made of says nothing of what it is."""


def find_axis(parameter: ParameterFacts, quantity: Quantity) -> str | None:
    """The axis of a lone component of a vector."""
    if quantity not in VECTORS | {"speed"}:
        return None
    spelt = AXIS_SPELT.match(parameter.name)
    if spelt is not None:
        return str(spelt[spelt.lastindex or 0]).lower()
    found = AXIS.search(parameter.name) or (AXIS_NAMED.search(parameter.description) if quantity == "magnetic_field" else None)
    if found is None or (found[1] in "Tt" and parameter.frame is None):  # `BT` alone is the total
        return None
    return found[1].lower()


def find_frame(facts: DatasetFacts, parameter: ParameterFacts, *, is_directed: bool) -> str | None:
    """The frame that the catalog gives, or the only one that the dataset's id names."""
    if parameter.frame is not None:
        return parameter.frame.value
    named = [part for part in re.split("[_-]", facts.dataset) if part in FRAMES and len(part) > 1]
    return named[0] if is_directed and len(named) == 1 else None


def find_kind(parameter: ParameterFacts, quantity: Quantity) -> Kind | None:
    """What a fetch of it yields; None where that is not known, or cannot be the quantity."""
    if quantity in ("ion_flux", "electron_flux"):
        is_energy = len(parameter.size) == 1 and parameter.size[0] > 4 and parameter.display.value == "spectrogram"
        name = parameter.name.casefold()
        is_named_so = "omni" in name or name.endswith("_en_eflux")
        is_whole = is_named_so or OF_ALL_DIRECTIONS.search(parameter.description) is not None
        is_of_one = not is_named_so and OF_ONE_DIRECTION.search(f"{name} {parameter.description}") is not None
        return "spectrogram" if is_energy and is_whole and not is_of_one else None  # others are of one direction or element
    if quantity == "energetic_protons":
        is_energy = len(parameter.size) == 1 and parameter.size[0] > 3 and parameter.display.value == "spectrogram"
        return "spectrogram" if is_energy and not OF_ANGLES.search(parameter.name) else None
    if quantity in ("electric_spectrum", "magnetic_spectrum"):
        is_spectrum = len(parameter.size) == 1 and parameter.size[0] > 4 and parameter.display.value == "spectrogram"
        is_there = "not yet functional" not in parameter.description.casefold()
        return "spectrogram" if is_spectrum and is_there else None
    if quantity in ("pressure_tensor", "spacecraft_potential"):
        return likely_kind(parameter)
    if not parameter.size:
        return "series"
    if parameter.size in ((3,), (4,)) and quantity in VECTORS | {"speed"} and parameter.display.value == "time_series":
        return "vector" if parameter.size == (3,) or quantity == "magnetic_field" else None
    return None


def likely_kind(parameter: ParameterFacts) -> Kind:
    """What a fetch of any parameter yields, as far as the catalog says: lines, unless it has colours to show."""
    if not parameter.size:
        return "series"
    return "spectrogram" if len(parameter.size) == 1 and parameter.display.value == "spectrogram" else "vector"


def is_itself(facts: DatasetFacts, parameter: ParameterFacts, quantity: Quantity, species: Species) -> bool:
    """Whether a parameter is the quantity, and of the particles asked for."""
    description = without_remarks(parameter.description)
    text = f"{parameter.name} {description}"
    pattern, described = QUANTITIES[quantity].name, QUANTITIES[quantity].described
    if quantity == "pressure_tensor" and species and (OF_ELECTRONS.search(text) is not None) != (species == "electrons"):
        return False
    if pattern is not None:
        return pattern.search(parameter.name) is not None and (described is None or described.search(text) is not None)
    if quantity == "energetic_protons":
        is_proton = PROTONS.search(f"{text} {facts.label}") is not None
        return is_proton and not (OF_ELECTRONS.search(text) or OF_ALPHAS.search(text) or OF_OTHERS.search(text))
    if quantity in WHEREABOUTS and NO_PLACE_OF_IT.search(text):
        return False
    if described is not None and (not described.search(text) or OF_ERRORS.search(text)):
        return False
    itself = _OF_WHAT.sub("", description)[:60]
    if described is None and (NOT_ITSELF.search(parameter.name) or NOT_ITSELF.search(itself)):
        return False
    if quantity in MOMENTS:
        if species and OF_NEUTRALS.search(text):
            return False
        label = "" if re.search("ion|proton", facts.label, re.IGNORECASE) else facts.label
        about = f"{text} {facts.dataset} {label}".replace("_", " ").replace("-", " ")
        if species == "electrons":
            is_of_ions = IONS_NAMED.search(text) is not None and OF_ELECTRONS.search(text) is None
            return OF_ELECTRONS.search(about) is not None and not is_of_ions
        if species == "alphas":
            is_neutral = re.search(r"(?<![a-z])neu(?:tral)?(?![a-z])", facts.dataset, re.IGNORECASE) is not None
            return OF_ALPHAS.search(text) is not None and OF_SINGLY_CHARGED.search(text) is None and not is_neutral
        if species and quantity == "density" and BY_POTENTIAL.search(about):
            return False
        if quantity in ("velocity", "speed") and _is_of_the_spacecraft(facts, about):
            return False
        if species and quantity in ("velocity", "speed") and OF_DRIFT.search(about):
            return False
        return not (OF_ELECTRONS.search(about) or OF_ALPHAS.search(text) or OF_OTHERS.search(f"{text} {facts.dataset}"))
    if quantity == "magnetic_field" and OF_WAVES.search(f"{facts.dataset} {facts.label}"):
        return False
    if quantity in ("ion_flux", "electron_flux"):
        if OF_OTHERS.search(f"{text} {facts.dataset}") or OF_ALPHAS.search(text) or IN_ONE_DIRECTION.search(facts.label):
            return False
        about = text if re.search(r"\b(?:ion|proton)s?\b", text, re.IGNORECASE) else f"{text} {facts.label}"
        return (OF_ELECTRONS.search(about) is not None) == (quantity == "electron_flux")
    return True


def _is_of_the_spacecraft(facts: DatasetFacts, about: str) -> bool:
    """Whether a velocity comes from an instrument that does not count particles, and is not a drift that it measures."""
    is_of_fields = BY_POTENTIAL.search(about) is not None and IONS_NAMED.search(about) is None
    return NO_PARTICLES.search(facts.dataset) is not None or (is_of_fields and OF_DRIFT.search(about) is None)


def whose_moment(parameter: ParameterFacts) -> Species:
    """Whether a moment is described as that of protons or of ions; an ion spectrometer may well measure protons."""
    text = f"{parameter.name} {without_remarks(parameter.description)}"
    if PROTONS_NAMED.search(text):
        return "protons"
    return "ions" if IONS_NAMED.search(text) else ""


def species_of(facts: DatasetFacts, parameter: ParameterFacts, quantity: Quantity) -> Species:
    """Whose moment a parameter is, where it is neither that of the protons nor of all ions; empty for those and the rest."""
    of_others: tuple[Species, ...] = ("electrons", "alphas")
    if quantity not in MOMENTS or is_itself(facts, parameter, quantity, ""):
        return ""
    return next((each for each in of_others if is_itself(facts, parameter, quantity, each)), "")


def may_be(facts: DatasetFacts, parameter: ParameterFacts, quantity: Quantity, species: Species) -> bool:
    """Whether a parameter may be the quantity where none surely is: a partial moment, or one of nobody says what."""
    text = f"{parameter.name} {without_remarks(parameter.description)}"
    described, words = QUANTITIES[quantity].described, re.findall(r"[a-z]{3,}", QUANTITIES[quantity].words)
    if QUANTITIES[quantity].name is not None:
        return all(word in text.casefold() for word in words)
    if OF_ERRORS.search(text) or OF_DIRECTIONS.search(text) or (described is not None and not described.search(text)):
        return False
    about = f"{text} {facts.label} {facts.dataset}".replace("_", " ")
    if species == "electrons":
        return OF_ELECTRONS.search(about) is not None
    if species == "alphas":
        return OF_ALPHAS.search(text) is not None
    if species and quantity == "density" and BY_POTENTIAL.search(f"{text} {facts.dataset}"):
        return False
    others = OF_ELECTRONS.search(text) if species else None
    others = others or (OF_NEUTRALS.search(text) if quantity in MOMENTS and species else None)
    return not (others or OF_ALPHAS.search(text) or OF_OTHERS.search(f"{text} {facts.dataset}"))
