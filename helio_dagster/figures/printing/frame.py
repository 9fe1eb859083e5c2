"""Where things are on a sheet: from the references of a plotly layout to places in pixels, y upwards from the lower edge."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.figures import look

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge, in pixels."""
Settings = Mapping[str, Any]
"""A part of a figure, as plotly's JSON has it."""

_AXIS = re.compile(r"([xy])axis(\d*)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AxisFrame:
    """One axis: its own settings over the template's, its ends on the sheet, and in its data (powers of ten where `log`)."""

    name: str
    settings: Settings
    start_px: float
    stop_px: float
    limits: tuple[float, float]

    @property
    def is_log(self) -> bool:
        """Whether the axis is logarithmic."""
        return bool(self.settings.get("type") == "log")

    @property
    def is_time(self) -> bool:
        """Whether the axis is over time, in milliseconds since 1970."""
        return bool(self.settings.get("type") == "date")

    @property
    def length_px(self) -> float:
        """Length on the sheet."""
        return self.stop_px - self.start_px

    def px(self, values: Any) -> Floats:
        """Places of data values in pixels, of their shape; NaN for what the axis cannot show."""
        numbers = np.asarray(values, dtype=np.float64)
        if self.is_log:
            numbers = np.log10(np.where(numbers > 0, numbers, np.nan))
        low, high = self.limits
        placed: Floats = self.start_px + (numbers - low) / (high - low) * self.length_px
        return placed

    def place(self, value: Any) -> float:
        """The place of one value as a shape or a text gives it: a number, or the words of a date."""
        return float(self.px(milliseconds(value)))


class Frame:
    """The sheet of a figure and the axes on it.

    Parameters
    ----------
    layout
        As plotly's JSON has it, with its template.
    """

    def __init__(self, layout: Settings) -> None:
        margin = layout["margin"]
        self.width_px, self.height_px = float(layout.get("width") or look.WIDTH_PX), float(layout["height"])
        self.left, self.right = float(margin["l"]), self.width_px - float(margin["r"])
        self.bottom, self.top = float(margin["b"]), self.height_px - float(margin["t"])
        self.template: Settings = layout.get("template", {}).get("layout", {})
        self._axes: dict[str, AxisFrame] = {}
        for name, settings in sorted(self._settings(layout), key=lambda each: "overlaying" in each[1]):
            self._axes[name] = self._axis(name, settings)
        for axis in self.axes:
            if "scaleanchor" in axis.settings:
                self._make_square(axis, self.axis(axis.settings["scaleanchor"]))

    def axis(self, name: str) -> AxisFrame:
        """The axis of plotly's id, such as `x` or `y3`."""
        return self._axes[name]

    @property
    def axes(self) -> tuple[AxisFrame, ...]:
        """All axes."""
        return tuple(self._axes.values())

    def x_px(self, reference: str, value: Any) -> float:
        """A horizontal place, given in `paper`, in an axis' domain or in its data."""
        return self._place(reference, value, self.left, self.right)

    def y_px(self, reference: str, value: Any) -> float:
        """A vertical place."""
        return self._place(reference, value, self.bottom, self.top)

    def clip(self, x_reference: str, y_reference: str) -> Box:
        """What a shape is cut to: the axes it refers to; nowhere cut along a direction in which it refers to none."""
        x0, x1 = self._ends(x_reference, self.width_px)
        y0, y1 = self._ends(y_reference, self.height_px)
        return (x0, y0, x1, y1)

    def note_px(self, direction: str, reference: str, value: Any) -> float:
        """A place of a text along `x` or `y`: on a log axis it is given as a power of ten, as no other is."""
        if reference in self._axes and self.axis(reference).is_log:
            value = 10.0 ** float(value)
        return self.x_px(reference, value) if direction == "x" else self.y_px(reference, value)

    def _place(self, reference: str, value: Any, start_px: float, stop_px: float) -> float:
        if reference == "paper":
            return start_px + float(value) * (stop_px - start_px)
        axis = self.axis(reference.removesuffix(" domain"))
        return axis.start_px + float(value) * axis.length_px if reference.endswith(" domain") else axis.place(value)

    def _ends(self, reference: str, whole_px: float) -> tuple[float, float]:
        if reference == "paper":
            return 0.0, whole_px
        axis = self.axis(reference.removesuffix(" domain"))
        return axis.start_px, axis.stop_px

    def _settings(self, layout: Settings) -> Iterator[tuple[str, Settings]]:
        for key, own in layout.items():
            match = _AXIS.fullmatch(key)
            if match is not None:
                yield match[1] + match[2], merged(self.template.get(f"{match[1]}axis", {}), own)

    def _axis(self, name: str, settings: Settings) -> AxisFrame:
        if "overlaying" in settings:
            under = self.axis(settings["overlaying"])
            return AxisFrame(name, settings, under.start_px, under.stop_px, _limits(settings))
        start, stop = (self.left, self.right) if name.startswith("x") else (self.bottom, self.top)
        low, high = settings.get("domain") or (0, 1)
        return AxisFrame(name, settings, start + low * (stop - start), start + high * (stop - start), _limits(settings))

    def _make_square(self, x: AxisFrame, y: AxisFrame) -> None:
        """Shorten one of two axes of one scale, so that a unit is as long on both; x keeps its left end, y its middle."""
        x_units, y_units = x.limits[1] - x.limits[0], y.limits[1] - y.limits[0]
        px_per_unit = min(x.length_px / x_units, y.length_px / y_units)
        self._axes[x.name] = replace(x, stop_px=x.start_px + px_per_unit * x_units)
        middle, half = (y.start_px + y.stop_px) / 2, px_per_unit * y_units / 2
        self._axes[y.name] = replace(y, start_px=middle - half, stop_px=middle + half)


def merged(under: Settings, over: Settings) -> dict[str, Any]:
    """Settings over others, also inside their parts."""
    found = dict(under)
    for key, value in over.items():
        is_part = isinstance(value, Mapping) and isinstance(found.get(key), Mapping)
        found[key] = merged(found[key], value) if is_part else value
    return found


def milliseconds(value: Any) -> float:
    """A number as it is; an ISO time (a space or `_` may stand for its T) as milliseconds since 1970 UTC."""
    if not isinstance(value, str):
        return float(value)
    moment = datetime.fromisoformat(value.replace("_", "T"))
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH).total_seconds() * 1e3


def _limits(settings: Settings) -> tuple[float, float]:
    low, high = (milliseconds(end) for end in settings.get("range") or (0, 1))
    return (low, high) if high != low else (low, math.nextafter(low, math.inf))
