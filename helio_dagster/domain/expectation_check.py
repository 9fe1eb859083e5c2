"""Rules for `expect`: columns, units and facts that a step is known not to have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio_dagster.domain.catalog_entry import has_names
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.exclusions import KINDS_WITHOUT_SAMPLES
from helio_dagster.domain.expectation import Comparison, Expectation, read_comparison
from helio_dagster.domain.meta_check import StepFault
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.table import TableMeta
from helio_dagster.domain.unit_conversion import can_convert


def expectation_faults(step: Step, meta: TableMeta, *, is_sure: bool) -> Iterator[StepFault]:
    """What a step's expectation says of a result that cannot have it.

    Parameters
    ----------
    step
        The step.
    meta
        What it yields; without columns if unknown, so that no rule applies, but for the kind that the step names.
    is_sure
        Whether that is known for sure, and not only what a catalog says: faults of columns and units are notes then.
    """
    if step.expect is None:
        return
    declared = step.compute.kind if step.compute is not None else None
    kind = meta.kind if meta.columns else declared
    for fault in (*_kind_faults(step.expect, kind), *(_meta_faults(step.expect, meta) if meta.columns else ())):
        yield fault if is_sure or not fault.is_of_numbers else replace(fault, is_note=True)


def _kind_faults(expect: Expectation, kind: str | None) -> Iterator[StepFault]:
    if kind is None:
        return
    if expect.coverage is not None and kind in KINDS_WITHOUT_SAMPLES:
        problem = f"a result of kind {kind} has no coverage"
        yield StepFault(("expect", "coverage"), problem, "Expect it of the series that it is made from.")
    if expect.comparison is not None and kind == "facts":
        side = "min" if expect.min is not None else "max"
        hint = 'Name the facts: facts: {r: "> 0.5"}.'
        yield StepFault(("expect", side), "facts differ in meaning and unit, so one limit does not fit all of them", hint)
    if expect.facts and kind != "facts":
        hint = "Use min, max or columns here, and `facts` on a step such as facts_of."
        yield StepFault(("expect", "facts"), f"a result of kind {kind} states no facts", hint)


def _meta_faults(expect: Expectation, meta: TableMeta) -> Iterator[StepFault]:
    units = {name: _unit(meta, name) for name in (column.name for column in meta.value_columns)}
    if expect.comparison is not None:
        for name in dict.fromkeys(units.values()):
            yield from _unit_faults(expect.comparison, name, ("expect", "min" if expect.min is not None else "max"))
    known = [column.name for column in meta.columns]
    for name, limits in expect.columns.items():
        path = ("expect", "columns", name)
        if name not in known:
            if not has_names(meta):
                continue
            problem = f"the result has no column {name!r}"
            yield StepFault(path, problem, remedy(name, known, what="its columns"), is_of_numbers=True)
        elif limits.comparison is not None:
            yield from _unit_faults(limits.comparison, _unit(meta, name), path)
    if meta.kind != "facts":
        return
    for name, text in expect.facts.items():
        path = ("expect", "facts", name)
        if name not in units:
            yield StepFault(
                path, f"the step states no fact {name!r}", remedy(name, list(units), what="its facts"), is_of_numbers=True
            )
        else:
            yield from _unit_faults(read_comparison(text), units[name], path)


def _unit_faults(limits: Comparison, unit: str, path: tuple[str | int, ...]) -> Iterator[StepFault]:
    for bound in dict.fromkeys(bound for _, bound in limits.bounds):
        if bound.unit and unit and not can_convert(bound.unit, unit):
            problem = f"{bound} cannot be compared with values in {unit}"
            yield StepFault(path, problem, f"Write the limit in {unit}, or without a unit.", is_of_numbers=True)


def _unit(meta: TableMeta, name: str) -> str:
    return next((column.unit for column in meta.columns if column.name == name), "") or meta.unit
