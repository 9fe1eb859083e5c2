"""Answer questions from operations and catalog, with sources and without making data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from helio_dagster.agent.answers import Information
from helio_dagster.agent.planner import Knowledge
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.instruments import is_by
from helio_dagster.catalog.missions import find_mission, missions
from helio_dagster.catalog.searching import Facets
from helio_dagster.domain.did_you_mean import suggestion
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import TimeRange, format_duration

_ARCHIVE = "cdaweb"
_MOST_PARAMETERS = 24
_MOST_DATASETS = 8
_ALL = 200
_UNSET = datetime(2000, 1, 1, 12, tzinfo=UTC)
"""How an unset time reads in files that count from this epoch."""
_SEVERAL = 6
"""In a mission with this many datasets, two must reach into a range: a single first day in the catalog can be wrong."""


def explain_operation(knowledge: Knowledge, operation_id: str) -> Information:
    """What an operation computes, when to use it, its inputs, and its formula.

    Raises
    ------
    InputError
        There is no such operation.
    """
    operation: Any = knowledge.operations.get(operation_id)
    inputs = "; ".join(f"{name}: {each.meaning}" for name, each in operation.inputs.items())
    text = (
        f"{operation.summary} {operation.when}\nInputs: {inputs}.\nOutput: {operation.output}\nFormula: {operation.reference}"
    )
    return Information(text, (f"operation {operation.id}",))


def describe_dataset(knowledge: Knowledge, dataset: str) -> Information:
    """What a dataset contains: its mission, when it has data, its parameters.

    Raises
    ------
    InputError
        The catalog has no such dataset; the hint lists similar names.
    """
    facts = knowledge.catalog.facts(_ARCHIVE, dataset)
    if facts is None:
        hint = suggestion(dataset, knowledge.catalog.names(_ARCHIVE)) or "`helio catalog search` finds datasets by words."
        raise InputError(f"the catalog has no dataset {dataset!r:.80}", hint=hint)
    cadence = f", every {format_duration(facts.cadence)}" if facts.cadence else ""
    shown = [parameter for parameter in facts.parameters if parameter.quantity is not None] or list(facts.parameters)
    lines = [f"  {each.name}: {each.description}{f' [{each.unit}]' if each.unit else ''}" for each in shown[:_MOST_PARAMETERS]]
    more = len(facts.parameters) - len(lines)
    rest = [f"  and {more} more: helio catalog show {facts.dataset}"] if more > 0 else []
    head = (
        f"{facts.dataset} of {facts.mission} ({facts.instrument}): {facts.label}. Data {_extent(facts)}{cadence}. It contains:"
    )
    return Information("\n".join([head, *lines, *rest]), (f"catalog {facts.dataset}",))


def describe_parameter(knowledge: Knowledge, dataset: str, parameter: str) -> Information:
    """The catalog's description of a parameter.

    Raises
    ------
    InputError
        The catalog has no such dataset or parameter.
    """
    facts = knowledge.catalog.facts(_ARCHIVE, dataset)
    found = facts.parameter(parameter) if facts else None
    if facts is None or found is None:
        raise InputError(f"the catalog has no parameter {parameter!r:.80} of {dataset!r:.80}")
    unit = f" in {found.unit}" if found.unit else ""
    text = f"{found.name}{unit}: {found.description}. It is in {facts.dataset} ({facts.label}), {_extent(facts)}."
    return Information(text, (f"catalog {facts.dataset} {found.name}",))


def describe_mission(
    knowledge: Knowledge, name: str, quantity: str | None = None, instrument: str | None = None
) -> Information:
    """What a mission or its instrument measured, or when it measured a quantity (`magnetic field`, as the catalog calls it).

    Raises
    ------
    InputError
        There is no such mission; the hint lists similar names.
    """
    mission = find_mission(name)
    facets = Facets(mission=mission.name, quantity=quantity)
    hits = knowledge.search.search(f"{mission.name} {quantity or mission.measured}", facets=facets, count=_ALL).hits
    datasets = [hit.dataset for hit in hits if hit.dataset.archive == _ARCHIVE] or [hit.dataset for hit in hits]
    if instrument is not None:
        datasets = [each for each in datasets if is_by(instrument, each.dataset, each.instrument)]
    if not datasets and instrument is not None:
        text = f"The catalog has no {quantity or 'data'} of {instrument} of {mission.name}."
        return Information(text, (f"catalog mission {mission.name}",))
    if not datasets:
        return Information(f"The catalog has no {quantity or 'data'} of {mission.name}.", (f"catalog mission {mission.name}",))
    starts = [each.start for each in datasets if each.start is not None and not _is_unset(each, datasets)]
    stops = [each.stop for each in datasets if each.stop is not None]
    when = f" from {min(starts):%Y-%m-%d}" if starts else ""
    if any(each.is_current for each in datasets):
        when += ", ongoing"
    elif stops:
        when += f" to {max(stops):%Y-%m-%d}"
    what = f"{quantity} data" if quantity else "data" if instrument else mission.measured
    what += f" of {instrument}" if instrument else ""
    head = f"{mission.name}: {what}{when}, in {len(datasets)} dataset{'s' if len(datasets) > 1 else ''} of the catalog."
    lines = [f"  {each.dataset}: {each.label}, {_extent(each)}" for each in datasets[:_MOST_DATASETS]]
    rest = [f"  and {len(datasets) - len(lines)} more"] if len(datasets) > len(lines) else []
    sources = (f"catalog mission {mission.name}", *(f"catalog {each.dataset}" for each in datasets[:_MOST_DATASETS]))
    return Information("\n".join([head, *lines, *rest]), sources)


def missions_measuring(knowledge: Knowledge, quantity: str | None = None, span: TimeRange | None = None) -> Information:
    """The missions with a quantity, or any data, in a range, from the first and last data in the catalog; gaps are unknown."""
    found: list[tuple[str, str]] = []
    for mission in missions():
        facets = Facets(mission=mission.name, quantity=quantity, span=span)
        words = f"{mission.name} {quantity or mission.measured}"
        hits = [hit.dataset for hit in knowledge.search.search(words, facets=facets, count=_SEVERAL).hits]
        if not hits:
            continue
        facets = Facets(mission=mission.name, quantity=quantity)
        all_hits = knowledge.search.search(words, facets=facets, count=_ALL).hits
        others = [hit.dataset for hit in all_hits]
        believed = [each for each in hits if not _is_unset(each, others)]
        if len(believed) > 1 or (believed and len(others) < _SEVERAL):
            found.append((mission.name, believed[0].dataset))
    what, when = quantity or "data", f" in {span}" if span else ""
    if not found:
        return Information(f"The catalog has no mission with {what}{when}.", ("catalog",))
    names = ", ".join(name for name, _ in found)
    text = (
        f"According to the catalog, {len(found)} missions have {what}{when}: {names}. It records first and last data, not gaps."
    )
    return Information(text, tuple(f"catalog {dataset}" for _, dataset in found))


def describe_abilities(knowledge: Knowledge, examples: Sequence[str], quantities: Sequence[str]) -> Information:
    """What can be asked for, with examples."""
    names = ", ".join(operation.id for operation in knowledge.operations.all())
    lines = [
        "I turn a sentence into a pipeline: which quantity (magnetic field, density, speed, an index), of which of the "
        f"{len(missions())} missions (ACE, Wind, OMNI, MMS1, Parker Solar Probe…), what to compute of it, and for when.",
        f"Quantities: {', '.join(quantities)}.",
        f"Operations: {names}.",
        "Then change it (make |B| red, smooth over 5 minutes, also Wind), run it for another time or another mission.",
        "For example:",
        *(f"  {example}" for example in examples),
    ]
    return Information("\n".join(lines), ("catalog", "operations"))


def _is_unset(facts: DatasetFacts, others: Sequence[DatasetFacts]) -> bool:
    """Whether a first day looks unset: J2000's, while the rest of the mission begins a year later."""
    starts = [each.start for each in others if each.start is not None and not _is_near_unset(each.start)]
    is_odd = facts.start is not None and _is_near_unset(facts.start)
    return is_odd and bool(starts) and min(starts) > _UNSET + timedelta(days=365)


def _is_near_unset(start: datetime) -> bool:
    return abs(start - _UNSET) <= timedelta(days=1)


def _extent(facts: DatasetFacts) -> str:
    start = f"from {facts.start:%Y-%m-%d}" if facts.start else ""
    stop = " on" if facts.is_current else f" to {facts.stop:%Y-%m-%d}" if facts.stop else ""
    return f"{start}{stop}".strip() or "of unknown extent"
