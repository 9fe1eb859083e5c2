"""Words that mean one thing or another by what stands beside them: `wind`, `by`, `Bt`, `radial`, `storms`."""

from __future__ import annotations

import re
from functools import cache

from helio_dagster.agent.offline.meanings import Filler, Level, Meaning, Mission, Unclear, Unit
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Transform
from helio_dagster.catalog.mission_words import mission_pattern, read_mission
from helio_dagster.catalog.regions import missions_in
from helio_dagster.catalog.times.spoken_events import SUPERPOSED

_TREATED = re.compile(r"averag|smooth|mean|median|hourly|daily|resampl|running|moving|bins?\b", re.IGNORECASE)
_SHOCKS = re.compile(r"shocks?$", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(?:magnetopause|bow[- ]shock|modell?ed|burton|o['’]?\s?brien|shue|jel[ií]nek|stand-?off)\b", re.IGNORECASE
)
"""What is computed from the solar wind."""
_TURNED = re.compile(r"(?:(?!\b(?:and|with|plus)\b)[^,;&+])*?\b(?-i:GSE|GSM|RTN|HCI|HEE|HEEQ|SM|MSO)\b", re.IGNORECASE)
_OF_A_VECTOR = re.compile(r"\b(?:angle|cross product|dot product|convection|hodogram|minimum variance)\b", re.IGNORECASE)
_DISTANCE = re.compile(r"\b(?:distances?|heliocentric|orbits?|positions?|radial|radius|how far)\b", re.IGNORECASE)
"""What is given in astronomical units."""
_JUMPS = re.compile(r"\b(?:jumps?|discontinuit(?:y|ies))\b", re.IGNORECASE)
"""What shocks are looked for by."""


def wind(match: re.Match[str]) -> Meaning:
    """The spacecraft, unless `wind speed` may as well be the solar wind's."""
    before, after = match.string[: match.start()].rstrip().lower(), match.string[match.end() :].lower()
    is_listed = before.endswith(
        ("and", "or", "with", "vs", "vs.", "versus", ",", "&", "at", "from", "by", "to", "against", "ratio of", "difference of")
    )
    names_plasma = re.match(r"\s+(?:speed|velocity|density|temperature|plasma)", after)
    if names_plasma and match[0] == "Wind" and not _names_a_mission(match):
        return Mission("Wind", note="Wind is taken as the spacecraft: it has a capital, and no other is named.")
    missions, noun = rf"(?:{mission_pattern()}|omni)", names_plasma[0].strip() if names_plasma else ""
    is_beside = any(re.search(rf"(?<!\w){missions}\s+{noun}\b", each, re.IGNORECASE) for each in (before, after))
    is_among = (
        re.search(rf"(?<!\w){missions}(?:,?\s+(?:and|or|vs\.?|versus|against)|\s*[&/])$", before, re.IGNORECASE) is not None
    )
    if names_plasma and match[0] == "wind" and (is_among or is_beside):
        return Mission("Wind", note="wind is taken as the spacecraft Wind, because another one is named beside it.")
    if not names_plasma or is_among or is_beside or (is_listed and match[0] != "wind"):
        return Mission("Wind")
    is_measured = re.match(r"\s+\w+(?:\s+data)?\s+(?:at|from|by|of|seen by|measured by)\s", after) is not None
    if (
        match[0] == "wind"
        and ("Wind" in match.string or _names_a_mission(match))
        and (is_measured or "Wind" in match.string or not re.search(r",|\b(?:and|compare\w*|vs|versus)\b", match.string))
    ):
        return Filler(note="The wind is taken as the solar wind: a spacecraft is named.")
    return Unclear("Do you mean the spacecraft Wind, or the solar wind?", ("Wind spacecraft", "solar wind"), sort="name")


def by(match: re.Match[str]) -> Meaning:
    """`by` is By beside another component, before a frame or with a capital; else it says who measured."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    component = r"\W*(?:(?:and|&|,|/)\s*)*"
    is_listed = re.search(rf"\bb_?[xzrtn]{component}$", before, re.IGNORECASE) is not None
    is_listed = is_listed or re.match(rf"{component}b_?[xz]\b", after, re.IGNORECASE) is not None
    is_followed = (
        re.match(r"\s*(?:component|(?:in )?(?:gse|gsm|sm|rtn|geo)\b|of\b|from\b|at\b)", after, re.IGNORECASE) is not None
    )
    is_capital = match[0][:1] == "B" and match.string != match.string.upper()
    if match[0].lower() != "by" or is_listed or is_followed or is_capital:
        return Measured(("magnetic_field",), axis="y")
    return Filler()


def field_component(match: re.Match[str]) -> Meaning:
    """A component; `Bt` without the others of RTN is the total field."""
    axis = match["axis"].lower()
    if axis == "t" and not re.search(r"\b(?:rtn|b[_ ]?[rn])\b", match.string, re.IGNORECASE):
        return Measured(("magnetic_field",), shape="magnitude")
    return Measured(("magnetic_field",), axis=axis)


def electric_component(match: re.Match[str]) -> Meaning:
    """A component of the electric field; `Ey` is minus V times Bz, until it is known whose it is."""
    axis = match["axis"].lower()
    if axis == "y":
        needed = (("speed", Measured(("speed",))), ("bz", Measured(("magnetic_field",), axis="z")))
        return Derived("dawn_dusk_electric_field", "dawn-dusk electric field", needed)
    return Measured(("electric_field",), axis=axis)


def driving(match: re.Match[str]) -> Meaning:
    """`for the solar wind conditions`: what a model is driven with, or else the plasma itself."""
    beside = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    is_plasma = re.search(r"(?:conditions|parameters|properties)$", match[0], re.IGNORECASE) is not None
    if _MODEL.search(beside) is not None:
        words = " ".join(match[0].split())
        return Filler(
            f"{words[:1].upper()}{words[1:]}: the model is computed from it, and it is not drawn." if is_plasma else ""
        )
    return Measured(("speed", "density", "temperature")) if is_plasma else Filler()


def at_l1(match: re.Match[str]) -> Meaning:
    """`at L1`: where the spacecraft that are named are, else one must be named."""
    others = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    named = _mission().finditer(others)
    if any(each[0] != "wind" and read_mission(each[0]).name in missions_in("L1") for each in named):
        return Filler()
    if match[0] == "L1" and _names_a_mission(match):
        return Level("1")  # elsewhere than at L1, it is how far the data are processed
    each_of_them = ("of ACE", "of the Wind spacecraft", "of DSCOVR")
    return Unclear("Which spacecraft at L1 do you mean: ACE, Wind or DSCOVR?", each_of_them, sort="spacecraft")


def flow_symbol(match: re.Match[str]) -> Meaning:
    """`V`: the velocity where a frame is said of it, else the speed."""
    is_turned = _TURNED.match(match.string, match.end()) is not None or _OF_A_VECTOR.search(match.string) is not None
    return Measured(("velocity",) if is_turned else ("speed",))


def au(match: re.Match[str]) -> Meaning:
    """The unit beside a distance or a position, else the auroral index."""
    others = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    is_index = re.search(r"(?-i:\bA[EL]\b)", others) is not None or _DISTANCE.search(others) is None
    return Measured(("au",)) if is_index else Unit("AU")


def rtn_component(match: re.Match[str]) -> Meaning:
    """The radial, tangential or normal component of the velocity, else of the field."""
    return Measured(("velocity",) if match["flow"] else ("magnetic_field",), axis=match["part"][0].lower())


def events(match: re.Match[str]) -> Meaning:
    """Events without their times: what a superposed epoch is taken around, and no time range."""
    if SUPERPOSED.search(match.string) or (_SHOCKS.search(match[0]) and _JUMPS.search(match.string)):
        return Filler()
    return Unclear(f"I have no list of {match[0].split()[-1]}. From when to when is it?", ("",), sort="occasion")


def untreated(match: re.Match[str]) -> Meaning:
    """`no averaging`: what is done where nothing else is said; beside a length or a mean it could be of one quantity alone."""
    beside = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    if _TREATED.search(beside) is None:
        return Filler(note="Nothing is averaged or smoothed.")
    return Unclear(f"What is {match[0]!r} said of? Name what is averaged, and of which quantity.", ())


def events_file(match: re.Match[str]) -> Meaning:
    """Events that a file lists: what a superposed epoch is taken around."""
    if SUPERPOSED.search(match.string):
        return Transform("superposed_epoch", "superposed epoch", {"file": match["file"]})
    text = f"What is {match['file']} for: a superposed epoch around its events, or times that are left out?"
    return Unclear(text, (f"superposed epoch around {match['file']}", f"excluding those in {match['file']}"))


def _names_a_mission(match: re.Match[str]) -> bool:
    """Whether another spacecraft is named, whose solar wind may be meant."""
    others = f"{match.string[: match.start()]} {match.string[match.end() :]}"
    return re.search(rf"(?<!\w)(?:{mission_pattern()}|omni)(?!\w)", others, re.IGNORECASE) is not None


@cache
def _mission() -> re.Pattern[str]:
    """The name of any mission."""
    return re.compile(rf"(?<!\w)(?<!solar )(?:{mission_pattern()}|omni)(?!\w)", re.IGNORECASE)
