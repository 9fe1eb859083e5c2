"""From the colours of a figure's description to those on a sheet: parsed once, and turned for a dark sheet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

Rgb = tuple[float, float, float]
Rgba = tuple[float, float, float, float]
_LEAST_CONTRAST = 4.0
_RGBA = re.compile(r"rgba?\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,\s*([\d.]+)\s*)?\)")
_LEVELS = 256


class Ink:
    """Colours as red, green, blue and opacity from 0 to 1.

    Parameters
    ----------
    instead
        Colours of the description that have another on this sheet.
    """

    def __init__(self, instead: Mapping[str, str] | None = None) -> None:
        self._instead = dict(instead or {})
        self._paper = self._instead.get("white")

    def __call__(self, color: str, opacity: float = 1.0) -> Rgba:
        """The colour that a name, `#rrggbb` or `rgba(…)` stands for."""
        name = color.strip()
        match = _RGBA.fullmatch(name)
        if match is not None:
            parts = "#{:02x}{:02x}{:02x}".format(*(round(float(part)) for part in match.groups()[:3]))
            name = "white" if parts == "#ffffff" else parts
            opacity *= float(match[4] or 1)
        red, green, blue = to_rgb(self._instead.get(name, name))
        if self._paper is not None and name not in self._instead:
            red, green, blue = _readable((red, green, blue), to_rgb(self._paper))
        return (red, green, blue, opacity)


def _readable(color: Rgb, paper: Rgb) -> Rgb:
    """A colour made lighter until it stands out against dark paper."""
    for step in range(11):
        lighter = tuple(part + (1 - part) * step / 10 for part in color)
        if (_luminance(lighter) + 0.05) / (_luminance(paper) + 0.05) >= _LEAST_CONTRAST:
            return (lighter[0], lighter[1], lighter[2])
    return (1.0, 1.0, 1.0)


def _luminance(color: Sequence[float]) -> float:
    """Relative luminance as WCAG 2 defines it, of sRGB from 0 to 1."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def color_table(scale: Sequence[Sequence[Any]]) -> NDArray[np.float64]:
    """A plotly colour scale, `[fraction, colour]` pairs, as 256 colours; shape (256, 3)."""
    places = np.array([float(place) for place, _ in scale])
    colors = np.array([Ink()(str(color))[:3] for _, color in scale])
    levels = np.linspace(0, 1, _LEVELS)
    return np.column_stack([np.interp(levels, places, colors[:, part]) for part in range(3)])


def colored(values: NDArray[Any], low: float, high: float, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours of values between two ends, beyond them the end's; shape (…, 3). NaN has that of the low end."""
    fraction = np.nan_to_num((np.asarray(values, dtype=np.float64) - low) / ((high - low) or 1.0))
    found: NDArray[np.float64] = table[np.clip(fraction * len(table), 0, len(table) - 1).astype(np.intp)]
    return found
