"""The options of a printed figure, once: Python, the command line and HTTP take these, by the names of the keys of `print:`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict, get_args, get_type_hints


class Shown(NamedTuple):
    """What help says of an option: what stands for its value, and a line."""

    metavar: str
    help: str


class PrintOptions(TypedDict, total=False):
    """How a figure is put on paper, as callers give it: words and numbers; None for the step's own."""

    style: Annotated[str | None, Shown("STYLE", "agu, aas, springer, dark or talk.")]
    width: Annotated[str | None, Shown("WIDTH", "column, page, or a length: 85mm, 3.5in.")]
    height: Annotated[str | None, Shown("LENGTH", "Height of the whole figure: 120mm.")]
    font: Annotated[str | None, Shown("SIZE", "Size of labels: 8pt.")]
    dpi: Annotated[int | None, Shown("N", "Dots per inch of a PNG and of spectrograms.")]
    palette: Annotated[str | None, Shown("NAME", "Colours of lines: okabe-ito, tol-bright, tol-vibrant.")]
    colormap: Annotated[str | None, Shown("NAME", "Colours of spectrograms: viridis, cividis, magma, inferno, plasma, …")]
    letters: Annotated[bool | None, Shown("", "Letter the panels (a), (b).")]
    title: Annotated[bool | None, Shown("", "Title and time range above the panels.")]
    footer: Annotated[bool | None, Shown("", "Datasets, DOIs and software below the panels.")]


@dataclass(frozen=True)
class PrintOption:
    """One option: its name, its type (None where it is not given, too), and what help says."""

    name: str
    type: type[str] | type[int] | type[bool]
    shown: Shown


def _options() -> tuple[PrintOption, ...]:
    found = []
    for name, annotation in get_type_hints(PrintOptions, include_extras=True).items():
        union, shown = get_args(annotation)
        found.append(PrintOption(name, get_args(union)[0], shown))
    return tuple(found)


PRINT_OPTIONS = _options()
