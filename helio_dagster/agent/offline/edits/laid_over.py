"""An intent over which is laid what a clause says: other targets, other preferences, another treatment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeVar

from helio_dagster.agent.answers import OpenQuestion
from helio_dagster.agent.drafting.drawn_figure import Line
from helio_dagster.agent.intent import OF_ONE, Intent, Own, Preferences
from helio_dagster.agent.offline.bound_quantities import bound_quantities
from helio_dagster.agent.offline.edits.elliptical import MOMENTS
from helio_dagster.agent.offline.edits.frames import frame_of, has_direction
from helio_dagster.agent.offline.edits.said import Said
from helio_dagster.agent.offline.edits.slots import Clause
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.offline.meanings import (
    Asks,
    Cadence,
    Dataset,
    Frame,
    InMode,
    Instrument,
    Level,
    Mission,
    Statistic,
    Unit,
)
from helio_dagster.agent.offline.named_datasets import holds
from helio_dagster.agent.offline.request_reading import Mention, Reading
from helio_dagster.agent.offline.targets import find_targets
from helio_dagster.agent.targets import AnyTarget, Derived, DerivedTarget, Measured, Target
from helio_dagster.agent.treatments import Averaging, Pairing, Smoothing, Transform, Treatment
from helio_dagster.catalog.choice.quantities import VECTORS

PartT = TypeVar("PartT", Preferences, Treatment)
_LIMITS = frozenset(("above", "below", "value", "change"))
_PARTS: dict[type, str] = {Averaging: "averaging", Statistic: "averaging", Smoothing: "smoothing", Asks: "whole", Unit: "units",
                           Pairing: "pairing", Cadence: "cadence"}  # fmt: skip
_PREFERRED: dict[type, str] = {Frame: "frame", Cadence: "cadence", InMode: "mode", Instrument: "instrument", Level: "level"}


def laid_over(intent: Intent, new: Said, gone: Said, clause: Clause, table: Table, lines: Sequence[Line]) -> Intent | None:
    """The intent with what is said; None where that says nothing, or something of a part that an intent has only of all."""
    targets = _targets(intent, new, gone, clause, table, lines)
    if not targets:
        return None
    _ask_about_limits(intent, targets, new)
    added = [each for each in targets if each not in intent.targets]
    if new.preferences.frame is None:
        intent = _in_the_drawn_frame(intent, added, table)
    intent = replace(intent, treatment=intent.treatment.with_targets(intent.targets, targets))
    change = partial(_treated, gone=gone.reading, new=new.treatment)
    scope = added or (_matching(targets, new) if new.has_quantities else [])
    if scope and len(scope) < len(targets) and new.says_more:
        has_none = new.preferences == Preferences()
        own = intent.preferences.own if has_none else own_of(intent.preferences, new.preferences, scope)
        if own is None or new.treatment.whole is not None or new.treatment.pairing is not None:
            return None
        treatment = intent.treatment
        if new.treatment != Treatment(cadence=new.preferences.cadence):
            treatment = treatment.of_some(targets, scope, change)
        preferences = replace(intent.preferences, own=own)
        return replace(intent, targets=tuple(targets), preferences=preferences, treatment=treatment)
    said: dict[str, Any] = {part: None for kind, part in _PREFERRED.items() if kind in _kinds(gone.reading)}
    preferences = _over(replace(intent.preferences, **said), new.preferences)
    treatment = change(intent.treatment)
    if intent.treatment.apart and new.treatment != Treatment():
        treatment = intent.treatment.of_some(targets, targets, change)
    return replace(intent, targets=tuple(targets), preferences=preferences, treatment=treatment)


def _targets(
    intent: Intent, new: Said, gone: Said, clause: Clause, table: Table, lines: Sequence[Line]
) -> list[AnyTarget] | None:
    """The targets with those that are said in the place of those that go; None where it is open which go."""
    old = list(intent.targets)
    going = _matching(old, gone) if gone.has_quantities or gone.reading.all(Mission) or gone.shape else []
    if (gone.has_quantities or gone.reading.all(Mission)) and not going and not lines:
        return None
    going = going or [each for each in old if any(is_drawn_by(each, line, table) for line in lines)]
    if clause.verb == "remove" and not new.has_quantities:
        return [each for each in old if each not in going]
    missions, datasets = new.reading.all(Mission), new.reading.all(Dataset)
    if not new.has_quantities:
        if missions:
            is_told = bool(going) or missions[0].name in {each.mission for each in old}
            return (
                [of_mission(each, missions[0]) if each in going else each for each in old]
                if is_told and len(missions) == 1
                else None
            )
        if datasets:
            return [_of_dataset(each, datasets[0].name, table) if each in (going or old) else each for each in old]
        if new.shape is not None:
            shaped = going or old
            return [
                replace(each, shape=new.shape.shape, axis=None) if isinstance(each, Target) and each in shaped else each
                for each in old
            ]
        return [each for each in old if each not in going] if going and not new.says_more else old
    named = _matching(old, new)
    if named and not going:
        return named if clause.verb == "only" else old
    if not going and (clause.verb == "only" or (len(old) == 1 and (clause.verb in ("replace", "fork") or clause.instead))):
        going = old
    if clause.verb != "add" and not going:
        return None
    try:
        found = found_targets(new.reading, going or old, table)
    except OpenQuestion:
        return None
    if not going:
        return [*old, *(each for each in found if each not in old)]
    species = {each.species if isinstance(each, Target) and each.quantity in MOMENTS else "" for each in going}
    if len(species) == 1 and not gone.reading.all(Mission):  # of the same particles
        kept = species.pop()
        found = [
            replace(each, species=kept) if isinstance(each, Target) and each.quantity in MOMENTS and not each.species else each
            for each in found
        ]
    at = old.index(going[0])
    left = [each for each in old if each not in going]
    return [*left[:at], *(each for each in found if each not in left), *left[at:]]


def _in_the_drawn_frame(intent: Intent, added: Sequence[AnyTarget], table: Table) -> Intent:
    """The intent in which a component has the frame in which its vector, or another part of it, is drawn."""
    for target in added:
        if not isinstance(target, Target) or target.axis is None or intent.preferences.frame is not None:
            continue
        lines = [line for line in table.plotted.lines if target.mission in line.missions and target.quantity in line.quantities]
        frame = next((found for line in lines if has_direction(line) and (found := frame_of(line, table))), None)
        if frame is not None and (own := own_of(intent.preferences, Preferences(frame=frame), [target])):
            intent = replace(intent, preferences=replace(intent.preferences, own=own))
    return intent


def of_mission(target: AnyTarget, mission: Mission) -> AnyTarget:
    """The same of another spacecraft."""
    if isinstance(target, DerivedTarget):
        inputs = [(name, of_mission(each, mission)) for name, each in target.inputs]
        own = tuple((name, each) for name, each in inputs if isinstance(each, Target))
        return replace(target, mission=mission.name, member=mission.member, inputs=own, datasets=())
    return replace(target, mission=mission.name, member=mission.member, dataset=None, parameter=None, lacking=())


def _of_dataset(target: AnyTarget, dataset: str, table: Table) -> AnyTarget:
    """The same from a dataset, if that has it."""
    if isinstance(target, DerivedTarget):
        return replace(target, datasets=(dataset,))
    asked = Measured((target.quantity,), species=target.species)
    has_it = holds(dataset, asked, table.offers.catalog, table.offers.archive)
    return replace(target, dataset=dataset, parameter=None) if has_it else target


def is_drawn_by(target: AnyTarget, line: Line, table: Table) -> bool:
    """Whether a line draws a target, or what is made of it."""
    if target.mission not in line.missions:
        return False
    if isinstance(target, DerivedTarget):
        return target.derived.operation in line.operations
    parts = [step.compute.options.get("component") for step in table.plotted.upstream(line.trace.data) if step.compute]
    return target.quantity in line.quantities and (target.axis is None or target.axis in parts or not any(parts))


def _ask_about_limits(intent: Intent, targets: Sequence[AnyTarget], new: Said) -> None:
    """Ask where a limit is of another quantity, in whose unit it is.

    Raises
    ------
    OpenQuestion
        It is.
    """
    whole = intent.treatment.whole
    if whole is None or not _LIMITS & {*whole.options} or new.treatment.whole is not None or not intent.targets:
        return
    quantities = [[getattr(each, "quantity", each.words) for each in of] for of in (intent.targets, targets)]
    if quantities[0] != quantities[1]:
        was, now = (" and ".join(each.words for each in of) for of in (intent.targets, targets))
        raise OpenQuestion(f"There is a limit, which is of {was}. Which limit of {now} do you want?")


def found_targets(reading: Reading, beside: Sequence[AnyTarget], table: Table) -> list[AnyTarget]:
    """The targets that words name, of the missions of others where they name none."""
    if not reading.all(Mission) and not reading.all(Dataset):
        whose = dict.fromkeys(Mission(each.mission, each.member) for each in beside)
        reading = replace(reading, mentions=(*(Mention(each, 0, 0, each.name) for each in whose), *reading.mentions))
    found = find_targets(reading, table.offers.catalog, table.offers.archive)
    return [_of_the_drawn_vector(each, table) for each in found]


def _of_the_drawn_vector(target: AnyTarget, table: Table) -> AnyTarget:
    """A component or the magnitude of the data whose vector is drawn."""
    if not isinstance(target, Target) or target.dataset is not None or (target.axis is None and target.shape != "magnitude"):
        return target
    lines = [line for line in table.plotted.lines if line.is_whole_vector and target.quantity in line.quantities]
    drawn = {
        step.fetch.dataset
        for line in lines
        for step in table.plotted.upstream(line.trace.data)
        if step.fetch is not None and table.plotted.mission(step.fetch) == target.mission
    }
    return replace(target, dataset=drawn.pop()) if len(drawn) == 1 else target


def _matching(targets: Sequence[AnyTarget], said: Said) -> list[AnyTarget]:
    """The targets that words name."""
    missions = {each.name for each in said.reading.all(Mission)}
    found = [each for each in targets if not missions or each.mission in missions]
    if said.has_quantities:
        measured, derived = [each for _, each in bound_quantities(said.reading)], said.reading.all(Derived)
        found = [
            each
            for each in found
            if (isinstance(each, DerivedTarget) and any(each.derived.operation == one.operation for one in derived))
            or (isinstance(each, Target) and any(_is_of(each, one) for one in measured))
        ]
    elif said.shape is not None:
        vectors = [each for each in found if isinstance(each, Target) and each.quantity in VECTORS and each.axis is None]
        found = [each for each in vectors if (each.shape or "vector") == said.shape.shape]
    return found


def _is_of(target: Target, measured: Measured) -> bool:
    if target.quantity not in measured.quantities:
        return False
    is_same = measured.axis in (None, target.axis) and measured.species in ("", target.species)
    return is_same and (measured.shape is None or measured.shape == target.shape)


def own_of(old: Preferences, new: Preferences, scope: Sequence[AnyTarget]) -> tuple[Own, ...] | None:
    """What is said of some quantities alone, beside what was said so; None where it can only be said of all."""
    said = {field.name: value for field, value in _set(new)}
    if not said or {*said} - {*OF_ONE}:
        return None
    found = list(old.own)
    for target in scope:
        if not isinstance(target, Target):
            return None
        was = next((each for each in found if (each.mission, each.quantity) == (target.mission, target.quantity)), None)
        now = replace(was or Own(target.mission, target.quantity), **said)
        found = [*(each for each in found if each is not was), now]
    return tuple(found)


def _set(part: Any) -> Iterator[tuple[Any, Any]]:
    """The fields of preferences or a treatment that say something."""
    plain = type(part)()
    yield from ((field, value) for field in fields(part) if (value := getattr(part, field.name)) != getattr(plain, field.name))


def _over(old: PartT, new: PartT) -> PartT:
    """Preferences or a treatment with what others say."""
    return replace(old, **{field.name: value for field, value in _set(new)})


def _kinds(reading: Reading) -> set[type]:
    return {type(each.meaning) for each in reading.mentions}


def _treated(treatment: Treatment, *, gone: Reading, new: Treatment) -> Treatment:
    """A treatment without what words name of it, with what others say."""
    again = {each.operation for each in (*gone.all(Transform), *new.transforms)}
    kept = tuple(each for each in treatment.transforms if each.operation not in again)
    rest: dict[str, Any] = {part: getattr(Treatment(), part) for kind, part in _PARTS.items() if kind in _kinds(gone)}
    return replace(_over(replace(treatment, **rest), new), transforms=(*kept, *new.transforms))
