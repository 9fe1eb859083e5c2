"""Colours of components, quantities and users."""

from __future__ import annotations

import pytest

from helio_dagster.domain.errors import FigureError
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
