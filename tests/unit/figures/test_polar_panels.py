"""Maps of longitudes: positions about the Sun, Parker spirals, the Earth."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from helio_dagster.domain.errors import FigureError
from helio_dagster.domain.figure import Figure
from helio_dagster.domain.table import ColumnMeta, Table, TableMeta
from helio_dagster.domain.time_range import TimeRange
from helio_dagster.figures.drawing import draw
from helio_dagster.figures.heliosphere import earth_place, parker_spiral
from helio_dagster.figures.known_faults import find_figure_faults
from helio_dagster.figures.printing.frame import Frame
from helio_dagster.figures.text_width import width_px
from tests.integration.figures.kinds_figure import positions, probe


def polar_figure(
    tables: dict[str, Table], day: TimeRange, *traces: Any, spacecraft: dict[str, str] | None = None, **polar: Any
) -> go.Figure:
    """A figure of one map of longitudes."""
    given = [{"data": trace} if isinstance(trace, str) else trace for trace in traces or tables]
    spec = Figure.model_validate({"panels": [{"traces": given, "polar": polar}]})
    return draw(spec, tables, day, title="t", spacecraft=spacecraft)


def texts(figure: go.Figure) -> list[str]:
    """Texts of all annotations."""
    return [annotation.text for annotation in figure.layout.annotations]


def at(text: str) -> float:
    """A time in milliseconds since 1970."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1e3


def named(columns: dict[str, str], kind: str = "points", frame: str | None = "HCI", value: float = 1.0) -> Table:
    """Two records; `columns` maps names to units."""
    described = [{"name": name, "unit": unit} for name, unit in columns.items()]
    meta = TableMeta.model_validate({"kind": kind, "columns": described, "frame": frame})
    time = np.datetime64("2023-01-02", "ns") + np.arange(2) * np.timedelta64(60, "s")
    return Table(time, {name: np.array([value, value]) for name in columns}, meta)


def path(figure: go.Figure) -> go.Scatter:
    """The one path of a figure."""
    (found,) = [trace for trace in figure.data if trace.customdata is not None]
    return found


@pytest.mark.parametrize(
    ("time", "longitude"),
    [("2024-03-20T03:06", 180), ("2024-06-20T20:51", 270), ("2024-09-22T12:44", 0), ("2024-12-21T09:20", 90)],
)
def test_the_earth_is_at_the_longitudes_of_equinoxes_and_solstices(time: str, longitude: float) -> None:
    """Published times; in HAE of J2000 the precession since then, 0.0140 deg a year, is taken off."""
    found = earth_place(at(time), "HAE")
    assert found is not None
    precessed = longitude - 0.01397 * (at(time) - at("2000-01-01T12:00")) / 31_557_600e3
    assert (found[0] - precessed + 180) % 360 - 180 == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize(("time", "distance"), [("2024-01-03T00:38", 0.98331), ("2024-07-05T05:06", 1.01672)])
def test_the_earth_is_as_far_as_at_perihelion_and_aphelion(time: str, distance: float) -> None:
    """Published distances."""
    found = earth_place(at(time), "HCI")
    assert found is not None
    assert found[1] == pytest.approx(distance, abs=1e-4)


def test_the_longitude_in_hci_is_zero_where_the_earth_crosses_the_equator_of_the_sun() -> None:
    """Heliographic latitude B0 of the Earth is zero about 7 December and 6 June; frames that turn with it have it at zero."""
    (december, _), (june, _) = (earth_place(at(f"2023-{day}T00:00"), "HCI") or (np.nan, 0) for day in ("12-08", "06-06"))
    assert (december + 180) % 360 - 180 == pytest.approx(0, abs=1.5)
    assert june == pytest.approx(180, abs=1.5)
    assert [(earth_place(0.0, frame) or (np.nan,))[0] for frame in ("HEE", "HEEQ")] == [0, 0]
    assert earth_place(0.0, "RTN") is None


def test_a_spiral_is_at_45_degrees_at_one_au_for_the_speed_of_the_rotation() -> None:
    """tan(psi) = r dphi/dr is 1 for a wind as fast as the Sun turns there, 428.6 km/s; wind at 400 km/s lags 61.4 deg an AU."""
    speed = 2 * np.pi * 149_597_870.7 / (25.38 * 86400)
    assert speed == pytest.approx(428.6, abs=0.1)
    r = np.array([1 - 1e-6, 1 + 1e-6])
    angles = parker_spiral(1.0, 0.5, speed, r)
    assert -np.diff(angles)[0] / np.diff(r)[0] == pytest.approx(1)
    assert angles.mean() == pytest.approx(0.5)
    lag = parker_spiral(1.0, 0.0, 400.0, np.array([0.0]))[0]
    assert np.degrees(lag) == pytest.approx(61.4, abs=0.1)


