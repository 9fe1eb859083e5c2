"""Names of the colours that a figure may have instead of the usual ones."""

from __future__ import annotations

from typing import Literal

Palette = Literal["okabe-ito", "tol-bright", "tol-vibrant"]
"""Colours of lines."""
Colormap = Literal["viridis", "cividis", "magma", "inferno", "plasma", "thermal", "haline", "ice"]
"""Colours of values, perceptually uniform from dark to light."""
