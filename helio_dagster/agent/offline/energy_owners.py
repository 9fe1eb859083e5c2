"""Whose particles of an energy are meant, where the spacecraft that is named has no such channel or none is named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Instrument, Mission, Unclear
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.mission_words import read_mission

_NEAR_EARTH = frozenset(("GOES", "ACE", "Wind", "SOHO", "IMP-8", "DSCOVR"))
"""Spacecraft that fluxes of OMNI may stand in for."""
OMNI = Mission("OMNI")
Told = Callable[[Mission], str | None]
"""What the catalog calls a mission's channel of the energy that is asked for; None where it has none."""


def whose_channel(reading: Reading, energy: str, channel_of: Told) -> Mention | None:
    """OMNI where nobody is named and it has particles of an energy; None where nobody has any.

    Parameters
    ----------
    reading
        The request, with no single spacecraft in it.
    told
        The energy and the particles in words.
    channel_of
        The channel of each mission.

    Raises
    ------
    OpenQuestion
        A fleet is named, or an instrument: those that have such a channel are offered.
    """
    fleet = next((each for each in reading.of(Unclear) if read_mission(each.words).several), None)
    names = fleet.meaning.options if fleet is not None and isinstance(fleet.meaning, Unclear) else ()
    having = [name for name in names if channel_of(Mission((found := read_mission(name)).name, found.member)) is not None]
    if fleet is not None and having:
        text = f"Which spacecraft do you mean by {fleet.words!r}: {' or '.join(having)}?"
        raise OpenQuestion(text, [reworded(reading, {fleet: name}) for name in having])
    channel = channel_of(OMNI)
    if channel is None:
        return None
    if fleet is not None:
        text = f"I know no channel of {fleet.words} for {energy}; OMNI has one, {channel}. Do you want that?"
        raise OpenQuestion(text, [reworded(reading, {fleet: "OMNI"})])
    if not (reading.all(Instrument) or reading.unknown or reading.named):
        end = len(reading.request)
        note = f"The {energy} are those of OMNI, because the request names no spacecraft."
        return Mention(replace(OMNI, note=note), end, end, "")
    text = f"Of which spacecraft do you want the {energy}? OMNI has them: {channel}."
    raise OpenQuestion(text, [reworded(reading, {}, first="OMNI")])


def in_omni(reading: Reading, mission: Mention, channel_of: Told) -> tuple[str, list[str]]:
    """What is said of a channel of OMNI, and the request with it, in the place of a spacecraft near the Earth that has none."""
    name = mission.meaning.name if isinstance(mission.meaning, Mission) else ""
    channel = channel_of(OMNI) if name in _NEAR_EARTH else None
    return (f" OMNI has one, {channel}.", [reworded(reading, {mission: "OMNI"})]) if channel is not None else ("", [])
