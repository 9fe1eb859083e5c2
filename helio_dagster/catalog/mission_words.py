"""The names of the missions as people write them, and which mission each means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from helio_dagster.catalog.fleets import series
from helio_dagster.catalog.missions import missions

_PLACES = frozenset(
    re.findall(
        r"[^,\s][^,]*[^,\s]",
        "mars, jupiter, jovian, saturn, mercury, venus, moon, lunar, pluto, ganymede, io, europa, ground, crater, rad, ena, "
        "tec, trajectory, heliocentric position, heliosheath, interstellar medium, ring current imaging, ionogram, "
        "topside sounder, gravity waves, geostationary, geosynchronous, rocket, sounding rocket, endurance, balloon, "
        "all-sky imager, "
        "ground magnetometer, noctilucent clouds, total electron content, the probe e, awe, imp, stp, solar probe, de",
    )
)
"""Names in the catalog that say where or what was measured, and not by whom."""
_LOUD = frozenset(
    ("fast", "image", "gold", "aim", "icon", "reach", "step", "sta", "stb", "asi", "gbo", "mex", "vex", "nh", "ice")
)
"""Names that are taken for one only in capitals."""
_MORE = {
    "Parker Solar Probe": ("parker solar probe", "psp", "parker"),
    "STEREO-A": ("stereo[- ]?ahead",),
    "STEREO-B": ("stereo[- ]?behind",),
    "Van Allen Probe A": ("van allen (?:probes?[- ])?a",),
    "Van Allen Probe B": ("van allen (?:probes?[- ])?b",),
    **{
        f"THEMIS-{probe}": (f"themis[- ]probe[- ]{probe.lower()}", f"themis[- ]p{place}")
        for probe, place in zip("BCDEA", "12345", strict=True)
    },
    "IMP-8": ("imp[- ]?8",),
    "Wind": ("wind (?:spacecraft|satellite)",),
}
_FIRST_OF_FLEET = {"mms": "MMS1", "magnetospheric multiscale": "MMS1"}
"""Fleets that fly so close that the first stands for all; of others it must be said which is meant."""
_NOAA = re.compile(r"(?:noaa|poes)[- ]?(?P<number>1\d)", re.IGNORECASE)
_GOES = re.compile(r"(?:goes|g)[- ]?0?(?P<number>\d{1,2})", re.IGNORECASE)
_LANL_FORM = r"lanl[- ]?(?:19|20)?\d\d(?:-\d{3}|-?a)(?![\w-])"
_LANL = re.compile(rf"(?={_LANL_FORM})lanl[- ]?(?:19|20)?(?P<year>\d\d)(?=-\d|-?a)[-\w]*", re.IGNORECASE)
"""`LANL 1994-084`, `LANL-97A`: the year in which it was launched says which of them it is."""


@dataclass(frozen=True)
class NamedMission:
    """What a name means: one mission, with the member of a series such as GOES, or several to choose from.

    `note` says what was assumed in reading the name.
    """

    name: str = ""
    member: str = ""
    note: str = ""
    several: tuple[str, ...] = ()


def names_a_fleet(words: str) -> bool:
    """Whether a name is that of a fleet, whose first spacecraft stands for it: `MMS`."""
    return " ".join(words.casefold().split()) in _FIRST_OF_FLEET


def read_mission(words: str) -> NamedMission:
    """The mission that is called so, or the several that are."""
    goes = _GOES.fullmatch(words)
    if goes:
        return NamedMission("GOES", goes["number"])
    lanl = _LANL.fullmatch(words)
    if lanl:
        return NamedMission("LANL", f"{'19' if lanl['year'] > '50' else '20'}{lanl['year']}")
    noaa = _NOAA.fullmatch(words)
    if noaa:
        return NamedMission("NOAA POES and MetOp", noaa["number"])
    folded = " ".join(words.casefold().split())
    if folded in _FIRST_OF_FLEET:
        return NamedMission(
            _FIRST_OF_FLEET[folded], note=f"{_FIRST_OF_FLEET[folded]} is used, because the request names the fleet."
        )
    found = [name for name, pattern in _patterns() if pattern.fullmatch(folded)]
    if len(found) == 1 or (found and found[0].casefold() == folded and found[0] not in _fleets()):
        if found[0] == "GOES":
            return NamedMission(several=tuple(f"GOES {number}" for number in series("GOES")))
        return NamedMission(found[0])
    return NamedMission(several=tuple(name for name in found if name not in _fleets()))


@cache
def mission_pattern() -> str:
    """A pattern of all names, the longest first."""
    more = {pattern for each in _MORE.values() for pattern in each}
    names = sorted({pattern for _, each in _named() for pattern in each}, key=lambda name: (name not in more, -len(name)))
    quiet = "|".join(name for name in names if name not in _LOUD)
    loud = "|".join(name.upper() for name in names if name in _LOUD)
    return rf"goes[- ]?\d{{1,2}}|{_LANL_FORM}|(?:noaa|poes)[- ]?1\d|{quiet}|(?-i:{loud})"


@cache
def mission_names() -> tuple[str, ...]:
    """Every name, for the correction of misspelt ones."""
    return tuple(mission.name for mission in missions())


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile("|".join(each), re.IGNORECASE)) for name, each in _named())


@cache
def _named() -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((mission.name, tuple(_forms(mission.name, mission.synonyms))) for mission in missions())


def _forms(name: str, synonyms: tuple[str, ...]) -> Iterator[str]:
    if name == "Wind":
        yield from _MORE[name]  # the bare word may be the solar wind
        return
    for each in dict.fromkeys([name.casefold(), *synonyms]):
        if each not in _PLACES:
            yield re.sub(r"(?:\\?[- ])+", "[- ]?", re.escape(each)) if each not in _LOUD else each
    yield from _MORE.get(name, ())


@cache
def _fleets() -> frozenset[str]:
    """Entries that gather several spacecraft: `Cluster` beside `Cluster 1`."""
    names = [mission.name for mission in missions()]
    return frozenset(
        name
        for name in names
        if any(other != name and re.match(rf"{re.escape(name.rstrip('s'))}[ -]", other) for other in names)
    ) - {"Polar"}
