"""What a figure says beside its data: marks in a panel, and rows of values below the time axis."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from helio_dagster.domain.described import Described
from helio_dagster.domain.pipeline_fields import Moment, Reference, Text

Number = Annotated[float, Field(allow_inf_nan=False)]
Place = Number | Moment
"""A number on an axis, or a time."""
Dash = Literal["solid", "dash", "dot", "dashdot", "longdash"]


class _Marks(Described):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_serializer(mode="wrap")
    def _without_unused(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """What is not given says nothing: the code versions of figures are made of this."""
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if value is not None and value is not False}


class Mark(_Marks):
    """A line, a shaded band or a text in one panel.

    With `x` or `y` alone it is a line across the panel, with a pair a band, with both a text at that point.
    """

    x: Place | tuple[Place, Place] | None = None
    """A time, or a number in a panel with an axis of its own; a pair for a band."""
    y: Number | tuple[Number, Number] | None = None
    """A value of the left-hand axis; a pair for a band."""
    text: Text = ""
    """What it says."""
    color: str | None = None
    """CSS colour."""
    dash: Dash | None = None
    """How a line is broken; `dash` where not given."""
    arrow: bool = False
    """Whether an arrow leads from the text to the point."""

    @model_validator(mode="after")
    def _check_places(self) -> Mark:
        if self.x is None and self.y is None:
            raise ValueError("give `x`, `y` or both")
        for name, place in (("x", self.x), ("y", self.y)):
            if isinstance(place, tuple) and not _is_ordered(place):
                raise ValueError(f"`{name}` does not go from a lower to an upper end")
        if self.x is not None and self.y is not None and (isinstance(self.x, tuple) or isinstance(self.y, tuple)):
            raise ValueError("a band is along `x` or along `y`, not both")
        if self.arrow and not self.is_text:
            raise ValueError("an arrow needs `x` and `y`, and a `text`")
        if self.x is not None and self.y is not None and not self.text:
            raise ValueError("a point needs a `text`")
        return self

    @property
    def is_text(self) -> bool:
        """Whether it is a text at a point."""
        return self.x is not None and self.y is not None and bool(self.text)

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
