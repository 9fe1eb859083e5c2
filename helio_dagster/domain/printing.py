"""How a figure is put on paper: lengths, style, and what a journal wants in it or left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from helio_dagster.domain.described import Described
from helio_dagster.domain.errors import InputError
from helio_dagster.domain.palettes import Colormap, Palette

MM_PER_INCH = 25.4
POINTS_PER_INCH = 72.0
_PER_MM = {"mm": 1.0, "cm": 10.0, "in": MM_PER_INCH, "pt": MM_PER_INCH / POINTS_PER_INCH}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(mm|cm|in|pt)")
_FONT = re.compile(r"(\d+(?:\.\d+)?)\s*(?:pt)?")

Style = Literal["agu", "aas", "springer", "dark", "talk"]
"""Names of styles: of journals, and for slides."""
_COLUMNS = ("column", "page")


_LEAST_MM, _MOST_MM = 30, 1200


def read_length(value: Any) -> float:
    """A length in millimetres, from words such as `85 mm`, `8.5cm`, `3.5 in` or `240pt`; ValueError for anything else."""
    match = _LENGTH.fullmatch(str(value).strip().lower())
    if match is None:
        raise ValueError("write a length with its unit, such as 85 mm, 8.5 cm or 3.5 in")
    length = round(float(match[1]) * _PER_MM[match[2]], 6)
    if length > _MOST_MM:
        raise ValueError(f"a figure is at most {_MOST_MM} mm wide and high")
    return length


def _read_height(value: Any) -> float:
    length = read_length(value)
    if length < _LEAST_MM:
        raise ValueError(f"a figure is at least {_LEAST_MM} mm high")
    return length


def _read_width(value: Any) -> float | str:
    text = str(value).strip().lower()
    if text in _COLUMNS:
        return text
    if _LENGTH.fullmatch(text):
        return read_length(text)
    raise ValueError("write column, page, or a length with its unit, such as 85 mm")


def _read_font(value: Any) -> float:
    match = _FONT.fullmatch(str(value).strip().lower())
    if match is None:
        raise ValueError("write a size in points, such as 8 pt")
    return float(match[1])


def _length_text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g} mm"


Length = Annotated[float, BeforeValidator(_read_height), PlainSerializer(_length_text), Field(ge=_LEAST_MM, le=_MOST_MM)]
"""A length in millimetres."""
Width = Annotated[float | Literal["column", "page"], BeforeValidator(_read_width), PlainSerializer(_length_text)]
"""A length in millimetres, or a column or page of the style."""
FontSize = Annotated[float, BeforeValidator(_read_font), PlainSerializer(lambda size: f"{size:g} pt"), Field(ge=4, le=72)]
"""A size in points."""


class Printing(Described):
    """How `helio figure` puts a figure on paper; what is not given is the style's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    style: Style | None = None
    """`agu`, `aas` and `springer` have the widths of those journals' columns; `dark` and `talk` are for slides."""
    width: Width | None = None
    """`column`, `page`, or a length such as 85 mm."""
    height: Length | None = None
    """Height of the whole figure, such as 120 mm; by its panels where not given."""
    font: FontSize | None = None
    """Size of titles and labels in points; numbers at the axes are a little smaller."""
    dpi: Annotated[int, Field(ge=50, le=2400)] | None = None
    """Dots per inch of a PNG, and of the spectrograms inside PDF and SVG."""
    letters: bool = False
    """Letter the panels (a), (b), (c)."""
    title: bool = True
    """Whether title and time range stand above the panels; a caption often says them."""
    palette: Palette | None = None
    """Colours of lines, such as `okabe-ito`; the figure's where not given."""
    colormap: Colormap | None = None
    """Colours of values, such as `cividis`; the figure's where not given."""
    footer: bool = False
    """A footer with datasets, their DOIs, the software and the pipeline."""

    def over(self, other: Printing) -> Printing:
        """These settings, where they are given, over others."""
        return other.model_copy(update={name: getattr(self, name) for name in self.model_fields_set})


def read_printing(given: Mapping[str, Any], *, lead: str = "") -> Printing:
    """How to print, from options by their names; `lead` stands before a name where an error says it.

    Raises
    ------
    InputError
        An option cannot be read.
    """
    try:
        return Printing.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        option, problem = str(first["loc"][0]), first["msg"].removeprefix("Value error, ")
        raise InputError(f"{lead}{option} {given[option]}: {problem}", hint="helio figure --help lists the options.") from None