def test_distance_and_longitude_are_drawn_about_the_sun(day: TimeRange) -> None:
    """Against the clock from the right; the spiral goes through the last position, and the panel says its speed."""
    figure = polar_figure({"psp": probe()}, day, speed=350)
    line = path(figure)
    np.testing.assert_allclose(np.hypot(line.x, line.y), np.linspace(0.3, 0.35, 1440))
    np.testing.assert_allclose(np.degrees(np.arctan2(line.y, line.x)) % 360, np.linspace(200, 206, 1440))
    (spiral,) = [trace for trace in figure.data if str(trace.name).startswith("Parker")]
    gap = np.hypot(spiral.x - line.x[-1], spiral.y - line.y[-1])
    assert gap.min() < 0.002
    assert {"Parker spirals: 350 km s<sup>−1</sup>", "longitude: HCI", "0°", "270°"} <= set(texts(figure))
    assert not any(str(trace.name).startswith("Parker") for trace in polar_figure({"psp": probe()}, day, spirals=False).data)


@pytest.mark.parametrize(
    ("columns", "value", "place"),
    [
        ({"x": "km", "y": "km", "z": "km"}, 149_597_870.7, (1, 1)),
        ({"x": "AU", "y": "AU"}, 2.0, (2, 2)),
        ({"r": "AU", "hgi_lat": "rad", "hgi_lon": "rad"}, 1.0, (np.cos(1.0) * np.cos(1.0), np.cos(1.0) * np.sin(1.0))),
    ],
)
def test_positions_come_in_several_forms(
    columns: dict[str, str], value: float, place: tuple[float, float], day: TimeRange
) -> None:
    """X and Y of a vector, two columns, or distance with latitude and longitude."""
    kind = "vector" if "z" in columns else "points"
    line = path(polar_figure({"p": named(columns, kind, value=value)}, day))
    np.testing.assert_allclose((line.x[0], line.y[0]), place)


def test_the_earth_stands_on_its_circle_if_the_frame_says_where(day: TimeRange) -> None:
    """Seen with a probe at a third of an AU too; in a frame unknown here the panel says so."""
    figure = polar_figure({"psp": probe()}, day)
    (earth,) = [trace for trace in figure.data if trace.name == "Earth"]
    expected = earth_place(at("2023-01-02T23:59"), "HCI")
    assert expected is not None
    assert np.degrees(np.arctan2(earth.y[0], earth.x[0])) % 360 == pytest.approx(expected[0])
    assert "Earth" in texts(figure)
    strange = polar_figure({"psp": probe(frame="CARR")}, day)
    assert "the Earth's longitude is not known in it" in texts(strange)
    assert "Earth" not in texts(strange)
    assert "longitude: HEEQ" in texts(polar_figure({"psp": probe(frame=None)}, day, frame="HEEQ"))


def test_close_to_the_sun_the_circles_are_close(day: TimeRange) -> None:
    """At 0.08 AU the Earth would leave no room: it is not drawn."""
    near = probe()
    close = Table(near.time, {"r": near.columns["r"] / 4, "lon": near.columns["lon"]}, near.meta)
    figure = polar_figure({"psp": close}, day)
    assert figure.layout.xaxis2.range[1] < 0.12
    assert "Earth" not in texts(figure)


@pytest.mark.parametrize(("count", "fill", "note"), [(0, 1.0, "no data"), (3, np.nan, "all fill values")])
def test_no_position_is_a_note(count: int, fill: float, note: str, day: TimeRange) -> None:
    """The figure does not fail, its circles stay."""
    whole = probe()
    table = Table(whole.time[:count], {name: values[:count] * fill for name, values in whole.columns.items()}, whole.meta)
    assert {note, "1 AU"} <= set(texts(polar_figure({"psp": table}, day)))
    unknown = Table.empty(TableMeta(kind="series", columns=()))
    assert "no data" in texts(polar_figure({"psp": unknown}, day))


