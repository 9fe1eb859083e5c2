"""Rules for the position or the attitude by which a vector is turned: they are those of the spacecraft that measured it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from helio_dagster.domain.bodies import BODIES, find_body
from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.errors import UnknownDataset
from helio_dagster.domain.meta_check import StepFault
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step

_TURNS = "transform_frame"
_TURNED_BY = ("position", "attitude")
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
        return two.startswith(one)


def whose_faults(pipeline: Pipeline, step: Step, others: Mapping[str, Pipeline], catalog: Catalog) -> Iterator[StepFault]:
    """Positions and attitudes of one spacecraft by which data of another are turned.

    Parameters
    ----------
    pipeline, step
        The step and its pipeline.
    others
        Name to pipeline: all that references may lead to.
    catalog
        Knows whose a dataset is.
    """
    compute = step.compute
    if compute is None or compute.operation != _TURNS:
        return
    of_input = {name: _owner(pipeline, str(reference), others, catalog) for name, reference in compute.step_inputs.items()}
    measured = of_input.get("vector")
    for name in _TURNED_BY:
        turning = of_input.get(name)
        if measured is None or turning is None or measured.may_be(turning):
            continue
        problem = f"the vector is of {measured.label}, and the {name} is that of {turning.label}"
        yield StepFault(("compute", "inputs", name), problem, _remedy(name, measured))


def _remedy(name: str, owner: _Owner) -> str:
    """What to fetch, where kernels of the spacecraft are known."""
    body = next((each for each in BODIES if each.name == owner.name), None)
    if name == "position":
        fetch = f", such as fetch: {{archive: spice, target: {owner.name}, observer: SUN}}" if body else ""
        return f"Give the position of {owner.label}{fetch}."
    if body is not None and body.axes:
        return f"Give its own: fetch: {{archive: spice, target: {owner.name}, parameter: attitude, cadence: PT1S}}."
    known = ", ".join(each.label for each in BODIES if each.axes and not each.is_made_up)
    return f"No attitude of {owner.label} is known here; there are those of {known}."


def _owner(pipeline: Pipeline, reference: str, others: Mapping[str, Pipeline], catalog: Catalog) -> _Owner | None:
    """Whose data a step is made from; None where that is not known, or they are of several."""
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
        if step.fetch is not None:
            whose = _owner_of_fetch(step.fetch, catalog)
            found[whose.name if whose else ""] = whose
        waiting += [(owner, each) for _, each in step.references]
    return next(iter(found.values())) if len(found) == 1 else None


def _owner_of_fetch(fetch: Fetch, catalog: Catalog) -> _Owner | None:
    """The spacecraft of an ephemeris, or that a catalogued dataset is of; None where it is none, or not known."""
    if fetch.is_own:
        return None
    if fetch.target is not None:
        with suppress(UnknownDataset):
            body = find_body(fetch.target)
            return _Owner(body.name, body.label) if body.naif_id < 0 else None
        return None
    mission = catalog.mission(fetch.archive, fetch.dataset)
    if not mission or mission.casefold() in _NOBODY:
        return None
    with suppress(UnknownDataset):
        body = find_body(mission)
        return _Owner(body.name, body.label)
    return _Owner(mission.upper(), mission)
