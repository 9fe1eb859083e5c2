"""A sheet to draw on in pixels: lines, shapes, images and texts as matplotlib's artists, each over those before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.image import BboxImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox, TransformedBbox
from numpy.typing import NDArray

from helio_dagster.figures.printing.fonts import width_em
from helio_dagster.figures.printing.frame import Box, Floats
from helio_dagster.figures.printing.inks import Ink
from helio_dagster.figures.printing.text import Line, lines_of

_ASCENT_EM, _DESCENT_EM, _LINE_EM = 0.905, 0.212, 1.3
"""Of a sans font, as a browser lays out lines of text."""
_POINTS_PER_INCH = 72.0
_DASHES = {"dot": (1,), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1), "longdashdot": (5, 2, 1, 2)}
_LEAST_DASH_PX = 3.0

_SQUARE = Path([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)], closed=True)

_SHARE = {"left": 0.0, "center": 0.5, "right": 1.0}
"""How much of a text's width is left of its anchor."""

Anchor = Literal["left", "center", "right"]
Upright = Literal["top", "middle", "bottom"]


class Canvas:
    """One sheet.

    Parameters
    ----------
    width_px, height_px
        Size of the layout.
    points_per_px
        How long a pixel of the layout is on paper.
    dpi
        Dots per inch of pictures, and of the images inside vector files.
    ink
        From the colours of the description to those on the sheet.
    """

    def __init__(self, width_px: float, height_px: float, *, points_per_px: float, dpi: float, ink: Ink) -> None:
        inches = points_per_px / _POINTS_PER_INCH
        self.dots_per_px = inches * dpi
        self._points, self._ink = points_per_px, ink
        dots = (round(each * self.dots_per_px) + 1e-6 for each in (width_px, height_px))
        width, height = (each / dpi for each in dots)
        self.figure = Figure(figsize=(width, height), dpi=dpi, facecolor=ink("white"))
        self._px = Affine2D().scale(inches) + self.figure.dpi_scale_trans

    def line(
        self,
        x: Floats,
        y: Floats,
        color: str,
        width_px: float,
        *,
        dash: str = "",
        clip: Box | None = None,
        opacity: float = 1.0,
    ) -> None:
        """A line through points in pixels, shape (point,), broken at NaN."""
        artist = Line2D(x, y, color=self._ink(color, opacity), linewidth=width_px * self._points)
        artist.set_solid_joinstyle("round")
        artist.set_solid_capstyle("butt")
        if dash and dash != "solid":
            unit = max(width_px, _LEAST_DASH_PX) / max(width_px, 1e-6)
            pattern = _DASHES.get(dash, (3, 3))
            artist.set_dashes([part * unit for part in (pattern * 2 if len(pattern) == 1 else pattern)])
            artist.set_dash_capstyle("butt")
        self._add(artist, clip)

    def segments(
        self, parts: Sequence[NDArray[Any]], color: str, width_px: float, *, clip: Box | None = None, opacity: float = 1.0
    ) -> None:
        """Many lines of one colour; each of shape (point, 2)."""
        if len(parts):
            width = width_px * self._points
            self._add(LineCollection(list(parts), colors=[self._ink(color, opacity)], linewidths=[width]), clip)

    def polygons(self, parts: Sequence[NDArray[Any]], color: str, opacity: float, *, clip: Box | None = None) -> None:
        """Filled polygons without edges; each of shape (point, 2)."""
        if len(parts):
            self._add(PolyCollection(list(parts), facecolors=[self._ink(color, opacity)], linewidths=0), clip)

    def rectangle(
        self, box: Box, fill: str | None, *, edge: str | None = None, edge_px: float = 0, opacity: float = 1.0
    ) -> None:
        """A rectangle, filled or framed."""
        x0, y0, x1, y1 = box
        artist = Rectangle((x0, y0), x1 - x0, y1 - y0, linewidth=edge_px * self._points)
        artist.set_facecolor(self._ink(fill, opacity) if fill else "none")
        artist.set_edgecolor(self._ink(edge) if edge and edge_px else "none")
        self._add(artist, None)

    def markers(
        self,
        places: Floats,
        sizes_px: float,
        colors: NDArray[Any] | str,
        symbol: str,
        *,
        opacity: float = 1.0,
        edge: str | None = None,
        edge_px: float = 0,
        clip: Box | None = None,
    ) -> None:
        """Discs or squares of one size; `places` of shape (point, 2), colours one for all or an RGB row for each."""
        path = Path.unit_circle() if symbol == "circle" else _SQUARE
        area = (sizes_px * self._points / 2) ** 2
        if isinstance(colors, str):
            faces: Any = [self._ink(colors, opacity)]
        else:
            faces = np.column_stack([colors, np.full(len(colors), opacity)])
        artist = PathCollection(
            [path], [area], offsets=places, offset_transform=self._px, facecolors=faces, linewidths=edge_px * self._points
        )
        artist.set_edgecolor(self._ink(edge) if edge and edge_px else "none")
        artist.set_transform(Affine2D())
        self._add(artist, clip, is_placed=True)

    def image(self, box: Box, colors: NDArray[np.uint8]) -> None:
        """An image that fills a box; RGBA, shape (row, column, 4), the lowest row first."""
        artist = BboxImage(TransformedBbox(Bbox.from_extents(*box), self._px), interpolation="nearest", origin="lower")
        artist.set_data(colors)
        self._add(artist, None, is_placed=True)

    def text(
        self,
        x: float,
        y: float,
        shown: str,
        size_px: float,
        color: str,
        *,
        x_anchor: Anchor = "left",
        y_anchor: Upright = "top",
        turned: int = 0,
        background: str | None = None,
        edge: str | None = None,
        pad_px: float = 0.0,
    ) -> None:
        """Lines of our markup; `turned` by so many degrees against the clock."""
        lines = lines_of(shown)
        if background or edge:
            self._box(x, y, lines, size_px, (x_anchor, y_anchor), pad_px, background, edge)
        height = (_ASCENT_EM + _DESCENT_EM + _LINE_EM * (len(lines) - 1)) * size_px
        first = {"top": 0.0, "middle": height / 2, "bottom": height}[y_anchor] - _ASCENT_EM * size_px
        angle = np.deg2rad(turned)
        along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        for number, line in enumerate(lines):
            widths = [piece.scale * size_px * width_em(piece.text, is_bold=line.is_bold) for piece in line.pieces]
            right = -_SHARE[x_anchor] * sum(widths)
            for piece, width in zip(line.pieces, widths, strict=True):
                above = first + (piece.rise - number * _LINE_EM) * size_px
                letters = piece.text.lstrip(" ")  # SVG leaves out blanks at the beginning
                blank = width_em(" " * (len(piece.text) - len(letters)), is_bold=line.is_bold) * piece.scale * size_px
                place = np.array([x, y]) + (right + blank) * along + above * up
                right += width
                artist = Text(
                    float(place[0]),
                    float(place[1]),
                    letters.replace("$", r"\$"),
                    color=self._ink(color),
                    fontsize=piece.scale * size_px * self._points,
                    fontweight="bold" if line.is_bold else "normal",
                    verticalalignment="baseline",
                    rotation=turned,
                    rotation_mode="anchor",
                )
                self._add(artist, None)

    def _box(
        self,
        x: float,
        y: float,
        lines: list[Line],
        size_px: float,
        anchors: tuple[Anchor, Upright],
        pad_px: float,
        background: str | None,
        edge: str | None,
    ) -> None:
        """A box behind level lines of text."""
        width = (
            max(sum(each.scale * width_em(each.text, is_bold=line.is_bold) for each in line.pieces) for line in lines) * size_px
        )
        height = (_ASCENT_EM + _DESCENT_EM + _LINE_EM * (len(lines) - 1)) * size_px
        left = x - _SHARE[anchors[0]] * width
        top = y + {"top": 0.0, "middle": height / 2, "bottom": height}[anchors[1]]
        self.rectangle(
            (left - pad_px, top - height - pad_px, left + width + pad_px, top + pad_px), background, edge=edge, edge_px=1
        )

    def _add(self, artist: Artist, clip: Box | None, *, is_placed: bool = False) -> None:
        """Put it over everything before."""
        if not is_placed:
            artist.set_transform(self._px)
        artist.set_zorder(len(self.figure.artists) + len(self.figure.texts) + 1)
        self.figure.add_artist(artist)
        if clip is not None:
            artist.set_clip_path(None)
            artist.set_clip_box(TransformedBbox(Bbox.from_extents(*clip), self._px))
        else:
            artist.set_clip_on(False)
