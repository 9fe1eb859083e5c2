"""Panels of orbits: planes, bodies, model boundaries, marks of time."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.optimize import brentq

from helio_dagster.domain.boundaries import bow_shock_re, magnetopause_re
from helio_dagster.domain.distances import degrees, kilometres
from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.cells import Cell
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.geometry import Place
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.sheet import SCREEN, Sheet
from helio_dagster.figures.time_marks import Labels, at_times, mark_times_ms, mark_words
from tests.integration.figures.kinds_figure import positions

HOUR_MS = 3.6e6
START_MS = np.datetime64("2023-01-02", "ms").astype(float)


def orbit_figure(
    tables: dict[str, Table],
    day: TimeRange,
    *traces: Any,
    sheet: Sheet = SCREEN,
    panel: Any = None,
    spacecraft: dict[str, str] | None = None,
    **orbit: Any,
) -> go.Figure:
    """A figure of one panel of orbits."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    spec = {"panels": [{"traces": given, "orbit": orbit, **(panel or {})}]}
    return draw(Figure.model_validate(spec), tables, day, title="t", sheet=sheet, spacecraft=spacecraft)


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def lines(figure: go.Figure, name: str) -> list[go.Scatter]:
    """The orbits of one name, which say their times."""
    return [trace for trace in figure.data if trace.name == name and trace.customdata is not None]


def part(table: Table, which: Any) -> Table:
    """Some of the records."""
    return Table(table.time[which], {name: values[which] for name, values in table.columns.items()}, table.meta)


def test_three_planes_have_one_scale_and_positions_in_earth_radii(day: TimeRange) -> None:
    """Kilometres become R_E; each plane shows its two coordinates; as many units along every axis, each as long."""
    table = positions(12, 9, 0.4)
    figure = orbit_figure({"r": table}, day)
    xy, xz, yz = lines(figure, "position")
    assert table.meta.unit == "km"
    x, y, z = (table.columns[name] / 6371.2 for name in "XYZ")
    for line, (across, up) in zip((xy, xz, yz), ((x, y), (x, z), (y, z)), strict=True):
        np.testing.assert_allclose(line.x, across)
        np.testing.assert_allclose(line.y, up)
    axes = [key for key in figure.layout if key.startswith(("xaxis", "yaxis"))]
    lengths = [np.ptp(figure.layout[key].range) for key in axes if figure.layout[key].type == "linear"]
    assert len(lengths) == 6
    np.testing.assert_allclose(lengths, lengths[0])
    assert {"X GSE [R<sub>E</sub>]", "Y GSE [R<sub>E</sub>]", "Z GSE [R<sub>E</sub>]", "1 R<sub>E</sub> = 6,371.2 km"} <= set(
        texts(figure)
    )


def test_each_orbit_is_named_after_its_spacecraft(day: TimeRange) -> None:
    """Also alone; a given label stays as it is, and two steps of one spacecraft are told apart."""
    first, second = positions(12, 9, 0.4), positions(20, 15, 0.2)
    owners = {"a": "MMS", "b": "THEMIS", "c": "MMS"}
    alone = orbit_figure({"a": first}, day, spacecraft=owners)
    assert "MMS position" in texts(alone)
    both = orbit_figure({"a": first, "b": second}, day, spacecraft=owners)
    assert {"MMS position", "THEMIS position"} <= set(texts(both))
    told = orbit_figure({"a": first, "b": second}, day, {"data": "a", "label": "upstream"}, "b", spacecraft=owners)
    assert {"upstream", "THEMIS position"} <= set(texts(told))
    assert "MMS position" not in texts(told)
    same = orbit_figure({"a": first, "c": second}, day, spacecraft=owners)
    assert {"MMS position (a)", "MMS position (c)"} <= set(texts(same))


def test_earth_is_drawn_to_scale_with_its_night_on_the_side_away_from_the_sun(day: TimeRange) -> None:
    """A circle of one R_E about the origin, its dark half at negative X; seen from the Sun there is no night."""
    figure = orbit_figure({"r": positions(12, 9, 0.4)}, day)
    edges = [trace for trace in figure.data if trace.name == "Earth" and trace.fill is None]
    assert len(edges) == 3
    for edge in edges:
        np.testing.assert_allclose(np.hypot(edge.x, edge.y), 1)
    nights = [trace for trace in figure.data if trace.name == "Earth, night"]
    assert len(nights) == 2
    assert all(night.x.max() <= 1e-12 and night.x.min() == pytest.approx(-1) for night in nights)


