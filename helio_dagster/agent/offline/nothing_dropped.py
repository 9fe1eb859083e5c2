"""What an answer has of a request: numbers, spacecraft and quantities that are nowhere in it are shown as ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.forms import form
from helio_dagster.agent.offline.kept_words import numbers_of
from helio_dagster.agent.offline.meanings import Cadence, Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.offline.request_times import blank
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.fetched import quantity_of_fetch
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.catalog_entry import Quantity
from helio_dagster.domain.pipeline import EventWindows, Pipeline, Step
from helio_dagster.domain.pipeline_text import dump_pipeline

_MM_OF_INCH = 25.4
_VALUE = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DURATION = re.compile(r"P(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:[\d.]+S)?)?\b")
_PART = re.compile(r"(?P<count>[\d.]+)(?P<unit>[DHMS])")
_SECONDS = {"D": 86400.0, "H": 3600.0, "M": 60.0, "S": 1.0}
_SCALES = (1.0, *(10.0**power for power in (-9, -6, -3, 3, 6, 9)), 60.0, 3600.0, 86400.0)
"""Between a number that is said and one of a plan: other units."""
_ALIKE = 1e-3
"""A period is rounded in a plan."""


def showing_dropped(plan: Plan, reading: Reading, catalog: KnownCatalog) -> Plan:
    """The plan with the words that it lacks among those that it ignores."""
    lacking, unused = dropped(plan, reading, catalog), unused_notes(plan.pipeline)
    return replace(plan, ignored=(*plan.ignored, *lacking), notes=(*plan.notes, *unused)) if lacking or unused else plan


def dropped(plan: Plan, reading: Reading, catalog: KnownCatalog) -> tuple[str, ...]:
    """The words of a request that a plan lacks, and does not speak of; a safeguard, since every reader should use its words.

    Parameters
    ----------
    plan
        What was made of the request.
    reading
        The request taken apart.
    catalog
        Tells whose data a fetch takes, and what they measure.
    """
    told = [text_of(plan.pipeline), str(plan.span), *plan.notes, *plan.ignored]
    return (*missing((plan.pipeline,), _DATE.sub("", " ".join(told)), reading, catalog), *_places(plan, reading))


def _places(plan: Plan, reading: Reading) -> Iterator[str]:
    """Where something was to stand in the figure, if it has but one panel with nothing below it."""
    figures = [step.figure for step in plan.pipeline.steps if step.figure]
    place = form("nothing_dropped.place").search(reading.request)
    if place is not None and all(len(each.panels) == 1 and not each.below for each in figures):
        yield place[0]


def missing(pipelines: Sequence[Pipeline], told: str, reading: Reading, catalog: KnownCatalog) -> tuple[str, ...]:
    """The words of a request that neither some pipelines nor what is told beside them have.

    Parameters
    ----------
    pipelines
        What was made, and what was there before.
    told
        Their text, and all that is said of them.
    reading
        The request taken apart.
    catalog
        Tells whose data a fetch takes, and what they measure.
    """
    return tuple(dict.fromkeys([*_numbers(pipelines, told, reading), *_names(pipelines, told, reading, catalog)]))


def unused_notes(pipeline: Pipeline, before: Pipeline | None = None) -> tuple[str, ...]:
    """A note on each step that neither a figure nor another step uses, but for those of which that was so before."""
    known = {step.id for step in _unused(before)} if before is not None else set[str]()
    new = [step for step in _unused(pipeline) if step.id not in known]
    return tuple(
        f"{step.intent or step.id} ({step.id}): it is made, but no figure shows it and no step uses it." for step in new
    )


def _unused(pipeline: Pipeline) -> list[Step]:
    windows = pipeline.partitions
    used = {name.rpartition("/")[2] for step in pipeline.steps for _, name in step.references}
    used |= {windows.events} if isinstance(windows, EventWindows) else set()
    is_drawn = any(step.figure for step in pipeline.steps)
    return [step for step in pipeline.steps if is_drawn and not step.figure and step.id not in used]


def text_of(pipeline: Pipeline) -> str:
    """A pipeline as its file has it, without its name."""
    return dump_pipeline(pipeline).partition("\n")[2]


def _numbers(pipelines: Sequence[Pipeline], text: str, reading: Reading) -> Iterator[str]:
    """Numbers that are neither a value of the text nor count what is drawn; of a cadence the data have it themselves."""
    steps = [step for each in pipelines for step in each.steps]
    figures = [step.figure for step in steps if step.figure]
    counts = {len(figure.panels) for figure in figures} | {sum(len(panel.traces) for panel in each.panels) for each in figures}
    counts |= {len({step.fetch.dataset for step in each.steps if step.fetch}) for each in pipelines}
    values = {float(each) for each in _VALUE.findall(text)} | {_seconds(each) for each in _DURATION.findall(text)}
    if "Kp" in text or "KP" in text:  # which is stored tenfold, its thirds as 3 and 7
        values |= (
            {value / 10 for value in values} | {(value + 1) / 10 for value in values} | {round(value / 10) for value in values}
        )
    values |= {float(each) for each in counts}
    cadences = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Cadence))
    request = reading.request
    for first, last in reading.dated:
        request = blank(request, first, last)
    for number in numbers_of(request, reading.now):
        said = float(number)
        is_share = re.search(rf"(?<![\w.]){re.escape(number)} ?(?:%|percent)", reading.request) is not None
        is_length = re.search(rf"(?<![\w.]){re.escape(number)} ?(?:in|inch|inches)\b", reading.request) is not None
        scales = (*_SCALES, *((0.01,) if is_share else ()), *((_MM_OF_INCH,) if is_length else ()))
        meant = [said * scale for scale in scales]
        meant += [1 / each for each in meant if each]  # a period as a frequency, and back
        is_there = any(isclose(each, value, rel_tol=_ALIKE) for value in values for each in meant)
        if not is_there and number not in _VALUE.findall(cadences):
            yield number


def _seconds(duration: str) -> float:
    return sum(float(each["count"]) * _SECONDS[each["unit"]] for each in _PART.finditer(duration))


def _names(pipelines: Sequence[Pipeline], text: str, reading: Reading, catalog: KnownCatalog) -> Iterator[str]:
    """Spacecraft of which nothing is fetched or said, and quantities likewise."""
    fetches = [step.fetch for each in pipelines for step in each.steps if step.fetch]
    facts = [found for each in fetches if (found := catalog.facts(each.archive, each.dataset))]
    whose = {each.mission for each in facts}
    quantities = [quantity_of_fetch(catalog, each) for each in fetches]
    measured = {_kind(each) for each in quantities if each is not None}
    for mention in reading.mentions:
        meaning, words = mention.meaning, mention.words.strip()
        told = text.casefold() if words.islower() else text  # of `Wind` nothing is said by `solar wind`
        if isinstance(meaning, Mission) and meaning.name not in whose:
            name = meaning.name.casefold() if words.islower() else meaning.name
            yield from [] if re.search(rf"\b{re.escape(name)}\b", told) else [words]
        elif isinstance(meaning, Measured) and None not in quantities and meaning.parameter is None:
            names = [QUANTITY_WORDS[each].casefold() for each in meaning.quantities]
            is_there = not measured.isdisjoint(map(_kind, meaning.quantities)) or any(each in text.casefold() for each in names)
            yield from [] if is_there or words.casefold().startswith("where") else [words]  # `where is the maximum?`


def _kind(quantity: Quantity) -> str:
    """What stands for a quantity: a speed is one of a velocity, and fluxes of particles have several names."""
    is_flux = "flux" in f"{quantity} {QUANTITY_WORDS.get(quantity, '')}"
    return "speed" if quantity == "velocity" else "flux" if is_flux else quantity
