"""Colours of components, quantities and users."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from colorspacious import cspace_convert
from numpy.typing import NDArray

from helio_dagster.domain.errors import FigureError
from helio_dagster.figures import look
from helio_dagster.figures.colors import check_color, series_role, vector_roles


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


def _colorway_lab(missing_cones: str | None) -> NDArray[np.float64]:
    """The colourway in CIELab, as seen without one kind of cones (Machado, Oliveira and Fernandes 2009), shape (colour, 3)."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in look.COLORWAY])
    if missing_cones is not None:
        seen = {"name": "sRGB1+CVD", "cvd_type": missing_cones, "severity": 100}
        rgb = np.clip(cspace_convert(rgb, seen, "sRGB1"), 0, 1)
    return np.asarray(cspace_convert(rgb, "sRGB1", "CIELab"))


@pytest.mark.parametrize("missing_cones", [None, "protanomaly", "deuteranomaly", "tritanomaly"])
def test_everybody_can_tell_the_colours_apart(missing_cones: str | None) -> None:
    """Neighbours, and the components and magnitude of a vector, differ by more than 20; no two colours by less than 19."""
    lab = _colorway_lab(missing_cones)
    distance = {(i, j): float(np.linalg.norm(lab[i] - lab[j])) for i, j in combinations(range(len(lab)), 2)}
    vector = [look.COLORWAY.index(color) for color in (look.BLUE, look.CORAL, look.GREEN, look.INK)]
    assert min(distance[i, i + 1] for i in range(len(lab) - 1)) > 20
    assert min(distance[pair] for pair in combinations(vector, 2)) > 20
    assert min(distance.values()) > 19


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
