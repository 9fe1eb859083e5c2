"""Notes on steps whose windows hold too few samples of their inputs, as dense as the catalog says these are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from pydantic import ValidationError

from helio_dagster.domain.catalog import Catalog
from helio_dagster.domain.errors import HelioError
from helio_dagster.domain.meta_check import GetOperation, StepFault
from helio_dagster.domain.pipeline import Fetch, Pipeline, Step


@dataclass(frozen=True)
class _Dense:
    """How dense the samples of a step are, and of which dataset; a dataset is empty where they are resampled."""

    cadence: timedelta
    dataset: str = ""


def sparse_notes(
    pipeline: Pipeline, step: Step, others: Mapping[str, Pipeline], catalog: Catalog, get_operation: GetOperation
) -> Iterator[StepFault]:
    """What a step needs of its inputs that data as rare as these cannot have, so that it will find nothing.

    Parameters
    ----------
    pipeline, step
        The step and its pipeline.
    others
        Name to pipeline: all that references may lead to.
    catalog
        Knows how far apart the samples of a dataset are.
    get_operation
        Gives the registered operation of an id; InputError where there is none.
    """
    compute = step.compute
    if compute is None or compute.operation is None:
        return
    try:
        operation = get_operation(compute.operation)
        demands = operation.sample_demands(operation.options.model_validate(compute.options))
    except (HelioError, ValidationError):
        return  # reported where operation and options are looked up
    said: set[str] = set()
    for demand in demands:
        reference = compute.step_inputs.get(demand.input)
        dense = _density(pipeline, reference, others, catalog, get_operation) if reference is not None else None
        if dense is None or demand.input in said or demand.can_be_met_by(dense.cadence):
            continue
        said.add(demand.input)
        where = f" ({dense.dataset})" if dense.dataset else ""
        problem = f"{compute.operation} will find nothing: {demand.too_coarse(dense.cadence, where)}"
        hint = f"Take denser data, or longer windows: `helio operations show {compute.operation}` lists its options."
        yield StepFault(("compute", "inputs", demand.input), problem, hint, is_note=True)


def _density(
    pipeline: Pipeline, reference: str, others: Mapping[str, Pipeline], catalog: Catalog, get_operation: GetOperation
) -> _Dense | None:
    """How far apart the samples of a step are; None where that is not known before it runs."""
    seen: set[tuple[str, str]] = set()
    while True:
        name, _, step_id = reference.rpartition("/")
        owner = others.get(name) if name else pipeline
        step = next((each for each in owner.nodes if each.id == step_id), None) if owner is not None else None
        if owner is None or step is None or (owner.name, step_id) in seen:
            return None
        seen.add((owner.name, step_id))
        if step.fetch is not None:
            return _of_fetch(step.fetch, catalog)
        following = _first_input(step, get_operation)
        if not isinstance(following, str):
            return following
        pipeline, reference = owner, following


def _of_fetch(fetch: Fetch, catalog: Catalog) -> _Dense | None:
    if fetch.is_own:
        return None
    cadence = fetch.ephemeris.cadence if fetch.ephemeris else catalog.cadence(fetch.archive, fetch.dataset, fetch.parameter)
    return _Dense(cadence, fetch.dataset) if cadence else None


def _first_input(step: Step, get_operation: GetOperation) -> str | _Dense | None:
    """The step at whose times another's records stand, or how dense they are by its own option; None where neither is known."""
    compute = step.compute
    if compute is None or compute.operation is None:
        return None
    with suppress(HelioError, ValidationError):
        operation = get_operation(compute.operation)
        cadence = getattr(operation.options.model_validate(compute.options), "cadence", None)
        if isinstance(cadence, timedelta):
            return _Dense(cadence)
        if operation.keeps_times and not operation.is_of_window:
            return compute.step_inputs.get(next(iter(operation.inputs)))
    return None
