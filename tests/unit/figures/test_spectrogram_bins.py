"""Bins of spectrograms."""

from __future__ import annotations

import numpy as np

from helio_dagster.figures.spectrogram_bins import MAX_COMMON_BINS, bin_edges, fixed_grid, varying_grid


def test_edges_are_geometric_on_a_log_axis() -> None:
    """Halfway between the logarithms, the outer bins as wide as their neighbours."""
    np.testing.assert_allclose(bin_edges(np.array([10.0, 100, 1000]), "log"), 10 ** np.array([0.5, 1.5, 2.5, 3.5]))


def test_edges_are_midpoints_on_a_linear_axis() -> None:
    """Pitch angles of 20 degrees make bins of 20 degrees."""
    np.testing.assert_allclose(bin_edges(np.array([10.0, 30, 50]), "linear"), [0, 20, 40, 60])


def test_falling_and_missing_centers_are_put_in_order() -> None:
    """Energies may fall and be NaN, zero or repeated; each usable one keeps its own column."""
    grid = fixed_grid(np.array([1000.0, 100, np.nan, 10, 0, 10]), "log", 3)
    assert grid is not None
    assert grid.sources.tolist() == [[3, 1, 0]]
    assert (np.diff(grid.edges) > 0).all()


def test_no_usable_center_is_no_grid() -> None:
    """NaN or nothing positive on a log axis cannot be drawn."""
    assert fixed_grid(np.array([np.nan, 0, -1]), "log", 3) is None
    assert varying_grid([np.full((4, 3), np.nan)], "log") is None


def test_bins_that_never_change_stay_as_they_are() -> None:
    """One layout repeated is not mapped onto other bins."""
    centers = np.tile(np.geomspace(10, 1e4, 20), (5, 1))
    grid = varying_grid([centers], "log")
    assert grid is not None
    np.testing.assert_allclose(grid.edges, bin_edges(centers[0], "log"))
    assert grid.sources.tolist() == [list(range(20))]


def test_two_layouts_are_mapped_onto_common_bins() -> None:
    """Every common bin takes the column whose bin holds its middle, and none outside the record's own range."""
    wide, narrow = np.geomspace(10, 10_000, 16), np.geomspace(100, 1000, 16)
    grid = varying_grid([np.stack([wide, narrow]), wide[None, :]], "log")
    assert grid is not None
    assert len(grid.edges) - 1 <= MAX_COMMON_BINS
    assert grid.layout_of_record.tolist() == [0, 1, 0]
    middles = np.sqrt(grid.edges[:-1] * grid.edges[1:])
    for layout, centers in ((0, wide), (1, narrow)):
        edges = bin_edges(centers, "log")
        for middle, column in zip(middles, grid.sources[layout], strict=True):
            if column < 0:
                assert not edges[0] <= middle < edges[-1]
            else:
                assert edges[column] <= middle <= edges[column + 1]
