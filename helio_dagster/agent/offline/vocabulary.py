"""Which words the offline planner understands, and what each means. How a sentence is read with them: `request_reading`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from helio_dagster.agent.offline.meanings import (
    Averaging,
    Cadence,
    Compare,
    Dataset,
    Filler,
    Frame,
    Layout,
    Meaning,
    Measured,
    Mission,
    Shape,
    Smoothing,
    Unclear,
)
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.time_words import NUMBER_WORDS


@dataclass(frozen=True)
class Term:
    """A pattern of words, and what a match of it means."""

    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str]], Meaning]


MISSION_PATTERNS = {
    "ACE": "ace|advanced composition explorer",
    "Wind": "wind (?:spacecraft|satellite)",
    "OMNI": "omni(?:web|2)?",
    "DSCOVR": "dscovr|deep space climate observatory",
    "MMS1": "mms[- ]?1|mms|magnetospheric multiscale",
    "THEMIS-A": "themis[- ]?a|tha",
    "Geotail": "geotail",
    "Van Allen Probe A": "rbsp[- ]?a|van allen probe[- ]?a",
    "Parker Solar Probe": "psp|parker(?: solar probe)?",
    "STEREO-A": "stereo[- ]?(?:a|ahead)|sta",
    "Solar Orbiter": "solo|solar orbiter",
}
QUANTITY_WORDS: dict[Quantity, str] = {
    "magnetic_field": "magnetic field",
    "fluctuation": "magnetic field fluctuation",
    "velocity": "velocity",
    "speed": "speed",
    "density": "density",
    "temperature": "temperature",
    "dst": "Dst",
    "ion_flux": "ion spectrogram",
    "electron_flux": "electron spectrogram",
    "position": "position",
}
"""How a quantity is called in titles and questions; each is understood in a request."""

_PLASMA = "(?:bulk |flow |proton |ion |plasma |number |solar wind )*"
_SPECTRUM = "(?: energy| number)?(?: flux(?:es)?)?(?: spectrograms?| spectra| spectrum)"
_QUANTITY_PATTERNS: tuple[tuple[tuple[Quantity, ...], str], ...] = (
    (("magnetic_field",), "(?:interplanetary )?magnetic[- ]fields?(?: data)?|imf|b[- ]?fields?|magnetometer|mag|field|b"),
    (("speed",), f"{_PLASMA}speeds?|vp|vsw"),
    (("velocity",), f"{_PLASMA}velocit(?:y|ies)"),
    (("density",), f"{_PLASMA}densit(?:y|ies)|np"),
    (("temperature",), f"{_PLASMA}temperatures?|tp"),
    (("speed", "density", "temperature"), "(?:solar wind )?plasma(?: parameters| moments)?"),
    (("dst",), "dst(?:[- ]ind(?:ex|ices))?"),
    (("ion_flux",), f"(?:ions?|protons?){_SPECTRUM}|(?:ion|proton) flux(?:es)?"),
    (("electron_flux",), f"electrons?{_SPECTRUM}|electron flux(?:es)?"),
    (("fluctuation",), "rms|(?:magnetic )?(?:field )?fluctuations?"),
    (("position",), "positions?|location|orbit|trajectory"),
)
_UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_NAMED = {"hourly": timedelta(hours=1), "minutely": timedelta(minutes=1), "daily": timedelta(days=1)}
_COUNT = rf"(?:(?P<count>\d+(?:\.\d+)?)[\s-]*|(?P<word>half an?|an?|{'|'.join(NUMBER_WORDS)})[\s-]+)"
_LENGTH = rf"{_COUNT}(?P<unit>s(?:ec(?:ond)?s?)?|min(?:ute)?s?|h(?:(?:ou)?rs?)?|days?)"
_LONGEST = timedelta(days=31)
_MOVING = "(?:centred |centered )?(?:running|moving|rolling|sliding|boxcar)[- ](?:means?|averages?|avg)"
_AVERAGE = "(?P<kind>averages?|averaged|means?|avg|medians?|bins?)"
_FILLERS = (
    "show(?: me)?|plot|draw|display|make|give(?: me)?|create|produce|get|fetch|find|please|can you|could you",
    "i(?:'d)? (?:want|would like|like|need)|(?:want|like|need) to see|to see|look at|see|take a look at",
    "the|an?|of|for|in|at|on|from|by|with|and|as|its|their|this|that|using|during|over|me|to|is|was|what|how|&",
    "data|measurements?|values?|observations?|time[- ]series|plots?|graphs?|figures?|charts?|panels?|spacecraft|satellites?",
    "probes?|missions?|solar[- ]wind|observed|measured|seen|both|coordinates?|system|archive|cdaweb|near earth",
)


@cache
def vocabulary() -> tuple[Term, ...]:
    """Every term; of several that match at a place the longest counts, then the earlier one."""
    missions = [_term(pattern, _constant(Mission(name))) for name, pattern in MISSION_PATTERNS.items()]
    quantities = [_term(pattern, _constant(Measured(given))) for given, pattern in _QUANTITY_PATTERNS]
    fillers = [_term(pattern, _constant(Filler())) for pattern in _FILLERS]
    return (*_special_terms(), *missions, *quantities, *_transforming_terms(), *_layout_terms(), *fillers)


def _special_terms() -> list[Term]:
    magnitude = Measured(("magnetic_field",), shape="magnitude")
    return [
        _term("wind", _wind),
        _term(r"[a-z0-9]+(?:-[a-z0-9]+)*_[a-z0-9@_-]+", lambda match: Dataset(match[0].upper())),
        _term(
            r"\|b\||b[- ]?tot(?:al)?|total (?:magnetic )?field|(?:magnetic )?field (?:magnitude|strength)", _constant(magnitude)
        ),
        _term(
            "b[_ ]?(?P<axis>[xyzrtn])(?: component)?", lambda match: Measured(("magnetic_field",), axis=match["axis"].lower())
        ),
        _term("(?:in )?(?P<frame>gse|gsm|rtn)(?: frame)?", lambda match: Frame(match["frame"].upper())),
        _term("magnitudes?|strength|absolute values?", _constant(Shape("magnitude"))),
        _term("vectors?|(?:all |three |vector )*components?", _constant(Shape("vector"))),
        _term(
            "overview|vectors? and (?:the |its )?magnitudes?|magnitudes? and (?:the |its )?vectors?", _constant(Shape("both"))
        ),
        _term(r"compared?(?: to| with)?|comparing|comparison(?: of| between)?|versus|vs\.?|against", _constant(Compare())),
    ]


def _transforming_terms() -> list[Term]:
    window = "(?:[- ]window)?"
    link = "(?: (?:with|by|over|using|of|to))?(?: an?)?(?: window of)?"
    bins = "(?:[- ](?:bins?|cadence|resolution|averages?|means?))?"
    average_link = "(?: (?:over|to|at|on|in|into|of))?(?: an?)?"
    return [
        _term(f"smooth(?:ed|ing)?{link} {_LENGTH}(?:[- ]{_MOVING})?{window}", _smoothing),
        _term(f"{_LENGTH}[- ]{_MOVING}{window}", _smoothing),
        _term(f"{_MOVING}{link} {_LENGTH}{window}", _smoothing),
        _term(f"smooth(?:ed|ing)?|{_MOVING}", _constant(Smoothing(None))),
        _term(f"{_LENGTH}[- ]{_AVERAGE}", _averaging),
        _term(f"(?P<named>hourly|daily|minutely)[- ]{_AVERAGE}", _averaging),
        _term("averaged (?P<named>hourly|daily)", _averaging),
        _term(f"(?:averaged|resampled?|binned){average_link} {_LENGTH}{bins}", _averaging),
        _term(f"{_AVERAGE} (?:over|of) {_LENGTH}", _averaging),
        _term(rf"{_LENGTH}[- ](?:data|resolution|cadence|values?)", _cadence),
        _term(r"(?P<count>\d+)-(?P<unit>s(?:ec(?:ond)?)?|min(?:ute)?|h(?:our)?)", _cadence),
        _term("(?P<named>hourly|minutely)(?:[- ](?:data|resolution|values?))?", _cadence),
    ]


def _layout_terms() -> list[Term]:
    together = "(?:in|on) (?:one|the same|a single|a common) (?:panel|axes|axis|plot)|overlaid|overplotted|superposed"
    stacked = (
        "(?:one |each )?(?:below|under|above) (?:the other|each other|one another)|stacked|one panel each"
        "|(?:in |on )?(?:separate|different|individual|two|three|their own) panels|each in (?:its own|a separate) panel"
    )
    return [_term(together, _constant(Layout(is_stacked=False))), _term(stacked, _constant(Layout(is_stacked=True)))]


def _term(pattern: str, meaning: Callable[[re.Match[str]], Meaning]) -> Term:
    spaced = pattern.replace(" ", r"\s+")
    return Term(re.compile(rf"(?<![\w|])(?:{spaced})(?![\w|])", re.IGNORECASE), meaning)


def _constant(meaning: Meaning) -> Callable[[re.Match[str]], Meaning]:
    return lambda _match: meaning


def _wind(match: re.Match[str]) -> Meaning:
    """The spacecraft, unless `wind speed` may as well be the solar wind's."""
    before, after = match.string[: match.start()].rstrip().lower(), match.string[match.end() :].lower()
    is_listed = before.endswith(("and", "with", "vs", "vs.", "versus", ",", "&", "at", "from", "by", "to", "against"))
    names_plasma = re.match(r"\s+(?:speed|velocity|density|temperature|plasma)", after)
    if not names_plasma or (is_listed and match[0] != "wind"):
        return Mission("Wind")
    return Unclear("Is the spacecraft Wind meant, or the solar wind?", ("Wind spacecraft", "solar wind"))