def test_a_body_too_small_to_see_is_a_dot_and_said_to_be(day: TimeRange) -> None:
    """Earth seen from near L1; the panel names what is not to scale."""
    figure = orbit_figure({"r": positions(240, 100, 0.4)}, day, planes=["XY"])
    (dot,) = [trace for trace in figure.data if trace.name == "Earth"]
    assert (dot.mode, dot.x, dot.y) == ("markers", (0,), (0,))
    assert "Earth is not to scale" in texts(figure)


@pytest.mark.parametrize(("pressure", "bz", "nose", "side"), [(2.0, 0.0, 10.25, 15.42), (2.0, -5.0, 9.81, 15.13)])
def test_the_magnetopause_is_that_of_shue_1998(pressure: float, bz: float, nose: float, side: float) -> None:
    """Distances at the nose and at the flank that others compute; the shape between follows from these two."""
    zero, flank, tail = magnetopause_re(np.array([0.0, np.pi / 2, 2.0]), pressure, bz)
    assert (zero, flank) == (pytest.approx(nose, abs=0.01), pytest.approx(side, abs=0.01))
    flaring = np.log2(flank / zero)
    assert tail == pytest.approx(zero * (2 / (1 + np.cos(2.0))) ** flaring)


def test_the_bow_shock_is_the_paraboloid_of_jelinek_2012() -> None:
    """Nose at 13.51 R_E for 2 nPa; the distances solve x = R - 1.17^2 rho^2 / (4 R) found numerically."""
    theta = np.array([0.0, 0.5, 1.2, 2.2])
    nose = 15.02 * 2 ** (-1 / 6.55)
    assert nose == pytest.approx(13.51, abs=0.01)

    def solved(angle: float) -> float:
        return float(brentq(lambda r: nose - (1.17 * r * np.sin(angle)) ** 2 / (4 * nose) - r * np.cos(angle), 1e-3, 1e3))

    np.testing.assert_allclose(bow_shock_re(theta, 2.0), [solved(angle) for angle in theta], rtol=1e-9)


def test_the_flanks_of_boundaries_are_shown_and_as_much_of_the_tail(day: TimeRange) -> None:
    """Of an orbit inside them: the bow shock across Earth is in the plane, and behind Earth as far as that."""
    figure = orbit_figure({"r": positions(4, 3, 0.4)}, day, bow_shock=True, planes=["XY"])
    flank = float(bow_shock_re(np.array([np.pi / 2]), 2.0)[0])
    x_axis, y_axis = figure.layout.xaxis2, figure.layout.yaxis
    assert min(y_axis.range) <= -flank
    assert max(y_axis.range) >= flank
    assert min(x_axis.range) <= -flank


def test_boundaries_say_their_source_and_conditions(day: TimeRange) -> None:
    """Shue and Jelínek, dynamic pressure and Bz; another pressure moves them."""
    figure = orbit_figure({"r": positions(12, 9, 0.4)}, day, magnetopause=True, bow_shock=True, planes=["XY"])
    shown = texts(figure)
    assert {"╌ magnetopause (Shue et al. 1998)", "╌ bow shock (Jelínek et al. 2012)"} <= set(shown)
    assert "solar wind 2 nPa, B<sub>z</sub> 0 nT" in shown
    (shock,) = [trace for trace in figure.data if str(trace.name).startswith("bow shock")]
    assert shock.x.max() == pytest.approx(13.51, abs=0.01)
    strong = orbit_figure(
        {"r": positions(12, 9, 0.4)}, day, magnetopause=True, planes=["XY"], solar_wind={"pressure": 10, "bz": -10}
    )
    (pause,) = [trace for trace in strong.data if str(trace.name).startswith("magnetopause")]
    assert pause.x.max() < 8
    assert "solar wind 10 nPa, B<sub>z</sub> −10 nT" in texts(strong)


