"""What follows from an archive's words and units: quantity, frame, display, cadence. Guesses are marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from functools import cache, lru_cache
from importlib.resources import files

from helio_dagster.catalog.facts import Category, Derived, Nature
from helio_dagster.domain.fine_duration import duration_from_seconds
from helio_dagster.domain.frames import find_frame
from helio_dagster.domain.units import is_unit, without_scale

_FLUX = re.compile(r"(cm\^?-?2|cm2|/cm|cm\*\*).*(s|sr|ev)|(c|counts?)/s/ster|pfu|particles ?/|ENAs|counts.*cm", re.IGNORECASE)
DERIVATION = 5
"""Raised when the rules change, so that catalogs that homes refreshed before are derived again."""
MASTER = "master"
"""The source of what a master file states."""
_DISPLAYS = ("time_series", "spectrogram", "stack_plot", "image", "no_plot")
_DIMENSION = {
    "nT": re.compile(r"^(p|n|u|m)?(T|gauss|tesla|gammas?)$", re.IGNORECASE),
    "nT^2/Hz": re.compile(r"nT\)?\^?\**2.*Hz|gamma.*hz", re.IGNORECASE),
    "V^2/Hz": re.compile(r"(V|volts?)(/m)?\)?\^?\**2.*Hz|dB|uV", re.IGNORECASE),
    "V/m": re.compile(r"V.*/ ?m|volts?/m", re.IGNORECASE),
    "V": re.compile(r"^m?(V|volts?)$", re.IGNORECASE),
    "km/s": re.compile(r"^(k?m|cm)[ /*.^-]*(s|sec)", re.IGNORECASE),
    "m/s": re.compile(r"^m[ /*.^-]*(s|sec)", re.IGNORECASE),
    "cm^-3": re.compile(r"cm.*3|cc|/m\^?3|m\^?-3|#/cm", re.IGNORECASE),
    "K": re.compile(r"^(deg.*|[Mk])?K(elvin)?$|eV|degrees? ?k|kelvin", re.IGNORECASE),
    "nPa": re.compile(r"Pa$|dyne", re.IGNORECASE),
    "km": re.compile(r"^(k?m|R[_ ]?E|earth ?radii|re|au|r_?sun|rs|a\.u\.|rj)$", re.IGNORECASE),
    "1": re.compile(r"^$|none|dimensionless|unitless|ratio|^1$|^ $", re.IGNORECASE),
    "flux": _FLUX,
}


_NO_UNIT = "none"
_REMARKS = (
    r"[(\[]?\b(?:(?:plotted|time-series) )?(?:w/o?|with(?:out)?|no) (?:error bars?|uncertaint(?:y|ies)|error)\b(?: displayed)?"
    r"[)\]]?",
    r"[(\[](?:only good quality|all qualit\w+(?: data)?|quality filtered|good values only)[)\]]|/w quality\b",
    r"[,-]? *(?:quality flag applied|all flag values included)|\(consult quality flag[^)]*\)|\[read quality flag[^\]]*\]",
    r"\buncertainty *= *\+/-.*|\d *<=? *error\b|\berror *= *[\d.]+(?:e[+-]?\d+)?",
    r"corrected for [a-z -]{0,20}\berrors?\b",
    r"normali[sz]ed (?:by|to) its standard deviation|\b\d(?:\.\d)? sigma (?:above|below)\b|, sigma,",
)
_REMARK = re.compile("|".join(_REMARKS), re.IGNORECASE)


@lru_cache(maxsize=8192)
def without_remarks(description: str) -> str:
    """A description without what it says of error bars drawn beside the data, and of the quality that was let through."""
    return " ".join(_REMARK.sub(" ", description).split())


_VIEW = re.compile(r"(?:_gd|_q|Q|_200|_rfilt|_[eE]rror[bB]ars?)$")


def is_view(name: str) -> bool:
    """Whether a parameter is one that the archive makes of another for its plots: filtered by quality, or with error bars.

    That other one is stored, and comes first where either would do.
    """
    return _VIEW.search(name) is not None


@cache
def _rules() -> tuple[tuple[str, re.Pattern[str], str], ...]:
    text = files(__package__).joinpath("quantity_rules.txt").read_text(encoding="utf-8")
    rows = [[part.strip() for part in line.split(";")] for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((name, re.compile(words, re.IGNORECASE), dimension) for name, words, dimension in rows)


def quantities() -> list[str]:
    """The quantities that distinguish parameters."""
    return list(dict.fromkeys(name for name, _, _ in _rules()))


def find_quantity(name: str, description: str, units: tuple[str, ...], size: tuple[int, ...] = ()) -> Derived | None:
    """What a parameter measures, by its description, its name, its unit's dimension and size; None where nothing fits."""
    text = without_remarks(description)
    names = {name, re.sub(r"[_.]", " ", name)}
    units = (*units, *(without_scale(unit) for unit in units if unit[:1].isdigit()))
    for quantity, words, dimension in _rules_for(units):
        by_text = words.search(text) is not None
        if not by_text and not any(map(words.search, names)):
            continue
        is_sure = dimension not in ("", _NO_UNIT)
        source = f"{'description' if by_text else 'name'}{' and unit' if is_sure else ''}"
        value = "velocity" if quantity == "speed" and size == (3,) else quantity
        return Derived(value, source, "likely" if is_sure else "guess")
    return None


