"""Give an option of a step another value, and say so wherever the old one is said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from helio_dagster.agent.answers import OpenQuestion, SoAlready
from helio_dagster.agent.drafting.assumptions import Topic, lines_about, lines_of, open_options
from helio_dagster.agent.drafting.lengths import spoken, spoken_alone
from helio_dagster.agent.offline.edits.table import Table
from helio_dagster.compute.operation import OPERATION_IDS, get_operation
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.pipeline import Step
from helio_dagster.domain.time_range import parse_duration

_ONE_OF = (("bins", "width", "edges"), ("segment", "parts"))
"""Options of which a step has one."""
_LIMITS = ("above", "below")


def having(name: str, table: Table) -> list[Step]:
    """The steps whose operation has an option; those alone that give it, if any does."""
    found = [
        step
        for step in table.plotted.pipeline.steps
        if step.compute
        and step.compute.operation in OPERATION_IDS
        and name in get_operation(str(step.compute.operation)).options.model_fields
    ]
    return [step for step in found if step.compute and name in step.compute.options] or found


def set_option(step: Step, name: str, value: Any, table: Table) -> None:
    """Give one option of a step another value."""
    set_options(step, {name: value}, table)


def set_options(step: Step, given: Mapping[str, Any], table: Table) -> None:
    """Give options of a step other values, and say so wherever the old ones are said.

    Raises
    ------
    OpenQuestion
        The operation does not take these values, or has them already.
    """
    old = dict(step.compute.options) if step.compute else {}
    given = {name: value for name, value in given.items() if old.get(name) != value}
    if not given:
        raise SoAlready("It is computed so already. What do you want to change?")
    gone = {each for group in _ONE_OF for name in group if name in given for each in group if each != name and each in old}
    turned = _turned(old, given)  # `above 10` where it is below -10
    gone |= turned.keys()
    options = {key: value for key, value in old.items() if key not in gone} | given
    operation = str(step.compute.operation if step.compute else "")
    try:
        get_operation(operation).read_options(options)
    except InputError as error:
        raise OpenQuestion(f"This cannot be: {error.problem}. Which value do you want?") from None
    changes = dict.fromkeys(sorted(gone)) | given
    table.change(step.id, {f"compute.options.{name}": value for name, value in changes.items()})
    table.forget(*open_options(operation, *given))
    pairs = [pair for name, value in given.items() for pair in _said(name, old.get(name), value)]
    reword([*pairs, *turned.values()], step.id, table)


def _turned(old: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """The limit that goes because the other one leaves nothing beside it, and how both are said."""
    for one, other in (_LIMITS, _LIMITS[::-1]):
        limits = {**old, **given}
        if one in given and other in old and other not in given and float(limits["above"]) >= float(limits["below"]):
            return {other: (_spoken(other, old[other])[0], _spoken(one, given[one])[0])}
    return {}


def _spoken(name: str, value: Any) -> list[str]:
    """How a value is said in intents, titles and assumptions; the same number of ways for each kind of value."""
    with suppress(InputError, TypeError, ValueError):
        length: timedelta = parse_duration(str(value))
        return [spoken(length), spoken_alone(length)]
    if name == "direction":
        return [f"{value}wards"]
    if name in ("x_bins", "y_bins"):
        return [f"{value} bins"]
    if name in _LIMITS:
        return [f"{name} {float(value):g}"]
    return [f"{value} {name}"]


def _said(name: str, old: Any, new: Any) -> list[tuple[str, str]]:
    """The words for an old value, each with those for the new one."""
    before, after = ([] if each is None else _spoken(name, each) for each in (old, new))
    return [*zip(before, after, strict=True)] if len(before) == len(after) else []


def reword(pairs: Sequence[tuple[str, str]], step: str, table: Table) -> None:
    """Replace words in what a step, the pipeline and the lines of the step say of themselves."""

    def replaced(text: str) -> str:
        for old, new in pairs:
            text = re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, text, flags=re.IGNORECASE)
        return text

    pipeline = table.plotted.pipeline
    intent, title, assumed = pipeline.step(step).intent, pipeline.title, [*pipeline.assumptions]
    compute = pipeline.step(step).compute
    own = lines_about(table.known, Topic("operation", str(compute.operation if compute else "")))
    others = {*lines_of(table.known)} - own
    table.change(step, {"intent": replaced(intent)} if replaced(intent) != intent else {})
    changes: dict[str, Any] = {"title": replaced(title)} if replaced(title) != title else {}
    reworded = [each if each in others else replaced(each) for each in assumed]
    table.describe(changes | ({"assumptions": reworded} if reworded != assumed else {}))
    labelled = [line for line in table.plotted.lines if line.trace.data == step and line.trace.label]
    table.draw({f"{line.path}.label": text for line in labelled if (text := replaced(line.words)) != line.trace.label})
