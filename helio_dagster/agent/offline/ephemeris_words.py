"""What a request for where bodies were asks: of which bodies, in which frame, from where, within which limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from helio_dagster.agent.offline.forms import form

Kind = Literal["where", "position", "orbit", "angle", "near", "along"]
_KINDS: dict[str, Kind] = {
    "where": "where",
    "position": "position",
    "orbit": "orbit",
    "angle": "angle",
    "near": "near",
    "differing": "near",
    "conjunction": "near",
    "at_the_sun": "angle",
    "in_longitude": "along",
}
"""The ways of asking, in the order in which they are tried, and what each asks for."""


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


def without_link(before: str, span: str) -> str:
    """The words before a time without the one that leads to it, or whose encounter it is."""
    if re.search("encounter|perihelion", span, re.IGNORECASE):
        before = form("ephemeris.whose_encounter").sub(" ", before)
    return form("times.link").sub("", before)


def read_ephemeris(text: str) -> Iterator[Said]:
    """What a request without its time may ask of bodies, whatever their names are; nothing where it asks something else."""
    frame = form("ephemeris.frame").search(text)
    unframed = f"{text[: frame.start()]}{text[frame.end() :]}".strip() if frame else text
    in_frame = frame["frame"].upper() if frame else ""
    for way, kind in _KINDS.items():
        match = form(f"ephemeris.{way}").fullmatch(unframed if kind in ("where", "position") else text)
        if match is None:
            continue
        said = {name: words for name, words in match.groupdict().items() if words}
        limits = [said.pop(name, "") for name in ("limit", "after")]
        is_of_longitude = bool(said.pop("longitude", "")) or way == "conjunction"
        seen_from = said.pop("seen_from", "")
        names = [*said.values(), *([seen_from] if seen_from else ["Sun"] if way == "at_the_sun" else [])]
        yield Said(kind, tuple(names), in_frame, next(filter(None, limits), ""), is_of_longitude)
