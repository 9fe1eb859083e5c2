"""One scale of colours for several spectrograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import Table
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.known_faults import find_figure_faults

Maker = Callable[..., Table]
ENERGIES = [10.0, 100, 1000]


def spec_of(*panels: str, **more: Any) -> Figure:
    """A figure of one trace a panel, with shared colours."""
    return Figure.model_validate({"panels": [{"traces": [{"data": panel}]} for panel in panels], "color_bar": "shared", **more})


def images(figure: go.Figure) -> list[go.Heatmap]:
    """Its images from top to bottom."""
    return [trace for trace in figure.data if trace.type == "heatmap"]


@pytest.fixture
def tables(make_spectrogram: Maker, make_series: Maker) -> dict[str, Table]:
    """A weak and a strong flux, one with a measured zero, and a line."""
    weak = make_spectrogram(np.tile([1.0, 10, 0], (20, 1)), ENERGIES)
    return {"weak": weak, "strong": make_spectrogram(np.full((20, 3), 1e5), ENERGIES), "b": make_series(np.arange(20.0))}


def test_images_that_stand_together_have_one_scale_and_one_bar(tables: dict[str, Table], day: TimeRange) -> None:
    """From the lowest to the highest; the bar is as high as both and the gap between them; a zero has the lowest colour."""
    alone = images(draw(spec_of("weak", "strong", color_bar=None), tables, day, title="t"))
    figure = draw(spec_of("weak", "strong"), tables, day, title="t")
    upper, lower = images(figure)
    ends = (min(each.zmin for each in alone), max(each.zmax for each in alone))
    assert (upper.zmin, upper.zmax) == (lower.zmin, lower.zmax) == ends
    assert [each.showscale for each in (upper, lower)] == [True, False]
    high, low = figure.layout.yaxis.domain[1], figure.layout.yaxis2.domain[0]
    assert upper.colorbar.len == pytest.approx(high - low)
    assert upper.colorbar.y == pytest.approx((high + low) / 2)
    assert np.asarray(upper.z)[2, 0] == pytest.approx(ends[0])
    assert upper.colorbar.title.text.startswith("Flux") or upper.colorbar.title.text.startswith("flux")


def test_a_panel_between_them_leaves_each_its_bar_on_the_same_scale(tables: dict[str, Table], day: TimeRange) -> None:
    """Two bars with the same ends."""
    upper, lower = images(draw(spec_of("weak", "b", "strong"), tables, day, title="t"))
    assert [each.showscale for each in (upper, lower)] == [True, True]
    assert (upper.zmin, upper.zmax) == (lower.zmin, lower.zmax)
    assert upper.colorbar.tickvals == lower.colorbar.tickvals


def test_one_without_data_has_no_part_in_it(tables: dict[str, Table], make_spectrogram: Maker, day: TimeRange) -> None:
    """Its panel says so; the other has its own scale."""
    gone = make_spectrogram(np.empty((0, 3)), ENERGIES)
    figure = draw(spec_of("gone", "strong"), {**tables, "gone": gone}, day, title="t")
    (only,) = images(figure)
    (own,) = images(draw(spec_of("strong", color_bar=None), tables, day, title="t"))
    assert (only.zmin, only.zmax) == (own.zmin, own.zmax)
    assert "no data" in [text.text for text in figure.layout.annotations]


def test_units_and_scales_that_differ_are_refused(tables: dict[str, Table], make_spectrogram: Maker, day: TimeRange) -> None:
    """Units before anything runs; a scale that follows from the values by drawing."""
    tables["power"] = make_spectrogram(np.ones((20, 3)), ENERGIES, unit="nT^2/Hz")
    with pytest.raises(FigureError, match="one unit") as caught:
        draw(spec_of("weak", "power"), tables, day, title="t")
    metas = {name: table.meta for name, table in tables.items()}
    (fault,) = find_figure_faults(spec_of("weak", "power"), metas)
    assert fault.problem == caught.value.problem
    tables["signed"] = make_spectrogram(np.full((20, 3), -1.0), ENERGIES)
    with pytest.raises(FigureError, match="one scale") as other:
        draw(spec_of("weak", "signed"), tables, day, title="t")
    assert other.value.where == "figure.panels[1].z.scale"


def test_a_figure_without_it_says_nothing_of_it() -> None:
    """Figures of before keep their code versions."""
    assert "color_bar" not in spec_of("a", color_bar=None).model_dump(mode="json")
