"""What the definition of a computed variable says, and the values of those it takes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from helio_dagster.archives.cdf.masking import masked_records, valid_rule
from helio_dagster.archives.cdf.raw import RawVariable


def function_of(variable: RawVariable) -> str:
    """The archive's function that computes a variable, in lower case; empty of one that is stored."""
    return "" if variable.records else (variable.text("FUNCT") or variable.text("FUNCTION")).casefold()


def components(variable: RawVariable) -> list[str]:
    """The variables that a function takes, in order."""
    keys = sorted(key for key in variable.attributes if key.startswith("COMPONENT_"))
    return [text for key in keys if (text := variable.text(key))]


def masked_values(values: NDArray[Any], source: RawVariable) -> NDArray[Any]:
    """Records of a variable as reals, NaN where they are not valid; shape (record, *shape) before and after."""
    flat = values.reshape(len(values), source.width)
    found: NDArray[Any] = masked_records(flat, valid_rule(source, values.dtype)).reshape(values.shape)
    return found


def whole_number_of(variable: RawVariable, attribute: str) -> int | None:
    """A whole number from 0 on that an attribute holds, as a number or a text."""
    value = number_of(variable, attribute)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def number_of(variable: RawVariable, attribute: str) -> float | None:
    """The number that an attribute holds, or the first of its numbers, or that of its text; None where there is none."""
    given = variable.attributes.get(attribute)
    first = given if isinstance(given, str) else next(iter(given), None) if given is not None else None
    try:
        return float(first) if first is not None else None
    except ValueError:
        return None
