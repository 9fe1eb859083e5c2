"""What a plan has of a request: numbers, spacecraft and quantities that are nowhere in it are shown as ignored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isclose

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.kept_words import numbers_of
from helio_dagster.agent.offline.meanings import Cadence, Mission
from helio_dagster.agent.offline.request_reading import Reading
from helio_dagster.agent.targets import Measured
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.domain.pipeline_text import dump_pipeline

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
    lacking = dropped(plan, reading, catalog)
    return replace(plan, ignored=(*plan.ignored, *lacking)) if lacking else plan


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
    told = [dump_pipeline(plan.pipeline).partition("\n")[2], str(plan.span), *plan.notes, *plan.ignored]
    text = _DATE.sub("", " ".join(told))
    found = [*_numbers(plan, text, reading), *_names(plan, text, reading, catalog)]
    return tuple(dict.fromkeys(found))


def _numbers(plan: Plan, text: str, reading: Reading) -> Iterator[str]:
    """Numbers that are neither a value of the plan nor count what it draws; of a cadence the data have it themselves."""
    figures = [step.figure for step in plan.pipeline.steps if step.figure]
    counts = {len(figure.panels) for figure in figures} | {sum(len(panel.traces) for panel in each.panels) for each in figures}
    counts |= {len({step.fetch.dataset for step in plan.pipeline.steps if step.fetch})}
    values = {float(each) for each in _VALUE.findall(text)} | {_seconds(each) for each in _DURATION.findall(text)}
    if "Kp" in text or "KP" in text:  # which is stored tenfold
        values |= {value / 10 for value in values} | {(value + 1) / 10 for value in values}
    values |= {float(each) for each in counts}
    cadences = " ".join(each.words for each in reading.mentions if isinstance(each.meaning, Cadence))
    for number in numbers_of(reading.request, reading.now):
        said = float(number)
        is_share = re.search(rf"(?<![\w.]){re.escape(number)} ?(?:%|percent)", reading.request) is not None
        meant = [said * scale for scale in (*_SCALES, *((0.01,) if is_share else ()))]
        meant += [1 / each for each in meant if each]  # a period as a frequency, and back
        is_there = any(isclose(each, value, rel_tol=_ALIKE) for value in values for each in meant)
        if not is_there and number not in _VALUE.findall(cadences):
            yield number


def _seconds(duration: str) -> float:
    return sum(float(each["count"]) * _SECONDS[each["unit"]] for each in _PART.finditer(duration))


def _names(plan: Plan, text: str, reading: Reading, catalog: KnownCatalog) -> Iterator[str]:
    """Spacecraft of which nothing is fetched or said, and quantities likewise."""
    fetches = [step.fetch for step in plan.pipeline.steps if step.fetch]
    facts = [found for each in fetches if (found := catalog.facts(each.archive, each.dataset))]
    whose = {each.mission for each in facts}
    fetched = {each.parameter for each in fetches}
    measured = {str(one.quantity) for each in facts for one in each.parameters if one.name in fetched}
    is_known = measured <= {*QUANTITY_WORDS}
    told = text.casefold()
    for mention in reading.mentions:
        meaning = mention.meaning
        if isinstance(meaning, Mission) and meaning.name not in whose and meaning.name.casefold() not in told:
            yield mention.words.strip()
        elif isinstance(meaning, Measured) and is_known and meaning.parameter is None:
            names = [QUANTITY_WORDS.get(each, str(each)).casefold() for each in meaning.quantities]
            if not {*meaning.quantities} & measured and not any(each in told for each in names):
                yield mention.words.strip()
