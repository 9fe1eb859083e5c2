"""What the texts of operations name is what the operations accept: defaults, examples, bounds, and values in hints."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache
from typing import Annotated, Any

import annotated_types
import pytest
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from helio_dagster.compute.operation import get_operation, operations
from helio_dagster.compute.operations.page import write_page
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.time_range import format_duration, parse_duration
from helio_dagster.domain.yaml.document import read_yaml
from tests.every import every


def _options() -> dict[str, tuple[Any, str, FieldInfo]]:
    return {
        f"{operation.id}.{name}": (operation, name, field)
        for operation in operations()
        for name, field in operation.options.model_fields.items()
    }


DURATION = re.compile(r"\bP(?:\d|T\d)[0-9.DTHMSW]*[DHMSW]")


def _check_alone(field: FieldInfo, value: object) -> object:
    """The value as the option takes it, whatever the other options are."""
    kind: Any = Annotated[(field.annotation, *field.metadata, None)]
    return TypeAdapter(kind).validate_python(value)


def _is_duration(field: FieldInfo) -> bool:
    return "timedelta" in str(field.annotation)


@cache
def _page() -> str:
    return write_page()


@every(_options)
def test_a_duration_is_called_one_with_an_example_that_is_accepted(operation: Any, name: str, field: FieldInfo) -> None:
    """Whatever takes a duration says so, so that nobody gives a number of samples; nothing else does."""
    text = operation.options.meaning(name)
    assert _is_duration(field) == ("ISO 8601 duration such as P" in text)
    for example in DURATION.findall(text):
        assert isinstance(_check_alone(field, example), timedelta)
    if _is_duration(field):
        with pytest.raises(ValueError, match="not an ISO 8601 duration"):
            _check_alone(field, 64)


@every(_options)
def test_a_documented_default_can_be_given(operation: Any, name: str, field: FieldInfo) -> None:
    """As the page prints it, in YAML, beside the options of the first example."""
    section = _page().partition(f"\n## {operation.id}\n")[2].partition("\n## ")[0]
    shown = next(line for line in section.splitlines() if line.startswith(f"| `{name}` |")).split(" | ")[1]
    if shown in ("required", "not given"):
        assert field.is_required() == (shown == "required")
        return
    given = read_yaml(f"value: {shown.strip('`')}\n").value["value"]  # type: ignore[index, call-overload]  # a mapping, as written on this line
    assert operation.options.model_fields[name].default == _check_alone(field, given)
    others = {key: value for key, value in operation.examples[0].options.items() if key != name}
    operation.read_options({**others, name: given})


@every(_options)
def test_documented_bounds_are_the_bounds(operation: Any, name: str, field: FieldInfo) -> None:
    """`1 to 8` is what is accepted."""
    least, most = (
        next((getattr(each, side) for each in field.metadata if isinstance(each, kind)), None)
        for side, kind in (("ge", annotated_types.Ge), ("le", annotated_types.Le))
    )
    if least is None or most is None:
        return
    said = re.search(r"(\d[\d.]*\d|\d) to (\d[\d.]*\d|\d)", operation.options.meaning(name))
    if said:
        assert (float(said[1]), float(said[2])) == (least, most)


def test_the_stack_that_superposed_epoch_recommends_is_accepted() -> None:
    """Every duration that its text names is a cadence that resample takes."""
    operation = get_operation("superposed_epoch")
    named = DURATION.findall(f"{operation.when} {operation.reference} {operation.output}")
    assert named
    for cadence in named:
        get_operation("resample").read_options({"cadence": cadence, "method": "median"})


@pytest.mark.parametrize(
    ("operation_id", "option", "wrong"),
    [("resample", "cadence", "P400D"), ("resample", "cadence", "10 minutes"), ("difference", "tolerance", "P400D")],
)
def test_the_longest_that_a_refusal_names_is_accepted(operation_id: str, option: str, wrong: str) -> None:
    """What a person copies from a refusal is not refused; `above` says what is not."""
    operation = get_operation(operation_id)
    with pytest.raises(InputError) as refused:
        operation.read_options({option: wrong})
    text = re.sub(r"above \S+", "", f"{refused.value.problem} {refused.value.hint}".replace(wrong, ""))
    named = DURATION.findall(text)
    assert named
    for value in named:
        found = getattr(operation.read_options({option: value}), option)
        assert parse_duration(format_duration(found)) == found


def test_a_truth_value_is_not_a_position() -> None:
    """`component: true` is not the second column."""
    with pytest.raises(InputError, match="component"):
        get_operation("component").read_options({"component": True})
    assert get_operation("component").read_options({"component": 1}).component == 1
