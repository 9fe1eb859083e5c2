"""An instrument that none of the named spacecraft has data of: it is named before anything else is asked."""

from __future__ import annotations

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.offline.meanings import Dataset, Instrument, Mission, Unclear
from helio_dagster.agent.offline.named_instruments import datasets_of
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.wording import reworded
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.missions import mission_of, missions
from helio_dagster.domain.planetary import PDS_ARCHIVE, is_planetary

_MOST = 4
"""Spacecraft that a question names."""


def ask_about_foreign(reading: Reading, catalog: KnownCatalog, archive: str) -> None:
    """Ask whose instrument is meant, where it is that of other spacecraft only.

    Raises
    ------
    OpenQuestion
        Its choices are the spacecraft that have the instrument.
    """
    named = [each for each in reading.mentions if isinstance(each.meaning, Mission)]
    if not named or reading.all(Dataset) or any(each.is_first for each in reading.all(Unclear)):
        return
    asked = list(dict.fromkeys(each.name for each in reading.all(Mission)))
    for mention in reading.mentions:
        if not isinstance(mention.meaning, Instrument) or not _is_name(mention):
            continue
        name = mention.meaning.name
        if any(_carries(mission, name, catalog, archive) for mission in asked):
            continue
        if any(_carries_at_the_pds(mission, name, catalog) for mission in asked):
            continue
        others = _owners(name, reading, catalog, archive)
        if not others or {each.split()[0] for each in others} & {each.split()[0] for each in asked}:
            continue
        text = f"I know no data of {name} of {' or '.join(asked)}: {name} is an instrument of {_listed(others)}."
        choices = [reworded(reading, {**dict.fromkeys(named, ""), named[0]: each}) for each in others[:_MOST]]
        raise OpenQuestion(f"{text} Which spacecraft or instrument do you mean?", choices)


def owner_of_instrument(reading: Reading, catalog: KnownCatalog, archive: str) -> Mention | None:
    """The one spacecraft that has the instrument which a request names without any; None where several have it, or none."""
    names = [each.name for each in reading.all(Instrument)]
    owners = {owner for name in names for owner in _owners(name, reading, catalog, archive)}
    if len(owners) != 1:
        return None
    (owner,), end = owners, len(reading.request)
    return Mention(Mission(owner, note=f"{names[0]} is an instrument of {owner}."), end, end, "")


def _is_name(mention: Mention) -> bool:
    """Whether an instrument is written as a name; `fluxgate` may be anybody's."""
    return sum(letter.isupper() for letter in mention.words) > 1 or any(letter.isdigit() for letter in mention.words)


def _carries(mission: str, name: str, catalog: KnownCatalog, archive: str) -> bool:
    """Whether an id, an instrument, a label or a parameter of a mission's datasets has the name."""
    for dataset in datasets_of(mission, catalog, archive):
        if is_by(name, dataset, ""):
            return True
        facts = catalog.facts(archive, dataset)
        if facts is None:
            continue
        description = f"{facts.instrument} {facts.label} {' '.join(each.description for each in facts.parameters)}".upper()
        if is_by(name, dataset, facts.instrument) or all(part in description for part in name.split("-")):
            return True
    return False


def _carries_at_the_pds(mission: str, name: str, catalog: KnownCatalog) -> bool:
    """Whether a planetary dataset of a mission is of the instrument; their ids do not begin with the mission."""
    by_it = [each for each in catalog.names(PDS_ARCHIVE) if is_planetary(each) and is_by(name, each, "")]
    return any((facts := catalog.facts(PDS_ARCHIVE, each)) is not None and facts.mission == mission for each in by_it)


def _owners(name: str, reading: Reading, catalog: KnownCatalog, archive: str) -> list[str]:
    """The missions with a dataset of an instrument, in the time that is asked for if any has data then."""
    datasets = [each for each in catalog.names(archive) if is_by(name, each, "")]
    span = reading.time.span if reading.time else None
    extents = {each: catalog.extent(archive, each) for each in datasets if span is not None}
    then = [
        each
        for each, (start, stop) in extents.items()
        if span is not None and start is not None and start < span.stop and (stop is None or span.start < stop)
    ]
    owners = {mission for each in then or datasets if (mission := mission_of(each)) is not None}
    return [each.name for each in missions() if each in owners]


def _listed(missions: list[str]) -> str:
    return f"{', '.join(missions[:_MOST])}{' and others' if len(missions) > _MOST else ''}"
