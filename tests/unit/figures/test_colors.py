"""Colours of components, quantities and users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from colorspacious import cspace_convert
from numpy.typing import NDArray
from plotly.colors import get_colorscale, sample_colorscale

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.palettes import Colormap, Palette
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures import look
from helio_dagster.figures.colors import check_color, series_role, vector_roles
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.palettes import PALETTES, colorscale
from helio_dagster.figures.sheet import Sheet


def test_a_vector_with_its_magnitude_knows_which_column_that_is() -> None:
    """Four columns are three components and the total, wherever it stands."""
    assert vector_roles(["Bx GSE", "By GSE", "Bz GSE", "Bt"]) == ("x", "y", "z", "total")
    assert vector_roles(["|B|", "B_R", "B_T", "B_N"]) == ("total", "x", "y", "z")
    assert vector_roles(["a", "b"]) is None


@pytest.mark.parametrize(
    ("label", "frame", "role"),
    [
        ("BR (RTN)", None, "x"),
        ("BT (RTN)", None, "y"),
        ("Bt", "GSE", "total"),
        ("Bz GSM", "GSM", "z"),
        ("<|B|>", None, "total"),
        ("b_mag", None, "total"),
        ("Ion density", None, None),
        ("magnetic latitude", None, None),
        ("T", None, None),
    ],
)
def test_a_series_is_a_component_by_its_label(label: str, frame: str | None, role: str | None) -> None:
    """T is tangential in RTN and the total elsewhere; other words say nothing."""
    assert series_role(label, frame) == role


def _lab(colors: Sequence[str], missing_cones: str | None) -> NDArray[np.float64]:
    """Colours in CIELab, as seen without one kind of cones (Machado, Oliveira and Fernandes 2009), shape (colour, 3)."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in colors])
    if missing_cones is not None:
        seen = {"name": "sRGB1+CVD", "cvd_type": missing_cones, "severity": 100}
        rgb = np.clip(cspace_convert(rgb, seen, "sRGB1"), 0, 1)
    return np.asarray(cspace_convert(rgb, "sRGB1", "CIELab"))


@pytest.mark.parametrize(("name", "least"), [(None, 19), ("okabe-ito", 15), ("tol-bright", 13), ("tol-vibrant", 13)])
@pytest.mark.parametrize("missing_cones", [None, "protanomaly", "deuteranomaly", "tritanomaly"])
def test_everybody_can_tell_the_colours_apart(name: Palette | None, least: float, missing_cones: str | None) -> None:
    """Neighbours, and the components and magnitude of a vector, differ by more than 20; no two colours by less than stated."""
    colors = look.COLORWAY if name is None else PALETTES[name]
    lab = _lab(colors, missing_cones)
    distance = {(i, j): float(np.linalg.norm(lab[i] - lab[j])) for i, j in combinations(range(len(lab)), 2)}
    vector = [look.COLORWAY.index(color) for color in (look.BLUE, look.CORAL, look.GREEN, look.INK)]
    assert min(distance[i, i + 1] for i in range(len(lab) - 1)) > 20
    assert min(distance[pair] for pair in combinations(vector, 2)) > 20
    assert min(distance.values()) > least


def _steps(scale: list[list[str]]) -> tuple[NDArray[np.float64], float]:
    """Lightness along a colour map, and its widest step beside its narrowest, in CAM02-UCS (Luo, Cui and Li 2006)."""
    rgb = [[float(part) / 255 for part in color[4:-1].split(",")] for color in sample_colorscale(scale, np.linspace(0, 1, 65))]
    seen = np.asarray(cspace_convert(np.array(rgb), "sRGB1", "CAM02-UCS"))
    steps = np.linalg.norm(np.diff(seen, axis=0), axis=1)
    return seen[:, 0], float(steps.max() / steps.min())


@pytest.mark.parametrize("name", get_args(Colormap))
def test_colour_maps_are_perceptually_uniform(name: Colormap) -> None:
    """From dark to light without a turn, and no step three times another; plotly's rainbow shows that the test can tell."""
    lightness, ratio = _steps(colorscale(name))
    assert (np.diff(lightness) > 0).all()
    assert ratio < 3
    lightness, ratio = _steps(get_colorscale("Jet"))
    assert not (np.diff(lightness) > 0).all()
    assert ratio > 3


def test_a_palette_colours_lines_with_their_labels_and_leaves_what_was_asked_for(
    make_vector: Callable[..., Table], make_spectrogram: Callable[..., Table], day: TimeRange
) -> None:
    """Components, labels, channels and a heatmap; the trace with a colour, titles and frames stay as they are."""
    panels = [
        {"traces": [{"data": "b"}]},
        {"traces": [{"data": "b", "component": "By", "color": look.PURPLE}]},
        {"traces": [{"data": "flux"}]},
        {"traces": [{"data": "flux", "draw": "line"}]},
    ]
    tables = {"b": make_vector(["Bx", "By", "Bz"]), "flux": make_spectrogram(np.ones((10, 4)), [1, 10, 100, 1000])}
    usual = draw(Figure.model_validate({"panels": panels}), tables, day, title="t")
    spec = Figure.model_validate({"panels": panels, "palette": "okabe-ito", "colormap": "cividis"})
    drawn = draw(spec, tables, day, title="t")
    lines = [trace.line.color for trace in drawn.data if trace.type == "scatter"]
    assert lines[:4] == ["#0072B2", "#D55E00", "#56B4E9", look.PURPLE]
    assert lines[4:] == sample_colorscale(get_colorscale("Cividis"), [0, 0.85 / 3, 1.7 / 3, 0.85])
    assert drawn.data[4].colorscale == tuple((place, color) for place, color in get_colorscale("Cividis"))
    colors = {note.text: note.font.color for note in drawn.layout.annotations}
    assert [colors[label] for label in ("B<sub>x</sub>", "B<sub>y</sub>", "B<sub>z</sub>")] == lines[:3]
    assert drawn.layout.template == usual.layout.template
    assert [trace.y.tolist() for trace in drawn.data[:3]] == [trace.y.tolist() for trace in usual.data[:3]]
    other = draw(spec, tables, day, title="t", sheet=Sheet(palette="tol-bright"))
    assert other.data[0].line.color == "#4477AA"


@pytest.mark.parametrize("color", ["firebrick", "#0b6e99", "rgb(1, 2, 3)"])
def test_css_colours_are_accepted(color: str) -> None:
    """Names, hex and rgb."""
    check_color(color, "here")


@pytest.mark.parametrize("color", ["blurple", "url(http://x)", "var(--x, url(http://x))", "", "#12"])
def test_what_is_no_colour_is_refused_with_its_path(color: str) -> None:
    """One short message with the trace's path and what to write instead."""
    with pytest.raises(FigureError) as caught:
        check_color(color, "figure.panels[0].traces[1].color")
    assert caught.value.where == "figure.panels[0].traces[1].color"
    assert len(caught.value.problem) < 80
    assert "firebrick" in caught.value.hint