def test_boundaries_belong_to_frames_whose_x_is_towards_the_sun(day: TimeRange) -> None:
    """In GEO they are refused; where the frame is not known the panel may say it."""
    with pytest.raises(FigureError, match="GSE or GSM, and the frame of r is GEO") as caught:
        orbit_figure({"r": positions(12, 9, 0.4, frame="GEO")}, day, magnetopause=True)
    assert caught.value.where == "figure.panels[0].orbit.magnetopause"
    nameless = {"r": positions(12, 9, 0.4, frame=None)}
    with pytest.raises(FigureError, match="not known"):
        orbit_figure(nameless, day, bow_shock=True)
    assert "X GSM [R<sub>E</sub>]" in texts(orbit_figure(nameless, day, bow_shock=True, frame="GSM"))


def test_positions_about_the_sun_are_in_au(day: TimeRange) -> None:
    """By their frame; the Sun is a dot of one size and said not to be to scale."""
    table = positions(12, 9, 0.4, frame="HCI")
    far = Table(table.time, {name: values * 2000 for name, values in table.columns.items()}, table.meta)
    figure = orbit_figure({"psp": far}, day)
    (line, *_) = lines(figure, "position")
    np.testing.assert_allclose(line.x, table.columns["X"] * 2000 / 149_597_870.7)
    assert "X HCI [AU]" in texts(figure)
    assert "the Sun is not to scale" in texts(figure)


def test_marks_stand_at_round_times_on_the_path(day: TimeRange) -> None:
    """Every six hours; at midnight stands the day."""
    figure = orbit_figure({"r": positions(12, 9, 0.4)}, day, planes=["XY"], every="PT6H")
    table = positions(12, 9, 0.4)
    marks = next(trace for trace in figure.data if trace.mode == "markers" and trace.marker.color == "white")
    np.testing.assert_allclose(marks.x, table.columns["X"][::360] / 6371.2)
    assert {"06:00", "12:00", "18:00"} <= set(texts(figure))
    assert {"● start 2023-01-02 00:00", "■ stop 2023-01-02 23:59"} <= set(texts(figure))


def test_a_mark_between_two_records_lies_between_them_and_none_lies_in_a_gap() -> None:
    """Half of the way at half of the time; nothing across a hole of ten steps, nor outside."""
    time = np.array([0.0, 1, 2, 3, 13, 14, 15])
    places = np.array([time * 2.0, -time])
    found = at_times(time, places, np.ones(7, dtype=bool), np.array([0.5, 3.0, 7.0, 13.5, 20.0]))
    np.testing.assert_allclose(found, [[1, 6, np.nan, 27, np.nan], [-0.5, -3, np.nan, -13.5, np.nan]])


def test_marks_are_never_too_many_and_say_days_as_days() -> None:
    """A second asked for over a day gives at most 400; over a week the marks are days."""
    times = START_MS + np.array([0.0, 24 * HOUR_MS])
    assert 1 < len(mark_times_ms([times], timedelta(seconds=1))) <= 401
    week = mark_times_ms([START_MS + np.array([0.0, 7 * 24 * HOUR_MS])], None)
    assert mark_words(week)[:2] == ["2 Jan", "3 Jan"]
    assert mark_words(mark_times_ms([times], None))[:3] == ["2 Jan", "03:00", "06:00"]


def test_a_missing_position_breaks_the_line(day: TimeRange) -> None:
    """One coordinate is NaN, or records are missing: no line across."""
    table = positions(12, 9, 0.4)
    table.columns["Y"][100:110] = np.nan
    holed = part(table, np.r_[0:700, 800:1440])
    line = lines(orbit_figure({"r": holed}, day, planes=["XZ"]), "position")[0]
    assert np.isnan(line.x).sum() == 2
    assert np.flatnonzero(np.isnan(line.x)).tolist() == [100, 691]


