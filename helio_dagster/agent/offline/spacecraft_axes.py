"""Components along the axes of a geostationary spacecraft, as its magnetometers name them: `GOES-15 Hp`, `He`, `Hn`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.draft_titles import listed
from helio_dagster.agent.offline.meanings import Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.choice.offer import Asked
from helio_dagster.catalog.choice.offers import Offers
from helio_dagster.catalog.fleets import member_of
from helio_dagster.catalog.searching import Facets

_COMPONENT = re.compile("H[pen]|hp")
_OWN_AXES = re.compile(r"\bLH-ENP\b|\blocal s/c\b|\blocal spacecraft\b", re.IGNORECASE)
_LOOKED_AT = 20


def ask_about_own_axes(reading: Reading, offers: Offers) -> None:
    """Ask whether the whole vector is wanted, where a component along the axes of GOES is named; nothing for others.

    Raises
    ------
    OpenQuestion
        Its choice is the vector; where the catalog does not know the parameters, it says how to get them.
    """
    named = [each for each in reading.unknown if _COMPONENT.fullmatch(each.words)]
    owners = reading.of(Mission)
    missions = reading.all(Mission)
    if not named or len(missions) != 1 or missions[0].name != "GOES":
        return
    (mission,) = missions
    who = f"{mission.name} {mission.member}".strip()
    names = list(dict.fromkeys(each.words for each in named))
    if names == ["He"] and "magnet" not in reading.request.casefold():
        return  # helium
    are = "are components" if len(names) > 1 else "is a component"
    lead = f"{listed(names)} {are} of the magnetic field along the axes of {who} (P northward, E earthward, N normal to both)."
    if (found := next(_in_own_axes(mission, reading, offers), "")) != "":
        again = reworded(reading, {**dict.fromkeys([*owners, *named], ""), named[0]: found})
        raise OpenQuestion(f"{lead} {found} is the field along these axes. Do you want all three components?", [again])
    span = reading.span
    unread = offers.unread(Asked(mission.name, "magnetic_field", member=mission.member), span)
    if unread:
        name = unread[0].dataset
        raise OpenQuestion(
            f"{lead} {name} has the field, and its parameters are not in this catalog. `helio catalog refresh --dataset "
            f"{name}` asks the archive for them; then name the parameter."
        )
    raise OpenQuestion(f"{lead} I know no data of {who} along these axes then. Which data do you want?")


def _in_own_axes(mission: Mission, reading: Reading, offers: Offers) -> Iterator[str]:
    """The vectors along the axes of a spacecraft, as `B_lcl_c of G8_K0_MAG`."""
    facets = Facets(mission=mission.name, span=reading.span)
    for hit in offers.found_by(f"{mission.name} {mission.member} magnetometer magnetic field local", facets)[:_LOOKED_AT]:
        dataset = hit.dataset
        if hit.covers is False or mission.member.lstrip("0") != member_of(dataset.dataset.upper(), dataset.label):
            continue
        for each in dataset.parameters:
            if str(each.quantity) == "magnetic field" and each.size == (3,) and _OWN_AXES.search(each.description):
                yield f"{each.name} of {dataset.dataset}"
