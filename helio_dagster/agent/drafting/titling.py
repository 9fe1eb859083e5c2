"""The title of a pipeline as a draft would give it: whose data, which quantities, and what is done to them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helio_dagster.agent.drafting.derived import DERIVED_UNITS
from helio_dagster.agent.drafting.draft_titles import done_to, listed
from helio_dagster.agent.drafting.drawn_figure import DrawnFigure
from helio_dagster.agent.drafting.lengths import spoken, spoken_alone, spoken_method
from helio_dagster.agent.drafting.operation_order import PAIRING_WORDS
from helio_dagster.catalog.choice.quantities import QUANTITY_WORDS, VECTORS
from helio_dagster.domain.pipeline import Compute, Step
from helio_dagster.domain.time_range import parse_duration

SHAPED = frozenset(("magnitude", "component", "transform_frame", "convert_unit", "scale", "compose_vector"))
"""Operations that make the quantity itself of what is fetched."""
_TOLD = frozenset(
    (
        *("facts_of", "intervals_where", "intersection_of", "fit_line", "peak_of", "spectral_slope", "crossings", "jumps"),
        *("extrema", "filter_events", "superposed_epoch", "epoch_statistics"),
    )
)
"""Operations whose results are told of what is drawn, or make no more than the events around which it is drawn."""
_OF_EVENTS = ("events", "at", "exclude")
"""Inputs that say when, and not what."""
_OF = ("", "proton ", "ion ", "electron ", "alpha ")
_RESULTS = {
    "cross_correlation": "cross correlation",
    "scatter": "scatter plot",
    "histogram_2d": "2-D histogram",
    "histogram": "histogram",
    "hodogram": "hodogram",
}
"""What a result is called whose step says more."""
_AXIS = re.compile(r"(?:^|_)(?:b|v|velocity|e)_(?P<axis>[xyzrtn])(?:_|$)")
_LETTERS = {"velocity": "V", "electric_field": "E"}


@dataclass(frozen=True)
class _Source:
    """A quantity of one mission: what it may be called, the usual word first, and what is done to it."""

    who: str
    words: tuple[str, ...]
    done: tuple[str, ...] = ()


def retitled(before: DrawnFigure, after: DrawnFigure) -> str:
    """The title after a change; the old one where it is not as a draft has it, or is still true."""
    title = before.pipeline.title
    was, now = _sources(before), _sources(after)
    is_merged = next((each for each in (True, False) if was and title.startswith(_base(was, title, is_merged=each))), True)
    base = _base(was, title, is_merged=is_merged) if was else ""
    rest = title[len(base) :]
    if not was or not now or not title.startswith(base) or rest[:1] not in ("", ","):
        return title
    same = {(each.who, _called(each, title)) for each in was} == {(each.who, _called(each, title)) for each in now}
    gone, new = _parts(was, title), _parts(now, title)
    left = [each for each in gone if each not in new]
    for operation, part in (each for each in new if each not in gone):
        old = next((each for each in left if each[0] == operation and f", {each[1]}" in rest), None)
        if old is not None:
            rest = rest.replace(f", {old[1]}", f", {part}", 1)
            left.remove(old)
        elif f", {part}" not in rest:
            rest += f", {part}"
    for _, part in left:
        rest = rest.replace(f", {part}", "", 1)
    return (base if same else _base(now, title, is_merged=is_merged)) + rest


def _base(sources: Sequence[_Source], title: str, *, is_merged: bool) -> str:
    """Missions and quantities in the order of the panels, or of the title where that is another one."""
    named = list(dict.fromkeys((each.who, _called(each, title)) for each in sources))
    named = _with_both(named) if is_merged else named
    missions = _in_order([who for who, _ in named], title)
    quantities = _in_order([words for _, words in named], title)
    if len(named) == len(missions) * len(quantities):
        return f"{listed(missions)} {listed(quantities)}"
    return listed(_in_order([f"{who} {words}" for who, words in named], title))


def _with_both(named: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """A vector and its magnitude under one name."""
    found: list[tuple[str, str]] = []
    for who, words in named:
        plain = words.removesuffix(" magnitude").removesuffix(" vector")
        kinds = {other for whose, other in named if whose == who}
        is_both = f"{plain} magnitude" in kinds and (plain in kinds or f"{plain} vector" in kinds)
        pair = (who, f"{plain} vector and magnitude" if is_both else words)
        found += [] if pair in found else [pair]
    return found


def _in_order(words: Sequence[str], title: str) -> list[str]:
    plotted = list(dict.fromkeys(words))
    places = {each: place for each in plotted if (place := title.find(each)) >= 0}
    phrase = sorted(places, key=lambda each: places[each])
    if phrase == [each for each in plotted if each in places]:
        return plotted
    return [*phrase, *(each for each in plotted if each not in places)]


def _called(source: _Source, title: str) -> str:
    """The longest of its names that the title has; the usual one where it has none."""
    match = [each for each in source.words if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", title)]
    return max(match, key=len, default=source.words[0])


def _parts(sources: Sequence[_Source], title: str) -> list[tuple[str, str]]:
    """Each operation with what the title says of it: of which quantities only where it is not of all."""
    found: list[tuple[str, str]] = []
    for part in dict.fromkeys(part for each in sources for part in each.done):
        operation, _, words = part.partition(":")
        of = list(dict.fromkeys(_called(each, title) for each in sources if part in each.done))
        others = {_called(each, title) for each in sources if part not in each.done} - {*of}
        found.append((operation, done_to(words, of) if others else words))
    return found


def _sources(plotted: DrawnFigure) -> list[_Source]:
    """What is drawn, line by line."""
    found: list[_Source] = []
    steps = {step.id: step for step in plotted.pipeline.nodes}
    for line in plotted.curves:
        axis = plotted.panels[line.panel].y.title or ""
        found += _beneath(line.trace.data, steps, plotted, axis, ())
    merged: dict[tuple[str, tuple[str, ...]], _Source] = {}
    for each in found:
        old = merged.get((each.who, each.words))
        merged[each.who, each.words] = each if old is None else _Source(
            each.who, each.words, tuple(dict.fromkeys((*old.done, *each.done)))
        )  # fmt: skip
    return list(merged.values())


def _beneath(data: str, steps: Mapping[str, Step], plotted: DrawnFigure, axis: str, done: tuple[str, ...]) -> list[_Source]:
    step = steps.get(data.rpartition("/")[2])
    if step is None:
        return []
    compute, references = step.compute, step.references
    inputs = [name for place, name in references if not place.endswith(_OF_EVENTS)] or [name for _, name in references]
    missions = [who for each in plotted.upstream(step.id) if each.fetch and (who := plotted.mission(each.fetch))]
    who = missions[0] if missions else ""
    if compute is None or compute.operation in SHAPED:
        fetched = [each for each in plotted.upstream(step.id) if each.fetch]
        return [_Source(who, _measured(step, fetched[0], plotted), done)] if fetched else []
    if compute.operation in DERIVED_UNITS:
        words = re.sub(r" at .*$", "", step.intent)
        plain = axis.removeprefix(f"{who} ")
        first = plain if plain.casefold() == words.casefold() else words[:1].lower() + words[1:]
        return [_Source(who, (first, words, words[:1].lower() + words[1:]), done)]
    part = () if compute.operation in _TOLD else (f"{compute.operation}:{_treated(step, compute, who)}",)
    return [each for name in inputs for each in _beneath(name, steps, plotted, axis, (*part, *done))]


def _measured(step: Step, fetched: Step, plotted: DrawnFigure) -> tuple[str, ...]:
    """What a quantity that is fetched may be called in the shape that is drawn."""
    assert fetched.fetch is not None  # noqa: S101 - chosen so
    quantity = plotted.quantity(fetched.fetch)
    name = QUANTITY_WORDS.get(quantity, fetched.fetch.parameter) if quantity else fetched.fetch.parameter
    if quantity not in VECTORS:
        return (*(f"{of}{name}" for of in _OF), fetched.fetch.parameter)
    if quantity == "position" and re.search(r"(?:^|_)distance(?:_|$)", step.id):
        return ("distance from the Sun",)
    operations = [each.compute for each in plotted.upstream(step.id) if each.compute]
    parts = [str(each.options["component"]) for each in operations if each.operation == "component"]
    words = _AXIS.search(step.id)
    if parts or words:
        return (f"{_LETTERS.get(str(quantity), 'B')}{parts[-1] if parts else words['axis'] if words else ''}",)
    if any(each.operation == "magnitude" for each in operations) or re.search(r"_mag(?:_|$)", step.id):
        own = tuple(f"{of}speed" for of in _OF) if quantity == "velocity" else ()
        own = ("distance from the Sun",) if quantity == "position" else own
        return (*own, *(f"{of}{name} magnitude" for of in _OF))
    return tuple(f"{of}{name}{shape}" for shape in ("", " vector") for of in _OF)


def _treated(step: Step, compute: Compute, who: str) -> str:
    """What a step does, as a title has it."""
    options = compute.options
    if compute.operation == "resample":
        length = spoken(parse_duration(str(options["cadence"])))
        return f"{length} {spoken_method(str(options.get('method', 'mean')))}"
    if compute.operation == "rolling_mean":
        return f"{spoken(parse_duration(str(options['window'])))} running mean"
    if compute.operation == "shift_time":
        way = "later" if "later" in options else "earlier"
        return f"{who} {spoken_alone(parse_duration(str(options[way])))} {way}"
    if compute.operation in PAIRING_WORDS:
        return PAIRING_WORDS[compute.operation]
    words = re.sub(rf" (?:at|of|with|against) (?=.*(?:{re.escape(who)}|[a-z]_[a-z])).*$| at {re.escape(who)}$", "", step.intent)
    return _RESULTS.get(compute.operation or "", words[:1].lower() + words[1:])