@pytest.mark.parametrize(("which", "fill", "note"), [(slice(0), 1.0, "no data"), (slice(5), np.nan, "all fill values")])
def test_no_position_is_a_note(which: slice, fill: float, note: str, day: TimeRange) -> None:
    """The figure does not fail, its planes keep their titles."""
    table = part(positions(12, 9, 0.4), which)
    empty = Table(table.time, {name: values * fill for name, values in table.columns.items()}, table.meta)
    figure = orbit_figure({"r": empty}, day, magnetopause=True)
    assert note in texts(figure)
    assert "X GSE [R<sub>E</sub>]" in texts(figure)
    unknown = Table.empty(TableMeta(kind="series", columns=()))
    assert "no data" in texts(orbit_figure({"r": unknown}, day))


def test_one_sample_is_a_point(day: TimeRange) -> None:
    """With its start and stop, and axes around it."""
    figure = orbit_figure({"r": part(positions(12, 9, 0.4), slice(1))}, day, planes=["XY"], body="none")
    (dot,) = lines(figure, "position")
    assert dot.mode == "markers"
    assert np.ptp(figure.layout.xaxis2.range) > 0


def test_spacecraft_are_told_apart_and_one_without_data_says_so(day: TimeRange) -> None:
    """Colours and labels; two spacecraft over the same time share their start and stop."""
    both = {"mms": positions(12, 9, 0.4), "themis": positions(-7, 5, 0.1)}
    figure = orbit_figure(both, day, {"data": "mms", "label": "MMS 1"}, {"data": "themis", "color": "firebrick"})
    labels = {text.text: text.font.color for text in figure.layout.annotations}
    assert labels["position"] == "firebrick"
    assert labels["MMS 1"] != "firebrick"
    assert sum(text.startswith("●") for text in texts(figure)) == 1
    gone = {**both, "themis": part(both["themis"], slice(0))}
    assert {"position (mms)", "position (themis): no data"} <= set(texts(orbit_figure(gone, day)))


def test_the_panel_gives_the_ends_of_its_coordinates(day: TimeRange) -> None:
    """`x`, `y` and `z` are X, Y and Z."""
    figure = orbit_figure({"r": positions(12, 9, 0.4)}, day, planes=["XZ"], panel={"x": {"range": [-30, 15]}})
    assert figure.layout.xaxis2.range == (-30, 15)


def test_a_narrow_sheet_has_the_planes_below_each_other(day: TimeRange) -> None:
    """Three domains along y, one along x."""
    figure = orbit_figure({"r": positions(12, 9, 0.4)}, day, sheet=Sheet(width_px=390))
    axes = [figure.layout[key] for key in figure.layout if key.startswith("xaxis") and figure.layout[key].scaleanchor]
    assert {axis.domain for axis in axes} == {(0, 1)}
    domains = sorted(figure.layout[key].domain for key in figure.layout if key.startswith("yaxis"))
    assert len(domains) == 3
    assert all(low[1] < high[0] for low, high in pairwise(domains))


def named(names: str, unit: str | list[str], kind: str = "vector", frame: str | None = "GSE") -> Table:
    """Three records of columns that all hold numbers."""
    units = [unit] * len(names) if isinstance(unit, str) else unit
    columns = [{"name": name, "unit": each} for name, each in zip(names, units, strict=True)]
    meta = TableMeta.model_validate({"kind": kind, "columns": columns, "frame": frame})
    time = np.datetime64("2023-01-02", "ns") + np.arange(3) * np.timedelta64(60, "s")
    return Table(time, {name: np.arange(3.0) for name in names}, meta)


@pytest.mark.parametrize(
    ("table", "trace", "problem", "end"),
    [
        (named("XYZ", "nT"), {}, "needs lengths, and r is in nT", "traces[0].data"),
        (named("XYZ", ""), {}, "r is in no unit", "traces[0].data"),
        (named("XY", "km"), {}, "needs X, Y and Z, and r has X, Y", "traces[0].data"),
        (named("rab", ["km", "deg", "deg"]), {}, "needs lengths, and r is in km, deg", "traces[0].data"),
        (named("XYZ", "km", "curve"), {}, "gives curve", "traces[0].data"),
        (named("XYZ", "km"), {"component": "X"}, "whole positions", "traces[0].component"),
        (named("XYZ", "km"), {"draw": "spectrogram"}, "as a line or as points", "traces[0].draw"),
    ],
)
def test_what_is_no_position_is_refused_by_drawing_and_by_the_check(
    table: Table, trace: dict[str, str], problem: str, end: str, day: TimeRange
) -> None:
    """With its place in the pipeline, in the same words before anything runs."""
    with pytest.raises(FigureError, match=problem) as caught:
        orbit_figure({"r": table}, day, {"data": "r", **trace})
    assert caught.value.where == f"figure.panels[0].{end}"
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "r", **trace}], "orbit": {}}]})
    (fault,) = find_figure_faults(spec, {"r": table.meta})
    assert fault.problem == caught.value.problem


