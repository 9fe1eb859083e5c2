"""Whose a quantity is where a request does not say it: the latitude of a spacecraft, a coupling function of OMNI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from helio_dagster.agent.offline.meanings import (
    Asks,
    Compare,
    Dataset,
    Filler,
    Frame,
    Heading,
    Instrument,
    LimitedEvents,
    Meaning,
    Mission,
    Unclear,
)
from helio_dagster.agent.offline.particle_words import is_of_the_solar_wind
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.vocabulary import place_words
from helio_dagster.agent.targets import Derived, Measured
from helio_dagster.agent.treatments import Pairing, Transform
from helio_dagster.catalog.choice.quantities import INDICES, VECTORS
from helio_dagster.catalog.mission_words import names_a_fleet
from helio_dagster.catalog.regions import missions_in
from helio_dagster.catalog.times.named_times import names_a_storm
from helio_dagster.domain.catalog_entry import Quantity

_ANGLES: dict[str, Quantity] = {"latitude": "heliographic_latitude", "longitude": "heliographic_longitude"}
_OF_THE_MAGNETOSPHERE = frozenset(
    (
        "newell_coupling",
        "epsilon",
        "dawn_dusk_electric_field",
        "kan_lee_electric_field",
        "boynton_coupling",
        "pressure_corrected_dst",
        "dst_model",
        "magnetopause_distance",
        "lin_magnetopause_distance",
        "bow_shock_distance",
    )
)
"""Operations that say what the solar wind does to the magnetosphere."""
_SHEAR = Pairing("angle_between")
_OF_THE_SOLAR_WIND: frozenset[Quantity] = frozenset(
    ("magnetic_field", "speed", "velocity", "density", "temperature", "pressure", "alpha_ratio")
)
"""What OMNI has of the solar wind."""
_EY = re.compile(r"\bE_?y\b")
_FRAMES = frozenset(("GSE", "GSM"))


def of_the_spacecraft(reading: Reading) -> Reading:
    """The reading in which a latitude is the spacecraft's, where no vector is named that it could be of."""
    measured = {quantity for each in reading.all(Measured) for quantity in each.quantities}
    others = any(isinstance(each.meaning, Derived) or each.meaning == _SHEAR for each in reading.mentions)
    if others or measured & (VECTORS - {"position"}) or "other" in measured:
        return reading
    mentions = tuple(_of_it(each) for each in reading.mentions)
    return reading if mentions == reading.mentions else replace(reading, mentions=mentions)


def of_the_named_member(reading: Reading) -> Reading:
    """The reading in which a fleet is the one of its spacecraft that is named, too: `Cluster WHISPER density, C1`."""
    named = {f"{each.name} {each.member}".strip() for each in reading.all(Mission)}
    fleets = [each for each in reading.mentions if isinstance(each.meaning, Unclear) and named & {*each.meaning.options}]
    fleets += [each for each in reading.mentions if _is_fleet(each) and any(_is_of_it(name, each) for name in named)]
    mentions = tuple(replace(each, meaning=Filler()) if each in fleets else each for each in reading.mentions)
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions) if fleets else reading


def _is_fleet(mention: Mention) -> bool:
    """Whether a name is that of a fleet, whose first spacecraft stands for it: `MMS`."""
    return isinstance(mention.meaning, Mission) and names_a_fleet(mention.words)


def _is_of_it(name: str, fleet: Mention) -> bool:
    """Whether a spacecraft is another one of the fleet than that which stands for it."""
    assert isinstance(fleet.meaning, Mission)  # noqa: S101 - chosen so
    first = fleet.meaning.name
    return name != first and name.rstrip("0123456789") == first.rstrip("0123456789")


def of_the_magnetosphere(reading: Reading) -> Reading:
    """The reading in which `Ey` of spacecraft in the magnetosphere is the field that they measure, not minus V times Bz."""
    named = {each.name for each in reading.all(Mission)}
    if not named or not named <= missions_in("magnetosphere"):
        return reading
    measured = Measured(("electric_field",), axis="y")
    mentions = tuple(replace(each, meaning=measured) if _is_ey(each) else each for each in reading.mentions)
    return reading if mentions == reading.mentions else replace(reading, mentions=mentions)


def _is_ey(mention: Mention) -> bool:
    is_computed = isinstance(mention.meaning, Derived) and mention.meaning.operation == "dawn_dusk_electric_field"
    return is_computed and _EY.search(mention.words) is not None


