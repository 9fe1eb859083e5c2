"""Which words the offline planner understands, and what each means."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from helio_dagster.agent.offline.bin_words import bin_terms
from helio_dagster.agent.offline.lengths import LENGTH, LONGEST, read_length
from helio_dagster.agent.offline.meanings import (
    Compare,
    Dataset,
    Filler,
    Frame,
    Instrument,
    Layout,
    Meaning,
    Measured,
    Mission,
    Shape,
    Smoothing,
    Unclear,
)
from helio_dagster.agent.offline.mission_words import mission_pattern, read_mission
from helio_dagster.agent.offline.operation_words import operation_terms
from helio_dagster.agent.offline.plain_words import by, plain_terms
from helio_dagster.agent.offline.unit_words import unit_terms
from helio_dagster.catalog.choice.quantities import Species
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.frames import FRAMES


@dataclass(frozen=True)
class Term:
    """A pattern of words, and what a match of it means."""

    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str]], Meaning]


_FLOW = "(?:bulk |flow |plasma |number |solar wind )*"
_SPECIES: tuple[tuple[Species, str], ...] = (
    ("", ""),
    ("protons", "protons? "),
    ("ions", "ions? "),
    ("electrons", "electrons? "),
    ("alphas", "(?:alphas?|alpha[- ]particles?|helium) "),
)
_SPECTRUM = "(?: energy| number)?(?: flux(?:es)?)?(?: spectrograms?| spectra| spectrum)"
_MOMENTS: tuple[tuple[Quantity, str], ...] = (
    ("speed", "speeds?"),
    ("velocity", "velocit(?:y|ies)|flow"),
    ("density", "densit(?:y|ies)"),
    ("temperature", "temperatures?"),
    ("thermal_speed", "thermal (?:speeds?|velocit(?:y|ies))"),
)
_PARALLEL, _ACROSS = "parallel", "perp(?:endicular)?"
_ALONG: tuple[tuple[tuple[Quantity, ...], str], ...] = (
    (("parallel_temperature",), _PARALLEL),
    (("perpendicular_temperature",), _ACROSS),
    (("parallel_temperature", "perpendicular_temperature"), f"{_PARALLEL} and {_ACROSS}"),
    (("perpendicular_temperature", "parallel_temperature"), f"{_ACROSS} and {_PARALLEL}"),
)
_QUANTITY_PATTERNS: tuple[tuple[tuple[Quantity, ...], str], ...] = (
    (
        ("magnetic_field",),
        r"(?:interplanetary )?magnetic[- ]fields?(?: data)?|imf(?!\s+(?:b[xyzrtn]|\|b\|)(?!\w))"
        "|b[- ]?fields?|magnetometer|mag|field|b",
    ),
    (("speed",), "vp|v_?sw"),
    (("density",), "np"),
    (("temperature",), "tp"),
    (("speed", "density", "temperature"), "(?:solar wind )?plasma(?: parameters| moments| data)?"),
    (("electric_field",), "(?:electric|e)[- ]fields?"),
    (("pressure",), "flow pressure"),
    (("dst",), "dst(?:[- ]ind(?:ex|ices))?"),
    (("kp",), "kp(?:[- ]ind(?:ex|ices))?"),
    (("ae",), "ae(?:[- ]ind(?:ex|ices))?|auroral electrojet(?: index)?"),
    (("al",), "al(?:[- ]ind(?:ex|ices))|(?-i:AL)"),
    (("au",), r"au(?:[- ]ind(?:ex|ices))|(?<!at\s)(?<!\d\s)(?-i:AU)"),
    (("asy_h",), "asy[-_/ ]?h(?:[- ]ind(?:ex|ices))?"),
    (("pc",), "(?:northern )?polar[- ]cap ind(?:ex|ices)|pcn(?: ind(?:ex|ices))?|pc ind(?:ex|ices)"),
    (("ap",), "ap[- ]ind(?:ex|ices)|(?-i:[aA]p)"),
    (("sunspots",), "(?:international |daily )?sun-?spot numbers?|sunspots?|ssn"),
    (
        ("alpha_ratio",),
        "(?:alphas?|helium|he)(?:[- ]to[- ]|[-/])(?:protons?|p|h)(?: density)?(?: ratio)?|na/np|he(?:lium)? abundance",
    ),
    (("sym_h",), "sym[-/ ]?h(?:[- ]ind(?:ex|ices))?"),
    (("f107",), r"f10\.7(?: cm)?(?:[- ](?:index|flux))?"),
    (("ion_flux",), f"(?:ions?|protons?){_SPECTRUM}|(?:ion|proton) flux(?:es)?"),
    (
        ("energetic_protons",),
        "(?:(?:flux(?:es)?|intensit(?:y|ies)) of )?(?:solar )?(?:energetic|high[- ]energy|sep) (?:protons?|particles?)"
        "(?: (?:flux(?:es)?|intensit(?:y|ies)|data))?",
    ),
    (("electron_flux",), f"electrons?{_SPECTRUM}|electron flux(?:es)?"),
    (("fluctuation",), "rms|(?:magnetic )?(?:field )?fluctuations?"),
    (("position",), "positions?|location|orbit|trajectory"),
    (
        ("solar_distance",),
        "(?:helio(?:centric|spheric)|radial|solar) distances?|distances? (?:from|to) the sun"
        "|distances?(?= of [^,.;]{2,40} (?:from|to) the sun)",
    ),
    (("heliographic_latitude",), "helio(?:graphic|centric|spheric) latitudes?"),
    (("heliographic_longitude",), "helio(?:graphic|centric|spheric) longitudes?"),
)
_INSTRUMENTS = (
    "mfi|swe|3dp|swepam|swics|epam|fgm|fpi|hpca|edp|scm|hope|mageis|rept|emfisis|cis|codif|hia|peace|efw|efi|esa|sst|plastic"
    "|impact|swoops|vhm|swap|rpw|pas|swa|spc|spi|fields|celias|ephin|mgf|cpi|lep|faraday cup|fc|pls|lecp|hyde|mfe"
    "|erne|costep|epd|isois|let|het|sis|uleis"
)
_FRAMES = "|".join(frame.lower() for frame in sorted(FRAMES, key=len, reverse=True) if frame not in ("HG", "SM"))
_FRAMES = f"{_FRAMES}|(?-i:SM)"
_TURNED = "(?:rotat(?:ed?|ion)|turned|expressed|given|transformed?|converted?)"
_OTHER_FRAMES = "|".join(frame for frame in FRAMES if frame not in ("HG", "SM", "GSE", "GSM", "GEO", "GEI"))
"""Those into which no operation rotates: the catalog has a vector in one of them, or it has not."""
_AT_L1 = "(?:the )?(?-i:L1)(?: point)?"
_L1 = ("of ACE", "of the Wind spacecraft", "of DSCOVR")
_ELSEWHERE = (
    "swarm(?:[- ][abc])?|champ|sdo|hinode|(?-i:IRIS|TRACE|PROBA[- ]?2|GRACE|SORCE)|rhessi|bepicolombo|rosetta|yohkoh"
    "|aditya(?:[- ]l1)?"
)
"""Missions that people ask for and whose data the catalog does not have."""
_MOVING = "(?:centred |centered )?(?:running|moving|rolling|sliding|boxcar)[- ](?:means?|averages?|avg)"


@cache
def vocabulary() -> tuple[Term, ...]:
    """Every term; of several that match at a place the longest counts, then the earlier one."""
    missions = _term(mission_pattern(), lambda match: read_mission(match[0]))
    quantities = [_term(pattern, _constant(Measured(given))) for given, pattern in _QUANTITY_PATTERNS]
    moments = [
        _term(f"{_FLOW}{words}{_FLOW}(?:{pattern})", _constant(Measured((quantity,), species=species)))
        for quantity, pattern in _MOMENTS
        for species, words in _SPECIES
    ]
    moments += [
        _term(
            f"{_FLOW}(?:{pattern}) of (?:the )?(?:solar wind )?{words.strip()}",
            _constant(Measured((quantity,), species=species)),
        )
        for quantity, pattern in _MOMENTS
        for species, words in _SPECIES
        if species
    ]
    moments += [
        _term(f"{words}{which} temperatures?|{which} {words}temperatures?", _constant(Measured(given, species=species)))
        for given, which in _ALONG
        for species, words in _SPECIES
    ]
    operations = [_term(pattern, read) for pattern, read in operation_terms()]
    others = [_term(pattern, read) for pattern, read in (*bin_terms(), *unit_terms(), *plain_terms())]
    return (*_special_terms(), missions, *quantities, *moments, *operations, *_smoothing_terms(), *_layout_terms(), *others)


def _special_terms() -> list[Term]:
    magnitude = Measured(("magnetic_field",), shape="magnitude")
    return [
        _term("wind", _wind),
        _term("by", by),
        _term(
            r"\|b\||b[- ]?tot(?:al)?|total (?:magnetic )?field|(?:magnetic )?field (?:magnitude|strength)", _constant(magnitude)
        ),
        _term("b[_ ]?(?P<axis>[xyzrtn])(?: component)?", _of_the_field),
        _term(r"[a-z0-9]+(?:-[a-z0-9]+)*_[a-z0-9@_-]+", lambda match: Dataset(match[0].upper())),
        _term(f"(?:{_TURNED} )?(?:in(?:to)? |to )?(?P<frame>{_OTHER_FRAMES})(?: (?:frame|coordinates?|system))*", _frame),
        _term(f"(?:in )?(?P<frame>{_FRAMES})(?: (?:frame|coordinates?|system))*", _frame),
        _term(
            "(?:flow |proton |ion )?v[_ ]?(?P<axis>[xyzrtn])(?: component)?",
            lambda match: Measured(("velocity",), axis=match["axis"].lower()),
        ),
        _term(
            "(?P<part>radial|tangential)(?: component of the)? "
            "(?:(?P<flow>(?:solar wind |bulk |flow |proton )*(?:velocity|flow|speed))"
            "|(?:interplanetary )?magnetic field|imf|field|b)(?: component)?",
            _of_rtn,
        ),
        _term(f"(?:at |near |of )?{_AT_L1}", _constant(Unclear("Which spacecraft at L1 is meant: ACE, Wind or DSCOVR?", _L1))),
        _term(_ELSEWHERE, _not_catalogued),
        _term("(?P<whose>protons?|ions?|electrons?)", _what_of_them),
        _term(_INSTRUMENTS, lambda match: Instrument({"faraday cup": "FC"}.get(match[0].lower(), match[0].upper()))),
        Term(re.compile(rf"/(?:{_INSTRUMENTS})(?![\w|])", re.IGNORECASE), lambda match: Instrument(match[0][1:].upper())),
        _term("magnitudes?|strength|absolute values?", _constant(Shape("magnitude"))),
        _term("vectors?|(?:all |three |vector )*components?", _constant(Shape("vector"))),
        _term(
            "overview|vectors? and (?:the |its )?magnitudes?|magnitudes? and (?:the |its )?vectors?", _constant(Shape("both"))
        ),
        _term(r"compared?(?: to| with)?|comparing|comparison(?: of| between)?|versus|vs\.?|against", _constant(Compare())),
    ]


def _smoothing_terms() -> list[Term]:
    window = "(?:[- ]window)?"
    link = "(?: (?:with|by|over|using|of|to))?(?: an?)?(?: window of)?"
    return [
        _term(f"smooth(?:ed|ing)?{link} {LENGTH}(?:[- ]{_MOVING})?{window}", _smoothing),
        _term(f"{LENGTH}[- ]{_MOVING}{window}", _smoothing),
        _term(f"{_MOVING}{link} {LENGTH}{window}", _smoothing),
        _term(f"smooth(?:ed|ing)?|{_MOVING}", _constant(Smoothing(None))),
    ]


def _layout_terms() -> list[Term]:
    together = "(?:in|on) (?:one|the same|a single|a common) (?:panel|axes|axis|plot)|overlaid|overplotted|superposed"
    stacked = (
        "(?:one |each )?(?:below|under|above) (?:the other|each other|one another)|stacked|one panel each"
        "|(?:in |on )?(?:separate|different|individual|two|three|four|five|six|their own) panels"
        "|each in (?:its own|a separate) panel"
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
    is_listed = before.endswith(
        ("and", "with", "vs", "vs.", "versus", ",", "&", "at", "from", "by", "to", "against", "ratio of", "difference of")
    )
    names_plasma = re.match(r"\s+(?:speed|velocity|density|temperature|plasma)", after)
    if names_plasma and match[0] == "Wind" and before and not _names_a_mission(match):
        return Mission("Wind", note="Wind is taken as the spacecraft: it has a capital, and no other is named.")
    if not names_plasma or (is_listed and match[0] != "wind"):
        return Mission("Wind")
    if match[0] == "wind" and _names_a_mission(match) and not re.search(r",|\b(?:and|compare\w*|vs|versus)\b", match.string):
        return Filler(note="The wind is taken as the solar wind: another spacecraft than Wind is named.")
    return Unclear("Do you mean the spacecraft Wind, or the solar wind?", ("Wind spacecraft", "solar wind"))


def _names_a_mission(match: re.Match[str]) -> bool:
    """Whether another spacecraft is named, whose solar wind may be meant."""
    others = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    return re.search(rf"(?<!\w)(?:{mission_pattern()}|omni)(?!\w)", others, re.IGNORECASE) is not None


def _frame(match: re.Match[str]) -> Meaning:
    return Frame(match["frame"].upper())


def _of_the_field(match: re.Match[str]) -> Meaning:
    """A component; `Bt` alone may be the total field."""
    axis = match["axis"].lower()
    if axis == "t" and not re.search(r"\b(?:rtn|b[_ ]?[rn])\b", match.string, re.IGNORECASE):
        return Unclear(f"Is the total field meant by {match[0]!r}, or the component T of RTN?", ("|B|", "B_T in RTN"))
    return Measured(("magnetic_field",), axis=axis)


def _of_rtn(match: re.Match[str]) -> Meaning:
    return Measured(("velocity",) if match["flow"] else ("magnetic_field",), axis=match["part"][0].lower())


def _not_catalogued(match: re.Match[str]) -> Meaning:
    text = f"The catalog has no data of {match[0]}; `helio catalog missions` lists whose it has. Which of them do you mean?"
    return Unclear(text, (), is_first=True)


def _what_of_them(match: re.Match[str]) -> Meaning:
    """Particles, and nothing said of what is measured of them."""
    whose = match["whose"].lower().removesuffix("s")
    flux = {"proton": "energetic proton flux"}.get(whose, f"{whose} flux")
    return Unclear(f"What of the {whose}s do you want?", (flux, f"{whose} density", f"{whose} temperature"))


def _smoothing(match: re.Match[str]) -> Meaning:
    length = read_length(match)
    return Smoothing(length) if _is_sound(length) else _no_length(match)


def _is_sound(length: timedelta) -> bool:
    return timedelta(0) < length <= LONGEST


def _no_length(match: re.Match[str]) -> Meaning:
    return Unclear(f"{match[0]!r} is too short or longer than {LONGEST.days} days. What do you mean?", ())
