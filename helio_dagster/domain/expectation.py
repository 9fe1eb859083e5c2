"""What a step's results are expected to be: limits of values, coverage, facts. `expectation_judging` judges tables by it."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.errors import ComputeError
from helio_dagster.domain.unit_conversion import conversion_factor
from helio_dagster.domain.units import is_unit, normalize_unit

Severity = Literal["warn", "block"]
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(rf"\s*({_NUMBER})\s*(\S.*?)?\s*")
_SHARE = re.compile(rf"\s*({_NUMBER})\s*%\s*")
_COMPARISON = re.compile(r"\s*(>=|<=|>|<)\s*(.+)")
_BETWEEN = re.compile(rf"\s*({_NUMBER}.*?)\s+to\s+({_NUMBER}.*)")
_OPERATORS = {">": "greater than", ">=": "at least", "<": "less than", "<=": "at most"}
_READ_COMPARISONS = "Write a comparison such as > 0.5, <= 40 min, or 30 to 40 min."


class Quantity(BaseModel):
    """A number, and its unit if one was written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: float
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.unit}".strip()

    def in_unit(self, unit: str) -> float:
        """Its value in another unit; a number without a unit is in that unit already.

        Raises
        ------
        ComputeError
            The units measure different things.
        """
        return self.value if not self.unit else self.value * float(conversion_factor(self.unit, unit))


class Comparison(BaseModel):
    """A limit that a value is compared with: one bound, or two."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bounds: tuple[tuple[Literal[">", ">=", "<", "<="], Quantity], ...]

    def __str__(self) -> str:
        if len(self.bounds) == 2:
            (_, low), (_, high) = self.bounds
            return f"{low.value:.6g} to {high}" if low.unit == high.unit else f"{low} to {high}"
        return " and ".join(f"{_OPERATORS[operator]} {bound}" for operator, bound in self.bounds)

    def holds(self, value: float, unit: str) -> bool:
        """Whether a value in `unit` is within the limit; False for NaN; ComputeError where the units differ."""
        return all(_compares(value, operator, bound.in_unit(unit)) for operator, bound in self.bounds)


def _compares(value: float, operator: str, bound: float) -> bool:
    if operator == ">":
        return value > bound
    if operator == "<":
        return value < bound
    return value >= bound if operator == ">=" else value <= bound


def read_quantity(value: float | str) -> Quantity:
    """A number, or text such as `1500 km/s`.

    Raises
    ------
    ValueError
        It is neither.
    """
    if isinstance(value, str):
        found = _QUANTITY.fullmatch(value)
        if found is None:
            raise ValueError(f"{value!r} is not a number. Write 1500, or with a unit 1500 km/s.")
        if found[2] and not is_unit(found[2]):
            raise ValueError(f"{found[2]!r} is not a unit. Write 1500, or with a unit 1500 km/s.")
        value, unit = float(found[1]), normalize_unit(found[2]) if found[2] else ""
    else:
        unit = ""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number. Leave the limit out to have none.")
    return Quantity(value=value, unit=unit)


def read_comparison(text: str) -> Comparison:
    """A comparison such as `> 0.5`, `<= 40 min` or `30 to 40 min`; in the last, a unit at its end is that of both.

    Raises
    ------
    ValueError
        It is not one, or no value can meet it.
    """
    if found := _COMPARISON.fullmatch(text):
        return Comparison(bounds=((found[1], read_quantity(found[2])),))
    if found := _BETWEEN.fullmatch(text):
        low, high = read_quantity(found[1]), read_quantity(found[2])
        low = low if low.unit else Quantity(value=low.value, unit=high.unit)
        if fault := _order_fault(low, high):
            raise ValueError(fault)
        return Comparison(bounds=((">=", low), ("<=", high)))
    raise ValueError(f"{text!r} is not a comparison. {_READ_COMPARISONS}")


def read_share(text: str) -> float:
    """A share such as `80 %`, from 0 to 1.

    Raises
    ------
    ValueError
        It is not one, or no coverage, or every coverage, meets it.
    """
    found = _SHARE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a share. Write a percentage such as 80 %.")
    percent = float(found[1])
    if percent > 100:
        raise ValueError(f"a coverage of {percent:g} % is impossible. Write at most 100 %.")
    if percent <= 0:
        raise ValueError(f"every result has a coverage of at least {percent:g} %. Write a percentage above 0 %.")
    return percent / 100


def _bound_from_value(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError("not a number. Write 1500, or with a unit 1500 km/s.")
    read_quantity(value)
    return value


def _comparison_from_value(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a comparison. {_READ_COMPARISONS}")
    read_comparison(value)
    return value


def _share_from_value(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} has no percent sign. Write a percentage such as 80 %.")
    read_share(value)
    return value


def _columns_named(value: dict[str, Any]) -> dict[str, Any]:
    if any(not name.strip() for name in value):
        raise ValueError("a column's name is empty. Write the names that `helio catalog show` and `helio export` give.")
    return value


Bound = Annotated[float | str, BeforeValidator(_bound_from_value, json_schema_input_type=float | str)]
ComparisonText = Annotated[str, BeforeValidator(_comparison_from_value, json_schema_input_type=str)]
ShareText = Annotated[str, BeforeValidator(_share_from_value, json_schema_input_type=str)]
ColumnName = Annotated[str, StringConstraints(max_length=200)]


class Limits(Described):
    """Between which values a column is expected to be."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min: Bound | None = None
    """The least value, in the result's own unit, or with one: 0, or 200 km/s."""
    max: Bound | None = None
    """The greatest value, in the result's own unit, or with one: 60, or 1500 km/s."""

    @model_validator(mode="after")
    def _can_be_met(self) -> Limits:
        if self.min is not None and self.max is not None:
            fault = _order_fault(read_quantity(self.min), read_quantity(self.max))
            if fault:
                raise ValueError(fault)
        return self

    @property
    def comparison(self) -> Comparison | None:
        """The limits as a comparison; None without any."""
        bounds: list[tuple[Literal[">=", "<="], Quantity]] = []
        if self.min is not None:
            bounds.append((">=", read_quantity(self.min)))
        if self.max is not None:
            bounds.append(("<=", read_quantity(self.max)))
        return Comparison(bounds=tuple(bounds)) if bounds else None