@lru_cache(maxsize=4096)
def _rules_for(units: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    """The rules whose dimension one of the texts of a unit has: the same few for most of a catalog's parameters."""
    return tuple(rule for rule in _rules() if _is_of(rule[2], units))


def _is_of(dimension: str, units: tuple[str, ...]) -> bool:
    """Whether one of the texts of a unit, as given or normalized, has a dimension; any does where a rule names none."""
    if dimension == _NO_UNIT:
        return not any(map(is_unit, units))
    return not dimension or any(_DIMENSION[dimension].search(unit) for unit in units)


def find_parameter_frame(name: str, description: str, quantity: str | None, stated: str = "") -> Derived | None:
    """The coordinate frame of a parameter, by what its master states before all else; None where no word says it."""
    if quantity in ("quality", "uncertainty"):
        return None
    found = find_frame(name, {"CATDESC": description, "COORDINATE_SYSTEM": stated})
    if found.frame is None:
        return None
    if found.certainty == "stated":
        return Derived(found.frame, MASTER, "stated")
    return Derived(found.frame, "name" if found.certainty == "named" else "description", "likely")


def find_display(size: tuple[int, ...], quantity: str | None, stated: str = "") -> Derived:
    """How a parameter is drawn by itself, by what its master states (`spectrogram>y=energy`), else by its records' shape."""
    word = stated.partition(">")[0].strip().casefold()
    if word in _DISPLAYS:
        return Derived(word, MASTER, "stated")
    if len(size) == 1 and size[0] > 4:
        return Derived("spectrogram", "size", "likely")
    if len(size) > 1:
        return Derived("image" if quantity == "image" else "spectrogram", "size", "guess")
    return Derived("time_series", "size", "likely")


_UNITS_S = {
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "min": 60.0,
    "minute": 60.0,
    "hr": 3600.0,
    "hour": 3600.0,
    "day": 86400.0,
}
_LENGTH = re.compile(
    r"(?<![\d.-])(\d+(?:\.\d+)?)[ -]?(ms|sec(?:ond)?|s|min(?:ute)?|hr|hour|day)s?\b(?!\^|/|-?1)", re.IGNORECASE
)
_HERTZ = re.compile(r"(\d+(?:\.\d+)?) ?(?:Hz|samples?(?:/| per )s)", re.IGNORECASE)
_WORDS = (("hourly", 3600.0), ("one minute", 60.0), ("daily", 86400.0), ("1min", 60.0), ("1hr", 3600.0), ("5min", 300.0))

_ALONG_THE_ORBIT = re.compile(r"position|ephemeris|orbit|attitude|altitude|latitude|longitude", re.IGNORECASE)


def find_cadence(dataset: str, label: str, parameters: Iterable[str]) -> tuple[timedelta, Derived] | None:
    """The time between records, as the label, the id or the parameters' descriptions put it; None where none does."""
    found = read_length(label)
    if found is not None:
        return found, Derived(f"{found.total_seconds():g} s", "label", "likely")
    plain = re.sub(r"[_-]", " ", dataset).lower()
    for word, seconds in _WORDS:
        if word in plain:
            return timedelta(seconds=seconds), Derived(f"{seconds:g} s", "id", "likely")
    found = read_length(plain)
    if found is not None:
        return found, Derived(f"{found.total_seconds():g} s", "id", "likely")
    measured = [text for text in parameters if not _ALONG_THE_ORBIT.search(text)]  # these often come at a cadence of their own
    lengths = [length for text in measured if (length := read_length(text)) is not None]
    if lengths and lengths.count(lengths[0]) * 2 > len(lengths):
        return lengths[0], Derived(f"{lengths[0].total_seconds():g} s", "descriptions of its parameters", "guess")
    return None


def read_length(text: str) -> timedelta | None:
    """The length of time between records that a text names; None where it names none."""
    match = _LENGTH.search(text)
    if match and float(match[1]) > 0:
        return duration_from_seconds(float(match[1]) * _UNITS_S[match[2].lower()])
    lowered = text.lower()
    for word, seconds in _WORDS:
        if word in lowered:
            return timedelta(seconds=seconds)
    hertz = _HERTZ.search(text)
    if hertz and 0.5 <= float(hertz[1]) <= 256 and "band" not in lowered and "spectr" not in lowered:
        return duration_from_seconds(1 / float(hertz[1]))
    return None


def find_lengths(text: str) -> frozenset[timedelta]:
    """Every length of time between records that a text names."""
    found = {timedelta(seconds=seconds) for word, seconds in _WORDS if word in text.lower()}
    return frozenset(found | {length for match in _LENGTH.finditer(text) if (length := read_length(match[0])) is not None})


_WHEREABOUTS = re.compile(
    r"_or_(def|pre|ssc|gse|at)|_at_(def|pre)|_ephm|_mec_|_position\b|_ssc\b|_helio1"
    r"|orbit(?!er)|attitude|[-_:]traj|trajectory|ephemeris|spin phase"
)


_NO_INSTRUMENT = ("ephemeris", "engineering", "")


def find_category(dataset: str, label: str, instrument_type: str) -> Category:
    """What a dataset is for."""
    text = f"{dataset} {label}".lower()
    if re.search(r"\blinks?\b|data sets follow", label, re.IGNORECASE) and not re.search(r"linked", text):
        return "links"
    if re.search(r"calibration|_cal_|_cal\b", text):
        return "calibration"
    if re.search(r"housekeeping|_hkpg|_hk\b|_hk_|engineering|spacecraft command|status words|diagnostic", text):
        return "housekeeping"
    words = text if instrument_type in _NO_INSTRUMENT else dataset.lower()  # a density along the orbit is not an orbit
    if _WHEREABOUTS.search(words):
        return "ephemeris"
    return "ephemeris" if instrument_type == "ephemeris" else "science"


_PREDICTED = re.compile(r"predict|[-_][a-z]?pre(?:d)?(?:[-_ ]|$)|_jp_|^th[a-e]pred_", re.IGNORECASE)
_EVENTS = re.compile(
    r"(?:scientific|computation) events|\bevents? (?:list|times|catalog(?:ue)?)\b|\blists? of (?:events|crossings|bursts)"
    r"|_jp_pse\b",
    re.IGNORECASE,
)
"""Words of datasets whose records are single events, so that nothing is measured in between."""


def find_nature(dataset: str, label: str, category: Category) -> Nature:
    """What a dataset's records are: an orbit table and predicted positions tell where a spacecraft is, not what it measured."""
    text = f"{dataset} {label}"
    if _EVENTS.search(text):
        return "events"
    if category != "ephemeris":
        return "measured"
    return "predicted" if is_predicted(text) else "orbit"


def is_predicted(words: str) -> bool:
    """Whether the id or label of an ephemeris says that it is predicted."""
    return _PREDICTED.search(words) is not None


def find_granularity(cadence: timedelta | None, dataset: str) -> Derived:
    """How much time one of the archive's files covers, as is usual for this cadence: only a listing says it for sure."""
    if re.search(r"BRST|BURST", dataset):
        return Derived("burst", "id", "likely")
    if cadence is not None and cadence >= timedelta(days=1):
        return Derived("yearly", "cadence", "guess")
    if cadence is not None and cadence >= timedelta(hours=1):
        return Derived("monthly", "cadence", "guess")
    return Derived("daily", "usual", "guess")


def suggest_grain(cadence: timedelta | None, dataset: str) -> Derived:
    """The partitions that a planner picks: some hundreds to some hundred thousands of records each; of bursts an hour."""
    if find_granularity(cadence, dataset).value == "burst":
        return Derived("hourly", "id", "likely")
    if cadence is None:
        return Derived("daily", "usual", "guess")
    if cadence >= timedelta(days=1):
        return Derived("yearly", "cadence", "likely")
    if cadence >= timedelta(hours=1):
        return Derived("monthly", "cadence", "likely")
    return Derived("hourly" if cadence < timedelta(milliseconds=5) else "daily", "cadence", "likely")
