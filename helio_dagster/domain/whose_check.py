"""Rules for inputs that must be of one spacecraft, such as a field and the position by which it is turned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from helio_dagster.domain.bodies import BODIES, find_body
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.errors import HelioError, UnknownDataset
from helio_dagster.domain.meta_check import GetOperation, OperationRules, StepFault
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step

_NOBODY = frozenset(("omni", "other"))
"""Missions in the catalog that are not a spacecraft."""


@dataclass(frozen=True)
class _Owner:
    """Who measured something, or whose place it is: a name to compare, and how it is written for people."""

    name: str
    label: str

    def may_be(self, other: _Owner) -> bool:
        """Whether both can be one spacecraft: the catalog has fleets, such as Cluster, beside their members."""
        one, two = sorted((self.name, other.name), key=len)
        return two.startswith(one.removesuffix("S"))


def whose_faults(
    pipeline: Pipeline, step: Step, others: Mapping[str, Pipeline], catalog: Catalog, get_operation: GetOperation
) -> Iterator[StepFault]:
    """Inputs of several spacecraft to an operation that takes what one has measured, with its own place and axes.

    Parameters
    ----------
    pipeline, step
        The step and its pipeline.
    others
        Name to pipeline: all that references may lead to.
    catalog
        Knows whose a dataset is.
    get_operation
        Gives the registered operation of an id; InputError where there is none.
    """
    compute, operation = step.compute, _operation(step, get_operation)
    if compute is None or operation is None:
        return
    known: list[tuple[str, _Owner]] = []
    for name in operation.of_one_spacecraft:
        reference = compute.step_inputs.get(name)
        owner = _owner(pipeline, str(reference), others, catalog, get_operation) if reference is not None else None
        if owner is None:
            continue
        other = next(((first, each) for first, each in known if not each.may_be(owner)), None)
        if other is None:
            known.append((name, owner))
        else:
            problem = f"the {_said(other[0])} is of {other[1].label}, and the {_said(name)} is that of {owner.label}"
            yield StepFault(("compute", "inputs", name), problem, _remedy(name, other[1]))


def _operation(step: Step, get_operation: GetOperation) -> OperationRules | None:
    """The operation of a step; None of other steps, and where there is none of its id, which is reported elsewhere."""
    if step.compute is None or step.compute.operation is None:
        return None
    with suppress(HelioError):
        return get_operation(step.compute.operation)
    return None


def _said(name: str) -> str:
    return name.replace("_", " ")


def _remedy(name: str, owner: _Owner) -> str:
    """What to give, and what to fetch where kernels of the spacecraft are known."""
    body = next((each for each in BODIES if each.name == owner.name), None)
    if name != "attitude":
        fetch = (
            f", such as fetch: {{archive: spice, target: {owner.name}, observer: SUN}}" if body and name == "position" else ""
        )
        return f"Give the {_said(name)} of {owner.label}{fetch}."
    if body is not None and body.axes:
        return f"Give its own: fetch: {{archive: spice, target: {owner.name}, parameter: attitude, cadence: PT1S}}."
    known = ", ".join(each.label for each in BODIES if each.axes and not each.is_made_up)
    return f"No attitude of {owner.label} is known here; there are those of {known}."


def _owner(
    pipeline: Pipeline, reference: str, others: Mapping[str, Pipeline], catalog: Catalog, get_operation: GetOperation
) -> _Owner | None:
    """Whose data a step is made from; None where that is not known, they are of several, or stand for another place."""
    found: dict[str, _Owner | None] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(pipeline, reference)]
    while waiting:
        current, named = waiting.pop()
        name, _, step_id = named.rpartition("/")
        owner = others.get(name) if name else current
        step = next((each for each in owner.nodes if each.id == step_id), None) if owner is not None else None
        if owner is None or step is None or (owner.name, step_id) in seen:
            continue
        seen.add((owner.name, step_id))
        operation = _operation(step, get_operation)
        if operation is not None and not operation.keeps_place:
            return None
        if step.fetch is not None:
            whose = _owner_of_fetch(step.fetch, catalog)
            found[whose.name if whose else ""] = whose
        waiting += [(owner, each) for _, each in step.references]
    return next(iter(found.values())) if len(found) == 1 else None


def _owner_of_fetch(fetch: Fetch, catalog: Catalog) -> _Owner | None:
    """The spacecraft of an ephemeris, of a catalogued dataset, or that a file's description names; None where not known."""
    if fetch.is_own:
        return _owner_called(catalog.mission_called(fetch.spacecraft)) if fetch.spacecraft else None
    if fetch.target is not None:
        with suppress(UnknownDataset):
            body = find_body(fetch.target)
            return _Owner(body.name, body.label) if body.naif_id < 0 else None
        return None
    mission = catalog.mission(fetch.archive, fetch.dataset)
    return _owner_called(mission) if mission and mission.casefold() not in _NOBODY else None


def _owner_called(name: str) -> _Owner:
    """The owner of a name: a body whose kernels are known, or a mission."""
    with suppress(UnknownDataset):
        body = find_body(name)
        return _Owner(body.name, body.label)
    return _Owner(name.upper(), name)
