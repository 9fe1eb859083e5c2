"""Tell a model in one answer which datasets a mission has and what they hold."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from helio_dagster.catalog.facts import DatasetFacts, ParameterFacts
from helio_dagster.catalog.missions import Mission, find_mission, missions
from helio_dagster.catalog.planetary import with_usual_kind
from helio_dagster.catalog.searching import CatalogSearch, Facets
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import format_duration

_ALL = 200
_MOST_DETAILED = 20
_MOST_QUANTITIES = 4
_MOST_MAIN = 4
_ASKING = frozenset(
    re.findall(
        "[a-z]+",
        "all and any are available by data dataset datasets did do does have has holds instrument instruments is it list "
        "measure measured measurements measures mission of on product products quantities s satellite spacecraft the there "
        "what which with",
    )
)
"""Words that ask for everything that a mission measures."""


def mission_asked_for(words: str, mission: str | None) -> Mission | None:
    """The mission whose datasets are asked for and nothing else; None if the words name a quantity or an instrument too."""
    phrase = re.findall(r"[a-z0-9]+", words.casefold()[:400])
    if mission is not None:
        found = find_mission(mission)
        own = set(re.findall(r"[a-z0-9]+", " ".join((mission, found.name, *found.names)).casefold()))
        return found if not set(phrase) - own - _ASKING else None
    left = " ".join(word for word in phrase if word not in _ASKING)
    try:
        return find_mission(left) if left else None
    except InputError:
        return None


def overview(search: CatalogSearch, mission: Mission) -> dict[str, Any]:
    """What a mission measures: its datasets, best first; of a fleet without its own, one spacecraft's."""
    fleet = [each for each in missions() if each.name != mission.name and each.name.startswith(mission.name)]
    document: dict[str, Any] = {"mission": mission.name, "measures": mission.measured}
    if fleet:
        document["spacecraft"] = [each.name for each in fleet]
    shown = next((each for each in (mission, *fleet) if _datasets(search, each)), mission)
    if shown is not mission:
        document["datasets_of"] = shown.name
    datasets = _datasets(search, shown)
    document["datasets"] = [_dataset(each) for each in datasets[:_MOST_DETAILED]]
    others = [with_usual_kind(each.dataset) for each in datasets[_MOST_DETAILED:]]
    return document | ({"other_datasets": others} if others else {})


def main_parameters(facts: DatasetFacts) -> tuple[ParameterFacts, ...]:
    """A dataset's parameters to show where none holds a word of the search: those with a known quantity, else the first."""
    known = [each for each in facts.parameters if each.quantity is not None]
    return tuple((known or facts.parameters)[:_MOST_MAIN])


def day(moment: datetime | None) -> str | None:
    """The day of a moment: an extent is never known better."""
    return f"{moment:%Y-%m-%d}" if moment else None


def _datasets(search: CatalogSearch, mission: Mission) -> list[DatasetFacts]:
    hits = search.search(f"{mission.name} {mission.measured}", facets=Facets(mission=mission.name), count=_ALL).hits
    return [hit.dataset for hit in hits if hit.dataset.is_fetchable]


def _dataset(facts: DatasetFacts) -> dict[str, Any]:
    quantities = list(dict.fromkeys(each.quantity.value for each in facts.parameters if each.quantity is not None))
    document: dict[str, Any] = {"dataset": with_usual_kind(facts.dataset), "holds": quantities[:_MOST_QUANTITIES]}
    if facts.archive != "cdaweb":
        document["archive"] = facts.archive
    if facts.cadence is not None:
        document["cadence"] = format_duration(facts.cadence)
    return document | {"start": day(facts.start), "stop": "goes on" if facts.is_current else day(facts.stop)}
