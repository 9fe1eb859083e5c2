"""The quantities that can be asked for: their names, and how the catalog names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from helio_dagster.domain.catalog_entry import Quantity

UNCATALOGUED = "None"
"""What the snapshot calls a quantity that it has no word for: the parameter's own words alone tell."""
Species = Literal["", "protons", "ions", "electrons", "alphas"]
"""Whose density, speed, velocity or temperature; empty where the request leaves it open: protons, or all ions."""


@dataclass(frozen=True)
class QuantityFacts:
    """A quantity.

    Parameters
    ----------
    words
        How it is called in titles and questions; understood in a request.
    symbol
        What its axis is called.
    short
        Beginning of the ids of its steps.
    catalogued
        What the catalog's snapshot calls it.
    name
        What the parameter's name must be like, where the snapshot's word says too little.
    described
        What its name or description must say, where the snapshot's word says too little.
    """

    words: str
    symbol: str
    short: str
    catalogued: tuple[str, ...]
    name: re.Pattern[str] | None = None
    described: re.Pattern[str] | None = None


def _named(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


QUANTITIES: dict[Quantity, QuantityFacts] = {
    "magnetic_field": QuantityFacts("magnetic field", "B", "b", ("magnetic field",)),
    "fluctuation": QuantityFacts("magnetic field fluctuation", "B rms", "b_rms", ()),
    "velocity": QuantityFacts("velocity", "V", "velocity", ("velocity",)),
    "speed": QuantityFacts("speed", "V", "speed", ("speed", "velocity")),
    "density": QuantityFacts("density", "N", "density", ("density",)),
    "temperature": QuantityFacts("temperature", "T", "temperature", ("temperature",)),
    "parallel_temperature": QuantityFacts(
        "parallel temperature",
        "T parallel",
        "t_par",
        ("temperature",),
        described=_named(r"parallel|temppara(?![a-z])|(?<![a-z])par(?![a-z])"),
    ),
    "perpendicular_temperature": QuantityFacts(
        "perpendicular temperature",
        "T perp",
        "t_perp",
        ("temperature",),
        described=_named(r"perpendicular|tempperp(?![a-z])|(?<![a-z])perp(?![a-z])"),
    ),
    "pressure": QuantityFacts(
        "flow pressure", "P", "pressure", ("pressure",), _named("^(flow_?)?pressure$|dyn"), _named(r"dynamic|flow|\bram\b")
    ),
    "electric_field": QuantityFacts("electric field", "E", "e", ("electric field",)),
    "dst": QuantityFacts("Dst", "Dst", "dst", ("dst index",), _named("^dst$")),
    "kp": QuantityFacts("Kp", "Kp", "kp", ("kp index",), _named("^kp$")),
    "ae": QuantityFacts("AE", "AE", "ae", ("ae index",), _named("^ae(_index)?$")),
    "al": QuantityFacts("AL", "AL", "al", ("ae index",), _named("^al(_index)?$")),
    "au": QuantityFacts("AU", "AU", "au", ("ae index",), _named("^au(_index)?$")),
    "sym_h": QuantityFacts("SYM-H", "SYM-H", "sym_h", ("sym-h index",), _named("^sym_h$")),
    "asy_h": QuantityFacts("ASY-H", "ASY-H", "asy_h", ("sym-h index",), _named("^asy_h$")),
    "pc": QuantityFacts("polar cap index", "PC", "pc", ("pc index",), _named("^pc_n_index$")),
    "f107": QuantityFacts("F10.7", "F10.7", "f107", ("f10.7 index",), _named("^f10_index$")),
    "ap": QuantityFacts("ap index", "ap", "ap", ("ap index",), _named("^ap_index$")),
    "sunspots": QuantityFacts("sunspot number", "R", "sunspots", ("sunspot number",), _named("^r$")),
    "alpha_ratio": QuantityFacts(
        "alpha to proton ratio", "alpha/p", "alpha_ratio", ("charge state",), _named("^(alpha_|he_?)?ratio$")
    ),
    "ion_flux": QuantityFacts("ion spectrogram", "", "ions", ("ion flux", "proton flux", "energy flux")),
    "electron_flux": QuantityFacts("electron spectrogram", "", "electrons", ("electron flux", "energy flux")),
    "energetic_protons": QuantityFacts("energetic proton flux", "", "protons", ("proton flux", "particle flux")),
    "position": QuantityFacts("position", "R", "position", ("position",)),
    "solar_distance": QuantityFacts(
        "distance from the Sun",
        "R",
        "distance",
        ("position",),
        described=_named(r"heliocentric (?:distance|radius)|distance from (?:the )?sun\b|^rad_au\b"),
    ),
    "heliographic_latitude": QuantityFacts(
        "heliographic latitude",
        "latitude",
        "latitude",
        ("latitude and longitude",),
        described=_named(r"(?:helio|\bhgi?[_ ]|carrington).*lat|\blat.*(?:helio|\bhgi?\b)"),
    ),
    "heliographic_longitude": QuantityFacts(
        "heliographic longitude",
        "longitude",
        "longitude",
        ("latitude and longitude",),
        described=_named(r"(?:helio|\bhgi?[_ ]).*lon|\blon.*(?:helio|\bhgi?\b)"),
    ),
    "carrington_longitude": QuantityFacts(
        "Carrington longitude",
        "Carrington longitude",
        "carrington",
        ("latitude and longitude",),
        described=_named(r"^hg_lon\b|^(?!.*lat).*carrington|\blon.*heliographic rotating"),
    ),
    "altitude": QuantityFacts(
        "altitude",
        "altitude",
        "altitude",
        (UNCATALOGUED,),
        described=_named(r"^(?!.*(?:foot|tangent|peak|emission)).*(?<![a-z])altitude(?![a-z])"),
    ),
    "thermal_speed": QuantityFacts(
        "thermal speed", "W", "thermal_speed", ("thermal speed",), described=_named(r"^(?!.*(?:perp|para|component)).*thermal")
    ),
    "electric_spectrum": QuantityFacts(
        "electric spectrogram", "", "e_spectrum", ("electric field spectral density", "radio emission")
    ),
    "magnetic_spectrum": QuantityFacts("magnetic spectrogram", "", "b_spectrum", ("magnetic field spectral density",)),
    "local_time": QuantityFacts(
        "magnetic local time", "MLT", "mlt", ("local time",), described=_named(r"magnetic local time|(?:^|[ _])mlt")
    ),
    "l_shell": QuantityFacts("L shell", "L", "l_shell", ("l-shell",), described=_named(r"^(?!.*(?:l\*|star|roederer))")),
    "alfven_mach": QuantityFacts("Alfven Mach number", "M_A", "alfven_mach", ("mach number",), _named(r"^mach_num(?:1800)?$")),
    "magnetosonic_mach": QuantityFacts(
        "magnetosonic Mach number", "M_ms", "magnetosonic_mach", ("mach number",), _named(r"^mgs_mach_num(?:1800)?$")
    ),
    "plasma_beta": QuantityFacts("plasma beta", "beta", "plasma_beta", ("plasma beta",), _named(r"^beta(?:1800)?$")),
    "spacecraft_potential": QuantityFacts(
        "spacecraft potential",
        "spacecraft potential",
        "potential",
        ("spacecraft potential", UNCATALOGUED),
        described=_named(
            r"^(?!.*(?:_m(?:ax|in)\b|\bm(?:ax|in)\b|used in|probe to)).*(?:(?:s/?c|spacecraft|satellite)[_ ]?pot|scpot)"
        ),
    ),
    "pressure_tensor": QuantityFacts(
        "pressure tensor",
        "P",
        "pressure_tensor",
        ("pressure", "ion flux", "electron flux", UNCATALOGUED),
        _named(r"p(?:res)?tens(?!or_(?:part|int))|hplus_ion_pressure$"),
        _named("pressure tensor"),
    ),
    "other": QuantityFacts("parameter", "", "parameter", ()),
}
"""A parameter's name alone says what `other` is and what it is called."""
QUANTITY_WORDS: dict[Quantity, str] = {name: facts.words for name, facts in QUANTITIES.items() if name != "other"}
"""How a quantity is called in titles and questions."""
INDICES: frozenset[Quantity] = frozenset(("dst", "kp", "ae", "al", "au", "sym_h", "asy_h", "pc", "f107", "ap", "sunspots"))
"""What OMNI brings together, whatever the spacecraft."""
MOMENTS: frozenset[Quantity] = frozenset(
    ("density", "speed", "velocity", "temperature", "parallel_temperature", "perpendicular_temperature", "thermal_speed")
)
"""What plasma instruments tell of one kind of particles."""
HELIOGRAPHIC: tuple[Quantity, ...] = ("solar_distance", "heliographic_latitude", "heliographic_longitude")
"""Which together say where a spacecraft is, in a system that does not rotate."""
WHEREABOUTS: tuple[Quantity, ...] = ("position", *HELIOGRAPHIC, "carrington_longitude")
"""Where a spacecraft is."""
OF_THE_ORBIT: tuple[Quantity, ...] = (*WHEREABOUTS, "local_time", "l_shell", "altitude")
"""What an ephemeris tells."""
SPECTRA: frozenset[Quantity] = frozenset(("ion_flux", "electron_flux", "electric_spectrum", "magnetic_spectrum"))
"""What is a spectrogram as it is measured."""
VECTORS: frozenset[Quantity] = frozenset(("magnetic_field", "velocity", "position", "electric_field"))