def test_one_position_and_one_that_is_missing(day: TimeRange) -> None:
    """A single sample is a point with its spiral; NaN breaks the path."""
    whole = probe()
    one = Table(whole.time[:1], {name: values[:1] for name, values in whole.columns.items()}, whole.meta)
    assert path(polar_figure({"psp": one}, day)).mode == "markers"
    whole.columns["lon"][700] = np.nan
    assert np.isnan(path(polar_figure({"psp": whole}, day)).x).sum() == 1


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (named({"r": "nT", "lon": "deg"}), "holds no position about the Sun: it has r in nT"),
        (named({"r": "AU", "a": "deg", "b": "deg"}), "holds no position about the Sun"),
        (named({"r": "AU"}, "series"), "holds no position about the Sun"),
        (named({"r": "AU", "lon": "deg"}, "curve"), "gives curve"),
        (positions(12, 9, 0.4), "is in GSE, about the Earth"),
    ],
)
def test_what_is_no_position_is_refused_by_drawing_and_by_the_check(table: Table, problem: str, day: TimeRange) -> None:
    """With its place in the pipeline, in the same words before anything runs."""
    with pytest.raises(FigureError, match=problem) as caught:
        polar_figure({"p": table}, day)
    assert caught.value.where == "figure.panels[0].traces[0].data"
    spec = Figure.model_validate({"panels": [{"traces": [{"data": "p"}], "polar": {}}]})
    (fault,) = find_figure_faults(spec, {"p": table.meta})
    assert fault.problem == caught.value.problem


def test_two_frames_and_two_kinds_do_not_share_a_panel(day: TimeRange) -> None:
    """The message names both."""
    with pytest.raises(FigureError, match="a is in HCI, b is in HAE"):
        polar_figure({"a": probe(), "b": probe(frame="HAE")}, day)
    with pytest.raises(ValueError, match="`orbit` and `polar`, not both"):
        Figure.model_validate({"panels": [{"traces": [{"data": "r"}], "orbit": {}, "polar": {}}]})


def test_columns_without_a_frame_word_still_have_their_labels(day: TimeRange) -> None:
    """Two spacecraft are told apart; one without data says so."""
    gone = probe()
    empty = Table(gone.time[:0], {name: values[:0] for name, values in gone.columns.items()}, gone.meta)
    columns = (ColumnMeta(name="X", unit="km"), ColumnMeta(name="Y", unit="km"))
    flat = Table(
        gone.time, {"X": np.full(1440, 1e8), "Y": np.full(1440, 0.0)}, TableMeta(kind="points", columns=columns, frame="HCI")
    )
    assert {"position (a)", "position (b): no data"} <= set(texts(polar_figure({"a": flat, "b": empty}, day)))


def test_each_path_is_named_after_its_spacecraft(day: TimeRange) -> None:
    """Also alone; a given label stays as it is."""
    owners = {"a": "Parker Solar Probe", "b": "Solar Orbiter"}
    alone = polar_figure({"a": probe()}, day, spacecraft=owners)
    assert "Parker Solar Probe position" in texts(alone)
    told = polar_figure({"a": probe(), "b": probe()}, day, {"data": "a", "label": "PSP"}, "b", spacecraft=owners)
    assert {"PSP", "Solar Orbiter position"} <= set(texts(told))
    assert "Parker Solar Probe position" not in texts(told)


def test_no_label_is_on_a_spiral(day: TimeRange) -> None:
    """Times along a path that a spiral runs through stand beside it."""
    figure = polar_figure({"psp": probe()}, day, every="PT1H")
    (spiral,) = [trace for trace in figure.data if str(trace.name).startswith("Parker")]
    layout = figure.to_plotly_json()["layout"]
    layout["template"] = {}
    axis = Frame(layout).axis("x2")
    px = axis.length_px / (axis.limits[1] - axis.limits[0])
    marks = [text for text in figure.layout.annotations if text.xref == "x2"]
    times = [text for text in marks if text.text == "2 Jan" or text.text.endswith(":00")]
    assert len(times) >= 3
    for text in times:
        width, height = width_px(text.text, text.font.size), float(text.font.size)
        left = text.xshift - {"left": 0.0, "center": width / 2, "right": width}[text.xanchor]
        low = text.yshift - {"bottom": 0.0, "middle": height / 2, "top": height}[text.yanchor]
        x, y = (spiral.x - text.x) * px - left, (spiral.y - text.y) * px - low
        assert not ((x > 1) & (x < width - 1) & (y > 1) & (y < height - 1)).any(), text.text
