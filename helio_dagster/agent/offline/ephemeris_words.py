"""What a request for where bodies were asks: of which bodies, in which frame, from where, within which limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["where", "position", "orbit", "angle", "near", "along"]


@dataclass(frozen=True)
class Said:
    """What is asked, the names of bodies in the order of their roles, and the rest that the words say.

    An `angle` is between the first two names as the third sees them, `near` when they are within `limit` degrees of each other,
    `along` how far they are apart in longitude.
    """

    kind: Kind
    names: tuple[str, ...]
    frame: str = ""
    limit: str = ""
    is_of_longitude: bool = False


_BODY = r"(?:the )?(?P<{}>[A-Za-z0-9_ -]+?)"
_WHERE = re.compile(rf"where (?:was|is|were|will) {_BODY.format('target')}(?: be)?", re.IGNORECASE)
_POSITION = re.compile(
    rf"(?:plot |show |draw )?(?:the )?(?:(?:position|location|trajectory) of {_BODY.format('target')}"
    rf"|{_BODY.format('whose')} (?:position|location|trajectory))",
    re.IGNORECASE,
)
_FRAME = re.compile(r",? (?:in )?(HCI|HEEQ|HEE|HAE)(?: coordinates| frame)?(?= |,|$)", re.IGNORECASE)
_ORBIT = re.compile(rf"(?:plot |show |draw )?(?:the )?orbit of {_BODY.format('target')}", re.IGNORECASE)
_AS_SEEN = r"(?:,? as)?,? (?:seen|viewed|measured|observed)? ?(?:from|at|by)"
_ASKING = "(?:plot |show |draw |give me |what (?:is|was|were|are) )?(?:the )?"
_BETWEEN = r"(?:between|of|separating)"
_ANGLE = re.compile(
    rf"{_ASKING}(?:angular )?(?:angle|separation|distance)(?: angle)? {_BETWEEN} {_BODY.format('target')} and "
    rf"{_BODY.format('other')}{_AS_SEEN} {_BODY.format('observer')}"
    rf"|{_ASKING}(?P<first>[A-Za-z0-9_ -]+?)[-–](?P<seen_from>sun|earth)[-–](?P<second>[A-Za-z0-9_ -]+?) (?:separation )?angle",
    re.IGNORECASE,
)
"""An angle between two that a third sees: `the angle between PSP and Earth seen from the Sun`, `PSP-Sun-Earth angle`."""
_FROM_THE_SUN = r"(?:,? (?:as )?(?:seen|viewed|measured|observed) (?:from|at|by) (?:the )?sun)?"
_AT_THE_SUN = re.compile(
    rf"(?:plot |show )?(?:how far (?:away )?(?:was|is|were|are) {_BODY.format('target')} (?:away )?from {_BODY.format('other')}"
    rf"|how far apart (?:was|is|were|are) {_BODY.format('first')} and {_BODY.format('second')})"
    rf",? (?:in (?:an )?(?:angle|degrees)|(?:in )?angular(?:ly| separation| distance)?){_FROM_THE_SUN}"
    rf"|(?:plot |show )?how far apart in (?:an )?(?:angle|degrees) (?:was|is|were|are) {_BODY.format('third')} and "
    rf"{_BODY.format('fourth')}{_FROM_THE_SUN}"
    rf"|{_ASKING}(?:(?:sun|helio)[- ]?cent(?:ere?d|red|ric|ral) )?"
    rf"(?:angular (?:separation|distance|difference)|separation angle|angle) "
    rf"{_BETWEEN} {_BODY.format('one')} and {_BODY.format('two')}",
    re.IGNORECASE,
)
"""An angle between two that no third is named for: the Sun sees it."""
_IN_LONGITUDE = re.compile(
    r"(?:plot |show |draw )?(?:the )?"
    r"(?:longitud(?:e|inal) (?:separation|difference|distance)|separation in longitude) (?:between|of) "
    rf"{_BODY.format('first')} (?:and|from) "
    rf"{_BODY.format('second')}(?:,? (?:as )?seen (?:from|at) the sun)?",
    re.IGNORECASE,
)
_LIMIT = r"(?P<{}>\d{{1,3}}(?:\.\d+)?) ?(?:degrees?|deg|°)"
_BELOW = r"(?:within|below|under|less than|smaller than|closer than|nearer than|<)(?: to)?"
_LONGITUDE = r"(?:heliographic |heliospheric |solar |carrington )?longitudes?"
_NEAR = re.compile(
    rf"(?:list |find |show )?(?:the )?(?:when|times when|days when)(?: (?:were|are|was|is|will))?(?: the)? "
    rf"{_BODY.format('target')} and {_BODY.format('other')}(?: (?:were|are|was|be|come|came))? "
    rf"{_BELOW} {_LIMIT.format('limit')}"
    rf"(?: of each other| apart)?(?P<longitude> (?:of|in) {_LONGITUDE})?"
    rf"(?: of each other| apart)?{_FROM_THE_SUN}",
    re.IGNORECASE,
)
_LISTING = "(?:list |find |show |when were )?(?:the |all )?"
_APART = (
    rf"(?:(?P<longitude>longitud(?:e|inal) (?:difference|separation|distance|offset)"
    rf"|(?:difference|separation) in {_LONGITUDE})|angular (?:separation|distance)|separation angle|separation)"
)
_DIFFERING = re.compile(
    rf"{_LISTING}(?:(?:intervals?|times?|periods?|days?) )?(?:(?:where|when|during which|in which|with|of) )?(?:the |a )?"
    rf"{_APART} {_BETWEEN} {_BODY.format('target')} and {_BODY.format('other')}"
    rf"(?: (?:is|was|stays|stayed|gets|got|are|were))? (?:at most|{_BELOW}) {_LIMIT.format('limit')}{_FROM_THE_SUN}",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(
    rf"{_LISTING}(?:longitud(?:e|inal) |heliographic |radial )?(?:conjunctions?|alignments?)"
    rf"(?:,? \(?(?:to )?{_BELOW} {_LIMIT.format('limit')}(?: (?:of|in) {_LONGITUDE})?\)?)? {_BETWEEN} "
    rf"{_BODY.format('target')} and {_BODY.format('other')}"
    rf"(?:,? \(?(?:to )?{_BELOW} {_LIMIT.format('after')}(?: (?:of|in) {_LONGITUDE})?\)?)?",
    re.IGNORECASE,
)
"""Two bodies at one longitude, as near as a limit says."""
_LINK = re.compile(r"[ ,]+(?:in|on|during|for|over|from|at)?$", re.IGNORECASE)
_WHOSE_ENCOUNTER = re.compile(
    r"[ ,]+(?:(?:in|on|during|for|at) )?(?:the )?(?:psp|parker(?: solar probe)?)(?:'s)?[ ,]*$", re.IGNORECASE
)


def without_link(before: str, span: str) -> str:
    """The words before a time without the one that leads to it, or whose encounter it is."""
    if re.search("encounter|perihelion", span, re.IGNORECASE):
        before = _WHOSE_ENCOUNTER.sub(" ", before)
    return _LINK.sub("", before)


def read_ephemeris(text: str) -> Iterator[Said]:
    """What a request without its time may ask of bodies, whatever their names are; nothing where it asks something else."""
    frame = _FRAME.search(text)
    unframed = f"{text[: frame.start()]}{text[frame.end() :]}".strip() if frame else text
    in_frame = frame[1].upper() if frame else ""
    for kind, pattern in _PATTERNS:
        match = pattern.fullmatch(unframed if kind in ("where", "position") else text)
        if match is None:
            continue
        said = {name: words for name, words in match.groupdict().items() if words}
        limits = [said.pop(name, "") for name in ("limit", "after")]
        is_of_longitude = bool(said.pop("longitude", "")) or pattern is _CONJUNCTION
        seen_from = said.pop("seen_from", "")
        names = [*said.values(), *([seen_from] if seen_from else ["Sun"] if pattern is _AT_THE_SUN else [])]
        yield Said(kind, tuple(names), in_frame, next(filter(None, limits), ""), is_of_longitude)


_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("where", _WHERE),
    ("position", _POSITION),
    ("orbit", _ORBIT),
    ("angle", _ANGLE),
    ("near", _NEAR),
    ("near", _DIFFERING),
    ("near", _CONJUNCTION),
    ("angle", _AT_THE_SUN),
    ("along", _IN_LONGITUDE),
)
