"""Steps become a pipeline: its name, its grain and its first day follow from title and datasets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from helio_dagster.agent.drafting.whole_ranges import with_ranges
from helio_dagster.agent.intent import Windows
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.pipeline import Fetch, Pipeline
from helio_dagster.domain.time_range import format_time
from helio_dagster.domain.yaml.document import Value

_LONGEST_NAME = 60


def assemble(
    title: str,
    description: str,
    steps: Sequence[Value],
    *,
    fetches: Iterable[Fetch],
    assumptions: Iterable[str],
    catalog: KnownCatalog,
    windows: Windows | None = None,
) -> Pipeline:
    """The pipeline of the steps.

    Parameters
    ----------
    title, description
        As shown to people.
    steps
        As in a pipeline file.
    fetches
        What the steps fetch.
    assumptions
        What was decided that the person left open; each is kept once.
    catalog
        Gives grains and first days of datasets.
    windows
        The events that are its partitions, if they are.

    Raises
    ------
    pydantic.ValidationError
        A step is not allowed in a pipeline.
    """
    fetched = list(fetches)
    document: dict[str, Value] = {
        "version": 1,
        "name": name_of(title),
        "title": title.strip(),
        "description": description.strip(),
        "partitions": _partitions(_grain(catalog, fetched), windows),
        "assumptions": list(dict.fromkeys(assumptions)),
        "steps": with_ranges(steps, is_over_events=windows is not None),
    }
    if (start := _start(catalog, fetched)) is not None:
        document["start"] = format_time(start)
    return Pipeline.model_validate(document)


def plain_pipeline(title: str, steps: Sequence[Value], assumptions: Sequence[str], **more: Value) -> Pipeline:
    """The pipeline of steps that are known, daily where `more`, the other values of its file, does not say otherwise."""
    named: dict[str, Value] = {"version": 1, "name": name_of(title), "title": title, "partitions": "daily"}
    return Pipeline.model_validate({**named, **more, "assumptions": [*assumptions], "steps": [*steps]})


def step_of(name: str, intent: str, **body: Value) -> Value:
    """A step that is known, as a pipeline's file holds it."""
    return {"id": name, "intent": intent, **body}


def compute_of(operation: str, inputs: Mapping[str, Value], options: Mapping[str, Value] | None = None) -> Value:
    """What a step that computes does."""
    return {"operation": operation, "inputs": {**inputs}, **({"options": {**options}} if options else {})}


def figure_of(intent: str, *panels: Value, **more: Value) -> Value:
    """The step that draws panels; one that is the name of a step draws that alone."""
    whole: list[Value] = [{"traces": [{"data": each}]} if isinstance(each, str) else each for each in panels]
    return step_of("overview", intent, figure={"panels": whole, **more})


def made_from(fetches: Sequence[Fetch]) -> str:
    """From which datasets of which archives a pipeline is made, in words."""
    datasets, archives = (dict.fromkeys(each) for each in ([one.dataset for one in fetches], [one.archive for one in fetches]))
    return f"Made from {', '.join(datasets)} of the archive{'s' if len(archives) > 1 else ''} {' and '.join(archives)}."


def name_of(title: str) -> str:
    """A valid pipeline name made from a title: lower-case ASCII letters, digits and `_`."""
    spelt = unicodedata.normalize("NFKD", title.replace("|B|", "magnetic field magnitude"))
    plain = re.sub(r"[^a-z0-9]+", "_", spelt.encode("ascii", "ignore").decode().lower()).strip("_")
    name = plain if re.match(r"[a-z]", plain) else f"pipeline_{plain}".strip("_")
    return name[:_LONGEST_NAME].strip("_")


def _partitions(grain: Grain, windows: Windows | None) -> Value:
    if windows is None:
        return grain.value
    given: dict[str, Value] = {"events": windows.events, "before": windows.before, "after": windows.after}
    return given if grain is Grain.DAILY else {**given, "fetch": grain.value}


def _grain(catalog: KnownCatalog, fetches: Sequence[Fetch]) -> Grain:
    """The longest grain among those that suit the datasets."""
    grains = []
    for fetch in fetches:
        entry, facts = catalog.dataset(fetch.archive, fetch.dataset), catalog.facts(fetch.archive, fetch.dataset)
        grains.append(entry.grain if entry else Grain(facts.grain.value) if facts else Grain.DAILY)
    return max(grains, key=lambda grain: grain.shortest, default=Grain.DAILY)


def _start(catalog: KnownCatalog, fetches: Sequence[Fetch]) -> datetime | None:
    """The first day of the datasets' data; None unless it is known for all of them."""
    starts = [catalog.start(fetch.archive, fetch.dataset) for fetch in fetches]
    known = [start for start in starts if start is not None]
    if not known or len(known) < len(starts):
        return None
    return min(known).replace(hour=0, minute=0, second=0, microsecond=0)