class Expectation(Limits):
    """What each result of a step is expected to be; bytes and versions do not depend on it."""

    columns: Annotated[dict[ColumnName, Limits], AfterValidator(_columns_named)] = {}
    """Limits of single columns, by name."""
    coverage: ShareText | None = None
    """The least share of a partition's time that has data, such as 80 %."""
    facts: dict[Annotated[str, Field(min_length=1, max_length=200)], ComparisonText] = {}
    """Named numbers of the result, each with a comparison such as > 0.5."""
    severity: Severity = "warn"
    """Whether a result that is not as expected is reported, or also stops the steps that read it."""

    @model_validator(mode="after")
    def _expects_something(self) -> Expectation:
        for name, limits in self.columns.items():
            if limits.comparison is None:
                raise ValueError(f"the column {name!r} has no limit. Give it min, max or both.")
        if self.comparison is None and not self.columns and self.coverage is None and not self.facts:
            raise ValueError("nothing is expected. Give min, max, columns, coverage or facts.")
        return self

    @property
    def is_of_facts(self) -> bool:
        """Whether it expects something of facts alone."""
        return self.comparison is None and not self.columns and self.coverage is None

    @property
    def is_blocking(self) -> bool:
        """Whether steps that read a result which is not as expected are not made."""
        return self.severity == "block"

    @property
    def share(self) -> float | None:
        """The least coverage, from 0 to 1."""
        return read_share(self.coverage) if self.coverage is not None else None

    def __str__(self) -> str:
        """What is expected, in words: `between 0 and 200; coverage at least 80 %`."""
        parts = [in_words(self.comparison)] if self.comparison else []
        parts += [f"{name} {in_words(limits.comparison)}" for name, limits in self.columns.items() if limits.comparison]
        parts += [f"coverage at least {100 * self.share:g} %"] if self.share is not None else []
        parts += [f"{name} {read_comparison(text)}" for name, text in self.facts.items()]
        return "; ".join(parts)


def in_words(comparison: Comparison) -> str:
    """Limits in words: `between 0 and 200 nT`, `at least 0`, `at most 200 nT`."""
    if len(comparison.bounds) == 2:
        (_, low), (_, high) = comparison.bounds
        lower = f"{low.value:,.6g}" if low.unit == high.unit else _grouped(low)
        return f"between {lower} and {_grouped(high)}"
    operator, bound = comparison.bounds[0]
    return f"{_OPERATORS[operator]} {_grouped(bound)}"


def _grouped(quantity: Quantity) -> str:
    value = quantity.value
    number = f"{value:,.0f}" if value.is_integer() and abs(value) < 1e9 else f"{value:,.6g}"
    return f"{number} {quantity.unit}".strip()


def _order_fault(low: Quantity, high: Quantity) -> str:
    """Why no value is between two bounds; empty where values are."""
    try:
        upper = high.in_unit(low.unit) if low.unit and high.unit else high.value
    except ComputeError:
        return f"{low} and {high} are not in comparable units. Write both in one unit."
    return f"no value is at least {low} and at most {high}. Give the lower one first." if low.value > upper else ""
