"""Widths of bins, and which tables of records with axes are one series."""

from __future__ import annotations

import numpy as np
import pytest

from helio_dagster.domain.axes import RecordAxis, axis_mismatch, unit_of_axis, widths_between


@pytest.mark.parametrize("is_log", [False, True])
def test_bins_touch_and_cover_what_their_centers_span(is_log: bool) -> None:
    """Even bins come out as they are, in any order; the outer ones reach outwards as far as inwards."""
    edges = np.geomspace(1, 1e4, 9) if is_log else np.linspace(-90, 90, 9)
    centers = np.sqrt(edges[1:] * edges[:-1]) if is_log else (edges[1:] + edges[:-1]) / 2
    order = np.random.default_rng(1).permutation(8)
    np.testing.assert_allclose(widths_between(centers[order], is_log=is_log), np.diff(edges)[order])


def test_a_bin_without_a_place_has_no_width() -> None:
    """Its neighbours touch each other; one alone says nothing."""
    np.testing.assert_array_equal(
        widths_between(np.array([[1.0, np.nan, 3.0], [1, np.nan, np.nan]]), is_log=False), [[2, np.nan, 2], [np.nan] * 3]
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"size": 3, "values": (1.0, 2.0, 3.0)}, "shape of a record (3, 2)"),
        ({"values": (1.0, 3.0)}, "bins of the axis e"),
        ({"widths": (1.0, 3.0)}, "bins of the axis e"),
        ({"unit": "keV"}, "axes (e in keV, e in eV)"),
        ({"values": (), "column": "e"}, "axes (e in eV, e in eV)"),
        ({"label": "E"}, ""),
    ],
)
def test_tables_whose_axes_differ_are_not_one_series(change: dict[str, object], said: str) -> None:
    """Labels alone do not matter."""
    axis = RecordAxis(name="e", size=2, unit="eV", values=(1.0, 2.0))
    assert axis_mismatch((axis.model_copy(update=change),), (axis,)) == said
    assert (
        axis_mismatch(
            (axis.model_copy(update={"values": (1.0, np.nan)}),), (axis.model_copy(update={"values": (1.0, float("nan"))}),)
        )
        == ""
    )


@pytest.mark.parametrize(
    ("unit", "name", "centers", "found"),
    [
        ("", "PITCH_ANGLE", (4.5, 90.0, 175.5), "deg"),
        ("", "phi", (0.0, 1.5, 3.0), ""),
        ("", "channel", (1.0, 90.0), ""),
        ("", "theta", (float("nan"), 720.0), ""),
        ("rad", "phi", (0.0, 90.0), "rad"),
    ],
)
def test_an_angle_beyond_radians_without_a_unit_is_in_degrees(
    unit: str, name: str, centers: tuple[float, ...], found: str
) -> None:
    """Nothing is guessed of small numbers, of what is no angle, and of a unit that is given."""
    assert unit_of_axis(unit, name, "", centers) == found
