"""Which checks suit a pipeline: what its data are usually expected to be, and how much of the time they should cover."""

from __future__ import annotations

from helio_dagster.catalog.choice.fetched import mission_of_fetch, quantity_of_fetch
from helio_dagster.catalog.known import KnownCatalog
from helio_dagster.catalog.usual_ranges import MAGNITUDE, usual_range
from helio_dagster.domain.expectation import Expectation
from helio_dagster.domain.pipeline import Pipeline

USUAL_COVERAGE = "50 %"


def usual_checks(pipeline: Pipeline, catalog: KnownCatalog) -> dict[str, Expectation]:
    """Step to what it is usually expected to be, for each fetch of the solar wind near 1 AU, in the order of the steps.

    The check of a magnetic field is that of its magnitude where a step computes it, because a magnitude is not negative.
    """
    found: dict[str, Expectation] = {}
    magnitudes = {
        step.compute.step_inputs.get("vector", ""): step.id
        for step in pipeline.steps
        if step.compute is not None and step.compute.operation == "magnitude"
    }
    for step in pipeline.steps:
        if step.fetch is None:
            continue
        quantity = quantity_of_fetch(catalog, step.fetch)
        has_magnitude = quantity == "magnetic_field" and step.id in magnitudes
        usual = usual_range(MAGNITUDE if has_magnitude else quantity or "", [mission_of_fetch(catalog, step.fetch)])
        if usual is not None:
            found[magnitudes[step.id] if has_magnitude else step.id] = usual.model_copy(update={"coverage": USUAL_COVERAGE})
    return {step.id: found[step.id] for step in pipeline.steps if step.id in found}
