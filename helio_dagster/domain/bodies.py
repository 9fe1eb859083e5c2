"""Bodies whose positions can be asked for: their names, NAIF ids, and which are made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from helio_dagster.domain.did_you_mean import near_names
from helio_dagster.domain.errors import UnknownDataset


@dataclass(frozen=True)
class Body:
    """A body: its name in pipelines and asset keys, NAIF's id of it, how it is written for people, and further names.

    `begins` is the day of its launch, or where its made-up orbit begins; empty for what has always been there. `axes` is
    SPICE's name of the frame that is fixed to the spacecraft, empty where no kernel of its attitude is known; `axes_also` are
    names that its data have for the same axes.
    """

    name: str
    naif_id: int
    label: str
    others: tuple[str, ...] = ()
    is_made_up: bool = False
    begins: str = ""
    axes: str = ""
    axes_also: tuple[str, ...] = ()

    @property
    def start(self) -> datetime | None:
        """Where its orbit begins, UTC."""
        return datetime.fromisoformat(self.begins).replace(tzinfo=UTC) if self.begins else None


BODIES = (
    Body("SUN", 10, "Sun"),
    Body("MERCURY", 199, "Mercury"),
    Body("VENUS", 299, "Venus"),
    Body("EARTH", 399, "Earth"),
    Body("MOON", 301, "Moon"),
    Body("MARS", 4, "Mars", ("MARS BARYCENTER",)),
    Body("JUPITER", 5, "Jupiter", ("JUPITER BARYCENTER",)),
    Body("SATURN", 6, "Saturn", ("SATURN BARYCENTER",)),
    Body("URANUS", 7, "Uranus", ("URANUS BARYCENTER",)),
    Body("NEPTUNE", 8, "Neptune", ("NEPTUNE BARYCENTER",)),
    Body("L1", 391, "Sun-Earth L1"),
    Body("L2", 392, "Sun-Earth L2"),
    Body("L4", 394, "Sun-Earth L4"),
    Body("L5", 395, "Sun-Earth L5"),
    Body(
        *("PSP", -96, "Parker Solar Probe", ("PARKER", "SPP", "SOLAR PROBE PLUS")),
        begins="2018-08-12",
        axes="SPP_SPACECRAFT",
        axes_also=("SC",),
    ),
    Body(
        *("SOLO", -144, "Solar Orbiter", ("SOLAR_ORBITER",)),
        begins="2020-02-10",
        axes="SOLO_SRF",
        axes_also=("SRF", "SC"),
    ),
    Body("STEREO_A", -234, "STEREO-A", ("STA", "STEREO AHEAD", "AHEAD"), begins="2006-10-26"),
    Body("STEREO_B", -235, "STEREO-B", ("STB", "STEREO BEHIND", "BEHIND"), begins="2006-10-26"),
    Body("MPO", -121, "BepiColombo MPO", ("BEPICOLOMBO", "BEPI"), begins="2018-10-20"),
    Body("JUNO", -61, "Juno", begins="2011-08-05", axes="JUNO_SPACECRAFT", axes_also=("SC",)),
    Body("MAVEN", -202, "MAVEN", begins="2013-11-18", axes="MAVEN_SPACECRAFT", axes_also=("SC",)),
    Body("ULYSSES", -55, "Ulysses", begins="1990-10-06"),
    Body("VOYAGER_1", -31, "Voyager 1", ("VG1",), begins="1977-09-05"),
    Body("VOYAGER_2", -32, "Voyager 2", ("VG2",), begins="1977-08-20"),
    Body(
        *("DEMO_ORBITER", -999001, "Demo Orbiter", ("ORBITER", "DEMO SPACECRAFT"), True, "2018-01-01"),
        axes="DEMO_ORBITER_SC",
        axes_also=("SC",),
    ),
    Body("DEMO_SENTINEL", -999002, "Demo Sentinel", ("SENTINEL",), is_made_up=True, begins="2018-01-01"),
)
"""Mars and the planets beyond stand for the barycentres of their systems, which differ from the planets by less than 250 km."""

_MADE_UP_ALSO = ("SUN", "EARTH")
"""Bodies that the demo archive knows beside its own."""
_SEPARATORS = re.compile(r"[\s_-]+")


def find_body(text: str, *, of_demo: bool | None = None) -> Body:
    """The body of a name, in any case and with spaces, hyphens or underscores.

    Parameters
    ----------
    text
        A name, such as PSP or Solar Orbiter.
    of_demo
        True for the bodies of the demo archive alone, False for those that are not made up, None for all.

    Raises
    ------
    UnknownDataset
        No body has this name; the hint offers near names.
    """
    wanted = _plain(text)
    known = BODIES if of_demo is None else bodies_of_archive(of_demo=of_demo)
    for body in known:
        if wanted in (_plain(name) for name in (body.name, body.label, *body.others)):
            return body
    other = next((body for body in BODIES if wanted in (_plain(body.name), _plain(body.label))), None)
    if other is not None and of_demo is not None:
        which = "spice" if of_demo else "demo"
        raise UnknownDataset(f"the archive has no kernels of {other.name}", hint=f"Write archive: {which}.")
    raise UnknownDataset(f"there is no body {text[:60]!r}", hint=_remedy(text, known))


def _remedy(text: str, known: Sequence[Body]) -> str:
    """The bodies with a near name or label; where there is none, all of them, and where other positions are."""
    called = {name: body.name for body in known for name in (body.name, body.label, *body.others)}
    near = list(dict.fromkeys(called[name] for name in near_names(text.replace("_", " "), called)))
    near = near or list(dict.fromkeys(called[name] for name in near_names(text.upper().replace(" ", "_"), called)))
    if near:
        return f"Did you mean {' or '.join(near)}?"
    names = ", ".join(body.name for body in known)
    return f"Bodies: {names}. Spacecraft near the Earth have their position in a dataset of their own, or at hapi:sscweb."


def body_of_axes(axes: str) -> Body | None:
    """The spacecraft that SPICE's name of its axes belongs to; None where it is none of those known here."""
    return next((body for body in BODIES if body.axes and body.axes == axes), None)


def bodies_of_archive(*, of_demo: bool) -> tuple[Body, ...]:
    """The bodies that the demo archive has, or those that are not made up."""
    return tuple(body for body in BODIES if _is_among(body, of_demo=of_demo))


def _is_among(body: Body, *, of_demo: bool) -> bool:
    return (body.is_made_up or body.name in _MADE_UP_ALSO) if of_demo else not body.is_made_up


def _plain(text: str) -> str:
    return _SEPARATORS.sub("", text).upper()
