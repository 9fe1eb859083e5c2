"""The documentation's page about operations, from what they say of themselves; run as a program, it prints the page."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from pydantic.fields import FieldInfo

from helio_dagster.compute.operation import operations, plain_function
from helio_dagster.compute.operations.contract import Operation
from helio_dagster.compute.operations.inputs import Input
from helio_dagster.domain.time_range import format_duration
from helio_dagster.domain.yaml.style import render_scalar

_INTRODUCTION = """\
# Operations

The operations that helio knows: when to use each, its inputs, options and formula. A pipeline names one in a `compute`
step. This page is written by `python -m helio_dagster.compute.operations.page`.

A result with one column is named after the step; vectors keep their labels. NaN samples never count. If an input must have
a certain unit, it is converted to it, or refused before anything runs. If there are several inputs, the first gives the
times. Results do not depend on how the range was cut into partitions: the value at a time is made from the samples within a
fixed distance in time (the halo, which is read beyond the partition), always added up in the same order.

What an operation makes of bins reaches over its bin: figures draw it there. Results at the times of the first input reach as
far as its records do. Inputs of which that is known are matched by it: a record is looked for at its middle, and one that
holds that moment is the nearest. A bin takes a record by its time, or by its middle if that is earlier.

Some results are not series. A curve has an axis that is not time, as frequency or lag; points are pairs with their times;
facts are named numbers with their uncertainties; events have a start and a stop. What gives a curve or facts takes a whole
window, the asked range or an event, and reads nothing outside it."""


def write_page() -> str:
    """The whole page, Markdown."""
    return (
        "\n\n".join(
            [
                _INTRODUCTION,
                _plain_forms(operations()),
                _index(operations()),
                *(_section(operation) for operation in operations()),
            ]
        )
        + "\n"
    )


def _index(given: Iterable[Operation[Any]]) -> str:
    rows = (f"| [{operation.id}](#{operation.id}) | {operation.summary} |" for operation in given)
    return "\n".join(["| operation | what it does |", "|---|---|", *rows])


def _plain_forms(given: Iterable[Operation[Any]]) -> str:
    """Which operations can stand in a standalone script."""
    without = [f"`{operation.id}`" for operation in given if plain_function(operation.id) is None]
    which = f"All but {', '.join(without)}" if without else "All of them"
    return f"{which} can be part of a [script that needs no helio_dagster](notebooks.md#a-script-for-a-reviewer)."


def describe_operation(operation: Operation[Any]) -> str:
    """One operation as plain text."""
    return _section(operation).removeprefix("## ").replace("`", "") + "\n"


def _section(operation: Operation[Any]) -> str:
    inputs = "\n".join(
        f"- `{name}` ({' or '.join(given.kinds)}): {_demands(given)}" for name, given in operation.inputs.items()
    )
    parts = [f"## {operation.id}", operation.summary, operation.when, f"Inputs:\n\n{inputs}"]
    if operation.of_one_spacecraft:
        names = [f"`{name}`" for name in operation.of_one_spacecraft]
        parts.append(
            f"{', '.join(names[:-1])} and {names[-1]} must be of one spacecraft, as far as the catalog knows whose they are."
        )
    if operation.options.model_fields:
        rows = [
            f"| `{name}` | {_default(field)} | {_meaning(operation, name)} |"
            for name, field in operation.options.model_fields.items()
        ]
        parts.append("\n".join(["| option | default | meaning |", "|---|---|---|", *rows]))
    reach = " ".join((inspect.getdoc(operation.halo) or "").split())
    return "\n\n".join([*parts, f"Output: {operation.output}", f"Halo: {reach}", f"Formula: {operation.reference}"])


def _demands(given: Input) -> str:
    return "; ".join([given.meaning, *_details(given)]) + "."


def _details(given: Input) -> Iterator[str]:
    if given.is_optional:
        yield "may be left out"
    if given.quantity:
        yield f"a {' or '.join(given.quantity)}"
    if given.unit:
        yield f"converted to {given.unit}{', R_E being 6371.2 km' if given.unit == 'km' else ''}"
    if given.frames:
        yield f"in {' or '.join(given.frames)}"


def _meaning(operation: Operation[Any], option: str) -> str:
    meaning: str = operation.options.meaning(option)
    return meaning.replace("|", "\\|")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is None:
        return "not given"
    return f"`{format_duration(field.default) if isinstance(field.default, timedelta) else render_scalar(field.default)}`"


if __name__ == "__main__":
    sys.stdout.write(write_page())