def test_a_magnitude_beside_the_coordinates_is_left_out(day: TimeRange) -> None:
    """As in positions of MMS: X, Y, Z and R."""
    labels = ("X GSE", "Y GSE", "Z GSE", "R total")
    columns = tuple(ColumnMeta(name=name, label=label) for name, label in zip("abcd", labels, strict=True))
    time = np.datetime64("2023-01-02", "ns") + np.arange(2) * np.timedelta64(60, "s")
    table = Table(
        time, {name: np.array([6371.2, 12742.4]) for name in "abcd"}, TableMeta(kind="vector", columns=columns, unit="km")
    )
    (line,) = lines(orbit_figure({"r": table}, day, planes=["YZ"], frame="GSE"), "position")
    np.testing.assert_allclose([line.x, line.y], [[1, 2], [1, 2]])


def test_positions_in_two_frames_do_not_share_a_panel(day: TimeRange) -> None:
    """The message names both."""
    tables = {"a": positions(12, 9, 0.4), "b": positions(12, 9, 0.4, frame="GSM")}
    with pytest.raises(FigureError, match="a is in GSE, b is in GSM"):
        orbit_figure(tables, day)


@pytest.mark.parametrize(
    ("orbit", "words"),
    [({"planes": ["XY", "XY"]}, "named once"), ({"every": "PT0S"}, "longer than nothing"), ({"planes": ["ZX"]}, "XY")],
)
def test_options_that_make_no_sense_are_refused(orbit: dict[str, Any], words: str) -> None:
    """By the model of the file."""
    with pytest.raises(ValueError, match=words):
        Figure.model_validate({"panels": [{"traces": [{"data": "r"}], "orbit": orbit}]})


def test_a_panel_without_an_orbit_says_nothing_of_it() -> None:
    """Figures of before keep their code versions."""
    panel = Figure.model_validate({"panels": [{"traces": [{"data": "r"}]}]}).model_dump(mode="json")["panels"][0]
    assert "orbit" not in panel


@pytest.mark.parametrize(
    ("unit", "km"), [("km", 1), ("m", 1e-3), ("AU", 149_597_870.7), ("Re", 6371.2), ("Rs", 695_700), ("nT", None), ("", None)]
)
def test_lengths_in_kilometres(unit: str, km: float | None) -> None:
    """Also radii; None for what is not a length."""
    assert kilometres(unit) == (pytest.approx(km) if km else None)
    assert degrees("rad") == pytest.approx(180 / np.pi)
    assert [degrees(each) for each in ("km", "")] == [None, None]


def test_a_label_of_a_mark_keeps_off_the_path() -> None:
    """A steep path above a mark, then one on all sides of it: the label goes below, then is left out."""
    cell = Cell(Place(1, 0.0, 1.0, 400.0), (0.0, 1.0), 400.0, 0, 0)
    limits = ((-1.0, 1.0), (-1.0, 1.0))

    def label(x: list[float], y: list[float]) -> go.layout.Annotation | None:
        labels = Labels(cell, 200.0, limits)
        labels.keep_clear(np.array([x, y]))
        return labels.add(0.0, 0.8, "28 Feb", "black")

    free, below = label([0.0], [0.0]), label([0.0, 0.0, np.nan, 0.0], [0.8, 1.0, np.nan, 0.9])
    assert free is not None
    assert below is not None
    assert (free.yanchor, below.yanchor, below.xanchor) == ("bottom", "top", "center")
    assert label([-0.3, 0.3, 0.3, -0.3, -0.3, 0.3], [0.72, 0.72, 0.88, 0.88, 0.8, 0.8]) is None