def _smoothing(match: re.Match[str]) -> Meaning:
    length = _length(match)
    return Smoothing(length) if _is_sound(length) else _no_length(match)


def _averaging(match: re.Match[str]) -> Meaning:
    kind = match.groupdict().get("kind") or "mean"
    length = _length(match)
    return (
        Averaging(length, "median" if kind.lower().startswith("median") else "mean") if _is_sound(length) else _no_length(match)
    )


def _cadence(match: re.Match[str]) -> Meaning:
    length = _length(match)
    return Cadence(length) if _is_sound(length) else _no_length(match)


def _is_sound(length: timedelta) -> bool:
    return timedelta(0) < length <= _LONGEST


def _no_length(match: re.Match[str]) -> Meaning:
    return Unclear(f"{match[0]!r} is too short or longer than {_LONGEST.days} days. What is meant?", ())


def _length(match: re.Match[str]) -> timedelta:
    parts = match.groupdict()
    if parts.get("named"):
        return _NAMED[parts["named"].lower()]
    if parts.get("count"):
        number = min(float(parts["count"]), 1e6)
    else:
        word = parts["word"].lower()
        number = 0.5 if word.startswith("half") else NUMBER_WORDS.get(word, 1)
    return number * _UNITS[parts["unit"][0].lower()]
