"""What a figure says beside its data: marks in a panel, and rows of values below the time axis."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.pipeline_fields import Moment, Reference, Text


def _slope_text(given: Any) -> Any:
    """A slope as it is written; a minus sign of print is a minus sign."""
    if isinstance(given, bool):
        return given
    return str(given).replace("−", "-").replace(" ", "") if isinstance(given, (int, float, str)) else given


Number = Annotated[float, Field(allow_inf_nan=False)]
Place = Number | Moment
"""A number on an axis, or a time."""
Dash = Literal["solid", "dash", "dot", "dashdot", "longdash"]


Slope = Annotated[str, BeforeValidator(_slope_text), Field(pattern=r"^[+-]?\d+(\.\d+)?(/\d*[1-9]\d*)?$", max_length=20)]
"""A number or a fraction."""


class _Marks(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What is not given says nothing: the code versions of figures are made of this."""
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if value is not None and value is not False}


class Mark(_Marks):
    """A line, a shaded band or a text in one panel.

    With `x` or `y` alone it is a line across the panel, with a pair a band, with both a text at that point. With `slope` it is
    an oblique line: `x` then says from where to where, `y` its height there at the start.
    """

    x: Place | tuple[Place, Place] | None = None
    """A time, or a number in a panel with an axis of its own; a pair for a band."""
    y: Number | tuple[Number, Number] | None = None
    """A value of the left-hand axis; a pair for a band."""
    slope: Slope | None = None
    """Slope of a line beside curves or points, such as `-5/3`; of the logarithms on two logarithmic axes."""
    text: Text = ""
    """What it says; a slope says itself where not given."""
    color: str | None = None
    """CSS colour."""
    dash: Dash | None = None
    """How a line is broken; `dash` where not given."""
    arrow: bool = False
    """Whether an arrow leads from the text to the point."""

    @model_validator(mode="after")
    def _check_places(self) -> Mark:
        if self.x is None and self.y is None and self.slope is None:
            raise ValueError("give `x`, `y` or both, or a `slope`")
        for name, place in (("x", self.x), ("y", self.y)):
            if isinstance(place, tuple) and not _is_ordered(place):
                raise ValueError(f"`{name}` does not go from a lower to an upper end")
        if self.slope is not None:
            self._check_slope()
            return self
        if self.x is not None and self.y is not None and (isinstance(self.x, tuple) or isinstance(self.y, tuple)):
            raise ValueError("a band is along `x` or along `y`, not both")
        if self.arrow and not self.is_text:
            raise ValueError("an arrow needs `x` and `y`, and a `text`")
        if self.x is not None and self.y is not None and not self.text:
            raise ValueError("a point needs a `text`")
        return self

    def _check_slope(self) -> None:
        if self.is_timed or self.arrow or (self.x is not None and not isinstance(self.x, tuple)) or isinstance(self.y, tuple):
            raise ValueError("a slope goes from one number to another: `x: [0.001, 0.1]`, and begins at one `y`")
        if self.y is not None and self.x is None:
            raise ValueError("a slope that begins at `y` needs `x`, from where to where")

    @property
    def slope_number(self) -> float:
        """The slope as a number; 0 without one."""
        over, _, under = (self.slope or "0").partition("/")
        return float(over) / float(under or 1)

    @property
    def is_text(self) -> bool:
        """Whether it is a text at a point."""
        return self.slope is None and self.x is not None and self.y is not None and bool(self.text)

    @property
    def is_timed(self) -> bool:
        """Whether `x` is a time."""
        first = self.x[0] if isinstance(self.x, tuple) else self.x
        return isinstance(first, datetime)


class Spread(_Marks):
    """Where the uncertainty or one end of a spread is: a column of the trace's own step, or another step."""

    data: Reference | None = None
    """Step that holds it: at each time that of the nearest record."""
    component: str | None = None
    """The column of it; its only one where not given."""

    @model_validator(mode="after")
    def _check_given(self) -> Spread:
        if self.data is None and self.component is None:
            raise ValueError("give `data`, `component` or both")
        return self


class AxisRow(_Marks):
    """A row of values below the time axis, one under each time: position, local time, L."""

    data: Reference
    """Step whose values are shown: at each time those of the nearest record."""
    component: str | None = None
    """The column of it; its only one where not given."""
    label: str | None = None
    """What stands before the row; by the data where not given."""
    digits: Annotated[int, Field(ge=0, le=6)] | None = None
    """Digits after the point; by the values where not given."""


def _is_ordered(pair: tuple[Any, Any]) -> bool:
    return type(pair[0]) is type(pair[1]) and bool(pair[0] < pair[1])