def of_omni(reading: Reading, *, has_limit: bool = True) -> Reading:
    """The reading in which what the solar wind does to the magnetosphere is that of OMNI, where nobody else is named.

    So is the solar wind itself where it is called so, or stands beside a geomagnetic index, a storm with a name, or a limit,
    where that `has_limit`, which is of the whole request.
    """
    whose = (Mission, Dataset, Instrument, Unclear)
    if any(isinstance(each.meaning, whose) for each in reading.mentions) or reading.named:
        return reading
    coupling = next((each for each in reading.mentions if _couples(each.meaning)), None)
    asked = {quantity for each in reading.all(Measured) for quantity in each.quantities}
    found = _hinted(reading, asked, has_limit=has_limit) if coupling is None or asked - INDICES else coupling
    if found is None:
        return reading
    phrase = found.meaning.words if isinstance(found.meaning, Derived) else found.words
    words = re.sub(r"^(?:to )?the ", "", " ".join(phrase.split()))
    note = f"The {words} is taken from OMNI, whose solar wind is that at the Earth: no spacecraft is named."
    omni = replace(found, meaning=Mission("OMNI", note=note), last=found.first)
    mentions = tuple(part for each in reading.mentions for part in ((omni, each) if each is found else (each,)))
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions)


def with_solar_wind_of_omni(reading: Reading, drawn: Sequence[str] = ()) -> Reading:
    """The reading in which the solar wind beside data of a spacecraft in the magnetosphere is OMNI's.

    Of a change of a figure, these are data of the spacecraft that are `drawn`. What stands directly behind a spacecraft is its
    own: `Cluster 1 solar wind speed`.
    """
    missions = [each for each in reading.heard or reading.mentions if isinstance(each.meaning, Mission)]
    named = [each.meaning.name for each in missions if isinstance(each.meaning, Mission)] or [*drawn]
    told = [each for each in reading.mentions if is_of_the_solar_wind(each, reading.request)]
    same = {each.meaning for each in told}
    own = [each for each in reading.mentions if isinstance(each.meaning, Measured | Derived) and each.meaning not in same]
    is_told = any(each.name == "OMNI" for each in reading.all(Mission))
    if is_told or not named or not (own or drawn) or not {*named} <= missions_in("magnetosphere"):
        return reading
    behind = {each.last + 1 for each in missions}
    told = [each for each in told if each.first not in behind]
    notes = {
        each: f"The {' '.join(each.words.split())} is taken from OMNI: {named[0]} measures in the magnetosphere."
        for each in told
    }
    added = [replace(each, meaning=Mission("OMNI", note=note), last=each.first) for each, note in notes.items()]
    last = max((each.first for each in told), default=0)
    again = [each for each in reading.mentions if told and each.meaning in same and each.first > last]  # `…, speed in red`
    kept = [each for each in reading.mentions if each not in again]
    mentions = tuple(sorted([*added, *kept], key=lambda each: (each.first, each.last)))
    return replace(reading, mentions=mentions, heard=reading.heard or reading.mentions) if told else reading


def _hinted(reading: Reading, asked: set[Quantity], *, has_limit: bool) -> Mention | None:
    """The first quantity of the solar wind, where an index or a name of the solar wind shows that OMNI is meant."""
    is_limited = has_limit and {"intervals", "crossings"} & {each.kind for each in reading.all(Asks)}
    named = [each.words for each in reading.unknown if isinstance(each.meaning, Heading)]  # beside its days
    is_of_a_storm = any(map(names_a_storm, (*([reading.time.words] if reading.time is not None else []), *named)))
    has_index = bool(asked & INDICES) or bool(is_limited) or bool(reading.all(LimitedEvents)) or is_of_a_storm
    if not has_index and (place_words("at_earth").search(reading.request) is None or reading.all(Compare)):
        return None
    if place_words("elsewhere").search(reading.request) is not None:
        return None
    needed = {quantity for each in reading.all(Derived) for _, one in each.inputs for quantity in one.quantities}
    is_other = any(each.species not in ("", "protons", "alphas") for each in reading.all(Measured))
    is_turned = any(each.name not in _FRAMES for each in reading.all(Frame))
    if is_other or is_turned or not (asked | needed) <= _OF_THE_SOLAR_WIND | INDICES:
        return None
    return next((each for each in reading.mentions if _is_solar_wind(each.meaning)), None)


def _is_solar_wind(meaning: Meaning) -> bool:
    if isinstance(meaning, Measured):
        return not {*meaning.quantities} <= INDICES
    return isinstance(meaning, Derived) or (isinstance(meaning, Transform) and meaning.operation == "direction")


def _couples(meaning: Meaning) -> bool:
    return isinstance(meaning, Derived) and meaning.operation in _OF_THE_MAGNETOSPHERE


def _of_it(mention: Mention) -> Mention:
    meaning = mention.meaning
    if not isinstance(meaning, Transform) or meaning.operation != "direction":
        return mention
    quantity = _ANGLES.get(str(meaning.options.get("angle")))
    return replace(mention, meaning=Measured((quantity,))) if quantity else mention
