"""Leaving intervals out of everything that the pipeline on the table fetches."""

from __future__ import annotations

from helio_dagster.agent.drafting.assumptions import Assumption
from helio_dagster.agent.drafting.exclusions import LIST_STEP, excluded_csv, left_out, list_step
from helio_dagster.agent.drafting.naming import free_id
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.agent.treatments import Exclusions
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.pipeline_edit import AddStep


def leave_out(excluded: Exclusions, table: Table) -> None:
    """Exclude intervals from all fetches; more intervals are added to the list that is there."""
    steps = table.plotted.pipeline.steps
    listed = next((step for step in steps if step.id == LIST_STEP and step.table is not None), None)
    if listed is not None and listed.table is not None and not excluded.file:
        rows = listed.table.csv.rstrip("\n") + "\n" + excluded_csv(excluded).split("\n", 1)[1]
        table.change(LIST_STEP, {"table.csv": rows})
        table.assume([Assumption(left_out(excluded))])
        return
    step_id = free_id(LIST_STEP, {step.id for step in table.plotted.pipeline.nodes})
    added = Step.model_validate({**list_step(excluded), "id": step_id})
    table.make(AddStep(kind="add_step", step=added, before=steps[0].id))
    for step in steps:
        if step.fetch is not None:
            own = [reference for _, reference in step.exclusions]
            table.change(step.id, {"exclude": [*own, step_id] if own else step_id})
    table.assume([Assumption(left_out(excluded))])
